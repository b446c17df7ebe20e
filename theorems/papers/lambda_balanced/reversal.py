"""Retraining: reversal of a learned task, and forgetting of a first task after a second."""

from __future__ import annotations

from functools import cache

from flint import arb, arb_mat

from solvers.enclosures import integrate, precision
from solvers.exact_linalg import frobenius_squared, to_arb_mat
from solvers.linear_networks import (
    Task,
    Weights,
    aligned_values,
    ball_diagonal,
    blocks,
    closed_form,
    coupling,
    loss,
    riccati,
    riccati_of_gram,
)
from theorems import Choices, Given, Q, bracket, eq, le, lt, slope, symbols
from theorems.papers.lambda_balanced.mode_limits import ball_clock
from theorems.papers.lambda_balanced.networks import BITS, HALF, network, rotations, starts, tasks
from theorems.papers.lambda_balanced.paper import PAPER
from theorems.papers.lambda_balanced.representation import late

LONG_BITS = 1200  # the Riccati form loses about 3 t |F| bits
TIMES = (Q(5), Q(20), Q(80))
DECADES = (2, 3, 4, 5, 6)


def reversal_time(goal, lam) -> arb:
    """The time in which s goes from -s~ to s~/2: int ds / ((s~ - s) sqrt(lambda^2 + 4 s^2)), elementary."""
    goal, lam = arb(goal), abs(arb(lam))
    return ball_clock(goal, lam, goal / 2) - ball_clock(goal, lam, -goal)


@PAPER.transition(
    source="reversal learning and continual learning; constants derived",
    fidelity="derived",
    evidence="certified",
    domain={"goal": Choices(Q(3, 2), Q(1), HALF)},
    quick=3,
    full=3,
    part="reversal of one mode",
    method="the reversal time is elementary; matrices in 1200-bit balls from the Riccati form, which exists where B is singular; limits after "
    "convergence from the closed form at all late times",
    hypotheses="aligned reversal: the network has converged on Sigma with balance lambda, then the sign of Sigma is changed",
    not_established="'stuck for ever' at lambda = 0 is proved for one mode (closed form), and seen up to t = 80 for matrices; convergence for every "
    "lambda != 0 is the statement (iii) of zero-balance-determinant-obstruction",
)
def reversal_and_continual(goal, *, share=1, constant=8):
    r"""(a) Reversal: a network that has converged on $\Sigma$ and is retrained on $-\Sigma$ ends at the loss $\frac12 \|\Sigma\|_F^2$ (the
    saddle at 0, $B$ singular) iff $\lambda = 0$; for every $\lambda \ne 0$ the loss goes to 0. Per mode, the time in which $s$ goes
    from $-\tilde s$ to $\tilde s/2$ (target $\tilde s$) is
    $$T(\lambda) = \tfrac{1}{\sqrt{\lambda^2 + 4\tilde s^2}} \ln \frac{2 (\lambda^2 + 2\tilde s^2 + \sqrt{(\lambda^2 + 4\tilde s^2)
    (\lambda^2 + \tilde s^2)})}{\lambda^2} = \frac{1}{\tilde s} \ln \frac{1}{|\lambda|} + \frac{\ln(8\tilde s^2)}{2\tilde s}
    + O(\lambda^2 \ln \tfrac1{|\lambda|})$$ as $\lambda \to 0$; at $\lambda = 0$, $s(t) = -\tilde s / (2e^{2\tilde s t} - 1)$.
    (b) Continual learning: after convergence on $\Sigma_1$ and then on $\Sigma_2$ the loss on the first task is
    $\frac12 \|\Sigma_1 - \Sigma_2\|_F^2$ for every $\lambda$, while the transient loss does depend on $\lambda$.
    """
    lams = [Q(1, 10**j) for j in DECADES]

    def times():
        with precision(BITS):
            return [reversal_time(goal, lam) for lam in lams]

    yield "slope of T", slope(lams, times, -share / goal, within=Q(1, 1000), axes="semilogx")

    def rests():
        with precision(BITS):
            known = (constant * goal * goal * arb(1)).log() / (2 * goal)
            return [abs(T + arb(lam).log() / goal - known) for T, lam in zip(times(), lams)]

    yield "rest of T", slope(lams, rests, 2, within=Q(1, 20), logs=1)


reversal_and_continual.mutant("slope 1/(2 s)", share=HALF, breaks="slope of T")
reversal_and_continual.mutant("slope 1 % off", share=Q(101, 100), breaks="slope of T")
reversal_and_continual.mutant("constant without the 8", constant=1, breaks="rest of T")
reversal_and_continual.mutant("constant ln(4 s^2)/(2 s)", constant=4, breaks="rest of T")


