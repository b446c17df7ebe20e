"""`--new FILE`: a commented claim file that runs as it is."""

from __future__ import annotations

import re
from pathlib import Path

from theorems.report.arguments import PROGRAM, UsageError

_TEXT = r'''"""Claims to start from: change the statements, the domains and the checks to your own.

Run this file:      python -m theorems.report {file}
Read one claim:     python -m theorems.report {file} --show bernoulli
See one instance:   python -m theorems.report {file} --reproduce bernoulli --instance 3
"""

from theorems import Arrays, Choices, Given, Integers, Paper, Q, Rationals, mean_eq, slope, symbols

PAPER = Paper(key="{key}", title="Claims to start from", authors=("You",))


# A bound. The docstring is the statement, `domain` says where the arguments come from, and the returned pair means
# left <= right. Return exact numbers: ints, Fractions, Q(p, q), or flint balls; floats and bools are refused.
@PAPER.bound(source="Bernoulli's inequality", domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def bernoulli(x, n, *, slope=1):
    r"""$(1 + x)^n \ge 1 + nx$ for every $x \ge -1$ and every integer $n \ge 0$."""
    return 1 + slope * n * x, (1 + x) ** n


# A mutant is the claim with one thing made wrong: a keyword-only argument, or a domain. The same run has to refute
# it. A claim with a surviving mutant does not hold, since its check may be unable to fail.
bernoulli.mutant("slope 5 % too large", slope=Q(21, 20))
bernoulli.mutant("x down to -3", domain=dict(x=Rationals(-3, 5)))


# Domains: Integers, Rationals, Reals, Choices, Booleans, Arrays; `Given` makes one depend on earlier parameters, and
# `where=lambda n, x: ...` states a hypothesis. `quick` and `full` are the numbers of instances of the two budgets.
@PAPER.bound(
    source="Cauchy-Schwarz inequality",
    domain=dict(n=Integers(1, 8), x=Given(lambda n: Arrays(Rationals(-9, 9), (n,)))),
    quick=40,
    full=400,
)
def square_of_sum(n, x, *, constant=1, power=2):
    r"""$\left(\sum_{{i=1}}^n x_i\right)^2 \le n \sum_{{i=1}}^n x_i^2$ for real $x_1, \dots, x_n$."""
    return sum(x) ** 2, constant * n * sum(t**power for t in x)


square_of_sum.mutant("constant 5 % too small", constant=Q(19, 20))
square_of_sum.mutant("sum of x_i instead of squares", power=1)


# An identity with a proof. The function without arguments only states it; the proof runs once, on symbols.
@PAPER.identity(source="Lagrange's identity", evidence="proved")
def two_squares():
    r"""$(a^2 + b^2)(c^2 + d^2) = (ac + bd)^2 + (ad - bc)^2$ for all real $a, b, c, d$."""


@two_squares.proof("expansion")
def expansion(*, sign=-1, power=2):
    a, b, c, d = symbols("a b c d")
    return (a**2 + b**2) * (c**2 + d**2), (a * c + b * d) ** power + (a * d + sign * b * c) ** 2


two_squares.mutant("wrong sign", sign=1)
two_squares.mutant("first square forgotten", power=1)


# A statistical claim. `draw(rng)` returns one number or a block of them; the kernel calls it until the comparison is
# decided, at an error level fixed beforehand. Draw from `rng` (a NumPy generator) alone. `within` says how narrow its
# interval has to be: a smaller distortion of the statement is not noticed. A line that defines an event by comparing
# floats ends in `# event`: `return prob_le(lambda rng: rng.random(100) < 0.3, Q(3, 10), within=Q(1, 20))  # event`.
@PAPER.identity(source="order statistics", evidence="statistical", domain=dict(n=Integers(2, 5)), quick=3, full=8)
def largest_of_uniforms(n, *, offset=1, more=0):
    r"""$\mathbb{{E}} \max(U_1, \dots, U_n) = \frac{{n}}{{n + 1}}$ for independent uniform $U_i$ on $[0, 1]$."""

    def draw(rng):
        return rng.random((100, n + more)).max(axis=1)

    return mean_eq(draw, Q(n, n + offset), support=(0, 1), within=Q(1, 20))


largest_of_uniforms.mutant("n / (n + 2)", offset=2)
largest_of_uniforms.mutant("one uniform more", more=1)


# A rate: the exponent of exact values over growing sizes. A single instance still has a domain.
@PAPER.rate(source="harmonic numbers", domain=dict(largest=Choices(4096)), every=True)
def sum_of_squares(largest, *, power=2):
    r"""$\sum_{{k \le n}} k^2 \sim n^3 / 3$: the exponent is 3."""
    sizes = [largest // 2**j for j in range(5, -1, -1)]
    return slope(sizes, [sum(k**power for k in range(1, n + 1)) for n in sizes], 3, within=Q(1, 20))


sum_of_squares.mutant("sum of cubes", power=3)
sum_of_squares.mutant("sum of k", power=1)
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
