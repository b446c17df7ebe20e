"""Weights aligned with the task: every singular value follows a scalar equation."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat

from solvers.enclosures import integrate, precision
from solvers.exact_linalg import to_arb_mat
from solvers.free_algebra import letters, rewritten, transposed
from solvers.linear_networks import Task, Weights, aligned_values, ball_diagonal, coupling, riccati
from theorems import Choices, Given, Q, Rationals, eq, symbols
from theorems.papers.lambda_balanced.networks import BITS, rotations, tasks, zeros
from theorems.papers.lambda_balanced.paper import PAPER

QUARTER = Q(1, 4)


@PAPER.identity(
    source="dynamics of singular values for task-aligned initializations",
    fidelity="recalled",
    evidence="proved",
    method="derivatives in symbols; alignment by non-commuting polynomials; cross-checks in balls: the time as an integral, and the matrix "
    "solution from its Riccati form",
)
def aligned_mode_dynamics():
    r"""Let $W_1(0) = R S_1 \tilde V^\top$, $W_2(0) = \tilde U S_2 R^\top$ with $R$ orthogonal and $S_2^2 - S_1^2 = \lambda I$. Then
    $W_2 W_1(t) = \tilde U\, \mathrm{diag}(s_i(t)) \tilde V^\top$ and each $s$ solves $\dot s = (\tilde s - s) \sqrt{\lambda^2 + 4s^2}$. With
    $q = (a_1(0), a_2(0))^\top$, $F_2 = \begin{pmatrix} -\lambda/2 & \tilde s \\ \tilde s & \lambda/2 \end{pmatrix}$,
    $k^2 = \tilde s^2 + \lambda^2/4$, $P = (\cosh kt)\, q + \frac{\sinh kt}{k} F_2 q$ and
    $M = 1 + \frac{1}{2k^2} (P^\top F_2 P - q^\top F_2 q)$ the solution is $s = P_1 P_2 / M$, where
    $a_{1,2}(0)^2 = \frac12 (\sqrt{\lambda^2 + 4s_0^2} \mp \lambda)$.
    """


@aligned_mode_dynamics.proof(
    "alignment is preserved",
    covers="all shapes",
    rests_on=("the flow of (S_1, S_2) is unique, so weights of the aligned form stay of this form",),
)
def _alignment(*, first="S2"):
    R, U, V, S1, S2, T = letters("R U V S1 S2 T")
    partner = {x: x + "t" for x in ("R", "U", "V")}
    Rt, Ut, Vt = (transposed(x, partner) for x in (R, U, V))
    rules: dict[tuple[str, ...], Any] = {("Rt", "R"): 1, ("Ut", "U"): 1, ("Vt", "V"): 1}
    rules |= {("S2", "S1"): S1 * S2, ("T", "S1"): S1 * T, ("S2", "T"): T * S2}
    W1, W2 = R * S1 * Vt, U * S2 * Rt
    error = U * T * Vt - W2 * W1
    W2t = R * (S2 if first == "S2" else S1) * Ut
    for change, form in (
        (W2t * error, R * S2 * (T - S2 * S1) * Vt),
        (error * V * S1 * Rt, U * (T - S2 * S1) * S1 * Rt),
    ):
        coefficients = rewritten(change - form, rules).coefficients()
        yield eq(coefficients, [0] * len(coefficients))


def closed(q1: Any, q2: Any, s: Any, lam: Any, k: Any, cosh: Any, sinh: Any) -> tuple[Any, Any, Any]:
    """P_1, P_2 and M for numbers of any kind."""
    half = lam / 2

    def applied(a, b):
        return s * b - half * a, s * a + half * b

    f1, f2 = applied(q1, q2)
    p1, p2 = cosh * q1 + sinh / k * f1, cosh * q2 + sinh / k * f2
    g1, g2 = applied(p1, p2)
    return p1, p2, 1 + (p1 * g1 + p2 * g2 - q1 * f1 - q2 * f2) / (2 * k * k)


@aligned_mode_dynamics.proof(
    "closed form",
    covers="all real starts (a_1, a_2), all s > 0, lambda = a_2^2 - a_1^2, all t >= 0",
)
def _closed_form(*, square=1):
    """P' = F_2 P, M' = |P|^2 and P_2^2 - P_1^2 = lambda M."""
    import sympy

    q1, q2 = symbols("a_1 a_2")
    s, t = symbols("s", positive=True), symbols("t", nonnegative=True)
    lam = q2**2 - q1**2
    k = sympy.sqrt(s**2 + square * lam**2 / 4)
    p1, p2, M = closed(q1, q2, s, lam, k, sympy.cosh(k * t), sympy.sinh(k * t))
    yield "P' = F_2 P", eq(p1.diff(t), s * p2 - lam / 2 * p1)
    yield "P' = F_2 P", eq(p2.diff(t), s * p1 + lam / 2 * p2)
    yield "M' = |P|^2", eq(M.diff(t), p1**2 + p2**2)
    yield "balance is conserved", eq(p2**2 - p1**2, lam * M)
    yield "start", eq((p1 * p2 / M).subs(t, 0), q1 * q2)


@aligned_mode_dynamics.proof(
    "scalar equation",
    covers="all P_1, P_2, all M > 0, all s > 0, with lambda M = P_2^2 - P_1^2",
    rests_on=(
        "the quotient rule for s = P_1 P_2 / M with the derivatives of the part `closed form`, and M = 1 + int |P|^2 >= 1",
        "the root of the square of the positive speed |P|^2 / M is the speed",
    ),
)
def _equation(*, root=4):
    p1, p2, s = symbols("P_1 P_2 s")
    M = symbols("M", positive=True)
    lam = (p2**2 - p1**2) / M
    value, speed = p1 * p2 / M, (p1**2 + p2**2) / M
    change = ((s * p2 - lam / 2 * p1) * p2 + p1 * (s * p1 + lam / 2 * p2)) / M - p1 * p2 * (p1**2 + p2**2) / M**2
    yield "s' = (s~ - s) |P|^2 / M", eq(change, (s - value) * speed)
    yield "square of the speed", eq(speed**2, lam**2 + root * value**2)


@aligned_mode_dynamics.proof("logistic law without balance", covers="all 0 < s_0 < s, all t >= 0")
def _logistic(*, balance=0):
    import sympy

    s0, gap = symbols("s_0 gap", positive=True)
    t = symbols("t", nonnegative=True)
    s = s0 + gap
    value = s * s0 * sympy.exp(2 * s * t) / (s - s0 + s0 * sympy.exp(2 * s * t))
    yield eq(value.diff(t), (s - value) * sympy.sqrt(balance**2 + 4 * value**2))


@aligned_mode_dynamics.proof("initial values", covers="all real lambda and s_0")
def _initial(*, four=4):
    import sympy

    lam, s0 = symbols("lambda s_0")
    root = sympy.sqrt(lam**2 + four * s0**2)
    first, second = (root - lam) / 2, (root + lam) / 2
    yield eq(first * second, s0**2)
    yield eq(second - first, lam)


aligned_mode_dynamics.mutant("k^2 = s^2 + lambda^2", square=4, breaks="P' = F_2 P")
aligned_mode_dynamics.mutant("sqrt(lambda^2 + s^2) in the equation", root=1, breaks="square of the speed")
aligned_mode_dynamics.mutant("sqrt(lambda^2 + 4.2 s^2) in the equation", root=Q(21, 5), breaks="square of the speed")
aligned_mode_dynamics.mutant(
    "logistic law solves the equation of lambda = 3/2", balance=Q(3, 2), breaks="logistic law without balance"
)
aligned_mode_dynamics.mutant("W_2^T = R S_1 U^T", first="S1", breaks="alignment is preserved")
aligned_mode_dynamics.mutant("a^2 = (sqrt(lambda^2 + s_0^2) -+ lambda)/2", four=1, breaks="initial values")


def mode(s: Any, s0: Any, lam: Any, t: Any, k_square: Any = QUARTER) -> arb:
    """The closed form in balls; all arguments exact or balls."""
    a1, a2 = aligned_values(s0, lam)
    s, lam, t = arb(s), arb(lam), arb(t)
    k = (s * s + lam * lam * arb(k_square)).sqrt()
    p1, p2, M = closed(a1, a2, s, lam, k, (k * t).cosh(), (k * t).sinh())
    return p1 * p2 / M


@aligned_mode_dynamics.crosscheck(
    "time as an integral",
    domain={
        "s": Choices(Q(1), Q(3, 2), Q(2), Q(2, 5)),
        "lam": Choices(Q(2), Q(-3, 2), Q(1, 10), Q(-10), Q(0)),
        "start": Rationals(Q(1, 20), Q(9, 20), 40),
        "stop": Rationals(Q(1, 2), Q(19, 20), 40),
    },
    quick=6,
    full=100,
)
def _time(s, lam, start, stop, *, k_square=QUARTER, coefficient=4, law="closed form"):
    """t = int ds / ((s~ - s) sqrt(lambda^2 + 4 s^2)) between two values of s, put into the closed form."""

    def reached() -> arb:
        with precision(160):
            clock = integrate(
                lambda x: 1 / ((s - x) * (lam * lam + coefficient * x * x).sqrt()),
                s * start,
                s * stop,
                tolerance_bits=140,
            )
            if law == "logistic":
                grown = start * (2 * s * clock).exp()
                return s * grown / (1 - start + grown) - s * stop
            return mode(s, s * start, lam, clock, k_square) - s * stop

    return eq(reached, 0, within=Q(1, 10**25))


@aligned_mode_dynamics.crosscheck(
    "matrix solution",
    domain={
        "shape": Choices((2, 2, 2), (3, 2, 2), (2, 2, 3), (3, 3, 3)),
        "lam": Choices(Q(-3, 2), Q(2), Q(0), Q(1, 2)),
        "R": Given(lambda shape: rotations(shape[1])),
        "task": Given(tasks),
        "s0": Choices(Q(1, 10), Q(3), Q(-1, 5)),
        "t": Choices(Q(7, 10), Q(2)),
    },
    quick=6,
    full=60,
)
def _matrix(R, lam, task, s0, t):
    target = Task(*task)
    n_i, starts = target.V.nrows(), [s0 + Q(i, 10) for i in range(len(target.s))]

    def difference() -> arb_mat:
        with precision(BITS):
            pairs = [aligned_values(x, lam) for x in starts]
            weights = Weights(
                to_arb_mat(R) * ball_diagonal([a for a, _ in pairs]) * to_arb_mat(target.right).transpose(),
                to_arb_mat(target.left) * ball_diagonal([b for _, b in pairs]) * to_arb_mat(R).transpose(),
            )
            reached = riccati(weights.stacked, coupling(target.Sigma, lam), t).tolist()
            product = arb_mat([row[:n_i] for row in reached[n_i:]])
            values = [mode(s, x, lam, t) for s, x in zip(target.s, starts)]
            return product - to_arb_mat(target.left) * ball_diagonal(values) * to_arb_mat(target.right).transpose()

    return eq(difference, zeros(target.Sigma), within=Q(1, 10**60))


aligned_mode_dynamics.mutant("k^2 = s^2 + lambda^2, at the integrated time", k_square=1, breaks="time as an integral")
aligned_mode_dynamics.mutant("sqrt(lambda^2 + s^2), integrated", coefficient=1, breaks="time as an integral")
aligned_mode_dynamics.mutant("logistic law for every lambda", law="logistic", breaks="time as an integral")
