"""How wide a class must be before its best function sees a minority point between two others."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.conic import certify, lp
from solvers.shallow_hull import best_margin, logistic_problem
from solvers.shallow_relu import ShallowNetwork
from theorems import ByBudget, Choices, Given, Q, Rationals, bracket, curve, eq, le, lt, optimum, shared, symbols
from theorems.papers.expressive_generalization.paper import PAPER, copies, ends, hull, loss

HALF = Q(1, 2)
LABELS = (-1, 1, -1)
NEAR = (Q(97, 100), Q(103, 100))
NEARER = (Q(97, 100), Q(997, 1000), Q(1003, 1000), Q(103, 100))


def critical(p, h, share=2, minor=3):
    """W* = (2/h) ln((2 - 3p)/p)."""
    return 2 / arb(h) * arb((share - minor * p) / p).log()


def points_of(h):
    return Q(1, 2) - h, Q(1, 2), Q(1, 2) + h


@shared
def preference(p: fmpq, h: fmpq, W: fmpq, hinges: tuple[fmpq, ...], kind: str) -> tuple[fmpq, fmpq]:
    """Proven ends of (least risk with F(1/2) <= 0) - (least risk with F(1/2) >= 0) over R_W."""
    masses = ((1 - p) / 2, p, (1 - p) / 2)
    R = hull(points_of(h), hinges)
    if kind == "hinge":
        wrong, right = (hinge_risk(R, masses, W, side) for side in (1, -1))
        return wrong - right, wrong - right
    wrong = ends(certify(logistic_problem(R, LABELS, masses, W, wrong=(1,))))
    right = ends(certify(logistic_problem(R, LABELS, masses, W, right=(1,))))
    return wrong[0] - right[1], wrong[1] - right[0]


def hinge_risk(R, masses, W, side):
    """The least mean of (1 - y F)_+ with side F(1/2) <= 0, exactly."""
    K, m = len(R.neurons), len(masses)
    cost = [0] * (2 * K + 1) + list(masses)
    rows, right = [[1] * (2 * K) + [0] * (m + 1)], [W]
    for i, (y, row) in enumerate(zip(LABELS, R.table)):
        losses = [-1 if i == j else 0 for j in range(m)]
        rows.append([*(-y * v for v in row), *(y * v for v in row), -y, *losses])
        right.append(-1)
    rows.append([*(side * v for v in R.table[1]), *(-side * v for v in R.table[1]), side, *[0] * m])
    right.append(0)
    return lp(cost, rows, right, bounds=[(0, None)] * (2 * K) + [(-1, 1)] + [(0, None)] * m).value


def ball(interval):
    low, high = interval
    return arb((low + high) / 2, arb((high - low) / 2))


GRID = PAPER.family(
    "three-points",
    case=Choices(
        *((Q(a), Q(b)) for a, b in ((Q(1, 4), Q(1, 10)), (Q(1, 10), Q(1, 5)), (Q(2, 5), Q(1, 20)), (Q(3, 10), Q(1, 4)))),
        (Q(1, 20), Q(3, 10)), (Q(9, 20), Q(3, 100)), (Q(9, 20), Q(1, 2)), (Q(1, 20), Q(1, 2)),
    ),
    p=Given(lambda case: case[0]),
    h=Given(lambda case: case[1]),
    near=ByBudget(quick=Choices(NEAR), full=Choices(NEARER)),
    every=True,
)  # fmt: skip
RANDOM = PAPER.family(
    "random-three-points",
    p=Rationals(Q(1, 20), Q(9, 20)),
    h=Rationals(Q(3, 100), Q(1, 2)),
    near=ByBudget(quick=Choices(NEAR), full=Choices(NEARER)),
    quick=2,
    full=100,
)


@PAPER.transition(
    source="importance of over-parameterisation (section heading); statement and threshold derived",
    fidelity="derived",
    evidence="certified",
    family=(GRID, RANDOM),
    method="least risks over the relaxed class with F(1/2) <= 0 and with F(1/2) >= 0, enclosed by certified exponential-cone programs; the stationarity "
    "condition in symbols",
    hypotheses="0 < p < 1/2, 0 < h <= 1/2; W real in R_W",
    not_established="odd W for networks of width exactly W; the symbols decide the sign of F(1/2), the value of the optimum beyond |F(1/2)| = 1 depends "
    "on the bias bound",
    rests_on=(
        "the second difference of relu(w x + b) over 1/2 - h, 1/2, 1/2 + h lies in [0, h], so that a_1 + a_2 + 2b <= hW for the margins a_1, b, a_2; by "
        "convexity a_1 = a_2 = a = hW/2 - b, and the sign of a convex function's minimiser is that of minus its slope at 0",
        "the risk on a + b = M = hW/2 is least at some b < M (outer points), and a function with a <= 0 costs at least (1-p) ln 2 + p l(M), more than the best "
        "tent with |b| <= 1: the outer points are right at every W",
        "for |b| <= 1 and even W the tent b - (W/2)|x - 1/2| is a network of width W",
    ),
)
def overparameterisation_threshold(p, h, near, *, scale=1, share=2, minor=3, kind="cross-entropy"):
    r"""$n = 1$, points $\frac12 - h, \frac12, \frac12 + h$ with labels $-, +, -$ and masses $\frac{1-p}2, p, \frac{1-p}2$, $p < \frac12$, $0 < h \le
    \frac12$. A minimiser of the population cross-entropy over $R_W$ classifies the middle point correctly iff
    $$W > W^* = \frac2h \ln\frac{2-3p}{p}.$$
    Below $W^*$ its accuracy is $1 - p$, although $D$ is expressible at every width $\ge 2$ (confidence $h/2$ at width 2); above $W^*$ it is 1. For even $W$
    the same holds for $H_W(1)$. Hinges at other places do not help.
    """
    W = rounded(critical(p, h))
    controls = [x * W for x in (Q(1, 50), Q(3, 10), *near, Q(4))]
    hinges = (Q(1, 2) - h / 2, Q(1, 2) + h / 3)

    def predicted():
        return scale * critical(p, h, share, minor)

    def order(places):
        return lambda w: ball(preference(p, h, w, places, kind))

    yield "threshold", bracket(predicted, controls, order(()), level=0)
    yield "threshold with more hinges", bracket(predicted, [x * W for x in near], order(hinges), level=0)


def rounded(x):
    """A rational near a ball."""
    return Q(int((x * 10**6).floor().unique_fmpz()), 10**6)


@overparameterisation_threshold.check("even width", family=(GRID, RANDOM))
def _even_width(p, h, *, side=1):
    """Networks of even width W beat every function of R_W whose sign at 1/2 is the other one."""
    W, masses = rounded(critical(p, h)), ((1 - p) / 2, p, (1 - p) / 2)
    R = hull(points_of(h))
    for even, above in ((2 * int((W * NEAR[1] / 2).ceil()), 1), (2 * int((W * NEAR[0] / 2).floor()), -1)):
        if even >= 2:
            b = above * min(fmpq(1), abs(even - W) * h / 4)
            F = tent(even, side * b)
            margins = [y * v for y, v in zip(LABELS, F.values([(x,) for x in points_of(h)]))]
            other = {"wrong": (1,)} if above > 0 else {"right": (1,)}
            yield "a network of even width", le([F.width, F.largest_parameter], [even, 1])
            yield (
                "it beats the other sign",
                lt(
                    lambda m=margins: sum((q * loss(v) for q, v in zip(masses, m)), arb(0)),
                    optimum(logistic_problem(R, LABELS, masses, even, **other), certify),
                ),
            )


def tent(W, b):
    """b - (W/2)|x - 1/2| by W neurons."""
    one = fmpq(1)
    half = (((one,), -Q(1, 2)),) * (W // 2) + (((-one,), Q(1, 2)),) * (W // 2)
    return ShallowNetwork(half, (-one,) * W, fmpq(b))


@overparameterisation_threshold.check("error bound", family=(GRID, RANDOM))
def _error_bound(p, h, *, sharper=1, width=2):
    """Width 2 expresses D with confidence h/2; the error stays below l(kc)/ln 2 at all widths, though it jumps at W*."""
    c = h / 2
    yield "confidence at width 2", eq(best_margin(hull(points_of(h)), LABELS, width), c)
    F = tent(2, c)
    yield "a network of width 2", le([F.width, F.largest_parameter], [2, 1])
    margins = [y * v for y, v in zip(LABELS, F.values([(x,) for x in points_of(h)]))]
    yield "its confidence", eq(margins, [sharper * c] * 3)
    W = rounded(critical(p, h))
    below = int(W.floor())
    for w in (3, below // 2, below):
        if w >= 3:
            yield "error at most l(kc)/ln 2", le(sharper * p, lambda w=w: loss(copies(w, 2) * c) / arb(2).log())


@overparameterisation_threshold.proof(
    "stationarity at F(1/2) = 0",
    covers="all p in (0, 1/2), all M = hW/2 > 0 (E = e^M)",
    rests_on=("l'(z) = -1/(1 + e^z) and l''(z) = e^z/(1 + e^z)^2 (sympy differentiates)",),
)
def _stationarity(*, minor=3):
    """Slope at b = 0 of (1-p) l(M - b) + p l(b): its sign is that of (2 - 3p) - pE, and the function is convex in b."""
    import sympy

    p, E, B = symbols("p", above=0, below=Q(1, 2)), symbols("E", above=1), symbols("B", positive=True)
    z = sympy.Symbol("z")
    slope = sympy.diff(sympy.log(1 + sympy.exp(-z)), z).subs(sympy.exp(-z), 1 / B)  # B = e^z
    yield eq(2 * (1 + E) * (p * slope.subs(B, 1) - (1 - p) * slope.subs(B, E)), 2 - minor * p - p * E)
    yield lt(0, sympy.diff(slope, B) * B)


@overparameterisation_threshold.proof("outer points", covers="all p in (0, 1/2), all M = hW/2 > 0 (E = e^M)")
def _outer_points(*, largest=HALF):
    """Slope at b = M of (1-p) l(M - b) + p l(b): (1-p)/2 - p/(1 + E), with E = 1 + x."""
    p, x = symbols("p", above=0, below=largest), symbols("x", positive=True)
    yield "outer points are right", lt(p / (2 + x), (1 - p) / 2)


@overparameterisation_threshold.check("minimiser", domain={"case": Choices((Q(1, 4), Q(1, 10)))}, every=True)
def _picture(case):
    """Where the preference for the wrong side changes sign."""
    p, h = case
    W = [rounded(critical(p, h)) * Q(i, 20) for i in (14, 17, 19, 20, 21, 23, 26)]
    found = [ball(preference(p, h, w, (), "cross-entropy")) for w in W]
    yield "increasing", lt(found[:-1], found[1:])
    yield curve(
        "What it costs to misclassify the middle point", W, found, axes=("W", "difference of least risks"), mark="dots"
    )
    yield curve(
        "What it costs to misclassify the middle point", [critical(p, h)], [0], series="W* of the formula", mark="rings"
    )


overparameterisation_threshold.mutant("W*/2", scale=Q(1, 2), breaks="threshold")
overparameterisation_threshold.mutant("W* 5 % larger", scale=Q(21, 20), breaks="threshold")
overparameterisation_threshold.mutant("(2/h) ln((1-p)/p)", share=1, minor=1, breaks="threshold")
overparameterisation_threshold.mutant("(2/h) ln((2-3.1p)/p)", minor=Q(31, 10), breaks="stationarity at F(1/2) = 0")
overparameterisation_threshold.mutant(
    "a middle point of up to 11/20", largest=Q(11, 20), breaks="outer points are right"
)
overparameterisation_threshold.mutant("confidence 5 % more than h/2", sharper=Q(21, 20), breaks="its confidence")
overparameterisation_threshold.mutant("the other sign at even widths", side=-1, breaks="it beats the other sign")
overparameterisation_threshold.mutant("hinge loss", kind="hinge", breaks="threshold")
overparameterisation_threshold.mutant("confidence h/2 at width 3", width=3, breaks="confidence at width 2")
