"""What earns a verdict, and what does not: the tables of verdicts and evidence, mutants, shortfalls, hypotheses."""

from __future__ import annotations

import pytest

from tests.claim_files import Write, only, run
from theorems.kernel.outcome import Evidence
from theorems.run.results import Verdict


def test_a_false_bound_is_refuted_with_a_small_counterexample(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(domain=dict(x=Rationals(-3, 5), n=Integers(0, 40)))
        def f(x, n):
            "Bernoulli on the wrong domain"
            return 1 + n * x, (1 + x) ** n
        """)
    )
    assert result.verdict is Verdict.REFUTED
    shown = result.counterexample
    assert shown is not None
    assert shown.shrunk
    assert (len(shown.instance["x"]) <= 4, len(shown.instance["n"])) == (True, 1)
    assert "main is refuted at instance" in result.reason


def test_a_bound_that_fails_only_at_a_corner_is_refuted(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(domain=dict(x=Rationals(0, 2)))
        def f(x):
            "holds off x = 1 only"
            return 0, 0 if x != 1 else -1
        """)
    )
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None
    assert result.counterexample.instance == {"x": "1"}


def test_doubles_returned_as_fractions_are_an_error(write: Write) -> None:
    result = only(
        write("""
        import math
        @PAPER.bound(domain=dict(a=Integers(1, 100)))
        def f(a):
            "computed in doubles"
            x = math.sqrt(a)
            return Fraction(x), a
        """)
    )
    assert result.verdict is Verdict.ERROR
    assert "double in disguise" in result.reason


@pytest.mark.parametrize("returned", ["a <= 5", "0.5, 1", "None", "'x'", "(1, 2, 3)", "[a]", "1"])
def test_what_is_no_comparison_is_an_error_with_advice(returned: str, write: Write) -> None:
    result = only(write(f'@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef f(a):\n    "s"\n    return {returned}\n'))
    assert result.verdict is Verdict.ERROR
    assert "return" in result.reason


