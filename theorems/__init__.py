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
from theorems.curves import curve
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
from theorems.kernel.events import prob_eq, prob_ge, prob_le
from theorems.kernel.laws import law, same_law
from theorems.kernel.means import mean_eq, mean_ge, mean_le
from theorems.kernel.order import eq, le, lt
from theorems.kernel.outcome import KernelError
from theorems.kernel.positivity import Cases, Coefficients, Combination, Discriminant, Minimum, Univariate
from theorems.kernel.programs import optimum
from theorems.kernel.slopes import slope
from theorems.kernel.slopes_last import plateau, q_order
from theorems.kernel.symbols import matrix_symbols, symbolic, symbols
from theorems.kernel.thresholds import bracket
from theorems.kernel.values import INFINITY, MINUS_INFINITY, Approx, dyadic, word
from theorems.shared import shared

__all__ = [
    "INFINITY",
    "MINUS_INFINITY",
    "Approx",
    "Arrays",
    "Booleans",
    "ByBudget",
    "Cases",
    "Choices",
    "ClaimError",
    "Coefficients",
    "Combination",
    "Discriminant",
    "Dyadics",
    "Given",
    "Integers",
    "KernelError",
    "Minimum",
    "Paper",
    "Q",
    "Rationals",
    "Reals",
    "Univariate",
    "bracket",
    "curve",
    "dyadic",
    "eq",
    "law",
    "le",
    "lt",
    "matrix_symbols",
    "mean_eq",
    "mean_ge",
    "mean_le",
    "optimum",
    "plateau",
    "prob_eq",
    "prob_ge",
    "prob_le",
    "q_order",
    "record",
    "same_law",
    "shared",
    "slope",
    "symbolic",
    "symbols",
    "word",
]
