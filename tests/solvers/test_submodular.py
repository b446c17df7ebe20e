"""Submodular maximisation against definitions written out, enumeration and networkx."""

from __future__ import annotations

import itertools
import random

import networkx as nx
import pytest
from flint import fmpq

from solvers.submodular import (
    Coverage,
    FairnessMatroid,
    Point,
    arrangements,
    completed,
    continuous_greedy,
    counts_of,
    exchange_slack,
    filled_up,
    greedy,
    growing_groups,
    optimum,
    pipage,
    threshold_greedy,
)


def random_coverage(rng: random.Random, n: int, items: int) -> Coverage:
    rows = [[fmpq(rng.choice([0, 0, 1, 2, 4]), 4) for _ in range(items)] for _ in range(n)]
    return Coverage.of([rng.randint(1, 5) for _ in range(items)], rows)


def by_definition(f: Coverage, S: tuple[int, ...]) -> fmpq:
    total = fmpq(0)
    for i, w in enumerate(f.weights):
        missed = fmpq(1)
        for e in S:
            missed *= 1 - f.probabilities[e].get(i, fmpq(0))
        total += w * (1 - missed)
    return total


def mean_value(f: Coverage, x: list[fmpq]) -> fmpq:
    """E f of a random set that holds each e independently with probability x_e."""
    total = fmpq(0)
    for k in range(f.size + 1):
        for S in itertools.combinations(range(f.size), k):
            p = fmpq(1)
            for e in range(f.size):
                p *= x[e] if e in S else 1 - x[e]
            total += p * by_definition(f, S)
    return total


def members(matroid: FairnessMatroid, group: list[int]) -> set[frozenset[int]]:
    ground = range(len(group))
    return {
        frozenset(S)
        for k in range(len(group) + 1)
        for S in itertools.combinations(ground, k)
        if matroid.contains(counts_of(S, group, matroid.groups))
    }


MATROIDS = [
    FairnessMatroid((0, 0), (2, 2), 3),
    FairnessMatroid((1, 0), (2, 1), 2),
    FairnessMatroid((1, 1), (1, 2), 3),
    FairnessMatroid((2,), (3,), 3),
]


@pytest.mark.parametrize("seed", range(4))
def test_values_gains_and_residuals_follow_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    f = random_coverage(rng, 6, 4)
    S = tuple(rng.sample(range(6), 3))
    e = next(e for e in range(6) if e not in S)
    assert f.value(S) == by_definition(f, S)
    assert f.gain(f.residuals(S), e) == by_definition(f, (*S, e)) - by_definition(f, S)


@pytest.mark.parametrize("seed", range(4))
def test_the_extension_is_the_mean_over_independent_elements_and_the_slope_its_difference(seed: int) -> None:
    rng = random.Random(seed)
    f = random_coverage(rng, 5, 3)
    x = [fmpq(rng.choice([0, 1, 2, 3, 3]), 3) for _ in range(5)]
    assert f.extension(x) == mean_value(f, x)
    for e in range(5):
        ends = [mean_value(f, [*x[:e], fmpq(t), *x[e + 1 :]]) for t in (0, 1)]
        assert Point(f, x).slope(e) == ends[1] - ends[0]


def test_a_point_that_moves_to_a_corner_and_back_keeps_its_value() -> None:
    f = Coverage.of([1, 2], [[1, 0], [1, fmpq(1, 2)]])
    point = Point(f, [fmpq(1, 2), fmpq(1, 3)])
    value = point.value
    for step in (fmpq(1, 2), fmpq(-1), fmpq(1, 2)):
        point.add(0, step)
    assert point.value == value


@pytest.mark.parametrize("matroid", MATROIDS, ids=str)
def test_the_fairness_constraint_satisfies_the_matroid_axioms(matroid: FairnessMatroid) -> None:
    group = [c for c in range(matroid.groups) for _ in range(3)]
    independent = members(matroid, group)
    assert frozenset() in independent
    for S in independent:
        assert all(S - {e} in independent for e in S)
        for T in independent:
            if len(T) > len(S):
                assert any(S | {e} in independent for e in T - S)


@pytest.mark.parametrize("matroid", MATROIDS, ids=str)
def test_bases_are_the_largest_members_and_grows_is_membership_of_the_next(matroid: FairnessMatroid) -> None:
    group = [c for c in range(matroid.groups) for _ in range(3)]
    independent = members(matroid, group)
    rank = max(map(len, independent))
    assert rank == matroid.size
    largest = {counts_of(S, group, matroid.groups) for S in independent if len(S) == rank}
    assert set(matroid.bases()) == largest
    for S in independent:
        for e in set(range(len(group))) - S:
            assert matroid.grows(counts_of(S, group, matroid.groups), group[e]) == (S | {e} in independent)


