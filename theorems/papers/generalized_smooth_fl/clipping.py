"""Clipping of the server step, and sampling without replacement."""

from __future__ import annotations

from itertools import permutations

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import (
    Arrays,
    Choices,
    Given,
    Integers,
    Q,
    Rationals,
    bracket,
    eq,
    lt,
    shared,
    slope,
    symbols,
)
from theorems.papers.generalized_smooth_fl.federation import double_well, evaluate, quartic
from theorems.papers.generalized_smooth_fl.paper import PAPER


@PAPER.transition(
    source="interplay of step sizes and clipping",
    fidelity="derived",
    evidence="proved",
    method="the factor of one step with its sign; the decrease under clipping as one polynomial inequality",
    hypotheses="f = x^4; L0 = 16/L1^2 is the least L0 for the given L1",
)
def clipping_phase_transition():
    r"""For $f = x^4$ a fixed (unclipped) server step $\gamma$ converges iff $|x_0| < 1/\sqrt{2\gamma}$ and diverges beyond; with
    $\gamma_t = 1/(2(L_0 + L_1|f'(x_t)|))$, $L_0 = 16/L_1^2$, $f$ decreases monotonically from every $x_0$.
    """


@clipping_phase_transition.proof(
    "one step",
    rests_on=(
        "below the threshold |x| decreases, to the only fixed point 0; beyond it |x| grows, so that x^2 stays beyond",
    ),
)
def _one_step(*, critical=2, root=1, clipped=True):
    x, gamma, e = symbols("x gamma e", positive=True)
    change = (1 - 4 * gamma * x**2) ** 2 - 1
    yield "factor", eq(change, 8 * gamma * x**2 * (critical * gamma**root * x**2 - 1))
    share = symbols("share", above=0, below=1)
    yield "below the threshold", lt(8 * gamma * x**2 * (share - 1), 0)
    yield "beyond the threshold", lt(0, 8 * gamma * x**2 * e)
    # |x+| < |x| with gamma_t = 1/(2 A) iff 0 < 4 x^2/(2 A) < 2; t = L1 x, A = (16 + 4 t^3)/L1^2
    t = symbols("t", positive=True)
    yield "clipped steps decrease", lt(t**2, 16 + (4 * t**3 if clipped else 0))


@clipping_phase_transition.crosscheck(
    "critical start", domain={"gamma": Choices(Q(1, 10), Q(1, 100), Q(1, 1000), Q(1, 10**4))}, every=True
)
def _critical(gamma, *, critical=2, root=1):
    truth, near = 1 / (2 * gamma), Q(1, 10**12)
    control = [truth / 2, truth * (1 - near), truth * (1 + near), 2 * truth]
    claimed = 1 / (critical * gamma) if root == 1 else 1 / (4 * gamma**2)
    yield (
        "critical x_0^2",
        bracket(
            claimed, control, lambda y: (1 - 4 * gamma * y) ** 2 - 1, level=0,
            below=truth * (1 - near), above=truth * (1 + near),
        ),
    )  # fmt: skip


@clipping_phase_transition.crosscheck("runs", domain={"x0": Choices(Q(301, 3), Q(4, 3), Q(30001, 3))}, every=True)
def _runs(x0, *, clipped=True):
    values = []
    with precision(300):
        x = arb(x0)
        for _ in range(200 if clipped else 3):
            s = 4 * x**3
            x = x - s / (2 * (16 + (abs(s) if clipped else 0)))
            values.append(abs(x))
    yield "monotone runs", lt(values[1:], values[:-1])


clipping_phase_transition.mutant("critical 1/sqrt(gamma)", critical=1, breaks=("factor", "critical x_0^2"))
clipping_phase_transition.mutant("critical 1/sqrt(gamma), bisected", critical=1, breaks="critical x_0^2")
clipping_phase_transition.mutant("critical 1/(2 gamma)", root=2, breaks=("factor", "critical x_0^2"))
clipping_phase_transition.mutant("no clipping", clipped=False, breaks="clipped steps decrease")
clipping_phase_transition.mutant("no clipping from 100", clipped=False, breaks="monotone runs")