@reversal_and_continual.proof(
    "stuck mode without balance",
    covers="all s > 0, all t >= 0",
    rests_on=(
        "s(t) = -s~/(2 e^{2 s~ t} - 1) is negative for t >= 0, so that sqrt(4 s^2) = -2 s",
        "it tends to 0, and the loss to s~^2/2",
    ),
)
def _stuck_mode(*, two=2, power=1):
    import sympy

    goal, t = symbols("s", positive=True), symbols("t", nonnegative=True)
    s = -goal / (two * sympy.exp(2 * power * goal * t) - 1)
    yield eq(s.diff(t), (goal - s) * (-2 * s))
    yield eq(s.subs(t, 0), -goal)


reversal_and_continual.mutant("-s~/(3 e^{2 s~ t} - 1)", two=3, breaks="stuck mode without balance")
reversal_and_continual.mutant("-s~/(2 e^{4 s~ t} - 1)", power=2, breaks="stuck mode without balance")


@reversal_and_continual.crosscheck(
    "reversal time by integration", domain={"lam": Choices(Q(1, 100), HALF, Q(-2))}, quick=3, full=3
)
def _integral(lam):
    def difference() -> arb:
        with precision(160):
            goal = Q(3, 2)
            integral = integrate(
                lambda x: 1 / ((goal - x) * (lam * lam + 4 * x * x).sqrt()), -goal, goal / 2, tolerance_bits=120
            )
            return integral - reversal_time(goal, lam)

    return eq(difference, 0, within=Q(1, 10**25))


@reversal_and_continual.proof(
    "reversal time",
    covers="all s > 0, all lambda > 0",
    rests_on=("the antiderivative of aligned-mode-dynamics-limits",),
)
def _reversal_time(*, front=2):
    """The argument of the logarithm at s~/2 over the one at -s~."""
    import sympy

    goal, lam = symbols("s lambda", positive=True)
    c = sympy.sqrt(lam**2 + 4 * goal**2)

    def inside(x, root):
        return (lam**2 + 4 * goal * x + c * root) / (goal - x)

    ratio = inside(goal / 2, sympy.sqrt(lam**2 + goal**2)) / inside(-goal, c)
    yield eq(ratio, front * (lam**2 + 2 * goal**2 + c * sympy.sqrt(lam**2 + goal**2)) / lam**2)


reversal_and_continual.mutant("T without the factor 2 in the logarithm", front=1, breaks="reversal time")


def learned_weights(R, task: Task, lam) -> Weights:
    """Weights that have converged on the negative of the task: W2 W1 = -Sigma, balance lambda (balls)."""
    pairs = [aligned_values(-s, lam) for s in task.s]
    return Weights(
        to_arb_mat(R) * ball_diagonal([a for a, _ in pairs]) * to_arb_mat(task.right).transpose(),
        to_arb_mat(task.left) * ball_diagonal([b for _, b in pairs]) * to_arb_mat(R).transpose(),
    )


SQUARE = (3, 3, 3)
SIZES = (Q(2), Q(1), HALF)


def reversal_losses(R, V, U, lam):
    """The losses at the times TIMES as shares of |Sigma|_F^2 / 2."""
    with precision(LONG_BITS):
        task = Task(V, U, SIZES)
        weights = learned_weights(R, task, lam)
        whole = frobenius_squared(task.Sigma) / 2
        reached = [riccati(weights.stacked, coupling(task.Sigma, lam), t) for t in TIMES]
        return [loss(blocks(M, 3).product, task.Sigma) / whole for M in reached]


@reversal_and_continual.check(
    "reversal of a matrix", domain={"R": rotations(3), "V": rotations(3), "U": rotations(3)}, quick=1, full=10
)
def _matrix_reversal(R, V, U, *, recovers=False, threshold=0):
    losses = cache(lambda lam: reversal_losses(R, V, U, lam))
    tiny = Q(1, 10**8)
    for sign in (1, -1):
        control = sorted(sign * x for x in (Q(0), tiny, HALF, Q(2)))
        ends = (Q(0), tiny) if not threshold else (tiny, HALF)
        below, above = sorted(sign * x for x in ends)
        yield (
            "learned iff lambda != 0",
            bracket(
                sign * threshold,
                control,
                lambda lam: losses(lam)[-1],
                level=HALF,
                below=below,
                above=above,
                rising=sign < 0,
            ),
        )
    predicted = [0] * 3 if recovers else saddle_losses()
    yield "stuck without balance", eq(losses(Q(0)), predicted, within=Q(1, 10**30))
    chains = [losses(lam) for lam in (Q(0), tiny, -tiny, HALF, Q(-2))]
    yield "loss falls", lt([x for c in chains for x in c[1:]], [x for c in chains for x in c[:-1]])


