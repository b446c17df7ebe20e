"""One sketch with a nonconvex penalty: the relative error of stationary points, and its scaling in simulation."""

from __future__ import annotations

from flint import arb, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import eigenvalues
from solvers.sketches import embedding_constant
from theorems import Arrays, Choices, Combination, Given, Integers, Q, Rationals, eq, le, lt, symbols
from theorems.papers.sketching_sro.instances import (
    CLOSE,
    correlated,
    largest,
    length,
    normalised,
    penalty_of,
    sketched,
    solved,
    within,
)
from theorems.papers.sketching_sro.paper import PAPER

MILLION = 10**6
CONCAVE = PAPER.family(
    "concave-penalties",
    d=Integers(1, 4),
    n=Given(lambda d: Integers(d + 1, d + 5)),
    m=Given(lambda d: Integers(12 * d, 40 * d)),
    X=Given(lambda n, d: Arrays(Integers(-5, 5), (n, d))),
    y=Given(lambda n: Arrays(Integers(-20, 20), (n,))),
    P=Given(lambda m, n: Arrays(Integers(-3, 3), (m, n))),
    bend=Rationals(Q(1, 10), Q(8, 10), 100),
    share=Rationals(Q(1, 20), Q(6, 10), 100),
    where=lambda X, y, P: correlated(X, y) and within(X, P, Q(9, 10)),
    quick=25,
    full=400,
)


def rational_below(ball: arb) -> Q:
    """A rational with denominator 10^6 that is at most the ball."""
    return Q(int((ball * MILLION).lower().floor().unique_fmpz()), MILLION)


def kappa(eps, ratio, form):
    """1 - eps - L_h/sm, or what a mutant takes for it; `ratio` is L_h/sm."""
    return {"paper": 1 - eps - ratio, "no concavity": 1 - eps, "no sketch": 1 - ratio, "half": 1 - eps - ratio / 2}[
        form
    ]


@PAPER.bound(
    source="nonconvex penalties: full column rank and a condition on the degree of nonconvexity; constant derived",
    fidelity="derived",
    evidence="certified",
    family=CONCAVE,
    method="MCP; stationary points in exact rationals, their zones and stationarity checked exactly; eps and lambda_min(X^T X) as "
    "algebraic numbers; in one coordinate, with both points on the concave piece, the bound is an exact equality",
    hypotheses="X of full column rank, kappa > 0 (both objectives are then strongly convex and their stationary points unique); "
    "MCP of width b with 1/b a share between 0.1 and 0.8 of lambda_min(X^T X)(1 - eps)",
    not_established="other nonconvex penalties (SCAD) are covered by the argument only",
    rests_on=(
        "stationarity: Xt^T Xt D = -(Xt^T Xt - X^T X) beta* - (s~ - s*); h + L_h|.|^2/2 convex: <s~ - s*, D> >= -L_h |D|^2 >= "
        "-(L_h/lambda_min) |X D|^2",
    ),
)
def sro_nonconvex_error(X, y, P, bend, share, *, form="paper"):
    r"""Let $h + \frac{L_h}2|\cdot|^2$ be convex, $X$ of full column rank with $\sigma = \lambda_{\min}(X^\top X)$, $\varepsilon$ the embedding
    constant of $P$ on $\mathrm{col}(X)$, and $\kappa := 1 - \varepsilon - L_h/\sigma > 0$. Stationary points $\beta^*$ of
    $\frac12|Xb|^2 - \langle y, Xb\rangle + h(b)$ and $\tilde\beta$ of $\frac12|PXb|^2 - \langle y, Xb\rangle + h(b)$ satisfy
    $$|X(\tilde\beta - \beta^*)| \le \frac{\varepsilon}{\kappa} |X\beta^*|.$$ The constant is attained.
    """
    problem = normalised(X, y, P)
    spectrum = eigenvalues(problem.G)
    eps = embedding_constant(problem.G, problem.Gt)
    with precision(128):
        width = 1 / (bend * rational_below(spectrum[0].ball() * (1 - eps())))
    pair = solved(problem, penalty_of("mcp", X.ncols(), share * largest(problem.c), width))
    yield "stationarity", pair.stationary()

    def bound():
        return eps() / kappa(eps(), 1 / (width * spectrum[0].ball()), form) * length(problem.G, pair.star)

    yield "kappa", lt(0, lambda: kappa(eps(), 1 / (width * spectrum[0].ball()), "paper"))
    yield "relative error", le(lambda: length(problem.G, pair.tilde - pair.star), bound, within=CLOSE)


@sro_nonconvex_error.check(
    "attained",
    domain={"P": Choices(((4, 2), 5), ((9, 3), 10), ((5, 3), 7)), "b": Choices(Q(2), Q(5, 2), Q(4))},
    every=True,
)
def _attained(P, b, *, form="paper"):
    r"""$X = 1$, $\lambda = 1$, $y = 1 + \kappa/2$; both points lie in $(0, b)$, where $\beta = (y - 1)/(S - 1/b)$."""
    rows, denominator = P
    problem = sketched([[1]], [1], [[Q(k, denominator)] for k in rows])
    S = problem.Gt[0, 0]
    pair = solved(
        problem.__class__(problem.G, problem.Gt, fmpq_mat(1, 1, [1 + (S - 1 / b) / 2]), problem.sketched_c),
        penalty_of("mcp", 1, Q(1), b),
    )
    yield "concave pieces", lt([pair.star[0, 0], pair.tilde[0, 0]], b)
    claimed = (1 - S) / kappa(1 - S, 1 / b, form) * pair.star[0, 0]
    yield "equality", eq(pair.tilde[0, 0] - pair.star[0, 0], claimed)


@sro_nonconvex_error.proof(
    "argument", covers="all dimensions, all h with weak convexity L_h, all kappa > 0: u = |X D|, v = |X beta*|"
)
def _argument(*, form="paper"):
    u, v, ratio = symbols("u v rho", positive=True)
    t, k, inner = symbols("t k inner")  # |Xt D|^2, the cross term, <s~ - s*, D>
    eps = symbols("epsilon", above=0, below=1)
    given = [t - (1 - eps) * u**2, eps * u * v - k, k - inner - t, inner + ratio * u**2]
    yield le(kappa(eps, ratio, form) * u**2, eps * u * v, given=given, by=Combination([(1, 1, (g,)) for g in given]))


sro_nonconvex_error.mutant("kappa without the concavity: 1 - eps", form="no concavity", breaks="equality")
sro_nonconvex_error.mutant(
    "kappa without the concavity, generic sketches", form="no concavity", breaks="relative error"
)
sro_nonconvex_error.mutant("kappa without the sketch: 1 - L_h/sm", form="no sketch", breaks="equality")
sro_nonconvex_error.mutant("half the concavity: 1 - eps - L_h/(2 sm)", form="half", breaks="equality")
