"""Reports made by hand, so that pages can be tested without running claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from theorems.claim import Claim, Paper, Where
from theorems.kernel.outcome import Decision, Evidence
from theorems.report.selection import Chosen
from theorems.report.summary import Report
from theorems.run.results import ClaimResult, MutantResult, Run, Shown, Tally, Verdict

SCRIPT = "<script>alert(1)</script>"
HOSTILE = r"""$a < b \& c > d$ and $\text{<img src=x onerror=alert(2)>}$ and $\foo{"x"} < 1$, "quoted" 'text' & <b>bold</b>.

$\href{javascript:alert(3)}{x}$ and $\style{background:url(//evil)}{y}$ and $\frac{1}{$."""
KINDS = ("identity", "bound", "rate", "transition", "construction")


def claim(paper: Paper, name: str, statement: str = "$x^2 \\ge 0$", **changes: Any) -> Claim:
    """A claim without checks."""
    made = Claim(
        id=f"{paper.key}/{name}", kind="bound", paper=paper, statement=statement, source="Lemma 1", fidelity="paper",
        evidence=Evidence.CERTIFIED, method="exact powers", hypotheses="$x \\ge 0$", not_established="complex $x$",
        rests_on=("a step by hand",), undecided=0.0, place=Where("claims.py", 1), own_name="made",
    )  # fmt: skip
    return replace(made, **changes)


def paper(key: str, title: str = "A paper") -> Paper:
    """A paper that the registry does not keep."""
    from theorems import registry

    made = Paper(key=key, title=title, authors=("A. Author",), venue="Here 2025", module="tests.report.pages")
    registry._PAPERS.pop(key, None)
    return made


def shown(index: int = 3, margin: float | None = 0.25, **changes: Any) -> Shown:
    """The outcome of one instance."""
    made = Shown(
        index=index, family="main", instance={"x": "1/2", "n": "7"}, lhs="1/4", rhs="1/3", decision=Decision.FOR,
        evidence=Evidence.CERTIFIED, margin=margin, resolution=0.25, reason="", check="main",
    )  # fmt: skip
    return replace(made, **changes)


def tally(part: str = "main", **changes: Any) -> Tally:
    """A part with twenty margins, the smallest at instance 3."""
    made = Tally(
        part=part, role="check", check="main", holds=20, evidence=Evidence.CERTIFIED, tightest=shown(),
        margins=[(k, 0.25 + abs(k - 3) / 10) for k in range(20)],
    )  # fmt: skip
    return replace(made, **changes)


def result(of: Claim, verdict: Verdict = Verdict.HOLDS, **changes: Any) -> ClaimResult:
    """The verdict on a claim, with one part and two mutants."""
    against = shown(margin=-0.5, decision=Decision.AGAINST)
    killed = [
        MutantResult(n, Verdict.REFUTED, True, "main is refuted", "main", Evidence.CERTIFIED, against)
        for n in ("constant 5 % too large", "domain widened")
    ]
    made = ClaimResult(
        id=of.id, kind=of.kind, verdict=verdict, reason="" if verdict is Verdict.HOLDS else "main is refuted",
        evidence=Evidence.CERTIFIED, aimed=of.evidence, fidelity=of.fidelity, instances=20, rejected=2, undecided=0,
        margin=0.25, resolution=0.25, parts=[tally()], mutants=killed,
        counterexample=against if verdict is Verdict.REFUTED else None,
        counterexample_part="main" if verdict is Verdict.REFUTED else "", seconds=0.5,
    )  # fmt: skip
    return replace(made, **changes)


def report(claims: Sequence[Claim], results: Sequence[ClaimResult], **changes: Any) -> Report:
    """A report of a finished run."""
    made = Run(
        seed=7, budget="quick", instances=None, alpha=0.01, versions={"python": "3", "theorems": "0"},
        claims=list(results), seconds=1.5,
    )  # fmt: skip
    return Report(replace(made, **changes), [Chosen(c.paper.key, c) for c in claims])


def hostile() -> Report:
    """Claims whose every text tries to be markup."""
    bad = paper("hostile", f"Title {SCRIPT}")
    everything = dict.fromkeys(("source", "method", "hypotheses", "not_established"), HOSTILE + SCRIPT)
    first = claim(bad, SCRIPT, HOSTILE, rests_on=(SCRIPT,), **everything)
    second = claim(bad, "quotes \" ' & spaces", "plain")
    against = shown(lhs=SCRIPT, rhs='"&<', instance={SCRIPT: SCRIPT}, reason=SCRIPT, margin=-1.0)
    results = [
        result(first, Verdict.REFUTED, reason=SCRIPT, counterexample=against, counterexample_part=SCRIPT,
               parts=[tally(SCRIPT, covered=SCRIPT, steps=(SCRIPT,), tightest=against, evidence=Evidence.PROVED)],
               mutants=[MutantResult(SCRIPT, Verdict.REFUTED, True, SCRIPT, SCRIPT, Evidence.PROVED, against)]),
        result(second, Verdict.ERROR, reason=SCRIPT, traceback=f"Traceback\n  {SCRIPT}\nValueError: {SCRIPT}"),
    ]  # fmt: skip
    return report([first, second], results)


def large(count: int) -> Report:
    """Many claims of all kinds, verdicts and evidences, each with a plot."""
    papers = [paper(f"paper_{k}", f"Paper number {k}") for k in range(20)]
    claims, results = [], []
    for k in range(count):
        verdict = list(Verdict)[k % 97 if k % 97 < 4 else 0]
        made = claim(
            papers[k % 20], f"claim-{k}", f"$\\sum_{{i=1}}^n x_i^{{{k % 9}}} \\le n$ for all $x$.", kind=KINDS[k % 5]
        )
        claims.append(made)
        evidence = list(Evidence)[k % 5]
        results.append(result(made, verdict, evidence=evidence, margin=1 / (k + 1), resolution=float(k % 50)))
    order = sorted(range(count), key=lambda k: k % 20)
    return report([claims[k] for k in order], [results[k] for k in order])
