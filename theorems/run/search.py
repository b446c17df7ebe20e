"""`--search N`: N evaluations spent on pushing the margin of a bound down.

Differential evolution (SciPy's) moves the real parameters of a family; the others come from its seeded instances. Every
evaluation is the check itself, answered by the kernel, so a refutation found here is one like any other.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from theorems.claim import Check, Claim
from theorems.domains import Dyadics, Given, Rationals, Reals
from theorems.family import Family, Instance, Unsatisfiable
from theorems.kernel.outcome import Decision, Evidence
from theorems.run import limits
from theorems.run.evaluate import Answered, Settings, evaluate
from theorems.run.results import BlockResult, Searched, Shown, Tally
from theorems.run.work import add, level_of, shown, shrink
from theorems.seeds import generator

RESTARTS = 4  # instances that supply the parameters which are not real, where there are such
STEPS = 3_000_000  # of a linear parameter between its ends: no power of two, so that no value looks like a double
_WORST = 1e6


class _Spent(Exception):
    """The evaluations are used up, or a refutation was found."""


def real_parameters(family: Family) -> list[str]:
    """The parameters that a search moves."""
    return [
        name
        for name, domain in family.params.items()
        if isinstance(domain, (Rationals, Reals, Dyadics)) and domain.low < domain.high
    ]


def searchable(claim: Claim, check: Check, family: Family) -> bool:
    """Whether a search makes sense: a bound that is not statistical, a sampled family, and some real parameter."""
    return (
        claim.kind == "bound"
        and claim.evidence >= Evidence.NUMERIC
        and check.role == "check"
        and not family.grid
        and bool(real_parameters(family))
    )


def search(claim: Claim, check: Check, family: Family, settings: Settings, result: BlockResult) -> None:
    """Search one family of one check; what is found stands in `result.searched`, a refutation in its tallies too."""
    names = real_parameters(family)
    restarts = 1 if len(names) == len(family.params) else min(RESTARTS, max(1, settings.search // 100))
    seeker = _Seeker(claim, check, family, settings, names)
    for r in range(restarts):
        share = settings.search // restarts + (r < settings.search % restarts)
        try:
            draw = family.instance(settings.seed, r)
        except Unsatisfiable:
            draw = None
        if draw is None or seeker.refuted is not None:
            break
        seeker.restart(draw.values, share)
        _evolve(seeker, len(names), share, generator(settings.seed, "search", family.id, r))
    seeker.report(result)


def _evolve(seeker: _Seeker, dimension: int, share: int, rng: Any) -> None:
    """Minimize until the share is spent."""
    from scipy.optimize import differential_evolution

    people = max(5, min(15 * dimension, share // 8))
    start = rng.random((people, dimension))
    random = "rng" if "rng" in inspect.signature(differential_evolution).parameters else "seed"
    try:
        differential_evolution(
            seeker.objective,
            [(0.0, 1.0)] * dimension,
            maxiter=share,  # never reached: the seeker counts evaluations
            init=start,
            tol=0.0,
            atol=-1.0,
            polish=False,
            **{random: rng},
        )
    except _Spent:
        return


class _Seeker:
    """Counts evaluations, and remembers the tightest outcome of each part."""

    def __init__(self, claim: Claim, check: Check, family: Family, settings: Settings, names: list[str]) -> None:
        self.claim, self.check, self.family, self.settings, self.names = claim, check, family, settings, names
        self.level = level_of(claim, settings)
        self.base: Instance = {}
        self.left = 0
        self.evaluations = 0
        self.varies: set[str] = set()  # parts with a positive margin somewhere: the others are equalities
        self.tightest: dict[str, Shown] = {}
        self.refuted: tuple[Instance, Answered] | None = None

    def restart(self, base: Instance, share: int) -> None:
        """Begin again from another instance with so many evaluations."""
        self.base, self.left = base, share

    def objective(self, point: Sequence[float]) -> float:
        """The smallest margin on the instance at a point of the unit cube."""
        if self.left <= 0 or self.refuted is not None:
            raise _Spent
        self.left -= 1
        self.evaluations += 1
        values = self._instance(point)
        if values is None:
            return _WORST
        try:
            limits.check_instance(self.family, values)
            items = list(
                evaluate(self.claim, self.check, values, {}, self.settings, level=self.level, place=("search", 0))
            )
        except Exception:
            return _WORST  # a check that breaks on what was sampled says so in its own blocks
        return min((self._margin(i, values) for i in items if isinstance(i, Answered)), default=_WORST)

    def _margin(self, item: Answered, values: Instance) -> float:
        o = item.outcome
        if o.samples or o.decision is Decision.UNDECIDED:
            return _WORST
        if o.decision is Decision.AGAINST:
            if o.evidence >= Evidence.NUMERIC and self.refuted is None:
                self.refuted = (values, item)
            self._remember(item, values)
            return o.margin if o.margin is not None else -1.0
        if o.margin is None:
            return _WORST
        if o.margin > 0:
            self.varies.add(item.part)
        self._remember(item, values)
        return o.margin if item.part in self.varies else _WORST

    def _remember(self, item: Answered, values: Instance) -> None:
        margin = item.outcome.margin if item.outcome.margin is not None else -1.0
        known = self.tightest.get(item.part)
        if known is None or margin < (known.margin if known.margin is not None else -1.0):
            self.tightest[item.part] = shown(
                item.outcome, self.family, 0, values, check=self.check.name, found="search"
            )

    def _instance(self, point: Sequence[float]) -> Instance | None:
        """The instance at a point, or None where it leaves the hypotheses."""
        where = dict(zip(self.names, point))
        values: Instance = {}
        for name, domain in self.family.params.items():
            if name in where:
                values[name] = _value(domain, float(where[name]))
            elif isinstance(domain, Given):
                resolved = domain.resolve(values)
                if resolved.contains(self.base[name]):
                    values[name] = self.base[name]
                else:
                    corners = resolved.corners()
                    if not corners:
                        return None
                    values[name] = corners[0]
            else:
                values[name] = self.base[name]
        inside = all(self.family.params[n].contains(values[n]) for n in self.names)
        return values if inside and self.family.satisfied(values) is True else None

    def report(self, result: BlockResult) -> None:
        """Put what was found into a result."""
        family = self.family.id.split("/", 1)[1]
        for part, tight in self.tightest.items():
            if part in self.varies or tight.decision is Decision.AGAINST:
                result.searched.append(Searched(part, self.check.name, family, self.evaluations, tight))
        if self.refuted is not None:
            values, item = self.refuted
            tallies: dict[str, Tally] = {}
            add(tallies, self.check, item, self.family, 0, values, keep=False, found="search")
            result.tallies = tallies
            shrink(
                self.claim,
                self.check,
                self.family,
                (values, item.part, item.outcome),
                self.settings,
                self.level,
                result,
            )


def _value(domain: Any, u: float) -> fmpq:
    """The exact value of a real domain at a place between 0 and 1."""
    if isinstance(domain, Dyadics):
        ends = domain._range()
        return fmpq(ends.low + round(u * (ends.high - ends.low)), 1 << domain.bits)
    if isinstance(domain, Reals) and domain.log:
        x = float(int(domain.low.p) / int(domain.low.q)) * float(domain.high / domain.low) ** u
        near = Fraction(x).limit_denominator(10**domain.digits)
        return min(max(fmpq(near.numerator, near.denominator), domain.low), domain.high)
    x = domain.low + fmpq(round(u * STEPS), STEPS) * (domain.high - domain.low)
    return fmpq(x)
