"""Kernels of activations that are no polynomials are strictly positive definite, at every depth and in the limit of depth."""

from __future__ import annotations

from itertools import combinations, pairwise

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from solvers.depth_kernels import DUALS, kernels, profile
from solvers.enclosures import precision
from solvers.exact_linalg import rank, verified_eigenvalues
from theorems import ByBudget, Choices, Given, Integers, Q, curve, le, lt, shared
from theorems.papers.neural_ode.paper import PAPER
from theorems.seeds import Words

BITS = 400  # the smallest pivots of clustered directions are about 1e-50
FLOOR = Q(1, 10**70)
PRIME = 97


def parameters(seed: int, N: int, spread: fmpq) -> tuple[fmpq, ...]:
    """N distinct rationals spread * k/97, |k| <= 291, in the order in which they are drawn."""
    words = Words(seed, "directions")
    found: dict[int, None] = {}
    while len(found) < N:
        found.setdefault(words.between(-3 * PRIME, 3 * PRIME))
    return tuple(spread * fmpq(k, PRIME) for k in found)


def direction(t: fmpq) -> tuple[fmpq, fmpq]:
    """The unit vector ((1 - t^2)/(1 + t^2), 2t/(1 + t^2))."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def pairwise_independent(t: tuple[fmpq, ...]) -> bool:
    """Whether no two of the directions are parallel (t = t' or t t' = -1)."""
    return all(a != b and a * b != -1 for a, b in combinations(t, 2))


DIRECTIONS = PAPER.family(
    "directions",
    phi=Choices("sin", "erf"),
    spread=Choices(Q(1), Q(1, 100)),  # 1/100: clustered
    L=Choices(4, 1, 8),
    N=ByBudget(quick=10, full=Integers(10, 14)),
    seed=Integers(0, 10**8),
    t=Given(parameters),
    where=pairwise_independent,
    accept=0.5,
    quick=8,
    full=60,
)
POLYNOMIALS = PAPER.family(
    "polynomials",
    L=Choices(1, 2, 4),
    N=Choices(10, 12),
    seed=Integers(0, 10**8),
    t=Given(lambda N, seed: parameters(seed, N, Q(1))),
    quick=6,
    full=40,
)


def gram(points):
    """The matrix of inner products."""
    return [[sum(a * b for a, b in zip(x, y)) for y in points] for x in points]


def matrices(phi, L, points):
    """Both kernels of unit vectors at T = 1, all sigma 1 and sigma_u^2/d = 1, as lists of rows."""
    dual, s = DUALS[phi], Q(1, L * L)
    weights = profile(Q(1), L, s, dual)
    G = gram(points)
    upper = {(i, j): kernels(G[i][j], L, s, dual, weights, weights) for j in range(len(G)) for i in range(j + 1)}
    cell = [[upper[min(i, j), max(i, j)] for j in range(len(G))] for i in range(len(G))]
    return [[k.nngp for k in row] for row in cell], [[k.ntk for k in row] for row in cell]


def pivots(A):
    """The pivots of L D L^T up to the first that is not certainly positive (all are iff the matrix is positive definite)."""
    A = [[arb(x) for x in row] for row in A]
    for k in range(len(A)):
        if not A[k][k] > 0:
            return [A[i][i] for i in range(k + 1)]
        for i in range(k + 1, len(A)):
            factor = A[i][k] / A[k][k]
            A[i] = [x - factor * y for x, y in zip(A[i], A[k])]
    return [A[k][k] for k in range(len(A))]


@shared
def both_pivots(phi, L, points, bits):
    """The pivots of both kernels."""
    with precision(bits):
        return tuple(tuple(pivots(A)) for A in matrices(phi, L, points))


@PAPER.bound(
    source="abstract: a sufficiently nonlinear activation keeps the spectrum of the NTK away from zero",
    fidelity="derived",
    evidence="certified",
    family=DIRECTIONS,
    method="the recursion over layer pairs and all pivots in balls of 400 bits, each compared with 10^-70 (so that a singular matrix is "
    "refuted); for polynomials ranks of exact rational matrices",
    hypotheses="pairwise non-parallel unit vectors of the plane (more of them than dimensions), T = 1, all sigma 1; phi = sin, erf",
    not_established="other non-polynomial activations and dimensions d > 2",
)
def kernel_strictly_pd(phi, L, t, *, antipodal=False):
    r"""For $N$ pairwise non-parallel unit vectors in $\mathbb{R}^d$ (any $N$, also $N > d$) and a non-polynomial $\varphi$, the NNGP kernel has
    $\lambda_{\min}(K_L) > 0$ at every depth $L$, and so has the NTK, $\lambda_{\min}(\Theta_L) > 0$ (all pivots exceed $10^{-70}$ on the instances, clusters
    of directions included). For $\varphi(x) = x$ both kernels have rank at most $d$; for $\varphi(x) = x^2$, $L = 1$, $d = 2$ the kernel $K_L$ is a polynomial
    of degree 4 in the cosine of the angle and has rank at most 9, whatever $N$.
    """
    points = tuple(direction(x) for x in t)
    if antipodal:
        points = (*points[:-1], tuple(-x for x in points[0]))
    for k, name in enumerate(("NNGP", "NTK")):
        yield f"{name} positive definite", le(FLOOR, lambda k=k: both_pivots(phi, L, points, max(BITS, ctx.prec))[k])


@kernel_strictly_pd.check("polynomial activations", family=POLYNOMIALS)
def _polynomials(L, N, t, *, linear=2, square=9):
    points = tuple(direction(x) for x in t)
    K, Theta = (rank(fmpq_mat(A)) for A in matrices("identity", L, points))
    yield "identity: rank at most d", le([K, Theta], linear)
    yield "square: rank at most 9", le(rank(fmpq_mat(matrices("square", 1, points)[0])), square)


kernel_strictly_pd.mutant(
    "phi(x) = x", domain={"phi": Choices("identity")}, breaks=("NNGP positive definite", "NTK positive definite")
)
kernel_strictly_pd.mutant(
    "phi(x) = x^2, L = 1", domain={"phi": Choices("square"), "L": Choices(1)}, breaks="NNGP positive definite"
)
kernel_strictly_pd.mutant(
    "parallel inputs allowed: an antipodal pair",
    antipodal=True,
    breaks=("NNGP positive definite", "NTK positive definite"),
)
kernel_strictly_pd.mutant("rank of the linear kernels at most 1", linear=1, breaks="identity: rank at most d")
kernel_strictly_pd.mutant("rank of the quadratic kernel at most 8", square=8, breaks="square: rank at most 9")


@shared
def smallest(phi: str, N: int, L: int, tied_scale: bool, bits: int) -> tuple[arb, arb]:
    """Smallest eigenvalues of both kernels for N equispaced directions; the layer scale is T/L or (a mistake) T/sqrt L."""
    with precision(bits):
        dual = DUALS[phi]
        s = arb(1) / (L * L if tied_scale else L)
        weights = profile(arb(1), L, s, dual)
        rows = [kernels((arb.pi() * k / N).cos(), L, s, dual, weights, weights) for k in range(N // 2 + 1)]
        found = []
        for half in ([k.nngp for k in rows], [k.ntk for k in rows]):
            values = half + [
                -half[N - k] for k in range(N // 2 + 1, N)
            ]  # phi is odd, and so are both kernels in the cosine
            A = arb_mat([[values[abs(i - j)] for j in range(N)] for i in range(N)])
            found.append(verified_eigenvalues(A)[0])
        return found[0], found[1]


LEAST_BITS = 64
FLOORS = (Q(3, 500), Q(1, 20))  # of the NNGP and of the NTK, from L = 2 on
EQUISPACED = PAPER.family(
    "equispaced-directions",
    phi=Choices("sin", "erf"),
    N=Choices(5, 6),
    depths=ByBudget(quick=Choices((2, 4, 8, 16, 32)), full=Choices((2, 4, 8, 16, 32, 64, 128))),
    every=True,
)


@PAPER.rate(
    source="abstract: nonlinearity keeps the NTK spectrum away from zero for the continuous model, so positivity must survive L -> infinity",
    fidelity="derived",
    evidence="certified",
    family=EQUISPACED,
    method="the recursion over layer pairs in balls, eigenvalues of all matrices within the balls; quotients of successive differences",
    hypotheses="N = 5, 6 directions (cos t_i, sin t_i), t_i = 1/10 + pi i/N, d = 2, T = 1, all sigma 1; phi = sin, erf",
    not_established="monotone growth and the rate 1/L beyond the depths looked at, which give the limit its positive lower bound",
)
def kernel_strictly_pd_in_depth_limit(phi, N, depths, *, scaled=True, order=1, floors=FLOORS):
    r"""For $N$ equispaced directions of the plane and $\varphi \in \{\sin, \mathrm{erf}\}$, $\lambda_{\min}(K_L)$ and $\lambda_{\min}(\Theta_L)$ increase with $L$, from
    at least $3/500$ and $1/20$ at $L = 2$, and $q(L) = \frac{\lambda(2L) - \lambda(L)}{\lambda(4L) - \lambda(2L)}$ increases to 2, beyond
    $2 - \frac{8}{5L}$ at the last $L$: the errors are $\Theta(1/L)$, so that the kernels of the differential equation have positive smallest eigenvalues.
    """
    for k, name in enumerate(("NNGP", "NTK")):

        def series(k=k):
            return [smallest(phi, N, L, scaled, max(LEAST_BITS, ctx.prec))[k] for L in depths]

        def grows(series=series):
            return series()[:-1], series()[1:]

        def quotients(series=series):
            steps = [b - a for a, b in pairwise(series())]
            q = [a / b for a, b in pairwise(steps)]
            limit = arb(2) ** order
            return [*q[:-1], q[-1], (1 - Q(16, 5 * depths[-1])) * limit], [*q[1:], Q(101, 100) * limit, q[-1]]

        yield f"{name}: positive", le(floors[k], lambda series=series: series())
        yield f"{name}: increases", lt(grows)
        yield f"{name}: differences halve", le(quotients)
        yield curve(
            "smallest eigenvalue at depth L",
            depths,
            series(),
            series=f"{name}, {phi}, N = {N}",
            axes=("depth L", "eigenvalue"),
        )


kernel_strictly_pd_in_depth_limit.mutant(
    "no nonlinearity", domain={"phi": Choices("identity")}, breaks=("NNGP: positive", "NTK: positive")
)
kernel_strictly_pd_in_depth_limit.mutant(
    "layer scale T/sqrt L", scaled=False, breaks=("NNGP: differences halve", "NTK: differences halve")
)
kernel_strictly_pd_in_depth_limit.mutant("errors O(1/L^2)", order=2, breaks="NNGP: differences halve")
kernel_strictly_pd_in_depth_limit.mutant("errors L^(-1.1), NNGP", order=Q(11, 10), breaks="NNGP: differences halve")
kernel_strictly_pd_in_depth_limit.mutant("errors L^(-1.1), NTK", order=Q(11, 10), breaks="NTK: differences halve")
