"""Why the closed form asks for an invertible B: without balance, half of all tasks are never learned."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import frobenius_squared, null_space, to_arb_mat
from solvers.free_algebra import letters, rewritten, transposed
from solvers.linear_networks import (
    Task,
    Weights,
    aligned_values,
    ball_diagonal,
    blocks,
    closed_form,
    columns,
    coupling,
    loss,
    riccati,
    spectrum,
    starting_matrices,
)
from theorems import Choices, Given, Q, eq, lt, symbols
from theorems.papers.lambda_balanced.networks import BITS, HALF, network, signed, starts, tasks, zeros
from theorems.papers.lambda_balanced.paper import PAPER
from theorems.papers.lambda_balanced.representation import late

LOSS_BITS = 3000  # the Riccati form loses about 3 t |F| bits
LATE = Q(120)
LEARNED = Q(1, 10**9)
STUCK = Q(1, 10**3)


def exact_B(weights: Weights, task: Task) -> fmpq_mat:
    """B at lambda = 0, where G = I and H = 0."""
    return weights.W2.transpose() * task.left + weights.W1 * task.right


def learnable(start, task) -> bool:
    """Whether the rank of B is n for equal signs of the determinants, and n - 1 for opposite ones (lambda = 0)."""
    weights, n = network(start, Q(0)), len(task[2])
    ranks = [exact_B(weights, signed(weights, Task(*task), sign)).rank() for sign in (1, -1)]
    return bool(ranks == [n, n - 1])


def lost_mode(weights: Weights, task: Task) -> fmpq:
    """The smallest singular value on the support of the vector x with B x = 0 (lambda = 0)."""
    x = null_space(exact_B(weights, task)).entries()
    return min(s for s, v in zip(task.s, x) if v != 0)


def loss_at(weights: Weights, task: Task, lam, t):
    """The loss at time t from the Riccati form, which exists whether or not B is invertible (thunk)."""

    def thunk() -> arb:
        with precision(LOSS_BITS):
            reached = riccati(weights.stacked, coupling(task.Sigma, lam), t)
            return loss(blocks(reached, task.V.nrows()).product, task.Sigma)

    return thunk


def final_loss(weights: Weights, task: Task, lam):
    """The limit of the loss, from the closed form at all times beyond the one at which its slowest term is e^-90 (thunk)."""

    def thunk() -> arb:
        with precision(BITS):
            reached = closed_form(weights, task, lam, late(task, lam, 90), forever=True)
            return loss(blocks(reached, task.V.nrows()).product, task.Sigma)

    return thunk


@PAPER.transition(
    source="the invertibility assumption behind the exact solutions; reversal learning is its aligned special case",
    fidelity="derived",
    evidence="certified",
    domain={"shape": Choices((2, 2, 2), (3, 3, 3)), "start": Given(starts), "task": Given(tasks)},
    where=learnable,
    accept=0.5,
    quick=6,
    full=60,
    part="without balance",
    method="exact determinants; losses from the Riccati form in 3000-bit balls and from the closed form at all late times; the lower bound "
    "on B by an identity of non-commuting polynomials (all shapes)",
    hypotheses="N_i = N_h = N_o; Sigma and the initial product invertible; distinct singular values",
    not_established="without balance and with opposite signs the limit of the loss is read at t = 120, above the bound at t = 2 and 120; "
    "generic means the sampled rational rotations",
    rests_on=(
        "at lambda = 0, W_2^T = W_1 O with O orthogonal, so dW_1/dt = W_1 O E and the sign of det W_1 (and of det W_2) is conserved",
        "a product whose determinant has the wrong sign is at distance >= s_min from Sigma: the segment to Sigma meets a singular "
        "matrix, which is at distance >= s_min (Eckart-Young)",
        "B = R S_0^(1/2) (U_0^T U + V_0^T V) is a multiple of a sum of two orthogonal matrices of opposite determinant, and "
        "det(I + O) = det O det(O^T + I) = -det(I + O) for det O = -1",
    ),
)
def zero_balance_determinant_obstruction(start, task, *, converges=False, stuck="lost mode", singular=-1):
    r"""Let $N_i = N_h = N_o = n$ and let $\Sigma$ and $W_2 W_1(0)$ be invertible. (i) If $\lambda = 0$ and
    $\det(W_2 W_1(0)) \det \Sigma < 0$ then $\det B = 0$ and $\ell(t) > \frac12 \tilde s_{\min}^2$ for all $t$. If $B$ has rank $n - 1$,
    $\ell(t) \to \frac12 \tilde s_j^2$: exactly one mode is lost, the weakest one on the support of the vector $x$ with $Bx = 0$ (so
    generically the weakest of all). (ii) If $\lambda = 0$, the signs are equal and
    $\det B \ne 0$ (generic), the loss goes to 0. (iii) If $\lambda \ne 0$ the loss goes to 0 for either sign and all data, because $B$
    is invertible: $$B S_\lambda B^\top - \lambda^2 I = \tfrac14 (\lambda C - 2 B \tilde S) S_\lambda^{-1} (\lambda C - 2 B \tilde S)^\top \succeq 0,$$
    so $\sigma_{\min}(B)^2 \ge \lambda^2 / \max_i s_{\lambda,i}$, with equality for one mode that has learned $-\tilde s$. For
    $N_i > N_o$ the right side has the further term $\lambda W_1 \tilde V_\perp \tilde V_\perp^\top W_1^\top$ ($\succeq 0$ if
    $\lambda > 0$), for $N_o > N_i$ the term $-\lambda W_2^\top \tilde U_\perp \tilde U_\perp^\top W_2$ ($\succeq 0$ if $\lambda < 0$).
    """
    weights, lam = network(start, Q(0)), Q(0)
    matched, mismatched = (signed(weights, Task(*task), s) for s in (1, -1))
    yield "det B = 0", eq(exact_B(weights, signed(weights, Task(*task), singular)).det(), 0)
    weakest, lost = mismatched.smallest, lost_mode(weights, mismatched)
    bound, left = {
        "lost mode": (weakest**2 / 2, lost**2 / 2),
        "strongest mode": (max(mismatched.s) ** 2 / 2,) * 2,
        "all modes": (frobenius_squared(mismatched.Sigma) / 2,) * 2,
    }[stuck]
    early_loss, late_loss = (cache(loss_at(weights, mismatched, lam, t)) for t in (Q(2), LATE))
    most = LEARNED if converges else left + STUCK
    yield "one mode lost", lt(lambda: [left - STUCK, late_loss()], lambda: [late_loss(), most])
    yield "above the bound", lt([bound] * 2, lambda: [early_loss(), late_loss()])
    yield "learned, equal signs", eq(final_loss(weights, matched, lam), 0, within=LEARNED)


for words, part, knobs in (
    ("0-balanced square networks always converge", "one mode lost", {"converges": True}),
    ("stuck at half the squared strongest mode", "above the bound", {"stuck": "strongest mode"}),
    ("stuck at the loss of the zero network", "above the bound", {"stuck": "all modes"}),
    ("det B = 0 for equal signs", "det B = 0", {"singular": 1}),
):
    zero_balance_determinant_obstruction.mutant(words, breaks=part, **knobs)

BALANCED = PAPER.family(
    "square-balanced",
    shape=Choices((2, 2, 2), (3, 3, 3)),
    lam=Choices(Q(1, 10**6), Q(-2), HALF, Q(-1, 10**6)),
    start=Given(starts),
    task=Given(tasks),
    quick=6,
    full=60,
)


@zero_balance_determinant_obstruction.check("with balance", family=BALANCED)
def _with_balance(lam, start, task, *, blocked=0):
    weights = network(start, lam)
    for sign in (-1, 1):
        target = signed(weights, Task(*task), sign)
        limit = min(task[2]) ** 2 / 2 * blocked if sign < 0 else 0
        yield "learned with balance", eq(final_loss(weights, target, lam), limit, within=LEARNED)


@zero_balance_determinant_obstruction.crosscheck("with balance, from the Riccati form", family=BALANCED)
def _from_riccati(lam, start, task):
    weights = network(start, lam)
    return lt(loss_at(weights, signed(weights, Task(*task), -1), lam, LATE), LEARNED)


zero_balance_determinant_obstruction.mutant(
    "opposite signs block lambda != 0 too", blocked=1, breaks="learned with balance"
)


@zero_balance_determinant_obstruction.check(
    "lower bound on B",
    domain={
        "shape": Choices((2, 2, 2), (3, 3, 3), (3, 2, 2), (2, 2, 3)),
        "lam": Choices(HALF, Q(-2), Q(1, 10**6), Q(0)),
        "start": Given(starts),
        "task": Given(tasks),
    },
    quick=8,
    full=80,
)
def _lower_bound(lam, start, task, *, share=1):
    weights, target = network(start, lam), Task(*task)

    def difference() -> arb_mat:
        with precision(BITS):
            S = spectrum(target, lam).S
            B, C = starting_matrices(weights, target, lam)
            D = C * arb(lam) - B * ball_diagonal([2 * s for s in target.s])
            right = D * ball_diagonal([1 / (4 * S[i, i]) for i in range(S.nrows())]) * D.transpose()
            left = B * S * B.transpose() - ball_diagonal([lam * lam * share] * S.nrows())
            return left - right - outside(weights, target) * arb(lam)

    return eq(difference, zeros(fmpq_mat(len(task[2]), len(task[2]))), within=Q(1, 10**60))


def outside(weights: Weights, task: Task) -> arb_mat:
    """W_1 V_perp V_perp^T W_1^T, or -W_2^T U_perp U_perp^T W_2, or 0."""
    n, n_i, n_o = len(task.s), task.V.nrows(), task.U.nrows()
    if n_i > n_o:
        Y = weights.W1 * columns(task.V, n_i - n, n)
        return to_arb_mat(Y * Y.transpose())
    if n_o > n_i:
        Y = weights.W2.transpose() * columns(task.U, n_o - n, n)
        return to_arb_mat(Y * Y.transpose() * -1)
    return to_arb_mat(fmpq_mat(n, n))


@zero_balance_determinant_obstruction.proof(
    "B is invertible for lambda != 0",
    covers="all shapes with N_i = N_h = N_o, and with N_i > N_o; N_o > N_i by exchanging the layers and the sign of lambda",
    rests_on=(
        "J = diag(-I, I) in the eigenbasis of F: O_+^T J O_+ = lambda/(2 S) = D, O_-^T J O_- = -D, O_+^T J O_- = -s~/S = -E, "
        "J = -I on O_perp (N_i > N_o), with D^2 + E^2 = I; so Q_0^T J Q_0 = lambda I reads "
        "2 lambda I = B D B^T - C D C^T + B E C^T + C E B^T - 2 Y^T Y, Y = V_perp^T W_1^T",
        "multiply by lambda and insert D = lambda/(2 S), E = s~/S",
    ),
)
def _invertible(*, half=1):
    B, C, D, I, E, Y = letters("B C D I E Y")  # I is the inverse of D
    partner = {x: x + "t" for x in ("B", "C", "Y")}
    Bt, Ct, Yt = (transposed(x, partner) for x in (B, C, Y))
    rules: dict[tuple[str, ...], Any] = {
        ("D", "I"): 1,
        ("I", "D"): 1,
        ("E", "D"): D * E,
        ("E", "I"): I * E,
        ("E", "E"): 1 - D * D,
    }
    balance = B * D * Bt - C * D * Ct + B * E * Ct + C * E * Bt - Yt * Y * 2  # 2 lambda I
    gap = C - B * E * I
    left = B * I * Bt * half - balance
    coefficients = rewritten(left - (gap * D * transposed(gap, partner) + Yt * Y * 2), rules).coefficients()
    yield eq(coefficients, [0] * len(coefficients))


@zero_balance_determinant_obstruction.proof(
    "entries of J in the eigenbasis", covers="each singular direction: all s > 0, all lambda != 0"
)
def _signature():
    import sympy

    s, lam = symbols("s", positive=True), symbols("lambda")
    r = sympy.sqrt(s**2 + lam**2 / 4)
    h = (2 * r - 2 * s) / lam
    minus, plus, norm = 1 - h, 1 + h, 2 * (1 + h**2)
    yield eq((plus**2 - minus**2) / norm, lam / (2 * r))
    yield eq(-2 * minus * plus / norm, -s / r)
    yield eq((lam / (2 * r)) ** 2 + (s / r) ** 2, 1)


@zero_balance_determinant_obstruction.check(
    "equality at the reversal of one mode",
    domain={"s": Choices(Q(1), Q(3, 2), Q(2, 5)), "lam": Choices(HALF, Q(-2), Q(1, 10**6))},
    quick=3,
    full=9,
)
def _equality(s, lam, *, share=1):
    """The network that has learned -s: s_lambda B^2 = lambda^2."""

    def sides() -> tuple[arb, arb]:
        with precision(BITS):
            a1, a2 = aligned_values(-s, lam)
            one = fmpq_mat(1, 1, [fmpq(1)])
            target = Task(one, one, (s,))
            B, _ = starting_matrices(Weights(arb_mat([[a1]]), arb_mat([[a2]])), target, lam)
            return spectrum(target, lam).S[0, 0] * B[0, 0] * B[0, 0] / (arb(lam) * lam), arb(share)

    return eq(sides, within=Q(1, 10**60))


zero_balance_determinant_obstruction.mutant("2 lambda^2 below B S B^T", share=2, breaks="lower bound on B")
zero_balance_determinant_obstruction.mutant(
    "bound 1 % larger", share=Q(101, 100), breaks="equality at the reversal of one mode"
)
zero_balance_determinant_obstruction.mutant(
    "B I B^T / 2 in the identity", half=Q(1, 2), breaks="B is invertible for lambda != 0"
)
