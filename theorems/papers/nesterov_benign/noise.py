r"""Additive noise: exact expectations over finite trees, and exact second moments on quadratics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, eq, le, symbols
from theorems.papers.nesterov_benign.paper import PAPER
from theorems.papers.nesterov_benign.trajectories import staircase

BITS = 300
ONE = Q(1)
Noise = Sequence[tuple[fmpq, fmpq]]  # equally likely (multiplicative, additive) deviations


def expectations(f: Any, x0: fmpq, h: Any, k: Any, rho: Any, noise: Noise, depth: int) -> list[arb]:
    """E f(x_n) for n = 0..depth: y = x + k v, x+ = y - h g, v+ = rho (v - k g), g = f'(y)(1 + m) + s, from rest.

    Args:
        h, k: eta and sqrt(alpha) (NAG: k^2 = eta).
        noise: the values of (m, s), all equally likely, independent in each step.
    """
    states = [(arb(x0), arb(0))]
    means = [f.value(states[0][0])]
    for _ in range(depth):
        after = []
        for x, v in states:
            y = x + k * v
            slope = f.slope(y)
            for m, s in noise:
                g = slope * (1 + m) + s
                after.append((y - h * g, rho * (v - k * g)))
        states = after
        means.append(sum((f.value(x) for x, _ in states), arb(0)) / len(states))
    return means


def moment_map(lam: Any, h: Any, k: Any, rho: Any, sm2: Any) -> list[list[Any]]:
    """The map of (E x^2, E x v, E v^2) on lam x^2/2 with multiplicative noise of variance sm2."""
    # y = x + k v, G = lam y: x+ = (1 - h lam) y - h lam m y, v+ = rho (v - k lam y) - rho k lam m y
    p, q = 1 - h * lam, -k * lam
    # coefficients on (x, v): x+ = p x + p k v, v+ = rho q x + rho (1 + q k) v; noise part times y = x + k v
    A = [[p, p * k], [rho * q, rho * (1 + q * k)]]
    B = [[h * lam, h * lam * k], [rho * k * lam, rho * k * lam * k]]

    def quadratic(r, s):
        rows = []
        for M, weight in ((A, 1), (B, sm2)):
            a, b = M[r], M[s]
            rows.append([weight * a[0] * b[0], weight * (a[0] * b[1] + a[1] * b[0]), weight * a[1] * b[1]])
        return [rows[0][i] + rows[1][i] for i in range(3)]

    return [quadratic(0, 0), quadratic(0, 1), quadratic(1, 1)]


def stationary(lam: fmpq, h: fmpq, k: fmpq, rho: fmpq, sm2: fmpq, sa2: fmpq) -> fmpq:
    """The stationary E f on lam x^2/2, exactly (rational h, k, rho)."""
    M = moment_map(lam, h, k, rho, sm2)
    system = fmpq_mat(3, 3, [(1 if i == j else 0) - M[i][j] for i in range(3) for j in range(3)])
    additive = fmpq_mat(3, 1, [h * h * sa2, h * rho * k * sa2, rho * rho * k * k * sa2])
    return lam * system.solve(additive)[0, 0] / 2


TREES = PAPER.family(
    "noisy-staircases",
    a=Rationals(Q(1, 20), Q(3, 10), denominator=50),
    h=Rationals(Q(11, 20), 1, denominator=20),  # sqrt(eta)
    bumps=Integers(1, 3),
    right=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=40), (bumps, 3))),
    left=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=40), (bumps, 3))),
    share=Rationals(Q(3, 10), 1, denominator=20),
    x0=Rationals(Q(1, 2), 8, denominator=20),
    sigma=Rationals(Q(1, 10), 3, denominator=20),
    n=ByBudget(quick=9, full=11),
    quick=12,
    full=60,
)


def noisy_staircase(a: fmpq, h: fmpq, right: Any, left: Any, share: fmpq) -> Any:
    """L <= 1, mu = (a/h)^2, eps <= share sqrt(mu/eta) = share a/h^2, at most sqrt(mu) for the generator's scale."""
    return staircase(a / h, right, left, share, ONE)


