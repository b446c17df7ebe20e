"""How far the denominators of Adam can move within a round of clipped gradients."""

from __future__ import annotations

from theorems import Arrays, Choices, Combination, Given, Integers, Q, Rationals, eq, le, symbolic, symbols
from theorems.papers.local_adaptive.paper import PAPER

CLIP = Q(1)
RANDOM = PAPER.family(
    "rounds-of-gradients",
    n=Integers(1, 40),
    slow=Choices(Q(1, 10000), Q(1, 2), Q(1, 100), Q(1, 7)),  # 1 - beta_2
    lam=Choices(Q(1, 1000), Q(1), Q(1, 30)),
    start=Rationals(0, 2, 100),
    gradients=Given(lambda n: Arrays(Rationals(-1, 1, 100), (n,))),
    quick=100,
    full=1000,
)
EXTREME = PAPER.family(
    "extreme-gradients",
    n=Choices(1, 8, 40),
    slow=Choices(Q(1, 10000), Q(1, 2), Q(1, 100)),
    lam=Choices(Q(1, 1000), Q(1), Q(1, 30)),
    start=Choices(Q(0), Q(1, 2), Q(1)),
    size=Choices(Q(1), Q(0)),
    gradients=Given(lambda n, size: Choices((size,) * n)),
    every=True,
)


def second_moment(start, gradients, slow):
    """v after the gradients, from v_r = start."""
    v = start
    for g in gradients:
        v = (1 - slow) * v + slow * g * g
    return v


@PAPER.bound(
    source="Lemma 2, first event; the deterministic version is derived",
    fidelity="derived",
    evidence="proved",
    method="symbols for B = beta_2^n and for the weighted mean of the squared gradients; exact rounds of gradients as a cross-check",
    rests_on=(
        "v = beta_2^n v_r + (1 - beta_2^n) a with a weighted mean a of the squared clipped gradients, 0 <= a <= rho^2",
        "1 - beta_2^n <= n (1 - beta_2) (Bernoulli)",
    ),
)
def adam_denominator_stability():
    r"""Within a round started from $v_r \ge 0$, after $n = k + 1$ local steps $v \leftarrow \beta_2 v + (1 - \beta_2)\hat g^2$ with any
    gradients clipped at $\rho$, coordinatewise,
    $$\beta_2^{n/2} \le \frac{\sqrt{v + \lambda^2}}{\sqrt{v_r + \lambda^2}} \le
    \sqrt{1 + (1 - \beta_2^n) \frac{(\rho^2 - v_r)_+}{v_r + \lambda^2}} \le 1 + (1 - \beta_2) n \frac{\rho^2}{2\lambda^2}.$$
    The first bound is attained in the limit $\lambda \to 0$ by zero gradients, the second by $\hat g = \pm\rho$ when $v_r \le \rho^2$.
    """


@adam_denominator_stability.crosscheck("exact rounds", family=(EXTREME, RANDOM))
def _exact_rounds(n, slow, lam, start, gradients):
    v = second_moment(start, gradients, slow)
    ratio = (v + lam * lam) / (start + lam * lam)
    kept = (1 - slow) ** n
    sharp = 1 + (1 - kept) * max(CLIP * CLIP - start, Q(0)) / (start + lam * lam)
    yield "exact rounds", le([kept, ratio, sharp], [ratio, sharp, (1 + slow * n * CLIP**2 / (2 * lam * lam)) ** 2])


@adam_denominator_stability.proof(
    "argument",
    covers="all beta_2 and rho, all n >= 1, v_r >= 0, lambda > 0, all gradients (B = beta_2^n, a their weighted mean)",
)
def _argument(*, half=1, root=2, largest=1):
    vr, a, room = symbols("v_r a room", nonnegative=True)
    lam, rho = symbols("lambda rho", positive=True)
    s = symbols("s", above=0, below=1)  # beta_2^{n/4}
    B = s**4
    v = B * vr + (1 - B) * a
    yield "lower", le((s**2 if root == 4 else B) * (vr + lam**2), v + lam**2)
    below = {a: symbolic(Q(largest)) * rho**2 - room}  # a <= rho^2
    sharp = vr + (1 - B) * (rho**2 - vr)
    yield "v_r below the clip", le(v.subs(below), sharp, by=Combination([(1, 1, (1 - B, room))]))
    yield "v_r above the clip", le(v.subs(a, vr - room), vr)  # a <= rho^2 <= v_r
    yield "attained", eq([v.subs(a, 0), v.subs(a, rho**2)], [B * vr, sharp])
    y = symbols("y", nonnegative=True)
    yield "square root", le(1 + y, (1 + symbolic(Q(half)) * y / 2) ** 2)
    yield "largest gap", le((rho**2 - vr) / (vr + lam**2), rho**2 / lam**2)


adam_denominator_stability.mutant("lower bound beta_2^{n/4}", root=4, breaks="lower")
adam_denominator_stability.mutant("last bound with rho^2/(8 lambda^2)", half=Q(1, 4), breaks="square root")
adam_denominator_stability.mutant("last bound 2 % smaller", half=Q(98, 100), breaks="square root")
adam_denominator_stability.mutant("gradients up to 1.1 rho", largest=Q(121, 100), breaks="v_r below the clip")
adam_denominator_stability.mutant(
    "clipping removed (gradients up to 100 rho)", largest=10**4, breaks="v_r below the clip"
)
