"""The Bregman divergence of the moving potential is a Lyapunov function: regret and convergence of the penalised loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import flow, precision
from solvers.enclosures import functions as F
from solvers.hypentropy import bregman
from solvers.masked_flow import balances, masked_flow, products, velocity, weights
from theorems import ByBudget, Choices, Given, Q, eq, le, shared, symbolic, symbols
from theorems.kernel.positivity import Minimum
from theorems.papers.mask_mirror.instances import (
    ATTEMPTS,
    BITS,
    HALF,
    ONE,
    TENTH,
    TWO,
    ZERO,
    enclosed,
    matrices,
    points,
    scales,
)
from theorems.papers.mask_mirror.paper import PAPER

NEAR = Q(1, 10**10)


@PAPER.bound(
    source="theorems on convergence and optimality under the time-dependent Bregman potential; identity and constants derived",
    fidelity="derived",
    evidence="proved",
    method="one coordinate in symbols; D >= 0 by its minimum; enclosed flows of penalised logistic losses as cross-checks",
    hypotheses="f differentiable (convex for the inequalities), alpha_t >= 0 integrable, a_0 > 0",
    rests_on=(
        "mirror-flow-identity: theta = arcsinh(x/a) has theta' = -2 g, and a' = -4 alpha a; D_t(z), F_t and <g, z - x> are sums over coordinates",
    ),
)
def time_dependent_lyapunov():
    r"""Along the flow of mirror-flow-identity let $F_t(x) = f(x) + 2\alpha_t \sum_i \sqrt{x_i^2 + a_{t,i}^2}$ and
    $D_t(z) = R_{a_t}(z) - R_{a_t}(x_t) - \langle \nabla R_{a_t}(x_t), z - x_t \rangle \ge 0$. For every differentiable $f$, schedule and
    fixed $z$, $$\frac{d}{dt} D_t(z) = F_t(z) - F_t(x_t) - B_f(z, x_t), \qquad B_f(z, x) = f(z) - f(x) - \langle \nabla f(x), z - x \rangle.$$
    Hence for convex $f$: $\int_0^T (F_t(x_t) - F_t(z))\,dt \le D_0(z)$ for every $z$ and $T$; and if $\alpha_t = 0$ for $t \ge T_0$, then
    $f(x_t) - f(z) \le D_{T_0}(z)/(t - T_0)$ for $t > T_0$.
    """


@time_dependent_lyapunov.proof(
    "identity",
    covers="one coordinate, all x, z, g, all alpha >= 0, all a > 0",
    rests_on=("F_t(z) - F_t(x) - B_f(z, x) = 2 alpha sum (sqrt(z^2 + a^2) - sqrt(x^2 + a^2)) + <g, z - x>",),
)
def _identity(*, weight=TWO, moving=True):
    import sympy

    a, alpha = symbols("a", positive=True), symbols("alpha", nonnegative=True)
    theta, z, g = symbols("theta z g")
    x = a * sympy.sinh(theta)

    def R(y):
        return (y * sympy.asinh(y / a) - sympy.sqrt(y**2 + a**2)) / 2

    D = R(z) - R(x) - theta / 2 * (z - x)
    change = D.diff(a) * (-4 * alpha * a) * int(moving) + D.diff(theta) * (-2 * g)
    penalty = symbolic(weight) * alpha * (sympy.sqrt(z**2 + a**2) - sympy.sqrt(x**2 + a**2))
    yield "derivative of D", eq(change, penalty + g * (z - x))
    zeta = symbols("zeta")
    half = a / 2 * ((zeta - theta) * sympy.sinh(zeta) - sympy.cosh(zeta) + sympy.cosh(theta))
    yield "D in angles", eq(D.subs(z, a * sympy.sinh(zeta)), half)


@time_dependent_lyapunov.proof(
    "inequalities",
    covers="one coordinate",
    rests_on=(
        "every z is a sinh(zeta); B_f >= 0 for convex f; integration from 0 to T with D_T >= 0",
        "while alpha = 0, df(x_t)/dt = <g, x'> <= 0, so that f(x_t) is at most its mean over [T_0, t]",
    ),
)
def _inequalities():
    import sympy

    zeta, theta = symbols("zeta theta")
    divergence = (zeta - theta) * sympy.sinh(zeta) - sympy.cosh(zeta) + sympy.cosh(theta)
    yield "D is not negative", le(0, divergence, by=Minimum(zeta, theta))
    p, q = symbols("p q", positive=True)  # m - w and m + w
    m, w, g = (q + p) / 2, (q - p) / 2, symbols("g")
    descent = g * (-(w**2) * g - m**2 * g)
    yield "f falls without penalty", le(descent, 0)


Loss = tuple[Callable[[list[Any]], Any], Callable[[list[Any]], list[Any]]]


def logistic(Z: fmpq_mat, signs: tuple[int, ...]) -> Loss:
    """f = sum_j log(1 + exp(-s_j (Z x)_j)) + |x|^2/10 and its gradient, of balls or power series."""
    rows = [[s * c for c in row] for s, row in zip(signs, Z.tolist())]
    n = len(rows[0])

    def margins(x: list[Any]) -> list[Any]:
        return [sum((x[i] * row[i] for i in range(1, n)), x[0] * row[0]) for row in rows]

    def value(x: list[Any]) -> Any:
        total = x[0] * x[0] * TENTH
        for v in x[1:]:
            total = total + v * v * TENTH
        for u in margins(x):
            total = total + F.log(1 + F.exp(-u))
        return total

    def slope(x: list[Any]) -> list[Any]:
        pulls = [-1 / (1 + F.exp(u)) for u in margins(x)]
        return [sum((pull * row[i] for pull, row in zip(pulls, rows)), x[i] * (2 * TENTH)) for i in range(n)]

    return value, slope


def penalty(x: list[Any], a: list[Any]) -> Any:
    """sum_i sqrt(x_i^2 + a_i^2)."""
    roots = [F.sqrt(u * u + b * b) for u, b in zip(x, a)]
    return sum(roots[1:], roots[0])


@shared
def lyapunov_run(
    Z: fmpq_mat, signs: tuple[int, ...], a0: tuple[fmpq, ...], x0: tuple[fmpq, ...], z: tuple[fmpq, ...], T: fmpq
) -> tuple[arb, ...]:
    """The state at T, then the integrals of f(z) - f(x), of B_f(z, x) and of alpha times the difference of penalties at z and x."""
    n = len(x0)
    f, slope = logistic(Z, signs)

    def field(state: list[Any]) -> list[Any]:
        x, a = products(state, n), balances(state, n)
        sine, cosine = state[2 * n], state[2 * n + 1]
        g, alpha = slope(x), (sine + 1) * TENTH
        gap = f([arb(v) for v in z]) - f(x)
        linear = sum((b * (v - u) for b, u, v in zip(g[1:], x[1:], z[1:])), g[0] * (z[0] - x[0]))
        roots = (penalty([arb(v) for v in z], a) - penalty(x, a)) * alpha
        return [*velocity(state, g, alpha), cosine, -sine, gap, gap - linear, roots]

    return enclosed(lambda order: flow(field, [*weights(x0, a0), 0, 1, 0, 0, 0], T, order=order))


@time_dependent_lyapunov.crosscheck(
    "enclosed flow",
    domain={
        "n": ByBudget(quick=Choices(2), full=Choices(5)),
        "Z": Given(lambda n: matrices(2, n, ONE)),
        "signs": Choices((1, -1), (1, 1), (-1, -1)),
        "a0": Given(scales),
        "x0": Given(lambda n: points(n, HALF)),
        "z": Given(lambda n: points(n, TWO)),
        "T": ByBudget(quick=Choices(Q(2)), full=Choices(Q(4))),
    },
    quick=1,
    full=4,
)
def _enclosed(n, Z, signs, a0, x0, z, T, *, weight=TWO, moving=True, bregman_loss=True):
    end = lyapunov_run(Z, signs, a0, x0, z, T)
    with precision(BITS):
        before = bregman(z, x0, a0)
        after = bregman(z, products(end, n), balances(end, n) if moving else a0)
        gap, loss, roots = end[-3:]
        change = gap + weight * roots - (loss if bregman_loss else 0)
        yield "change of D", le(abs(after - before - change), NEAR)
        yield "regret", le(-gap - weight * roots, before)


@time_dependent_lyapunov.crosscheck(
    "after the penalty",
    domain={
        "Z": matrices(2, 2, ONE),
        "signs": Choices((1, -1), (1, 1), (-1, -1)),
        "a0": scales(2),
        "x0": points(2, HALF),
        "T": ByBudget(quick=Choices(Q(3)), full=Choices(Q(20))),
    },
    quick=1,
    full=4,
)
def _after(Z, signs, a0, x0, T):
    f, slope = logistic(Z, signs)
    with precision(BITS):
        moments = masked_flow(slope, weights(x0, a0), ((2 * TENTH, ONE), (ZERO, T)), order=ATTEMPTS[0][1])
        start = next(s for s in moments if s.t == 1)
        later = [s for s in moments if s.t > 1]
        near = products(moments[-1].state, 2)  # f is nearly smallest there
        D = bregman(near, products(start.state, 2), balances(start.state, 2))
        excess = [f(products(s.state, 2)) - f(near) for s in later[:-1]]
        yield "excess loss", le(excess, [D / (s.t - 1) for s in later[:-1]])


time_dependent_lyapunov.mutant("alpha in place of 2 alpha", weight=ONE, breaks="derivative of D")
time_dependent_lyapunov.mutant("1.9 alpha in place of 2 alpha", weight=Q(19, 10), breaks="derivative of D")
time_dependent_lyapunov.mutant("a_0 in D_t", moving=False, breaks="derivative of D")
time_dependent_lyapunov.mutant("alpha in place of 2 alpha, enclosed", weight=ONE, breaks="change of D")
time_dependent_lyapunov.mutant("1.99 alpha in place of 2 alpha, enclosed", weight=Q(199, 100), breaks="change of D")
time_dependent_lyapunov.mutant("a_0 in D_t, enclosed", moving=False, breaks="change of D")
time_dependent_lyapunov.mutant("B_f dropped", bregman_loss=False, breaks="change of D")
