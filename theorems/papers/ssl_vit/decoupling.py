"""Which correlation moves first from zero: the information gap decides."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from flint import arb, fmpq

from solvers.hypergeometric import moment
from theorems import Choices, Q, le, lt
from theorems.papers.ssl_vit.images import Areas, rounded
from theorems.papers.ssl_vit.paper import PAPER

GLOBAL = tuple(Q(k, 20) for k in (10, 11, 12, 14, 15, 16, 18, 19))
LOCAL = tuple(Q(k, 20) for k in (2, 4, 6, 8, 9, 10, 11, 14))
HARD = ((Q(3, 4), Q(1, 2)), (Q(3, 5), Q(1, 5)), (Q(19, 20), Q(1, 5)), (Q(4, 5), Q(1, 2)), (Q(3, 4), Q(3, 5)))
PAIRS = HARD + tuple((kc, ks) for kc in GLOBAL for ks in LOCAL if kc - ks >= Q(1, 25) and (kc, ks) not in HARD)
ONE = Q(1)
CONSTANTS = (Q(6, 5), Q(6, 5), Q(12, 5))


def gap(kc: fmpq, ks: fmpq) -> fmpq:
    """The information gap Delta."""
    return (1 - ks) - 2 * (1 - kc)


def image(digits: int, kc: fmpq, ks: fmpq) -> Areas:
    """P = 10^digits, C_1 = round(P^kc / 4), C = round(P^ks)."""
    return Areas(10**digits, rounded(Q(1, 4), digits, kc), rounded(ONE, digits, ks))


@cache
def first_step(x: Areas) -> tuple[fmpq, fmpq]:
    """(alpha_1, alpha_n): minus the expected gradient at phi = 0 of a masked local patch, exactly."""
    M, t, C = x.P - 1, x.P // 2, x.small
    k = (x.P - x.large) // C - 1
    sizes = {"n": C - 1, "1": x.large, "o": C}

    def mean(*powers: tuple[str, int]) -> fmpq:
        """E of a product of powers of shares of the visible patches."""
        return moment(M, t, [(sizes[name], power) for name, power in powers]) / t ** sum(power for _, power in powers)

    own = mean(("n", 1)) - 2 * mean(("n", 2)) + mean(("n", 3)) + mean(("n", 1), ("1", 2)) + k * mean(("n", 1), ("o", 2))
    other = k * mean(("1", 1), ("o", 2)) - mean(("1", 1), ("n", 1)) + mean(("1", 1), ("n", 2))
    return other - mean(("1", 2)) + mean(("1", 3)), own


def ratio(x: Areas) -> fmpq:
    """R = -alpha_1 / alpha_n."""
    other, own = first_step(x)
    return -other / own


@PAPER.transition(
    source="definition of the information gap Delta, and the case split Delta > 0 / Delta < 0 of the masked-reconstruction theorem",
    fidelity="derived",
    evidence="certified",
    domain={"pair": Choices(*PAIRS), "digits": Choices(6, 8, 10)},
    every=True,
    where=lambda pair, digits: image(digits, *pair).large > image(digits, *pair).small,
    part="leading term",
    method="falling-factorial moments of the multivariate hypergeometric law, in rationals; a remainder of fewer than C patches outside the areas is ignored",
    hypotheses="z = 1, half of the patches visible, C_1 > C >= 2, kappa_c - kappa_s >= 1/25",
    not_established="the limit itself; the constants 6/5, 6/5 and 12/5 are fitted with margin and hold on the grid",
)
def mae_decoupling_phase_transition(pair, digits, *, own=1, tail=True, power=2, constants=CONSTANTS) -> Iterator[Any]:
    r"""A masked local patch of an image with $P$ patches, a global area of $C_1 = P^{\kappa_c}/4$ and local areas of $C = P^{\kappa_s}$ patches (rounded), $P/2$ visible. Let $\alpha_1$
    and $\alpha_n$ be minus the expected gradient at $Q = 0$ by the correlations with the global and with the own area, $R = -\alpha_1/\alpha_n$, and $\Delta = (1 - \kappa_s)
    - 2(1 - \kappa_c)$. Then $\log R/\log P \to \Delta$: the global correlation is pushed down first iff $\Delta > 0$. With $x = C_1/P$
    $$\Bigl|R \frac{P(C-1)}{C_1^2} - (1 - x)\Bigr| \le \frac65 x^2 + \frac{6}{5C_1} + \frac{12C}{5P};$$
    between $P = 10^8$ and $10^{10}$ the exponent of $R$ is $\Delta \pm 0.01$ ($\kappa_s \ge 1/5$), and $R$ grows or falls as the sign of $\Delta$ ($|\Delta| \ge 1/20$).
    """
    a = image(digits, *pair)
    x = Q(a.large, a.P)
    scaled = ratio(a) * Q(a.P * (a.small - own)) * (Q(a.P) if power == 1 else ONE) / a.large**2
    b, c, d = constants
    yield "leading term", le(abs(scaled - (1 - x if tail else 1)), b * x**2 + c / a.large + d * a.small / a.P)


@mae_decoupling_phase_transition.check(
    "growth",
    domain={"pair": Choices(*(p for p in PAIRS if p[1] >= Q(1, 5)))},
    every=True,
)
def _growth(pair, *, exponent="Delta", sign=1) -> Iterator[Any]:
    kc, ks = pair
    low, high = ratio(image(8, kc, ks)), ratio(image(10, kc, ks))
    claimed = {"Delta": gap(kc, ks), "no square": (1 - ks) - (1 - kc), "twice": 2 * (kc - ks)}[exponent]
    yield "exponent", le(lambda: abs((arb(high) / low).log() / arb(100).log() - claimed), Q(1, 100))
    delta = sign * gap(kc, ks)
    if abs(delta) >= Q(1, 20):
        yield "sign of the gap", lt(low, high) if delta > 0 else lt(high, low)


mae_decoupling_phase_transition.mutant("C for C - 1", own=0, breaks="leading term")
mae_decoupling_phase_transition.mutant("factor 1 - x dropped", tail=False, breaks="leading term")
mae_decoupling_phase_transition.mutant("C_1/P for (C_1/P)^2", power=1, breaks="leading term")
mae_decoupling_phase_transition.mutant("gap (1 - kappa_s) - (1 - kappa_c)", exponent="no square", breaks="exponent")
mae_decoupling_phase_transition.mutant("gap 2 (kappa_c - kappa_s)", exponent="twice", breaks="exponent")
mae_decoupling_phase_transition.mutant("the signs of the cases exchanged", sign=-1, breaks="sign of the gap")
