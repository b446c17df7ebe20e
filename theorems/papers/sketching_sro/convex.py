"""One sketch and one solve, with a convex penalty: the relative error, and its constant."""

from __future__ import annotations

from flint import fmpq_mat

from solvers.exact_linalg import column, quadratic_form
from solvers.sketches import embedding_constant, embeds, sketch_spectrum
from theorems import Arrays, Choices, Combination, Given, Integers, Q, Rationals, eq, le, symbols
from theorems.papers.sketching_sro.instances import (
    CLOSE,
    aligned,
    correlated,
    differences,
    largest,
    length,
    normalised,
    penalty_of,
    sketched,
    solved,
    within,
)
from theorems.papers.sketching_sro.paper import PAPER

CONVEX = ("none", "lasso", "elastic net", "ridge", "fused lasso")
DESIGNS = PAPER.family(
    "sketched-designs",
    d=Integers(2, 5),
    n=Given(lambda d: Integers(d + 4, d + 9)),
    m=Given(lambda d: Integers(8 * d, 59)),
    X=Given(lambda n, d: Arrays(Integers(-5, 5), (n, d))),
    y=Given(lambda n: Arrays(Integers(-20, 20), (n,))),
    P=Given(lambda m, n: Arrays(Integers(-3, 3), (m, n))),
    share=Rationals(Q(1, 100), Q(7, 10), 100),
    penalty=Choices(*CONVEX),
    where=lambda X, y, P: correlated(X, y) and within(X, P, Q(999, 1000)),
    quick=25,
    full=400,
)
ALIGNED = PAPER.family(
    "aligned",
    T=Choices(((1,),), ((2, 1), (1, 1)), ((3, -1, 2), (0, 1, 4), (5, 2, -1))),
    lowest=Choices(Q(1, 2), Q(1, 10), Q(9, 10)),
    every=True,
)


def constant(eps, form):
    """eps/(1 - eps), or what a mutant takes for it; for exact numbers and balls."""
    return {"paper": eps / (1 - eps), "eps": eps, "plus": eps / (1 + eps)}[form]


@PAPER.bound(
    source="abstract (relative-error bound for arbitrary convex regularisers); Theorem 3.1 with one iteration",
    fidelity="paper",
    evidence="certified",
    family=DESIGNS,
    method="stationary points in exact rationals (their stationarity is a part of its own); eps as an algebraic number: the extreme "
    "roots of the characteristic polynomial of (X^T X)^{-1} Xt^T Xt",
    hypotheses="eps < 1; X of full column rank here (so that the stationary points are unique); sketches with entries uniform on "
    "{-3, ..., 3}/(2 sqrt m)",
    not_established="the group lasso in two groups of two, for sketches built from the two points; other penalties that are not piecewise "
    "quadratic are covered by the argument only",
    rests_on=(
        "stationarity: Xt^T Xt D = -(Xt^T Xt - X^T X) beta* - (s~ - s*), D = beta~ - beta*, with subgradients s~ and s*; "
        "monotone subgradients: <s~ - s*, D> >= 0; |<(Xt^T Xt - X^T X) beta*, D>| <= eps |X beta*| |X D|",
    ),
)
def sro_convex_relative_error(X, y, P, share, penalty, *, form="paper", both=False):
    r"""Let $h$ be convex, $\beta^*$ a minimiser of $\frac12|Xb|^2 - \langle y, Xb\rangle + h(b)$, and $\tilde\beta$ one of
    $\frac12|PXb|^2 - \langle y, Xb\rangle + h(b)$, where $(1-\varepsilon) X^\top X \preceq X^\top P^\top P X \preceq
    (1+\varepsilon) X^\top X$ with $\varepsilon < 1$. Then $$|X(\tilde\beta - \beta^*)| \le \frac{\varepsilon}{1-\varepsilon} |X\beta^*|,$$
    and the constant is attained: without a penalty, when $X\beta^*$ is an eigenvector of the sketch for its eigenvalue $1 - \varepsilon$.
    """
    d = X.ncols()
    problem = normalised(X * differences(d) if penalty == "fused lasso" else X, y, P)
    pair = solved(
        problem,
        penalty_of(penalty, d, share * largest(problem.c)),
        linear=problem.sketched_c if both else None,
    )
    yield "stationarity", pair.stationary()
    eps = embedding_constant(problem.G, problem.Gt)
    error = pair.tilde - pair.star
    yield (
        "relative error",
        le(
            lambda: length(problem.G, error),
            lambda: constant(eps(), form) * length(problem.G, pair.star),
            within=CLOSE,
        ),
    )


@sro_convex_relative_error.check("attained", family=ALIGNED)
def _attained(T, lowest, *, form="paper", concave=False):
    scales = (lowest,) + (Q(1),) * (len(T) - 1)
    problem = aligned(T, scales)
    eps = 1 - lowest * lowest
    spectrum = sketch_spectrum(problem.G, problem.Gt)
    yield "embedding constant", eq([spectrum[0].compare(1 - eps), spectrum[-1].compare(1 + eps)], [0, -1])
    error = solved(problem, penalty_of("none", len(T), Q(0)))
    squared = quadratic_form(problem.G, error.tilde - error.star)
    yield "equality", eq(squared, constant(eps, form) ** 2 * quadratic_form(problem.G, error.star))


