r"""One step of Nesterov's method: the Lyapunov identity, and the sharp amount of negative curvature that it bears."""

from __future__ import annotations

from flint import fmpq

from solvers.performance import ORIGIN, Performance, enclose, inner, smooth_strongly_convex, squared
from theorems import Choices, Q, bracket, eq, le, lt, optimum, symbols
from theorems.kernel.positivity import Discriminant
from theorems.papers.nesterov_benign.paper import PAPER

A = Choices(Q(1, 2), Q(1, 5), Q(1, 20))
PRECISE = Q(1, 10**7)
ONE = Q(1)


def point_excess(a, e, rate=None):
    """E_1 - r E_0 (r = 1 - a unless given) at the extremal state for a single minimiser; mu = a^2, eta = 1."""
    mu, eps = a * a, e * a
    u, g, v = Q(1), Q(1, 2), Q(1, 10)
    f_y = g * u - mu * u * u / 2
    f_0, f_1 = f_y - v * g - eps * v * v / 2, f_y - g * g / 2
    return excess(a, (u,), (g,), (v,), f_0, f_1, rate)


def affine_excess(a, e, rate=None):
    """The same for affine M: normal and tangential components, re-projected at the new point."""
    mu, eps = a * a, e * a
    b = (1 - a) * (3 + a) / 4
    u, g, v = (Q(200), Q(0)), (400 * mu, b), (Q(0), Q(1))
    f_y = g[0] * u[0] - mu * u[0] ** 2 / 2
    f_0 = f_y - v[1] * g[1] - eps * v[1] ** 2 / 2
    f_1 = f_y - (g[0] ** 2 + g[1] ** 2) / 2
    return excess(a, u, g, v, f_0, f_1, rate)


def excess(a, u, g, v, f_0, f_1, rate=None):
    """E_1 - r E_0 from the state, whose first coordinate is normal to M (the others tangential); all f-values > 0."""
    momentum = (1 - a) / (1 + a)
    after_v = [momentum * (p - q) for p, q in zip(v, g)]
    after_y = [p - q + r for p, q, r in zip(u, g, after_v)]  # y_1 = y - g + v_1, relative to pi(y)
    w_0 = [v[0] + a * u[0], *v[1:]]
    w_1 = [after_v[0] + a * after_y[0], *after_v[1:]]
    energy_0 = f_0 + sum(p * p for p in w_0) / 2
    energy_1 = f_1 + sum(p * p for p in w_1) / 2
    return energy_1 - ((1 - a) if rate is None else rate) * energy_0


@PAPER.transition(
    source="abstract: the classical discrete time version; the condition eps <~ sqrt(mu/eta) is its benign part",
    fidelity="derived",
    evidence="certified",
    domain={"a": A},
    every=True,
    part="thresholds",
    method="the identity and the discriminant in symbols; extremal states in rationals; performance estimation problems as cross-checks",
    hypotheses="eta <= 1/L, L-smoothness, mu-aiming towards the closest minimiser, curvature >= -eps; e = eps sqrt(eta/mu)",
    not_established="sharpness over functions: the states attain equality in the three inequalities used, and are not shown to come from one "
    "function. Aiming at the sampled points is necessary only, so the N-step worst case is an upper bound; for strongly convex functions it is exact",
)
def nag_one_step_lyapunov(a, *, affine_threshold="(3+a)/4", scale=1):
    r"""Let $a = \sqrt{\mu\eta}$, $w_n = v_n + \sqrt\mu(y_n - \pi(y_n))$, $E_n = f(x_n) - f^* + |w_n|^2/2$, $e = \varepsilon\sqrt{\eta/\mu}$. Under
    $L$-smoothness, $\mu$-aiming, curvature $\ge -\varepsilon$ and $\eta \le 1/L$, Nesterov's method has $E_{n+1} \le (1 - a)E_n$ for all states if (i) $M$ is a
    point (or gradients are normal to an affine $M$) and $e \le 1$, or (ii) $M$ is affine and $e \le (3 + a)/4$. Both thresholds are sharp for one step, given only the
    three inequalities. Hence $f(x_N) - f^* \le (1 - \sqrt{\mu\eta})^N E_0$.
    """
    control = [Q(9, 10), Q(99, 100), 1 - Q(1, 10**6), 1 + Q(1, 10**6), Q(101, 100), Q(11, 10)]
    yield (
        "single minimiser",
        bracket(1, control, lambda e: point_excess(a, e), level=0, below=1 - Q(1, 10**6), above=1 + Q(1, 10**6)),
    )
    truth = (3 + a) / 4
    claimed = scale * (truth if affine_threshold == "(3+a)/4" else Q(1))
    below, above = truth * (1 - Q(1, 10**6)), truth * (1 + Q(1, 10**6))
    states = sorted({truth * Q(99, 100), below, above, truth * Q(101, 100)})
    yield (
        "affine minimisers",
        bracket(claimed, states, lambda e: affine_excess(a, e), level=0, below=below, above=above),
    )


