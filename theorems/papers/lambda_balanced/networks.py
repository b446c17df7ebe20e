"""Exact networks and tasks as parameters of instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import identity
from solvers.linear_networks import Task, Weights, balanced, cayley, starting_matrices
from theorems import Q
from theorems.seeds import Words

BITS = 400


class Drawn:
    """A domain of exact values made by a function of random words; no corners, since equal bases are no generic instance."""

    def __init__(self, draw: Callable[[Words], Any], simplest: Any, about: str) -> None:
        self.draw, self.simplest, self.about = draw, simplest, about

    def sample(self, words: Words) -> Any:
        return self.draw(words)

    def corners(self) -> Sequence[Any]:
        return ()

    def size(self) -> int | None:
        return None

    def values(self) -> Iterator[Any]:
        raise ValueError(f"{self.about} are too many to be enumerated")

    def contains(self, value: Any) -> bool:
        return _shapes(value) == _shapes(self.simplest)

    def simpler(self, value: Any) -> Iterator[Any]:
        if value != self.simplest:
            yield self.simplest

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.integers(0, 2**32).map(lambda n: self.draw(Words(n, self.about)))

    def __str__(self) -> str:
        return self.about


def _shapes(value: Any) -> Any:
    if isinstance(value, fmpq_mat):
        return value.nrows(), value.ncols()
    return tuple(_shapes(v) for v in value) if isinstance(value, tuple) else "number"


def rotation(n: int, words: Words) -> fmpq_mat:
    """A rational rotation: the Cayley transform of a skew matrix with entries in {-3, -5/2, ..., 3}."""
    return cayley(fmpq_mat(n, n, [fmpq(words.between(-3, 3), 2) for _ in range(n * n)]))


def tenths(n: int, low: int, high: int, words: Words) -> tuple[fmpq, ...]:
    """Distinct tenths in [low/10, high/10], decreasing."""
    left = list(range(low, high + 1))
    return tuple(fmpq(j, 10) for j in sorted((left.pop(words.below(len(left))) for _ in range(n)), reverse=True))


def starts(shape: tuple[int, int, int]) -> Drawn:
    """What makes exact balanced weights: (R, V0, U0, k), see `solvers.linear_networks.balanced`."""
    n_i, n_h, n_o = shape
    return Drawn(
        lambda words: (rotation(n_h, words), rotation(n_i, words), rotation(n_o, words), tenths(n_h, 8, 30, words)),
        (identity(n_h), identity(n_i), identity(n_o), tuple(fmpq(1) for _ in range(n_h))),
        "rational rotations R, V0, U0 and k in {0.8, 0.9, ..., 3}",
    )


def tasks(shape: tuple[int, int, int]) -> Drawn:
    """(V, U, s): bases and singular values of a task."""
    n_i, n_h, n_o = shape
    return Drawn(
        lambda words: (rotation(n_i, words), rotation(n_o, words), tenths(n_h, 4, 20, words)),
        (identity(n_i), identity(n_o), tuple(fmpq(1) for _ in range(n_h))),
        "rational rotations V, U and distinct singular values in {0.4, 0.5, ..., 2}",
    )


def network(start: Any, lam: Any) -> Weights:
    """The exact weights that a value of `starts` makes."""
    R, V, U, k = start
    return balanced(R, V, U, k, lam)


def rotations(n: int) -> Drawn:
    """Rational rotations of size n."""
    return Drawn(lambda words: rotation(n, words), identity(n), f"rational rotations of size {n}")


def flipped(task: Task) -> Task:
    """The task with the first column of U~ reversed, so that the determinant of a square Sigma changes its sign."""
    U = fmpq_mat(task.U)
    for i in range(U.nrows()):
        U[i, 0] = -U[i, 0]
    return Task(task.V, U, task.s)


def signed(weights: Weights, task: Task, sign: int) -> Task:
    """The task, flipped if need be so that det(W2 W1) det Sigma has this sign (square networks)."""
    same = (weights.W2 * weights.W1).det() * task.Sigma.det() > 0
    return task if same == (sign > 0) else flipped(task)


def B_invertible(start: Any, lam: Any, task: Any) -> bool:
    """Whether the matrix B of the closed form is invertible, so clearly that 400-bit balls prove it."""
    with precision(BITS):
        d: arb = starting_matrices(network(start, lam), Task(*task), lam)[0].det()
    return bool(d > 0 or d < 0)


def zeros(M: Any) -> list[list[int]]:
    """The zero matrix of this shape."""
    return [[0] * M.ncols() for _ in range(M.nrows())]


HALF = Q(1, 2)