def test_arrangements_are_the_distinct_permutations() -> None:
    assert set(arrangements((2, 1, 1))) == set(itertools.permutations((0, 0, 1, 2)))
    assert len(list(arrangements((2, 1, 1)))) == 12


@pytest.mark.parametrize("seed", range(30))
def test_exchange_slack_is_non_negative_iff_networkx_finds_a_matching(seed: int) -> None:
    rng = random.Random(seed)
    groups = rng.randint(1, 3)
    masks = [rng.randrange(1 << groups) for _ in range(rng.randint(1, 6))]
    demand = [rng.randint(0, 3) for _ in range(groups)]
    graph = nx.Graph()
    copies = [("copy", c, j) for c, n in enumerate(demand) for j in range(n)]
    graph.add_nodes_from(copies)
    graph.add_nodes_from(range(len(masks)))
    graph.add_edges_from((copy, i) for copy in copies for i, m in enumerate(masks) if m >> copy[1] & 1)
    matched = len(nx.bipartite.maximum_matching(graph, top_nodes=copies)) // 2
    assert (exchange_slack(masks, demand) >= 0) == (matched == len(copies))


def test_growing_groups_close_when_the_lower_bounds_need_the_rest() -> None:
    matroid = FairnessMatroid((0, 1), (2, 2), 2)
    assert growing_groups(matroid, (0, 1)) == [0b11, 0b10]


def test_greedy_takes_decoys_first_when_ties_go_to_the_smallest_number() -> None:
    f = Coverage.of([1, 1], [{0: 1}, {0: 1}, {1: 1}])
    assert greedy(f, [0, 0, 0], FairnessMatroid((0,), (2,), 2)) == [0, 2]
    assert greedy(f, [0, 0, 1], FairnessMatroid((0, 0), (2, 0), 2)) == [0, 1]
    assert greedy(f, [0, 0, 0], FairnessMatroid((0,), (3,), 3), positive=True) == [0, 2]


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_the_largest_value_over_all_members(seed: int) -> None:
    rng = random.Random(seed)
    f, group, matroid = random_coverage(rng, 6, 4), [0, 0, 0, 1, 1, 1], MATROIDS[seed % 3]
    best, S = optimum(f, group, matroid)
    assert best == max(by_definition(f, tuple(T)) for T in members(matroid, group)) == by_definition(f, S)


def test_threshold_greedy_with_one_pass_takes_elements_of_full_value_only() -> None:
    f = Coverage.of([10, 4, 4], [{0: 1}, {1: 1}, {2: 1}])
    matroid = FairnessMatroid((0,), (3,), 3)
    assert threshold_greedy(f, [0, 0, 0], matroid, 1, fmpq(1, 5), last=fmpq(9, 10)) == [0]
    assert threshold_greedy(f, [0, 0, 0], matroid, 1, fmpq(1, 5)) == [0, 1, 2]


def test_completion_fills_lower_bounds_first_and_ends_in_a_base() -> None:
    extended = FairnessMatroid((0, 2), (3, 3), 4)
    S = completed([0], [0, 0, 0, 1, 1, 1], extended)
    assert set(S) == {0, 1, 3, 4}
    with pytest.raises(ValueError, match="too small"):
        completed([], [0, 1], extended)


@pytest.mark.parametrize("seed", range(6))
def test_rounding_ends_in_a_base_of_the_extension_and_never_loses_value(seed: int) -> None:
    rng = random.Random(seed)
    matroid = FairnessMatroid((0, 1), (2, 2), 3)
    group, extended = [0] * 5 + [1] * 5, matroid.scaled(2)
    f = random_coverage(rng, 10, 5)
    x = continuous_greedy(f, group, matroid, 2, fmpq(1, 2))
    assert all(0 <= t <= 1 for t in x)
    y = filled_up(x, group, extended)
    S, values = pipage(f, y, group)
    assert counts_of(S, group, 2) in set(extended.bases())
    assert values == sorted(values)
    assert f.value(S) == values[-1] >= f.extension(x)


def test_continuous_greedy_refuses_a_step_that_does_not_divide_beta() -> None:
    f = Coverage.of([1], [{0: 1}])
    with pytest.raises(ValueError, match="integer"):
        continuous_greedy(f, [0], FairnessMatroid((0,), (1,), 1), 1, fmpq(2, 3))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="probabilities"):
        Coverage.of([1], [{0: 2}])
    with pytest.raises(ValueError, match="expected"):
        FairnessMatroid((2,), (1,), 1)
    with pytest.raises(ValueError, match="sum"):
        pipage(Coverage.of([1], [{0: 1}]), [fmpq(1, 2)], [0])
