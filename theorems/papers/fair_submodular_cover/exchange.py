"""The exchange lemma behind the discrete guarantees: beta copies of a base can be exchanged into any base of M_beta."""

from __future__ import annotations

from solvers.submodular import FairnessMatroid, arrangements, exchange_slack, growing_groups
from theorems import Arrays, ByBudget, Choices, Given, Integers, le
from theorems.papers.fair_submodular_cover.paper import PAPER


def sensible(kappa, lower, upper):
    """0 <= l <= u and sum l <= kappa <= sum u."""
    return all(a <= b for a, b in zip(lower, upper)) and sum(lower) <= kappa <= sum(upper)


def factors(groups: int, kappa: int) -> Choices:
    """The integers beta with beta <= 3 (2 for three groups) and beta kappa <= 6."""
    return Choices(*(beta for beta in range(1, 4 if groups < 3 else 3) if beta * kappa <= 6))


DOMAIN = PAPER.family(
    "small-matroids",
    groups=ByBudget(quick=Choices(1, 2), full=Choices(1, 2, 3)),
    kappa=Integers(1, 3),
    beta=Given(factors),
    lower=Given(lambda groups, kappa: Arrays(Integers(0, kappa), (groups,))),
    upper=Given(lambda groups, kappa: Arrays(Integers(0, kappa), (groups,))),
    where=sensible,
    exhaustive=True,
)
BEYOND = PAPER.family(
    "larger-matroids",
    groups=Integers(1, 4),
    kappa=Integers(1, 6),
    beta=Integers(1, 4),
    lower=Given(lambda groups, kappa: Arrays(Integers(0, max(1, kappa // groups)), (groups,))),
    upper=Given(lambda groups, kappa: Arrays(Integers(0, kappa), (groups,))),
    # a base of each matroid, and an order of the elements of the second, are read off a sequence of random numbers
    picks=Arrays(Integers(0, 10**6), (28,)),
    where=sensible,
    accept=0.05,
    quick=150,
    full=20_000,
)


def extension(matroid: FairnessMatroid, beta: int, capacity: str) -> FairnessMatroid:
    """M_beta, or with the capacities u_c + (beta - 1) min(u_c, 1) of a mutant."""
    if capacity == "beta u":
        return matroid.scaled(beta)
    upper = tuple(u + (beta - 1) * min(u, 1) for u in matroid.upper)
    lower = tuple(min(beta * a, u) for a, u in zip(matroid.lower, upper))
    return FairnessMatroid(lower, upper, min(beta * matroid.size, sum(upper)))


def loosened(matroid: FairnessMatroid) -> FairnessMatroid:
    """The same without lower bounds."""
    return FairnessMatroid((0,) * matroid.groups, matroid.upper, matroid.size)


def least_slack(matroid: FairnessMatroid, beta: int, capacity: str, any_lower: bool, copies: int) -> int:
    """The least slack of Hall's condition over all bases T of the matroid and all orders of all bases of its extension."""
    extended = extension(matroid, beta, capacity)
    bases = list((loosened(matroid) if any_lower else matroid).bases())
    slack = 0
    for counts in extended.bases():
        for sequence in arrangements(counts):
            masks = growing_groups(extended, sequence)
            slack = min(slack, *(exchange_slack(masks, [copies * n for n in T]) for T in bases))
    return slack


@PAPER.construction(
    source="exchange lemma with beta copies of T",
    fidelity="paper",
    evidence="proved",
    family=DOMAIN,
    part="small matroids",
    method="membership depends on the counts of the groups only, so E is a matching between the positions i (which accept the groups "
    "that may grow at S_i) and beta copies of the elements of T; Hall's condition over all sets of groups, for all bases T and all "
    "orders of all bases S up to renaming within groups; random larger cases cross-check it",
    rests_on=(
        "Hall's theorem",
        "treating e_{i+1} as an element outside S_i is the stronger form: nothing changes when it is in S_i",
    ),
    hypotheses="every group has enough elements for the bases of M_beta",
)
def exchange_lemma(groups, kappa, beta, lower, upper, *, capacity="beta u", any_lower=False, copies=0):
    r"""Let $T$ be a base of $\mathcal{M} = \{S : |S \cap U_c| \le u_c,\ \sum_c \max(|S \cap U_c|, l_c) \le \kappa\}$ and let
    $S = (s_1, \dots, s_{\beta\kappa})$ be any order of any base of its $\beta$-extension $\mathcal{M}_\beta$ (all bounds multiplied by
    $\beta$); $S_i$ holds the first $i$ elements. There is a sequence $E = (e_1, \dots, e_{\beta\kappa})$ that contains every element of
    $T$ exactly $\beta$ times, with $S_i + e_{i+1} \in \mathcal{M}_\beta$ for all $i$. Here: for all $N \le 3$ groups (2 at the quick
    budget), $\kappa \le 3$, $\beta \le 3$ ($\beta \le 2$ for $N = 3$) with $\beta\kappa \le 6$ and all $l \le u \le \kappa$ with
    $\sum l_c \le \kappa \le \sum u_c$.
    """
    matroid = FairnessMatroid(lower, upper, kappa)
    return le(0, least_slack(matroid, beta, capacity, any_lower, beta + copies))


@exchange_lemma.crosscheck("larger matroids", family=BEYOND)
def _larger(groups, kappa, beta, lower, upper, picks, *, copies=0):
    matroid = FairnessMatroid(lower, upper, kappa)
    extended = matroid.scaled(beta)
    T, S = (base_at(m, pick) for m, pick in zip((matroid, extended), picks))
    places = iter(picks[2:])
    sequence = [c for c, n in enumerate(S) for _ in range(n)]
    for i in range(len(sequence) - 1, 0, -1):  # Fisher and Yates
        j = next(places) % (i + 1)
        sequence[i], sequence[j] = sequence[j], sequence[i]
    return le(0, exchange_slack(growing_groups(extended, sequence), [(beta + copies) * n for n in T]))


def base_at(matroid: FairnessMatroid, pick: int) -> tuple[int, ...]:
    """A base chosen by a number."""
    bases = list(matroid.bases())
    return bases[pick % len(bases)]


exchange_lemma.mutant("capacities u_c not scaled by beta", capacity="less", breaks="small matroids")
exchange_lemma.mutant("T outside M_fair: lower bounds ignored", any_lower=True, breaks="small matroids")
exchange_lemma.mutant("beta + 1 copies of T", copies=1, breaks="small matroids")
exchange_lemma.mutant("beta + 1 copies of T, larger matroids", copies=1, breaks="larger matroids", anywhere=True)
