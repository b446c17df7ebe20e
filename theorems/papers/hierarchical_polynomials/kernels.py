"""What every method of a fixed n-dimensional space must miss: rotated harmonics, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpq_poly, nmod_mat

from solvers.quadratic_forms import trace
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le, symbolic, symbols
from theorems.papers.hierarchical_polynomials.paper import PAPER
from theorems.papers.hierarchical_polynomials.setting import exponents, monomial

PRIME = 2**31 - 1


def harmonics(d: int, degree: int) -> int:
    """N(d, l), the dimension of the spherical harmonics of a degree."""
    return comb(d + degree - 1, degree) - (comb(d + degree - 3, degree - 2) if degree >= 2 else 0)


@lru_cache(maxsize=64)
def legendre(d: int, degree: int) -> fmpq_poly:
    """The Legendre polynomial in dimension d with P(1) = 1: (k+d-2) P_{k+1} = (2k+d-2) t P_k - k P_{k-1}."""
    before, now = fmpq_poly([1]), fmpq_poly([0, 1])
    if degree == 0:
        return before
    for k in range(1, degree):
        before, now = now, (fmpq_poly([0, 2 * k + d - 2]) * now - k * before) / (k + d - 2)
    return now


def sphere_moment(d: int, a: int, b: int) -> fmpq:
    """E z_1^a z_2^b on the unit sphere of R^d."""
    if a % 2 or b % 2:
        return fmpq(0)
    total = fmpq(1)
    for e in (a, b):
        for odd in range(1, e, 2):
            total *= odd
    for j in range((a + b) // 2):
        total /= d + 2 * j
    return total


@PAPER.bound(
    source="the abstract: kernel methods need d^{2p} samples",
    fidelity="derived",
    evidence="certified",
    domain={
        "case": Choices((4, 4, 12), (5, 2, 7), (4, 4, 6), (3, 4, 4), (4, 4, 18), (4, 2, 4)),
        "slopes": Given(lambda case: Arrays(Integers(-9, 9), (case[2], case[0] - 1))),
        "drawn": Arrays(Integers(1, 9), (7,)),
        "heavy": Choices(1, 10**6),  # how much the weight of degree l is raised
        "weights": Given(lambda case, drawn, heavy: raised(drawn, case[1], heavy)),
        "ridge": Choices(Q(1, 10), Q(0), Q(1)),
    },
    part="averaged error",
    where=lambda case, slopes: independent(case, slopes),
    accept=0.5,
    quick=8,
    full=60,
    method="kernel ridge regression at rational points of the sphere, its error averaged over all rotations of the target in closed form, "
    "exactly; the reproducing identity for all pairs of points; ranks modulo 2^31 - 1",
    hypotheses="`case` = (d, l, n); targets sqrt(N) P_l(z . x) with z uniform on the sphere; kernels sum_k w_k P_k with w_k > 0; the "
    "matrix of P_l at the points is regular",
    rests_on=("adding other harmonic components does not increase the dimension of the projection onto degree l",),
)
def kernel_needs_d2p(case, slopes, weights, ridge, *, captured=1):
    r"""A predictor in an $n$-dimensional space fixed by the inputs has, averaged over rotations of a target with a unit component of degree $l$, a squared error of at least
    $1 - n/N(d, l)$, where $N(d, 2p) = \Theta(d^{2p})$; the kernel $P_l$ alone captures exactly $n/N$. Conversely $\binom{d+2p}{2p}$ generic points
    determine every polynomial of degree $2p$, and one fewer do not.
    """
    d, degree, n = case
    gram = {k: legendre_matrix(d, k, slopes) for k in range(7)}
    N = harmonics(d, degree)
    kernel = fmpq_mat(n, n)
    for k, w in enumerate(weights):
        kernel += gram[k] * int(w)
    share = captured * fmpq(n, N)
    yield "averaged error", le(1 - share, averaged_error(kernel, ridge, weights, gram, degree, d))
    pure = [int(k == degree) for k in range(7)]
    yield "the sharp kernel", eq(averaged_error(gram[degree], Q(0), pure, gram, degree, d), 1 - share)


def raised(weights: Sequence[int], degree: int, factor: int) -> tuple[int, ...]:
    """The weights, that of one degree times a factor."""
    return tuple(int(w) * (factor if k == degree else 1) for k, w in enumerate(weights))


def legendre_matrix(d: int, degree: int, slopes: Any) -> fmpq_mat:
    """P_l of the inner products of the points."""
    points = [unit(row) for row in slopes.tolist()]
    P = legendre(d, degree)
    return fmpq_mat(len(points), len(points), [P(dot(x, y)) for x in points for y in points])


def independent(case: tuple[int, int, int], slopes: Any) -> bool:
    """Whether the functions P_l(x . ) of the points are linearly independent."""
    d, degree, n = case
    return legendre_matrix(d, degree, slopes).rank() == n


def averaged_error(kernel: fmpq_mat, ridge: fmpq, weights: Any, gram: Any, degree: int, d: int) -> fmpq:
    """E_z |fhat - f|^2: 1 - 2 w_l tr(G K_l)/N_l + sum_k w_k^2 tr(G K_l G K_k)/N_k, G = (K + ridge I)^{-1}."""
    n = kernel.nrows()
    G = (kernel + fmpq_mat(n, n, [ridge * int(i == j) for i in range(n) for j in range(n)])).inv()
    middle = G * gram[degree] * G
    total = 1 - 2 * int(weights[degree]) * trace(G * gram[degree]) / harmonics(d, degree)
    for k, w in enumerate(weights):
        if w:
            total += fmpq(int(w) ** 2, harmonics(d, k)) * trace(middle * gram[k])
    return total


def unit(row: Sequence[Any]) -> list[fmpq]:
    """A rational point of the sphere by stereographic projection."""
    t = [fmpq(int(v), 4) for v in row]
    size = sum((v * v for v in t), fmpq(0))
    return [2 * v / (1 + size) for v in t] + [(size - 1) / (1 + size)]


def dot(x: Sequence[fmpq], y: Sequence[fmpq]) -> fmpq:
    """x . y."""
    return sum((a * b for a, b in zip(x, y)), fmpq(0))


@kernel_needs_d2p.proof(
    "reproducing identity",
    covers="all points x, y of the sphere, (d, l) in {(3, 2), (3, 4), (4, 2), (4, 4), (5, 2), (3, 6)}",
    rests_on=("both sides depend on x . y alone, so x = e_1 and y = t e_1 + s e_2 stand for all",),
)
def _reproducing(*, divided=True):
    """E_z [P_l(x.z) P_l(y.z)] = P_l(x.y)/N, with t^2 + s^2 = 1."""
    t, s = symbols("t s")
    for d, degree in ((3, 2), (3, 4), (4, 2), (4, 4), (5, 2), (3, 6)):
        P = [symbolic(c) for c in legendre(d, degree)]
        total: Any = 0
        for i, u in enumerate(P):
            for j, v in enumerate(P):
                for k in range(j + 1):  # (t z1 + s z2)^j
                    mean = sphere_moment(d, i + j - k, k)
                    if u and v and mean != 0:
                        total += u * v * comb(j, k) * t ** (j - k) * s**k * symbolic(mean)
        right = sum(c * t**k for k, c in enumerate(P))
        yield eq(total, right / (harmonics(d, degree) if divided else 1), modulo=[s**2 + t**2 - 1])


@kernel_needs_d2p.check("exponents", domain={"p": Choices(2, 3), "of": Choices("harmonics", "polynomials")}, every=True)
def _exponents(p, of, *, half=False):
    """log2 of the growth from d = 128 to 256 lies between 2p - 1/5 and 2p."""
    count = {"harmonics": lambda d: harmonics(d, 2 * p), "polynomials": lambda d: comb(d + 2 * p, 2 * p)}[of]
    growth = lambda: (arb(count(256)) / count(128)).log() / arb(2).log()  # noqa: E731
    goal = p if half else 2 * p
    yield "exponent", le(lambda: (growth(), arb(goal)))
    yield "exponent", le(lambda: (goal - arb(Q(1, 5)), growth()))


@kernel_needs_d2p.check(
    "determined by points",
    domain={
        "size": ByBudget(quick=Choices((2, 4), (3, 4)), full=Choices((2, 4), (3, 4), (4, 4), (3, 6), (5, 4))),
        "points": Given(lambda size: Arrays(Integers(-50, 50), (2 * comb(sum(size), size[1]), size[0]))),
    },
    where=lambda points: len({tuple(row) for row in points.tolist()}) == points.nrows(),
    accept=0.3,
    quick=2,
    full=10,
)
def _determined(size, points, *, fewer=0):
    """The monomial matrix of one of two sets has full rank modulo a prime, hence over Q: so has that of generic points."""
    d, degree = size
    monomials = exponents(d, degree)
    rows = [[monomial([int(v) for v in x], e) for e in monomials] for x in points.tolist()]
    each = len(rows) // 2
    ranks = []
    for start in (0, each):
        kept = [v for row in rows[start : start + each - fewer] for v in row]
        ranks.append(nmod_mat(each - fewer, len(monomials), kept, PRIME).rank())
    yield "enough points", eq(max(ranks), len(monomials))


kernel_needs_d2p.mutant("captured energy n/(2N)", captured=Q(1, 2), breaks="the sharp kernel")
kernel_needs_d2p.mutant("captured energy 0.95 n/N", captured=Q(19, 20), breaks="the sharp kernel")
kernel_needs_d2p.mutant("at least 1 - 0.95 n/N in any case", captured=Q(19, 20), breaks="averaged error")
kernel_needs_d2p.mutant("the identity without 1/N", divided=False, breaks="reproducing identity")
kernel_needs_d2p.mutant("d^p in place of d^{2p}", half=True, breaks="exponent")
kernel_needs_d2p.mutant("one point fewer determines the polynomial", fewer=1, breaks="enough points")
