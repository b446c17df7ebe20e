"""The set {x in R^n : A x <= b, E x = f} with rational data, and what one exact linear program answers about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flint import fmpq, fmpq_mat

from solvers.certificates.rational import dot, rational
from solvers.conic.linear import LinearSolution, lp

Vector: TypeAlias = tuple[fmpq, ...]


@dataclass(frozen=True)
class Polyhedron:
    """{x : A x <= b, E x = f}; make it with `polyhedron`.

    Attributes:
        n: dimension of the space.
        A: rows of the inequalities.
        b: their right-hand sides.
        E: rows of the equalities.
        f: their right-hand sides.
    """

    n: int
    A: tuple[Vector, ...]
    b: Vector
    E: tuple[Vector, ...] = ()
    f: Vector = ()

    def __post_init__(self) -> None:
        for name, rows, right in (("A", self.A, self.b), ("E", self.E, self.f)):
            if len(rows) != len(right):
                raise ValueError(f"{name} has {len(rows)} rows and {len(right)} right-hand sides")
            if any(len(row) != self.n for row in rows):
                raise ValueError(f"a row of {name} does not have {self.n} entries")


def polyhedron(
    A: object = (), b: Iterable[object] = (), E: object = (), f: Iterable[object] = (), n: int | None = None
) -> Polyhedron:
    """Build {x : A x <= b, E x = f} from exact data.

    Args:
        A: rows of exact numbers, or an `fmpq_mat`.
        b: one number per row of A.
        E: rows of equalities.
        f: one number per row of E.
        n: dimension; needed only if there are no rows.

    Raises:
        TypeError: for floats. ValueError: for shapes that do not fit.
    """
    inequalities, equalities = _rows(A), _rows(E)
    widths = {len(row) for row in (*inequalities, *equalities)} | ({n} if n is not None else set())
    if len(widths) != 1:
        raise ValueError(f"the rows have lengths {sorted(widths)}; expected one common length (or n)")
    (width,) = widths
    if width == 0:
        raise ValueError("a polyhedron needs a space of dimension at least 1")
    right, values = tuple(rational(v) for v in b), tuple(rational(v) for v in f)
    return Polyhedron(width, inequalities, right, equalities, values)


def _rows(matrix: object) -> tuple[Vector, ...]:
    table = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    if not isinstance(table, Sequence):
        raise TypeError(f"expected rows of exact numbers, got {type(matrix).__name__}")
    return tuple(tuple(rational(value) for value in row) for row in table)


def contains(P: Polyhedron, x: Sequence[object]) -> bool:
    """Whether the rational point x lies in P."""
    point = [rational(value) for value in x]
    return all(dot(a, point) <= b for a, b in zip(P.A, P.b)) and all(dot(e, point) == f for e, f in zip(P.E, P.f))


def maximum(P: Polyhedron, c: Sequence[object]) -> LinearSolution:
    """The exact program min -c.x over P; its `value` is minus the maximum of c.x."""
    objective = [-rational(value) for value in c]
    return lp(objective, P.A, P.b, P.E, P.f, bounds=(None, None))


def is_empty(P: Polyhedron) -> bool:
    """Whether P is empty (decided by an exact linear program, so with a Farkas proof)."""
    return lp([0] * P.n, P.A, P.b, P.E, P.f, bounds=(None, None)).status == "infeasible"


def is_bounded(P: Polyhedron) -> bool:
    """Whether P is bounded (the empty set is): whether its recession cone {A d <= 0, E d = 0} is {0}."""
    if is_empty(P):
        return True
    zero_right, zero_equal = [0] * len(P.b), [0] * len(P.f)
    for j in range(P.n):
        for sign in (-1, 1):
            direction = [sign if k == j else 0 for k in range(P.n)]
            if lp(direction, P.A, zero_right, P.E, zero_equal, bounds=(None, None)).status == "unbounded":
                return False
    return True


def implicit_equalities(P: Polyhedron) -> tuple[int, ...] | None:
    """The inequalities that hold with equality throughout P, or `None` if P is empty."""
    found = _loosest(P)
    return None if found is None else tuple(i for i, slack in enumerate(found[1]) if slack == 0)


def interior_point(P: Polyhedron) -> Vector | None:
    """A point of the relative interior: strict in every inequality that can be; `None` if P is empty."""
    found = _loosest(P)
    return None if found is None else found[0]


def dimension(P: Polyhedron) -> int:
    """The dimension of P, -1 if it is empty."""
    tight = implicit_equalities(P)
    if tight is None:
        return -1
    rows = [*P.E, *(P.A[i] for i in tight)]
    return P.n - _rank(rows, P.n)


def irredundant(P: Polyhedron) -> Polyhedron:
    """The same set without inequalities that the others imply (one exact linear program per inequality)."""
    kept = list(range(len(P.b)))
    for i in range(len(P.b)):
        others = [k for k in kept if k != i]
        objective = [-value for value in P.A[i]]
        rows, right = [P.A[k] for k in others], [P.b[k] for k in others]
        best = lp(objective, rows, right, P.E, P.f, bounds=(None, None))
        if best.status == "infeasible" or (best.value is not None and -best.value <= P.b[i]):
            kept = others
    return Polyhedron(P.n, tuple(P.A[k] for k in kept), tuple(P.b[k] for k in kept), P.E, P.f)


def _loosest(P: Polyhedron) -> tuple[Vector, list[fmpq]] | None:
    """A point and its slacks, with every slack positive that can be.

    Maximise sum s over A z + s <= t b, E z = t f, 0 <= s <= 1, t >= 1: scaling t makes every possible slack
    reach 1, and x = z / t.
    """
    m, n = len(P.b), P.n
    none = [fmpq(0)] * m
    unit = [[fmpq(int(i == k)) for k in range(m)] for i in range(m)]
    A = [[*row, *unit[i], -P.b[i]] for i, row in enumerate(P.A)]
    E = [[*row, *none, -f] for row, f in zip(P.E, P.f)]
    bounds: list[tuple[int | None, int | None]] = [(None, None)] * n + [(0, 1)] * m + [(1, None)]
    found = lp([0] * n + [-1] * m + [0], A, none, E, [0] * len(E), bounds)
    if found.status != "optimal":
        return None
    x = tuple(value / found.x[-1] for value in found.x[:n])
    return x, [b - dot(a, x) for a, b in zip(P.A, P.b)]


def _rank(rows: Sequence[Vector], n: int) -> int:
    return int(fmpq_mat(len(rows), n, [value for row in rows for value in row]).rank()) if rows else 0
