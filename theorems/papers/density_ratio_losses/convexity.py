"""Which losses of the recipe are convex in the prediction."""

from __future__ import annotations

from flint import arb, fmpq, fmpq_poly

from solvers.enclosures import functions as F
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE
from theorems.papers.density_ratio_losses.paper import PAPER


def divided_difference(xs, ys):
    """The second divided difference of ys at three points."""
    (a, b, c), (p, q, r) = xs, ys
    return ((r - q) / (c - b) - (q - p) / (b - a)) / (c - a)


def antiderivative(s: fmpq, r: fmpq, x: arb) -> arb:
    """An antiderivative of c^s / (1+c)^r on (0, infinity), r >= 0: incomplete beta functions from 0 or from infinity."""
    if s > -1:
        return F.power(x, s + 1) / (s + 1) * F.hyp2f1(r, s + 1, s + 2, -x)
    if s == -1 and r == 0:
        return F.log(x)
    return -F.power(x, s + 1 - r) / (r - s - 1) * F.hyp2f1(r, r - s - 1, r - s, -1 / x)


def criteria(s: fmpq, r: fmpq, x: fmpq) -> tuple[fmpq, fmpq]:
    """c w'(c) / w(c) = s - r c/(1+c) at x for w = c^s / (1+c)^r, negated, and 1 plus it: both >= 0 for a convex loss."""
    elasticity = s - r * x / (1 + x)
    return -elasticity, 1 + elasticity


def one_sign(a: fmpq, b: fmpq) -> bool:
    """Whether two numbers have the same sign (0 counts as a sign of its own)."""
    return (a > 0) == (b > 0) and (a < 0) == (b < 0)


CANONICAL = PAPER.family(
    "canonical-losses",
    least=Rationals(0, 3, denominator=12, open="left"),
    degree=Integers(0, 4),
    higher=Given(lambda degree: Arrays(Rationals(0, 2, denominator=6), (degree,)) if degree else Choices(())),
    start=Rationals(0, 20, denominator=20),
    gaps=Arrays(Rationals(0, 20, denominator=1000, open="left"), (2,)),
    quick=300,
    full=4000,
)
QUARTERS = [Q(k, 4) for k in range(-6, 7)]
WEIGHTS = PAPER.family(
    "power-weights",
    s=Choices(Q(0), Q(-1), Q(-5, 4), Q(1, 4), *QUARTERS),
    r=Choices(Q(0), Q(0), Q(1, 4), Q(1, 4), *(Q(k, 4) for k in range(9))),
    start=Rationals(0, 40, denominator=20, open="left"),
    gaps=Arrays(Rationals(0, 10, denominator=1000, open="left"), (2,)),
    # at the ends of the interval each criterion has one sign, hence between them: it is a monotone function of x
    where=lambda s, r, start, gaps: all(
        one_sign(a, b) for a, b in zip(criteria(s, r, start), criteria(s, r, start + sum(gaps)))
    ),
    accept=0.5,
    quick=300,
    full=4000,
)


@PAPER.bound(
    source="recipe for convex losses (canonical link); the characterisation for general links is derived",
    fidelity="paper",
    evidence="proved",
    method="identities in undefined functions phi and g; divided differences of exact and of hypergeometric losses cross-check "
    "both directions, the boundary cases KLIEP and LSIF first",
    rests_on=(
        "phi'' > 0, g > 0 and g' > 0, so that h' = phi''(g) g' > 0; a twice differentiable function is convex iff its second derivative "
        "is >= 0",
    ),
)
def convex_loss_recipe():
    r"""(i) For every strictly convex $\phi \in C^2$ the canonical loss $\ell(1, y) = -y$, $\ell(-1, y) = \phi^*(y)$, with
    $g = (\phi')^{-1}$, is convex in $y$. (ii) For a general link $g$ write $h = \phi' \circ g$. Both partial losses are
    convex iff $h'' \le 0$ and $g h'' + g' h' \ge 0$, that is iff $h''/h' \in [-g'/g, 0]$. (iii) With the identity link
    $g(y) = y$ the loss is convex iff $\phi''$ is non-increasing and $c\,\phi''(c)$ non-decreasing, so that a convex loss with the
    identity link never weights large ratios more than small ones; KLIEP ($1/c$) and LSIF ($1$) are the two extremes.
    """


@convex_loss_recipe.proof("canonical link", covers="every phi, with G > 0 and y = phi'(G)")
def _canonical_link(*, conjugate=True):
    phi, G = functions("phi"), symbols("G", positive=True)
    slope, weight = phi(G).diff(G), phi(G).diff(G, 2)
    minus = G * slope - phi(G)  # phi*(y) at y = phi'(G); d/dy = (1 / phi''(G)) d/dG
    first = minus.diff(G) / weight
    yield "canonical: slope is the link", eq(first, G)
    yield "canonical: curvature 1/phi''", eq(first.diff(G) / weight, 1 / weight)
    for loss in CATALOGUE.values():
        if loss.name in ("LSIF", "PW-1", "PW-2", "PW-3", "EW"):  # rows whose link is canonical
            y = symbols("y", **loss.range)
            minus = loss.minus(y) if conjugate else loss.generator(y)
            yield f"canonical: {loss.name}", eq(minus.diff(y), loss.link(y))


