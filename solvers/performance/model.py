"""A performance estimation problem: unknown vectors and functions, hypotheses, and what is to be as bad as possible.

    pep = Performance()
    f = pep.function(smooth_convex(1))
    x0, best = pep.vector(), f.minimiser()
    pep.require(squared(x0 - best.x), 1)                  # |x0 - x*|^2 <= 1
    x1 = x0 - f(x0).g
    pep.maximise(f(x1).f - best.f)
    pep.worst_case()                                      # 1/6, between proven bounds

The worst case over dimension and class is the optimum of a semidefinite program in the Gram matrix of the unknown
vectors (Drori, Teboulle, 2014; Taylor, Hendrickx, Glineur, 2017), here with exact rational data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.number_fields import Irrational
from solvers.performance.expressions import ORIGIN, Scalar, Vector, scalar
from solvers.performance.functions import Sample, SampleClass
from solvers.performance.program import Program, assembled
from solvers.performance.result import WorstCase


class Sampled:
    """A function or operator of a class, known through its samples."""

    def __init__(self, owner: Performance, kind: SampleClass, name: str, valued: bool) -> None:
        self.owner, self.kind, self.name, self.valued = owner, kind, name, valued
        self.samples: list[Sample] = []
        self._at: dict[Any, Sample] = {}

    def __call__(self, x: Vector) -> Sample:
        """The sample at x: a new one the first time, the same one afterwards."""
        self.owner.own(x)
        if x.key not in self._at:
            self.sample(x, self.owner.vector())
        return self._at[x.key]

    def sample(self, x: Vector, g: Vector) -> Sample:
        """A further sample with a stated (sub)gradient g at x (implicit steps, sets of subgradients)."""
        self.owner.own(x)
        self.owner.own(g)
        known = self._at.get(x.key)
        value = Scalar() if not self.valued else known.f if known is not None else self.owner.number()
        found = Sample(x, g, value)
        self.samples.append(found)
        self._at[x.key] = found
        return found

    def minimiser(self) -> Sample:
        """A minimiser (a stationary point, a zero), placed at the origin if it is the first one of the problem."""
        return self.sample(self.owner.centre(), ORIGIN)

    def proximal(self, x: Vector, step: object) -> Sample:
        """The sample at z = x - step g, g in the subdifferential (or operator) at z: the resolvent at x."""
        g = self.owner.vector()
        return self.sample(x - g * step, g)


@dataclass(frozen=True, eq=False)
class Constraint:
    """expression <= 0, or = 0."""

    name: tuple[Any, ...]
    expression: Scalar
    equality: bool = False


class Performance:
    """A performance estimation problem under construction."""

    def __init__(self) -> None:
        self.vectors, self.numbers = 0, 0
        self.sampled: list[Sampled] = []
        self.required: list[Constraint] = []
        self.matrices: list[list[list[Scalar]]] = []
        self.metrics: tuple[Scalar, ...] = ()
        self._centred = False

    def vector(self) -> Vector:
        """A new unknown vector."""
        self.vectors += 1
        return Vector({self.vectors - 1: fmpq(1)})

    def own(self, v: Vector) -> None:
        """Refuse what is no vector of this problem (as far as its indices show).

        Raises:
            TypeError: if it is no `Vector`.
            ValueError: if it belongs to another problem.
        """
        if not isinstance(v, Vector):
            raise TypeError(
                f"expected a Vector of this problem, got {type(v).__name__}; the parts of a sample are .x, .g and .f"
            )
        if max(v.terms, default=-1) >= self.vectors:
            raise ValueError(
                f"vector number {max(v.terms)} is none of the {self.vectors} vectors of this problem (counted from 0); it was made by "
                "another Performance"
            )

    def number(self) -> Scalar:
        """A new unknown number."""
        self.numbers += 1
        return Scalar(values={self.numbers - 1: fmpq(1)})

    def centre(self) -> Vector:
        """The origin the first time (problems are invariant under translation), then new vectors."""
        first, self._centred = not self._centred, True
        return ORIGIN if first else self.vector()

    def function(self, kind: SampleClass, name: str = "") -> Sampled:
        """A function of a class of `solvers.performance.functions`."""
        return self._sampled(kind, name or f"f{len(self.sampled)}", True)

    def operator(self, kind: SampleClass, name: str = "") -> Sampled:
        """An operator of a class of `solvers.performance.operators`."""
        return self._sampled(kind, name or f"A{len(self.sampled)}", False)

    def _sampled(self, kind: SampleClass, name: str, valued: bool) -> Sampled:
        if isinstance(kind, type) or not (hasattr(kind, "conditions") and hasattr(kind, "tight")):
            raise TypeError(
                f"{kind!r} has no interpolation conditions; expected a class of functions or operators such as smooth_convex(L=1), or an object of your own "
                "with `tight` and `conditions(samples)` (see solvers.performance.functions)"
            )
        if getattr(kind, "valued", valued) != valued:
            right, wrong = ("function", "operator") if not valued else ("operator", "function")
            raise TypeError(f"{kind!r} is a class of {right}s: call {right}(...) in place of {wrong}(...)")
        found = Sampled(self, kind, name, valued)
        self.sampled.append(found)
        return found

    def require(self, lhs: Any, rhs: Any = 0, *, name: object = None) -> None:
        """The hypothesis lhs <= rhs."""
        label = (f"h{len(self.required)}",) if name is None else (name,)
        self.required.append(Constraint(label, scalar(lhs) - rhs))

    def require_equal(self, lhs: Any, rhs: Any = 0, *, name: object = None) -> None:
        """The hypothesis lhs = rhs."""
        label = (f"h{len(self.required)}",) if name is None else (name,)
        self.required.append(Constraint(label, scalar(lhs) - rhs, equality=True))

    def require_psd(self, matrix: Sequence[Sequence[Any]]) -> None:
        """The hypothesis that a symmetric matrix of scalars is positive semidefinite (its upper triangle is read)."""
        self.matrices.append([[scalar(entry) for entry in row] for row in matrix])

    def maximise(self, *metrics: Scalar) -> None:
        """What is to be as large as possible: the metric, or the least of several."""
        if not metrics:
            raise ValueError("maximise() needs at least one metric")
        self.metrics = tuple(scalar(m) for m in metrics)

    @property
    def tight(self) -> bool:
        """Whether all classes have tight conditions, so that the worst case is exact (given enough dimensions)."""
        return all(f.kind.tight for f in self.sampled)

    def constraints(self) -> list[Constraint]:
        """All hypotheses, then the conditions of the classes, named (name of the function, sample indices ...)."""
        found = list(self.required)
        for f in self.sampled:
            found += [Constraint((f.name, *where), e) for where, e in f.kind.conditions(f.samples)]
        return found

    def program(self) -> Program:
        """The semidefinite program, on the quotient by the common null space."""
        if not self.metrics:
            raise ValueError("nothing to maximise: call maximise(metric, ...)")
        return assembled(self)

    def worst_case(self, within: float = 1e-7) -> WorstCase:
        """The worst case between proven bounds, whose relative distance is at most `within` where that can be reached."""
        from solvers.performance.bounds import enclose

        program = self.program()
        return WorstCase(enclose(program.problem, within), self.tight, program.names)

    def proven_by(self, multipliers: Mapping[Any, Any]) -> Any:
        """The upper bound that given multipliers prove, exactly; see `solvers.performance.proofs`.

        With rational data and multipliers the certificate is checked like every other; with irrational ones in their field.
        """
        from solvers.performance.proofs import proven, proven_in_field

        given = [v for e in (*(c.expression for c in self.constraints()), *self.metrics) for v in e.coefficients()]
        if any(isinstance(v, Irrational) for v in (*given, *multipliers.values())):
            return proven_in_field(self, multipliers)
        return proven(self.program(), multipliers)
