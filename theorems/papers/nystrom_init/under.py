"""With too few columns the rate is linear, and known: half of one plus the quotient of the eigenvalues at the cut."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flint import arb, arb_mat, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import diagonal, identity, inverse, to_arb_mat
from solvers.scaled_descent import symmetric_steps
from theorems import ByBudget, Choices, Given, Q, curve, eq, le, shared, slope, symbolic, symbols
from theorems.papers.nystrom_init.instances import HALF, ONE, frobenius, generic
from theorems.papers.nystrom_init.paper import PAPER

WINDOW = (Q(1, 10**25), Q(1, 10**35))  # of the tail, where rates are measured
NEAR = Q(1, 10**8)
LONGEST = 8000

# Spectrum of A, number of columns, working precision (the balls lose about a bit with every step).
SHORT = (
    ((ONE, HALF, Q(1, 4)), 1, 1200),
    ((Q(2), Q(3, 2), Q(3, 5), Q(1, 10)), 2, 1200),
    ((ONE, ONE, Q(2, 5)), 2, 1200),
    ((ONE, Q(9, 10), Q(3, 10)), 1, 2600),
)
LONG = (((Q(2), Q(3, 2), Q(7, 5), Q(1, 10)), 2, 6000), ((ONE, Q(97, 100), Q(1, 5)), 1, 12000))


@shared
def decay(case: Any, Omega: fmpq_mat) -> tuple[tuple[int, arb, arb, arb], ...]:
    """(t, tail, weak-optimality error, error of the top block) at six times within the window, in balls."""
    spectrum, r, bits = case
    A = diagonal(spectrum)
    A_inverse, top = inverse(A), diagonal(spectrum[:r])
    with precision(bits):
        rows, window = [], []
        for t, X in enumerate(islice(symmetric_steps(to_arb_mat(A * Omega), A, HALF), LONGEST)):
            rows = X.tolist()
            size = frobenius(arb_mat(rows[r:]))
            if size < WINDOW[0]:
                window.append((t, X, size))
            if size < WINDOW[1]:
                break
        times = window[:: (len(window) - 1) // 5]
        found = []
        for t, X, size in times:
            head = arb_mat(X.tolist()[:r])
            weak = frobenius(X.transpose() * A_inverse * X - identity(r))
            found.append((t, size, weak, frobenius(head * head.transpose() - top)))
        return tuple(found)


@PAPER.rate(
    source="under-parametrised problems: weak optimality X^T A^+ X = I, linear convergence; the constant is derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "case": ByBudget(quick=Choices(*SHORT), full=Choices(*SHORT, *LONG)),
        "Omega": Given(lambda case: generic(len(case[0]), case[1])),
    },
    quick=4,
    full=24,
    part="tail",
    method="ball iterations with rational data in the eigenbasis of A, until the tail falls from 1e-25 to 1e-35; least-squares slopes of logarithms; the "
    "linearisation in symbols for r <= 2",
    hypotheses="eta = 1/2, A positive definite (its kernel would decay by 1/2), lambda_r > lambda_{r+1}; generic: no entry and no minor of order r of "
    "Omega vanishes",
    not_established="convergence from every generic start; small gaps, which need long runs",
)
def under_param_linear_rate(case, Omega, *, rate="half", cut="r", weak_power=2, scale=ONE):
    r"""Symmetric ScaledGD with $\eta = \frac12$ and $r < r_A$ from $X_0 = A\Omega$, $\Omega$ generic, $\lambda_r > \lambda_{r+1}$: $X_tX_t^\top$
    converges to the best approximation of rank $r$. The component of $X_t$ in the eigenvectors beyond the $r$-th decays with asymptotic
    ratio $\rho = \frac12(1 + \lambda_{r+1}/\lambda_r)$ and the weak-optimality error $\|X_t^\top A^\dagger X_t - I\|_F$ with $\rho^2$: linearly, not
    quadratically.
    """
    spectrum, r, _ = case
    found = decay(case, Omega)
    times = [t for t, *_ in found]
    quotient = spectrum[r] / spectrum[r - 1 if cut == "r" else 0]
    rho = scale * ((1 + quotient) / 2 if rate == "half" else quotient)

    def logarithm(power):
        return lambda: power * arb(rho).log()

    yield "tail", slope(times, [x for _, x, *_ in found], logarithm(1), within=NEAR, axes="semilogy", spread=1)
    yield (
        "weak optimality",
        slope(times, [w for _, _, w, _ in found], logarithm(weak_power), within=NEAR, axes="semilogy", spread=1),
    )
    yield "best approximation", le([top for *_, top in found], Q(1, 10**45))
    yield curve(
        "Too few columns: the tail and the weak-optimality error",
        times,
        [x.log() / arb(10).log() for _, x, *_ in found],
        series=f"rho = {int(rho.p) / int(rho.q):g}",
        axes=("t", "log10 of the tail"),
    )


@under_param_linear_rate.proof(
    "linearisation",
    covers="r = 1 and r = 2, one coordinate of the tail, all eigenvalues > 0",
    rests_on=(
        "for every r the tail's step is delta -> (delta + Lambda_2 delta Lambda_1^{-1})/2 to first order, since (Phi^T Phi)^{-1} = Lambda_1^{-1} + O(delta^2); "
        "its largest factor is (1 + lambda_{r+1}/lambda_r)/2, and the weak-optimality error is of second order",
    ),
)
def _linearisation(*, scale=ONE):
    import sympy

    a, b, lam = symbols("a b lambda", positive=True)  # roots of the top eigenvalues, and an eigenvalue of the tail
    u, v = symbols("u v")
    Phi = sympy.Matrix([[a, 0], [0, b], [u, v]])
    for r, roots in ((1, (a,)), (2, (a, b))):
        part = Phi if r == 2 else sympy.Matrix([[a], [u]])
        tail = part[part.rows - 1, :]
        after = (tail + lam * tail * (part.T * part).inv()) * symbolic(HALF)
        variables = (u, v)[:r]
        derivative = [after[j].diff(x).subs({u: 0, v: 0}) for j in range(r) for x in variables]
        claimed = [
            symbolic(scale) * (1 + lam / roots[j] ** 2) / 2 if i == j else sympy.Integer(0)
            for j in range(r)
            for i in range(r)
        ]
        yield f"r = {r}", eq(derivative, claimed)


under_param_linear_rate.mutant("ratio of power iteration", rate="power", breaks="tail")
under_param_linear_rate.mutant("rho for the weak-optimality error", weak_power=1, breaks="weak optimality")
under_param_linear_rate.mutant("rho^1.9 for the weak-optimality error", weak_power=Q(19, 10), breaks="weak optimality")
under_param_linear_rate.mutant("lambda_1 in place of lambda_r", cut="first", breaks="tail")
under_param_linear_rate.mutant("rho 0.001 % larger", scale=Q(100001, 100000), breaks="tail")
under_param_linear_rate.mutant("linearisation 1 % larger", scale=Q(101, 100), breaks="r = 2")