@PAPER.rate(
    source="the sampling lemma of the analysis of random reshuffling",
    fidelity="paper",
    evidence="certified",
    domain={
        "n": Integers(2, 6),
        "X": Given(lambda n: Arrays(Rationals(-3, 3, denominator=6), (n, 2))),
    },
    quick=12,
    full=60,
    part="variance",
    method="all permutations in rationals; all 120 orders and all 5^5 words in balls",
    not_established="the exponents for other components than the quartics and double wells used",
)
def without_replacement_variance(n, X, *, law="without"):
    r"""For any $X_1, \dots, X_n$ and a uniform permutation,
    $\mathbb{E}|\bar X_{(k)} - \bar X|^2 = \frac{n - k}{k(n - 1)}\sigma^2$ for the mean of the first $k$, $\sigma^2 = \frac1n\sum|X_i - \bar X|^2$. Consequently the epoch
    gradient $g(\alpha)$ of random reshuffling has $\mathbb{E}|g - \nabla f|^2 = \Theta(\alpha^2)$ as $\alpha \to 0$, against $\Theta(1)$ with replacement.
    """
    rows = X.tolist()
    mean = [sum(r[c] for r in rows) / n for c in (0, 1)]
    variance = sum((r[c] - mean[c]) ** 2 for r in rows for c in (0, 1)) / n
    found = [Q(0)] * n
    count = 0
    for order in permutations(range(n)):
        partial = [Q(0), Q(0)]
        count += 1
        for k, i in enumerate(order, 1):
            partial = [p + rows[i][c] for c, p in enumerate(partial)]
            found[k - 1] += sum((p / k - m) ** 2 for p, m in zip(partial, mean))
    factors = {
        "without": [Q(n - k, k * (n - 1)) for k in range(1, n + 1)],
        "with": [Q(1, k) for k in range(1, n + 1)],
        "n": [Q(n - k, k * n) for k in range(1, n + 1)],
    }[law]
    yield "variance of partial means", eq([s / count for s in found], [f * variance for f in factors])


COMPONENTS = (
    quartic(Q(1), Q(1), Q(1, 2)),
    quartic(Q(1, 2), Q(-1), Q(0)),
    double_well(Q(1, 4), Q(0), Q(1)),
    quartic(Q(1, 3), Q(3), Q(1)),
    double_well(Q(1, 2), Q(1), Q(1, 2)),
)
ALPHAS = (Q(1, 10**4), Q(3, 10**5), Q(1, 10**5), Q(3, 10**6))


@shared
def epoch_errors(alpha: fmpq) -> tuple[arb, arb]:
    """E |g - grad f|^2 at x = 2 over all orders, and over all words of length 5."""
    slopes = [p.derivative() for p in COMPONENTS]
    with precision(200):
        x = arb(2)
        full = sum((evaluate(d, x) for d in slopes), arb(0)) / 5
        orders, words = [], []

        def walk(y, total, used, distinct):
            if len(used) == 5:
                error = (total / 5 - full) ** 2
                words.append(error)
                if distinct:
                    orders.append(error)
                return
            for i, d in enumerate(slopes):
                s = evaluate(d, y)
                walk(y - alpha * s, total + s, (*used, i), distinct and i not in used)

        walk(x, arb(0), (), True)
        return sum(orders, arb(0)) / len(orders), sum(words, arb(0)) / len(words)


@without_replacement_variance.check("epochs", domain={"x": Choices(2)}, every=True)
def _epochs(x, *, reshuffled=2, replaced=0):
    errors = [epoch_errors(alpha) for alpha in ALPHAS]
    yield "random reshuffling", slope(list(ALPHAS), [a for a, _ in errors], reshuffled, within=Q(1, 20))
    yield "with replacement", slope(list(ALPHAS), [b for _, b in errors], replaced, within=Q(1, 20))


without_replacement_variance.mutant("1/k (with replacement)", law="with", breaks="variance of partial means")
without_replacement_variance.mutant("(n - k)/(k n)", law="n", breaks="variance of partial means")
without_replacement_variance.mutant("exponent 1 for random reshuffling", reshuffled=1, breaks="random reshuffling")