@PAPER.bound(
    source="the theorem with additive noise",
    fidelity="derived",
    evidence="certified",
    family=TREES,
    part="trees",
    method="all paths of Rademacher noise, in balls; stationary second moments on quadratics by exact linear solves",
    hypotheses="a single minimiser, eta <= 1/L, e <= 1, E|g - grad f|^2 <= sigma_a^2",
    not_established="the constant of the floor: on quadratics the stationary value is at most 1/4 of it (as eta -> 0)",
)
def nag_additive_noise(a, h, right, left, share, x0, sigma, n, *, floor="sqrt(eta)"):
    r"""With additive noise of variance $\sigma_a^2$, $\eta \le 1/L$, $e \le 1$ and a single minimiser,
    $$\mathbb{E}[f(x_n) - f^*] \le (1 - a)^nE_0 + \frac{\sigma_a^2\sqrt\eta(1 + L\eta)}{2\sqrt\mu}\big(1 - (1 - a)^n\big).$$
    """
    f = noisy_staircase(a, h, right, left, share)
    mu = f.mu
    with precision(BITS):
        noise = [(Q(0), sigma), (Q(0), -sigma)]
        means = expectations(f, x0, h * h, h, (1 - a) / (1 + a), noise, n)
        energy = f.value(arb(x0)) + mu * arb(x0) ** 2 / 2
        level = noise_floor(sigma**2, h, mu, a, ONE, floor)
        bounds = [(1 - a) ** k * energy + level * (1 - (1 - a) ** k) for k in range(n + 1)]
    yield "mean over all paths", le(means, bounds)


def noise_floor(sa2, h, mu, a, L, kind="sqrt(eta)"):
    """sigma_a^2 sqrt(eta)(1 + L eta)/(2 sqrt(mu)), with sqrt(mu) = a/h; or a wrong one."""
    right = sa2 * h * (1 + L * h * h) * h / (2 * a)
    return {"sqrt(eta)": right, "eta": right * h, "/8": right / 8, "/5": right / 5, "none": Q(0)}[kind]


@nag_additive_noise.check(
    "stationary value",
    domain={
        "h": Choices(Q(1), Q(1, 2), Q(1, 3), Q(1, 6), Q(1, 10)),
        "root": Choices(Q(1, 30), Q(1, 10)),  # sqrt(mu)
        "lam": Choices(Q(0), Q(1, 100), Q(1, 10), Q(1, 2), Q(1)),  # lambda = mu + lam (1 - mu)
    },
    every=True,
)
def _stationary(h, root, lam, *, floor="sqrt(eta)"):
    mu, a = root * root, root * h
    value = stationary(mu + lam * (1 - mu), h * h, h, (1 - a) / (1 + a), Q(0), ONE)
    yield "stationary value", le(value, noise_floor(ONE, h, mu, a, ONE, floor))


@nag_additive_noise.proof(
    "expected identity",
    rests_on=(
        "E of the Lyapunov identity of nag-one-step-lyapunov with g = G + noise, E noise = 0, and smoothness: "
        "E f(x+) <= f(y) - eta |G|^2 + (L eta^2/2) E|g|^2",
    ),
)
def _expected(*, half=2):
    h, L, s2, G2 = symbols("h L s2 G2", nonnegative=True)
    eta = h**2
    # terms with |G|^2 and the noise: smoothness gives -eta G2 + L eta^2/2 (G2 + s2), |w+|^2/2 gives eta/2 (G2 + s2)
    total = -eta * G2 + L * eta**2 / half * (G2 + s2) + eta / 2 * (G2 + s2)
    yield "terms of gradient and noise", eq(total, -eta / 2 * (1 - L * eta) * G2 + eta / 2 * (1 + L * eta) * s2)


nag_additive_noise.mutant("eta in place of sqrt(eta) in the floor", floor="eta", breaks="stationary value")
nag_additive_noise.mutant("noise constant divided by 8", floor="/8", breaks="stationary value")
nag_additive_noise.mutant("noise constant divided by 5", floor="/5", breaks="stationary value")
nag_additive_noise.mutant("no floor", floor="none", breaks=("stationary value", "mean over all paths"))
nag_additive_noise.mutant("smoothness term without 1/2", half=1, breaks="terms of gradient and noise")
