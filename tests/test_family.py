"""Families: reproducible instances, corners first, hypotheses before results, grids that cover."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from theorems.domains import ByBudget, Choices, DomainError, Given, Integers, Rationals
from theorems.family import Family, Unsatisfiable


def family(**options: object) -> Family:
    params = options.pop("params", {"x": Rationals(-1, 5), "n": Integers(0, 40)})
    return Family("test/f", params, **options).at("quick")  # type: ignore[arg-type]


def test_instances_depend_on_seed_name_and_index_only() -> None:
    a, b = family(), family(quick=7)
    assert [str(a.instance(3, k)) for k in range(30)] == [str(b.instance(3, k)) for k in range(30)]
    assert str(a.instance(3, 20)) != str(a.instance(4, 20))
    other = Family("test/g", a.params).at("quick")
    assert str(a.instance(3, 20)) != str(other.instance(3, 20))


def test_corners_come_first_on_the_diagonal() -> None:
    f = family()
    xs = Rationals(-1, 5).corners()
    ns = Integers(0, 40).corners()
    for k in range(len(xs)):
        values = f.instance(0, k).values
        assert (values["x"], values["n"]) == (xs[k % len(xs)], ns[k % len(ns)])


def test_a_corner_value_is_met_in_a_quick_run() -> None:
    """A bound that fails only at x = 1 is found, because 1 is a corner."""
    f = family(params={"x": Rationals(0, 3)})
    assert any(f.instance(s, k).values["x"] == 1 for s in range(1) for k in range(f.count()))


def test_hypotheses_are_evaluated_before_the_result_and_counted() -> None:
    f = family(params={"a": Integers(1, 100), "b": Integers(1, 100)}, where=lambda a, b: a < b)
    draws = [f.instance(0, k) for k in range(60)]
    assert all(d.values["a"] < d.values["b"] for d in draws)
    assert 20 < sum(d.rejected for d in draws) < 180


def test_unsatisfiable_hypotheses_are_an_error_with_advice() -> None:
    f = family(params={"a": Integers(1, 5)}, where=lambda a: a > 5)
    with pytest.raises(Unsatisfiable, match=r"none of 400 candidates.*smaller accept"):
        f.instance(0, 0)


def test_grids_walk_every_point_once() -> None:
    f = family(params={"a": Integers(0, 3), "b": Choices("x", "y")}, exhaustive=True, quick=None)
    points = [tuple(f.instance(0, k).values.values()) for k in range(f.count())]
    assert f.count() == f.grid_size == 8 == len(set(points))


def test_dependent_grids_walk_every_point_once() -> None:
    f = family(params={"n": Integers(1, 4), "k": Given(lambda n: Integers(1, n))}, exhaustive=True, quick=None)
    assert f.grid_size == 1 + 2 + 3 + 4
    assert f.instance(0, 9).values == {"n": 4, "k": 4}


def test_grid_points_that_the_hypotheses_exclude_are_no_instances() -> None:
    f = family(params={"a": Integers(0, 9)}, exhaustive=True, quick=None, where=lambda a: a % 2 == 0)
    assert sum(f.instance(0, k) is not None for k in range(f.count())) == 5


def test_instances_cap_grids_and_set_samples() -> None:
    grid = family(params={"a": Integers(0, 9)}, exhaustive=True, quick=None)
    assert (grid.count(3), grid.count(50), family().count(7)) == (3, 10, 7)


def test_infinite_grids_are_refused() -> None:
    f = family(params={"x": Rationals(0, 1)}, every=True, quick=None)
    with pytest.raises(DomainError, match="not finite"):
        f.count()


def test_dependence_on_later_parameters_is_refused() -> None:
    with pytest.raises(DomainError, match="declared before"):
        family(params={"k": Given(lambda n: Integers(0, n)), "n": Integers(0, 3)})


def test_hypotheses_name_parameters_of_the_family() -> None:
    with pytest.raises(DomainError, match="no parameter"):
        family(where=lambda y: y > 0)


@pytest.mark.parametrize("count", [0, -1, True, 2.5])
def test_counts_are_positive_integers(count: object) -> None:
    with pytest.raises(DomainError, match="positive number"):
        family(quick=count)


def test_domains_may_depend_on_the_budget() -> None:
    f = Family("test/f", {"n": ByBudget(quick=Integers(2, 3), full=Integers(2, 9))})
    assert (f.at("quick").params["n"], f.at("full").params["n"]) == (Integers(2, 3), Integers(2, 9))


def test_simpler_instances_keep_hypotheses_and_dependence() -> None:
    f = family(
        params={"n": Integers(1, 30), "k": Given(lambda n: Integers(1, n)), "x": Rationals(0, 9)},
        where=lambda x, k: x <= k,
    )
    start = {"n": 29, "k": 17, "x": Rationals(0, 9).corners()[1]}
    for candidate in f.simpler(start):
        assert 1 <= candidate["k"] <= candidate["n"]
        assert candidate["x"] <= candidate["k"]


def test_the_strategy_satisfies_the_hypotheses() -> None:
    f = family(params={"n": Integers(1, 9), "k": Given(lambda n: Integers(0, n))}, where=lambda k: k % 2 == 1)

    @settings(max_examples=50, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(f.strategy())
    def drawn(values: dict[str, int]) -> None:
        assert values["k"] <= values["n"]
        assert values["k"] % 2 == 1

    drawn()
