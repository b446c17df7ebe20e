"""Papers, claims and their mutants: what a reviewer writes down.

A claim is a decorated function: its docstring is the statement, its positional arguments are the parameters of an
instance, its keyword-only arguments are knobs that mutants turn, and its body returns or yields comparisons.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from theorems.domains import DomainError
from theorems.family import Family
from theorems.kernel.outcome import Evidence

KINDS = ("identity", "bound", "rate", "transition", "construction")
FIDELITIES = {
    "paper": "the paper's own statement",
    "derived": "a consequence or sharpening derived from the paper's setting",
    "recalled": "the paper's statement as recalled, not checked against its text",
    "simplified": "a special case or simplification of the paper's statement",
}
_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")


class ClaimError(Exception):
    """A claim that is not well defined; the message starts with file and line."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def _caller(depth: int = 2) -> Where:
    frame = sys._getframe(depth)
    return Where(frame.f_code.co_filename, frame.f_lineno)


def _place(function: Callable[..., Any]) -> Where:
    code = inspect.unwrap(function).__code__
    return Where(code.co_filename, code.co_firstlineno)


@dataclass(frozen=True, slots=True)
class Record:
    """A row for the claim's overall checks and plots; see `record`."""

    table: str
    row: Mapping[str, Any]


def record(table: str, **row: Any) -> Record:
    """A row of values that a check yields beside its comparisons.

    Args:
        table: the name of the table the row belongs to; an `overall` check receives all rows in index order.
        row: exact numbers, balls, mpmath numbers, floats, strings, bools or tuples of them.
    """
    return Record(table, row)


@dataclass(frozen=True)
class Check:
    """One function of a claim: an instance check, a cross-check, a proof, or an overall check.

    Attributes:
        role: "check", "crosscheck", "proof" or "overall".
        name: unique within the claim; the part's name where the function yields no names.
        function: the function itself.
        families: where the instances come from (checks and cross-checks).
        tests: statistical comparisons that one call may make (the level is split over them).
        covers: for proofs, the covered domain in words.
        vectorize: the function takes columns, a batch of instances at once.
    """

    role: str
    name: str
    function: Callable[..., Any]
    families: tuple[Family, ...] = ()
    tests: int = 1
    covers: str = ""
    vectorize: bool = False

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters of the function, in order."""
        return tuple(inspect.signature(self.function).parameters.values())

    @cached_property
    def knobs(self) -> dict[str, Any]:
        """Keyword-only parameters and their true values."""
        return {p.name: p.default for p in self.parameters if p.kind is p.KEYWORD_ONLY}

    @cached_property
    def arguments(self) -> list[str]:
        """Names of the parameters that an instance supplies."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [p.name for p in self.parameters if p.kind in kinds]

    @property
    def place(self) -> Where:
        """Where the function is defined."""
        return _place(self.function)


@dataclass(frozen=True)
class Mutant:
    """The same claim with one thing made wrong; the run must refute it.

    Attributes:
        name: what was made wrong.
        knobs: keyword-only arguments to set.
        domain: parameters whose domain is replaced.
        on: names of the families (or checks) on which it must die; empty: any.
        breaks: names of the parts in one of which it must die; empty: any.
        anywhere: it dies on typical instances, so that a search over the family must find one.
    """

    name: str
    knobs: Mapping[str, Any]
    domain: Mapping[str, Any]
    on: tuple[str, ...]
    breaks: tuple[str, ...]
    anywhere: bool
    place: Where


