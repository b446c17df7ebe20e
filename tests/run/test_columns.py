"""Checks on columns: exact like single instances, wrapped never, and decided again where it shows."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from tests.claim_files import Write, load, only
from theorems import eq, le, lt
from theorems.claim import ClaimError
from theorems.kernel.columns import Column, answer_rows, whole
from theorems.kernel.outcome import Evidence, KernelError
from theorems.run.evaluate import Settings
from theorems.run.plan import blocks, number_of_blocks
from theorems.run.results import Verdict

BOUND = """
@PAPER.bound(vectorize=True, quick=10_000, domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def f(x, n, *, factor=1):
    "Bernoulli"
    return 1 + factor * n * x, (1 + x) ** n
f.mutant("5 %", factor=Q(21, 20))
f.mutant("wider", domain=dict(x=Rationals(-3, 5)))
"""
IDENTITY = """
@PAPER.identity(vectorize=True, quick=10_000, domain=dict(a=Integers(-10**15, 10**15), b=Reals(-1, 1)))
def f(a, b, *, two=2):
    "the square of a sum, far beyond 64 bits"
    return (a + b) ** 2, a * a + two * a * b + b * b
f.mutant("three", two=3)
"""
EXHAUSTIVE = """
@PAPER.identity(vectorize=True, evidence="proved", exhaustive=True, domain=dict(a=Integers(0, 99), b=Integers(1, 150)),
                where=lambda a, b: a >= b)
def f(a, b, *, one=1):
    "a = (a // b) b + a % b"
    return a, (a // b) * b + one * (a % b)
f.mutant("no rest", one=0)
"""
ENTRIES = [0, 1, -1, 7, -12, 2**40, -(2**61), 2**61 - 1, 2**100, -(3**80)]


def columns_of(values: list[Fraction]) -> Column:
    return Column(whole([v.numerator for v in values]), whole([v.denominator for v in values]))


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_arithmetic_is_that_of_fractions(op: Any) -> None:
    """Oracle: `fractions.Fraction`."""
    values = [Fraction(p, q) for p in ENTRIES for q in (1, 3, 2**30, 10**18)]
    for shift in (1, 17):
        other = [v if v else Fraction(5) for v in values[shift:] + values[:shift]]
        got = op(columns_of(values), columns_of(other))
        assert [Fraction(int(got.at(i).p), int(got.at(i).q)) for i in range(len(values))] == list(
            map(op, values, other)
        )


def test_powers_remainders_and_comparisons_are_those_of_python() -> None:
    a = Column(whole(ENTRIES))
    b = Column(whole([3, -5, 7, 2, 10**12, -7, 2**61 - 1, 2**61 - 1, 2**99, 81]))
    others = [int(x) for x in b.p.entries]
    assert [int(x) for x in (a**5).p.entries] == [x**5 for x in ENTRIES]
    assert [int(x) for x in (a // b).p.entries] == [x // y for x, y in zip(ENTRIES, others)]
    assert [int(x) for x in (a % b).p.entries] == [x % y for x, y in zip(ENTRIES, others)]
    assert [int(x) for x in (2 ** abs(Column(whole([0, 1, 5, 300])))).p.entries] == [1, 2, 32, 2**300]
    assert (a < b).tolist() == [x < y for x, y in zip(ENTRIES, others)]
    assert (a >= b).tolist() == [x >= y for x, y in zip(ENTRIES, others)]
    assert (a == b).tolist() == [x == y for x, y in zip(ENTRIES, others)]


def test_products_that_would_wrap_around_do_not() -> None:
    x = Column(whole(np.array([2**32, 3], dtype=np.int64)))
    assert not answer_rows(eq(x * x, 0), 2).holds.any()  # 2^64 is 0 in 64 bits
    assert answer_rows(lt(0, x * x * x), 2).holds.all()


@pytest.mark.parametrize("returned", [1.5, np.array([1, 2]), True, "ab", None])
def test_what_is_no_column_is_refused_with_advice(returned: Any) -> None:
    x = Column(whole([1, 2]))
    with pytest.raises(KernelError, match=r"vectorize=True|column"):
        answer_rows(le(x, returned), 2)
    with pytest.raises((KernelError, TypeError)):
        x + returned


def test_columns_of_other_lengths_and_truth_values_are_refused() -> None:
    with pytest.raises(KernelError, match="3 rows"):
        answer_rows(le(Column(whole([1, 2, 3])), 2), 2)
    with pytest.raises(KernelError, match="no truth value"):
        bool(Column(whole([1])) + 1)


@pytest.mark.parametrize("source", [BOUND, IDENTITY])
def test_columns_and_single_instances_give_the_same_verdict(source: str, write: Write) -> None:
    batched = only(write(source))
    single = only(write(source.replace("vectorize=True, quick=10_000", "quick=100")))
    assert (batched.verdict, batched.evidence, batched.instances) == (Verdict.HOLDS, Evidence.CERTIFIED, 10_000), (
        batched.reason
    )
    assert (single.verdict, single.evidence) == (batched.verdict, batched.evidence)
    assert all(m.killed for m in batched.mutants)


def test_an_exhausted_domain_is_counted_exactly(write: Write) -> None:
    result = only(write(EXHAUSTIVE))
    assert (result.verdict, result.evidence) == (Verdict.HOLDS, Evidence.PROVED), result.traceback
    assert result.instances == sum(1 for a in range(100) for b in range(1, 151) if a >= b) == 4950
    assert "all 4950 instances" in result.parts[0].covered
    short = only(write(EXHAUSTIVE), instances=5000)
    assert short.evidence is Evidence.CERTIFIED
    assert "5000 of 15000" in short.downgraded


def test_one_false_row_in_thousands_is_found_and_shown(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(vectorize=True, exhaustive=True, domain=dict(a=Integers(0, 99_999)))
        def f(a):
            "false at a = 77777 only"
            return 1, (a - 77_777) ** 2
        """)
    )
    assert result.verdict is Verdict.REFUTED
    assert result.parts[0].refuted == 1
    assert result.counterexample is not None
    assert result.counterexample.instance == {"a": "77777"}


