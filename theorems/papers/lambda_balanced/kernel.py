"""The neural tangent kernel: lazy, rich or delayed rich, by architecture and by the sign of the balance."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq_mat

from solvers.enclosures import flow, precision
from solvers.exact_linalg import frobenius_squared, to_arb_mat
from solvers.linear_networks import (
    Blocks,
    Task,
    Weights,
    aligned_values,
    ball_diagonal,
    blocks,
    closed_form,
    columns,
    jacobian,
    kernel_distance,
    limit,
    tangent_kernel,
)
from theorems import ByBudget, Choices, Given, Q, eq, lt, matrix_symbols, slope
from theorems.papers.lambda_balanced.networks import (
    BITS,
    B_invertible,
    Drawn,
    network,
    rotation,
    starts,
    tasks,
    tenths,
    zeros,
)
from theorems.papers.lambda_balanced.paper import PAPER

SQUARE, FUNNEL, INVERTED = (3, 3, 3), (5, 2, 2), (2, 2, 5)
LARGE = (100, 1000, 10_000)
SMALL = (Q(1, 10**4), Q(1, 10**5), Q(1, 10**6))


def products(shape) -> Drawn:
    """(V0, U0, sigma): the singular value decomposition of the initial product W2 W1."""
    n_i, n_h, n_o = shape
    return Drawn(
        lambda words: (rotation(n_i, words), rotation(n_o, words), tenths(n_h, 2, 20, words)),
        None,
        "rational rotations V0, U0 and distinct singular values in {0.2, ..., 2}",
    )


def generic(product, task) -> bool:
    """The singular spaces of the initial product differ from those of the task."""
    (V0, U0, _), (V, U, s) = product, task
    A, B = columns(V, len(s)), columns(V0, len(s))
    C, D = columns(U, len(s)), columns(U0, len(s))
    square = V.nrows() == U.nrows()
    apart = A * A.transpose() != B * B.transpose() or C * C.transpose() != D * D.transpose()
    return bool(square or apart) and bool(A != B and C != D)


def initial(product, lam) -> Blocks:
    """The blocks of Q Q^T at t = 0 for a given product and balance."""
    V0, U0, sigma = product
    pairs = [aligned_values(x, lam) for x in sigma]
    V, U = to_arb_mat(columns(V0, len(sigma))), to_arb_mat(columns(U0, len(sigma)))
    return Blocks(
        V * ball_diagonal([a * a for a, _ in pairs]) * V.transpose(),
        U * ball_diagonal(sigma) * V.transpose(),
        U * ball_diagonal([b * b for _, b in pairs]) * U.transpose(),
    )


def movement(product, task: Task, lam) -> arb:
    """S(K_0, K_infinity)."""
    return kernel_distance(initial(product, lam), limit(task, lam))


def movements(product, task: Task, lams, minus: Any = 0):
    """|S(K_0, K_infinity) - minus| for several balances (thunk)."""

    def thunk():
        with precision(BITS):
            base = minus() if callable(minus) else minus
            return [abs(movement(product, task, lam) - base) for lam in lams]

    return thunk


def regimes(name: str, shape):
    """Initial products and tasks of one architecture."""
    return PAPER.family(
        name,
        shape=shape,
        product=Given(products),
        task=Given(tasks),
        where=generic,
        accept=0.5,
        quick=1,
        full=20,
    )


ARCHITECTURES = (regimes("square", SQUARE), regimes("funnel", FUNNEL), regimes("inverted-funnel", INVERTED))


@PAPER.transition(
    source="lazy, rich and delayed rich regimes by architecture and sign of lambda; values and exponents derived",
    fidelity="derived",
    evidence="certified",
    family=ARCHITECTURES,
    part="large balance",
    method="kernels and their distances in 400-bit balls from the initial product and the limits of Q Q^T; the Jacobian in symbols; weights along "
    "the flow by validated integration; first passage times by bisection in balls",
    hypotheses="lambda-balanced; the singular values of W_2 W_1(0) are fixed while lambda varies, its singular spaces are independent of the task",
    not_established="K_infinity is the limit of limiting-representation; o(1) and Theta are read from three or four decades",
)
def ntk_regimes(shape, product, task, *, lazy=-4, both=False, space="rows", rest=-2):
    r"""Let $K = I_{N_o} \otimes W_1^\top W_1 + W_2 W_2^\top \otimes I_{N_i}$ (the tangent kernel for $X = I$, output index $(o, i)$ with $o$
    slow), $S(K, K') = 1 - \langle K, K' \rangle / (\|K\|_F \|K'\|_F)$, and let the singular values of $W_2 W_1(0)$ be fixed. (a)
    $N_i = N_h = N_o$: $S(K_0, K_\infty) = \Theta(\lambda^{-4})$ as $\lambda \to \pm\infty$. (b) Funnel $N_i > N_h = N_o$:
    $\Theta(\lambda^{-4})$ as $\lambda \to +\infty$, but $S \to 1 - \|\tilde V^\top V_0\|_F^2 / N_h$ as $\lambda \to -\infty$ ($V_0$: row
    space of $W_1(0)$), with error $\Theta(\lambda^{-2})$. (c) Inverted funnel $N_o > N_h = N_i$: the same with $\pm\lambda$ exchanged and the
    value $1 - \|\tilde U^\top U_0\|_F^2 / N_h$ ($U_0$: column space of $W_2(0)$). (d) Delayed rich (funnel, $\lambda \to -\infty$, $N_h = 1$): for
    $1/|\lambda| \ll t \ll |\lambda|$ the loss is on the plateau $\frac12 \|\Sigma (I - P_0)\|_F^2$, $P_0$ the projector on the row space of
    $W_1(0)$; the excess over it halves at $t = \frac{\ln 2}{2|\lambda|} (1 + O(\lambda^{-2}))$; the kernel has rotated half-way
    ($S(K(t), K_\infty) = \frac12 S(K_0, K_\infty)$) at $t = \frac{|\lambda|}{2\tilde s^2} \ln\frac{1 + c^2}{c^2} (1 + O(\lambda^{-2}))$, $c$ the
    cosine of the angle between the row spaces of $W_1(0)$ and of $\Sigma$. (e) Rich limit: $S(K_0, K_\infty)(\lambda) - S(K_0, K_\infty)(0)$ is
    $\Theta(\lambda^2)$ and even in $\lambda$ for $N_i = N_o$, but $\Theta(\lambda)$ and odd to leading order for $N_i \ne N_o$; the limit is
    positive. (f) At every $t$ the kernel is $I_{N_o} \otimes (QQ^\top)_{11} + (QQ^\top)_{22} \otimes I_{N_i}$ with $QQ^\top$ from the closed form.
    """
    target = Task(*task)
    n_i, n_h, n_o = shape
    for sign in (1, -1):
        lams = [sign * x for x in LARGE]
        stays = n_i == n_o or (sign > 0) == (n_i > n_o) or both
        side = "lambda > 0" if sign > 0 else "lambda < 0"
        if stays:
            name = "lazy" if n_i == n_o else f"{'funnel' if n_i > n_o else 'inverted funnel'}, lazy side"
            yield name, slope(LARGE, movements(product, target, lams), lazy, within=Q(1, 50))
            continue
        rows = (n_i > n_o) == (space == "rows")
        A, A0 = (target.right, columns(product[0], n_h)) if rows else (target.left, columns(product[1], n_h))
        value = 1 - frobenius_squared(A.transpose() * A0) / n_h
        name = f"{'funnel' if n_i > n_o else 'inverted funnel'}, rich side ({side})"
        yield name, slope(LARGE, movements(product, target, lams, value), rest, within=Q(1, 50))


ntk_regimes.mutant("exponent -2 for lazy networks", lazy=-2, breaks="lazy")
ntk_regimes.mutant("exponent -3.9 for lazy networks", lazy=-Q(39, 10), breaks="lazy")
ntk_regimes.mutant(
    "funnels are lazy for both signs", both=True, breaks=("funnel, lazy side", "inverted funnel, lazy side")
)
ntk_regimes.mutant("column space for row space in the funnel", space="columns", breaks="funnel, rich side (lambda < 0)")
ntk_regimes.mutant(
    "row space for column space in the inverted funnel",
    space="columns",
    breaks="inverted funnel, rich side (lambda > 0)",
)
ntk_regimes.mutant("error of exponent -1 on the rich side", rest=-1, breaks="funnel, rich side (lambda < 0)")


@ntk_regimes.check("small balance", family=ARCHITECTURES)
def _small_balance(shape, product, task, *, square=2, funnel=1, parity=1):
    target = Task(*task)

    def base() -> arb:
        return movement(product, target, Q(0))

    if shape[0] == shape[2]:
        yield "rich limit, square", slope(SMALL, movements(product, target, SMALL, base), square, within=Q(1, 100))

        def difference() -> arb:
            with precision(BITS):
                return movement(product, target, Q(1, 2)) - parity * movement(product, target, -Q(1, 2))

        yield "even", eq(difference, 0, within=Q(1, 10**60))
        return
    for sign in (1, -1):
        lams = [sign * x for x in SMALL]
        yield "rich limit, funnels", slope(SMALL, movements(product, target, lams, base), funnel, within=Q(1, 100))

    def odd():
        with precision(BITS):
            return [
                abs(movement(product, target, x) + parity * (movement(product, target, -x) - base()) - base())
                for x in SMALL
            ]

    yield "odd to leading order", slope(SMALL, odd, 2, within=Q(1, 100))


ntk_regimes.mutant("exponent 1 for square networks", square=1, breaks="rich limit, square")
ntk_regimes.mutant("exponent 2 for funnels", funnel=2, breaks="rich limit, funnels")
ntk_regimes.mutant("odd for square networks", parity=-1, breaks="even")
ntk_regimes.mutant("even to leading order for funnels", parity=-1, breaks="odd to leading order")


@ntk_regimes.crosscheck("features are learned without balance", family=ARCHITECTURES)
def _positive(product, task):
    def at_zero() -> arb:
        with precision(BITS):
            return movement(product, Task(*task), Q(0))

    return lt(0, at_zero)


@ntk_regimes.proof("Jacobian", covers="(N_i, N_h, N_o) in {(1,1,1), (2,2,2), (3,2,2), (2,2,3), (3,1,2)}, all W_1, W_2")
def _jacobian(*, second=1, exchanged=False):
    """J J^T for the Jacobian of W_2 W_1 in all parameters, by differentiation of the product."""
    import sympy

    for n_i, n_h, n_o in ((1, 1, 1), (2, 2, 2), (3, 2, 2), (2, 2, 3), (3, 1, 2)):
        W1, W2 = matrix_symbols("A", n_h, n_i), matrix_symbols("B", n_o, n_h)
        outputs = (W2 * W1).reshape(n_o * n_i, 1)
        J = outputs.jacobian([*W1, *W2])
        first, last = W1.T * W1, second * (W2 * W2.T)
        kernel = sympy.kronecker_product(sympy.eye(n_o), first) + sympy.kronecker_product(last, sympy.eye(n_i))
        if exchanged and n_i == n_o:
            kernel = sympy.kronecker_product(first, sympy.eye(n_o)) + sympy.kronecker_product(sympy.eye(n_i), last)
        yield eq(J * J.T, kernel)


ntk_regimes.mutant("second term doubled", second=2, breaks="Jacobian")


@ntk_regimes.check(
    "evolution",
    domain={
        "shape": ByBudget(
            quick=Choices((2, 2, 2), (3, 2, 2), (2, 2, 3)),
            full=Choices((3, 3, 3), (4, 2, 2), (2, 2, 4), (3, 2, 2), (2, 2, 2)),
        ),
        "lam": Choices(Q(-2), Q(7, 10), Q(5)),
        "start": Given(starts),
        "task": Given(tasks),
        "t": ByBudget(quick=Q(3, 10), full=Choices(Q(3, 10), Q(2))),
    },
    where=B_invertible,
    quick=3,
    full=24,
)
def _evolution(lam, start, task, t, *, term=1, frozen=False, swapped=False):
    weights, target = network(start, lam), Task(*task)
    n_i = target.V.nrows()

    def difference():
        with precision(112):
            moved = along_the_flow(weights, target.Sigma, t)
            J = jacobian(moved)
            M = closed_form(weights, target, lam, 0 if frozen else t)
            parts = blocks(M, n_i)
            return J * J.transpose() - tangent_kernel(parts.inputs, parts.outputs, second=term, exchanged=swapped)

    size = n_i * target.U.nrows()
    return eq(difference, zeros(fmpq_mat(size, size)), within=Q(1, 10**9))


def along_the_flow(weights: Weights, Sigma, t) -> Weights:
    """The weights at time t, by validated integration of the gradient flow."""
    n_h, n_i, n_o = weights.W1.nrows(), weights.W1.ncols(), weights.W2.nrows()
    S = Sigma.tolist()

    def total(terms):
        first, *others = terms
        for x in others:
            first = first + x
        return first

    def field(x):
        a = [x[h * n_i : (h + 1) * n_i] for h in range(n_h)]
        b = [x[n_h * n_i + o * n_h : n_h * n_i + (o + 1) * n_h] for o in range(n_o)]
        E = [[S[o][i] - total(b[o][h] * a[h][i] for h in range(n_h)) for i in range(n_i)] for o in range(n_o)]
        first = [total(b[o][h] * E[o][i] for o in range(n_o)) for h in range(n_h) for i in range(n_i)]
        return first + [total(E[o][i] * a[h][i] for i in range(n_i)) for o in range(n_o) for h in range(n_h)]

    end = flow(field, [*weights.W1.entries(), *weights.W2.entries()], t, order=30)
    cut = n_h * n_i
    return Weights(
        to_arb_mat([end[h * n_i : (h + 1) * n_i] for h in range(n_h)]),
        to_arb_mat([end[cut + o * n_h : cut + (o + 1) * n_h] for o in range(n_o)]),
    )


ntk_regimes.mutant("first-layer term only", term=0, breaks="evolution")
ntk_regimes.mutant("frozen kernel K_0", frozen=True, breaks="evolution")
ntk_regimes.mutant("Kronecker factors exchanged", swapped=True, breaks="evolution")
ntk_regimes.mutant("Kronecker factors exchanged, in symbols", exchanged=True, breaks="Jacobian")