@sro_convex_relative_error.check("one coordinate", domain={"y": Choices(Q(3, 2), Q(2), Q(3))}, every=True)
def _one_coordinate(y, *, penalty="lasso"):
    problem = sketched([[1]], [y], [[Q(4, 5)], [Q(2, 5)]])  # S = 4/5
    pair = solved(problem, penalty_of(penalty, 1, Q(1), Q(2)))
    yield "one coordinate", le(abs(pair.tilde[0, 0] - pair.star[0, 0]), Q(1, 4) * abs(pair.star[0, 0]))


def secant(G, b, v):
    """The positive definite matrix nearest in structure to G that maps b to v (the BFGS update), for <v, b> > 0."""
    Gb = G * b
    return G - Gb * Gb.transpose() / quadratic_form(G, b) + v * v.transpose() / (v.transpose() * b)[0, 0]


def group_subgradient(b, lam):
    """The gradient of lam (|(b_1, b_2)| + |(b_3, b_4)|), for pairs of rational norm."""
    entries = []
    for i in (0, 2):
        square = b[i, 0] ** 2 + b[i + 1, 0] ** 2
        norm = Q(int(square.p.sqrt()), int(square.q.sqrt()))
        entries += [lam * b[i, 0] / norm, lam * b[i + 1, 0] / norm]
    return column(entries)


def group_lasso(X, star, tilde, lam):
    """G, the sketched Gram matrix for which `tilde` is stationary when `star` is for G, and both points."""
    a, b = (column([x for pair in pairs for x in pair]) for pairs in (star, tilde))
    G = fmpq_mat(X.transpose() * X)
    v = G * a + group_subgradient(a, lam) - group_subgradient(b, lam)  # what the sketched Hessian maps `tilde` to
    return G, v, a, b


def realisable(X, star, tilde, lam):
    """The points differ, the Hessian exists (positive curvature along `tilde`) and embeds with eps < 1."""
    if X.rank() < X.ncols() or star == tilde:
        return False
    G, v, _, b = group_lasso(X, star, tilde, lam)
    return (v.transpose() * b)[0, 0] > 0 and embeds(G, secant(G, b, v), Q(999, 1000))


PAIRS = tuple(
    (Q(a), Q(b)) for a, b in ((3, 4), (4, 3), (5, 12), (-3, 4), (12, 5), (6, 8), (Q(12, 5), Q(16, 5)))
)  # of rational norm


@sro_convex_relative_error.check(
    "group lasso",
    domain={
        "X": Arrays(Integers(-5, 5), (7, 4)),
        "star": Arrays(Choices(*PAIRS), (2,)),
        "tilde": Arrays(Choices(*PAIRS), (2,)),
        "lam": Rationals(Q(1, 2), Q(20), 10),
    },
    where=realisable,
    accept=0.02,
    quick=12,
    full=200,
)
def _group_lasso(X, star, tilde, lam, *, form="paper"):
    """Both points are chosen, and a sketch for which they are stationary: the penalty need not be piecewise quadratic."""
    G, v, a, b = group_lasso(X, star, tilde, lam)
    Gt = secant(G, b, v)
    yield "group lasso: stationarity", eq(Gt * b + group_subgradient(b, lam), G * a + group_subgradient(a, lam))
    eps = embedding_constant(G, Gt)
    yield (
        "group lasso",
        le(lambda: length(G, b - a), lambda: constant(eps(), form) * length(G, a), within=CLOSE),
    )


@sro_convex_relative_error.proof(
    "argument",
    covers="all dimensions, all convex h, all eps < 1: u = |X D|, v = |X beta*|",
)
def _argument(*, form="paper"):
    u, v = symbols("u v", positive=True)
    monotone = symbols("monotone", nonnegative=True)
    t, k = symbols("t k")  # |Xt D|^2, and the cross term
    eps = symbols("epsilon", above=0, below=1)
    given = [t - (1 - eps) * u**2, eps * u * v - k, k - monotone - t]
    by = Combination([(1, 1, (fact,)) for fact in (*given, monotone)], times=u * (1 - eps))
    yield le(u, eps / (1 - eps) * v, given=given, by=by)
    yield eq(eps * u * v - (1 - eps) * u**2, u * (1 - eps) * (constant(eps, form) * v - u))


sro_convex_relative_error.mutant(
    "the linear term sketched too (classical sketch-and-solve)", both=True, breaks="relative error"
)
sro_convex_relative_error.mutant("constant eps", form="eps", breaks=("equality", "argument"))
sro_convex_relative_error.mutant("constant eps/(1 + eps)", form="plus", breaks=("equality", "argument"))
sro_convex_relative_error.mutant("a nonconvex penalty (MCP)", penalty="mcp", breaks="one coordinate")