def test_a_mutant_that_few_instances_refute_dies_in_its_columns(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(vectorize=True, exhaustive=True, evidence="proved", domain=dict(a=Integers(0, 19_999)))
        def f(a, *, least=0):
            "squares are not negative"
            return least, (a - 12_345) ** 2
        f.mutant("0 is no square", least=1)
        f.mutant("survives", least=-1)
        """)
    )
    assert [m.killed for m in result.mutants] == [True, False]
    assert result.mutants[0].counterexample is not None
    assert result.mutants[0].counterexample.instance == {"a": "12345"}


def test_a_check_that_treats_columns_otherwise_is_an_error(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(vectorize=True, quick=2000, domain=dict(a=Integers(0, 9)))
        def f(a):
            "false, and only single instances say so"
            return (a, 5) if isinstance(a, int) else (a, 9)
        """)
    )
    assert result.verdict is Verdict.ERROR
    assert "alone is decided" in result.reason


def test_an_instance_of_a_batch_is_the_row_of_its_columns(write: Write) -> None:
    paper = load(
        write("""
        @PAPER.bound(vectorize=True, where=lambda x, y, z, w: x <= y,
                     domain=dict(x=Rationals(0, 1), y=Rationals(0, 1, open="both"), z=Dyadics(-1, 1), w=Choices(3, Q(1, 2))))
        def f(x, y, z, w):
            "s"
            return x, y
        """)
    )
    family = paper.claims[f"{paper.key}/f"].checks[0].families[0].at("quick")
    batch = family.batch(5, 0, 4096)
    assert len(batch.rows) == 4096
    assert sum(batch.rejected) > 1000
    for k in (0, 1, 2, 17, 4095):
        values = family.instance(5, k).values
        assert [fmpq(v) for v in values.values()] == [c.at(k) for c in batch.values.values()]
        assert all(d.contains(v) for d, v in zip(family.params.values(), values.values()))
        assert values["x"] <= values["y"]
    assert [family.instance(5, 0).values[n] for n in "xyzw"] == [0, fmpq(1, 2), -1, 3]  # corners first
    assert family.instance(6, 17).values != family.instance(5, 17).values


@pytest.mark.parametrize(
    "domain", ["Given(lambda: Integers(0, 1))", "Reals(1, 2, log=True)", "Arrays(Integers(0, 1), (2,))", "Booleans()"]
)
def test_domains_without_columns_are_refused_by_name(domain: str, write: Write) -> None:
    with pytest.raises(ClaimError, match=r"a .* has no columns"):
        load(write(f'@PAPER.bound(vectorize=True, domain=dict(a={domain}))\ndef f(a):\n    "s"\n    return a, a\n'))


@pytest.mark.parametrize("count", [1, 4, 31, 33, 200, 5000, 1024, 1025, 100_000])
def test_blocks_cover_what_is_asked_for_and_do_not_depend_on_it(count: int, write: Write) -> None:
    paper = load(write(BOUND + BOUND.replace("vectorize=True, ", "").replace("def f", "def g").split("f.mutant")[0]))
    for claim in paper.claims.values():
        family = claim.checks[0].families[0]
        found = list(blocks(family, count))
        assert [a for a, _ in found[1:]] == [b for _, b in found[:-1]]
        assert (found[0][0], found[-1][1]) == (0, count)
        assert found[:-1] == list(blocks(family, 10 * count))[: len(found) - 1]
        assert number_of_blocks(family, count) == len(found)


def test_a_billion_instances_are_planned_lazily(write: Write) -> None:
    from theorems.run.board import CHECK, WINDOW, Board

    paper = load(write(BOUND))
    board = Board([("x", c) for c in paper.claims.values()], Settings(instances=10**9))
    assert board.jobs[0].total == -(-(10**9) // 4096)
    handed = 0
    while items := board.take():
        handed += sum(item.kind == CHECK for item in items)
    assert handed == WINDOW  # nothing came back, so nothing more goes out
