"""The excess risk of the recipe is a Bregman error, and no other loss has this property."""

from __future__ import annotations

import itertools

from flint import fmpq, fmpq_poly

from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE, bregman, normalised, third
from theorems.papers.density_ratio_losses.paper import PAPER

WITHIN = Q(1, 10**30)
EQUAL = (Q(1, 2), Q(1, 2))  # class priors


def risk(P, Q_, partial_losses, priors=EQUAL):
    """Class priors times the mean partial losses: values of l(1, f) and l(-1, f) on the points of X."""
    first, second = priors
    plus, minus = partial_losses
    return first * sum(p * a for p, a in zip(P, plus)) + second * sum(q * b for q, b in zip(Q_, minus))


def recipe(phi, slope, estimates, generator_sign=1):
    """The partial losses -phi'(g) and g phi'(g) - phi(g) at some estimates g."""
    return [-slope(g) for g in estimates], [g * slope(g) - generator_sign * phi(g) for g in estimates]


def measured(phi, slope, weights, ratios, estimates, swapped=False):
    """The mean Bregman divergence of estimates from ratios."""
    pairs = zip(weights, estimates, ratios) if swapped else zip(weights, ratios, estimates)
    return sum(w * bregman(phi, slope, a, b) for w, a, b in pairs)


EXACT = PAPER.family(
    "finite-spaces",
    m=Integers(2, 8),
    P=Given(lambda m: Arrays(Integers(0, 9), (m,))),
    Q_=Given(lambda m: Arrays(Integers(1, 9), (m,))),
    estimates=Given(lambda m: Arrays(Rationals(0, 60, denominator=20), (m,))),
    least=Rationals(0, 3, denominator=12, open="left"),
    degree=Integers(0, 4),
    higher=Given(lambda degree: Arrays(Rationals(0, 2, denominator=6), (degree,)) if degree else Choices(())),
    where=lambda P: sum(P) > 0,
    quick=300,
    full=5000,
)
TRANSCENDENTAL = PAPER.family(
    "catalogue-losses",
    loss=Choices(*CATALOGUE),
    m=Integers(2, 5),
    P=Given(lambda m: Arrays(Integers(1, 9), (m,))),
    Q_=Given(lambda m: Arrays(Integers(1, 9), (m,))),
    estimates=Given(lambda m: Arrays(Rationals(0, 60, denominator=20, open="left"), (m,))),
    quick=60,
    full=2000,
)


@PAPER.identity(
    source="sufficiency half of the characterisation",
    fidelity="paper",
    evidence="proved",
    method="an identity in an undefined function phi on a space of two points; exact rationals with polynomial phi'' on up to eight "
    "points, and the catalogue in balls, cross-check it",
    rests_on=(
        "both sides are sums over the points of X (integrals against Q), so two points show the identity for any number",
        "a strictly convex phi lies above its tangents, strictly off the point of contact: B_phi >= 0, with equality iff the "
        "estimate is the ratio, so that the risk at g(f) = beta is the infimum",
    ),
)
def excess_risk_is_bregman():
    r"""Let $P \ll Q$, $\beta = dP/dQ$, and $R(f) = \frac12 \mathbb{E}_P\,\ell(1, f) + \frac12 \mathbb{E}_Q\,\ell(-1, f)$. For every strictly
    convex $\phi \in C^2(0, \infty)$ and every link $g$ the loss $\ell(1, y) = -\phi'(g(y))$, $\ell(-1, y) = g(y)\phi'(g(y)) - \phi(g(y))$
    satisfies $$2\,\big(R(f) - \inf R\big) = B_\phi(\beta, g(f)) = \mathbb{E}_Q\big[\phi(\beta) - \phi(g(f)) - \phi'(g(f))(\beta - g(f))\big],$$
    and the infimum is attained exactly at $g(f) = \beta$. If $\phi'' \ge m$, then moreover
    $2(R(f) - \inf R) \ge \frac m2 \mathbb{E}_Q(\beta - g(f))^2$.
    """


