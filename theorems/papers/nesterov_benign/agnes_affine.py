r"""AGNES on functions whose minimisers form an affine set, with gradients that have tangential parts.

The closest minimiser moves along with the tangential part of y, so that the tangential part of w = b v + sqrt(mu) u is b v alone. What the
Lyapunov identity leaves for the tangential parts v, G is -c times a quadratic form. Noise normal to the set is the worst: its gain
sqrt(mu) eta + (b + sqrt(mu alpha)) rho sqrt(alpha) in w is larger than the tangential one, b rho sqrt(alpha).
"""

from __future__ import annotations

from theorems import Choices, Q, bracket, eq, le, symbols
from theorems.kernel.positivity import Discriminant
from theorems.papers.nesterov_benign.agnes import agnes_mixed_noise

SIZE = 10  # of the normal parts of the states, so that f >= 0 there


def form(c, s, kappa, v, g):
    """The form in v and g = sqrt(alpha) G, with kappa = eps c/mu and eta = 1/(L (1 + s))."""
    b2 = (1 - c * (1 + s)) / (1 - c)
    after = (1 - c) / (1 + c) * (v - g)
    moved = b2 * after**2 - 2 * (1 + s) * after * g + (1 + s) ** 2 * g**2 / b2  # |b v' - (1 + s) g/b|^2
    return (1 - c) * b2 * (1 - kappa) / 2 * v**2 + b2 * after**2 - (1 + s) * after * g + c / 2 * moved


def threshold(c, s, kind="affine"):
    """The largest eps c/mu for which the form is nonnegative; or a wrong one."""
    if kind == "no c s":
        return (3 + c - s**2) / (2 * (s + 2))
    if kind == "no noise":
        return (3 + c) / 4
    return (3 + c - s**2) / ((s + 2) * (2 - c * s))


@agnes_mixed_noise.proof(
    "affine minimisers",
    rests_on=(
        "the identity for a fixed minimiser, in the normal parts; |w'|^2/2 with w' = b v' in the tangential ones, where the closest minimiser has moved along",
        "noise of variance s |G|^2 normal to M; for eta < 1/(L (1 + s)) and for tangential noise the terms left out are <= 0",
    ),
)
def _tangential():
    m, beta, t = symbols("m beta t", positive=True)  # sqrt(mu), sqrt(alpha); c = 1/(1 + s + t): all 0 < c < 1/(1 + s)
    s = symbols("s", nonnegative=True)
    v, G, eps = symbols("v G epsilon")
    c = 1 / (1 + s + t)
    mu, eta = m**2, c**2 * (1 + s) / m**2
    alpha = c * (c - mu * eta) / ((1 - c) * mu)
    b, rho = beta * m / c, (1 - c) / (1 + c)
    after = rho * (v - beta * G)
    gain = m * eta + (b + m * beta) * rho * beta
    # smoothness with L = 1/(eta (1 + s)) gives E f(x_1) <= f(y) - eta |G|^2/2
    left = (b * after) ** 2 / 2 + gain**2 * s * G**2 / 2 - eta * G**2 / 2 - (1 - c) * (b * v) ** 2 / 2
    curvature = -beta * v * G - eps / 2 * alpha * v**2
    right = (1 - c) * curvature - c * form(c, s, eps * c / mu, v, beta * G)
    yield "tangential parts", eq(left, right, modulo=[beta**2 - alpha])


@agnes_mixed_noise.proof("form of affine minimisers")
def _form(*, widened=1, limit=3):
    t, s = symbols("t", positive=True), symbols("s", nonnegative=True)
    v, g, k = symbols("v g kappa")
    c = 1 / (1 + s + t)
    q = form(c, s, k, v, g).expand()
    A, B, C = q.coeff(g, 2), q.coeff(g, 1).coeff(v, 1), q.coeff(v, 2)
    truth = (1 - c) * (limit + c - s**2 - k * (s + 2) * (2 - c * s)) / (1 + c) ** 2
    yield "affine minimisers: discriminant", eq(4 * A * C - B**2, truth)
    d = symbols("d", nonnegative=True)
    allowed = widened * threshold(c, s) - d
    worst = {s: 1, t: 2, d: 0, v: 1, g: tangential(Q(1, 4), Q(1))}
    yield "affine minimisers: every state", le(0, form(c, s, allowed, v, g), by=Discriminant(g), witness=worst)


