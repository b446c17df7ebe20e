"""Gradient flow in mask and weights is a mirror flow in their product, with a potential that changes in time."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from solvers.enclosures import flow, precision
from solvers.hypentropy import gradient
from solvers.masked_flow import balances, products, velocity
from theorems import Choices, Given, Q, Rationals, eq, le, lt, shared, symbolic, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.mask_mirror.instances import BITS, FOUR, HALF, ONE, TENTH, TWO, Generic, enclosed, matrices, points
from theorems.papers.mask_mirror.paper import PAPER

NEAR = Q(1, 10**10)


@PAPER.identity(
    source="theorem: the flow of m * w with a decaying penalty is a mirror flow with a time-dependent Bregman potential (form recalled)",
    fidelity="recalled",
    evidence="proved",
    method="one coordinate in symbols, with arbitrary values of the gradient and of the penalty; enclosed flows of quadratics as cross-checks",
    hypotheses="f differentiable, alpha integrable, m_0^2 != w_0^2 in every coordinate (here m > |w|; the roles of m and w, and a common "
    "sign, may be exchanged)",
)
def mirror_flow_identity():
    r"""Let $\dot m = -w \odot g - 2\alpha_t m$, $\dot w = -m \odot g - 2\alpha_t w$ with $g = \nabla f(x_t)$, $x = m \odot w$ (gradient flow of
    $f(m \odot w) + \alpha_t(\|m\|^2 + \|w\|^2)$) and $a_t = \frac12 |m_t^2 - w_t^2| > 0$. For every differentiable $f$ and schedule
    $\alpha_t \ge 0$: $a_t = a_0 e^{-4\int_0^t \alpha}$, $m^2 + w^2 = 2\sqrt{x^2 + a_t^2}$, and with
    $R_a(x) = \frac12 \sum_i [x_i \operatorname{arcsinh}(x_i/a_i) - \sqrt{x_i^2 + a_i^2}]$
    $$\frac{d}{dt} \nabla R_{a_t}(x_t) = -\nabla f(x_t), \qquad \nabla R_a(x) = \tfrac12 \operatorname{arcsinh}(x/a).$$ Hence the penalty is
    $2\alpha_t \sum_i \sqrt{x_i^2 + a_{t,i}^2}$, within $2\alpha_t\,[|x|, |x| + a]$ and within $2\alpha_t\,[a, a + x^2/(2a)]$: $L_1$ for
    $|x| \gg a_t$, quadratic for $|x| \ll a_t$.
    """


def letters() -> tuple[Any, Any, tuple[Any, Any]]:
    """m, w and the symbols m - w > 0 and m + w > 0 in which they are written."""
    p, q = symbols("p q", positive=True)
    return (q + p) / 2, (q - p) / 2, (p, q)


def rate(e: Any, pq: Any, dm: Any, dw: Any) -> Any:
    """The derivative of an expression in p and q along the flow."""
    return e.diff(pq[0]) * (dm - dw) + e.diff(pq[1]) * (dm + dw)


@mirror_flow_identity.proof("mirror flow", covers="one coordinate, all m > |w|, all values of g and alpha")
def _mirror(*, moving=True, exponent=FOUR, drive=ONE):
    import sympy

    m, w, pq = letters()
    g, alpha = symbols("g alpha")
    x, a = m * w, (m**2 - w**2) / 2
    dm, dw = -w * g - 2 * alpha * m, -symbolic(drive) * m * g - 2 * alpha * w
    yield "balance", eq(rate(a, pq, dm, dw), -symbolic(exponent) * alpha * a)
    yield "sum of squares", eq(m**2 + w**2, 2 * sympy.sqrt(x**2 + a**2))
    scale = a if moving else symbols("a_0", positive=True)
    yield "mirror", eq(rate(sympy.asinh(x / scale) / 2, pq, dm, dw), -g)
    b = symbols("a", positive=True)
    y = symbols("x")
    R = (y * sympy.asinh(y / b) - sympy.sqrt(y**2 + b**2)) / 2
    yield "gradient of the potential", eq(R.diff(y), sympy.asinh(y / b) / 2)
    yield "its derivative", eq(R.diff(y, 2), 1 / (2 * sympy.sqrt(y**2 + b**2)))


@mirror_flow_identity.proof("shape of the penalty", covers="all x >= 0, all a > 0")
def _shape(*, excess=ONE):
    import sympy

    x, a = symbols("x", nonnegative=True), symbols("a", positive=True)
    root = sympy.sqrt(x**2 + a**2)
    share = symbolic(excess)
    yield "at least |x|", lt(x, root, by=Combination([(1, a, (1 / (root + x),))]))
    yield "at most |x| + a", le(root, x + share * a, by=Combination([(2, 1, (x, a, 1 / (root + x + a)))]))
    yield "at least a", le(a, root, by=Combination([(1, x, (1 / (root + a),))]))
    yield (
        "at most a + x^2/(2a)",
        le(root, a + share * x**2 / (2 * a), by=Combination([(1, x**2 / (2 * a), (1 / (root + a + x**2 / (2 * a)),))])),
    )


@shared
def quadratic_flow(
    B: Any, goal: tuple[fmpq, ...], m: tuple[fmpq, ...], w: tuple[fmpq, ...], T: fmpq
) -> tuple[arb, ...]:
    """(m, w) at T and the integral of the gradient, for f = |B(x - goal)|^2/2 and alpha_t = (1 + sin t)/10."""
    n = len(m)
    H = (B.transpose() * B).tolist()

    def field(state: list[Any]) -> list[Any]:
        x = products(state, n)
        g = [sum((H[i][j] * (x[j] - goal[j]) for j in range(1, n)), H[i][0] * (x[0] - goal[0])) for i in range(n)]
        sine, cosine = state[2 * n], state[2 * n + 1]
        return [*velocity(state, g, (sine + 1) * TENTH), cosine, -sine, *g]

    return enclosed(lambda order: flow(field, [*m, *w, 0, 1, *[0] * n], T, order=order))


@mirror_flow_identity.crosscheck(
    "enclosed flow",
    domain={
        "n": Choices(2),
        "B": Given(lambda n: matrices(n, n, ONE)),
        "goal": Given(lambda n: points(n, TWO)),
        "m": Given(lambda n: Generic(Rationals(Q(3, 5), Q(6, 5), denominator=8), (n,))),
        "w": Given(lambda n: points(n, HALF)),
        "T": Choices(Q(3)),
    },
    where=lambda B: B.det() != 0,
    quick=1,
    full=20,
)
def _enclosed(n, B, goal, m, w, T, *, moving=True, exponent=FOUR):
    end = quadratic_flow(B, goal, m, w, T)
    with precision(BITS):
        x0, a0 = [u * v for u, v in zip(m, w)], [abs(u * u - v * v) / 2 for u, v in zip(m, w)]
        fall = (-(T + 1 - arb(T).cos()) * TENTH * exponent).exp()
        a = [b * fall for b in a0] if moving else a0
        yield "balance at T", le([abs(u - v) for u, v in zip(balances(end, n), [b * fall for b in a0])], NEAR)
        steps = [u - v for u, v in zip(gradient(products(end, n), a), gradient(x0, a0))]
        yield "mirror map at T", le([abs(u + v) for u, v in zip(steps, end[2 * n + 2 :])], NEAR)


mirror_flow_identity.mutant("potential that does not move", moving=False, breaks="mirror")
mirror_flow_identity.mutant("balance with the exponent 2", exponent=TWO, breaks="balance")
mirror_flow_identity.mutant("balance with the exponent 8", exponent=Q(8), breaks="balance")
mirror_flow_identity.mutant("balance with the exponent 4.1", exponent=Q(41, 10), breaks="balance")
mirror_flow_identity.mutant("w driven 5 % harder", drive=Q(21, 20), breaks="mirror")
mirror_flow_identity.mutant("penalty 5 % closer to L1", excess=Q(19, 20), breaks="at most |x| + a")
mirror_flow_identity.mutant("potential that does not move, enclosed", moving=False, breaks="mirror map at T")
mirror_flow_identity.mutant("exponent 2, enclosed", exponent=TWO, breaks="mirror map at T")
mirror_flow_identity.mutant("exponent 4.1, enclosed", exponent=Q(41, 10), breaks="balance at T")
