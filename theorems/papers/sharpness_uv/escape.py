"""The invariant interval of the cubic map up to twice the critical step, and escape from it beyond."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import ByBudget, Choices, Q, eq, le, lt, prob_le, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.sharpness_uv import PAPER


@PAPER.bound(
    source="derived: divergence of training beyond twice the critical step, on the edge-of-stability manifold",
    fidelity="derived",
    evidence="proved",
    method="factorisations with signs; beyond mu = 2 the map expands by more than 3 in the arcsine metric of [0, m + 1], which it covers "
    "by three branches with a hole; sampled starts cross-check both sides",
    not_established="starts off the manifold B = 0, where gradient descent may diverge below mu = 2",
)
def manifold_boundedness():
    r"""Let $m = 1 + \mu$ and $F_\mu(u) = u(m - u)^2$. For $0 \le \mu \le 2$ the interval $[0, 2 + \mu]$ is mapped into itself. For $\mu > 2$
    the interior maximum $4(1 + \mu)^3/27$ exceeds $2 + \mu$, an orbit beyond $2 + \mu$ increases to infinity, and the starts in
    $[0, 2 + \mu]$ that stay there for $n$ steps have arcsine measure at most $(3/K)^n$ with $K^2 = 9 + \frac{m^2 - 9}{2m + 3} > 9$:
    training at $\eta > 2\eta_c$ from the edge-of-stability manifold diverges off a null set.
    """


def F(u, m):
    """The cubic map."""
    return u * (m - u) ** 2


@manifold_boundedness.proof("invariant interval")
def _invariant(*, top=3, end=1):
    m = symbols("m", lower=1, upper=top)
    u = symbols("u", nonnegative=True)
    room = m + end - u
    yield (
        "stays below the end",
        le(
            F(u, m),
            m + end,
            given=[room],
            by=Combination([(1, u - (m - 1) / 2, (room,)), (Q(1, 4), 1, (room, 3 - m, m + 1))]),
        ),
    )
    yield "stays above 0", le(0, F(u, m))
    m, s = symbols("m s", positive=True)
    yield "leaves beyond mu = 2", lt(4 + s, F((3 + s) / 3, 3 + s))  # m = 3 + s
    yield "excess of the maximum", eq(F(m / 3, m) - m - 1, (m - 3) * (2 * m + 3) ** 2 / 27)
    yield (
        "interior maximum",
        le(F(u, m), F(m / 3, m), given=[4 * m / 3 - u], by=Combination([(1, u - m / 3, (4 * m / 3 - u,))])),
    )
    yield "fixed point III", eq(F(m + 1, m), m + 1)
    yield "increases beyond the end", eq(F(m + 1 + s, m) - (m + 1 + s), s * (m + 1 + s) * (2 + s))


@manifold_boundedness.proof(
    "escape",
    rests_on=(
        "F maps three intervals onto [0, M], M = m + 1, when its maximum exceeds M and its minimum is F(m) = 0; each is traversed "
        "monotonically, so the starts that survive n + 1 steps are three preimages of those that survive n, each shorter by at "
        "least the factor K in the metric du / sqrt(u (M - u)), whose total length is pi",
        "an increasing orbit beyond M has no fixed point to converge to",
    ),
)
def _escape(*, expansion=3):
    u, m = symbols("u m")
    M, quadratic = m + 1, u**2 - (m - 1) * u + 1
    slope = F(u, m).diff(u)
    image = F(u, m)
    # squared expansion in the metric: F'^2 u (M - u) / (F (M - F)) = (m - 3u)^2 / (u^2 - (m - 1) u + 1)
    yield "distance to the end", eq(M - image, (M - u) * quadratic)
    yield "expansion", eq(slope**2 * u * (M - u) * quadratic, image * (M - image) * (m - 3 * u) ** 2)
    yield "excess over 9", eq((m - 3 * u) ** 2 - expansion**2 * quadratic, (m - 3) * (3 * u + m + 3))
    big = symbols("m", above=3)
    inside = symbols("u", nonnegative=True)
    yield (
        "quadratic at most 2m + 3",
        le(
            inside**2 - (big - 1) * inside + 1,
            2 * big + 3,
            given=[big + 1 - inside],
            by=Combination([(1, 1, (big + 1 - inside, inside + 2))]),
        ),
    )
    yield "expansion by more than 3", lt(0, (big - 3) * (3 * inside + big + 3))


@manifold_boundedness.crosscheck(
    "sampled starts",
    domain={
        "mu": Choices(Q(199, 100), Q(2), Q(201, 100), Q(21, 10), Q(23, 10)),
        "steps": ByBudget(quick=30, full=300),
        "patience": 3000,
    },
    every=True,
)
def _sampled(mu, steps, patience, *, bounded=2):
    """2000 uniform starts: none escapes within some steps up to mu = 2, nearly all do within 3000 beyond it."""
    if mu <= bounded:
        yield "escape fraction up to mu = 2", prob_le(starts(mu, steps, False), Q(1, 100), fixed=2000, within=Q(1, 50))
    else:
        yield "survivors beyond mu = 2", prob_le(starts(mu, patience, True), Q(1, 100), fixed=2000, within=Q(1, 50))


def starts(mu: fmpq, steps: int, survival: bool):
    """Draws of 50 uniform starts: whether each escapes [0, 2 + mu] within some steps, or survives them."""

    def draw(rng):
        import numpy as np

        grid = rng.integers(0, 2**40, size=50)
        escaped = [escapes(fmpq(int(k), 2**40) * (2 + mu), mu, steps) for k in grid]
        return np.array([e != survival for e in escaped])

    return draw


def escapes(start: fmpq, mu: fmpq, steps: int) -> bool:
    """Whether the orbit certainly exceeds 2 + mu within some steps; balls, with more bits while they lose the orbit."""
    bits = 256
    while True:
        with precision(bits):
            u, m, end = arb(start), arb(1 + mu), arb(2 + mu)
            for _ in range(steps):
                a = m - u
                u = u * a * a
                if u > end:
                    return True
                if u.rad() > 1:
                    break
            else:
                return False
        bits *= 2


manifold_boundedness.mutant("invariant up to m = 3.1", top=Q(31, 10), breaks="stays below the end")
manifold_boundedness.mutant("invariant up to m = 3.01", top=Q(301, 100), breaks="stays below the end")
manifold_boundedness.mutant("interval [0, m] in place of [0, m + 1]", end=0, breaks="stays below the end")
manifold_boundedness.mutant("expansion by 4", expansion=4, breaks="excess over 9")
manifold_boundedness.mutant(
    "bounded at mu = 2.01", bounded=Q(201, 100), on="sampled starts", breaks="escape fraction up to mu = 2"
)