def excess(c, b, kappa):
    """E[E_1] - (1 - c) E_0 at the extremal state: mu = 1, s = (1 - c)(1 - b^2)/c, eta = 1/(L (1 + s)); all f-values are >= 0."""
    s = (1 - c) * (1 - b * b) / c
    eta, beta, rho, eps = c * c * (1 + s), c * b, (1 - c) / (1 + c), kappa / c
    u, G = (Q(SIZE), Q(0)), (Q(SIZE), tangential(c, s) / beta)  # normal, tangential
    v = (Q(0), Q(1))
    size = G[0] ** 2 + G[1] ** 2
    f_y = G[0] * u[0] - u[0] ** 2 / 2
    f_0 = f_y - beta * (v[0] * G[0] + v[1] * G[1]) - eps / 2 * beta**2 * v[1] ** 2
    f_1 = f_y - eta * size + eta / 2 * size  # with noise of variance s |G|^2, normal
    after = [rho * (p - beta * q) for p, q in zip(v, G)]
    w_0 = (b * v[0] + u[0], b * v[1])
    w_1 = (b * after[0] + u[0] - eta * G[0] + beta * after[0], b * after[1])
    gain = eta + (b + beta) * rho * beta
    energy_0 = f_0 + (w_0[0] ** 2 + w_0[1] ** 2) / 2
    energy_1 = f_1 + (w_1[0] ** 2 + w_1[1] ** 2 + gain**2 * s * size) / 2
    return energy_1 - (1 - c) * energy_0


def tangential(c, s):
    """The g that minimises the form at v = 1 and the threshold."""
    return (c + s + 3) * (1 - c * (1 + s)) / ((s + 2) * (2 - c * s))


@agnes_mixed_noise.check(
    "affine states",
    domain={
        "case": Choices(
            (Q(1, 10), Q(19, 20)),
            (Q(1, 20), Q(99, 100)),
            (Q(1, 5), Q(4, 5)),
            (Q(1, 100), Q(199, 200)),
            (Q(1, 2), Q(9, 10)),
        )
    },
    every=True,
)
def _states(case, *, scale=1, kind="affine"):
    c, b = case
    s = (1 - c) * (1 - b * b) / c
    truth = threshold(c, s)
    below, above = truth * (1 - Q(1, 10**6)), truth * (1 + Q(1, 10**6))
    control = [truth * Q(99, 100), below, above, truth * Q(101, 100)]
    for factor in (Q(99, 100), Q(101, 100)):
        g = tangential(c, s)
        yield f"affine state at {factor}", eq(excess(c, b, factor * truth), -c * form(c, s, factor * truth, Q(1), g))
    claimed = scale * threshold(c, s, kind)
    yield (
        "affine minimisers: threshold",
        bracket(claimed, control, lambda k: excess(c, b, k), level=0, below=below, above=above),
    )


agnes_mixed_noise.mutant("affine threshold 1 % larger", widened=Q(101, 100), breaks="affine minimisers: every state")
agnes_mixed_noise.mutant(
    "affine threshold 1 % larger, states", scale=Q(101, 100), breaks="affine minimisers: threshold"
)
agnes_mixed_noise.mutant(
    "affine threshold 1 % smaller, states", scale=Q(99, 100), breaks="affine minimisers: threshold"
)
agnes_mixed_noise.mutant("affine threshold without c s", kind="no c s", breaks="affine minimisers: threshold")
agnes_mixed_noise.mutant("affine threshold as without noise", kind="no noise", breaks="affine minimisers: threshold")
agnes_mixed_noise.mutant("discriminant with 4 in place of 3", limit=4, breaks="affine minimisers: discriminant")
