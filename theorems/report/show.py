"""`--show CLAIM`: everything that is known about a claim before it runs."""

from __future__ import annotations

from collections.abc import Iterator

from theorems.claim import FIDELITIES, Check, Claim, Mutant
from theorems.domains import Given, as_domain
from theorems.family import BUDGETS, Family, Instance, Unsatisfiable
from theorems.report.selection import Chosen, heading
from theorems.report.summary import tidy
from theorems.report.terminal import Line, Look, painted
from theorems.run.codec import show
from theorems.texmath import plain


def render(chosen: Chosen, look: Look) -> str:
    """The claim as text."""
    return painted(lines(chosen.claim), look)


def lines(claim: Claim) -> Iterator[Line]:
    """The claim as lines with styles: statement first, then where it comes from, how it is checked, what is missing."""
    yield claim.id, "bold"
    yield f"{claim.kind}; aims at {claim.evidence}; fidelity {claim.fidelity} ({FIDELITIES[claim.fidelity]})", ""
    yield heading(claim.paper) + (f"; {claim.source}" if claim.source else ""), "dim"
    if claim.paper.authors:
        yield ", ".join(claim.paper.authors), "dim"
    yield "", ""
    for paragraph in plain(claim.statement).splitlines():
        yield f"  {paragraph}".rstrip(), ""
    yield from _section("hypotheses", [plain(claim.hypotheses)])
    yield from _section("method", [plain(claim.method)])
    yield from _section("does not establish", [plain(claim.not_established)])
    yield from _section("rests on", [plain(step) for step in claim.rests_on])
    yield from _section("checks", [text for check in claim.checks for text in _check(check)])
    yield from _section("mutants, each of which a run must refute", [_mutant(claim, m) for m in claim.mutants])
    share = f"at most {100 * claim.undecided:.3g} % of the instances may stay undecided" if claim.undecided else ""
    yield from _section("allowance", [share])
    yield from _section("defined at", [str(claim.place)])


def _section(title: str, texts: list[str]) -> Iterator[Line]:
    if not any(texts):
        return
    yield "", ""
    yield title, "bold cyan"
    for text in texts:
        for line in text.splitlines():
            yield f"  {line}", ""


def _check(check: Check) -> Iterator[str]:
    roles = {
        "check": "on instances",
        "crosscheck": "cross-check: may refute, earns no evidence",
        "proof": "proof, without instances",
        "overall": "of everything that was recorded",
    }
    covers = f"; covers {check.covers}" if check.covers else ""
    tests = f"; up to {check.tests} statistical comparisons a call" if check.tests > 1 else ""
    yield f"{check.name}: {roles[check.role]}{covers}{tests}"
    for family in check.families:
        yield from (f"  {text}" for text in _family(family))


def _family(family: Family) -> Iterator[str]:
    counts = ", ".join(f"{family.at(b).count()} {b}" for b in BUDGETS)
    walk = ", the whole declared domain" if family.exhaustive else ", a grid" if family.every else ""
    where = (
        f", under a hypothesis that accepts at least {100 * family.accept:.3g} %" if family.where is not None else ""
    )
    yield f"family {family.id.split('/', 1)[1]} ({counts} instances{walk}{where})"
    small, large = (family.at(b) for b in BUDGETS)
    example = _first(small)
    for name in small.params:
        domain, larger = (tidy(str(as_domain(f.params[name]))) for f in (small, large))
        if isinstance(small.params[name], Given) and example is not None:
            needs = ", ".join(f"{n} = {show(example[n], 40)}" for n in small.params[name].needs)
            domain += f"; for {needs}: {small.params[name].resolve(example)}"
            larger = domain
        yield f"  {name}: {domain}" + (f" (quick), {larger} (full)" if larger != domain else "")


def _first(family: Family) -> Instance | None:
    """The first instance, which shows what dependent domains look like."""
    try:
        draw = family.instance(0, 0)
    except Unsatisfiable:
        return None
    return draw.values if draw is not None else None


def _mutant(claim: Claim, mutant: Mutant) -> str:
    true = {name: value for check in claim.checks for name, value in check.knobs.items()}
    changes = [f"{n} = {show(v, 60)} instead of {show(true.get(n), 60)}" for n, v in mutant.knobs.items()]
    changes += [f"{n} from {tidy(str(d))}" for n, d in mutant.domain.items()]
    where = f"; must die on {', '.join(mutant.on)}" if mutant.on else ""
    where += f"; must break {' or '.join(mutant.breaks)}" if mutant.breaks else ""
    return f"{mutant.name}: {', '.join(changes)}{where}"
