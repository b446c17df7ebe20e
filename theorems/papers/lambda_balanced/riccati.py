"""Balance is conserved, and Q Q^T obeys a Riccati equation with an explicit solution."""

from __future__ import annotations

from typing import Any

from solvers.free_algebra import derivative, letters, rewritten, transposed
from theorems import Q, eq, matrix_symbols, symbols
from theorems.papers.lambda_balanced.paper import PAPER

PARTNER = {"W1": "W1t", "W2": "W2t", "S": "St"}


@PAPER.identity(
    source="base lemma and theorem on the Riccati form of the dynamics",
    fidelity="recalled",
    evidence="proved",
    method="polynomials in non-commuting letters (all shapes at once), and entry by entry in an exact ring for small shapes",
)
def riccati_reduction():
    r"""Let $\dot W_1 = W_2^\top(\Sigma - W_2 W_1)$, $\dot W_2 = (\Sigma - W_2 W_1) W_1^\top$, $Q = [W_1^\top; W_2]$ and
    $F = \begin{pmatrix} -\frac\lambda2 I & \Sigma^\top \\ \Sigma & \frac\lambda2 I \end{pmatrix}$. (i)
    $\frac{d}{dt}(W_2^\top W_2 - W_1 W_1^\top) = 0$. (ii) If this conserved matrix is $\lambda I$ then $\dot Q = FQ - \frac12 QQ^\top Q$, hence
    $\frac{d}{dt} QQ^\top = FQQ^\top + QQ^\top F - (QQ^\top)^2$; without the assumption
    $\dot Q - FQ + \frac12 QQ^\top Q = \frac12 [-W_1^\top; W_2] (W_2^\top W_2 - W_1 W_1^\top - \lambda I)$. (iii)
    $QQ^\top(t) = e^{Ft} Q_0 [I + Q_0^\top (\int_0^t e^{2Fs} ds) Q_0]^{-1} Q_0^\top e^{Ft}$ solves it, and for invertible $F$ the integral is
    $\frac12 (e^{Ft} F^{-1} e^{Ft} - F^{-1})$.
    """


def flow_of_letters():
    """W1, W2, Sigma, and the derivatives of W1, W2 and their transposes."""
    W1, W2, S = letters("W1 W2 S")
    W1t, W2t, _ = (transposed(x, PARTNER) for x in (W1, W2, S))
    error = S - W2 * W1
    rates = {"W1": W2t * error, "W2": error * W1t}
    rates |= {PARTNER[name]: transposed(rate, PARTNER) for name, rate in rates.items()}
    return W1, W2, S, rates


@riccati_reduction.proof("balance is conserved", covers="all shapes, all real matrices W1, W2, Sigma")
def _conserved(*, difference=-1):
    W1, W2, _, rates = flow_of_letters()
    conserved = transposed(W2, PARTNER) * W2 + W1 * transposed(W1, PARTNER) * difference
    residual = derivative(conserved, rates).coefficients()
    yield eq(residual, [0] * len(residual))


@riccati_reduction.proof("equation of Q", covers="all shapes, all real matrices W1, W2, Sigma, all real lambda")
def _equation(*, above=-1, below=1):
    import sympy

    W1, W2, S, rates = flow_of_letters()
    W1t, W2t, St = (transposed(x, PARTNER) for x in (W1, W2, S))
    lam, half = symbols("lambda"), sympy.Rational(1, 2)
    gram = W1 * W1t + W2t * W2  # Q^T Q
    top = rates["W1t"] - (W1t * (above * lam / 2) + St * W2 - W1t * gram * half)
    bottom = rates["W2"] - (S * W1t + W2 * (below * lam / 2) - W2 * gram * half)
    excess = W2t * W2 - W1 * W1t - lam
    for residual in (top + W1t * excess * half, bottom - W2 * excess * half):
        coefficients = residual.coefficients()
        yield "equation of Q", eq(coefficients, [0] * len(coefficients))
    balanced: dict[tuple[str, ...], Any] = {("W2t", "W2"): W1 * W1t + lam}
    for residual in (top, bottom):
        coefficients = rewritten(residual, balanced).coefficients()
        yield "equation of a balanced Q", eq(coefficients, [0] * len(coefficients))


