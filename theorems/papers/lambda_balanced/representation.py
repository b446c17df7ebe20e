"""What the network has learned at the end of training: rich, lazy, and in between."""

from __future__ import annotations

from flint import arb, arb_mat

from solvers.enclosures import precision
from solvers.exact_linalg import to_arb_mat
from solvers.linear_networks import Blocks, Task, ball_diagonal, blocks, closed_form, inner, limit, spectrum
from theorems import Choices, Given, Q, eq, slope, symbols
from theorems.papers.lambda_balanced.networks import BITS, HALF, B_invertible, network, starts, tasks, zeros
from theorems.papers.lambda_balanced.paper import PAPER

DECADES = (2, 3, 4, 5)


def learned(task: Task, lam, law: str) -> Blocks:
    """The limits of the blocks of Q Q^T, or what a mutant takes for them."""
    true = limit(task, lam)
    if law == "S_lambda -+ lambda/2":
        return true
    s = [arb(x) for x in task.s]
    half = arb(lam) / 2
    first, second = {
        "lambda^2/2 under the root": ([(x * x + 2 * half * half).sqrt() + c * half for x in s] for c in (-1, 1)),
        "signs exchanged": ([(x * x + half * half).sqrt() - c * half for x in s] for c in (-1, 1)),
        "0-balanced": (s, s),
        "lambda 5 % too large": (
            [(x * x + half * half * c * c).sqrt() - half * c for x in s] for c in (Q(21, 20), -Q(21, 20))
        ),
    }[law]
    V, U = to_arb_mat(task.right), to_arb_mat(task.left)
    return Blocks(V * ball_diagonal(first) * V.transpose(), true.product, U * ball_diagonal(second) * U.transpose())


def late(task: Task, lam, halvings: int) -> arb:
    """A time at which the slowest term e^{-r t} of the closed form has reached e^{-halvings}."""
    S = spectrum(task, lam).S
    rates = [S[i, i] for i in range(S.nrows())]
    if task.V.nrows() != task.U.nrows():  # s_lambda - |lambda|/2 without cancellation
        rates = [arb(s) * arb(s) / (r + abs(arb(lam)) / 2) for s, r in zip(task.s, rates)]
    return halvings / min(rates, key=lambda r: float(r.mid()))


@PAPER.identity(
    source="theorem on the limiting representations in the rich and the lazy regime",
    fidelity="recalled",
    evidence="certified",
    domain={
        "shape": Choices((3, 3, 3), (4, 2, 2), (2, 2, 4)),
        "lam": Choices(Q(-3), Q(1, 2), Q(4)),
        "start": Given(starts),
        "task": Given(tasks),
    },
    where=B_invertible,
    quick=9,
    full=90,
    part="representation",
    method="the closed form at all times from the one on at which its slowest term has decayed to e^-90, in balls that hold the limit; exponents as slopes of exact "
    "distances in balls; the constants by identities in symbols",
    hypotheses="lambda-balanced start, N_h = min(N_i, N_o), Sigma of rank N_h, B invertible",
)
def limiting_representation(lam, start, task, *, law="S_lambda -+ lambda/2"):
    r"""As $t \to \infty$: $W_2 W_1 \to \Sigma$, $W_1^\top W_1 \to \tilde V (S_\lambda - \frac\lambda2 I) \tilde V^\top$,
    $W_2 W_2^\top \to \tilde U (S_\lambda + \frac\lambda2 I) \tilde U^\top$. Rich ($\lambda \to 0$):
    $W_1^\top W_1 \to (\Sigma^\top \Sigma)^{1/2}$ with error $\Theta(\lambda)$ and leading term $-\frac\lambda2 \tilde V \tilde V^\top$.
    Lazy ($\lambda \to +\infty$): $\lambda W_1^\top W_1 \to \Sigma^\top \Sigma$ and $W_2 W_2^\top / \lambda \to \tilde U \tilde U^\top$, both
    with error $\Theta(\lambda^{-2})$; $\lambda \to -\infty$ with the roles of the layers exchanged.
    """
    weights, target = network(start, lam), Task(*task)
    n_i = target.V.nrows()

    def difference(name):
        def thunk() -> arb_mat:
            with precision(BITS):
                reached = blocks(closed_form(weights, target, lam, late(target, lam, 90), forever=True), n_i)
                return getattr(reached, name) - getattr(learned(target, lam, law), name)

        return thunk

    tolerance = Q(1, 10**20)
    yield "product", eq(difference("product"), zeros(target.Sigma), within=tolerance)
    yield "first layer", eq(difference("inputs"), zeros(target.V), within=tolerance)
    yield "second layer", eq(difference("outputs"), zeros(target.U), within=tolerance)