@excess_risk_is_bregman.proof("excess risk", covers="every phi, all P, Q and predictions on two points")
def _excess_risk(*, factor=2, priors=EQUAL, mean="Q", generator_sign=1, swapped=False):
    import sympy

    phi, v = functions("phi"), symbols("v", positive=True)

    def slope(x):
        return phi(v).diff(v).subs(v, x)

    p, q, G = (symbols(f"{letter}:2", positive=True) for letter in "pqG")
    beta = [a / b for a, b in zip(p, q)]
    parts = [sympy.Rational(int(a.p), int(a.q)) for a in priors]
    excess = risk(p, q, recipe(phi, slope, G, generator_sign), parts)
    excess -= risk(p, q, recipe(phi, slope, beta, generator_sign), parts)
    yield "excess risk", eq(factor * excess, measured(phi, slope, q if mean == "Q" else p, beta, G, swapped))


@excess_risk_is_bregman.proof("quadratic lower bound", covers="every phi; all ratios and estimates")
def _quadratic(*, share=2):
    # phi - m c^2/2 is convex when phi'' >= m, and B is linear in phi; so it is the divergence of the square that is compared
    m, a, b = symbols("m beta G", positive=True)
    yield "quadratic lower bound", eq(bregman(lambda c: m * c**2 / 2, lambda c: m * c, a, b), m * (a - b) ** 2 / share)


@excess_risk_is_bregman.crosscheck("finite spaces", family=EXACT)
def _finite_spaces(P, Q_, estimates, least, higher, *, factor=2, priors=EQUAL, mean="Q", generator_sign=1, share=2):
    weight = fmpq_poly([least, *higher])
    slope = weight.integral()
    phi = slope.integral()
    P, Q_ = normalised(P), normalised(Q_)
    beta = [p / q for p, q in zip(P, Q_)]
    excess = risk(P, Q_, recipe(phi, slope, estimates, generator_sign), priors)
    excess -= risk(P, Q_, recipe(phi, slope, beta, generator_sign), priors)
    yield "exact instances", eq(factor * excess, measured(phi, slope, Q_ if mean == "Q" else P, beta, estimates))
    square = sum((q * (b - g) ** 2 for q, b, g in zip(Q_, beta, estimates)), fmpq(0))
    yield "exact lower bound", le(least * square / share, 2 * excess)


@excess_risk_is_bregman.crosscheck("catalogue", family=TRANSCENDENTAL)
def _catalogue(loss, P, Q_, estimates, *, factor=2, priors=EQUAL, mean="Q"):
    chosen = CATALOGUE[loss]
    P, Q_ = normalised(P), normalised(Q_)

    def sides():
        from flint import arb

        beta, G = [arb(p / q) for p, q in zip(P, Q_)], [arb(g) for g in estimates]
        at = [[chosen.inverse(c) for c in values] for values in (G, beta)]
        risks = [risk(P, Q_, ([chosen.plus(y) for y in ys], [chosen.minus(y) for y in ys]), priors) for ys in at]
        weights = Q_ if mean == "Q" else P
        error = measured(chosen.generator, chosen.slope, weights, beta, G)
        return third() * factor * (risks[0] - risks[1]), third() * error

    return eq(sides, within=WITHIN)


excess_risk_is_bregman.mutant("factor 2 dropped", factor=1, breaks="excess risk")
excess_risk_is_bregman.mutant("factor 2 dropped, on instances", factor=1, breaks="exact instances", anywhere=True)
excess_risk_is_bregman.mutant("class priors 3:1", priors=(Q(3, 4), Q(1, 4)), breaks="excess risk")
excess_risk_is_bregman.mutant("class priors 51:49, catalogue", priors=(Q(51, 100), Q(49, 100)), breaks="catalogue")
excess_risk_is_bregman.mutant("E_P in place of E_Q", mean="P", breaks="excess risk")
excess_risk_is_bregman.mutant("E_P in place of E_Q, on instances", mean="P", breaks="exact instances", anywhere=True)
excess_risk_is_bregman.mutant("sign of phi in l(-1, .) flipped", generator_sign=-1, breaks="excess risk")
excess_risk_is_bregman.mutant("arguments of B exchanged", swapped=True, breaks="excess risk")
excess_risk_is_bregman.mutant("lower bound with m in place of m/2", share=1, breaks="exact lower bound")