@nag_one_step_lyapunov.check("states", domain={"a": A}, every=True)
def _states(a):
    e = Q(101, 100)
    yield "excess of the point state", eq(point_excess(a, e), a * (1 - a) * (e - 1) / 200)
    b = (1 - a) * (3 + a) / 4
    for factor in (Q(101, 100), Q(99, 100)):
        e = factor * (3 + a) / 4
        yield f"excess of the affine state at {factor}", eq(affine_excess(a, e), -a * form(a, e, Q(1), b))


@nag_one_step_lyapunov.check("faster rates", domain={"a": A}, every=True)
def _faster(a, *, squared_rate=False):
    rate = (1 - a) ** 2 if squared_rate else 1 - a
    yield "point state with e = 1", le(point_excess(a, Q(1), rate), 0)


def form(a, e, v, b):
    """Q(v, b) of the affine case."""
    rho = (1 - a) / (1 + a)
    return (1 - a) * (1 - e) / 2 * v**2 + rho**2 * (v - b) ** 2 - rho * (v - b) * b + a / 2 * (rho * (v - b) - b) ** 2


@nag_one_step_lyapunov.proof(
    "identity",
    rests_on=(
        "u, g, v in a three-dimensional space, here with coordinates (the identity is bilinear, so two coordinates decide)",
        "the first three brackets are <= 0 by smoothness with eta <= 1/L, aiming, and the curvature bound",
    ),
)
def _identity(*, rho_factor=1, rate=1):
    a = symbols("a", positive=True, upper=1)
    h, eps = symbols("h epsilon", positive=True)  # h = sqrt(eta)
    fy, f0, f1 = symbols("f_y f_0 f_1")
    u, v, g = symbols("u1 u2"), symbols("v1 v2"), symbols("g1 g2")
    m = a / h  # sqrt(mu)

    def dot(p, q):
        return p[0] * q[0] + p[1] * q[1]

    rho = rho_factor * (1 - a) / (1 + a)
    after_v = [rho * (p - h * q) for p, q in zip(v, g)]
    after_u = [p - h**2 * q + h * r for p, q, r in zip(u, g, after_v)]
    w1 = [p + m * q for p, q in zip(after_v, after_u)]
    w0 = [p + m * q for p, q in zip(v, u)]
    left = f1 + dot(w1, w1) / 2 - (1 - a) ** rate * (f0 + dot(w0, w0) / 2)
    smoothness = f1 - fy + h**2 / 2 * dot(g, g)
    aiming = fy + m**2 / 2 * dot(u, u) - dot(u, g)
    curvature = fy - f0 - h * dot(v, g) - eps / 2 * h**2 * dot(v, v)
    e = eps * h / m
    right = smoothness + a * aiming + (1 - a) * curvature - a * (1 - a) * (1 - e) / 2 * dot(v, v)
    yield "Lyapunov identity", eq(left, right)


@nag_one_step_lyapunov.proof(
    "affine minimisers, every state", rests_on=("re-projection changes |w|^2/2 by the quadratic form Q",)
)
def _affine(*, limit=3):
    a = symbols("a", positive=True, below=1)
    e = symbols("e")
    v, b = symbols("v b")
    rho = (1 - a) / (1 + a)
    q = (1 - a) * (1 - e) / 2 * v**2 + rho**2 * (v - b) ** 2 - rho * (v - b) * b + a / 2 * (rho * (v - b) - b) ** 2
    coefficients = [q.expand().coeff(b, 2), q.expand().coeff(b, 1).coeff(v, 1), q.expand().coeff(v, 2)]
    discriminant = 4 * coefficients[0] * coefficients[2] - coefficients[1] ** 2
    yield "leading coefficient", eq(coefficients[0], 2 / (1 + a) ** 2)
    yield "discriminant", eq(discriminant, (1 - a) * (a - 4 * e + limit) / (1 + a) ** 2)
    d = symbols("d", nonnegative=True)  # e = (3 + a)/4 - d
    yield "nonnegative up to the threshold", le(0, q.subs(e, (3 + a) / 4 - d), by=Discriminant(b))