def saddle_losses() -> list[arb]:
    """The losses at the times TIMES if every mode follows s = -s~/(2 e^{2 s~ t} - 1), as shares of |Sigma|_F^2 / 2."""
    with precision(LONG_BITS):
        gaps = [[s + s / (2 * (2 * s * t * arb(1)).exp() - 1) for s in SIZES] for t in TIMES]
        return [sum((x * x for x in row), arb(0)) / sum(s * s for s in SIZES) for row in gaps]


reversal_and_continual.mutant("lambda = 0 recovers", recovers=True, breaks="stuck without balance")
reversal_and_continual.mutant("a threshold at |lambda| = 1/4", threshold=Q(1, 4), breaks="learned iff lambda != 0")


def converged(task: Task, lam) -> Weights:
    """Weights with the limits of Q Q^T on a task (up to a rotation of the hidden layer, which no Q Q^T sees)."""
    pairs = [aligned_values(s, lam) for s in task.s]
    return Weights(
        ball_diagonal([a for a, _ in pairs]) * to_arb_mat(task.right).transpose(),
        to_arb_mat(task.left) * ball_diagonal([b for _, b in pairs]),
    )


CONTINUAL = PAPER.family(
    "two-tasks",
    lam=Choices(Q(-2), HALF, Q(3)),
    start=Given(lambda: starts(SQUARE)),
    first=Given(lambda: tasks(SQUARE)),
    second=Given(lambda: tasks(SQUARE)),
    quick=3,
    full=30,
)


@reversal_and_continual.check("continual learning", family=CONTINUAL)
def _continual(lam, start, first, second, *, forgetting="distance"):
    weights, one, two = network(start, lam), Task(*first), Task(*second)

    def after_first() -> arb_mat:
        with precision(BITS):
            Q1 = converged(one, lam).stacked
            return closed_form(weights, one, lam, late(one, lam, 90), forever=True) - Q1 * Q1.transpose()

    yield "first task", eq(after_first, [[0] * 6] * 6, within=Q(1, 10**20))
    goal = {
        "distance": frobenius_squared(one.Sigma - two.Sigma) / 2,
        "sum": (frobenius_squared(one.Sigma) + frobenius_squared(two.Sigma)) / 2,
    }[forgetting]

    def after_second() -> arb:
        with precision(BITS):
            reached = closed_form(converged(one, lam), two, lam, late(two, lam, 90), forever=True)
            return loss(blocks(reached, 3).product, one.Sigma) - goal

    yield "forgetting", eq(after_second, 0, within=Q(1, 10**12))


reversal_and_continual.mutant("forgetting (|Sigma_1|^2 + |Sigma_2|^2)/2", forgetting="sum", breaks="forgetting")


@reversal_and_continual.check("transient", family=CONTINUAL)
def _transient(lam, first, second, *, other=None):
    """The loss on the first task at t = 1/2 of training on the second: closed form against Riccati form."""
    one, two = Task(*first), Task(*second)

    def difference() -> arb:
        with precision(BITS):
            claimed = HALF if other and lam != HALF else lam  # whose transient is taken
            forgotten = loss(blocks(closed_form(converged(one, claimed), two, claimed, HALF), 3).product, one.Sigma)
            reached = riccati(converged(one, lam).stacked, coupling(two.Sigma, lam), HALF)
            return forgotten - loss(blocks(reached, 3).product, one.Sigma)

    return eq(difference, 0, within=Q(1, 10**60))


reversal_and_continual.mutant("the transient does not depend on lambda", other=True, breaks="transient")


@reversal_and_continual.crosscheck(
    "continual learning from the Riccati form",
    domain={
        "lam": Choices(HALF, Q(-2), Q(3)),
        "start": Given(lambda: starts(SQUARE)),
        "first": Given(lambda: tasks(SQUARE)),
        "second": Given(lambda: tasks(SQUARE)),
    },
    quick=1,
    full=10,
)
def _continual_riccati(lam, start, first, second):
    weights, one, two = network(start, lam), Task(*first), Task(*second)

    def excess() -> arb:
        with precision(LONG_BITS):
            R1 = riccati(weights.stacked, coupling(one.Sigma, lam), Q(60))
            R2 = riccati_of_gram(R1, coupling(two.Sigma, lam), Q(60))
            forgotten = loss(blocks(R2, 3).product, one.Sigma)
            return abs(forgotten - frobenius_squared(one.Sigma - two.Sigma) / 2)

    return le(excess, Q(1, 10**12))
