"""Gradient descent closes in the residual and the trace; the fixed points of the closed map."""

from __future__ import annotations

from theorems import Arrays, Given, Integers, Rationals, eq, le, lt, symbols
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.model import Gram, function_space, gram_step, step

SMALL = Rationals(-2, 2, denominator=12)
NETWORKS = PAPER.family(
    "networks",
    n=Integers(1, 5),
    d=Integers(1, 5),
    v=Given(lambda n: Arrays(SMALL, (n, 1))),
    U=Given(lambda n, d: Arrays(SMALL, (n, d))),
    x=Given(lambda d: Arrays(SMALL, (d, 1))),
    y=SMALL,
    sigma=Rationals(0, 1, denominator=9, open="left"),
    eta=Rationals(0, 2, denominator=12, open="left"),
    quick=24,
    full=500,
)


@PAPER.identity(
    source="the two-dimensional map in (residual, NTK), as recalled; the factorised form is derived",
    fidelity="recalled",
    evidence="proved",
    method="an identity of polynomials in the inner products v.v, z.z, v.z (z = Ux), |x|, sigma, eta and y, which are all that "
    "the step depends on; direct gradient descent on exact parameters cross-checks the encoding",
)
def function_space_closure():
    r"""For all $n, d$, one step of gradient descent on $\frac12 (f - y)^2$ with $f = \sigma v^\top U x$ gives exactly
    $$D' = D\,(1 - \eta\lambda + c\eta^2 D (D + y)), \qquad
    \lambda' = \lambda + \eta c D\,(\eta D \lambda - 4 (D + y)),$$
    equivalently $A' = (1 - gD)^2 A$ and $B' = (1 + gD)^2 B$ with $g = \eta\sqrt c$.
    """


@function_space_closure.proof(
    "closed map",
    rests_on=(
        "the gradient step is v' = v - eta sigma D z, U' = U - eta sigma D v x^T, so z' = z - eta sigma D |x|^2 v: D and lambda "
        "before and after it are polynomials in the inner products of v and z, whatever n and d are",
    ),
)
def _closed_map(*, quadratic=1, four=4, pull="D + y", sign=1):
    vv, zz, x, sigma = symbols("vv zz x sigma", nonnegative=True)
    vz, y, eta = symbols("vz y eta")
    G = Gram(vv, zz, vz)
    here = function_space(G, sigma, x**2, y)
    there = function_space(gram_step(G, eta, sigma, x**2, y), sigma, x**2, y)
    c, q = (sigma * x) ** 2, sigma * x  # q = sqrt(c)
    claimed = step(*here, eta, c, y, quadratic=quadratic, four=four, pull=pull)
    yield "residual", eq(there.D, claimed.D)
    yield "trace", eq(there.trace, claimed.trace)
    for name, s in (("A", 1), ("B", -1)):
        before, after = (p.trace + s * 2 * q * (p.D + y) for p in (here, there))
        yield f"factor {name}", eq(after, (1 - sign * s * eta * q * here.D) ** 2 * before)


@function_space_closure.crosscheck("direct gradient descent", family=NETWORKS)
def _direct(v, U, x, y, sigma, eta, *, quadratic=1, four=4, pull="D + y"):
    x2 = (x.transpose() * x)[0, 0]
    state = None
    for _ in range(3):
        z = U * x
        G = Gram(*((a.transpose() * b)[0, 0] for a, b in ((v, v), (z, z), (v, z))))
        here = function_space(G, sigma, x2, y)
        if state is not None:
            yield "three steps of parameters", eq((here.D, here.trace), (state.D, state.trace))
        state = step(*here, eta, sigma * sigma * x2, y, quadratic=quadratic, four=four, pull=pull)
        gradient = eta * sigma * here.D
        v, U = v - z * gradient, U - v * x.transpose() * gradient


function_space_closure.mutant("quadratic term of D' dropped", quadratic=0, breaks="residual")
function_space_closure.mutant("2 in place of 4 in lambda'", four=2, breaks="trace")
function_space_closure.mutant("D in place of D + y in lambda'", pull="D", breaks="trace")
function_space_closure.mutant("signs of the two factors exchanged", sign=-1, breaks=("factor A", "factor B"))


