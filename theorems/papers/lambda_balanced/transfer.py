"""What the learned representation transfers to a new readout."""

from __future__ import annotations

from flint import arb, arb_mat

from solvers.enclosures import precision
from solvers.exact_linalg import to_arb_mat, verified_sqrt
from solvers.linear_networks import Task, ball_diagonal, blocks, closed_form, limit
from theorems import Choices, Given, Q, eq, slope, symbols
from theorems.papers.lambda_balanced.networks import BITS, Drawn, network, rotation, starts
from theorems.papers.lambda_balanced.paper import PAPER
from theorems.papers.lambda_balanced.representation import late, norm

SHAPE = (4, 4, 4)
VALUES = (Q(2), Q(3, 2), Q(9, 10), Q(1, 2))
STEPS = 160  # of gradient descent at a quarter of the critical rate: the error is 2^-160
BASES = Drawn(lambda words: (rotation(4, words), rotation(4, words)), None, "two rational rotations of size 4")


def task_of(bases) -> Task:
    """The task with the singular values 2, 1.5, 0.9, 0.5."""
    V, U = bases
    return Task(V, U, VALUES)


def trained(W1: arb_mat, i: int) -> list[arb]:
    """Predictions on all items after all numbers of steps >= STEPS of gradient descent of v from 0 on item i with target 1.

    The steps shrink the error 1 - v.x by a factor in (0, 1), so v stays between its present value and v + (1 - v.x) x / |x|^2.
    """
    items = W1.transpose().tolist()  # item j enters the readout as the column W1 e_j
    x = items[i]
    rate = (1 / (2 * dot(x, x))).mid()
    v = [arb(0)] * len(x)
    for _ in range(STEPS):
        error = 1 - dot(v, x)
        v = [a + rate * error * b for a, b in zip(v, x)]
    left = (1 - dot(v, x)) / dot(x, x)
    v = [a.union(a + left * b) for a, b in zip(v, x)]
    return [dot(v, y) for y in items]


def dot(x, y):
    """The inner product of two sequences."""
    return sum((a * b for a, b in zip(x[1:], y[1:])), x[0] * y[0])


def normalized(K: arb_mat) -> arb_mat:
    """K_ij / K_ii."""
    return arb_mat([[y / row[i] for y in row] for i, row in enumerate(K.tolist())])


@PAPER.identity(
    source="implications for transfer learning and generalisation",
    fidelity="derived",
    evidence="certified",
    domain={
        "lam": Choices(Q(-200), Q(200), Q(2), Q(-2), Q(1, 1000)),
        "start": Given(lambda: starts(SHAPE)),
        "bases": BASES,
    },
    quick=5,
    full=50,
    part="pipeline",
    method="the whole pipeline in balls: closed form at all late times, W_1 as the root of W_1^T W_1 (a rotation of the hidden layer changes no "
    "prediction), gradient descent of the readout",
    hypotheses="N_i = N_h = N_o = 4, singular values 2, 1.5, 0.9, 0.5",
)
def transfer_generalisation(lam, start, bases, *, flipped=1):
    r"""After convergence, freeze $W_1$ and train a scalar readout $v$ from 0 on one item $x_i = e_i$ with target 1. The prediction on item
    $j$ tends to $K_{ij} / K_{ii}$ with $K = W_1^\top W_1(\infty) = \tilde V (S_\lambda - \frac\lambda2) \tilde V^\top$. Hence, for
    $N_i = N_h = N_o$, it tends to $\delta_{ij}$ (no transfer) as $\lambda \to -\infty$, to
    $(\Sigma^\top \Sigma)_{ij} / (\Sigma^\top \Sigma)_{ii}$ as $\lambda \to +\infty$ (both with error $\Theta(\lambda^{-2})$), and to
    $(\Sigma^\top \Sigma)^{1/2}_{ij} / (\Sigma^\top \Sigma)^{1/2}_{ii}$ as $\lambda \to 0$ (error $\Theta(\lambda)$).
    """
    task, weights = task_of(bases), network(start, lam)

    def difference() -> arb_mat:
        with precision(BITS):
            reached = blocks(closed_form(weights, task, lam, late(task, lam, 90), forever=True), 4).inputs
            symmetric = (reached + reached.transpose()) * arb(Q(1, 2))
            W1 = verified_sqrt(symmetric)
            predictions = arb_mat([trained(W1, i) for i in range(4)])
            return predictions - normalized(limit(task, lam * flipped).inputs)

    return eq(difference, [[0] * 4] * 4, within=Q(1, 10**20))


transfer_generalisation.mutant("sign of lambda flipped in K", flipped=-1, breaks="pipeline")
transfer_generalisation.mutant("lambda 5 % too large in K", flipped=Q(21, 20), breaks="pipeline")


def generic(bases) -> bool:
    """No entry of V vanishes, so that no two items are unrelated."""
    return all(x != 0 for x in bases[0].entries())


LIMITS = {"no transfer": 0, "covariance of the task": 2, "root of the covariance": 1}


@transfer_generalisation.check("limits", domain={"bases": BASES}, where=generic, accept=0.2, quick=3, full=30)
def _limits(bases, *, exchanged=False, lazy=-2, rich=1):
    task = task_of(bases)
    V = task.right

    def distances(name, sizes):
        def thunk():
            with precision(BITS):
                powers = ball_diagonal([s ** LIMITS[name] for s in VALUES])
                goal = normalized(to_arb_mat(V) * powers * to_arb_mat(V.transpose()))
                return [norm(normalized(limit(task, lam).inputs) - goal) for lam in sizes]

        return thunk

    large, small = [Q(10) ** j for j in (2, 3, 4)], [Q(1, 10**j) for j in (3, 4, 5)]
    sign = 1 if exchanged else -1
    for name, sizes, exponent in (
        ("no transfer", [sign * x for x in large], lazy),
        ("covariance of the task", [-sign * x for x in large], lazy),
        ("root of the covariance", small, rich),
    ):
        yield name, slope([abs(x) for x in sizes], distances(name, sizes), exponent, within=Q(1, 50))


transfer_generalisation.mutant("limits exchanged", exchanged=True, breaks=("no transfer", "covariance of the task"))
transfer_generalisation.mutant("lazy error of exponent -1", lazy=-1, breaks=("no transfer", "covariance of the task"))
transfer_generalisation.mutant("rich error of exponent 2", rich=2, breaks="root of the covariance")


@transfer_generalisation.proof(
    "trained readout",
    covers="all hidden sizes, all rates, every step",
    rests_on=("v stays on the line of x_i = W_1 e_i, because it starts at 0 and every gradient is a multiple of x_i",),
)
def _readout():
    """c -> c + eta (1 - c K_ii) for v = c x_i has the error 1 - c K_ii multiplied by 1 - eta K_ii, and predicts c K_ij."""
    c, eta, K = symbols("c eta K_ii")
    return eq(1 - (c + eta * (1 - c * K)) * K, (1 - eta * K) * (1 - c * K))
