"""In underdetermined regression the flow solves a convex problem at every time, and its limit depends on the penalty's integral alone."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import column, frobenius_squared, pinv
from solvers.hypentropy import affine_minimiser
from solvers.masked_flow import least_squares, masked_flow, products, weights
from theorems import ByBudget, Choices, Given, Q, Rationals, eq, le, shared, symbolic, symbols
from theorems.kernel.positivity import Minimum
from theorems.papers.mask_mirror.instances import (
    BITS,
    FOUR,
    HALF,
    ONE,
    TWO,
    ZERO,
    Generic,
    enclosed,
    matrices,
    points,
    scales,
)
from theorems.papers.mask_mirror.paper import PAPER

SCHEDULES = (((Q(3, 20), ONE), (ZERO, HALF)), ((Q(3, 10), HALF), (ZERO, HALF)))  # (alpha, duration), the same integral
STRONGER = ((Q(33, 100), HALF), (ZERO, HALF))
INTEGRAL = Q(3, 20)
NEAR = Q(1, 10**9)
START = Choices("random", "zero")


@PAPER.identity(
    source="theorem on optimality in underdetermined linear regression; constants derived",
    fidelity="paper",
    evidence="proved",
    method="the optimality condition from the mirror flow, and sufficiency by the Bregman divergence, in symbols; enclosed flows against enclosed "
    "minimisers as cross-checks",
    hypotheses="f = |Z x - y|^2/2 with Z of full row rank k < n; for the limit: alpha = 0 from some time on, and the flow converges to an interpolator",
    rests_on=(
        "mirror-flow-identity: theta_t = theta_0 - 2 int g, and g = Z^T (Z x - y), so that theta_t - theta_0 is in the range of Z^T",
        "the limit: a_t is constant from T on, so that theta_t converges with x_t, and the range of Z^T is closed",
    ),
    not_established="convergence itself (see linear-convergence). With alpha > 0 for ever the limit is another point (constant-decay-lasso)",
)
def kkt_optimality():
    r"""Let $f(x) = \frac12\|Zx - y\|^2$ with $Z \in \mathbb{R}^{k \times n}$ of full row rank, and $\theta_0 = \operatorname{arcsinh}(x_0/a_0)$. If
    $\alpha_t = 0$ for $t \ge T$ and the flow converges to an interpolator, that is
    $$x_\infty = \arg\min\{R_{a_\infty}(x) - \tfrac12 \langle \theta_0, x \rangle : Zx = y\}, \qquad a_\infty = a_0 e^{-4\int_0^T \alpha},$$
    unique: schedules with equal integrals reach the same point. In fact at every time $t$, for every schedule,
    $x_t = \arg\min\{R_{a_t}(x) - \frac12 \langle \theta_0, x \rangle : Zx = Zx_t\}$.
    """


@kkt_optimality.proof(
    "optimality condition",
    covers="one coordinate of one row of Z, all values",
    rests_on=("theta is linear in nu = -int (Z x - y), with the coefficients 2 Z^T, coordinate by coordinate",),
)
def _condition(*, factor=TWO):
    theta0, nu, z = symbols("theta_0 nu z")
    a = symbols("a", positive=True)
    import sympy

    theta = theta0 + symbolic(factor) * z * nu
    x = a * sympy.sinh(theta)
    yield "gradient of the Lagrangian vanishes", eq(sympy.asinh(x / a) / 2 - theta0 / 2, z * nu)


@kkt_optimality.proof(
    "sufficiency",
    covers="one coordinate: the objective at x minus that at x*, less <Z^T nu, x - x*>, is the divergence D >= 0, and 0 for x = x* only",
    rests_on=(
        "<Z^T nu, x - x*> = <nu, Z x - Z x*> = 0 on the constraint; a sum of non-negative terms",
        "the derivative of D in the angle of x is (zeta - theta) cosh zeta a/2, which vanishes at zeta = theta only, so that the minimum is strict",
    ),
)
def _sufficiency(*, slope=HALF):
    import sympy

    zeta, theta, theta0 = symbols("zeta theta theta_0")
    a = symbols("a", positive=True)

    def objective(angle):
        x = a * sympy.sinh(angle)
        return (x * angle - a * sympy.cosh(angle)) / 2 - symbolic(slope) * theta0 * x

    lagrangian = (theta - theta0) / 2  # the coordinate of Z^T nu
    gap = objective(zeta) - objective(theta) - lagrangian * a * (sympy.sinh(zeta) - sympy.sinh(theta))
    D = (zeta - theta) * sympy.sinh(zeta) - sympy.cosh(zeta) + sympy.cosh(theta)
    yield "difference of objectives", eq(gap, a / 2 * D)
    yield "divergence", le(0, D, by=Minimum(zeta, theta))
    yield "its derivative", eq(D.diff(zeta), (zeta - theta) * sympy.cosh(zeta))


@shared
def reached(
    Z: fmpq_mat, y: tuple[fmpq, ...], a0: tuple[fmpq, ...], x0: tuple[fmpq, ...], phases: Any, close: fmpq | None = None
) -> tuple[arb, ...]:
    """x at the end of the phases, enclosed; with `close`, as soon as |Z x - y| is below it in the last phase."""
    n = len(x0)
    rows = Z.tolist()

    def done(state: list[arb]) -> bool:
        x = products(state, n)
        return all(abs(sum((c * v for c, v in zip(row, x)), arb(0)) - u) < close for row, u in zip(rows, y))

    def run(order: int) -> list[arb]:
        start = weights(x0, a0)
        moments = masked_flow(least_squares(rows, y), start, phases, order=order, done=done if close else None)
        return products(moments[-1].state, n)

    return enclosed(run)


def angles(x0: Any, a0: Any) -> list[arb]:
    """theta_0 as balls."""
    return [(arb(x) / a).asinh() for x, a in zip(x0, a0)]


def constants(size: Any) -> dict[str, Any]:
    """Parameters of a problem of size (k, n)."""
    return {
        "size": size,
        "Z": Given(lambda size: matrices(size[0], size[1], Q(3, 2))),
        "y": Given(lambda size: Generic(Rationals(HALF, TWO, denominator=16), (size[0],))),
        "a0": Given(lambda size: scales(size[1])),
        "start": START,
        "x0": Given(lambda size, start: points(size[1], HALF) if start == "random" else Choices((ZERO,) * size[1])),
    }


def claimed(Z, target, a0, x0, integral, *, moving=True, turned=True, exponent=FOUR) -> list[arb]:
    """The minimiser of R_a - <theta_0, .>/2 on {Z x = target} for a = a_0 exp(-4 integral)."""
    fall = (-exponent * arb(integral)).exp() if moving else arb(1)
    return list(affine_minimiser(Z, target, [a * fall for a in a0], angles(x0, a0) if turned else None).x)


@kkt_optimality.crosscheck(
    "at every time",
    domain={**constants(Choices((2, 5))), "schedule": Choices(*SCHEDULES)},
    where=lambda Z: Z.rank() == Z.nrows(),
    quick=1,
    full=12,
)
def _every_time(size, Z, y, a0, x0, schedule, *, moving=True, turned=True, exponent=FOUR):
    x = reached(Z, y, a0, x0, schedule)
    with precision(BITS):
        target = [sum((c * v for c, v in zip(row, x)), arb(0)) for row in Z.tolist()]
        goal = claimed(Z, target, a0, x0, INTEGRAL, moving=moving, turned=turned, exponent=exponent)
        yield "minimiser on {Z x = Z x_t}", le([abs(u - v) for u, v in zip(x, goal)], NEAR)


@kkt_optimality.crosscheck(
    "limits",
    domain=constants(ByBudget(quick=Choices((1, 3)), full=Choices((1, 3), (1, 5)))),
    where=lambda Z: 1 <= frobenius_squared(Z) <= 9,  # so that enclosed flows settle soon
    accept=0.1,
    quick=1,
    full=6,
)
def _limits(size, Z, y, a0, x0, *, moving=True, turned=True, least_norm=False, schedules=SCHEDULES):
    ends = [reached(Z, y, a0, x0, ((*schedule[:1], (ZERO, Q(60)))), close=Q(1, 10**9)) for schedule in schedules]
    with precision(BITS):
        goal = claimed(Z, y, a0, x0, INTEGRAL, moving=moving, turned=turned)
        if least_norm:
            goal = [arb(v) for v in (pinv(Z) * column(y)).entries()]
        yield "limit", le([abs(u - v) for u, v in zip(ends[0], goal)], Q(1, 10**8))
        yield "equal integrals", le([abs(u - v) for u, v in zip(*ends)], Q(1, 10**8))


kkt_optimality.mutant("theta - theta_0 = Z^T nu", factor=ONE, breaks="gradient of the Lagrangian vanishes")
kkt_optimality.mutant("objective with <theta_0, x>", slope=ONE, breaks="difference of objectives")
kkt_optimality.mutant("objective with 0.55 <theta_0, x>", slope=Q(11, 20), breaks="difference of objectives")
kkt_optimality.mutant("the potential of a_0", moving=False, breaks="minimiser on {Z x = Z x_t}")
kkt_optimality.mutant("a_0 exp(-4.2 int alpha)", exponent=Q(42, 10), breaks="minimiser on {Z x = Z x_t}")
kkt_optimality.mutant("without theta_0", turned=False, breaks="minimiser on {Z x = Z x_t}")
kkt_optimality.mutant("limit: the potential of a_0", moving=False, breaks="limit")
kkt_optimality.mutant("limit: the solution of least norm", least_norm=True, breaks="limit")
kkt_optimality.mutant(
    "limit: a penalty 10 % larger for the same time", schedules=(SCHEDULES[0], STRONGER), breaks="equal integrals"
)
