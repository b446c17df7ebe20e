"""Nesterov's method along whole trajectories of non-convex functions with known constants, in balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb, fmpq

from solvers.enclosures import precision
from theorems import Arrays, Booleans, Choices, Given, Integers, Q, Rationals, le, lt
from theorems.papers.nesterov_benign.paper import PAPER
from theorems.papers.nesterov_benign.staircase import Bump, Staircase, scaled

BITS = 1100
ONE = Q(1)


def steps_for(a: fmpq) -> int:
    """N = min(400, 6/sqrt(mu))."""
    return min(400, int((6 / a).floor()))


def nesterov(
    gradient: Callable[[list[arb]], list[arb]], x: list[arb], a: fmpq, h: fmpq | arb, N: int, momentum: Any = None
):
    """The iterates (x_n, y_n) of NAG with sqrt(eta) = h and sqrt(mu eta) = a, from rest."""
    rho = (1 - a) / (1 + a) if momentum is None else momentum
    v = [arb(0)] * len(x)
    yield x, x
    for _ in range(N):
        y = [p + h * q for p, q in zip(x, v)]
        g = gradient(y)
        x = [p - h * h * q for p, q in zip(y, g)]
        v = [rho * (p - h * q) for p, q in zip(v, g)]
        yield x, y


def staircase(a, right, left, share, curvature_limit):
    """A staircase from numbers in [0, 1], scaled to L <= 1 and eps <= share sqrt(mu)."""

    def bumps(rows):
        made = []
        for R, W, C in rows:
            width = Q(1, 10) + Q(7, 10) * W
            made.append(Bump(width + 5 * R, width, Q(1, 10) + C))
        return made

    return scaled(a * a, bumps(right.tolist()), bumps(left.tolist()), ONE, share * curvature_limit * a)


STAIRCASES = PAPER.family(
    "staircases",
    exponent=Rationals(Q(1, 2), 2, denominator=100),
    bumps=Integers(1, 4),
    right=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=60), (bumps, 3))),
    left=Given(lambda bumps: Arrays(Rationals(0, 1, denominator=60), (bumps, 3))),
    share=Rationals(Q(3, 10), 1, denominator=20),
    x0=Rationals(Q(1, 2), 8, denominator=20),
    quick=40,
    full=240,
)


def root(exponent: fmpq) -> fmpq:
    """A rational near 10^-exponent: sqrt(mu)."""
    return Q(round(10 ** (6 - int(exponent.p) / int(exponent.q))), 10**6)


@PAPER.bound(
    source="the discrete theorem along trajectories; curved minimiser manifolds are the local case",
    fidelity="derived",
    evidence="certified",
    family=STAIRCASES,
    part="staircases",
    method="balls of 1100 bits; L and eps of staircases are exact, those of valleys bounded in closed form, the step for circles rests on a "
    "grid of Hessians in doubles",
    hypotheses="eta = 1/L (L = 1 for staircases and valleys), eps <= sqrt(mu L); valleys: e <= (3 + a)/4 on the box that is visited",
    not_established="circles (curved minimisers): an observation near the circle, |r_0 - 1| <= 0.15, without proof and with a step from a grid",
)
def nag_nonconvex_trajectories(exponent, right, left, share, x0, *, curvature_limit=ONE):
    r"""Nesterov's method with $\eta = 1/L$ has $f(x_n) - f^* \le (1 - \sqrt{\mu\eta})^nE_0$, $E_0 = f(x_0) - f^* + \frac{\mu}{2}\mathrm{dist}(x_0, M)^2$, for all
    $n$, (S) on every staircase with $L \le 1$ and $\varepsilon \le \sqrt{\mu L}$ from every $x_0$; (V) on valleys $f(x, z) = h(z)x^2/2$,
    $h = \mu + A\cos^2(z/2)$ with $\varepsilon\sqrt{\eta/\mu} \le (3 + a)/4$ on the visited box; and (C) on circles $f = h(\theta)(r - 1)^2/2$ started near
    $r = 1$ (observed).
    """
    a = root(exponent)
    f = staircase(a, right, left, share, curvature_limit)
    yield "bound on staircases", le(*compared(f, a, x0))


def compared(f: Staircase, a: fmpq, x0: fmpq, power: fmpq = ONE) -> tuple[list[arb], list[arb]]:
    """(f(x_n), (1 - a)^(power n) E_0) for all n."""
    with precision(BITS):
        values, bounds = [], []
        start = arb(x0)
        energy = f.value(start) + f.mu * start * start / 2
        for n, (x, _) in enumerate(nesterov(lambda y: [f.slope(y[0])], [start], a, ONE, steps_for(a))):
            values.append(f.value(x[0]))
            bounds.append(energy * (1 - arb(a)) ** (arb(power) * n))
    return values, bounds


def huber_staircase(a: fmpq) -> Staircase:
    """One bump R = W = 0.04, C = 1/4 on both sides, lowered if L would exceed 1."""
    bump = Bump(Q(1, 25), Q(1, 25), Q(1, 4))
    return scaled(a * a, [bump], [bump], ONE, Q(10))


@nag_nonconvex_trajectories.check("Huber staircase", domain={"a": Choices(Q(1, 100), Q(1, 316))}, every=True)
def _huber(a, *, power=ONE):
    f = huber_staircase(a)
    yield "bound on the Huber staircase", le(*compared(f, a, Q(200), power))


@nag_nonconvex_trajectories.check(
    "adversary", domain={"case": Choices((Q(1, 100), Q(1, 5), 50, 50), (Q(1, 316), Q(1, 10), 50, 100))}, every=True
)
def _adversary(case, *, dropped=False):
    a, s, x0, D = case
    f = adversarial(a, s, x0, D) if dropped else Staircase(a * a, ramp(s), ())
    yield "bound against the adversary", le(*compared(f, a, Q(x0)))


def ramp(s: fmpq) -> tuple[Bump, ...]:
    """The right side of the adversary: R = W = 4 s, C = 1/4 (L <= 1)."""
    unit = scaled(Q(0), [Bump(4 * s, 4 * s, Q(1, 4))], [], Q(99, 100), Q(10))
    return unit.right


def adversarial(a: fmpq, s: fmpq, x0: int, D: int) -> Staircase:
    """Bumps on the left between consecutive query points, once they lie beyond -D: aiming and L <= 1 hold, eps is near L."""
    mu = a * a
    bumps: list[Bump] = []
    last = None
    while len(bumps) < 12:
        f = Staircase(mu, ramp(s), tuple(bumps))
        grown = False
        with precision(BITS):
            previous = None
            for _, y in nesterov(lambda y: [f.slope(y[0])], [arb(x0)], a, ONE, 2 * steps_for(a)):  # noqa: B023
                here = y[0]
                if previous is not None and here < previous and previous < -D and (last is None or -here > last):
                    near, far = (rounded(-p) for p in (previous, here))
                    start = max(near, last or near)
                    if far > start:
                        w = (far - start) / 2
                        bumps.append(Bump((far + start) / 2, w, Q(999, 1000) * (1 - mu) * w / (far + 2 * w)))
                        last, grown = far, True
                        break
                previous = here
        if not grown:
            break
    return Staircase(mu, ramp(s), tuple(bumps))


def rounded(x: arb) -> fmpq:
    """A six-digit rational near a ball."""
    return Q(int((x * 10**6).mid().floor().unique_fmpz()), 10**6)


VALLEYS = PAPER.family(
    "valleys",
    exponent=Rationals(Q(1, 2), Q(3, 2), denominator=60),
    A=Rationals(Q(1, 100), Q(2, 5), denominator=100),
    z0=Rationals(-3, 3, denominator=20),
    quick=20,
    full=120,
)


@nag_nonconvex_trajectories.check("valleys", family=VALLEYS)
def _valleys(exponent, A, z0, *, power=ONE):
    a = root(exponent)
    mu = a * a
    with precision(BITS):
        box = arb(min(ONE, (3 + a) / 4 * a / (Q(5, 4) * A)))  # R^2 with eps <= (5/4) A R^2
        start = [Q(3, 10) * box.sqrt(), arb(z0)]

        def gradient(y):
            x, z = y
            h = mu + A * (1 + z.cos()) / 2
            return [h * x, -A * z.sin() / 4 * x * x]

        def value(p):
            return (mu + A * (1 + p[1].cos()) / 2) * p[0] * p[0] / 2

        smooth = mu + A + A * box.sqrt() / 2
        visited, values, bounds = [], [], []
        energy = value(start) + mu * start[0] ** 2 / 2
        for n, (x, y) in enumerate(nesterov(gradient, start, a, ONE, steps_for(a))):
            visited += [x[0] * x[0], y[0] * y[0]]
            values.append(value(x))
            bounds.append(energy * (1 - arb(a)) ** (arb(power) * n))
    yield "valleys: L <= 1 on the box", le(smooth, 1)
    yield "valleys: the box is not left", le(visited, [box] * len(visited))
    yield "bound on valleys", le(values, bounds)


CIRCLES = PAPER.family(
    "circles",
    exponent=Rationals(Q(1, 2), Q(3, 2), denominator=60),
    A=Rationals(0, Q(2, 5), denominator=100),
    q=Integers(1, 3),
    phase=Rationals(0, 6, denominator=20),
    offset=Rationals(Q(1, 50), Q(3, 20), denominator=100),
    inside=Booleans(),
    quick=12,
    full=120,
)


@nag_nonconvex_trajectories.check("circles", family=CIRCLES)
def _circles(exponent, A, q, phase, offset, inside, *, power=ONE):
    a_mu = root(exponent)  # sqrt(mu)
    h_eta = step_on_circle(a_mu * a_mu, A, q)
    a = a_mu * h_eta
    mu = a_mu * a_mu
    with precision(BITS):
        turn = acb(0, arb(phase)).exp()

        def parts(p):
            z = acb(p[0], p[1])
            r = (p[0] * p[0] + p[1] * p[1]).sqrt()
            wave = (z / r) ** q * turn  # e^{i (q theta + phase)}
            return r, mu + A * (1 + wave.real) / 2, -A * q * wave.imag / 2

        def gradient(p):
            r, h, slope = parts(p)
            radial, tangential = h * (r - 1) / r, slope * (r - 1) ** 2 / (2 * r * r)
            return [radial * p[0] - tangential * p[1], radial * p[1] + tangential * p[0]]

        def value(p):
            r, h, _ = parts(p)
            return h * (r - 1) ** 2 / 2

        start = [arb(1 - offset if inside else 1 + offset), arb(0)]
        energy = value(start) + mu * arb(offset) ** 2 / 2
        values, bounds, radii = [], [], []
        for n, (x, _) in enumerate(nesterov(gradient, start, a, h_eta, steps_for(a))):
            values.append(value(x))
            bounds.append(energy * (1 - arb(a)) ** (arb(power) * n))
            radii.append(abs(parts(x)[0] - 1))
    yield "circles: the annulus is not left", lt(radii, [Q(1, 5)] * len(radii))
    yield "bound on circles", le(values, bounds)


def step_on_circle(mu: fmpq, A: fmpq, q: int) -> fmpq:
    """sqrt(eta) with eta <= 1/(1.01 L), L the largest |Hessian eigenvalue| on an 81 x 721 grid of 0.8 <= r <= 1.2 (doubles)."""
    import numpy as np

    m, amplitude = int(mu.p) / int(mu.q), int(A.p) / int(A.q)
    r = np.linspace(0.8, 1.2, 81)[:, None]
    t = np.linspace(0, 2 * np.pi, 721)[None, :]
    h = m + amplitude * (1 + np.cos(q * t)) / 2
    dh, ddh = -amplitude * q * np.sin(q * t) / 2, -amplitude * q * q * np.cos(q * t) / 2
    rr = h + 0 * r
    rt = dh * (r - 1) / r - dh * (r - 1) ** 2 / (2 * r * r)
    tt = h * (r - 1) / r + ddh * (r - 1) ** 2 / (2 * r * r)
    largest = np.max(np.abs((rr + tt) / 2) + np.sqrt(((rr - tt) / 2) ** 2 + rt**2))
    return Q(int(1000 / np.sqrt(1.01 * largest)), 1000)


nag_nonconvex_trajectories.mutant(
    "curvature hypothesis dropped: the adversary", dropped=True, breaks="bound against the adversary"
)
nag_nonconvex_trajectories.mutant("exponent 1.5 n", power=Q(3, 2), breaks="bound on the Huber staircase")
nag_nonconvex_trajectories.mutant("exponent 2 n", power=Q(2), breaks="bound on the Huber staircase")
