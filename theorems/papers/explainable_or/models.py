"""Small covering programs, solved exactly: vertices, dual vertices, the optimal basis, and integer programs by enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.polyhedra import polyhedron, vertices
from theorems import Arrays, Choices, Given, Integers
from theorems.papers.explainable_or.paper import PAPER

Vector = tuple[fmpq, ...]


def dot(x: Sequence[Any], y: Sequence[Any]) -> fmpq:
    """x . y."""
    return sum((a * b for a, b in zip(x, y)), fmpq(0))


def rows(matrix: Any) -> tuple[Vector, ...]:
    """A matrix of integers as rows of rationals."""
    return tuple(tuple(fmpq(int(v)) for v in row) for row in matrix.tolist())


@dataclass(frozen=True)
class Program:
    """Minimise c.x subject to A x >= b, x >= 0, with A >= 0 without a zero row and c > 0.

    Attributes:
        A: m rows of n numbers.
        b: m numbers.
        c: n numbers.
    """

    A: tuple[Vector, ...]
    b: Vector
    c: Vector

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.c)

    @cached_property
    def points(self) -> tuple[Vector, ...]:
        """The vertices of the feasible set."""
        n = self.n
        above = [[-v for v in row] for row in self.A]
        signs = [[-fmpq(int(i == j)) for j in range(n)] for i in range(n)]
        return vertices(polyhedron(above + signs, [-v for v in self.b] + [fmpq(0)] * n))

    @cached_property
    def prices(self) -> tuple[Vector, ...]:
        """The vertices of the dual feasible set A^T y <= c, y >= 0."""
        m = len(self.b)
        columns = [[row[j] for row in self.A] for j in range(self.n)]
        signs = [[-fmpq(int(i == j)) for j in range(m)] for i in range(m)]
        return vertices(polyhedron(columns + signs, list(self.c) + [fmpq(0)] * m))

    @cached_property
    def value(self) -> fmpq:
        """The optimal value: the least over the vertices, since c > 0 and x >= 0."""
        return min(dot(self.c, x) for x in self.points)

    @cached_property
    def solutions(self) -> tuple[Vector, ...]:
        """The optimal vertices; the optimal face is their convex hull."""
        return tuple(x for x in self.points if dot(self.c, x) == self.value)

    @cached_property
    def shadow_prices(self) -> tuple[Vector, ...]:
        """The optimal dual vertices."""
        best = max(dot(self.b, y) for y in self.prices)
        return tuple(y for y in self.prices if dot(self.b, y) == best)

    @cached_property
    def regular(self) -> bool:
        """Whether the optimal point and its prices are unique and nondegenerate."""
        if len(self.solutions) != 1 or len(self.shadow_prices) != 1:
            return False
        (x,), (y,) = self.solutions, self.shadow_prices
        tight = sum(s == 0 for s in self.surplus(x)) + sum(v == 0 for v in x)
        dual = sum(s == 0 for s in self.reduced_costs(y)) + sum(v == 0 for v in y)
        return tight == self.n and dual == len(self.b)

    def surplus(self, x: Sequence[fmpq]) -> Vector:
        """A x - b."""
        return tuple(dot(row, x) - r for row, r in zip(self.A, self.b))

    def reduced_costs(self, y: Sequence[fmpq]) -> Vector:
        """c - A^T y."""
        return tuple(cost - dot([row[j] for row in self.A], y) for j, cost in enumerate(self.c))

    @cached_property
    def basis(self) -> tuple[int, ...]:
        """The optimal basis of [A, -I] z = b, for a regular program: the positive entries of (x, surplus)."""
        (x,) = self.solutions
        return tuple(k for k, v in enumerate((*x, *self.surplus(x))) if v > 0)

    @cached_property
    def inverse(self) -> fmpq_mat:
        """B^{-1} for the optimal basis."""
        m = len(self.b)
        full = [[*row, *(-fmpq(int(i == k)) for k in range(m))] for i, row in enumerate(self.A)]
        return fmpq_mat([[row[k] for k in self.basis] for row in full]).inv()

    def right(self, b: Sequence[Any]) -> Program:
        """The program with another right-hand side."""
        return Program(self.A, tuple(fmpq(v) if isinstance(v, int) else v for v in b), self.c)

    def shifted(self, i: int, t: fmpq) -> Program:
        """The program with b_i + t."""
        return self.right([v + t if k == i else v for k, v in enumerate(self.b)])

    def costs(self, c: Sequence[fmpq]) -> Program:
        """The program with other costs."""
        return Program(self.A, self.b, tuple(c))

    def entry(self, i: int, j: int, t: fmpq) -> Program:
        """The program with A_ij + t."""
        changed = tuple(
            tuple(v + t if (k, q) == (i, j) else v for q, v in enumerate(row)) for k, row in enumerate(self.A)
        )
        return Program(changed, self.b, self.c)

    def without(self, i: int) -> Program:
        """The program without row i."""
        return Program(self.A[:i] + self.A[i + 1 :], self.b[:i] + self.b[i + 1 :], self.c)

    def with_row(self, row: Sequence[fmpq], r: fmpq) -> Program:
        """The program with a further row."""
        return Program((*self.A, tuple(row)), (*self.b, r), self.c)

    @cached_property
    def integer_value(self) -> fmpq:
        """The optimal value over integers x; A, b and c are integers, n >= 1."""
        return self.integer_solution[0]

    @cached_property
    def integer_solution(self) -> tuple[fmpq, Vector]:
        """Value and the first optimal integer point: all values of the first n - 1 variables, the least last one."""
        reach = [
            max([0, *(-int((-b / row[j]).floor()) for row, b in zip(self.A, self.b) if row[j] > 0)])
            for j in range(self.n)
        ]
        best: tuple[fmpq, Vector] | None = None
        for head in product(*(range(r + 1) for r in reach[:-1])):
            last = 0
            for row, b in zip(self.A, self.b):
                missing = b - dot(row, head)
                if missing > 0:
                    if row[-1] == 0:
                        break
                    last = max(last, -int((-missing / row[-1]).floor()))
            else:
                x = tuple(fmpq(v) for v in (*head, last))
                value = dot(self.c, x)
                if best is None or value < best[0]:
                    best = value, x
        if best is None:
            raise ArithmeticError("a covering program without a zero row has an integer point")
        return best


def program(A: Any, b: Any, c: Any) -> Program:
    """A program from an instance's integers."""
    return Program(rows(A), tuple(fmpq(int(v)) for v in b), tuple(fmpq(int(v)) for v in c))


def covering(A: Any) -> bool:
    """Whether no row of A is zero."""
    return all(any(v != 0 for v in row) for row in A.tolist())


def programs(name: str, sizes: Sequence[int], **options: Any) -> Any:
    """A family of programs with numbers of variables and of rows among `sizes`, A in 0..5, b in 1..12, c in 1..8."""
    return PAPER.family(
        name,
        n=Choices(*sizes),
        m=Choices(*sizes),
        A=Given(lambda n, m: Arrays(Integers(0, 5), (m, n))),
        b=Given(lambda m: Arrays(Integers(1, 12), (m,))),
        c=Given(lambda n: Arrays(Integers(1, 8), (n,))),
        **options,
    )
