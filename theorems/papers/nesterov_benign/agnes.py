r"""Additive and multiplicative noise: AGNES, and what such noise does to Nesterov's method."""

from __future__ import annotations

from typing import Any

from flint import acb_mat, arb, fmpq

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, bracket, eq, le, lt, symbols
from theorems.papers.nesterov_benign.noise import BITS, ONE, expectations, moment_map
from theorems.papers.nesterov_benign.paper import PAPER

MIXED = PAPER.family(
    "mixed-noise",
    c=Rationals(Q(1, 50), Q(1, 5), denominator=50),
    sm=Rationals(Q(3, 10), 3, denominator=10),
    share_eta=Rationals(Q(1, 2), 1, denominator=10),
    bumps=Integers(1, 3),
    right=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=40), (bumps, 3))),
    left=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=40), (bumps, 3))),
    x0=Rationals(Q(1, 2), 8, denominator=20),
    sigma=Rationals(Q(1, 10), 3, denominator=20),
    where=lambda c, sm, share_eta: c * (1 + sm * sm) <= 1,
    accept=0.3,
    n=ByBudget(quick=4, full=6),
    quick=8,
    full=40,
)


@PAPER.transition(
    source="the AGNES scheme under additive and multiplicative noise",
    fidelity="derived",
    evidence="certified",
    family=MIXED,
    part="trees",
    method="the expected Lyapunov identity in symbols; all paths of products of Rademacher variables in balls; eigenvalues of exact second-moment maps in balls",
    hypotheses="E|g - grad f|^2 <= sigma_a^2 + s |grad f|^2, eta <= 1/(L(1 + s)), eps c/mu <= 1, c = sqrt(mu eta/(1 + s)), a single minimiser",
    not_established="sharpness over functions of the threshold for affine M: its states attain equality in the three inequalities used, and are not shown to "
    "come from one function",
)
def agnes_mixed_noise(c, sm, share_eta, right, left, x0, sigma, n):
    r"""AGNES with $\eta \le 1/(L(1 + s))$, $s = \sigma_m^2$, and $\varepsilon c/\mu \le 1$ has
    $$\mathbb{E}[f(x_n) - f^*] \le (1 - c)^nE_0 + \sigma_a^2\Big(\frac{c^2}{2\mu} + \frac{L\eta^2}{2}\Big)\frac{1 - (1 - c)^n}{c};$$
    at $\eta = 1/(L(1 + s))$ the rate is $1 - \sqrt{\mu/L}/(1 + s)$. For affine $M$ and gradients with tangential parts, $\varepsilon c/\mu \le
    (3 + c - s^2)/((s + 2)(2 - cs))$ is enough, and for one step necessary. Nesterov's method ($\alpha = \eta$) on $Lx^2/2$, $L = 1$, $a = \sqrt{\mu\eta}$, is unstable
    in mean square iff
    $$s > \frac{(\eta + 2a - a\eta)(4 - 3\eta + a\eta)}{\eta(2 + 3\eta + 2a - 4a\eta + a^2\eta)},$$
    at $\eta = 1$: $s > 1/((1 + \rho)^2 + \rho^2)$. For $s > 2$ this is so for every $\eta$ from $16\mu/(s - 2)^2$ to 1 ($\sigma_m = 2$: from $4\mu$).
    """
    s = sm * sm
    eta = share_eta / (1 + s)
    mu = c * c * (1 + s) / eta
    with precision(BITS):
        alpha = c * (c - mu * eta) / ((1 - c) * mu)
        f = staircase_with(mu, right, left, min(mu / c, ONE))
        noise = [(i * sm, j * sigma) for i in (1, -1) for j in (1, -1)]
        means = expectations(f, x0, eta, arb(alpha).sqrt(), (1 - c) / (1 + c), noise, n)
        energy = f.value(arb(x0)) + mu * arb(x0) ** 2 / 2
        level = sigma**2 * (c * c / (2 * mu) + eta * eta / 2) / c
        bounds = [(1 - c) ** k * energy + level * (1 - (1 - c) ** k) for k in range(n + 1)]
    yield "mean over all paths", le(means, bounds)


