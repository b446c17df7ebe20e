"""Theorems of machine-learning theory as claims that are checked, with evidence that is earned.

    from theorems import Paper, Rationals, Integers, Q

    PAPER = Paper(key="bernoulli", title="Bernoulli's inequality")

    @PAPER.bound(domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
    def bernoulli(x, n, *, factor=1):
        r"$(1+x)^n \\ge 1 + nx$ for every $x \\ge -1$ and integer $n \\ge 0$."
        return 1 + factor * n * x, (1 + x) ** n

`python -m theorems.report` runs claims; `theorems.kernel` decides their comparisons.
"""

from flint import fmpq as Q

from theorems.claim import ClaimError, Paper, record
from theorems.domains import (
    Arrays,
    Booleans,
    ByBudget,
    Choices,
    Dyadics,
    Given,
    Integers,
    Rationals,
    Reals,
)
from theorems.kernel.order import eq, le, lt
from theorems.kernel.outcome import KernelError
from theorems.kernel.values import INFINITY, MINUS_INFINITY, Approx, dyadic, word
from theorems.shared import shared

__all__ = [
    "INFINITY",
    "MINUS_INFINITY",
    "Approx",
    "Arrays",
    "Booleans",
    "ByBudget",
    "Choices",
    "ClaimError",
    "Dyadics",
    "Given",
    "Integers",
    "KernelError",
    "Paper",
    "Q",
    "Rationals",
    "Reals",
    "dyadic",
    "eq",
    "le",
    "lt",
    "record",
    "shared",
    "word",
]