@riccati_reduction.proof(
    "equation of Q Q^T",
    covers="all shapes",
    rests_on=("F is symmetric, so that d(Q Q^T)/dt = Q' Q^T + Q Q'^T with Q' = F Q - Q Q^T Q / 2",),
)
def _gram_equation(*, cubic=1):
    import sympy

    Y, F = letters("Y F")
    partner = {"Y": "Yt"}
    rate = F * Y - Y * transposed(Y, partner) * Y * (sympy.Rational(1, 2) * cubic)
    R = Y * transposed(Y, partner)
    change = derivative(R, {"Y": rate, "Yt": transposed(rate, partner)})
    coefficients = (change - (F * R + R * F - R * R)).coefficients()
    yield eq(coefficients, [0] * len(coefficients))


@riccati_reduction.proof(
    "solution",
    covers="all shapes, all symmetric F, every initial Q_0",
    rests_on=(
        "P = e^{Ft} Q_0 has P' = F P, and M = I + Q_0^T (int e^{2Fs}) Q_0 has M' = Q_0^T e^{2Ft} Q_0 = P^T P (e^{Ft} is symmetric) and "
        "(M^-1)' = -M^-1 M' M^-1; M >= I is invertible for t >= 0",
        "at t = 0 the formula gives Q_0 Q_0^T, and the solution of the differential equation is unique",
    ),
)
def _solution(*, share=1):
    P, Pt, N, F = letters("P Pt N F")  # N is the inverse of M
    rates = {"P": F * P, "Pt": Pt * F, "N": N * Pt * P * N * (-share)}
    R = P * N * Pt
    coefficients = (derivative(R, rates) - (F * R + R * F - R * R)).coefficients()
    yield eq(coefficients, [0] * len(coefficients))


@riccati_reduction.proof(
    "integral for invertible F",
    covers="all invertible F",
    rests_on=("E = e^{Ft} commutes with F, E' = F E, and both sides of the formula vanish at t = 0",),
)
def _integral(*, front=1):
    import sympy

    E, F, G = letters("E F G")  # G is the inverse of F
    rules: dict[tuple[str, ...], Any] = {("F", "E"): E * F, ("G", "E"): E * G, ("F", "G"): 1, ("G", "F"): 1}
    integral = (E * G * E - G) * (sympy.Rational(1, 2) * front)
    coefficients = rewritten(derivative(integral, {"E": F * E}) - E * E, rules).coefficients()
    yield eq(coefficients, [0] * len(coefficients))


@riccati_reduction.proof("entry by entry", covers="(N_i, N_h, N_o) in {(1,1,1), (2,1,2), (2,2,2), (3,2,2), (2,2,3)}")
def _entries(*, above=-1, below=1, difference=-1):
    import sympy

    lam = symbols("lambda")
    for n_i, n_h, n_o in ((1, 1, 1), (2, 1, 2), (2, 2, 2), (3, 2, 2), (2, 2, 3)):
        W1, W2, S = (matrix_symbols(x, *size) for x, size in (("A", (n_h, n_i)), ("B", (n_o, n_h)), ("S", (n_o, n_i))))
        error = S - W2 * W1
        d1, d2 = W2.T * error, error * W1.T
        change = d2.T * W2 + W2.T * d2 + difference * (d1 * W1.T + W1 * d1.T)
        yield eq(change, sympy.zeros(n_h, n_h))
        Y, rate = W1.T.col_join(W2), d1.T.col_join(d2)
        F = (sympy.eye(n_i) * (above * lam / 2)).row_join(S.T).col_join(S.row_join(sympy.eye(n_o) * (below * lam / 2)))
        excess = (-W1.T).col_join(W2) * (W2.T * W2 - W1 * W1.T - lam * sympy.eye(n_h)) / 2
        yield eq(rate, F * Y - Y * Y.T * Y / 2 + excess)


riccati_reduction.mutant("W2^T W2 + W1 W1^T conserved", difference=1, breaks="balance is conserved")
riccati_reduction.mutant(
    "diagonal block of F lambda for lambda/2", above=-2, below=2, breaks="equation of a balanced Q"
)
riccati_reduction.mutant("sign of lambda flipped in F", above=1, below=-1, breaks="equation of a balanced Q")
riccati_reduction.mutant("zero diagonal (the 0-balanced F)", above=0, below=0, breaks="equation of a balanced Q")
riccati_reduction.mutant("entries: zero diagonal", above=0, below=0, breaks="entry by entry")
riccati_reduction.mutant("cubic term Q Q^T Q for Q Q^T Q / 2", cubic=2, breaks="equation of Q Q^T")
riccati_reduction.mutant("M' halved", share=Q(1, 2), breaks="solution")
riccati_reduction.mutant("integral without its factor 1/2", front=2, breaks="integral for invertible F")