def staircase_with(mu: fmpq, right: Any, left: Any, eps: fmpq) -> Any:
    """A staircase with this mu, L <= 1 and curvature >= -eps."""
    from theorems.papers.nesterov_benign.staircase import Bump, scaled

    def bumps(rows):
        widths = [Q(1, 10) + Q(7, 10) * W for _, W, _ in rows]
        return [Bump(w + 5 * R, w, Q(1, 10) + C) for w, (R, _, C) in zip(widths, rows)]

    return scaled(mu, bumps(right.tolist()), bumps(left.tolist()), ONE, eps)


def radius(entries: list[list[Any]]) -> arb:
    """The spectral radius of a real matrix as a ball."""
    values = acb_mat([[arb(v) for v in row] for row in entries]).eig(algorithm="rump", multiple=True)
    largest = arb(0)
    for z in values:
        largest = largest.max(abs(z))
    return largest


def agnes_radius(lam, mu, eta, s, kind="agnes"):
    """The spectral radius of the second-moment map on lam x^2/2."""
    c = (arb(mu) * arb(eta) / (1 + arb(s))).sqrt()
    if kind == "agnes":
        rho, alpha = (1 - c) / (1 + c), c * (c - mu * eta) / ((1 - c) * mu)
    else:
        a = (arb(mu) * arb(eta)).sqrt()
        rho, alpha = (1 - a) / (1 + a), arb(eta)
    return radius(moment_map(arb(lam), arb(eta), alpha.sqrt(), rho, arb(s)))


@agnes_mixed_noise.check(
    "second moments",
    domain={
        "mu": Choices(Q(1, 100), Q(1, 10**4)),
        "s": Choices(Q(4), Q(1), Q(1, 4)),
        "share": Choices(ONE, Q(1, 2)),
        "k": ByBudget(quick=Choices(0, 2, 4), full=Choices(0, 1, 2, 3, 4)),
    },
    every=True,
)
def _moments(mu, s, share, k, *, method="agnes", rate="1+s", step=ONE):
    with precision(200):
        eta = share / (1 + s) if step == 1 else step
        lam = arb(mu) ** (arb(4 - k) / 4)
        claimed = (arb(mu) * eta / (1 + s)).sqrt() if rate == "1+s" else (arb(mu) * eta).sqrt()
        value = agnes_radius(lam, mu, eta, s, method)
    yield "spectral radius", le(value, 1 - claimed)


@agnes_mixed_noise.check(
    "critical noise of NAG",
    domain={"tau": Choices(Q(1, 1000), Q(1, 20), Q(1, 5)), "h": Choices(Q(1), Q(1, 2), Q(1, 10), Q(1, 30))},
    every=True,
)
def _critical(tau, h, *, numerator=ONE, slow=4):
    """The spectral radius at lambda = L = 1, eta = h^2, sqrt(mu/eta) = tau, against 1."""
    eta, a = h * h, tau * h * h
    truth = critical_noise(eta, a)
    below, above = truth * Q(999999, 10**6), truth * Q(1000001, 10**6)

    def excess(s):
        return radius(moment_map(arb(1), arb(eta), arb(h), arb((1 - a) / (1 + a)), arb(s)))

    control = [truth / 2, below, above, 2 * truth]
    claimed = numerator * critical_noise(eta, a, slow)
    yield "critical sigma_m^2", bracket(claimed, control, excess, level=1, below=below, above=above)
    if h == 1:
        rho = (1 - a) / (1 + a)
        yield "its value at eta = 1", eq(claimed, 1 / ((1 + rho) ** 2 + rho**2))


def critical_noise(eta, a, slow=4):
    """The variance from which on Nesterov's method is unstable on x^2/2."""
    return (
        (eta + 2 * a - a * eta) * (4 - 3 * eta + a * eta) / (eta * (2 + 3 * eta + 2 * a - slow * a * eta + a * a * eta))
    )


@agnes_mixed_noise.proof(
    "NAG is unstable for every step",
    rests_on=(
        "det(I - M) < 0, and det(z I - M) -> +oo as z -> +oo, so that the second-moment map M has an eigenvalue above 1; it keeps the cone of second "
        "moments, so some start grows like it",
    ),
)
def _unstable(*, least=2, slope=4):
    h, t = symbols("h tau", positive=True)  # sqrt(eta), sqrt(mu/eta)
    more = symbols("more", nonnegative=True)
    gap = symbols("gap", positive=True)  # eta = 1/(1 + p), a = tau eta = 1/(1 + gap): all of 0 < eta <= 1 and 0 < a < 1
    p = symbols("p", nonnegative=True)
    eta, a = h**2, t * h**2
    yield "determinant", eq(instability(h, a, least + slope * t + more), drift(eta, a, least + slope * t + more))
    eta, a = 1 / (1 + p), 1 / (1 + gap)
    small = {p: 999, gap: 10**6 - 1, more: 0}
    yield "its sign", lt(drift(eta, a, least + slope * a / eta + more), 0, witness=small)


