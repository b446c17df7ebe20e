r"""The mirrored pair of two-armed Bernoulli bandits: Bayes-optimal play, exactly, and what it costs.

The arms have means $(p, q)$ or $(q, p)$, $p + q = 1$, $p = 1/2 + \Delta > 1/2$; the prior gives each 1/2. A success of
arm 1 and a failure of arm 2 have the same likelihood ratio, so the evidence is a random walk whatever is played, the
best play is the majority's, and its chance of being wrong after t pulls is
$e_t = P(B_t < t/2) + P(B_t = t/2)/2$ with $B_t \sim \mathrm{Bin}(t, p)$.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Any

from flint import Ordering, arb, fmpq, fmpz_mpoly, fmpz_mpoly_ctx

RING = fmpz_mpoly_ctx.get(("p", "q"), Ordering.lex)
State = tuple[int, int, int, int]  # n1, s1, n2, s2: pulls and successes of the two arms


def states(pulls: int) -> Iterator[State]:
    """All (n1, s1, n2, s2): pulls and successes of the two arms after `pulls` pulls."""
    for n1 in range(pulls + 1):
        n2 = pulls - n1
        for s1, s2 in product(range(n1 + 1), range(n2 + 1)):
            yield n1, s1, n2, s2


def favourable(state: Any) -> tuple[Any, Any]:
    """The evidence: how many outcomes speak for arm 1 and for arm 2; they sum to the number of pulls.

    Args:
        state: (n1, s1, n2, s2), ints or symbols.
    """
    n1, s1, n2, s2 = state
    return s1 + n2 - s2, n1 - s1 + s2


def least_wrong_pulls(p: fmpq, horizon: int) -> fmpq:
    """Least expected number of pulls of the worse arm over all policies, averaged over the mirrored pair.

    A dynamic programme over all states (n1, s1, n2, s2) and both arms in exact rationals; it uses no symmetry.

    Args:
        p: mean of the better arm, in [0, 1].
        horizon: number of pulls, >= 0; the work is of order horizon^4.
    """
    q = 1 - p

    def weights(state: State) -> tuple[fmpq, fmpq]:
        n1, s1, n2, s2 = state
        first = p**s1 * q ** (n1 - s1) * q**s2 * p ** (n2 - s2)
        second = q**s1 * p ** (n1 - s1) * p**s2 * q ** (n2 - s2)
        return first / 2, second / 2

    later: dict[State, fmpq] = dict.fromkeys(states(horizon), fmpq(0))
    for t in reversed(range(horizon)):
        now = {}
        for state in states(t):
            n1, s1, n2, s2 = state
            first, second = weights(state)
            arm1 = second + later[n1 + 1, s1 + 1, n2, s2] + later[n1 + 1, s1, n2, s2]
            arm2 = first + later[n1, s1, n2 + 1, s2 + 1] + later[n1, s1, n2 + 1, s2]
            now[state] = min(arm1, arm2)
        later = now
    return later[0, 0, 0, 0]


@dataclass(frozen=True)
class PolynomialProgramme:
    """The same dynamic programme for all p > q > 0 at once.

    Attributes:
        value: twice the least expected number of wrong pulls, a polynomial in p and q.
        after_arm1, after_arm2: for every state, the value of continuing after either arm. Where they are identical
            the cheaper arm is the one of smaller immediate cost.
    """

    value: fmpz_mpoly
    after_arm1: tuple[fmpz_mpoly, ...]
    after_arm2: tuple[fmpz_mpoly, ...]


def polynomial_programme(horizon: int) -> PolynomialProgramme:
    """The dynamic programme in Z[p, q], which chooses the immediate cost with more factors q (the smaller one).

    It is Bellman's equation, and its value the Bayes optimum, provided that `after_arm1 == after_arm2` and that each
    chosen cost is at most the other; both are left to the caller to check.
    """
    p, q = RING.gens()
    zero = RING.constant(0)
    later: dict[State, fmpz_mpoly] = dict.fromkeys(states(horizon), zero)
    after: tuple[list[fmpz_mpoly], list[fmpz_mpoly]] = ([], [])
    for t in reversed(range(horizon)):
        now = {}
        for state in states(t):
            n1, s1, n2, s2 = state
            one = later[n1 + 1, s1 + 1, n2, s2] + later[n1 + 1, s1, n2, s2]
            two = later[n1, s1, n2 + 1, s2 + 1] + later[n1, s1, n2 + 1, s2]
            low, high = sorted(favourable(state))
            after[0].append(one)
            after[1].append(two)
            now[state] = p**low * q**high + one
        later = now
    return PolynomialProgramme(later[0, 0, 0, 0], tuple(after[0]), tuple(after[1]))


def majority_error(t: int, p: fmpq, tie: fmpq | None = None) -> fmpq:
    """$e_t$ in exact rationals; `tie` is the share of ties that count as errors (default 1/2).

    Works for any ring element p that multiplies with FLINT rationals (a sympy expression, say).
    """
    share = fmpq(1, 2) if tie is None else tie
    q = 1 - p
    wrong = sum((comb(t, j) * p**j * q ** (t - j) for j in range((t + 1) // 2)), 0 * p)
    return wrong + (share * comb(t, t // 2) * (p * q) ** (t // 2) if t % 2 == 0 else 0)


def majority_errors(horizon: int, delta: arb | fmpq) -> list[arb]:
    r"""$e_0, \dots, e_{T-1}$ as balls, by $e_{2m+1} = e_{2m} - \Delta c_m = e_{2m+2}$ and $c_{m+1} = c_m (4m+2) pq/(m+1)$.

    Args:
        horizon: T >= 0.
        delta: $\Delta$ in (0, 1/2), exact or a ball.
    """
    d = arb(delta)
    x, c, e = arb(fmpq(1, 4)) - d * d, arb(1), arb(fmpq(1, 2))
    errors = [e]
    for m in range(horizon // 2):
        e = e - d * c
        errors += [e, e]
        c = c * (4 * m + 2) * x / (m + 1)
    return errors[:horizon]


def central_term(m: int, delta: arb | fmpq) -> arb:
    """$c_m = \\binom{2m}{m} (pq)^m$ as a ball."""
    x = arb(fmpq(1, 4)) - arb(delta) * arb(delta)
    return arb(comb(2 * m, m)) * x**m if m < 64 else _large_central(m, x)


def _large_central(m: int, x: arb) -> arb:
    """The same by logarithms of gamma functions."""
    return (arb(2 * m + 1).lgamma() - 2 * arb(m + 1).lgamma() + m * x.log()).exp()


def even_majority_error(m: int, delta: arb | fmpq) -> arb:
    """$e_{2m} = P(\\mathrm{Bin}(2m-1, p) \\le m-1)$, a regularised incomplete beta function, as a ball; m >= 0."""
    if m == 0:
        return arb(fmpq(1, 2))
    return (arb(fmpq(1, 2)) - arb(delta)).beta_lower(m, m, 1)


def majority_errors_sum(horizon: int, delta: arb | fmpq) -> arb:
    r"""$\sum_{t<T} e_t$ as a ball, in closed form, in time independent of T.

    For even T = 2m the sum is $1/(8\Delta^2) + e_{2m}(2m - 1/(4\Delta^2)) - m c_m/(2\Delta)$ (induction on m by
    $e_{2m+1} = e_{2m} - \Delta c_m = e_{2m+2}$).

    Args:
        horizon: T >= 0.
        delta: $\Delta$ in (0, 1/2), exact or a ball.
    """
    d = arb(delta)
    m = horizon // 2
    e = even_majority_error(m, d)
    even = 1 / (8 * d * d) + e * (2 * m - 1 / (4 * d * d)) - m * central_term(m, d) / (2 * d)
    return even + e if horizon % 2 else even