for wrong in ("lambda^2/2 under the root", "signs exchanged", "0-balanced", "lambda 5 % too large"):
    limiting_representation.mutant(wrong, law=wrong, breaks="first layer")


def norm(M: arb_mat) -> arb:
    """The Frobenius norm."""
    return inner(M, M).sqrt()


@limiting_representation.check(
    "rates",
    domain={
        "shape": Choices((3, 3, 3), (4, 2, 2), (2, 2, 4)),
        "sign": Choices(1, -1),
        "task": Given(tasks),
    },
    quick=6,
    full=60,
)
def _rates(sign, task, *, rich=1, lazy=-2, leading=HALF):
    target = Task(*task)
    V, U, s = target.right, target.left, target.s

    def errors(sizes, of):
        def thunk():
            with precision(BITS):
                return [norm(of(lam)) for lam in sizes]

        return thunk

    def values(lam):
        return limit(target, lam)

    small, large = [sign * Q(1, 10**j) for j in DECADES], [sign * Q(10) ** j for j in DECADES]
    root = to_arb_mat(V) * ball_diagonal(s) * to_arb_mat(V.transpose())
    row_space = to_arb_mat(V * V.transpose())
    sizes = [abs(x) for x in small]
    yield "rich", slope(sizes, errors(small, lambda lam: values(lam).inputs - root), rich, within=Q(1, 100))
    yield (
        "rich, leading term",
        slope(
            sizes,
            errors(small, lambda lam: (values(lam).inputs - root) * (1 / arb(lam)) + row_space * arb(leading)),
            1,
            within=Q(1, 100),
        ),
    )
    inputs, outputs = ("inputs", "outputs") if sign > 0 else ("outputs", "inputs")
    A, P = (V, U) if sign > 0 else (U, V)
    squares = to_arb_mat(A) * ball_diagonal([x * x for x in s]) * to_arb_mat(A.transpose())
    column_space = to_arb_mat(P * P.transpose())
    sizes = [abs(x) for x in large]
    yield (
        "lazy, small layer",
        slope(
            sizes,
            errors(large, lambda lam: getattr(values(lam), inputs) * arb(abs(lam)) - squares),
            lazy,
            within=Q(1, 100),
        ),
    )
    yield (
        "lazy, large layer",
        slope(
            sizes,
            errors(large, lambda lam: getattr(values(lam), outputs) * (1 / arb(abs(lam))) - column_space),
            lazy,
            within=Q(1, 100),
        ),
    )


limiting_representation.mutant("rich error of exponent 0.9", rich=Q(9, 10), breaks="rich")
limiting_representation.mutant("leading term -lambda on the row space", leading=1, breaks="rich, leading term")
limiting_representation.mutant("lazy errors of exponent -1", lazy=-1, breaks=("lazy, small layer", "lazy, large layer"))


@limiting_representation.proof(
    "constants",
    covers="each singular direction: all s > 0, all lambda != 0",
    rests_on=("Q Q^T -> [V G_-; U G_+] S_lambda [V G_-; U G_+]^T, because e -> 0 in the closed form",),
)
def _constants(*, share=1):
    import sympy

    s, lam = symbols("s", positive=True), symbols("lambda")
    r = sympy.sqrt(s**2 + lam**2 / 4)
    h = (2 * r - 2 * s) / lam
    yield eq((1 - h) ** 2 / (1 + h**2) * r, r - share * lam / 2)
    yield eq((1 + h) ** 2 / (1 + h**2) * r, r + share * lam / 2)
    yield eq((1 - h**2) / (1 + h**2) * r, s)
    yield eq((r - lam / 2) * (r + lam / 2), s**2)


limiting_representation.mutant("S_lambda -+ lambda in the limit", share=2, breaks="constants")
