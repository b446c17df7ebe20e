"""The whole scheme on logistic regression: sketch, debias, average, Newton."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from solvers.effective_dimension import Reals, effective_dimension, ridge_with_dimension
from theorems import ByBudget, Choices, Q, prob_le
from theorems.papers.newton_marchenko_pastur.paper import PAPER
from theorems.papers.newton_marchenko_pastur.sketched import Hessian, Runs

N, D, STEPS = 400, 24, 10
TENTH, FIFTH = Q(1, 10), Q(1, 5)
SLOWEST = {2: 0.4, 6: 0.75, 12: 0.75}  # least factor of the plain scheme, by logarithm of the condition number


@dataclass(frozen=True, eq=False)
class Logistic:
    """Ridge-regularised logistic loss (1/n) sum log(1 + exp(-y_i x_i^T w)) + lam |w|^2/2 and its minimiser.

    Attributes:
        Z: the rows y_i x_i, shape (N, D).
        lam: regularisation.
        w: a point of decrement below 1e-4.
    """

    Z: Reals
    lam: float
    w: Reals

    def gradient(self, w: Reals) -> Reals:
        """Gradient at w, shape (D,)."""
        return np.asarray(self.lam * w - (1 / (1 + np.exp(self.Z @ w))) @ self.Z / N)

    def root(self, w: Reals) -> Reals:
        """A with A^T A = H(w) - lam I, upper triangular, shape (D, D)."""
        p = 1 / (1 + np.exp(self.Z @ w))
        return np.asarray(np.linalg.qr(np.sqrt(p * (1 - p) / N)[:, None] * self.Z, mode="r"))


def hessian_of(A: Reals, lam: float) -> Reals:
    """A^T A + lam I."""
    return A.T @ A + lam * np.eye(D)


def decrement(g: Reals, H: Reals) -> float:
    """The Newton decrement."""
    return float(np.sqrt(g @ np.linalg.solve(H, g)))


@cache
def logistic(decades: int, data: int) -> Logistic:
    """Data number `data`: columns scaled by 10^{-linspace(0, decades/2)}, labels by the parameter (2, ..., 2), d_lam(X^T X/4n) = 12."""
    rng = np.random.default_rng([decades, data])
    X = rng.standard_normal((N, D)) * 10.0 ** -np.linspace(0, decades / 2, D)
    y = np.where(rng.random(N) < 1 / (1 + np.exp(-2 * X.sum(axis=1))), 1.0, -1.0)  # branch
    lam = ridge_with_dimension(np.maximum(np.linalg.eigvalsh(X.T @ X / (4 * N)), 0), 12)
    found, w = Logistic(y[:, None] * X, lam, np.zeros(D)), np.zeros(D)
    while True:
        g, H = found.gradient(w), hessian_of(found.root(w), lam)
        size = decrement(g, H)
        if size < 1e-4:  # branch
            return Logistic(found.Z, lam, w)
        w = w - np.linalg.solve(H, g) / (1 + (size if size > 0.25 else 0))  # branch


def factor(rng, problem, workers, estimate):
    """The geometric mean of the factors by which averaged steps shrink the decrement, from 1e-3; and m, at the last step."""
    w = problem.w + np.linalg.solve(
        np.linalg.cholesky(hessian_of(problem.root(problem.w), problem.lam)).T,
        rng.standard_normal(D) * 1e-3 / np.sqrt(D),
    )
    sizes, m = [], 0
    for step in range(STEPS + 1):
        g, A = problem.gradient(w), problem.root(w)
        H = hessian_of(A, problem.lam)
        sizes.append(decrement(g, H))
        if step == STEPS or not 1e-12 < sizes[-1] < 1:  # branch
            break
        k = np.maximum(np.linalg.eigvalsh(H) - problem.lam, 0)
        m = int(np.ceil(2 * effective_dimension(k, problem.lam)))
        inside, outside = Hessian(k, problem.lam).weights(m, estimate)
        B = rng.standard_normal((workers * m, D)) @ (A / np.sqrt(m))
        B = B.reshape(workers, m, D)
        S = B.transpose(0, 2, 1) @ B
        S[:, range(D), range(D)] += inside
        steps = np.linalg.solve(S, np.broadcast_to(g[:, None], (workers, D, 1)))
        w = w - outside * steps[:, :, 0].mean(axis=0)
    return (sizes[-1] / sizes[0]) ** (1 / (len(sizes) - 1)), m


LOCAL = PAPER.family(
    "local-phase",
    decades=Choices(2, 6, 12),
    q=ByBudget(quick=(4, 16, 64), full=(4, 16, 64, 256)),
    runs=ByBudget(quick=10, full=24),
    every=True,
)
PLAIN = PAPER.family(
    "plain-scheme",
    decades=Choices(2, 6, 12),
    q=ByBudget(quick=16, full=Choices(4, 16, 64, 256)),
    runs=ByBudget(quick=12, full=20),
    every=True,
)
ALL_CONDITIONS = PAPER.family(
    "condition-numbers-together",
    decades=Choices((2, 6, 12)),
    q=ByBudget(quick=16, full=Choices(4, 16, 64)),
    runs=ByBudget(quick=12, full=40),
    every=True,
)


@PAPER.rate(
    source="abstract: sketch, debias, average, Newton; q of order d/(m eps^2) workers whatever the condition number; constants derived",
    fidelity="derived",
    evidence="statistical",
    family=LOCAL,
    tests=3,
    part="local phase",
    method="simulated runs from a decrement of 1e-3 down to 1e-12 or for ten steps; events decided by exact binomial bounds at a fixed number "
    "of runs",
    hypotheses=f"logistic regression with n = {N}, d = {D}, fixed data for each condition number 10^2, 10^6, 10^12 of X^T X, d_lam = 12 of "
    "X^T X/(4n); d_lam and m recomputed at each step",
    not_established="the global phase; other data; 0.45 for the plain scheme at condition number 10^2, its typical factor, which one run in five misses. "
    "With ten runs 7 failures pass for a probability of 1/10 and 8 for 1/5 (slope), with twelve 7 and 9: what is excluded is a claim that "
    "fails nearly always",
)
def distributed_newton_end_to_end(decades, q, runs, *, estimate="debiased", exponent=0.5, constant=1.7):
    r"""Ridge-regularised logistic regression in the local phase: each of $q$ workers sketches the current Hessian with an independent Gaussian
    sketch of $m = \lceil 2d_\lambda\rceil$ rows and debiases; the full step with the averaged inverse shrinks the Newton decrement by a
    geometric-mean factor $\rho$ with $0.4 \le \rho\sqrt{mq/d} \le 1.7$ ($q \le 64$; at most 2.21 at $q = 256$, where the bias of order $1/m$ shows) with probability at least
    9/10, so that $q \sim d/(m\varepsilon^2)$ workers
    give the factor $\varepsilon$; the slope of $\log\rho$ on $\log q$ over $q \le 64$ lies in $[-0.62, -0.38]$ with probability at least 4/5, and the largest
    $\rho$ over condition numbers $10^2, 10^6, 10^{12}$ is at most 2.5 times the smallest with probability at least 9/10. Without debiasing
    $\rho \ge 0.4$ ($10^2$) and $\rho \ge 0.75$ ($10^6$, $10^{12}$) with probability at least 4/5, however many workers.
    """
    problem = logistic(decades, 0)
    logs = np.log(np.array(q[:3])) - np.log(np.array(q[:3])).mean()

    def simulate(rng):
        found = [factor(rng, problem, workers, estimate) for workers in q]
        return np.array([rho for rho, _ in found]), np.array(
            [rho * np.sqrt(m * n / D) for (rho, m), n in zip(found, q)]
        )

    simulated = Runs(simulate)
    highest = np.array([float(constant) * (1.3 if n > 64 else 1) for n in q])
    low = simulated.draw(lambda run: bool((run[1] < 0.4).any()))  # event
    high = simulated.draw(lambda run: bool((run[1] > highest).any()))  # event
    yield "scaled factor at least 0.4", prob_le(low, TENTH, fixed=runs, within=Q(9, 10))
    yield "scaled factor at most 1.7", prob_le(high, TENTH, fixed=runs, within=Q(9, 10))
    if len(q) > 1:

        def off(run):
            slope = logs @ np.log(run[0][:3]) / (logs @ logs)
            return bool(abs(slope + exponent) > 0.12)  # event

        yield "slope in q", prob_le(simulated.draw(off), FIFTH, fixed=runs, within=Q(19, 20))


@distributed_newton_end_to_end.check("condition numbers", family=ALL_CONDITIONS)
def _conditions(decades, q, runs, *, power=0):
    problems = [logistic(c, 0) for c in decades]

    def apart(rng):
        scaled = [factor(rng, p, q, "debiased")[0] * 10.0 ** (-power * c) for p, c in zip(problems, decades)]
        return bool(max(scaled) > 2.5 * min(scaled))  # event

    yield "whatever the condition number", prob_le(apart, TENTH, fixed=runs, within=Q(9, 10))


@distributed_newton_end_to_end.check("plain scheme", family=PLAIN)
def _plain(decades, q, runs, *, estimate="plain"):
    problem = logistic(decades, 0)

    def fast(rng):
        return factor(rng, problem, q, estimate)[0] < SLOWEST[decades]  # event

    yield "plain scheme stalls", prob_le(fast, FIFTH, fixed=runs, within=Q(9, 10))


SIXTEEN = {"decades": Choices(12), "q": Choices((16,))}
distributed_newton_end_to_end.mutant(
    "plain called debiased", estimate="plain", domain=SIXTEEN, on="local-phase", breaks="scaled factor at most 1.7"
)
distributed_newton_end_to_end.mutant(
    "prefactor without scaled regularisation",
    estimate="prefactor only",
    domain=SIXTEEN,
    on="local-phase",
    breaks="scaled factor at most 1.7",
)
distributed_newton_end_to_end.mutant(
    "scaled regularisation without prefactor",
    estimate="no prefactor",
    domain=SIXTEEN,
    on="local-phase",
    breaks="scaled factor at most 1.7",
)
distributed_newton_end_to_end.mutant(
    "constant 2/3 for 1.7", constant=2 / 3, domain=SIXTEEN, on="local-phase", breaks="scaled factor at most 1.7"
)
distributed_newton_end_to_end.mutant(
    "slope -1 in q",
    exponent=1.0,
    on="local-phase",
    domain={"decades": Choices(2), "q": Choices((4, 16))},
    breaks="slope in q",
)
distributed_newton_end_to_end.mutant(
    "slope -1/5 in q",
    exponent=0.2,
    on="local-phase",
    domain={"decades": Choices(2), "q": Choices((4, 16))},
    breaks="slope in q",
)
distributed_newton_end_to_end.mutant(
    "factor proportional to the condition number to the power 1/10", power=0.1, breaks="whatever the condition number"
)
distributed_newton_end_to_end.mutant(
    "debiased scheme stalls as well", estimate="debiased", on="plain scheme", breaks="plain scheme stalls"
)
