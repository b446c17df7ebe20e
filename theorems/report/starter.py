"""`--new FILE`: a commented claim file that runs as it is."""

from __future__ import annotations

import re
from pathlib import Path

from theorems.report.arguments import PROGRAM, UsageError

_TEXT = '''\
"""Claims to start from: change the statements, the domains and the checks to your own.

Run this file:        python -m theorems.report {file}
Read one claim:       python -m theorems.report {file} --show bernoulli
See one instance:     python -m theorems.report {file} --reproduce bernoulli --instance 3
"""

from theorems import Integers, Paper, Q, Rationals, prob_le, symbols

PAPER = Paper(key="{key}", title="Claims to start from", authors=("you",))


# A bound: the docstring is the statement, the arguments come from `domain`, and the returned pair means
# `left <= right`. Numbers are exact: ints, Q(p, q), Fractions, flint balls. Floats and bools are refused.
@PAPER.bound(domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)), source="Bernoulli's inequality")
def bernoulli(x, n, *, slope=1):
    r"""$(1 + x)^n \\ge 1 + nx$ for every $x \\ge -1$ and every integer $n \\ge 0$."""
    return 1 + slope * n * x, (1 + x) ** n


# A mutant is the claim with one thing made wrong: a keyword-only argument, or a domain. The run must refute it;
# a claim whose mutants survive does not hold, because its check may be unable to fail.
bernoulli.mutant("slope 5 % too large", slope=Q(21, 20))
bernoulli.mutant("x down to -3", domain=dict(x=Rationals(-3, 5)))


# An identity with a proof: the function without arguments only states it. The proof runs once, on symbols.
@PAPER.identity(evidence="proved", source="Lagrange's identity")
def lagrange():
    r"""$(a^2 + b^2)(c^2 + d^2) = (ac + bd)^2 + (ad - bc)^2$ for all real $a, b, c, d$."""


@lagrange.proof("expansion", covers="all real a, b, c, d")
def _(*, sign=-1, power=2):
    a, b, c, d = symbols("a b c d")
    return (a**2 + b**2) * (c**2 + d**2), (a * c + b * d) ** power + (a * d + sign * b * c) ** 2


lagrange.mutant("wrong sign", sign=1)
lagrange.mutant("first square forgotten", power=1)


# A statistical claim: the kernel calls `draw` until the comparison is decided, and the level of the whole file is
# fixed beforehand. `rng` is a NumPy generator, the only source of randomness.
@PAPER.bound(domain=dict(n=Integers(20, 60)), quick=3, full=10, evidence="statistical", source="Hoeffding's inequality")
def hoeffding(n, *, deviation=Q(1, 5), factor=1):
    r"""$\\Pr[S_n/n - 1/2 \\ge 1/5] \\le e^{{-2n/25}}$ for the mean of $n$ fair coins."""

    def event(rng):
        return bool(rng.integers(0, 2, n).sum() >= n * (Q(1, 2) + deviation))  # event
    ...
'''


def write(name: str) -> str:
    """Write the starter file; returns what to do next.

    Raises:
        UsageError: when the file exists or cannot be written.
    """
    path = Path(name)
    if path.suffix != ".py":
        raise UsageError(f"--new {name}: a claim file ends in .py")
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text(path))
    except FileExistsError:
        raise UsageError(f"--new {name}: the file exists and is not overwritten") from None
    except OSError as error:
        raise UsageError(f"--new {name}: {error.strerror}") from None
    return f"wrote {name}; run it: {PROGRAM} {name}"


def text(path: Path) -> str:
    """The starter file's text, its paper named after the file."""
    key = re.sub(r"[^a-z0-9]+", "_", path.stem.lower()).strip("_")
    return _TEXT.format(file=path.name, key=key if key[:1].isalpha() else f"claims_{key}".rstrip("_"))
