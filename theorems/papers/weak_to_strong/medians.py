r"""Exponents as statements about probabilities: two sizes, and the median of the exponent between them.

For independent R_1 at n_1 and R_2 at n_2 the local exponent log(R_2/R_1)/log(n_2/n_1) has a median in [e - w, e + w] when
R_2 >= (n_2/n_1)^{e-w} R_1 and R_2 <= (n_2/n_1)^{e+w} R_1 have probability at least 1/2 each. Unlike a fitted slope this is decided by counts
of events, at a level fixed beforehand and without any assumption on the law of R. (The inequalities are what is tested, also where an R
is not positive.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import fmpq

from solvers.min_norm import Reals
from theorems import Q, prob_ge

Pairs = Callable[[Any], tuple[Reals, Reals]]  # rng -> independent draws at the smaller and at the larger size
HALF = Q(1, 2)
WIDE = Q(7, 10)  # width of the interval of a probability; what refutes is its distance to 1/2


def once(simulate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A simulation that the parts of an instance share: what the first of them draws, the others look at too."""
    kept: list[Any] = []

    def draws(rng: Any) -> Any:
        if not kept:
            kept.append(simulate(rng))
        return kept[0]

    return draws


def median_between(name: str, low: Callable[[Any], Reals], high: Callable[[Any], Reals], trials: int) -> Iterator[Any]:
    """The parts "name: at least" and "name: at most": P(low(rng) <= 0) >= 1/2 and P(high(rng) >= 0) >= 1/2.

    Args:
        name: begins the names of the parts.
        low, high: rng -> `trials` draws of "lower end - value" and "upper end - value".
        trials: draws.
    """
    at_least = prob_ge(lambda rng: low(rng) <= 0, HALF, fixed=trials, within=WIDE)  # event
    at_most = prob_ge(lambda rng: high(rng) >= 0, HALF, fixed=trials, within=WIDE)  # event
    yield f"{name}: at least", at_least
    yield f"{name}: at most", at_most


def median_exponent(
    name: str, pairs: Pairs, sizes: tuple[int, int], claimed: fmpq, within: fmpq, trials: int
) -> Iterator[Any]:
    """The median local exponent between two sizes is `claimed`, to within `within`; see `median_between`."""

    def excess(end: fmpq) -> Callable[[Any], Reals]:
        growth = (sizes[1] / sizes[0]) ** (int(end.p) / int(end.q))

        def of(rng: Any) -> Reals:
            small, large = pairs(rng)
            return growth * small - large

        return of

    return median_between(name, excess(claimed - within), excess(claimed + within), trials)


def median_value(name: str, values: Callable[[Any], Reals], claimed: float, share: fmpq, trials: int) -> Iterator[Any]:
    """The median of a positive quantity is `claimed`, to within a share of it."""
    width = int(share.p) / int(share.q)
    return median_between(
        name,
        lambda rng: (1 - width) * claimed - values(rng),
        lambda rng: (1 + width) * claimed - values(rng),
        trials,
    )
