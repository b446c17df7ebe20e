"""The error of symmetric ScaledGD from the Nystrom initialisation obeys an exact recursion, for every step and size."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import Any

from flint import fmpq_mat

from solvers.exact_linalg import pinv
from solvers.scaled_descent import symmetric_steps
from theorems import Q, eq, symbolic, symbols
from theorems.papers.nystrom_init.instances import HALF, ONE, QUARTER, SYMMETRIC, TWO, ZERO, first_columns
from theorems.papers.nystrom_init.letters import RULES, F, G, L, coefficients, moore_penrose, t
from theorems.papers.nystrom_init.letters import Q as basis
from theorems.papers.nystrom_init.paper import PAPER

STEPS = 2  # the digits double with each


@PAPER.identity(
    source="abstract: quadratic convergence of ScaledGD from the Nystrom initialisation, symmetric case; the recursion behind it",
    fidelity="derived",
    evidence="proved",
    method="polynomials in non-commuting letters, all sizes at once; rational problems with exact pseudo-inverses as cross-checks",
    hypotheses="X_0 = A Omega with rank(A Omega) = r_A <= r (almost surely for Gaussian Omega)",
    rests_on=(
        "rank(A Omega) = r_A puts X_0 = Q F with F of full row rank, where Q is an orthonormal basis of range(A)",
        "F_{t+1} = ((1 - eta) B + eta Lambda) B^{-1} F_t keeps full row rank: a sum of positive definite matrices times an invertible one",
    ),
)
def sym_error_recursion():
    r"""Let $A \succeq 0$ of size $m \times m$ have rank $r_A \le r$, $X_0 = A\Omega$ with $\operatorname{rank}(A\Omega) = r_A$,
    $X_{t+1} = X_t - \eta(X_t X_t^\top - A)X_t(X_t^\top X_t)^\dagger$ with $0 < \eta < 1$, and $E_t = X_t X_t^\top - A$. For all $t \ge 0$
    $$E_{t+1} = (1 - 2\eta)E_t + \eta^2 E_t (X_t X_t^\top)^\dagger E_t .$$
    If $E_t \ne 0$ then $E_{t+1} = \frac14 E_t (X_t X_t^\top)^\dagger E_t$ exactly when $\eta = \frac12$.
    """


def letters_step(eta: Any, scaled: bool = True) -> Any:
    """The next X from X = Q F with A = Q L Q^T."""
    X = basis * F
    gradient = (X * t(X) - basis * L * t(basis)) * X
    return X - gradient * eta * (t(F) * G * G * F) if scaled else X - gradient * eta


@sym_error_recursion.proof("pseudo-inverses", covers="all sizes, all F of full row rank, all Q with Q^T Q = I")
def _pseudo_inverses():
    X = basis * F
    residuals = moore_penrose(t(X) * X, t(F) * G * G * F) + moore_penrose(X * t(X), basis * G * t(basis))
    yield eq(residuals, [0] * len(residuals))


@sym_error_recursion.proof("recursion", covers="all m, r_A <= r, all eta")
def _recursion(*, linear=TWO, quadratic=ONE, power=2, scaled=True):
    eta = symbols("eta", above=0, below=1)
    X, E = letters_step(eta, scaled), basis * (F * t(F) - L) * t(basis)
    claimed = E * (1 - symbolic(linear) * eta) + E * basis * G * t(basis) * E * (symbolic(quadratic) * eta**power)
    residuals = coefficients(X * t(X) - basis * L * t(basis) - claimed)
    yield eq(residuals, [0] * len(residuals))


@sym_error_recursion.proof(
    "one half alone",
    covers="all sizes, all eta",
    rests_on=(
        "c = (2 eta + 1)/4 lies in (1/4, 3/4), so that (1 - c) B + c Lambda is positive definite, and E B^{-1} times it vanishes for E = 0 only",
    ),
)
def _one_half_alone(*, quarter=QUARTER):
    """The excess over a quarter of E B^{-1} E is (1 - 2 eta) E B^{-1} ((1 - c) B + c Lambda)."""
    eta = symbols("eta", above=0, below=1)
    B = F * t(F)
    E, c = B - L, (2 * eta + 1) / 4
    excess = E * (1 - 2 * eta) + E * G * E * (eta**2 - symbolic(quarter))
    residuals = coefficients(excess - E * G * (B * (1 - c) + L * c) * (1 - 2 * eta), RULES)
    yield eq(residuals, [0] * len(residuals))


@sym_error_recursion.crosscheck("rational problems", family=SYMMETRIC)
def _rational(
    size, L, Omega, eta, *, linear=TWO, quadratic=ONE, power=2, scaled=True, start="nystrom", outside=ZERO, missing=0
):
    A = L * L.transpose()
    X = Omega if start == "any" else A * first_columns(Omega, size[1] - missing if missing else size[2])
    X = X + outside * fmpq_mat(X.nrows(), X.ncols(), [1] * (X.nrows() * X.ncols()))
    steps = symmetric_steps(X, A, eta) if scaled else unscaled_steps(X, A, eta)
    errors = [(Y * Y.transpose() - A, pinv(Y * Y.transpose())) for Y in islice(steps, STEPS + 1)]
    for (E, inverse), (after, _) in pairwise(errors):
        yield "two steps", eq(after, E * (1 - linear * eta) + E * inverse * E * (quadratic * eta**power))


def unscaled_steps(X, A, eta):
    """Gradient descent without preconditioning."""
    while True:
        yield X
        X = X - (X * X.transpose() - A) * X * eta


sym_error_recursion.mutant("eta for eta^2", power=1, breaks="recursion")
sym_error_recursion.mutant("eta^2 5 % too large", quadratic=Q(21, 20), breaks="recursion")
sym_error_recursion.mutant("1 - 1.9 eta in the linear term", linear=Q(19, 10), breaks="recursion")
sym_error_recursion.mutant("gradient descent, not preconditioned", scaled=False, breaks="recursion")
sym_error_recursion.mutant("a third instead of a quarter at one half", quarter=Q(1, 3), breaks="one half alone")
sym_error_recursion.mutant("eta for eta^2, rational problems", power=1, breaks="two steps")
sym_error_recursion.mutant("half the quadratic term, rational problems", quadratic=HALF, breaks="two steps")
sym_error_recursion.mutant("any start of full rank", start="any", breaks="two steps")
sym_error_recursion.mutant("a start 1/1000 outside range(A)", outside=Q(1, 1000), breaks="two steps")
sym_error_recursion.mutant("one column too few (r = r_A - 1)", missing=1, breaks="two steps")
sym_error_recursion.mutant("not preconditioned, rational problems", scaled=False, breaks="two steps")
