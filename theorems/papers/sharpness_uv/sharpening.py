"""Gradient flow: the conserved quantity and the trend of the trace; the rule of gradient descent."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import Choices, Given, Q, Rationals, eq, le, lt, symbols
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.flow import BITS, between, trajectory
from theorems.papers.sharpness_uv.model import step

CLOSE = Q(1, 10**7)  # the last state is read at this relative distance from y

STARTS = PAPER.family(
    "flow-starts",
    q=Rationals(Q(9, 20), Q(7, 5), denominator=40),  # sqrt(c): c in [0.2, 1.96]
    size=Rationals(Q(3, 10), 2, denominator=20),  # |y|
    negative=Choices(False, True),
    draw=Rationals(-3, 3, denominator=50),
    f0=Given(lambda size, draw: Choices(Q(0), -size, draw, size / 2, -size / 2, 2 * size, Q(-1, 10**6), draw)),
    excess=Choices(Q(0), Q(1, 2), Q(1, 10), Q(3)),
    floor=Choices(Q(1, 20), Q(0), Q(1, 10**6)),
    where=lambda f0, size, excess, floor: f0 != size and (floor + excess * abs(f0) > 0 or f0 > 0),
    accept=0.5,
    quick=12,
    full=150,
)


@PAPER.identity(
    source="abstract, item (i): progressive sharpening, here for the trace",
    fidelity="derived",
    evidence="certified",
    family=STARTS,
    part="flow",
    method="the conserved quantity, the trend and the rule for gradient descent by identities and sign certificates; the flow itself by "
    "validated Taylor steps in balls",
    hypotheses="lambda_0^2 > 4 c f_0^2, or f_0 y > 0: on the invariant hyperbola's degenerate branch (kappa = 0, f_0 y <= 0) the flow "
    "stops at the saddle f = lambda = 0",
    not_established="the limit t to infinity is read where |D| is 1e-7 |y - f_0|",
)
def sharpening_law(q, size, negative, f0, excess, floor, *, factor=4, rule="signed"):
    r"""Under gradient flow $\lambda^2 - 4cf^2 =: \kappa^2$ is conserved. If $\kappa > 0$ or $f_0 y > 0$, then $f \to y$ and
    $\lambda_\infty = \sqrt{\lambda_0^2 + 4c(y^2 - f_0^2)}$. The trace $\lambda(t)$ increases (progressive sharpening) iff $f_0 y \ge 0$ and
    $|f_0| < |y|$; it decreases iff $f_0 y > 0$ and $|f_0| > |y|$; if $f_0 y < 0$ it first decreases, to
    $\sqrt{\lambda_0^2 - 4cf_0^2}$ at $f = 0$, then increases. For gradient descent
    $\mathrm{sign}(\lambda_{t+1} - \lambda_t) = \mathrm{sign}(D(\eta D\lambda - 4f))$: a large $\eta$ or $|D|$ turns a falling trace into a
    rising one, never the reverse.
    """
    y, f0 = (-size, -fmpq(f0)) if negative else (size, fmpq(f0))
    c = q * q
    trace0 = 2 * q * abs(f0) * (1 + excess) + floor
    stops = between(f0, y, 8, fmpq(0), f0 + (y - f0) * (1 - CLOSE))
    states = trajectory(f0, trace0 * trace0, y, c, stops)
    with precision(BITS):
        limit = arb(trace0**2 + factor * c * (y * y - f0 * f0)).sqrt()
        kappa2 = trace0**2 - 4 * c * f0 * f0
        miss, reach = abs(states[-1][1] - limit), 2 * q * abs(states[-1][0] - y)
        conserved = [lam * lam - 4 * c * f * f - kappa2 for f, lam in states]
        pairs = list(zip(rises(f0, y, stops, rule), pairwise([lam for _, lam in states])))
        least = [arb(kappa2).sqrt() - states[1 + k][1] for k, f in enumerate(stops) if f == 0]
    # |d lambda/df| = 4 c |f| / lambda <= 2 sqrt(c) (equal where kappa = 0), and the flow has |D| < 1e-6 to go
    yield "limit", le(miss, reach, within=Q(1, 10**12))
    yield "conserved", eq(conserved, [0] * len(states), within=Q(1, 10**9))
    if least:
        yield "least value", eq(least, [0], within=Q(1, 10**9))
    yield "trend", lt([p[s < 0] for s, p in pairs], [p[s > 0] for s, p in pairs])


def rises(f0: fmpq, y: fmpq, stops: tuple[fmpq, ...], rule: str) -> list[int]:
    """The sign of the change of lambda between consecutive values of f, as the rule says."""
    if rule == "modulus" or f0 * y >= 0:
        return [1 if abs(f0) < abs(y) else -1] * len(stops)
    return [-1 if there * f0 >= 0 and here != 0 else 1 for here, there in pairwise((f0, *stops))]


@sharpening_law.proof(
    "conservation and trend",
    rests_on=(
        "f moves monotonically to y, because df/dt = -D lambda and lambda >= kappa > 0 (or lambda >= 2 sqrt(c) |f|)",
    ),
)
def _conservation(*, factor=4):
    f, lam, y = symbols("f lambda y")
    q = symbols("q", positive=True)
    D = f - y
    velocity = (-D * lam, -4 * q**2 * f * D)
    kappa2 = lam**2 - factor * q**2 * f**2
    yield "conserved quantity", eq(kappa2.diff(f) * velocity[0] + kappa2.diff(lam) * velocity[1], 0)
    # the segment from f0 to y is f0 + t (y - f0); a trend is the sign of d lambda/dt = 4 c f (y - f) on it
    a, b = symbols("a b", nonnegative=True)
    y = symbols("y", positive=True)
    t = symbols("t", lower=0, upper=1)

    def growth(f, y):
        return -4 * q**2 * f * (f - y)

    yield "rises from 0 <= f0 <= y", le(0, growth(a + t * b, a + b))
    yield "falls from f0 = y + b", le(growth(y + (1 - t) * b, y), 0)
    yield "falls while f = -a < 0", le(growth(-a, y), 0)


@sharpening_law.proof("gradient descent")
def _gradient_descent(*, four=4):
    D, f, lam = symbols("D f lambda")
    eta, q = symbols("eta q", positive=True)
    change = step(D, lam, eta, q**2, f - D).trace - lam
    yield "rule for gradient descent", eq(change, eta * q**2 * D * (eta * D * lam - four * f))
    E, F, L = symbols("E F L", nonnegative=True)  # f D <= 0: the flow rises, and so does gradient descent
    yield "a rise is never turned", le(0, step(-E, L, eta, q**2, F + E).trace - L)
    yield (
        "a fall is turned beyond eta D lambda = 4 f",
        eq(step(E, (4 * F + L) / (eta * E), eta, q**2, F - E).trace - (4 * F + L) / (eta * E), eta * q**2 * E * L),
    )


sharpening_law.mutant("2 c in place of 4 c in the limit", factor=2, breaks="limit", on="flow-starts")
sharpening_law.mutant("2 c in place of 4 c in the conserved quantity", factor=2, breaks="conserved quantity")
sharpening_law.mutant("trend read off |f0| against |y| only", rule="modulus", breaks="trend")
sharpening_law.mutant(
    "2 f in place of 4 f in the rule for gradient descent", four=2, breaks="rule for gradient descent"
)