# Uniqueness: which perturbations of the recipe keep the excess risk a Bregman error.

RATIOS = (Q(0), Q(1, 2), Q(2))
PREDICTIONS = (Q(1, 3), Q(1, 2), Q(1), Q(2), Q(3))  # a polynomial of degree <= 4 with one value on all is constant
KINDS = ("tied", "constants", "l(-1, .) alone", "l(1, .) alone", "both")
COEFFICIENTS = Integers(-3, 3)
PERTURBATIONS = PAPER.family(
    "perturbations",
    kind=Choices(*KINDS),
    constants=Arrays(COEFFICIENTS, (2,)),
    first=Arrays(COEFFICIENTS, (4,)),
    second=Arrays(COEFFICIENTS, (4,)),
    least=Rationals(0, 3, denominator=12, open="left"),
    higher=Arrays(Rationals(0, 2, denominator=6), (2,)),
    where=lambda first, second: any(first) and any(second),
    accept=0.5,
    quick=200,
    full=4000,
)


def perturbed(kind, constants, first, second):
    """Polynomials (u, v) of degree <= 4 that are added to the recipe."""
    a, b = constants
    p, r = fmpq_poly([0, *first]), fmpq_poly([0, *second])
    zero = fmpq_poly([0])
    u, v = {
        "constants": (zero, zero),
        "l(1, .) alone": (p, zero),
        "l(-1, .) alone": (zero, r),
        "both": (p, r),
        "tied": (p, -p),
    }[kind]
    return u + a, v + b


@PAPER.identity(
    source="necessity half of the characterisation; the form is derived",
    fidelity="paper",
    evidence="proved",
    method="identities in undefined functions phi, u, v: one point of X changed, and two ratios solved for u and v; polynomial u, v on "
    "two-point spaces cross-check it in exact rationals",
    rests_on=(
        "for every two predictions y, z and every ratio b there are P, Q on two points with this ratio at one of them, and f, h "
        "that take the values y and z there and agree elsewhere; inf R does not depend on f",
    ),
)
def loss_uniqueness():
    r"""Fix $\phi$ and $g$. If a loss satisfies $2(R(f) - \inf R) = B_\phi(\beta, g(f))$ for all $(P, Q, f)$, then
    $\ell(1, y) = -\phi'(g(y)) + a$ and $\ell(-1, y) = g(y)\phi'(g(y)) - \phi(g(y)) + b$ with constants $a$, $b$, and every such loss
    satisfies it. With $\ell(1, \cdot) = -\phi'(g) + u$ and $\ell(-1, \cdot) = g\phi'(g) - \phi(g) + v$, the identity at two different
    ratios forces $u$ and $v$ to be constant.
    """