def one_step(
    a: fmpq,
    e: fmpq,
    *,
    affine: bool,
    rate: int = 1,
    momentum: fmpq = ONE,
    smoothness: fmpq = ONE,
    aiming: str = "aiming",
):
    """Maximise E_1 - (1 - a)^rate E_0 given the three inequalities, eta = 1, mu = a^2, on f(x_0) + |v|^2/2 + mu |u|^2/2 <= 1."""
    mu, eps = a * a, e * a
    pep = Performance()
    f_y, f_0, f_1 = pep.number(), pep.number(), pep.number()
    u, g, v = pep.vector(), pep.vector(), pep.vector()  # normal parts
    gt, vt = (pep.vector(), pep.vector()) if affine else (ORIGIN, ORIGIN)
    if affine:
        for n in (u, g, v):
            for t in (gt, vt):
                pep.require_equal(inner(n, t))
    gg, vv, vg = squared(g) + squared(gt), squared(v) + squared(vt), inner(v, g) + inner(vt, gt)
    pep.require(f_1, f_y - gg * smoothness / 2)
    if aiming == "aiming":
        pep.require(f_y + squared(u) * mu / 2, inner(u, g))
    else:  # Polyak-Lojasiewicz
        pep.require(f_y * 2 * mu, gg)
    pep.require(f_y - vg - vv * eps / 2, f_0)
    for f in (f_y, f_0, f_1):
        pep.require(-f)
    pep.require(f_0 + vv / 2 + squared(u) * mu / 2, 1)
    rho = momentum * (1 - a) / (1 + a)
    v_1, t_1 = (v - g) * rho, (vt - gt) * rho
    energy_0 = f_0 + squared(v + u * a) / 2 + squared(vt) / 2
    energy_1 = f_1 + squared(v_1 + (u - g + v_1) * a) / 2 + squared(t_1) / 2
    pep.maximise(energy_1 - energy_0 * (1 - a) ** rate)
    return optimum(pep.program().problem, enclose, maximum=True)


@nag_one_step_lyapunov.crosscheck("one-step worst case", domain={"a": A, "affine": Choices(False, True)}, every=True)
def _one_step(a, affine, *, rate=1, momentum=ONE, smoothness=ONE, aiming="aiming", affine_threshold="(3+a)/4"):
    threshold = (3 + a) / 4 if affine and affine_threshold == "(3+a)/4" else Q(1)
    best = one_step(
        a, threshold * Q(98, 100), affine=affine, rate=rate, momentum=momentum, smoothness=smoothness, aiming=aiming
    )
    yield "below the threshold", le(best, PRECISE)
    yield "above the threshold", lt(Q(1, 2000), one_step(a, threshold * Q(102, 100), affine=affine))


def n_steps(mu: fmpq, a: fmpq, N: int, kind: str, initial: str = "E_0"):
    """The N-step worst case of f(x_N) - f* over E_0 <= 1, eta = L = 1 and mu = a^2."""
    pep = Performance()
    f = pep.function(smooth_strongly_convex(mu if kind == "convex" else -a * Q(3, 4), 1))
    best, x, v = f.minimiser(), pep.vector(), ORIGIN
    pep.require(f(x).f - best.f + squared(x - best.x) * mu / 2, 1)
    rho = (1 - a) / (1 + a)
    for _ in range(N):
        y = x + v
        s = f(y)
        if kind == "benign":
            pep.require(s.f - best.f + squared(y - best.x) * mu / 2, inner(s.g, y - best.x))
        x = y - s.g
        v = (v - s.g) * rho
    pep.maximise(f(x).f - best.f)
    return optimum(pep.program().problem, enclose, maximum=True)


@nag_one_step_lyapunov.crosscheck(
    "N-step worst case",
    domain={"a": Choices(Q(3, 10), Q(1, 10)), "N": Choices(1, 2, 3), "kind": Choices("benign", "convex")},
    every=True,
)
def _n_steps(a, N, kind, *, power=1):
    yield "N steps", le(n_steps(a * a, a, N, kind), (1 - a) ** (power * N))


nag_one_step_lyapunov.mutant("rate (1 - a)^2 per step", rate=2, breaks=("Lyapunov identity", "below the threshold"))
nag_one_step_lyapunov.mutant("rate (1 - a)^2 per step, worst case", rate=2, breaks="below the threshold")
nag_one_step_lyapunov.mutant("momentum 5 % larger, worst case", momentum=Q(21, 20), breaks="below the threshold")
nag_one_step_lyapunov.mutant("momentum 5 % larger in the identity", rho_factor=Q(21, 20), breaks="Lyapunov identity")
nag_one_step_lyapunov.mutant(
    "threshold 1 for affine M", affine_threshold="1", breaks=("affine minimisers", "below the threshold")
)
nag_one_step_lyapunov.mutant("threshold 0.98 (3 + a)/4", scale=Q(98, 100), breaks="affine minimisers")
nag_one_step_lyapunov.mutant("threshold 1.02 (3 + a)/4", scale=Q(102, 100), breaks="affine minimisers")
nag_one_step_lyapunov.mutant("discriminant with 4 in place of 3", limit=4, breaks="discriminant")
nag_one_step_lyapunov.mutant("(1 - a)^(2N) for N steps", power=2, breaks="N steps")
nag_one_step_lyapunov.mutant("rate (1 - a)^2 at the extremal state", squared_rate=True, breaks="point state with e = 1")
nag_one_step_lyapunov.mutant("Polyak-Lojasiewicz in place of aiming", aiming="PL", breaks="below the threshold")
nag_one_step_lyapunov.mutant("eta = 1.9/L", smoothness=Q(1, 10), breaks="below the threshold")