@dataclass
class Claim:
    """A theorem with its checks and mutants. Made by a `Paper`; see the fields of `Paper.bound`."""

    id: str
    kind: str
    paper: Paper
    statement: str
    source: str
    fidelity: str
    evidence: Evidence
    method: str
    hypotheses: str
    not_established: str
    rests_on: tuple[str, ...]
    undecided: float
    place: Where
    own_name: str
    checks: list[Check] = field(default_factory=list)
    mutants: list[Mutant] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The part of the id after the paper's key."""
        return self.id.split("/", 1)[1]

    @property
    def module(self) -> str:
        """The module in which the claim is defined."""
        return self.checks[0].function.__module__ if self.checks else self.paper.module

    def mutant(
        self,
        name: str,
        *,
        domain: Mapping[str, Any] | None = None,
        on: str | Sequence[str] = (),
        breaks: str | Sequence[str] = (),
        anywhere: bool = False,
        **knobs: Any,
    ) -> None:
        """Declare a mutant: the claim with one thing made wrong, which the run must refute.

        Args:
            name: what was made wrong, in words.
            domain: parameters whose domain is replaced.
            on: name(s) of the families or checks on which it must die.
            breaks: name(s) of the parts in one of which it must die.
            anywhere: whether typical instances refute it (then a Hypothesis search must find one too).
            knobs: keyword-only arguments of the claim's functions, set to wrong values.
        """
        place = _caller()
        if not knobs and not domain:
            raise ClaimError(f"{place}: mutant {name!r} of {self.id} changes nothing: set a knob or a domain")
        if any(m.name == name for m in self.mutants):
            raise ClaimError(f"{place}: {self.id} has two mutants named {name!r}")
        self.mutants.append(Mutant(name, dict(knobs), dict(domain or {}), _names(on), _names(breaks), anywhere, place))

    def proof(
        self, name: str, *, covers: str = "", rests_on: Sequence[str] = ()
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Attach a proof: a function without instance, run once, on symbols that the kernel makes.

        Args:
            name: the part's name.
            covers: the domain that is covered, in words ("T <= 10, all Delta in (0, 1/2)").
            rests_on: steps taken by hand that the proof uses.
        """

        def attach(function: Callable[..., Any]) -> Callable[..., Any]:
            check = Check("proof", name, function, covers=covers)
            if check.arguments:
                raise ClaimError(
                    f"{check.place}: the proof {name!r} of {self.id} takes arguments ({', '.join(check.arguments)}); "
                    "a proof has no instance: make symbols with symbols(...), and turn knobs by keyword-only arguments"
                )
            self._attach(check)
            self.rests_on = (*self.rests_on, *rests_on)
            return function

        return attach

    def check(self, name: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Attach a further check with its own instances; options as for `Paper.bound` (domain, family, tests ...)."""
        return self._with_instances("check", name, options)

    def crosscheck(self, name: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Attach a check that may refute the claim but neither earns nor lowers evidence."""
        return self._with_instances("crosscheck", name, options)

    def overall(
        self, function: Callable[..., Any] | None = None, *, name: str = "overall", tests: int = 1
    ) -> Callable[..., Any]:
        """Attach a check of everything that was recorded: it receives `{table: [rows in index order]}`."""

        def attach(function: Callable[..., Any]) -> Callable[..., Any]:
            check = Check("overall", name, function, tests=tests)
            if len(check.arguments) != 1:
                raise ClaimError(
                    f"{check.place}: an overall check of {self.id} takes one argument, the recorded tables"
                )
            self._attach(check)
            return function

        return attach if function is None else attach(function)

    def _with_instances(
        self, role: str, name: str, options: dict[str, Any]
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        tests = options.pop("tests", 1)
        vectorize = bool(options.get("vectorize", False))

        def attach(function: Callable[..., Any]) -> Callable[..., Any]:
            families = _families(self.paper, f"{self.own_name}.{name}", dict(options), _place(function))
            self._attach(Check(role, name, function, families, tests, vectorize=vectorize))
            return function

        return attach

    def _attach(self, check: Check) -> None:
        if any(c.name == check.name for c in self.checks):
            raise ClaimError(f"{check.place}: {self.id} has two checks named {check.name!r}")
        _check_signature(self.id, check)
        self.checks.append(check)

    def problems(self) -> list[str]:
        """What is wrong with the definition, one line each with file and line; empty when it is sound."""
        found = []
        if not self.statement:
            found.append(f"{self.place}: {self.id} has no statement: write it as the function's docstring")
        if not any(c.role in ("check", "proof") for c in self.checks):
            found.append(f"{self.place}: {self.id} has neither instances nor a proof, so nothing is checked")
        known = {name for c in self.checks for name in c.knobs}
        parameters = {name for c in self.checks for f in c.families for name in f.params}
        places = {c.name for c in self.checks} | {f.id.split("/", 1)[1] for c in self.checks for f in c.families}
        for m in self.mutants:
            for knob in m.knobs:
                if knob not in known:
                    accepted = ", ".join(sorted(known)) or "none: add keyword-only arguments"
                    found.append(
                        f"{m.place}: mutant {m.name!r} of {self.id} turns {knob!r}, which no function of the claim has (knobs: {accepted})"
                    )
            for name in m.domain:
                if name not in parameters:
                    found.append(
                        f"{m.place}: mutant {m.name!r} of {self.id} changes the domain of {name!r}, no parameter of the claim"
                    )
            for name in m.on:
                if name not in places:
                    found.append(
                        f"{m.place}: mutant {m.name!r} of {self.id} is to die on {name!r}; known: {', '.join(sorted(places))}"
                    )
        return found

    def warnings(self) -> list[str]:
        """What is weak in the definition without making it wrong."""
        if len(self.mutants) < 2:
            return [
                f"{self.place}: {self.id} has {len(self.mutants)} mutant(s); at least two show that the check can fail: "
                f'{self.own_name}.mutant("what is wrong", knob=value)'
            ]
        return []


@dataclass
class Paper:
    """A paper whose theorems are encoded.

    Args:
        key: short name, the first half of its claims' ids (lower case, digits, underscores).
        title, authors, venue, arxiv: as they should be printed.
    """

    key: str
    title: str
    authors: tuple[str, ...] = ()
    venue: str = ""
    arxiv: str = ""
    module: str = ""
    claims: dict[str, Claim] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        place = _caller(3)
        if not _KEY.match(self.key):
            raise ClaimError(f"{place}: the paper key {self.key!r} must be lower-case letters, digits and underscores")
        if isinstance(self.authors, str):
            self.authors = (self.authors,)
        if not self.module:
            self.module = str(sys._getframe(2).f_globals.get("__name__", ""))
        from theorems import registry

        registry.add_paper(self, place)

    def family(
        self,
        name: str,
        *,
        where: Callable[..., Any] | None = None,
        accept: float = 0.05,
        quick: int | None = None,
        full: int | None = None,
        every: bool = False,
        exhaustive: bool = False,
        cost: Callable[..., Any] | None = None,
        vectorize: bool = False,
        **params: Any,
    ) -> Family:
        """A named source of instances.

        Args:
            name: the family's name; the seed of its instances depends on it.
            where: hypothesis: a function of some parameters that returns a bool (None: undecidable).
            accept: smallest share of candidates that satisfy it.
            quick, full: numbers of instances at the two budgets (defaults 200 and 5000; the whole grid for a grid).
            every: walk the grid of finite domains (the first `quick` points, if given).
            exhaustive: the grid is the whole declared domain: exact answers on all of it are a proof.
            cost: about how many elementary operations an instance takes, as a function of some parameters; instances
                that cannot be afforded are refused before the check starts.
            vectorize: instances come in batches of columns, for checks with `vectorize=True`.
            params: parameter name -> domain, constant, `Given(lambda ...)` or `ByBudget(quick=..., full=...)`.
        """
        if not every and not exhaustive:
            quick = 200 if quick is None else quick
            full = max(5000, quick) if full is None else full
        return Family(
            f"{self.key}/{name}", params, where, accept, quick, full, every, exhaustive, cost=cost, vectorize=vectorize
        )

    def _claim(self, kind: str, options: dict[str, Any]) -> Callable[[Callable[..., Any]], Claim]:
        def decorate(function: Callable[..., Any]) -> Claim:
            place = _place(function)
            name = options.pop("name", None) or function.__name__.replace("_", "-")
            tests = options.pop("tests", 1)
            part = options.pop("part", "main")
            vectorize = bool(options.get("vectorize", False))
            known = (
                "source",
                "fidelity",
                "evidence",
                "method",
                "hypotheses",
                "not_established",
                "rests_on",
                "undecided",
            )
            about = {k: options.pop(k) for k in known if k in options}
            fidelity = about.get("fidelity", "derived")
            if fidelity not in FIDELITIES:
                raise ClaimError(f"{place}: fidelity={fidelity!r}; accepted: {', '.join(FIDELITIES)}")
            try:
                evidence = Evidence.parse(about.get("evidence", "certified"))
            except ValueError as error:
                raise ClaimError(f"{place}: {error}") from None
            claim = Claim(
                id=f"{self.key}/{name}",
                kind=kind,
                paper=self,
                statement=inspect.cleandoc(function.__doc__ or ""),
                source=about.get("source", ""),
                fidelity=fidelity,
                evidence=evidence,
                method=about.get("method", ""),
                hypotheses=about.get("hypotheses", ""),
                not_established=about.get("not_established", ""),
                rests_on=tuple(_names(about.get("rests_on", ()))),
                undecided=float(about.get("undecided", 0.0)),
                place=place,
                own_name=function.__name__,
            )
            if options or not _is_docstring_only(function):
                families = _families(self, function.__name__, options, place)
                claim._attach(Check("check", part, function, families, tests, vectorize=vectorize))
            if claim.id in self.claims:
                raise ClaimError(f"{place}: the id {claim.id} is taken (by {self.claims[claim.id].place})")
            self.claims[claim.id] = claim
            return claim

        return decorate

    def identity(self, **options: Any) -> Callable[[Callable[..., Any]], Claim]:
        """Declare an identity (a returned pair means `lhs = rhs`); options as for `bound`."""
        return self._claim("identity", options)

    def bound(self, **options: Any) -> Callable[[Callable[..., Any]], Claim]:
        """Declare a bound (a returned pair means `lhs <= rhs`).

        Args:
            options: `domain=dict(...)` (with `quick`, `full`, `where`, `accept`, `every`, `exhaustive`, `cost`) or
                `family=` one or several families; `source` (theorem number), `fidelity`, aimed `evidence`, `method`
                (how it is checked), `hypotheses`, `not_established`, `rests_on` (hand-made steps), `undecided`
                (largest share of undecided instances), `tests` (statistical comparisons an instance), `part` (name of
                the main part), `name` (id, when it is not the function's name), `vectorize` (the check takes columns,
                thousands of instances at once).
        """
        return self._claim("bound", options)

    def rate(self, **options: Any) -> Callable[[Callable[..., Any]], Claim]:
        """Declare a rate; the check yields slopes or per-size comparisons. Options as for `bound`."""
        return self._claim("rate", options)

    def transition(self, **options: Any) -> Callable[[Callable[..., Any]], Claim]:
        """Declare a phase transition; the check yields brackets. Options as for `bound`."""
        return self._claim("transition", options)

    def construction(self, **options: Any) -> Callable[[Callable[..., Any]], Claim]:
        """Declare a construction (a returned pair means `built = required`). Options as for `bound`."""
        return self._claim("construction", options)


def _names(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _is_docstring_only(function: Callable[..., Any]) -> bool:
    """Whether the body is just the statement: the claim consists of proofs and attached checks."""
    code = function.__code__
    return code.co_argcount == 0 and not any(c is not None and c != function.__doc__ for c in code.co_consts)


def _families(paper: Paper, name: str, options: dict[str, Any], place: Where) -> tuple[Family, ...]:
    family, domain = options.pop("family", None), options.pop("domain", None)
    if (family is None) == (domain is None):
        raise ClaimError(f"{place}: give either domain=dict(...) or family=..., not {'both' if family else 'neither'}")
    try:
        if domain is not None:
            extras = {
                k: options.pop(k)
                for k in ("where", "accept", "quick", "full", "every", "exhaustive", "cost", "vectorize")
                if k in options
            }
            families: tuple[Family, ...] = (paper.family(name, **extras, **domain),)
        else:
            families = (family,) if isinstance(family, Family) else tuple(family)
            if options.pop("vectorize", False) and not all(f.vectorize for f in families):
                plain = next(f.id for f in families if not f.vectorize)
                raise ClaimError(f"{place}: vectorize=True needs families with vectorize=True, which {plain} is not")
    except DomainError as error:
        raise ClaimError(f"{place}: {error}") from None
    if options:
        raise ClaimError(f"{place}: unknown option(s) {', '.join(sorted(options))}")
    return families


def _check_signature(claim_id: str, check: Check) -> None:
    for p in check.parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise ClaimError(f"{check.place}: {claim_id}: parameters are named one by one, not as *args or **kwargs")
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise ClaimError(f"{check.place}: {claim_id}: the knob {p.name!r} needs its true value as a default")
    for family in check.families:
        missing = [a for a in check.arguments if a not in family.params]
        if missing:
            raise ClaimError(
                f"{check.place}: {claim_id} takes {', '.join(missing)}, which the family {family.id} does not supply "
                f"(it has {', '.join(family.params)})"
            )