def test_a_float_beside_an_exact_parameter_is_an_error_with_advice(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(domain=dict(x=Rationals(0, 2)))
        def f(x):
            "a float where 1/10 is meant"
            return 0, 0.1 * x
        """)
    )
    assert result.verdict is Verdict.ERROR
    assert "write Q(1, 10) for 0.1 (on instance 0" in result.reason


def test_an_exhausted_domain_is_proved_and_cut_short_it_is_not(write: Write) -> None:
    path = write("""
    @PAPER.identity(evidence="proved", exhaustive=True, domain=dict(a=Integers(0, 9), b=Integers(0, 9)))
    def f(a, b, *, two=2):
        "the square of a sum"
        return (a + b) ** 2, a * a + two * a * b + b * b
    f.mutant("3 for 2", two=3)
    f.mutant("1 for 2", two=1)
    """)
    result = only(path)
    assert (result.verdict, result.evidence, result.instances) == (Verdict.HOLDS, Evidence.PROVED, 100)
    assert "all 100 instances" in result.parts[0].covered
    short = only(path, instances=50)
    assert (short.verdict, short.evidence) == (Verdict.HOLDS, Evidence.CERTIFIED)
    assert "50 of 100" in short.downgraded


def test_less_evidence_than_aimed_at_is_an_error(write: Write) -> None:
    result = only(
        write("""
        @PAPER.identity(evidence="proved", domain=dict(a=Integers(0, 9)))
        def f(a):
            "sampled only"
            return a, a
        """)
    )
    assert result.verdict is Verdict.ERROR
    assert "earned certified, less than the proved" in result.reason


def test_the_weakest_part_is_the_claims_evidence(write: Write) -> None:
    result = only(
        write("""
        import mpmath
        @PAPER.identity(evidence="numeric", quick=3, domain=dict(a=Integers(1, 9)))
        def f(a):
            "two parts"
            yield "exact", eq(a, a)
            yield "numeric", eq(lambda: mpmath.sqrt(a * a), a)
        """)
    )
    assert result.verdict is Verdict.HOLDS
    assert {p.part: p.evidence for p in result.parts} == {"exact": Evidence.CERTIFIED, "numeric": Evidence.NUMERIC}
    assert result.evidence is Evidence.NUMERIC


MUTANTS = """
@PAPER.bound(quick=20, domain=dict(a=Integers(1, 9)))
def f(a, *, shift=0, broken=False):
    "a <= a + 1"
    if broken:
        raise RuntimeError("no")
    yield "upper", le(a + shift, a + 1)
    yield "lower", le(a - 1, a)
"""


@pytest.mark.parametrize(
    ("mutant", "reason"),
    [
        ('f.mutant("harmless", shift=1)', "survived 40 comparison"),
        ('f.mutant("raises", broken=True)', "an exception kills nothing"),
        ('f.mutant("wrong part", shift=2, breaks="lower")', "survived 20 comparison"),
        ('f.mutant("harmless domain", domain=dict(a=Integers(1, 99)))', "survived"),
    ],
)
def test_survivors_say_why_and_the_claim_does_not_hold(mutant: str, reason: str, write: Write) -> None:
    result = only(write(MUTANTS + mutant))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert not result.mutants[0].killed
    assert reason in result.mutants[0].reason
    assert reason in result.reason


def test_a_mutant_dies_in_the_part_that_it_names(write: Write) -> None:
    result = only(write(MUTANTS + 'f.mutant("wrong", shift=2, breaks="upper")'))
    assert result.verdict is Verdict.HOLDS
    assert (result.mutants[0].killed, result.mutants[0].part) == (True, "upper")


def test_an_undecided_comparison_kills_nothing(write: Write) -> None:
    result = only(
        write("""
        from flint import arb
        @PAPER.bound(quick=3, domain=dict(a=Integers(1, 9)))
        def f(a, *, wide=False):
            "a <= a + 1"
            return arb(a, 5) if wide else arb(a), a + 1
        f.mutant("too wide to decide", wide=True)
        """)
    )
    assert result.mutants[0].verdict is Verdict.INCONCLUSIVE
    assert "undecided" in result.mutants[0].reason


def test_a_numeric_refutation_is_too_weak_for_an_exact_part(write: Write) -> None:
    result = only(
        write("""
        @PAPER.bound(quick=3, domain=dict(a=Integers(1, 9)))
        def f(a, *, weak=False):
            "a <= a + 1"
            return (Approx(99.0, 0.5), 1) if weak else (a, a + 1)
        f.mutant("seen in floats only", weak=True)
        """)
    )
    assert not result.mutants[0].killed
    assert "refuted at numeric only, while the part earns certified" in result.mutants[0].reason


def test_a_share_of_undecided_instances_may_be_declared(write: Write) -> None:
    body = """
    from flint import arb
    @PAPER.bound(quick=20, domain=dict(a=Integers(1, 20)), every=True{option})
    def f(a):
        "undecided at a = 7"
        return arb(1, 2) if a == 7 else 0, 1
    """
    strict = only(write(body.format(option="")))
    assert strict.verdict is Verdict.INCONCLUSIVE
    lenient = only(write(body.format(option=", undecided=0.05")))
    assert (lenient.verdict, lenient.undecided) == (Verdict.HOLDS, 1)


def test_undecided_hypotheses_are_a_share_of_the_instances_however_many_comparisons_each_makes(write: Write) -> None:
    body = """
    @PAPER.bound(quick=20, domain=dict(a=Integers(1, 20)), every=True, where=lambda a: a > 2 or None{option})
    def f(a):
        "a <= 20, said ten times"
        for _ in range(10):
            yield "main", le(a, 20)
    """
    strict = only(write(body.format(option=", undecided=0.09")))
    assert (strict.verdict, strict.reason) == (
        Verdict.INCONCLUSIVE,
        "the hypotheses of 2 instances could not be decided",
    )
    lenient = only(write(body.format(option=", undecided=0.1")))
    assert (lenient.verdict, lenient.undecided) == (Verdict.HOLDS, 2)


def test_unsatisfiable_hypotheses_are_inconclusive(write: Write) -> None:
    result = only(
        write(
            '@PAPER.bound(domain=dict(a=Integers(0, 5)), where=lambda a: a > 9)\ndef f(a):\n    "s"\n    return a, 5\n'
        )
    )
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "satisfied the hypotheses" in result.reason


def test_undecided_hypotheses_are_inconclusive(write: Write) -> None:
    result = only(
        write(
            '@PAPER.bound(domain=dict(a=Integers(0, 5)), where=lambda a: None if a == 3 else True)\ndef f(a):\n    "s"\n    return a, 5\n'
        )
    )
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "could not be decided" in result.reason


def test_a_low_acceptance_is_inconclusive(write: Write) -> None:
    result = only(
        write(
            '@PAPER.bound(domain=dict(a=Integers(0, 99)), where=lambda a: a % 5 == 0, accept=0.9)\ndef f(a):\n    "s"\n    return a, 99\n'
        )
    )
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.rejected > 0


def test_a_crosscheck_may_refute_but_earns_nothing(write: Write) -> None:
    body = """
    @PAPER.identity(quick=3, domain=dict(a=Integers(1, 9)))
    def f(a):
        "a = a"
        return a, a
    @f.crosscheck("second opinion", quick=3, domain=dict(a=Integers(1, 9)))
    def g(a):
        return Approx(float(a), 1e-9), a{off}
    """
    agree = only(write(body.format(off="")))
    assert (agree.verdict, agree.evidence) == (Verdict.HOLDS, Evidence.CERTIFIED)
    assert only(write(body.format(off=" + 1"))).verdict is Verdict.REFUTED


def test_an_overall_check_sees_every_row_in_index_order(write: Write) -> None:
    result = only(
        write("""
        @PAPER.rate(quick=30, domain=dict(k=Integers(1, 30)), every=True)
        def f(k, *, power=2):
            "the k-th square is k^2"
            yield record("squares", k=k, value=k**power)
            yield "positive", lt(0, k)
        @f.overall
        def differences(tables):
            rows = tables["squares"]
            yield "ordered", eq([r["k"] for r in rows], list(range(1, 31)))
            yield "second differences", eq([c["value"] - 2 * b["value"] + a["value"] for a, b, c in zip(rows, rows[1:], rows[2:])], [2] * 28)
        f.mutant("cubes", power=3, breaks="second differences")
        f.mutant("linear", power=1, breaks="second differences")
        """)
    )
    assert result.verdict is Verdict.HOLDS, (result.reason, result.traceback)
    assert [m.part for m in result.mutants] == ["second differences"] * 2
    assert len(result.records["squares"]) == 30


def test_one_broken_claim_leaves_the_others_alone(write: Write) -> None:
    done = run(
        write("""
        @PAPER.bound(quick=5, domain=dict(a=Integers(0, 5)))
        def broken(a):
            "raises"
            raise RuntimeError("no")
        @PAPER.bound(quick=5, domain=dict(a=Integers(0, 5)))
        def sound(a):
            "holds"
            return a, 5
        """)
    )
    assert [c.verdict for c in done.claims] == [Verdict.ERROR, Verdict.HOLDS]
    assert done.exit_status == 4
    assert "RuntimeError: no" in done.claims[0].traceback


def test_exit_statuses_take_the_first_that_applies(write: Write) -> None:
    false = '@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef false(a):\n    "s"\n    return a, 4\n'
    true = '@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef true(a):\n    "s"\n    return a, 5\n'
    open_ = 'from flint import arb\n@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef open_(a):\n    "s"\n    return arb(1, 2), 1\n'
    error = '@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef error(a):\n    "s"\n    return 0.5, 1\n'
    assert run(write(true)).exit_status == 0
    assert run(write(true + open_)).exit_status == 3
    assert run(write(true + open_ + error)).exit_status == 4
    assert run(write(true + open_ + error + false)).exit_status == 1
    survivor = "\n@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef weak(a, *, k=0):\n    's'\n    return a, 9\nweak.mutant('m', k=1)\n"
    assert run(write(true + survivor)).exit_status == 1


def test_fail_fast_ends_with_the_first_claim_in_order_that_does_not_hold(write: Write) -> None:
    from tests.claim_files import load
    from theorems.run.evaluate import Settings
    from theorems.run.runner import run_claims

    body = """
    import time
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def slow(a):
        "holds, slowly"
        time.sleep(0.2)
        return a, 3
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def false(a):
        "is refuted at once"
        return a, 2
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def later(a):
        "never comes"
        return a, 1
    """
    path = write(body)
    claims = [(str(path), c) for c in load(path).claims.values()]
    for jobs in (1, 2):
        done = run_claims(claims, Settings(), jobs=jobs, fail_fast=True)
        assert [c.id.split("/")[1] for c in done.claims] == ["slow", "false"]
        assert [i.split("/")[1] for i in done.unfinished] == ["later"]


def test_a_refuted_claim_has_the_margin_of_its_counterexample_and_no_resolution(write: Write) -> None:
    result = only(write('@PAPER.bound(domain=dict(a=Integers(0, 5)))\ndef f(a):\n    "s"\n    return a, 4\n'))
    assert result.margin is not None
    assert result.margin < 0
    assert result.resolution is None


def test_a_mutant_that_dies_in_a_part_of_its_own_says_so_and_needs_the_claims_evidence(write: Write) -> None:
    body = """
    @PAPER.bound(quick=3, domain=dict(a=Integers(1, 9)))
    def f(a, *, other=None):
        "a <= a + 1"
        yield "upper", le(a, a + 1)
        if other == "exact":
            yield "of the mutant", le(a + 1, a)
        if other == "weak":
            yield "of the mutant", le(Approx(99.0, 0.5), 1)
    f.mutant("exactly", other="exact")
    f.mutant("in floats only", other="weak")
    """
    exact, weak = only(write(body)).mutants
    assert (exact.killed, weak.killed) == (True, False)
    assert "in a part that only the mutant has" in exact.reason