@convex_loss_recipe.proof("general link", covers="every phi and g")
def _general_link(*, second_factor=1):
    phi, g = functions("phi g")
    y, c = symbols("y"), symbols("c", positive=True)
    link = g(y)
    h = phi(c).diff(c).subs(c, link)
    plus, minus = -h, link * h - phi(link)
    yield (
        "general: second derivatives",
        eq(
            (plus.diff(y, 2), minus.diff(y, 2)),
            (-h.diff(y, 2), link * h.diff(y, 2) + second_factor * link.diff(y) * h.diff(y)),
        ),
    )
    yield (
        "general: interval",
        eq(
            link * h.diff(y, 2) + link.diff(y) * h.diff(y),
            link * h.diff(y) * (h.diff(y, 2) / h.diff(y) + link.diff(y) / link),
        ),
    )


@convex_loss_recipe.proof("identity link", covers="every phi; weights c^s / (1+c)^r")
def _identity_link(*, steepness=1):
    phi, c = functions("phi"), symbols("c", positive=True)
    slope, weight = phi(c).diff(c), phi(c).diff(c, 2)
    plus, minus = -slope, c * slope - phi(c)
    yield (
        "identity: second derivatives",
        eq((plus.diff(c, 2), minus.diff(c, 2)), (-weight.diff(c), (c * weight).diff(c))),
    )
    s, r = symbols("s r")
    w = c**s / (1 + c) ** r
    yield "identity: elasticity", eq(c * w.diff(c) / w, s - r * c / (1 + c))
    klieps, lsifs = c**-steepness, c**0
    yield "identity: LSIF is extreme", eq(lsifs.diff(c), 0)
    yield "identity: KLIEP is extreme", eq((c * klieps).diff(c), 0)
    yield "identity: both are convex", le((klieps.diff(c), 0), (0, (c * lsifs).diff(c)))


@convex_loss_recipe.crosscheck("canonical polynomials", family=CANONICAL)
def _canonical_polynomials(least, higher, start, gaps, *, conjugate=True):
    slope = fmpq_poly([least, *higher]).integral()
    phi = slope.integral()
    G = (start, start + gaps[0], start + gaps[0] + gaps[1])
    ys = [slope(t) for t in G]
    minus = [t * slope(t) - phi(t) if conjugate else -phi(t) for t in G]
    yield "canonical instances", lt(0, divided_difference(ys, minus))


@convex_loss_recipe.crosscheck("power weights", family=WEIGHTS)
def _power_weights(s, r, start, gaps, *, increasing=False, first_only=False):
    points = (start, start + gaps[0], start + gaps[0] + gaps[1])
    first, second = criteria(s, r, start)
    if increasing:  # a mutant's criterion: the weight may increase
        first = -first
    if first_only:
        second = first

    def curvature(partial, sign):
        def value():
            xs = [arb(x) for x in points]
            ys = [-antiderivative(s, r, x) if partial == 1 else antiderivative(s + 1, r, x) for x in xs]
            return sign * divided_difference(xs, ys)

        return value

    for partial, criterion in ((1, first), (-1, second)):
        if criterion == 0:
            yield f"flat: l({partial}, .)", eq(curvature(partial, 1), 0)
        else:
            kind = "convex" if criterion > 0 else "concave"
            yield f"{kind}: l({partial}, .)", lt(0, curvature(partial, 1 if criterion > 0 else -1))


convex_loss_recipe.mutant(
    "an increasing weight with the identity link is convex", increasing=True, breaks="convex: l(1, .)", anywhere=True
)
convex_loss_recipe.mutant(
    "the first criterion alone: phi'' = c^(-3/2)",
    first_only=True,
    domain={"s": Choices(Q(-3, 2)), "r": Choices(Q(0))},
    breaks="convex: l(-1, .)",
)
convex_loss_recipe.mutant("1/c^2 as the steepest weight", steepness=2, breaks="identity: KLIEP is extreme")
convex_loss_recipe.mutant("l(-1, .) = phi in place of phi*: EW", conjugate=False, breaks="canonical: EW")
convex_loss_recipe.mutant("l(-1, .) = phi in place of phi*: PW-1", conjugate=False, breaks="canonical: PW-1")
convex_loss_recipe.mutant("g' h' dropped", second_factor=0, breaks="general: second derivatives")
convex_loss_recipe.mutant("g' h' doubled", second_factor=2, breaks="general: second derivatives")
convex_loss_recipe.mutant("l(-1, .) = -phi on instances", conjugate=False, breaks="canonical instances")
