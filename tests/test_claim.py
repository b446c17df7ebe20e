"""Definitions: the short form works as printed, and what is wrong is named with file and line."""

from __future__ import annotations

import re

import pytest

from tests.claim_files import Write, load, only
from theorems import registry
from theorems.claim import ClaimError
from theorems.run.results import Verdict

BERNOULLI = r'''
@PAPER.bound(source="Lemma 2", fidelity="paper", evidence="certified", domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def bernoulli(x, n, *, factor=1):
    r"""$(1+x)^n \ge 1 + nx$ for every $x \ge -1$ and integer $n \ge 0$."""
    return 1 + factor * n * x, (1 + x) ** n            # sugar for one comparison lhs <= rhs

bernoulli.mutant("constant 5 % too large", factor=Q(21, 20))
bernoulli.mutant("domain widened to x >= -3", domain=dict(x=Rationals(-3, 5)))
'''


def test_the_short_form_works_as_printed(write: Write) -> None:
    for seed in range(10):
        result = only(write(BERNOULLI), seed=seed)
        assert result.verdict is Verdict.HOLDS, result.reason
        assert str(result.evidence) == "certified"
        assert [m.killed for m in result.mutants] == [True, True]


def test_ids_are_paper_and_claim_with_hyphens(write: Write) -> None:
    paper = load(write('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef two_words(x):\n    "s"\n    return x, 1\n'))
    assert list(paper.claims) == [f"{paper.key}/two-words"]


WRONG = {
    "no statement": ("@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    return x, 1\n", "no statement"),
    "neither instances nor proof": ('@PAPER.identity()\ndef f():\n    "s"\n', "neither instances nor a proof"),
    "no domain": ('@PAPER.identity()\ndef f(x):\n    "s"\n    return x, x\n', "domain=dict"),
    "missing parameter": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x, y):\n    "s"\n    return x, y\n', "does not supply"),
    "knob without default": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x, *, k):\n    "s"\n    return x, k\n', "true value"),
    "star arguments": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(*x):\n    "s"\n    return 1, 1\n', "one by one"),
    "unknown option": ('@PAPER.bound(domain=dict(x=Integers(0, 1)), colour=1)\ndef f(x):\n    "s"\n    return x, 1\n', "unknown option"),
    "unknown evidence": ('@PAPER.bound(evidence="sure", domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\n', "unknown evidence"),
    "unknown fidelity": ('@PAPER.bound(fidelity="high", domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\n', "fidelity"),
    "empty domain": ('@PAPER.bound(domain=dict(x=Integers(2, 1)))\ndef f(x):\n    "s"\n    return x, 1\n', "is empty"),
    "mutant without change": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\nf.mutant("m")\n', "changes nothing"),
    "mutant with unknown knob": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\nf.mutant("m", k=2)\n', "turns 'k'"),
    "mutant with unknown place": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x, *, k=1):\n    "s"\n    return x, k\nf.mutant("m", k=0, on="nowhere")\n', "nowhere"),
    "mutant with unknown parameter": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\nf.mutant("m", domain=dict(y=Integers(0, 3)))\n', "'y'"),
    "two mutants of one name": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x, *, k=1):\n    "s"\n    return x, k\nf.mutant("m", k=0)\nf.mutant("m", k=2)\n', "two mutants"),
    "proof with arguments": ('@PAPER.identity()\ndef f():\n    "s"\n@f.proof("p")\ndef p(x):\n    return x, x\n', "takes arguments"),
    "id taken": ('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\n' * 2, "is taken"),
    "verdict inside": ('@PAPER.identity(domain=dict(a=Integers(0, 1)))\ndef f(a):\n    "s"\n    b = a\n    return int(abs(a - b) < 1e-9), 1\n', "verdict"),
    "isclose": ('import math\n@PAPER.identity(domain=dict(a=Integers(0, 1)))\ndef f(a):\n    "s"\n    return 1 if math.isclose(a, a) else 0, 1\n', "isclose"),
    "fraction of a float": ('@PAPER.identity(domain=dict(a=Integers(0, 1)))\ndef f(a):\n    "s"\n    return Fraction(0.1), 1\n', "double in disguise"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_definitions_name_file_and_line(name: str, write: Write) -> None:
    body, message = WRONG[name]
    path = write(body)
    with pytest.raises(ClaimError) as caught:
        load(path)
    text = str(caught.value)
    assert message in text
    assert re.search(re.escape(str(path)) + r":\d+", text), text


def test_branches_and_events_of_a_simulation_may_be_marked(write: Write) -> None:
    body = """
    @PAPER.bound(domain=dict(a=Integers(0, 1)))
    def f(a):
        "s"
        x = a + 0.5
        if x < 1.0:  # branch
            return 0, 1
        return 1, 1
    """
    assert load(write(body)).claims


def test_files_that_do_not_import_are_named(write: Write) -> None:
    for body, message in (
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("x = = 1", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("1 / 0", r"py:\d+ does not import: ZeroDivisionError"),
    ):
        with pytest.raises(ClaimError, match=message):
            registry.load_file(write(body))
    with pytest.raises(ClaimError, match="defines no claim"):
        registry.load_file(write("x = 1"))


def test_unknown_ids_suggest_the_nearest(write: Write) -> None:
    paper = load(write(BERNOULLI))
    with pytest.raises(KeyError, match=f"did you mean '{paper.key}/bernoulli'"):
        registry.find(f"{paper.key}/bernouli")
    with pytest.raises(KeyError, match="bernoulli"):
        registry.select(["bernuli"], [paper])


def test_selection_by_key_id_name_and_glob(write: Write) -> None:
    paper = load(write(BERNOULLI))
    for pattern in (paper.key, f"{paper.key}/bernoulli", "bernoulli", "bern*", f"{paper.key}/*"):
        assert [c.name for c in registry.select([pattern], [paper])] == ["bernoulli"]


def test_few_mutants_are_a_warning_in_a_users_file(write: Write) -> None:
    paper = load(write('@PAPER.bound(domain=dict(x=Integers(0, 1)))\ndef f(x):\n    "s"\n    return x, 1\n'))
    (claim,) = paper.claims.values()
    assert "at least two" in claim.warnings()[0]
    registry._VALIDATED.discard(claim.id)
    with pytest.raises(ClaimError, match="at least two"):
        registry.validate([paper], strict=True)


def test_shared_work_is_done_once_for_equal_arguments() -> None:
    from flint import fmpq_mat

    from theorems.shared import shared

    calls = []

    @shared
    def work(A: fmpq_mat, n: int) -> int:
        calls.append(n)
        return n

    assert work(fmpq_mat([[1, 2]]), 1) == work(fmpq_mat([[1, 2]]), 1) == 1
    work(fmpq_mat([[1], [2]]), 1)
    work(fmpq_mat([[1, 2]]), n=1)
    assert len(calls) == 3
