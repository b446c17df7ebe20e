"""Where the flow goes: linearly to an interpolator without penalty, to the LASSO solution under a constant one."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import column, diagonal, inverse, submatrix
from solvers.hypentropy import bregman
from solvers.linear_networks import cayley
from solvers.masked_flow import least_squares, masked_flow, products, weights
from solvers.penalised import Penalty, stationary_point
from theorems import ByBudget, Choices, Given, Q, Rationals, curve, eq, le, shared, symbolic, symbols
from theorems.papers.mask_mirror.instances import (
    ATTEMPTS,
    BITS,
    FOUR,
    HALF,
    LONGER,
    ONE,
    TWO,
    ZERO,
    Generic,
    enclosed,
    points,
)
from theorems.papers.mask_mirror.paper import PAPER


@PAPER.bound(
    source="convergence guarantee once the penalty is switched off (recalled); constant derived",
    fidelity="derived",
    evidence="proved",
    method="the derivative of the loss in symbols and Gronwall's inequality; enclosed flows as cross-checks, among them problems on which the "
    "bound is nearly attained",
    hypotheses="f = |Z x - y|^2/2, alpha = 0 from time T on, a_T > 0",
    rests_on=("mirror-flow-identity: the balances a stay constant while alpha = 0, and m^2 + w^2 = 2 sqrt(x^2 + a^2)",),
)
def linear_convergence():
    r"""Linear regression $f(x) = \frac12\|Zx - y\|^2$ with $\alpha_t = 0$ for $t \ge T$ and $a_T > 0$:
    $$f(x_t) \le f(x_T) \exp\big(-4 \min_i a_{T,i}\, \sigma_{\min}(Z)^2 (t - T)\big), \qquad t \ge T,$$ with $\sigma_{\min}(Z)^2$ the least
    eigenvalue of $ZZ^\top$ (for general $f \ge 0$ with $\|\nabla f\|^2 \ge 2\mu f$: $\mu$ in its place).
    """


@linear_convergence.proof(
    "derivative of the loss",
    covers="one coordinate; one singular direction",
    rests_on=(
        "df/dt is a sum over coordinates of g x'; |Z^T r|^2 = sum sigma_j^2 r_j^2 in singular directions of Z, and f = |r|^2/2",
        "Gronwall: f' <= -4 a sigma^2 f",
    ),
)
def _derivative(*, four=FOUR):
    import sympy

    p, q = symbols("p q", positive=True)  # m - w and m + w
    g = symbols("g")
    m, w = (q + p) / 2, (q - p) / 2
    x, a = m * w, p * q / 2
    velocity = -w * g * w - m * g * m
    yield "x' without penalty", eq(velocity, -2 * sympy.sqrt(x**2 + a**2) * g)
    b, y = symbols("b", positive=True), symbols("x")
    excess = symbols("d", nonnegative=True)  # a = b + d with b the least balance
    root = sympy.sqrt(y**2 + (b + excess) ** 2)
    r, s = symbols("r"), symbols("sigma", positive=True)
    yield "sqrt(x^2 + a^2) at least the least balance", le(b**2, root**2)
    # f' <= -2 b |Z^T r|^2, and -2 b (sigma + d)^2 r^2 <= -4 b sigma^2 r^2/2 in each singular direction
    yield "in one singular direction", le(symbolic(four) * b * s**2 * r**2 / 2, 2 * b * (s + excess) ** 2 * r**2)


LARGE_SCALES = Generic(Rationals(HALF, TWO, denominator=8), (5,))  # so that the time of the bound is short


def problem(turn: fmpq_mat, spin: fmpq_mat, values: tuple[fmpq, ...]) -> tuple[fmpq_mat, fmpq_mat]:
    """(Z, U) with Z = U diag(values) V^T of 2 x n, from Cayley rotations."""
    U, V = cayley(turn), cayley(spin)
    n = V.nrows()
    return U * diagonal(values) * submatrix(V, range(n), range(2)).transpose(), U


@shared
def losses(
    Z: fmpq_mat, y: tuple[fmpq, ...], a: tuple[fmpq, ...], x0: tuple[fmpq, ...], T: fmpq
) -> tuple[tuple[fmpq, arb], ...]:
    """(t, f(x_t)) at the ends of the steps up to T, without penalty."""
    rows, n = Z.tolist(), len(a)
    with precision(BITS):
        found = []
        for moment in masked_flow(least_squares(rows, y), weights(x0, a), ((ZERO, T),), order=ATTEMPTS[0][1]):
            x = products(moment.state, n)
            r = [sum((c * v for c, v in zip(row, x)), arb(0)) - u for row, u in zip(rows, y)]
            found.append((moment.t, sum((v * v for v in r), arb(0)) / 2))
        return tuple(found)


@linear_convergence.crosscheck(
    "enclosed flows",
    domain={
        "hard": Choices(True, False),
        "turn": Generic(Rationals(-1, 1, denominator=3), (2, 2)),
        "spin": Generic(Rationals(-1, 1, denominator=3), (5, 5)),
        "values": Choices((Q(3, 2), ONE), (TWO, ONE)),
        "a": Given(lambda hard: Choices((HALF,) * 5, (Q(1, 5),) * 5, (TWO,) * 5) if hard else LARGE_SCALES),
        "y": Generic(Rationals(HALF, TWO, denominator=8), (2,)),
        "x0": Given(lambda hard: Choices((ZERO,) * 5) if hard else points(5, HALF)),
    },
    quick=2,
    full=20,
)
def _flows(hard, turn, spin, values, a, y, x0, *, four=FOUR, least=True):
    Z, U = problem(turn, spin, values)
    if hard:  # x stays far below a, and the residual along the least singular direction
        y = tuple((U * column([ZERO, values[1] / 1000])).entries())
    sigma2, low = values[1 if least else 0] ** 2, min(a)
    with precision(BITS):
        run = losses(Z, y, a, x0, Q(3, 4) / (low * values[1] ** 2))
        bound = [run[0][1] * (-four * low * sigma2 * arb(t)).exp() for t, _ in run[1:]]
        yield "loss", le([f for _, f in run[1:]], bound)


linear_convergence.mutant("rate 4.4 for 4", four=Q(44, 10), breaks="in one singular direction")
linear_convergence.mutant("rate 4.4 for 4, enclosed", four=Q(44, 10), breaks="loss")
linear_convergence.mutant("rate 4.0001 for 4, enclosed", four=Q(40001, 10000), breaks="loss")
linear_convergence.mutant("the largest singular value", least=False, breaks="loss")


@PAPER.identity(
    source="abstract: explicit control of the implicit penalty, which tends to L1; limit under a constant penalty derived",
    fidelity="derived",
    evidence="proved",
    method="energy and penalty in symbols, with time-dependent-lyapunov; enclosed flows against exact LASSO solutions as cross-checks",
    hypotheses="constant alpha > 0, a_0 > 0, f convex and differentiable with a unique minimiser of F = f + 2 alpha |x|_1 (as for Gaussian Z)",
    rests_on=(
        "time-dependent-lyapunov: int_0^t (F_s(x_s) - F_s(x*)) ds <= D_0(x*), with F_s(x) = f(x) + 2 alpha sum sqrt(x^2 + a_s^2)",
        "F_t(x_t) = f + alpha (|m|^2 + |w|^2) falls along its own gradient flow, so that t (F_t(x_t) - F(x*)) is at most the integral over [0, t]",
        "F is convex with bounded level sets and one minimiser, so that F(x_t) -> min F implies x_t -> x*",
    ),
)
def constant_decay_lasso():
    r"""Let $\alpha > 0$ be constant, $f$ convex, $a_0 > 0$, and $F(x) = f(x) + 2\alpha\|x\|_1$ have the unique minimiser $x^*$. Then
    $x_t \to x^*$: the flow converges to the LASSO solution with parameter $2\alpha$. Quantitatively, for every $t > 0$
    $$F(x_t) - F(x^*) \le F_t(x_t) - F(x^*) \le \frac1t \Big(D_0(x^*) + \frac12 \sum_i a_{0,i}\,(1 - e^{-4\alpha t})\Big),$$ with
    $F_t(x) = f(x) + 2\alpha \sum_i \sqrt{x_i^2 + a_{t,i}^2}$ and $D_0$ the Bregman divergence of $R_{a_0}$ at $x_0$.
    """


@constant_decay_lasso.proof("energy", covers="one coordinate, all m, w, g, alpha")
def _energy(*, weight=TWO):
    m, w, g, alpha = symbols("m w g alpha")
    dm, dw = -w * g - 2 * alpha * m, -m * g - 2 * alpha * w
    change = g * (dm * w + m * dw) + symbolic(weight) * alpha * (m * dm + w * dw)
    yield (
        "derivative of f + alpha (m^2 + w^2)",
        eq(change, -((w * g + 2 * alpha * m) ** 2) - (m * g + 2 * alpha * w) ** 2),
    )


@constant_decay_lasso.proof("penalty against L1", covers="one coordinate, all x, a > 0, alpha > 0, t >= 0")
def _penalty(*, share=ONE):
    import sympy

    size, a, alpha = symbols("x", nonnegative=True), symbols("a", positive=True), symbols("alpha", positive=True)
    t, a0 = symbols("t", nonnegative=True), symbols("a_0", positive=True)
    yield "at least |x|", le(size**2, size**2 + a**2)
    yield "at most |x| + a", le(size**2 + a**2, (size + symbolic(share) * a) ** 2)
    paid = a0 / 2 * (1 - sympy.exp(-4 * alpha * t))
    yield "integral of 2 alpha a_t", eq(paid.diff(t), 2 * alpha * a0 * sympy.exp(-4 * alpha * t))
    yield "from 0", eq(paid.subs(t, 0), 0)


def lasso(Z: fmpq_mat, y: tuple[fmpq, ...], weight: fmpq) -> tuple[fmpq, ...]:
    """The exact minimiser of |Z x - y|^2/2 + weight |x|_1."""
    n = Z.ncols()
    return tuple(stationary_point(Z.transpose() * Z, Z.transpose() * column(y), Penalty((weight,) * n)).entries())


def comfortable(Z: fmpq_mat, y: tuple[fmpq, ...], alpha: fmpq) -> bool:
    """Whether the flow settles soon: |x_i| |Z e_i|^2 >= 3/4 on the support of the LASSO solution, |g_i| <= alpha off it."""
    columns = Z.transpose().tolist()
    if Z.rank() < Z.nrows() or any(all(v == 0 for v in c) for c in columns):
        return False
    x = lasso(Z, y, 2 * alpha)
    g = (Z.transpose() * (Z * column(x) - column(y))).entries()
    support = [i for i, v in enumerate(x) if v != 0]
    if not support or submatrix(Z, range(Z.nrows()), support).rank() < len(support):
        return False
    speeds = [abs(x[i]) * sum(v * v for v in columns[i]) for i in support]
    return min(speeds) >= Q(3, 4) and all(abs(s) <= alpha for i, s in enumerate(g) if i not in support)


@shared
def settled(
    Z: fmpq_mat, y: tuple[fmpq, ...], a: tuple[fmpq, ...], alpha: fmpq, T: fmpq
) -> tuple[tuple[fmpq, ...], tuple[arb, ...]]:
    """About eight times, and the states there one after the other, of the flow from x = 0."""
    times: list[fmpq] = []

    def run(order: int) -> list[arb]:
        moments = masked_flow(least_squares(Z.tolist(), y), weights((ZERO,) * len(a), a), ((alpha, T),), order=order)
        chosen = moments[:: -max(1, len(moments) // 8)][::-1]
        times[:] = [m.t for m in chosen]
        return [v for m in chosen for v in m.state]

    states = enclosed(run, LONGER, narrow=Q(1, 10**7))
    return tuple(times), states


@constant_decay_lasso.crosscheck(
    "enclosed flow",
    domain={
        "size": ByBudget(quick=Choices((1, 2)), full=Choices((1, 2), (2, 3))),
        "Z": Given(lambda size: Generic(Rationals(-1, 1, denominator=4), size)),
        "y": Given(lambda size: Generic(Rationals(Q(3, 2), Q(15, 8), denominator=8), (size[0],))),
        "alpha": Choices(HALF, Q(9, 20)),
        "a": Given(lambda size: Choices((Q(3, 10),) * size[1])),
    },
    where=comfortable,
    accept=0.005,
    quick=1,
    full=6,
)
def _limit(size, Z, y, alpha, a, *, weight=TWO, ridge=False):
    n = size[1]
    times, flat = settled(Z, y, a, alpha, 36 / (5 * alpha))
    goal = lasso(Z, y, weight * alpha)
    if ridge:
        goal = tuple((inverse(Z.transpose() * Z + diagonal([2 * alpha] * n)) * Z.transpose() * column(y)).entries())
    with precision(LONGER[0][0]):
        states = [flat[2 * n * k : 2 * n * (k + 1)] for k in range(len(times))]
        last = products(states[-1], n)
        yield "limit", le([abs(u - v) for u, v in zip(last, goal)], Q(1, 10**6))
        start = bregman(goal, (ZERO,) * n, a)
        least = objective(Z, y, goal) + 2 * alpha * sum((abs(v) for v in goal), ZERO)
        reached = [objective(Z, y, products(s, n)) + alpha * sum((v * v for v in s), arb(0)) for s in states]
        bounds = [(start + sum(a) / 2 * (1 - (-4 * alpha * arb(t)).exp())) / t for t in times if t > 0]
        yield "rate", le([f - least for f, t in zip(reached, times) if t > 0], bounds)
        gaps = [(t, distance(products(s, n), goal)) for s, t in zip(states, times) if t > 0]
        yield curve(
            "Constant penalty: distance to the LASSO solution",
            [t for t, _ in gaps],
            [d.log() / arb(10).log() for _, d in gaps],
            axes=("t", "log10 |x_t - x*|"),
        )


def objective(Z: fmpq_mat, y: Any, x: Any) -> Any:
    """|Z x - y|^2/2."""
    rows = [sum((c * v for c, v in zip(row, x)), 0 * x[0]) - u for row, u in zip(Z.tolist(), y)]
    return sum((v * v for v in rows), 0 * x[0]) / 2


def distance(x: Any, goal: Any) -> arb:
    """The largest difference of coordinates, from above."""
    return max((abs(u - v).upper() for u, v in zip(x, goal)), key=float)


constant_decay_lasso.mutant("f + alpha/2 (m^2 + w^2)", weight=ONE, breaks="derivative of f + alpha (m^2 + w^2)")
constant_decay_lasso.mutant("penalty at most |x| + 0.9 a", share=Q(9, 10), breaks="at most |x| + a")
constant_decay_lasso.mutant("LASSO with parameter alpha", weight=ONE, breaks="limit")
constant_decay_lasso.mutant("LASSO with parameter 2.01 alpha", weight=Q(201, 100), breaks="limit")
constant_decay_lasso.mutant("ridge regression", ridge=True, breaks="limit")
