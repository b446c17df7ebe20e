"""Exact arithmetic in Q(sqrt D): p + q sqrt(D) with rational p, q and an exact sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from solvers.enclosures.exact import to_fmpq


@dataclass(frozen=True, slots=True)
class Quadratic:
    """The number p + q sqrt(D), D > 1 squarefree."""

    p: fmpq
    q: fmpq
    D: int = 3

    def _of(self, other: Any) -> Quadratic:
        if isinstance(other, Quadratic):
            if other.D != self.D:
                raise ValueError(f"numbers of Q(sqrt {self.D}) and Q(sqrt {other.D}) do not mix")
            return other
        return Quadratic(to_fmpq(other), fmpq(0), self.D)

    def __add__(self, other: Any) -> Quadratic:
        o = self._of(other)
        return Quadratic(self.p + o.p, self.q + o.q, self.D)

    __radd__ = __add__

    def __neg__(self) -> Quadratic:
        return Quadratic(-self.p, -self.q, self.D)

    def __sub__(self, other: Any) -> Quadratic:
        return self + -self._of(other)

    def __rsub__(self, other: Any) -> Quadratic:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Quadratic:
        o = self._of(other)
        return Quadratic(self.p * o.p + self.D * self.q * o.q, self.p * o.q + self.q * o.p, self.D)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Quadratic:
        o = self._of(other)
        length = o.p * o.p - self.D * o.q * o.q
        if length == 0:
            raise ZeroDivisionError("division by zero in a quadratic field")
        return self * Quadratic(o.p / length, -o.q / length, self.D)

    def sign(self) -> int:
        """The exact sign, -1, 0 or 1."""
        a, b = int(self.p > 0) - int(self.p < 0), int(self.q > 0) - int(self.q < 0)
        if a == b or b == 0:
            return a
        if a == 0:
            return b
        size = self.p * self.p - self.D * self.q * self.q
        return a if size > 0 else b

    def exact(self) -> fmpq | arb:
        """The number itself if it is rational, else a ball at the current precision."""
        return self.p if self.q == 0 else arb(self.p) + arb(self.q) * arb(self.D).sqrt()


def kernel(columns: list[list[Quadratic]]) -> list[list[Quadratic]]:
    """A basis of {c : sum_j c_j column_j = 0}, by exact elimination."""
    N, n = len(columns), len(columns[0])
    D = columns[0][0].D
    zero, one = Quadratic(fmpq(0), fmpq(0), D), Quadratic(fmpq(1), fmpq(0), D)
    rows = [[columns[j][i] for j in range(N)] for i in range(n)]
    pivots: list[int] = []
    at = 0
    for j in range(N):
        found = next((i for i in range(at, n) if rows[i][j].sign() != 0), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        lead = rows[at][j]
        rows[at] = [v / lead for v in rows[at]]
        for i in range(n):
            if i != at and rows[i][j].sign() != 0:
                factor = rows[i][j]
                rows[i] = [v - factor * w for v, w in zip(rows[i], rows[at])]
        pivots.append(j)
        at += 1
    basis = []
    for j in range(N):
        if j not in pivots:
            vector = [zero] * N
            vector[j] = one
            for i, p in enumerate(pivots):
                vector[p] = -rows[i][j]
            basis.append(vector)
    return basis
