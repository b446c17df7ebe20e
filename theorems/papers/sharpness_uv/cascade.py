"""Period doubling and chaos on the edge-of-stability manifold B = 0, where u = g f follows a cubic map."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from solvers.enclosures import precision
from solvers.maps import Family, cascade, cycle, finite_exponent, multiplier
from theorems import ByBudget, Choices, Integers, Q, Rationals, bracket, eq, le, lt, shared, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.model import step

CUBIC = Family(  # F_mu(u) = u (m - u)^2, m = 1 + mu
    f=lambda u, mu: u * (1 + mu - u) * (1 + mu - u),
    fx=lambda u, mu: (1 + mu - u) * (1 + mu - 3 * u),
    fp=lambda u, mu: 2 * u * (1 + mu - u),
    fxx=lambda u, mu: 6 * u - 4 * (1 + mu),
    fxp=lambda u, mu: 2 * (1 + mu) - 4 * u,
)
BITS = 256
PRIME = 2**61 - 1
INSIDE = Q(1, 2)  # a point of [0, 2 + mu]

# Thresholds at which the cycles of period 2, 4, ... lose stability, to 14 decimals where derived once
LISTED = {
    2: Q(123606797749979, 10**14),
    4: Q(128803175448284, 10**14),
    8: Q(129922793965020, 10**14),
    16: Q(130162891403708, 10**14),
    32: Q(130214327158146, 10**14),
}
EXCEPTIONAL = (1, 2, Q(5, 6), Q(5, 2))  # fixed, critical, or mapped to a fixed point at mu = 2 or 3/2
FEIGENBAUM = Q(4669201609102990, 10**15)  # delta, truncated: less than 1e-15 below it


@shared
def flips() -> dict[int, tuple[arb, arb]]:
    """A point of the cycle and mu, enclosed, where the cycle of period 2, 4, ..., 32 loses stability."""
    with precision(BITS):
        return {2 ** (k + 1): flip for k, flip in enumerate(cascade(CUBIC, 1, LISTED[2], INSIDE, 5))}


def threshold(n: int) -> arb:
    """Enclosure of the threshold of period n."""
    return arb(1) if n == 1 else flips()[n][1]


def distance_to_delta(n: int) -> arb:
    """|delta_n - delta| for the quotient of consecutive gaps that ends at the threshold of period n >= 4."""
    before, here, end = (threshold(k) for k in (n // 4, n // 2, n))
    return abs((here - before) / (end - here) - FEIGENBAUM)


def loss_of_stability(mu: fmpq, near: arb, n: int) -> arb:
    """Minus the multiplier of the n-cycle through a point near `near` at mu: above 1 when the cycle is unstable."""
    with precision(BITS):
        return -multiplier(CUBIC, mu, cycle(CUBIC, mu, near.mid(), n))


def rounded(x: arb, digits: int) -> fmpq:
    """A rational with denominator 10^digits near a ball."""
    return fmpq(int((x * 10**digits).mid().floor().unique_fmpz()), 10**digits)


@PAPER.transition(
    source="abstract, item (iii): route to chaos; values derived",
    fidelity="derived",
    evidence="certified",
    domain={"n": Choices(2, 4, 8, 16, 32)},
    every=True,
    part="cascade",
    method="the cubic map, its first two thresholds, the uniqueness of the 2-cycle and the conjugacy at mu = 2 by polynomial identities "
    "and sign certificates; later thresholds by Krawczyk's operator on (cycle, multiplier = -1), followed from the attractor on the "
    "stable side; Lyapunov exponents of exact orbits in balls",
    not_established="doublings beyond the 32-cycle; that nothing but the followed cycle attracts; exponents of infinite orbits at "
    "mu = 3/2, where finite ones are positive",
)
def period_doubling(n, *, error=0):
    r"""On the edge-of-stability manifold $B = 0$ ($\lambda = 2\sqrt c f$), $u = gf$ evolves by $F_\mu(u) = u(m - u)^2$. The zero-loss point
    $u = \mu$ has multiplier $1 - 2\mu$ (flip at $\mu_1 = 1$). The 2-cycle $u^2 - mu + 1 = 0$ exists iff $\mu > 1$, has multiplier
    $9 - 2m^2$ and is stable iff $1 < \mu < \mu_2 = \sqrt5 - 1$; it is the only 2-cycle for $\mu < 2\sqrt2 - 1$. The cycles of period
    4, 8, 16 and 32 lose stability at $\mu_3 = 1.288032$, $\mu_4 = 1.299228$, $\mu_5 = 1.301629$, $\mu_6 = 1.302143$; the quotients of
    the gaps approach Feigenbaum's $\delta = 4.6692$, each at least four times closer than the one before, and the thresholds
    accumulate at about $1.30228$. At $\mu = 2$ the map is conjugate to angle tripling, $F_2(4\cos^2\theta) = 4\cos^2(3\theta)$: chaotic
    with Lyapunov exponent $\ln 3$.
    """
    u, mu = flips()[n]
    with precision(BITS):
        off = abs(mu - LISTED[n] - error)
        about, step_of_mu = rounded(mu, 12), rounded((mu - threshold(n // 2)) / 20, 12)
    yield "threshold", le(off, Q(5, 10**15))
    yield (
        "stability changes",
        bracket(
            mu + error, [about + k * step_of_mu for k in (-2, -1, 1, 2)], lambda v: loss_of_stability(v, u, n), level=1
        ),
    )
    if n == 2:
        yield "second threshold", eq(lambda: (flips()[2][1], arb(5).sqrt() - 1), within=Q(1, 10**40))
    if n >= 8:
        with precision(BITS):
            here, before = distance_to_delta(n), distance_to_delta(n // 2)
        yield "quotients approach delta", le(4 * here, before)
    if n == 32:
        with precision(BITS):
            end = mu + (mu - threshold(16)) / (FEIGENBAUM - 1)
            off = abs(end - Q(130228, 10**5))
        yield "accumulation (extrapolated)", le(off, Q(5, 10**6))


@period_doubling.proof("manifold")
def _manifold():
    eta, q = symbols("eta q", positive=True)
    f, y = symbols("f y")
    there = step(f - y, 2 * q * f, eta, q**2, y)
    u, m = eta * q * f, 1 + eta * q * y
    yield "invariant manifold", eq(there.trace, 2 * q * (there.D + y))
    yield "cubic map", eq(eta * q * (there.D + y), u * (m - u) ** 2)


@period_doubling.proof(
    "first two thresholds",
    rests_on=(
        "other 2-cycles would be zeros of (m - u)(m - F(u)) + 1, which is a square plus (2 - m^2/4)(m - u)^2, and is 1 where m = u: none "
        "for m < 2 sqrt 2",
        "the roots of u^2 - mu + 1 are real and distinct iff m^2 > 4; their product is 1 and their sum m, so both are positive",
    ),
)
def _two_thresholds(*, first=1, second=None):
    import sympy

    u, mu = symbols("u mu")
    m = symbols("m", positive=True)
    mu_2 = sympy.sqrt(5) - 1 if second is None else sympy.sympify(second)

    def F(u):
        return u * (m - u) ** 2

    yield "multiplier of the minimum", eq(F(u).diff(u).subs({u: mu, m: 1 + mu}, simultaneous=True), 1 - 2 * mu)
    yield "first threshold", eq(1 - 2 * sympy.sympify(first), -1)
    two = u**2 - m * u + 1
    rest = (m - u) * (m - F(u)) + 1
    yield "points of period two", eq(F(F(u)) - u, u * (u - m + 1) * (u - m - 1) * two * rest)
    yield (
        "no other 2-cycle",
        le(
            0,
            rest,
            given=[8 - m**2],
            by=Combination([(1, (m - u) ** 2 - m * (m - u) / 2 - 1, ()), (fmpq(1, 4), m - u, (8 - m**2,))]),
        ),
    )
    yield "cycle", eq(F(u), m - u, modulo=(two,))
    product = F(u).diff(u) * F(u).diff(u).subs(u, m - u)
    yield "multiplier of the 2-cycle", eq(product, 9 - 2 * m**2, modulo=(two,))
    yield "discriminant", eq(((1 + mu) ** 2 - 4), (mu - 1) * (mu + 3))
    yield "second flip", eq(9 - 2 * (1 + mu_2) ** 2, -1)
    above = symbols("m", above=2)
    yield "stable below the second threshold", lt((9 - 2 * above**2) ** 2, 1, given=[above**2 < 5])
    yield "unstable from it", le(1, (9 - 2 * above**2) ** 2, given=[above**2 - 5])


@period_doubling.proof(
    "chaos at mu = 2",
    rests_on=(
        "theta -> 3 theta is ergodic for the uniform law, under which log |sin 6 theta| and log |sin 2 theta| have the same finite mean: "
        "so log |F'| = log 3 + log |sin 6 theta| - log |sin 2 theta| has the mean log 3 along almost every orbit",
    ),
)
def _tripling():
    import sympy

    theta = symbols("theta")
    u = 4 * sympy.cos(theta) ** 2
    yield "conjugacy", eq(u * (3 - u) ** 2, 4 * sympy.cos(3 * theta) ** 2)
    yield "derivative", eq((3 - u) * (3 - 3 * u) * sympy.sin(2 * theta), 3 * sympy.sin(6 * theta))


@period_doubling.check(
    "Lyapunov exponents",
    domain={
        "start": Rationals(Q(1, 10), 3, denominator=1000, open="both"),
        "n": ByBudget(quick=3000, full=4000),
    },
    where=lambda start: start not in EXCEPTIONAL,
    quick=2,
    full=20,
)
def _exponents(start, n, *, base=3):
    """n iterates of an exact rational start; 1.7 bits an iterate are lost at most."""
    with precision(2 * n):
        two, three_halves = (finite_exponent(CUBIC, start, mu, n) for mu in (2, Q(3, 2)))
    yield "ln 3 at mu = 2", le(abs(two - arb(base).log()), Q(5, 1000))
    yield "positive at mu = 3/2", lt(0, three_halves)


@period_doubling.check(
    "long orbits at mu = 2",
    domain={"angle": Integers(1, PRIME - 1), "n": ByBudget(quick=20_000, full=200_000)},
    quick=2,
    full=5,
)
def _long_orbits(angle, n, *, base=3):
    """u_k = 4 cos^2(pi r_k / PRIME) with r_{k+1} = 3 r_k mod PRIME is an exact orbit, by the conjugacy.

    The average differs from ln 3 by log |sin(2 pi r_n / PRIME) / sin(2 pi r_0 / PRIME)| / n, at most 0.0042 for 20 000 iterates.
    """
    total, product = arb(0), arb(1)
    with precision(96):
        for k in range(1, n + 1):
            cosine = arb.cos_pi_fmpq(fmpq(angle, PRIME))
            product *= abs(CUBIC.fx(4 * cosine * cosine, 2))
            if k % 64 == 0 or k == n:
                total, product = total + product.log(), arb(1)
            angle = 3 * angle % PRIME
        off = abs(total / n - arb(base).log())
    yield "ln 3 along long orbits", le(off, Q(5, 1000))


period_doubling.mutant("mu_1 at half its value", first=Fraction(1, 2), breaks="first threshold")
period_doubling.mutant("mu_2 = 1.25", second=Fraction(5, 4), breaks="second flip")
period_doubling.mutant("thresholds larger by 1e-6", error=Q(1, 10**6), breaks="threshold")
period_doubling.mutant("thresholds larger by 2 %", error=Q(1, 50), breaks="stability changes")
period_doubling.mutant(
    "ln 2 in place of ln 3 at mu = 2", base=2, breaks=("ln 3 at mu = 2", "ln 3 along long orbits"), anywhere=True
)
period_doubling.mutant("exponent at mu = 2 smaller by 1 %", base=Q(29671, 10**4), breaks="ln 3 at mu = 2")