def instability(h, a, s):
    """det(I - M) of Nesterov's method at lambda = 1."""
    rho = (1 - a) / (1 + a)
    (p, q, r), (u, v, w), (x, y, z) = (
        [int(i == j) - entry for j, entry in enumerate(row)] for i, row in enumerate(moment_map(1, h**2, h, rho, s))
    )
    return p * (v * z - w * y) - q * (u * z - w * x) + r * (u * y - v * x)


def drift(eta, a, s):
    """The same, factored: it is negative beyond the critical noise."""
    positive = s * eta * (2 + 3 * eta + 2 * a - 4 * a * eta + a * a * eta)
    return eta / (1 + a) ** 2 * ((eta + 2 * a - a * eta) * (4 - 3 * eta + a * eta) - positive)


@agnes_mixed_noise.proof(
    "expected identity",
    rests_on=(
        "E of the Lyapunov identity with g = G + noise; |noise|^2 has mean sigma_a^2 + s |G|^2 at most; one coordinate decides (bilinear)",
    ),
)
def _identity(*, spread=1):
    c, m, eta, L = symbols("c m eta L", positive=True)  # m = sqrt(mu)
    s, sa2 = symbols("s sa2", nonnegative=True)
    fy, f0, v, u, G, eps = symbols("f_y f_0 v u G epsilon")
    beta = symbols("beta", positive=True)  # sqrt(alpha)
    mu = m**2
    alpha = c * (c - mu * eta) / ((1 - c) * mu)
    b = beta * m / c
    rho = (1 - c) / (1 + c)
    # w = b v + m u; w+ = b v+ + m (u - eta g + beta v+); its part in g has variance (eta m + (b + m beta) rho beta)^2
    after_mean = b * rho * (v - beta * G) + m * (u - eta * G + beta * rho * (v - beta * G))
    gain = m * eta + (b + m * beta) * rho * beta
    noise = sa2 + s * G**2
    f1 = fy - eta * G**2 + L * eta**2 / 2 * (G**2 + spread * noise)  # the bound from smoothness
    left = f1 + after_mean**2 / 2 + gain**2 * noise / 2 - (1 - c) * (f0 + (b * v + m * u) ** 2 / 2)
    aiming = fy + mu / 2 * u**2 - u * G
    curvature = fy - f0 - beta * v * G - eps / 2 * alpha * v**2
    right = (
        c * aiming + (1 - c) * curvature - c * (1 - c) / 2 * b**2 * (1 - eps * c / mu) * v**2
        - (eta - L * eta**2 * (1 + s) / 2 - c**2 * (1 + s) / (2 * mu)) * G**2 + sa2 * (c**2 / (2 * mu) + L * eta**2 / 2)
    )  # fmt: skip
    yield "Lyapunov identity", eq(left, right, modulo=[beta**2 - alpha])


agnes_mixed_noise.mutant("NAG with sigma_m = 2", method="nag", breaks="spectral radius")
agnes_mixed_noise.mutant("AGNES with eta = 1/L", step=Q(999, 1000), breaks="spectral radius")
agnes_mixed_noise.mutant("rate 1 - sqrt(mu/L)/sqrt(1 + s)", rate="sqrt", breaks="spectral radius")
agnes_mixed_noise.mutant("critical noise 5 % larger", numerator=Q(21, 20), breaks="critical sigma_m^2")
agnes_mixed_noise.mutant("5 in place of 4 in the critical noise", slow=5, breaks="critical sigma_m^2")
agnes_mixed_noise.mutant("NAG is unstable for sigma_m^2 >= 1.95 + 4 sqrt(mu/eta)", least=Q(39, 20), breaks="its sign")
agnes_mixed_noise.mutant("NAG is unstable for sigma_m^2 >= 2 + 3 sqrt(mu/eta)", slope=3, breaks="its sign")
agnes_mixed_noise.mutant("noise counted twice in the smoothness term", spread=2, breaks="Lyapunov identity")
