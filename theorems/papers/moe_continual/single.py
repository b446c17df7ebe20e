"""One expert for all tasks: exact forgetting and generalisation."""

from __future__ import annotations

import numpy as np
from flint import arb

from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, curve, eq, le, mean_eq
from theorems.papers.moe_continual.paper import PAPER
from theorems.papers.moe_continual.projections import averages, mean_square, model_gap, one_expert, pool_of
from theorems.papers.moe_continual.recursion import ISOTROPIC


def forgetting_of_one(t, r, W, D, *, steady=False, gap=1):
    """E F_t with one expert."""
    terms = [
        (r**t - r**tau) * W + (1 - r ** (t - tau)) * (1 if steady else 1 - r + r**tau) * gap * D for tau in range(1, t)
    ]
    return sum(terms[1:], terms[0]) / (t - 1)


def generalisation_of_one(T, r, W, D, *, whole=False, gap=1):
    """E G_T with one expert."""
    return r**T * W + (1 if whole else 1 - Q(1, T)) * (1 - r**T) * gap * D


@PAPER.identity(
    source="explicit expected forgetting and generalisation error of a single expert; form derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "size": ByBudget(
            quick=Choices((3, 1, 4, 2), (3, 2, 4, 2), (2, 1, 5, 2), (2, 2, 4, 2)),
            full=Choices((3, 1, 4, 2), (3, 2, 4, 2), (2, 1, 5, 2), (2, 2, 4, 2), (3, 1, 3, 3), (4, 2, 3, 2)),
        ),
        "w": Given(lambda size: Arrays(Integers(-5, 5), (size[3], size[0]))),
    },
    quick=8,
    full=60,
    method="all N^T task sequences and all sequences of coordinate subsets, (d, s, T, N) = `size`, integer ground truths; limits in balls; "
    "Gaussian features as a cross-check",
    hypotheses=f"tasks independent and uniform on the pool; {ISOTROPIC}",
    not_established="the forms as printed in the paper, which have (1 - r^{t-tau}) D and (1 - r^T) D as far as is recalled: these are not exact "
    "for tasks drawn with replacement (they are the first two mutants)",
)
def single_expert_forgetting_generalisation(
    size, w, *, steady=False, whole=False, gap=1, distinct=False, squeezed=False
):
    r"""One expert ($M = 1$), $\bar W = \frac1N\sum_n |w_n|^2$, model gap $D = \frac1{N^2}\sum_{n,n'} |w_n - w_{n'}|^2$, $r = 1 - s/d$. For $2 \le t \le T$
    $$\mathbb{E} F_t = \frac1{t-1}\sum_{\tau=1}^{t-1} \bigl[(r^t - r^\tau) \bar W + (1 - r^{t-\tau})(1 - r + r^\tau) D\bigr], \qquad
    \mathbb{E} G_T = r^T \bar W + \Bigl(1 - \frac1T\Bigr)(1 - r^T) D,$$
    so that for $r < 1$, $F_T \to (1-r) D$ and $G_T \to D$.
    """
    d, s, T, N = size
    pool = pool_of(w)
    r = Q(s, d) if squeezed else 1 - Q(s, d)
    W, D = mean_square(pool), model_gap(pool)
    if distinct:
        D *= Q(N, N - 1)
    measured = averages(pool, s, T, one_expert)
    F = [forgetting_of_one(t, r, W, D, steady=steady, gap=gap) for t in range(2, T + 1)]
    yield "forgetting", eq(list(measured.forgetting.values()), F)
    G = [generalisation_of_one(t, r, W, D, whole=whole, gap=gap) for t in range(1, T + 1)]
    yield "generalisation", eq(list(measured.generalisation.values()), G)


