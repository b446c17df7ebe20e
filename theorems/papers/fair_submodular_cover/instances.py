"""Instances of fair submodular maximisation: random ones, and those that make the algorithms' guarantees tight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.submodular import Coverage, FairnessMatroid, optimum
from theorems import Arrays, Choices, Given, Integers, Q, shared
from theorems.papers.fair_submodular_cover.paper import PAPER

GROUP_SIZE = 6


@dataclass(frozen=True)
class Instance:
    """Maximise f over the fairness matroid.

    Attributes:
        f: the function.
        group: the group of each element.
        matroid: M_fair(kappa, l, u).
        optimum: the largest value of a member.
    """

    f: Coverage
    group: tuple[int, ...]
    matroid: FairnessMatroid
    optimum: fmpq


@shared
def random_instance(
    weights: tuple[int, ...], rows: fmpq_mat, kappa: int, lower: tuple[int, ...], upper: tuple[int, ...]
):
    """A coverage function on groups of equal size, with the optimum by enumeration."""
    f = Coverage.of(weights, rows.tolist())
    group = tuple(e * len(lower) // f.size for e in range(f.size))
    matroid = FairnessMatroid(lower, upper, kappa)
    return Instance(f, group, matroid, optimum(f, group, matroid)[0])


def with_optimum(
    rows: Sequence[Mapping[int, Any]], group: Sequence[int], matroid: FairnessMatroid, best: Sequence[int]
):
    """Unit weights on the items that occur, of which `best` covers all: the optimum is their number."""
    f = Coverage.of([1] * (1 + max(i for row in rows for i in row)), rows)
    if f.value(best) != f.total:
        raise ValueError(f"{best} does not cover all items")
    return Instance(f, tuple(group), matroid, f.total)


@shared
def greedy_tight(beta: int) -> Instance:
    """Greedy takes beta decoys x_i, each as good as b_i, and has no room left for a*: the value is beta of 1 + beta items.

    Group 0: x_1, ..., x_beta (x_i covers item i), then a* (item 0). Group 1: b_1, ..., b_beta (b_i covers item i), then
    beta^2 - beta dummies. l = 0, u = (1, beta), kappa = 1 + beta.
    """
    items = range(1, beta + 1)
    rows: list[dict[int, int]] = (
        [{i: 1} for i in items] + [{0: 1}] + [{i: 1} for i in items] + [{}] * (beta * beta - beta)
    )
    group = [0] * (beta + 1) + [1] * (beta * beta)
    best = [beta, *range(beta + 1, 2 * beta + 1)]
    return with_optimum(rows, group, FairnessMatroid((0, 0), (1, beta), 1 + beta), best)


@shared
def product_coverage(kappa: int, beta: int) -> Instance:
    """kappa groups with u_c = 1 and l_c = 0; group c: beta decoys, each hitting all kappa items with probability 1/kappa,
    then o_c (item c), then beta - 1 dummies."""
    decoy = {i: fmpq(1, kappa) for i in range(kappa)}
    rows: list[Mapping[int, Any]] = []
    for c in range(kappa):
        rows += [decoy] * beta + [{c: 1}] + [{}] * (beta - 1)
    group = [c for c in range(kappa) for _ in range(2 * beta)]
    best = [2 * beta * c + beta for c in range(kappa)]
    return with_optimum(rows, group, FairnessMatroid((0,) * kappa, (1,) * kappa, kappa), best)


@shared
def one_large(kappa: int) -> Instance:
    """One group, one element of weight 10 and kappa - 1 disjoint elements of weight 4; all of them are optimal."""
    f = Coverage.of([10] + [4] * (kappa - 1), [{i: 1} for i in range(kappa)])
    return Instance(f, (0,) * kappa, FairnessMatroid((0,), (kappa,), kappa), f.total)


@shared
def copies(kappa: int) -> Instance:
    """One group: kappa copies of an element, then kappa - 1 elements that cover one item each."""
    rows = [{0: 1}] * kappa + [{i: 1} for i in range(1, kappa)]
    best = [0, *range(kappa, 2 * kappa - 1)]
    return with_optimum(rows, [0] * len(rows), FairnessMatroid((0,), (kappa,), kappa), best)


ENTRIES = {
    "coverage": Choices(*(Q(0),) * 7, *(Q(1),) * 3),
    "probabilistic": Choices(Q(0), Q(0), Q(0), Q(1, 4), Q(1, 2), Q(1)),
}


def _bounds(kappa: int, beta: int) -> Arrays:
    return Arrays(Integers(0, min(kappa, GROUP_SIZE // beta)), (2,))


RANDOM = PAPER.family(
    "random-coverage",
    kind=Choices(*ENTRIES),
    items=Integers(6, 8),
    weights=Given(lambda items: Arrays(Integers(1, 5), (items,))),
    rows=Given(lambda kind, items: Arrays(ENTRIES[kind], (2 * GROUP_SIZE, items))),
    kappa=Integers(2, 3),
    beta=Integers(1, 3),
    lower=Given(_bounds),
    upper=Given(_bounds),
    where=lambda rows, kappa, lower, upper: (
        any(rows.entries()) and all(a <= b for a, b in zip(lower, upper)) and sum(lower) <= kappa <= sum(upper)
    ),
    accept=0.1,
    quick=120,
    full=1500,
)
