"""Rational data of a training problem, from arrays or exact numbers, and integer forms of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpz

from solvers.certificates.relu import ReluProblem
from solvers.enclosures.exact import dyadic, to_fmpq

Vector: TypeAlias = tuple[fmpq, ...]
Integers: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Data:
    """A training problem with doubles beside the exact numbers.

    Attributes:
        problem: the exact data: n rows of d rationals, n targets, beta > 0.
        X: the rows as doubles, n x d.
        y: the targets as doubles, length n.
        beta: the weight as a double.
    """

    problem: ReluProblem
    X: np.ndarray[Any, np.dtype[np.float64]]
    y: np.ndarray[Any, np.dtype[np.float64]]
    beta: float


def data(X: Any, y: Any, beta: Any, *, bias: bool = False) -> Data:
    """The exact training problem of arrays or exact numbers.

    Args:
        X: n x d: a NumPy array (its doubles are taken as the dyadic rationals that they are) or rows of exact
            numbers.
        y: length n (or n x 1), likewise.
        beta: positive weight of the regulariser, likewise.
        bias: append a column of ones.

    Raises:
        ValueError: for shapes that do not match, entries that are not finite, or beta <= 0.
        TypeError: for entries that are not numbers.
    """
    rows = matrix("X", X)
    targets = [v for row in matrix("y", _column(y)) for v in row]
    if len(rows) != len(targets):
        raise ValueError(f"X has {len(rows)} rows and y has {len(targets)} entries; expected one target per row")
    weight = scalar("beta", beta)
    if weight <= 0:
        raise ValueError(f"beta = {weight}; expected a positive weight of the regulariser")
    if bias:
        rows = [(*row, fmpq(1)) for row in rows]
    return of_problem(ReluProblem(tuple(rows), tuple(targets), weight))


def of_problem(problem: ReluProblem) -> Data:
    """The exact problem with its doubles."""
    X = np.array([[to_float(v) for v in row] for row in problem.X], dtype=float).reshape(len(problem.X), -1)
    return Data(problem, X, np.array([to_float(v) for v in problem.y], dtype=float), to_float(problem.beta))


def _column(y: Any) -> Any:
    if isinstance(y, np.ndarray):
        if y.ndim == 2 and y.shape[1] == 1:
            return y
        if y.ndim != 1:
            raise ValueError(f"y has the shape {y.shape}; expected (n,) (several outputs: solvers.relu.vector)")
        return y[:, None]
    values = y.entries() if hasattr(y, "entries") else y
    if hasattr(values, "to_numpy"):
        return _column(np.asarray(values.to_numpy()))
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise TypeError(f"y is a {type(y).__name__}; expected one target per sample, in a sequence or an array")
    return [v if isinstance(v, (list, tuple)) else [v] for v in values]


def matrix(name: str, A: Any) -> list[Vector]:
    """Rows of rationals from a two-dimensional array, an `fmpq_mat`, or rows of exact numbers."""
    if isinstance(A, np.ndarray):
        if A.ndim != 2:
            raise ValueError(f"{name} has the shape {A.shape}; expected two dimensions, (samples, features)")
        if A.dtype.kind == "f" and not np.isfinite(A).all():
            place = tuple(int(v) for v in np.argwhere(~np.isfinite(A))[0])
            raise ValueError(f"{name}{list(place)} = {A[place]} is not finite; remove or impute such samples")
    table = A.tolist() if hasattr(A, "tolist") else A
    if hasattr(A, "to_numpy"):
        return matrix(name, np.asarray(A.to_numpy()))
    if not isinstance(table, Sequence) or isinstance(table, str) or any(isinstance(r, str) for r in table):
        raise TypeError(f"{name} is a {type(A).__name__}; expected rows of numbers (samples x features) or an array")
    if not all(isinstance(row, (Sequence, np.ndarray)) for row in table):
        raise ValueError(
            f"{name} has one dimension; expected two, (samples, features): one feature is [[x] for x in {name}]"
        )
    rows = [tuple(scalar(f"{name}[{i}]", v) for v in row) for i, row in enumerate(table)]
    if not rows or not rows[0]:
        raise ValueError(f"{name} is empty; expected at least one sample and one feature")
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{name} has rows of lengths {sorted({len(row) for row in rows})}; expected one length")
    return rows


def scalar(name: str, v: Any) -> fmpq:
    """One number as a rational; a double is the dyadic rational that it is."""
    if isinstance(v, (float, np.floating)):
        if not np.isfinite(v):
            raise ValueError(f"{name} = {v} is not finite")
        return dyadic(float(v))
    try:
        return to_fmpq(v)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} = {v!r} of type {type(v).__name__}; expected a number, or text such as '3/4'"
        ) from None


def to_float(q: fmpq) -> float:
    """The nearest double (true division of integers is correctly rounded)."""
    return int(q.p) / int(q.q)


def primitive(v: Sequence[Any]) -> Integers:
    """The primitive integer vector on the ray of a rational vector; zero stays zero."""
    q = [to_fmpq(x) for x in v]
    common = lcm(*(int(x.q) for x in q))
    whole = [int(x.p) * (common // int(x.q)) for x in q]
    divisor = gcd(*whole)
    return tuple(x // divisor for x in whole) if divisor else tuple(whole)


def dyadic_ball(x: Any, bits: int) -> fmpq:
    """The midpoint of a ball (or a rational), rounded to a multiple of 2^-bits."""
    q = ball_midpoint(x) if hasattr(x, "mid") else x
    return fmpq((q * (fmpz(1) << bits)).floor(), fmpz(1) << bits)


def ball_midpoint(x: Any) -> fmpq:
    """The exact midpoint of a ball."""
    mantissa, exponent = x.mid().man_exp()
    m, e = fmpz(mantissa), int(exponent)
    return fmpq(m << e) if e >= 0 else fmpq(m, fmpz(1) << -e)