@single_expert_forgetting_generalisation.check(
    "limits",
    domain={"r": Choices(Q(2, 3), Q(1, 3), Q(9, 10), Q(1, 2)), "ratio": Choices(Q(1), Q(1, 100), Q(2))},
    every=True,
)
def _limits(r, ratio, *, steady=False, gap=1):
    """With D = ratio Wbar: T |F_T - (1-r) D| and T |G_T - D| stay bounded, which is the rate of convergence."""
    sizes = (50, 100, 200, 400)

    def values(function, limit):
        return [abs(function(T, arb(r), arb(1), arb(ratio)) - arb(limit)) * T for T in sizes]

    F, G = (1 - r) * ratio, ratio
    forgets = lambda T, r, W, D: forgetting_of_one(T, r, W, D, steady=steady, gap=gap)  # noqa: E731
    yield "limit of the forgetting", le(lambda: values(forgets, F), 2 * (1 + ratio) / (1 - r))
    general = lambda T, r, W, D: generalisation_of_one(T, r, W, D, gap=gap)  # noqa: E731
    yield "limit of the generalisation error", le(lambda: values(general, G), 2 * (1 + ratio) / (1 - r))
    if ratio == 1:
        rounds = range(2, 41)
        balls = arb(r), arb(1), arb(1)
        yield curve(
            "Forgetting of one expert",
            rounds,
            [forgetting_of_one(t, *balls) for t in rounds],
            series=f"r = {r}",
            axes=("rounds", "F/D"),
        )


POOL = (
    (5, -3, 0, 1, 4, -2, 2, 0, -5, 1, 3, -1),
    (-2, 0, 4, 1, -3, 5, 0, 2, 1, -4, 0, 3),
    (1, 1, -5, 0, 2, 2, -3, 4, 0, 0, 5, -2),
)


def gaussian_runs(rng, s, T, runs):
    """F_T and G_T of runs with Gaussian features."""
    w = np.array(POOL, dtype=float)
    d = w.shape[1]
    tasks = rng.integers(len(POOL), size=(T, runs))
    expert = np.zeros((runs, d))
    after = []
    for n in tasks:
        basis = np.linalg.qr(rng.standard_normal((runs, d, s)))[0]
        expert = expert + np.einsum("kis,kjs,kj->ki", basis, basis, w[n] - expert)
        after.append(((expert - w[n]) ** 2).sum(axis=1))
    last = np.array([((expert - w[n]) ** 2).sum(axis=1) for n in tasks])
    return (last[:-1] - np.array(after)[:-1]).mean(axis=0), last.mean(axis=0)


@single_expert_forgetting_generalisation.crosscheck(
    "Gaussian features", domain={"runs": ByBudget(quick=Choices(1600), full=Choices(4000))}, every=True, tests=2
)
def _gaussian(runs, *, squeezed=False):
    s, T = 5, 12
    r = Q(s, 12) if squeezed else 1 - Q(s, 12)
    W, D = mean_square(POOL), model_gap(POOL)
    expected = forgetting_of_one(T, r, W, D), generalisation_of_one(T, r, W, D)

    def last(k):
        return lambda rng: gaussian_runs(rng, s, T, runs)[k]

    for k, name in enumerate(("Gaussian forgetting", "Gaussian generalisation")):
        yield name, mean_eq(last(k), expected[k], fixed=runs, within=10)


single_expert_forgetting_generalisation.mutant("factor 1 - 1/T omitted", whole=True, breaks="generalisation")
single_expert_forgetting_generalisation.mutant("factor 1 - r + r^tau replaced by 1", steady=True, breaks="forgetting")
single_expert_forgetting_generalisation.mutant(
    "factor 1 - r + r^tau replaced by 1, in the limit", steady=True, breaks="limit of the forgetting"
)
single_expert_forgetting_generalisation.mutant("no model gap", gap=0, breaks="generalisation")
single_expert_forgetting_generalisation.mutant(
    "model gap averaged over pairs of distinct tasks", distinct=True, breaks="forgetting"
)
single_expert_forgetting_generalisation.mutant(
    "model gap 2 % larger, in the limit", gap=Q(51, 50), breaks="limit of the generalisation error"
)
single_expert_forgetting_generalisation.mutant("r = s/d", squeezed=True, breaks="forgetting")
single_expert_forgetting_generalisation.mutant(
    "r = s/d, Gaussian features", squeezed=True, breaks="Gaussian forgetting"
)
