"""The descent lemma of (L0, L1)-smooth functions with its sharp constants."""

from __future__ import annotations

from flint import arb, fmpq_poly

from solvers.enclosures import precision
from theorems import Choices, Q, Rationals, eq, le, symbols
from theorems.papers.generalized_smooth_fl.federation import double_well, evaluate, infimum, least_L0, quartic
from theorems.papers.generalized_smooth_fl.paper import PAPER

BITS = 200
TIGHT = Q(1, 10**30)  # equality is attained


class Polynomial:
    """A polynomial bounded below, with its least L0."""

    def __init__(self, p, L1):
        self.p, self.d = p, p.derivative()
        self.L0, self.low = least_L0(p, L1), infimum(p)

    def value(self, x):
        """h(x)."""
        return evaluate(self.p, x)

    def slope(self, x):
        """h'(x)."""
        return evaluate(self.d, x)


class Cosh:
    """cosh(L1 x): L0 = L1^2, because cosh - |sinh| <= 1."""

    def __init__(self, L1):
        self.L1, self.L0, self.low = L1, arb(L1 * L1), arb(1)

    def value(self, x):
        """h(x)."""
        return (self.L1 * x).cosh()

    def slope(self, x):
        """h'(x)."""
        return self.L1 * (self.L1 * x).sinh()


class Exponential:
    """exp(L1 x)/L1^2: h'' = L1 h', L0 = 0."""

    def __init__(self, L1):
        self.L1, self.L0, self.low = L1, arb(0), arb(0)

    def value(self, x):
        """h(x)."""
        return (self.L1 * x).exp() / self.L1**2

    def slope(self, x):
        """h'(x)."""
        return (self.L1 * x).exp() / self.L1


def function(kind, w, L1):
    """A function of the named kind, with weight w."""
    if kind == "exponential":
        return Exponential(L1)
    if kind == "cosh":
        return Cosh(L1)
    if kind == "quartic":
        return Polynomial(quartic(w, Q(0), Q(0)), L1)
    if kind == "double well":
        return Polynomial(double_well(w, Q(0), Q(1)), L1)
    return Polynomial(fmpq_poly([0, 0, w, 0, -1 / (2 * w), 0, w]), L1)


@PAPER.bound(
    source="the descent lemma of (L0, L1)-smoothness",
    fidelity="derived",
    evidence="certified",
    domain={
        "kind": Choices("exponential", "cosh", "quartic", "double well", "degree six"),
        "L1": Choices(Q(1), Q(3, 2), Q(1, 10), Q(10)),
        "w": Rationals(Q(1, 2), 3, denominator=20),
        "x": Rationals(-4, 4, denominator=40),
        "r": Rationals(Q(1, 20), 4, denominator=40),  # |y - x| in units of 1/L1
        "forward": Choices(True, False),
    },
    quick=300,
    full=3000,
    part="pairs",
    method="balls; L0 of polynomials from the real roots of three derivatives",
    hypotheses="(a) any h; (b) h bounded below, L0 > 0",
)
def sharp_descent_lemma(kind, L1, w, x, r, forward, *, shape="phi", weight="A", two=2):
    r"""Let $h$ be $(L_0, L_1)$-smooth, $A = L_0 + L_1|\nabla h(x)|$, $r = |y - x|$, $\phi(s) = e^s - 1 - s$. (a)
    $|h(y) - h(x) - \langle\nabla h(x), y - x\rangle| \le A\,\phi(L_1r)/L_1^2$ and $|\nabla h(y) - \nabla h(x)| \le A(e^{L_1r} - 1)/L_1$. (b) With
    $g = |\nabla h(x)|$, $h(x) - \inf h \ge (L_1g - L_0\ln(1 + L_1g/L_0))/L_1^2 \ge g^2/(2A)$. Both are sharp.
    """
    with precision(BITS):
        h = function(kind, w, L1)
        x = arb(x if kind in ("quartic", "double well", "degree six") else x / L1)
        step = arb(r / L1) if forward else -arb(r / L1)
        g = h.slope(x)
        A = h.L0 + L1 * abs(g)
        s = arb(r)
        curve = s.exp() - 1 - s if shape == "phi" else s * s / 2
        gap = abs(h.value(x + step) - h.value(x) - g * step)
        change = abs(h.slope(x + step) - g)
        bounds = A * curve / L1**2, A * (s.exp() - 1) / L1
    yield "values", le(gap, bounds[0], within=TIGHT * 10**12)
    yield "gradients", le(change, bounds[1], within=TIGHT * 10**12)
    with precision(BITS):
        room = h.value(x) - h.low
        size = A if weight == "A" else h.L0
        simple = g * g / (two * size) if size > 0 else None
        sharp = (L1 * abs(g) - h.L0 * (1 + L1 * abs(g) / h.L0).log()) / L1**2 if h.L0 > 0 else abs(g) / L1
    yield "distance to the infimum, sharp", le(sharp, room, within=TIGHT)
    if simple is not None:
        yield "distance to the infimum", le(simple, room, within=TIGHT)


@sharp_descent_lemma.proof(
    "extremal functions",
    rests_on=(
        "Gronwall's inequality for |grad h| along the segment; integration of the second line of (b) along the gradient flow, where d|grad h|/dt >= "
        "-(L0 + L1 |grad h|)|grad h|",
    ),
)
def _extremal(*, factor=1):
    from sympy import exp, log

    L0, L1, r, g = symbols("L0 L1 r g", positive=True)
    A = L0 + L1 * g
    H = A * (exp(L1 * r) - 1 - L1 * r) / L1**2 * factor + g * r
    yield "h'' = L0 + L1 h'", eq(H.diff(r, 2), L0 + L1 * H.diff(r))
    yield "gradient", eq(H.diff(r) - g, A * (exp(L1 * r) - 1) / L1 * factor)
    yield "start", eq([H.subs(r, 0), H.diff(r).subs(r, 0)], [0, g])
    G = (L1 * g - L0 * log(1 + L1 * g / L0)) / L1**2
    yield "gap function", eq(G.diff(g), g / A)
    yield "simple gap", eq(G.diff(g) - (g**2 / (2 * A)).diff(g), L1 * g**2 / (2 * A**2))
    yield "simple gap is smaller", le(0, L1 * g**2 / (2 * A**2))


sharp_descent_lemma.mutant("s^2/2 in place of phi(s)", shape="square", breaks="values")
sharp_descent_lemma.mutant("L0 in place of A in (b)", weight="L0", breaks="distance to the infimum")
sharp_descent_lemma.mutant(
    "constant 1 in place of 2 in g^2 <= 2 A (h - inf h)", two=1, breaks="distance to the infimum"
)
sharp_descent_lemma.mutant("A 5 % smaller in the extremal function", factor=Q(19, 20), breaks="h'' = L0 + L1 h'")
