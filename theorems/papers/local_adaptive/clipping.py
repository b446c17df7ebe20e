"""Clipping keeps a round inside a box, so that only the smoothness in the box matters."""

from __future__ import annotations

from theorems import Arrays, Choices, Given, Integers, Q, dyadic, le
from theorems.papers.local_adaptive.paper import PAPER

STEPS, RHO, B1 = 8, Q(2), Q(1, 2)
GRID = 2**20  # stochastic gradients are multiples of 1/GRID before clipping
UNIFORMS = 4000
ETA = Q(1472, 2**16)  # 0.0224609375: the largest multiple of 2^-16 below (1 - b1)^2/(2 L_loc)
REACH = 1 + ETA * RHO * STEPS
CURVATURE = 3 * REACH * REACH  # L_loc, at the right end of the box about x_r = 1
ROUNDS = PAPER.family(
    "clipped-rounds",
    d=Integers(1, 2),
    scale=Choices(2, 50),
    momentum=Choices(Q(0), RHO),
    uniforms=Given(lambda d: Arrays(Integers(1 - UNIFORMS, UNIFORMS - 1), (STEPS, 2 * d))),
    quick=30,
    full=200,
)
PUSHED = PAPER.family("pushed-rounds", momentum=Choices(RHO), push=Choices(100, 10**4), every=True)


def pareto(k, scale):
    """A symmetric heavy-tailed noise from k in (-UNIFORMS, UNIFORMS): +-scale (w^{-5/11} - 1), w = 1 - |k|/UNIFORMS, on the grid.

    The tail index 2.2 = 11/5; the power is rounded to the grid, which changes the noise only.
    """
    w = Q(UNIFORMS - abs(k), UNIFORMS)
    size = (float(int(w.p) / int(w.q)) ** (-5 / 11) - 1) * scale
    return (1 if k > 0 else -1) * Q(round(size * GRID), GRID)


def on_grid(g):
    """The nearest multiple of 1/GRID below: the rounding is part of the noise."""
    return Q(int((g * GRID).floor()), GRID)


def run(noises, momentum, clip=True):
    """Two workers in one coordinate on f = x^4/4 from x = 1: positions, momenta, true and clipped gradients, step by step."""
    x, u = [Q(1)] * 2, [momentum] * 2
    xs, rows = [list(x)], []
    for pair in noises:
        true = [v**3 for v in x]
        noisy = [on_grid(g + e) for g, e in zip(true, pair, strict=True)]
        used = [max(-RHO, min(RHO, g)) for g in noisy] if clip else noisy
        u = [B1 * a + (1 - B1) * g for a, g in zip(u, used, strict=True)]
        x = [a - ETA * b for a, b in zip(x, u, strict=True)]
        xs.append(list(x))
        rows.append((true, used))
    return xs, rows


def excess(xs, rows):
    """Left and right side of the pathwise inequality with C = 2 and L = L_loc at the last step, in one coordinate."""
    difference = [a - b for a, b in xs]
    d = [Q(0)] + [(difference[j + 1] - B1 * difference[j]) / (1 - B1) for j in range(len(rows))]
    left, right = d[-1] ** 2, Q(0)
    for j, (true, used) in enumerate(rows):
        Dg = true[0] - true[1]
        n = (used[0] - used[1]) - Dg
        left += ETA / CURVATURE * B1 ** (len(rows) - 1 - j) * Dg * Dg
        right += 2 * ETA**2 * n * n - 2 * ETA * d[j] * n
    return left, right


@PAPER.bound(
    source="abstract (generalised smoothness and gradient clipping); derived",
    fidelity="derived",
    evidence="certified",
    family=ROUNDS,
    method="two workers on sum x_i^4/4 with heavy-tailed noise, in exact dyadic rationals",
    hypotheses=f"separable f; K = {STEPS}, rho = 2, beta_1 = 1/2, x_r = 1, u_r in {{0, rho}}, eta = 0.0224609375 <= "
    "(1 - beta_1)^2/(2 L_loc) with L_loc = 3(1 + eta rho K)^2",
    not_established="f that is not separable (on a subset of R^d cocoercivity can fail)",
    rests_on=(
        "u stays a convex combination of vectors in [-rho, rho]^d; in one dimension f'' <= L_loc on the interval gives "
        "cocoercivity there, and pathwise-contraction uses nothing else",
    ),
)
def clipping_localises_smoothness(d, scale, momentum, uniforms, *, clip=True, travel=1):
    r"""If $|u_r|_\infty \le \rho$ at the start of a round, $k$ local steps with coordinatewise clipping at $\rho$ move every worker by at
    most $\eta\rho k$ in each coordinate, whatever the noise (attained). Hence for a separable convex $f$ that is only locally smooth,
    with $L_{loc} = \max f_i''$ over $|x_i - x_{r,i}| \le \eta\rho K$ and $\eta \le (1 - \beta_1)^2/(2L_{loc})$, the inequality of
    pathwise-contraction holds within the round with $L = L_{loc}$ and $C = 2$.
    """
    moved, left, right = [Q(0)] * STEPS, Q(0), Q(0)
    for i in range(d):
        noises = [tuple(pareto(int(uniforms[k, 2 * i + w]), scale) for w in (0, 1)) for k in range(STEPS)]
        xs, rows = run(noises, momentum, clip)
        moved = [max(m, *(abs(v - 1) for v in x)) for m, x in zip(moved, xs[1:], strict=True)]
        a, b = excess(xs, rows)
        left, right = left + a, right + b
    yield "travel", le(dyadic(moved), dyadic([travel * ETA * RHO * (k + 1) for k in range(STEPS)]))
    yield "contraction", le(dyadic(left), dyadic(right))


@clipping_localises_smoothness.check("attained", family=PUSHED)
def _attained(momentum, push, *, clip=True, travel=1):
    xs, _ = run([(Q(push), Q(-push))] * STEPS, momentum, clip)
    claimed = [travel * ETA * RHO * (k + 1) for k in range(STEPS)]
    yield "attained", le(dyadic([abs(x[0] - 1) for x in xs[1:]]), dyadic(claimed))


@clipping_localises_smoothness.check("one large noise", family=PUSHED)
def _one_large_noise(momentum, push, *, clip=True):
    left, right = excess(*run([(Q(push), Q(-push))] + [(Q(0), Q(0))] * (STEPS - 1), momentum, clip))
    yield "one large noise", le(dyadic(left), dyadic(right))


clipping_localises_smoothness.mutant("clipping removed", clip=False, breaks="travel")
clipping_localises_smoothness.mutant("clipping removed: no contraction", clip=False, breaks="one large noise")
clipping_localises_smoothness.mutant("travel at most 0.9 eta rho k", travel=Q(9, 10), breaks="attained")
clipping_localises_smoothness.mutant("travel at most 0.999 eta rho k", travel=Q(999, 1000), breaks="attained")
