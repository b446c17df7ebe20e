"""Families: named, reproducible sources of instances, shared by claims, mutants and Hypothesis.

The order of a sampled family is fixed: first its diagonal of corners (the i-th corner of every parameter at once), then
the interior, with a random mixture of corners and interior values at every fourth place. Instance k depends on
the root seed, the family and k alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from theorems.domains import ByBudget, DomainError, Given, Integers, as_domain
from theorems.seeds import Words

if TYPE_CHECKING:
    from theorems.batches import Batch

QUICK, FULL = "quick", "full"
BUDGETS = (QUICK, FULL)
CORNER_LIMIT = 12  # instances on the diagonal of corners
CORNER_EVERY = 4  # after them, every fourth instance mixes corners and interior
LARGEST_GRID = 1_000_000

Instance = dict[str, Any]


class Unsatisfiable(Exception):
    """No instance satisfied the hypotheses within the attempts that the declared acceptance allows."""


@dataclass(frozen=True)
class Draw:
    """One instance of a family, and how many candidates its hypotheses rejected before it."""

    index: int
    values: Instance
    rejected: int


@dataclass(frozen=True)
class Family:
    """A named source of instances.

    Attributes:
        id: `paper/family` (the seed of its instances).
        params: parameter name -> domain, `Given`, `ByBudget` or constant, in order of dependence.
        where: hypothesis on the instance (a function of some parameters that returns a bool), or None.
        accept: smallest share of candidates that the hypotheses are expected to accept.
        quick, full: numbers of instances; None walks the whole grid.
        every: walk the grid of a finite domain instead of sampling it.
        exhaustive: the grid is the whole declared domain, so that exact answers on all of it are a proof.
        cost: about how many elementary operations a check takes on an instance (a function of some parameters), so
            that what cannot be afforded is refused beforehand; see `theorems.run.limits`.
        vectorize: instances come in batches of columns; see `theorems.batches`.
    """

    id: str
    params: Mapping[str, Any]
    where: Callable[..., Any] | None = None
    accept: float = 0.05
    quick: int | None = 200
    full: int | None = 5000
    every: bool = False
    exhaustive: bool = False
    budget: str = QUICK
    cost: Callable[..., Any] | None = None
    vectorize: bool = False
    _needs: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        import inspect

        known: list[str] = []
        for name, domain in self.params.items():
            for option in (domain.quick, domain.full) if isinstance(domain, ByBudget) else (domain,):
                if isinstance(option, Given):
                    missing = [n for n in option.needs if n not in known]
                    if missing:
                        raise DomainError(
                            f"family {self.id}: {name} depends on {', '.join(missing)}, which must be declared before it"
                        )
            known.append(name)
        if not 0 < self.accept <= 1:
            raise DomainError(f"family {self.id}: accept={self.accept}; a share in (0, 1] is expected")
        for budget, count in ((QUICK, self.quick), (FULL, self.full)):
            if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
                raise DomainError(f"family {self.id}: {budget}={count!r}; a positive number of instances is expected")
        if self.vectorize:
            from theorems.batches import check_domain

            for name, domain in self.params.items():
                for option in (domain.quick, domain.full) if isinstance(domain, ByBudget) else (domain,):
                    check_domain(f"family {self.id}", name, as_domain(option))
        for function, what in ((self.where, "hypothesis"), (self.cost, "cost")):
            needs = tuple(inspect.signature(function).parameters) if function is not None else ()
            missing = [n for n in needs if n not in self.params]
            if missing:
                raise DomainError(f"family {self.id}: its {what} names {', '.join(missing)}, no parameter of it")
        if self.where is not None:
            needs = tuple(inspect.signature(self.where).parameters)
            object.__setattr__(self, "_needs", needs)

    @property
    def grid(self) -> bool:
        """Whether the family walks a grid instead of sampling."""
        return self.every or self.exhaustive

    def at(self, budget: str) -> Family:
        """The family with its budget-dependent domains resolved."""
        params = {n: d.at(budget) if isinstance(d, ByBudget) else d for n, d in self.params.items()}
        return replace(self, params=params, budget=budget)

    def with_domain(self, changes: Mapping[str, Any]) -> Family:
        """The family with some parameters' domains replaced (a mutant's wider or narrower domain)."""
        unknown = [n for n in changes if n not in self.params]
        if unknown:
            raise DomainError(f"family {self.id} has no parameter {', '.join(unknown)}")
        return replace(self, params={**self.params, **changes})

    def count(self, instances: int | None = None) -> int:
        """The number of instances to run at the resolved budget; `instances` overrides sampled counts and caps grids."""
        declared = self.quick if self.budget == QUICK else self.full
        if self.grid:
            total = self.grid_size
            wanted = instances if instances is not None else None if self.exhaustive else declared
            return total if wanted is None else min(total, wanted)
        if instances is not None:
            return instances
        return declared if declared is not None else 200

    @cached_property
    def grid_size(self) -> int:
        """The number of points of the grid (before hypotheses)."""
        if not self._dependent:
            total = 1
            for name, domain in self._domains.items():
                size = domain.size()
                if size is None:
                    raise DomainError(
                        f"family {self.id}: {name} ({domain}) is not finite, so its grid cannot be walked"
                    )
                total *= size
            return total
        return len(self._points)

    @cached_property
    def _domains(self) -> dict[str, Any]:
        return {n: as_domain(d) for n, d in self.params.items()}

    @cached_property
    def _dependent(self) -> bool:
        return any(isinstance(d, Given) for d in self._domains.values())

    @cached_property
    def _points(self) -> list[Instance]:
        points = list(itertools.islice(self._walk({}, list(self._domains.items())), LARGEST_GRID + 1))
        if len(points) > LARGEST_GRID:
            raise DomainError(f"family {self.id}: its grid has more than {LARGEST_GRID} points; sample it instead")
        return points

    def _walk(self, sofar: Instance, rest: list[tuple[str, Any]]) -> Iterator[Instance]:
        if not rest:
            yield dict(sofar)
            return
        (name, domain), later = rest[0], rest[1:]
        if isinstance(domain, Given):
            domain = domain.resolve(sofar)
        if domain.size() is None:
            raise DomainError(f"family {self.id}: {name} ({domain}) is not finite, so its grid cannot be walked")
        for value in domain.values():
            yield from self._walk({**sofar, name: value}, later)

    @cached_property
    def _columns(self) -> list[tuple[str, Sequence[Any]]]:
        return [
            (n, range(d.low, d.high + 1) if isinstance(d, Integers) else list(d.values()))
            for n, d in self._domains.items()
        ]

    @cached_property
    def _batches(self) -> dict[tuple[int, int], Batch]:
        return {}

    def batch(self, seed: int, start: int, stop: int) -> Batch:
        """The instances `start` to `stop` as columns (`vectorize=True`; of one batch of 4096 where they are sampled)."""
        from theorems.batches import BATCH, sampled, walked

        if self.grid:
            return walked(self, start, stop)
        number = start // BATCH
        if (seed, number) not in self._batches:
            while len(self._batches) >= 4:
                del self._batches[next(iter(self._batches))]
            self._batches[seed, number] = sampled(self, seed, number)
        whole = self._batches[seed, number]
        inside = (whole.rows >= start - whole.start) & (whole.rows < stop - whole.start)
        return replace(whole, rows=whole.rows[inside])

    def satisfied_columns(self, values: Mapping[str, Any]) -> Any:
        """The hypotheses on columns: a mask, or a bool for all rows."""
        return True if self.where is None else self.where(**{n: values[n] for n in self._needs})

    def satisfied(self, instance: Instance) -> bool | None:
        """Whether the hypotheses hold on an instance; None when they cannot be decided."""
        if self.where is None:
            return True
        verdict = self.where(**{n: instance[n] for n in self._needs})
        return None if verdict is None else bool(verdict)

    def instance(self, seed: int, k: int) -> Draw | None:
        """Instance k, or None for a grid point that the hypotheses exclude.

        Raises:
            Unsatisfiable: when the attempts that the declared acceptance allows were all rejected.
        """
        if self.grid:
            values = self._grid_point(k)
            return Draw(k, values, 0) if self.satisfied(values) is not False else None
        if self.vectorize:
            return self._row(seed, k)
        attempts = max(20, round(20 / self.accept))
        for attempt in range(attempts):
            values = self._sample(seed, k, attempt)
            if self.satisfied(values) is not False:
                return Draw(k, values, attempt)
        raise Unsatisfiable(
            f"family {self.id}: none of {attempts} candidates for instance {k} satisfied the hypotheses "
            f"(declared acceptance {self.accept:g}); correct the hypotheses, narrow the domain, or declare a smaller accept="
        )

    def _row(self, seed: int, k: int) -> Draw:
        """Instance k of a sampled family whose instances come in batches."""
        from theorems.batches import scalar

        batch = self.batch(seed, k, k + 1)
        row = k - batch.start
        values = {n: scalar(self, n, v, row) for n, v in batch.values.items()}
        return Draw(k, values, int(batch.rejected[row]))

    def _grid_point(self, k: int) -> Instance:
        if self._dependent:
            return dict(self._points[k])
        values: Instance = {}
        for name, column in reversed(self._columns):
            k, r = divmod(k, len(column))
            values[name] = column[r]
        return {name: values[name] for name in self.params}

    def _sample(self, seed: int, k: int, attempt: int) -> Instance:
        words = Words(seed, "family", self.id, k, attempt)
        diagonal = k < CORNER_LIMIT and attempt == 0 and k < self._diagonal
        mixed = not diagonal and k >= self._diagonal and (k - self._diagonal) % CORNER_EVERY == CORNER_EVERY - 1
        values: Instance = {}
        for name, domain in self._domains.items():
            if isinstance(domain, Given):
                domain = domain.resolve(values)
            if diagonal:
                corners = domain.corners()
                values[name] = corners[k % len(corners)] if corners else domain.sample(words)
            elif mixed and words.below(2):
                corners = domain.corners()
                values[name] = corners[words.below(len(corners))] if corners else domain.sample(words)
            else:
                values[name] = domain.sample(words)
        return values

    @cached_property
    def _diagonal(self) -> int:
        """Length of the diagonal of corners: the largest corner list among independent parameters, at most 12."""
        lengths = [len(d.corners()) for d in self._domains.values() if not isinstance(d, Given)]
        return min(CORNER_LIMIT, max(lengths, default=1))

    def simpler(self, instance: Instance) -> Iterator[Instance]:
        """Simpler instances in the same domain with satisfied hypotheses: one parameter simplified at a time.

        Parameters that depend on a changed one are kept where they still belong to their domain, else replaced by the
        first corner.
        """
        for name in self.params:
            domain = self._resolved(name, instance)
            for value in domain.simpler(instance[name]):
                candidate = self._completed({**instance, name: value}, name)
                if candidate is not None and self.satisfied(candidate):
                    yield candidate

    def _resolved(self, name: str, instance: Instance) -> Any:
        domain = self._domains[name]
        return domain.resolve(instance) if isinstance(domain, Given) else domain

    def _completed(self, instance: Instance, changed: str) -> Instance | None:
        after = False
        for name in self.params:
            if after:
                domain = self._resolved(name, instance)
                if not domain.contains(instance[name]):
                    corners = domain.corners()
                    if not corners:
                        return None
                    instance[name] = corners[0]
            after = after or name == changed
        return instance

    def strategy(self) -> Any:
        """The family as a Hypothesis strategy of instances (dicts) that satisfy the hypotheses."""
        from hypothesis import assume
        from hypothesis import strategies as st

        @st.composite  # type: ignore[untyped-decorator]
        def instances(draw: Any) -> Instance:
            values: Instance = {}
            for name, domain in self._domains.items():
                if isinstance(domain, Given):
                    domain = domain.resolve(values)
                values[name] = draw(domain.strategy())
            assume(self.satisfied(values))
            return values

        return instances()

    def describe(self) -> str:
        """The domain in words, parameter by parameter."""
        return "; ".join(f"{n}: {d}" for n, d in self._domains.items())


@lru_cache(maxsize=512)
def _resolved_family(family_key: int, budget: str) -> Family:
    return _FAMILIES[family_key].at(budget)


_FAMILIES: dict[int, Family] = {}


def at_budget(family: Family, budget: str) -> Family:
    """`family.at(budget)`, made once per process so that grids and corner lists are kept."""
    _FAMILIES.setdefault(id(family), family)
    return _resolved_family(id(family), budget)
