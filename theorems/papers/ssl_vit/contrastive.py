"""Contrastive learning on whole images drives the attention of every position to the largest area."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import arb

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le, lt, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.ssl_vit.paper import PAPER

STEP = Q(1, 20)  # the largest change of a correlation in one step
FLATTEST = Q(1, 10**12)  # smaller gradients are scaled as if they were this large
BITS = 100


@PAPER.identity(
    source="the contrastive theorem: attention of every position concentrates on the global area, even under mild imbalance",
    fidelity="derived",
    evidence="proved",
    method="the areas other than the two compared enter through sums, so that the proofs in symbols serve all numbers of areas; trajectories in balls as a cross-check",
    hypotheses="no masks (both views are the whole image), z = 1, all positions share their correlations (which holds from Q = 0 on), the second view is not differentiated",
    rests_on=(
        "all positions have the same gradient at Q = 0, so they share their correlations at all steps",
        "as long as the ratios of attention stay bounded the increments stay above a positive constant times the step, so they do not stay bounded",
    ),
    not_established="a rate; random masks (see `cl-masked-limit`)",
)
def cl_global_monotone():
    r"""Let $A_a = C_a e^{\phi_a} / \sum_b C_b e^{\phi_b}$, $S = \sum_b A_b^2$. A gradient step of population contrastive learning with $N_s$ negatives, $b$ of them of the same
    cluster, changes the correlations by $\delta\phi_a = c A_a (A_a - S)$ with $c > 0$ unless $b = N_s$. Hence $\delta\phi_m - \delta\phi_a = c (A_m - A_a)(A_m + A_a - S)$; if
    $A_m$ is the largest attention and $A_a < A_m$, this is positive: $\log(A_m/A_a)$ increases at every step of any size. So $A_1 \to 1$ if $C_1 > C_a$ for all $a
    \ne 1$ (however little), $A_1 \to 0$ if $C_1 < C_a$ for all of these, and equal areas keep equal attention: the critical imbalance is $C_1 = C$ for every information gap.
    """


@cl_global_monotone.proof(
    "update",
    covers="all numbers of areas, of negatives and temperatures",
    rests_on=("one position has weight 1/P in the pooled feature, which only changes c",),
)
def _update(*, sign=1):
    """sim = sum_b A_b B_b, B the attention of the fixed view, T = sum of W_b B_b over b != a; then the loss in S."""
    import sympy

    C, R, T, B = symbols("C R T B", positive=True)
    phi = symbols("phi")
    W = C * sympy.exp(phi)
    A, sim = W / (W + R), (W * B + T) / (W + R)
    yield "similarity", eq(sympy.diff(sim, phi), A * (B - sim))
    S = symbols("S")
    tau, M = symbols("tau M", positive=True)  # M = N_s - b
    b = symbols("b", nonnegative=True)
    e = sympy.exp(S / tau)
    loss = -sympy.log(e / ((1 + b) * e + M))
    coefficient = sign * M / (tau * ((1 + b) * e + M))
    yield "coefficient", eq(-sympy.diff(loss, S), coefficient)
    yield "coefficient is positive", lt(0, coefficient)


@cl_global_monotone.proof(
    "largest wins",
    covers="all numbers of areas",
    rests_on=(
        "for the areas b other than m and a, the sum T of A_b^2 is at most A_m times the sum of A_b, as A_b <= A_m",
    ),
)
def _largest(*, competition=True, sign=1, largest=True):
    Am, Aa = symbols("A_m A_a", positive=True)
    T = symbols("T", nonnegative=True)
    S = Am**2 + Aa**2 + T if competition else 1
    change = [sign * A * (A - S) for A in (Am, Aa)]
    any_S = symbols("S")
    yield "difference", eq(Am * (Am - any_S) - Aa * (Aa - any_S), (Am - Aa) * (Am + Aa - any_S))
    rest = 1 - Am - Aa
    most = Am * rest if largest else rest**2
    above = Am - Aa
    certificate = Combination([(1, 1, (above, most - T)), (1, 1, (above, above, Aa)), (1, 1, (above, Aa))])
    true = competition and sign == 1 and largest
    facts = [Am > Aa, most - T, rest]
    yield "increase", lt(change[1], change[0], given=facts, by=certificate if true else None)
    N = symbols("N", positive=True)
    yield "equal areas", eq(1 / N * (1 / N - N / N**2), 0)


def ascended(sizes: Sequence[int], steps: int, competition: bool, sign: int) -> tuple[list[arb], arb]:
    """(final attention, least change of log(A_1/A_a) in a step over the areas a of another size), in balls."""
    with precision(BITS):
        phi, least = [arb(0)] * len(sizes), arb(1)
        for _ in range(steps):
            A = attention(sizes, phi)
            S = sum((a * a for a in A), arb(0)) if competition else arb(1)
            g = [sign * a * (a - S) for a in A]
            largest = max(abs(v).mid() for v in g)
            c = (STEP / largest.max(arb(FLATTEST))).mid()
            for C, v in zip(sizes, g):
                if sizes[0] != C:
                    least = least.min(c * (g[0] - v))
            phi = [
                (v + c * d).mid() for v, d in zip(phi, g)
            ]  # the next state is a midpoint: exact, at a rounding error
        return attention(sizes, phi), least


def attention(sizes: Sequence[int], phi: Sequence[arb]) -> list[arb]:
    """A_a = C_a exp(phi_a) / sum."""
    W = [C * v.exp() for C, v in zip(sizes, phi)]
    D = sum(W, arb(0))
    return [w / D for w in W]


@cl_global_monotone.crosscheck(
    "trajectories",
    domain={
        "N": Choices(4, 2, 3, 8, 13),
        "sizes": Given(lambda N: Arrays(Integers(1, 20), (N - 1,))),
        "steps": ByBudget(quick=60, full=400),
    },
    quick=8,
    full=300,
)
def _trajectories(sizes, steps, *, competition=True, sign=1) -> Iterator[Any]:
    """Mild imbalance: the first area is larger by one patch than the largest other one."""
    yield "log-ratios increase", lt(0, ascended((max(sizes) + 1, *sizes), steps, competition, sign)[1])


@cl_global_monotone.crosscheck("three cases", domain={"first": Choices(6, 5, 4), "steps": 300}, every=True)
def _cases(first, steps, *, competition=True, sign=1) -> Iterator[Any]:
    """Areas (first, 5, 5, 5)."""
    A, _ = ascended((first, 5, 5, 5), steps, competition, sign)
    yield "attention on the first area", le(abs(A[0] - {6: Q(1), 5: Q(1, 4), 4: Q(0)}[first]), Q(1, 10**6))


cl_global_monotone.mutant(
    "no competition: A_a (A_a - 1), in a trajectory", competition=False, breaks="log-ratios increase"
)
cl_global_monotone.mutant("no competition: A_a (A_a - 1)", competition=False, breaks="increase")
cl_global_monotone.mutant("sign flipped, in a trajectory", sign=-1, breaks="log-ratios increase")
cl_global_monotone.mutant("sign flipped", sign=-1, breaks="increase")
cl_global_monotone.mutant("sign of the loss flipped", sign=-1, breaks="coefficient")
cl_global_monotone.mutant("any two areas: m need not be the largest", largest=False, breaks="increase")
