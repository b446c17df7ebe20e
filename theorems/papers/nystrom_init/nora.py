"""NoRA: low-rank adaptation from the Nystrom initialisation starts with a projected gradient step."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.exact_linalg import diagonal, frobenius_squared, projection
from solvers.free_algebra import Polynomial, letters
from solvers.linear_networks import cayley
from solvers.scaled_descent import asymmetric_steps, preconditioned
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, symbolic, symbols
from theorems.papers.nystrom_init.instances import HALF, ONE, THIRD, FullRank
from theorems.papers.nystrom_init.letters import coefficients, t
from theorems.papers.nystrom_init.paper import PAPER

INVERSES: dict[tuple[str, ...], Any] = {
    ("Xt", "X", "P"): 1,  # P = (X^T X)^{-1}
    ("P", "Xt", "X"): 1,
    ("M", "R"): 1,  # R = M^{-1}
    ("R", "M"): 1,
    ("Rt", "Mt"): 1,
    ("Mt", "Rt"): 1,
}


@PAPER.identity(
    source="NoRA: low-rank adaptation with X_0 = W_0 Omega, Y_0 = 0",
    fidelity="derived",
    evidence="proved",
    method="polynomials in non-commuting letters, all sizes at once; the descent inequality from the descent lemma; rational weights and quadratic "
    "losses as cross-checks",
    hypotheses="X_0^T X_0 is nonsingular (r <= rank W_0, generic Omega)",
    rests_on=(
        "f(W_0 + X Y^T) has the gradients G Y with respect to X and G^T X with respect to Y, at (X_0, 0): 0 and G^T X_0",
        "descent lemma: f(W_0 + D) <= f(W_0) + <G, D> + L |D|^2/2 for L-smooth f, with equality for f = L |W - W_*|^2/2",
    ),
)
def nora_first_step():
    r"""Let $f$ be differentiable, $G = \nabla f(W_0)$, and adapt $W_0 + XY^\top$ from $X_0 = W_0\Omega$, $Y_0 = 0$ with nonsingular
    $X_0^\top X_0$; so the pretrained weights are kept at the start. The first ScaledGD step of size $\eta$ changes the weights by
    $\Delta W = -\eta P_{W_0\Omega} G$ (projected gradient descent), which is invariant under $\Omega \to \Omega M$, $M \in GL(r)$. If $f$ is
    $L$-smooth and $\eta = 1/L$, then $f(W_0) - f(W_0 + \Delta W) \ge \frac\eta2 \|P_{W_0\Omega} G\|_F^2$, with equality for
    $f = \frac L2 \|W - W_*\|_F^2$.
    """


def step_in_letters(X: Polynomial, inverse: Polynomial, scaled: bool = True) -> Polynomial:
    """The change of the weights for eta = 1: X_1 = X_0 and Y_1 = -G^T X_0 (X_0^T X_0)^{-1}."""
    G = Polynomial({("C",): 1})
    Y = -(t(G) * X * inverse) if scaled else -(t(G) * X)
    return X * t(Y)


@nora_first_step.proof("projected gradient", covers="all sizes, all X_0 of full column rank, all G")
def _projected(*, scaled=True, eta=ONE):
    X, G, P = letters("X C P")
    projector = X * P * t(X)
    residuals = coefficients(step_in_letters(X, P, scaled) * symbolic(eta) + projector * G, INVERSES)
    yield "step", eq(residuals, [0] * len(residuals))
    parts = (projector * projector - projector, projector - t(projector), projector * X - X)
    residuals = [c for p in parts for c in coefficients(p, INVERSES)]
    yield "projection", eq(residuals, [0] * len(residuals))


@nora_first_step.proof("invariance", covers="all sizes, all invertible M")
def _invariance(*, scaled=True):
    X, M, R, P = letters("X M R P")
    of_XM = R * P * t(R)  # the inverse of M^T X^T X M
    residuals = coefficients(of_XM * t(M) * t(X) * X * M - 1, INVERSES)
    yield "inverse", eq(residuals, [0] * len(residuals))
    residuals = coefficients(step_in_letters(X * M, of_XM, scaled) - step_in_letters(X, P, scaled), INVERSES)
    yield "unchanged", eq(residuals, [0] * len(residuals))


@nora_first_step.proof(
    "descent",
    covers="all sizes, all eta = 1/L > 0: <G, D> + L |D|^2/2 = -eta |P G|^2/2 at D = -eta P G",
    rests_on=("|A|^2 is the trace of A^T A, linear in that product",),
)
def _descent(*, constant=HALF):
    X, G, P = letters("X C P")
    eta = symbols("eta", positive=True)
    PG = X * P * t(X) * G
    D = -(PG * eta)
    residuals = coefficients(t(G) * D + t(D) * D * (1 / (2 * eta)) + t(PG) * PG * (symbolic(constant) * eta), INVERSES)
    yield eq(residuals, [0] * len(residuals))


@nora_first_step.crosscheck(
    "rational weights",
    domain={
        "size": Choices((4, 3, 2), (5, 4, 2), (3, 3, 1)),
        "W": Given(lambda size: Arrays(Rationals(-5, 5, denominator=1), size[:2])),
        "G": Given(lambda size: Arrays(Rationals(-5, 5, denominator=1), size[:2])),
        "Omega": Given(lambda size: FullRank(Rationals(-5, 5, denominator=1), size[1:])),
        "M": Given(lambda size: FullRank(Rationals(-5, 5, denominator=1), (size[2], size[2]))),
        "eta": Choices(ONE, THIRD),
    },
    where=lambda W, Omega: (W * Omega).rank() == Omega.ncols(),
    accept=0.5,
    quick=6,
    full=60,
)
def _rational(size, W, G, Omega, M, eta, *, scaled=True):
    changes = [first_change(W * O, G, eta, scaled) for O in (Omega, Omega * M)]
    yield "projected step", eq(changes[0], projection(W * Omega) * G * (-eta))
    yield "invariant step", eq(changes[1], changes[0])


def first_change(X: fmpq_mat, G: fmpq_mat, eta: fmpq, scaled: bool) -> fmpq_mat:
    """X_1 Y_1^T from Y_0 = 0, where the error of the factorisation is G at (X, 0)."""
    if not scaled:
        return X * X.transpose() * G * (-eta)
    Y = fmpq_mat(G.ncols(), X.ncols())
    X1, Y1 = next(islice(asymmetric_steps(X, Y, -G, eta), 1, None))
    return X1 * Y1.transpose()


def quadratic(skew: fmpq_mat, L: int, shares: tuple[int, ...]) -> fmpq_mat:
    """H = Q diag(L, L shares/100) Q^T with the Cayley rotation Q of a matrix."""
    rotation = cayley(skew)
    return rotation * diagonal([Q(L), *(Q(L * s, 100) for s in shares)]) * rotation.transpose()


def gradient(W, goal, skew, L, shares) -> fmpq_mat:
    """The gradient at W of <W - goal, H (W - goal)>/2."""
    return quadratic(skew, L, shares) * (W - goal)


@nora_first_step.crosscheck(
    "quadratic losses",
    domain={
        "size": Choices((4, 3, 2), (3, 3, 1), (5, 4, 2)),
        "near": Choices(True, False),
        "shares": Given(lambda size, near: Arrays(Integers(90 if near else 1, 100), (size[0] - 1,))),
        "L": Integers(2, 9),
        "skew": Given(lambda size: FullRank(Rationals(-2, 2, denominator=2), (size[0], size[0]))),
        "W": Given(lambda size: FullRank(Rationals(-5, 5, denominator=1), size[:2])),
        "goal": Given(lambda size: FullRank(Rationals(-5, 5, denominator=1), size[:2])),
        "Omega": Given(lambda size: FullRank(Rationals(-5, 5, denominator=1), size[1:])),
    },
    where=lambda size, W, goal, Omega, skew, L, shares: (
        (W * Omega).rank() == size[2] and projection(W * Omega) * gradient(W, goal, skew, L, shares) != 0 * W
    ),
    quick=10,
    full=60,
)
def _quadratic_losses(W, goal, skew, L, shares, Omega, *, constant=HALF):
    eta = Q(1, L)
    H, G = quadratic(skew, L, shares), gradient(W, goal, skew, L, shares)
    PG = preconditioned(W * Omega) * (W * Omega).transpose() * G
    change = first_change(W * Omega, G, eta, True)
    before, after = (loss(V - goal, H) for V in (W, W + change))
    yield "descent of quadratics", le(constant * eta * frobenius_squared(PG), before - after)


def loss(D: fmpq_mat, H: fmpq_mat) -> fmpq:
    """<D, H D>/2."""
    return sum((a * b for a, b in zip(D.entries(), (H * D).entries())), Q(0)) / 2


nora_first_step.mutant("gradient step without preconditioner", scaled=False, breaks="step")
nora_first_step.mutant("its invariance", scaled=False, breaks="unchanged")
nora_first_step.mutant("a step 1 % longer", eta=Q(101, 100), breaks="step")
nora_first_step.mutant("descent by 0.52 eta, in letters", constant=Q(13, 25), breaks="descent")
nora_first_step.mutant("without preconditioner, rational weights", scaled=False, breaks="projected step")
nora_first_step.mutant("its invariance, rational weights", scaled=False, breaks="invariant step")
nora_first_step.mutant("descent by eta", constant=ONE, breaks="descent of quadratics")
nora_first_step.mutant("descent by 0.52 eta", constant=Q(13, 25), breaks="descent of quadratics")