@loss_uniqueness.proof("undefined functions", covers="every phi, u, v (taken as functions of the estimate g(y))")
def _undefined(*, only_one=False):
    import sympy

    phi, u, v = functions("phi u v")
    x, y, z, w = symbols("x y z w", positive=True)
    q, rest = symbols("q rest", positive=True)
    b, other = symbols("b beta2", nonnegative=True)

    def slope(t):
        return phi(x).diff(x).subs(x, t)

    def excess_error(first, second):
        """2 R - B on two points with estimates (first, second), ratios (b, other) and Q-masses (q, rest)."""
        estimates, beta, mass = (first, second), (b, other), (q, rest)
        plus, minus = recipe(phi, slope, estimates)
        P = [m * t for m, t in zip(mass, beta)]
        plus = [a + u(g) for a, g in zip(plus, estimates)]
        minus = [a + v(g) for a, g in zip(minus, estimates)]
        half = sympy.Rational(1, 2)
        return 2 * risk(P, mass, (plus, minus), (half, half)) - measured(phi, slope, mass, beta, estimates)

    def discrepancy(ratio):
        return ratio * (u(y) - u(z)) + v(y) - v(z)

    yield "one point changed", eq(excess_error(y, w) - excess_error(z, w), q * discrepancy(b))
    near, far = (1, 1) if only_one else (b, b + q)  # any two different ratios
    D, E = discrepancy(near), discrepancy(far)
    yield "two ratios determine u", eq(u(y) - u(z), (E - D) / q)
    yield "two ratios determine v", eq(v(y) - v(z), (far * D - near * E) / q)


@loss_uniqueness.proof("constants are accepted", covers="every phi and all constants a, b; P, Q on two points")
def _constants(*, accepted=True):
    phi, x = functions("phi"), symbols("x", positive=True)

    def slope(t):
        return phi(x).diff(x).subs(x, t)

    import sympy

    p, q, G = (symbols(f"{letter}:2", positive=True) for letter in "pqG")
    a, b = symbols("a b")
    half = sympy.Rational(1, 2)
    beta = [s / t for s, t in zip(p, q)]
    shifted = []
    for estimates in (G, beta):
        plus, minus = recipe(phi, slope, estimates)
        shifted.append(2 * risk(p, q, ([s + a for s in plus], [s + b for s in minus]), (half, half)))
    least = shifted[1] if accepted else shifted[1] - a * sum(p) - b * sum(q)
    yield "constants are accepted", eq(shifted[0] - least, measured(phi, slope, q, beta, G))


@loss_uniqueness.crosscheck("two-point spaces", family=PERTURBATIONS)
def _two_points(kind, constants, first, second, least, higher, *, ratios=RATIOS, constant_if="both", zero_only=False):
    u, v = perturbed(kind, constants, first, second)
    slope = fmpq_poly([least, *higher]).integral()
    phi = slope.integral()

    def excess_error(b, estimate):
        """R - B/2 for P = (b/2, 1 - b/2), Q = (1/2, 1/2) and the estimates (estimate, 1)."""
        P, mass, estimates = (b / 2, 1 - b / 2), (Q(1, 2), Q(1, 2)), (estimate, Q(1))
        plus, minus = recipe(phi, slope, estimates)
        plus = [a + u(g) for a, g in zip(plus, estimates)]
        minus = [a + v(g) for a, g in zip(minus, estimates)]
        beta = [p / q for p, q in zip(P, mass)]
        return risk(P, mass, (plus, minus)) - measured(phi, slope, mass, beta, estimates) / 2

    spread = fmpq(0)
    for b in ratios:
        errors = [excess_error(b, h) for h in PREDICTIONS]
        spread += sum(((s - t) ** 2 for s, t in itertools.combinations(errors, 2)), fmpq(0))
    constant = {"both": kind == "constants", "l(1, .)": kind in ("constants", "l(-1, .) alone")}[constant_if]
    if zero_only:
        constant = constant and not any(constants)
    yield ("accepted", eq(spread, 0)) if constant else ("told apart", lt(0, spread))


loss_uniqueness.mutant("the ratio 1 alone is tested", only_one=True, breaks="two ratios determine u")
loss_uniqueness.mutant("the ratio 1 alone is tested: u = -v passes", ratios=(Q(1),), breaks="told apart")
loss_uniqueness.mutant("l(1, .) alone determines the loss", constant_if="l(1, .)", breaks="accepted")
loss_uniqueness.mutant("the constants must vanish", zero_only=True, breaks="told apart", anywhere=True)
loss_uniqueness.mutant("constants change the excess risk", accepted=False, breaks="constants are accepted")
