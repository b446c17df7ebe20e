"""The exact solution: Taylor coefficients of the flow against the Riccati form, and the closed form in singular values."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mat

from solvers.enclosures import precision
from solvers.free_algebra import letters, rewritten, transposed
from solvers.linear_networks import (
    Task,
    Weights,
    closed_form,
    coupling,
    flow_series,
    riccati,
    riccati_series,
    starting_matrices,
)
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, dyadic, eq, symbols
from theorems.papers.lambda_balanced.networks import BITS, B_invertible, network, signed, starts, tasks, zeros
from theorems.papers.lambda_balanced.paper import PAPER

SHAPES = ((3, 2, 2), (2, 2, 3), (2, 2, 2), (3, 3, 3), (4, 2, 2))
ORDER = 10
RADIUS = Q(1, 10**60)


@PAPER.identity(
    source="main theorem: exact solution for lambda-balanced initializations",
    fidelity="derived",
    evidence="certified",
    domain={
        "shape": Choices(*SHAPES),
        "lam": Choices(Q(-3), Q(1, 2), Q(2), Q(0)),
        "start": Given(starts),
        "Sigma": Given(lambda shape: Arrays(Integers(-3, 3), (shape[2], shape[0]))),
    },
    quick=15,
    full=150,
    part="Taylor coefficients",
    method="exact rational weights; power series of the flow and of the Riccati form up to order 10; the closed form follows from the "
    "Riccati form by an identity of non-commuting polynomials, and is compared with it in 400-bit balls",
    hypotheses="N_h = min(N_i, N_o); B invertible for the closed form (not for the Riccati form); the case N_i != N_o is derived, "
    "the square case is the paper's",
)
def exact_qqt_solution(shape, lam, start, Sigma, *, scaled=1, share=1, unbalanced=0):
    r"""Let $W_2(0)^\top W_2(0) - W_1(0) W_1(0)^\top = \lambda I$, $\Sigma = \tilde U \tilde S \tilde V^\top$ of rank
    $N_h = \min(N_i, N_o)$, $S_\lambda = \sqrt{\tilde S^2 + \lambda^2/4}$, $H = (2S_\lambda - 2\tilde S)/\lambda$ ($0$ if $\lambda = 0$),
    $G = (I + H^2)^{-1/2}$, $G_\mp = G \mp HG$, and let $B = W_2(0)^\top \tilde U G_+ + W_1(0) \tilde V G_-$ be invertible,
    $C = W_2(0)^\top \tilde U G_- - W_1(0) \tilde V G_+$. For all $t \ge 0$, $QQ^\top(t) = Z K^{-1} Z^\top$ with $e = e^{-S_\lambda t}$,
    $X = e C^\top B^{-\top} e$,
    $$Z = \begin{pmatrix} \tilde V (G_- - G_+ X) \\ \tilde U (G_+ + G_- X) \end{pmatrix}
    + 2 O_\perp e^{\lambda_\perp t} O_\perp^\top Q_0 B^{-\top} e,$$
    $$K = 4 e B^{-1} B^{-\top} e + (I - e^2) S_\lambda^{-1} + e B^{-1} C (I - e^2) S_\lambda^{-1} C^\top B^{-\top} e
    + 4 \frac{e^{2\lambda_\perp t} - 1}{2\lambda_\perp} e B^{-1} Q_0^\top O_\perp O_\perp^\top Q_0 B^{-\top} e,$$
    where $O_\perp = [\tilde V_\perp; 0]$, $\lambda_\perp = -\lambda/2$ if $N_i > N_o$; $O_\perp = [0; \tilde U_\perp]$,
    $\lambda_\perp = \lambda/2$ if $N_o > N_i$; both terms are absent if $N_i = N_o$ (at $\lambda_\perp = 0$ the quotient is $t$). For every
    $\Sigma$, of any rank, $QQ^\top(t)$ is the Riccati form of riccati-reduction, and its Taylor coefficients are those of the flow.
    """
    weights = network(start, lam)
    if unbalanced:
        W1 = fmpq_mat(weights.W1)
        W1[0, 0] += unbalanced
        weights = Weights(W1, weights.W2)
    flow = flow_series(weights, fmpq_mat(Sigma), ORDER)
    form = riccati_series(weights.stacked, coupling(fmpq_mat(Sigma), lam * scaled), ORDER, share=share)
    return eq(dyadic([M.tolist() for M in flow]), dyadic([M.tolist() for M in form]))


exact_qqt_solution.mutant("2 lambda in F", scaled=2, breaks="Taylor coefficients")
exact_qqt_solution.mutant("-lambda in F", scaled=-1, breaks="Taylor coefficients")
exact_qqt_solution.mutant("no lambda in F", scaled=0, breaks="Taylor coefficients")
exact_qqt_solution.mutant("M - I halved", share=Q(1, 2), breaks="Taylor coefficients", anywhere=True)
exact_qqt_solution.mutant(
    "balance broken: 1/7 added to an entry of W1(0)", unbalanced=Q(1, 7), breaks="Taylor coefficients"
)

TIME = ByBudget(quick=Q(3, 10), full=Choices(Q(3, 10), Q(2)))

GENERIC = PAPER.family(
    "closed-form",
    shape=Choices((3, 2, 2), (2, 2, 3), (2, 2, 2), (3, 3, 3), (4, 2, 2), (1, 1, 3)),
    lam=Choices(Q(-3), Q(1, 2), Q(2), Q(-9), Q(0)),
    start=Given(starts),
    task=Given(tasks),
    t=TIME,
    where=B_invertible,
    quick=30,
    full=300,
)

LARGE_BALANCE = PAPER.family(
    "large-balance",
    shape=Choices((3, 2, 2), (2, 2, 3), (4, 2, 2), (1, 1, 3)),
    lam=Choices(Q(-30), Q(30), Q(-12), Q(12)),
    start=Given(starts),
    task=Given(tasks),
    t=TIME,
    where=B_invertible,
    quick=8,
    full=80,
)


@exact_qqt_solution.check("closed form", family=(GENERIC, LARGE_BALANCE))
def _closed_form(lam, start, task, t, *, tilt=1, coupled=1, doubled=1, orthogonal=1):
    weights, target = network(start, lam), Task(*task)
    return agreement(weights, target, lam, t, tilt=tilt, coupled=coupled, doubled=doubled, orthogonal=orthogonal)


def agreement(weights, task, lam, t, *, doubled=1, **changes):
    """Closed form minus Riccati form, entry by entry, in balls."""

    def difference():
        with precision(BITS):
            F = coupling(task.Sigma, lam)
            return closed_form(weights, task, lam * doubled, t, **changes) - riccati(weights.stacked, F, t)

    return eq(difference, zeros(coupling(task.Sigma, lam)), within=RADIUS)


def nearly_singular(lam, start, task):
    """Whether |det B| < 1/1000 once the determinants of the initial product and of the task have different signs."""
    weights = network(start, lam)
    with precision(BITS):
        d = abs(starting_matrices(weights, signed(weights, Task(*task), -1), lam)[0].det())
    return bool(d > 0 and d < Q(1, 1000))


@exact_qqt_solution.check(
    "B nearly singular",
    domain={
        "shape": Choices((2, 2, 2), (3, 3, 3)),
        "lam": Choices(Q(1, 10**6), Q(-1, 10**6), Q(-1, 10**12)),
        "start": Given(starts),
        "task": Given(tasks),
        "t": TIME,
    },
    where=nearly_singular,
    accept=0.5,
    quick=6,
    full=60,
)
def _nearly_singular(lam, start, task, t):
    weights = network(start, lam)
    target = signed(weights, Task(*task), -1)
    return agreement(weights, target, lam, t)


exact_qqt_solution.mutant("H = 0 (the 0-balanced eigenvectors)", tilt=0, breaks="closed form")
exact_qqt_solution.mutant("C = 0", coupled=0, breaks="closed form")
exact_qqt_solution.mutant("2 lambda in the closed form", doubled=2, breaks="closed form")
exact_qqt_solution.mutant("terms on O_perp dropped", orthogonal=0, breaks="closed form")
exact_qqt_solution.mutant("H 5 % too large", tilt=Q(21, 20), breaks="closed form")


@exact_qqt_solution.proof("eigenvectors of F", covers="each singular direction: all s > 0, all lambda != 0")
def _eigenvectors(*, corner=1):
    import sympy

    s, lam = symbols("s", positive=True), symbols("lambda")
    r = sympy.sqrt(s**2 + lam**2 / 4)
    h = (2 * r - 2 * s) / lam
    minus, plus, half = 1 - h, 1 + h, corner * lam / 2  # G_- / G and G_+ / G
    yield eq(-half * minus + s * plus, r * minus)
    yield eq(s * minus + half * plus, r * plus)
    yield eq(-half * plus - s * minus, -r * plus)
    yield eq(s * plus - half * minus, r * minus)
    yield eq((minus**2 + plus**2) / (1 + h**2), 2)  # O_+ and O_- have orthonormal columns


exact_qqt_solution.mutant(
    "F with -+lambda on its diagonal has these eigenvectors", corner=2, breaks="eigenvectors of F"
)


@exact_qqt_solution.proof(
    "closed form from the Riccati form",
    covers="all shapes, every t, every Q_0 for which B is invertible",
    rests_on=(
        "F = O_+ S O_+^T - O_- S O_-^T + lambda_perp O_perp O_perp^T with O_+ = [V G_-; U G_+]/sqrt 2, O_- = [V G_+; -U G_-]/sqrt 2, and "
        "[O_+, O_-, O_perp] is orthogonal (eigenvectors of F)",
        "sqrt 2 O_+^T Q_0 = B^T and sqrt 2 O_-^T Q_0 = -C^T by the definitions of B and C, hence "
        "Q_0 = (O_+ B^T - O_- C^T)/sqrt 2 + O_perp Y with Y = O_perp^T Q_0",
        "Z K^-1 Z^T = P M^-1 P^T once Z = 2 P B^-T e and K = 4 e B^-1 M B^-T e",
    ),
)
def _from_riccati(*, four=4):
    """With the letters p, m, o for sqrt 2 O_+, sqrt 2 O_-, O_perp; e = e^{-St}, i its inverse, T the inverse of S_lambda."""
    import sympy

    p, m, o, e, i, T, B, D, C, Y = letters("p m o e i T B D C Y")  # D is the inverse of B
    partner = {x: x + "t" for x in ("p", "m", "o", "B", "D", "C", "Y")}
    pt, mt, ot, Bt, Dt, Ct, Yt = (transposed(x, partner) for x in (p, m, o, B, D, C, Y))
    E, g = symbols("E g")  # e^{lambda_perp t}, and the integral of its square
    half = sympy.Rational(1, 2)
    rules: dict[tuple[str, ...], Any] = {
        ("B", "D"): 1,
        ("D", "B"): 1,
        ("Bt", "Dt"): 1,
        ("Dt", "Bt"): 1,
        ("e", "i"): 1,
        ("i", "e"): 1,
    }
    rules |= {("T", "e"): e * T, ("T", "i"): i * T}
    rules |= {("pt", "p"): 2, ("mt", "m"): 2, ("ot", "o"): 1}
    rules |= {(a, b): 0 for a in ("pt", "mt", "ot") for b in ("p", "m", "o") if a[0] != b}
    Q0 = (p * Bt - m * Ct) * half + o * Y  # each of p, m carries a factor sqrt 2
    flow = (p * i * pt + m * e * mt) * half + o * ot * E  # e^{Ft}
    grown = (p * (i * i - 1) * T * pt + m * (1 - e * e) * T * mt) * (half * half) + o * ot * g  # int_0^t e^{2Fs} ds
    Q0t = transposed(Q0, partner)
    yield "Z", eq(*sides(flow * Q0 * Dt * e * 2, p - m * e * Ct * Dt * e + o * Y * Dt * e * (2 * E), rules))
    M = 1 + Q0t * grown * Q0
    rest = (1 - e * e) * T
    K = e * D * Dt * e * four + rest + e * D * C * rest * Ct * Dt * e + e * D * Yt * Y * Dt * e * (four * g)
    yield "K", eq(*sides(e * D * M * Dt * e * 4, K, rules))


def sides(left, right, rules):
    """The coefficients of the difference of two rewritten polynomials, and zeros."""
    coefficients = rewritten(left - right, rules).coefficients()
    return coefficients, [0] * len(coefficients)


exact_qqt_solution.mutant("2 e B^-1 B^-T e in K", four=2, breaks="K")
