"""Asymmetric factorisation from the Nystrom initialisation: solved in one step, or reduced to one universal number."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import frobenius_squared, projection
from solvers.free_algebra import Polynomial
from solvers.scaled_descent import asymmetric_steps, heron
from theorems import Choices, Given, Q, curve, eq, le, lt, mean_ge, mean_le, symbolic, symbols
from theorems.papers.nystrom_init.instances import (
    HALF,
    ONE,
    QUARTER,
    THIRD,
    TWO,
    first_columns,
    full_rank,
    largest_rank,
)
from theorems.papers.nystrom_init.letters import F, G, K, S, coefficients, moore_penrose, t
from theorems.papers.nystrom_init.letters import Q as basis
from theorems.papers.nystrom_init.paper import PAPER

RANGE_OF_A = (
    "rank(A Omega) = r_A puts X_0 = Q F with F of full row rank, where Q is an orthonormal basis of col(A), A = Q K^T and K = A^T Q has full "
    "column rank"
)
PROBLEMS = PAPER.family(
    "asymmetric-problems",
    size=Choices((4, 3, 2, 2), (5, 4, 3, 3), (4, 4, 2, 3), (3, 5, 1, 2), (4, 3, 3, 3)),  # m, n, r_A, r
    U=Given(lambda size: full_rank(size[0], size[2])),
    V=Given(lambda size: full_rank(size[1], size[2])),
    Omega=Given(lambda size: full_rank(size[1], size[3])),
    eta=Choices(HALF, THIRD, Q(3, 4)),
    where=lambda V, Omega: largest_rank(V, Omega),
    accept=0.5,
    quick=15,
    full=120,
)


def first_step(X: Polynomial, inverse: Polynomial, eta: Any) -> Polynomial:
    """Y_1 = eta A^T X_0 (X_0^T X_0)^+ from Y_0 = 0, A = Q K^T; 0^+ = 0, so that X_1 = X_0."""
    return K * t(basis) * X * inverse * eta


@PAPER.construction(
    source="abstract: one-step convergence on asymmetric problems from the Nystrom initialisation",
    fidelity="recalled",
    evidence="proved",
    method="polynomials in non-commuting letters, all sizes at once; rational problems with exact pseudo-inverses as cross-checks, and the mean error of "
    "random ranges that are too small",
    hypotheses="rank(A Omega) = min(r, r_A), almost surely for Gaussian Omega",
    rests_on=(
        RANGE_OF_A,
        "the projection on a space of dimension r < r_A has rank r, so that P A != A when rank(A) > r",
    ),
)
def asym_one_step():
    r"""Let $A \in \mathbb{R}^{m \times n}$ have rank $r_A \le r$, $X_0 = A\Omega$ with $\operatorname{rank}(A\Omega) = r_A$, $Y_0 = 0$. Asymmetric
    ScaledGD, $X_{t+1} = X_t - \eta E_tY_t(Y_t^\top Y_t)^\dagger$, $Y_{t+1} = Y_t - \eta E_t^\top X_t(X_t^\top X_t)^\dagger$, $E_t = X_tY_t^\top - A$, with
    $\eta = 1$ has $X_1 = X_0$ and $X_1Y_1^\top = A$ exactly: a global optimum after one iteration. For $r < r_A$ it has
    $X_1Y_1^\top = P_{A\Omega}A \ne A$, $P_{A\Omega}$ the orthogonal projection on $\operatorname{col}(A\Omega)$.
    """


@asym_one_step.proof("one step", covers="all sizes, r >= r_A")
def _one_step(*, eta=ONE):
    X = basis * F
    inverse = t(F) * G * G * F
    yield "pseudo-inverse", eq(moore_penrose(t(X) * X, inverse), [0] * len(moore_penrose(t(X) * X, inverse)))
    residuals = coefficients(X * t(first_step(X, inverse, symbolic(eta))) - basis * t(K))
    yield "product", eq(residuals, [0] * len(residuals))


@asym_one_step.proof(
    "too few columns",
    covers="all sizes, r < r_A: X_1 Y_1^T = P A with an orthogonal projection P on col(X_0)",
    rests_on=("X_0 has full column rank, so that X_0^T X_0 is invertible",),
)
def _too_few(*, eta=ONE):
    X, A = Polynomial({("X",): 1}), Polynomial({("C",): 1})
    inverse = Polynomial({("G",): 1})  # of X^T X
    rules: dict[tuple[str, ...], Any] = {("Xt", "X", "G"): 1, ("G", "Xt", "X"): 1}
    P = X * inverse * t(X)
    after = t(A) * X * inverse * symbolic(eta)
    residuals = coefficients(X * t(after) - P * A, rules)
    yield "projected", eq(residuals, [0] * len(residuals))
    residuals = [c for p in (P * P - P, P - t(P), P * X - X) for c in coefficients(p, rules)]
    yield "projection", eq(residuals, [0] * len(residuals))


@asym_one_step.crosscheck("rational problems", family=PROBLEMS)
def _rational_step(size, U, V, Omega, *, eta_claimed=ONE, start="nystrom", missing=0, complete=False):
    A = U * V.transpose()
    r = size[2] - missing if missing else size[3]
    X = A * first_columns(Omega, r)
    if start == "other":
        X = fmpq_mat(list(reversed(X.tolist())))  # another range
    X1, Y1 = next(islice(asymmetric_steps(X, fmpq_mat(size[1], X.ncols()), A, eta_claimed), 1, None))
    yield "left factor kept", eq(X1, X)
    yield "optimum", eq(X1 * Y1.transpose(), A)
    if size[2] > 1:
        X = A * first_columns(Omega, size[2] - 1)
        X1, Y1 = next(islice(asymmetric_steps(X, fmpq_mat(size[1], X.ncols()), A, ONE), 1, None))
        product = X1 * Y1.transpose()
        yield "projection for r < r_A", eq(product, A if complete else projection(X) * A)
        yield "no optimum for r < r_A", lt(0, frobenius_squared(A - product))


SIGMA = tuple(Q(k, 100) for k in (100, 80, 50, 30, 20, 10, 5, 2))


@asym_one_step.crosscheck("mean error of too small ranges", domain={"r": Choices(4, 5, 6)}, every=True, tests=2)
def _mean_error(r, *, optimal=False):
    """Halko, Martinsson, Tropp (2011), Theorem 10.5 with target rank k = 2, and the best error of rank r."""
    k = 2
    tail = [sum(s * s for s in SIGMA[j:]) for j in (k, r)]
    bound = tail[1] if optimal else (1 + Q(k, r - k - 1)) * tail[0]
    yield "mean at least the best", mean_ge(projection_errors(r), tail[1], support=(0, Q(21, 10)), within=Q(1, 5))
    yield "mean at most the bound", mean_le(projection_errors(r), bound, support=(0, Q(21, 10)), within=Q(1, 5))


def projection_errors(r: int):
    """Draws of 50 errors |A - P A|_F^2 of Gaussian ranges, A = diag(SIGMA)."""

    def draw(rng):
        import numpy as np

        A = np.diag([int(s.p) / int(s.q) for s in SIGMA])
        q, _ = np.linalg.qr(A @ rng.standard_normal((50, len(SIGMA), r)))
        return ((A - q @ (np.swapaxes(q, 1, 2) @ A)) ** 2).sum(axis=(1, 2))

    return draw


asym_one_step.mutant("eta = 0.99", eta=Q(99, 100), breaks="product")
asym_one_step.mutant("eta = 0.9 with too few columns", eta=Q(9, 10), breaks="projected")
asym_one_step.mutant("eta = 0.99, rational problems", eta_claimed=Q(99, 100), breaks="optimum")
asym_one_step.mutant("a start that is not in the range of A", start="other", breaks="optimum")
asym_one_step.mutant("one column too few is enough", missing=1, breaks="optimum")
asym_one_step.mutant("A itself for r < r_A", complete=True, breaks="projection for r < r_A")
asym_one_step.mutant("the best error of rank r on average", optimal=True, breaks="mean at most the bound")


@PAPER.identity(
    source="abstract: quadratic convergence on asymmetric problems from the Nystrom initialisation",
    fidelity="derived",
    evidence="proved",
    method="induction in non-commuting letters, all sizes at once; the scalar recursion in symbols; rational problems and balls as cross-checks",
    hypotheses="rank(A Omega) = r_A <= r, Y_0 = 0, simultaneous updates",
    rests_on=(RANGE_OF_A,),
)
def asym_scalar_reduction():
    r"""Asymmetric ScaledGD from $X_0 = A\Omega$, $Y_0 = 0$, with $\operatorname{rank}(A\Omega) = r_A \le r$ and $0 < \eta < 1$, has
    $X_tY_t^\top = p_tA$ for all $t \ge 1$, where $p_1 = \eta$ and $p_{t+1} = (p_t + \eta(1 - p_t))^2/p_t$: the relative error $|p_t - 1|$ is a
    universal sequence, independent of $A$, $\Omega$ and $r$. For $\eta = \frac12$ it converges quadratically,
    $$p_{t+1} - 1 = \frac{(p_t - 1)^2}{4p_t}, \qquad p_t = \Big(\frac{1 + w^{2^{t-1}}}{1 - w^{2^{t-1}}}\Big)^2, \quad
    w = \frac{\sqrt{1/2} - 1}{\sqrt{1/2} + 1};$$ for every other $\eta$ it converges linearly, $(p_{t+1} - 1)/(p_t - 1) \to 1 - 2\eta$,
    unless some $p_t$ is 1 exactly.
    """


@asym_scalar_reduction.proof(
    "reduction",
    covers="all sizes, all eta, all p = x y > 0",
    rests_on=("induction on t: X_t = x Q F and Y_t = y K G F with numbers x, y > 0, so that p = x y",),
)
def _reduction(*, simultaneous=True):
    eta = symbols("eta", above=0, below=1)
    x, y = symbols("x y", positive=True)
    X0 = basis * F
    residuals = coefficients(first_step(X0, t(F) * G * G * F, eta) - K * G * F * eta)
    yield "first step", eq(residuals, [0] * len(residuals))
    X, Y = X0 * x, K * G * F * y
    of_X, of_Y = t(F) * G * G * F * (1 / x**2), t(F) * S * F * (1 / y**2)
    residuals = moore_penrose(t(X) * X, of_X) + moore_penrose(t(Y) * Y, of_Y)
    yield "pseudo-inverses", eq(residuals, [0] * len(residuals))
    E = X * t(Y) - basis * t(K)
    residuals = coefficients(E - basis * t(K) * (x * y - 1))
    yield "product", eq(residuals, [0] * len(residuals))
    p = x * y
    factor = 1 + eta * (1 - p) / p
    X1 = X - E * Y * of_Y * eta
    E1 = E if simultaneous else X1 * t(Y) - basis * t(K)
    Y1 = Y - t(E1) * X * of_X * eta
    residuals = coefficients(X1 - X * factor) + coefficients(Y1 - Y * factor)
    yield "both factors are multiplied", eq(residuals, [0] * len(residuals))


def following(p: Any, eta: Any, power: int = 1) -> Any:
    """p_{t+1}."""
    return (p + eta * (1 - p)) ** 2 / p**power


@asym_scalar_reduction.proof(
    "scalar recursion",
    rests_on=(
        "|p_1 - 1| = 1 - eta; while |p - 1| <= 1 - eta, p >= eta, and the quotient q lies in [-c, c] with c = max((1 - eta)^2, |1 - 3 eta + eta^2|) < 1: "
        "the error tends to 0, and q to 1 - 2 eta",
    ),
)
def _scalar(*, power=1, limit=TWO):
    eta, p = symbols("eta", above=0, below=1), symbols("p", positive=True)
    factor = 1 + eta * (1 - p) / p
    yield "p is multiplied by a square", eq(following(p, eta, power), p * factor**2)
    quotient = 1 - symbolic(limit) * eta + eta**2 * (p - 1) / p
    yield "quotient of errors", eq(following(p, eta) - 1, (p - 1) * quotient)
    larger = symbols("d", nonnegative=True)  # p = eta + d
    q = (1 - 2 * eta + eta**2 * (p - 1) / p).subs(p, eta + larger)
    yield "quotient from above", le(q, (1 - eta) ** 2)
    yield "quotient from below", le(1 - 3 * eta + eta**2, q)
    yield "a contraction", lt([-1, (1 - eta) ** 2, 1 - 3 * eta + eta**2], [1 - 3 * eta + eta**2, 1, 1])


@asym_scalar_reduction.proof("one half", covers="all p > 0, and y = sqrt(p) > 0")
def _one_half(*, eta=HALF, square=2, quarter=QUARTER):
    p, y = symbols("p y", positive=True)
    yield "quadratic", eq(following(p, symbolic(eta)) - 1, (p - 1) ** 2 * symbolic(quarter) / p)
    heron_step = (y + 1 / y) / 2
    yield "Heron", eq(following(y**2, symbolic(HALF)), heron_step**2)
    yield "w is squared", eq((heron_step - 1) / (heron_step + 1), ((y - 1) / (y + 1)) ** square)


@asym_scalar_reduction.crosscheck("rational problems", family=PROBLEMS)
def _rational_reduction(size, U, V, Omega, eta, *, power=1):
    A = U * V.transpose()
    p = eta
    for X, Y in islice(asymmetric_steps(A * Omega, fmpq_mat(size[1], size[3]), A, eta), 1, 5):
        yield "four steps", eq(X * Y.transpose(), A * p)
        p = following(p, eta, power)


@asym_scalar_reduction.crosscheck(
    "ratios", domain={"eta": Choices(Q(9, 20), Q(3, 10), Q(11, 20), Q(7, 10), Q(9, 10), HALF)}, every=True
)
def _ratios(eta, *, rate="1-2eta", doublings=1, quadratic_at=HALF):
    with precision(4000):
        p, errors = arb(eta), [eta - arb(1)]
        while not abs(errors[-1]) < Q(1, 10**60):
            p = following(p, eta)
            errors.append(p - 1)
        claimed = [heron(arb(HALF).sqrt(), k + 1 - doublings) ** 2 - 1 for k in range(len(errors))]
        quotient = errors[-1] / errors[-2]
        constant = quotient / errors[-2]
    if eta == quadratic_at:
        yield "closed form", eq(errors, claimed, within=Q(1, 10**200))
        yield "constant 1/4", le(lambda: abs(constant - Q(1, 4)), Q(1, 10**30))
    else:
        limit = 1 - 2 * eta if rate == "1-2eta" else 1 - eta
        yield "limit of the quotient", le(lambda: abs(quotient - limit), Q(1, 10**50))
    yield curve(
        "Relative error |p_t - 1|, whatever A is",
        range(1, 1 + min(len(errors), 40)),
        [abs(e).log() / arb(10).log() for e in errors[:40]],
        series=f"eta = {decimal(eta)}",
        axes=("t", "log10 |p_t - 1|"),
    )


def decimal(q: fmpq) -> str:
    """A short decimal."""
    return f"{int(q.p) / int(q.q):g}"


asym_scalar_reduction.mutant("updates one after the other", simultaneous=False, breaks="both factors are multiplied")
asym_scalar_reduction.mutant("recursion without the division by p", power=0, breaks="p is multiplied by a square")
asym_scalar_reduction.mutant("ratio 1 - 1.9 eta", limit=Q(19, 10), breaks="quotient of errors")
asym_scalar_reduction.mutant("quadratic at eta = 0.45", eta=Q(9, 20), breaks="quadratic")
asym_scalar_reduction.mutant("a fifth for a quarter", quarter=Q(1, 5), breaks="quadratic")
asym_scalar_reduction.mutant("w is cubed", square=3, breaks="w is squared")
asym_scalar_reduction.mutant("no division by p, rational problems", power=0, breaks="four steps")
asym_scalar_reduction.mutant("ratio 1 - eta", rate="1-eta", breaks="limit of the quotient")
asym_scalar_reduction.mutant("one iteration faster (2^t)", doublings=0, breaks="closed form")
asym_scalar_reduction.mutant("Heron's closed form at eta = 0.45", quadratic_at=Q(9, 20), breaks="closed form")