@PAPER.identity(
    source="fixed-point structure as recalled; eigenvalues derived",
    fidelity="derived",
    evidence="proved",
    method="a combination of the two fixed-point equations factors; the points are substituted; characteristic polynomials of "
    "the Jacobian are compared; moduli by sign certificates",
    rests_on=(
        "a product of real numbers vanishes only with a factor: off the line D = 0 the factored combination leaves D = -y or "
        "D = +-2/(eta sqrt c), and the first equation then gives lambda",
    ),
)
def fixed_points_stability():
    r"""Let $\eta, c > 0$. The fixed points of the map $(D, \lambda) \mapsto (D', \lambda')$ are exactly: (I) the zero-loss line
    $D = 0$, with eigenvalues $1$ and $1 - \eta\lambda$, transversally stable (modulus of the second below 1) iff
    $0 < \eta\lambda < 2$; (II) the origin of parameters, $D = -y$, $\lambda = 0$, with eigenvalues $(1 \mp \mu)^2$,
    $\mu = \eta\sqrt c |y|$, unstable for $\mu \ne 0$; (III, IV) $D = \pm\frac{2}{\eta\sqrt c}$,
    $\lambda = \frac4\eta \pm 2\sqrt c\, y$, with eigenvalues $9$ and $5 \pm 2\eta\sqrt c\, y$, always unstable. The points
    II, III and IV lie on the boundary $\lambda = 2\sqrt c |f|$ of the admissible set or of its continuation
    ($\lambda^2 = 4cf^2$); III and IV are admissible iff their $\lambda \ge 0$.
    """


@fixed_points_stability.proof("fixed points")
def _fixed_points(*, rate=4):
    D, trace, y = symbols("D lambda y")
    eta, q = symbols("eta q", positive=True)  # q = sqrt(c)
    there = step(D, trace, eta, q**2, y)
    yield "line of minima", eq((there.D.subs(D, 0), there.trace.subs(D, 0)), (0, trace))
    # off the line, D' = D and lambda' = lambda say E1 = E2 = 0 with the brackets below
    E1, E2 = eta * trace - q**2 * eta**2 * D * (D + y), eta * D * trace - 4 * (D + y)
    yield "brackets", eq((D - there.D, there.trace - trace), (D * E1, eta * q**2 * D * E2))
    yield "no others", eq(D * E1 - E2, -(D + y) * (q * eta * D - 2) * (q * eta * D + 2))
    for name, point in _isolated(eta, q, y, rate).items():
        image = step(point[0], point[1], eta, q**2, y)
        yield f"point {name}", eq(tuple(image), tuple(point))
        yield "lambda^2 = 4 c f^2", eq(point[1] ** 2, 4 * q**2 * (point[0] + y) ** 2)
    # with D = -y the first bracket leaves lambda = 0, with D = +-2/(eta q) the lambda of III and IV
    yield "lambda at II", eq(E1.subs(D, -y), eta * trace)
    for name, s in (("III", 1), ("IV", -1)):
        yield (
            f"lambda at {name}",
            eq(E1.subs(D, s * 2 / (eta * q)), eta * (trace - _isolated(eta, q, y, rate)[name][1])),
        )


def _isolated(eta, q, y, rate=4):
    """The points II, III and IV as (D, lambda)."""
    return {
        "II": (-y, 0),
        "III": (2 / (eta * q), rate / eta + 2 * q * y),
        "IV": (-2 / (eta * q), rate / eta - 2 * q * y),
    }


@fixed_points_stability.proof("eigenvalues")
def _eigenvalues(*, expanding=9):
    D, trace, y, t = symbols("D lambda y t")
    eta, q = symbols("eta q", positive=True)
    there = step(D, trace, eta, q**2, y)
    J = [[image.diff(s) for s in (D, trace)] for image in there]
    characteristic = (J[0][0] - t) * (J[1][1] - t) - J[0][1] * J[1][0]
    g = eta * q * y
    points = {"I": (0, trace), **_isolated(eta, q, y)}
    pairs = {
        "I": (1, 1 - eta * trace),
        "II": ((1 - g) ** 2, (1 + g) ** 2),
        "III": (expanding, 5 + 2 * g),
        "IV": (expanding, 5 - 2 * g),
    }
    for name, (D0, trace0) in points.items():
        a, b = pairs[name]
        at = characteristic.subs({D: D0, trace: trace0}, simultaneous=True)
        yield f"eigenvalues at {name}", eq(at, (t - a) * (t - b))


@fixed_points_stability.proof("stability")
def _stability(*, limit=2):
    s = symbols("s", above=0, below=limit)  # s = eta lambda
    yield "stable below the limit", lt((1 - s) ** 2, 1)
    beyond = symbols("s", lower=limit)
    yield "unstable from the limit", le(1, (1 - beyond) ** 2)
    negative = symbols("s", upper=0)
    yield "unstable for s <= 0", le(1, (1 - negative) ** 2)
    mu = symbols("mu", positive=True)
    yield "origin unstable", lt(1, (1 + mu) ** 2)


fixed_points_stability.mutant("lambda = 2/eta +- 2 sqrt(c) y at III and IV", rate=2, breaks=("point III", "point IV"))
fixed_points_stability.mutant(
    "eigenvalue 3 in place of 9", expanding=3, breaks=("eigenvalues at III", "eigenvalues at IV")
)
fixed_points_stability.mutant("stability limit eta lambda < 1 on line I", limit=1, breaks="unstable from the limit")
