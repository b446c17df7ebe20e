"""Exact matrices in FLINT's types, their building blocks, and balls around them.

Floats are refused: whoever means the binary value of a double says so with `dyadic`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import arb_mat, fmpq_mat, fmpz_mat

from solvers.enclosures.exact import to_arb, to_fmpq


def matrix(rows: Any) -> fmpq_mat:
    """The exact rational matrix with these rows.

    Args:
        rows: nested sequence (m rows of n entries as `to_fmpq` takes them), an fmpz_mat, fmpq_mat,
            sympy Matrix, or a two-dimensional NumPy array of integers or exact objects.

    Raises:
        ValueError: if the rows have different lengths or an array is not two-dimensional.
        TypeError: if an entry is not exactly rational.
    """
    if isinstance(rows, fmpq_mat):
        return rows
    if isinstance(rows, fmpz_mat):
        return fmpq_mat(rows)
    if getattr(rows, "ndim", 2) != 2:
        raise ValueError(f"matrix: expected a two-dimensional array, got {rows.ndim} dimension(s)")
    if hasattr(rows, "tolist"):
        rows = rows.tolist()
    table = [list(row) for row in rows]
    width = len(table[0]) if table else 0
    if any(len(row) != width for row in table):
        raise ValueError(f"matrix: rows have different lengths {[len(row) for row in table]}")
    entries = [x if type(x) is int else to_fmpq(x) for row in table for x in row]
    return fmpq_mat(len(table), width, entries)


def column(entries: Iterable[Any]) -> fmpq_mat:
    """The n x 1 matrix of these exact entries."""
    return matrix([[x] for x in entries])


def row(entries: Iterable[Any]) -> fmpq_mat:
    """The 1 x n matrix of these exact entries."""
    return matrix([list(entries)])


def diagonal(entries: Iterable[Any]) -> fmpq_mat:
    """The square matrix with this diagonal."""
    values = [to_fmpq(x) for x in entries]
    D = fmpq_mat(len(values), len(values))
    for i, x in enumerate(values):
        D[i, i] = x
    return D


def identity(n: int) -> fmpq_mat:
    """The n x n identity."""
    return diagonal([1] * n)


def submatrix(A: fmpq_mat, rows: Sequence[int], columns: Sequence[int]) -> fmpq_mat:
    """The entries of A in these rows and columns, in this order."""
    table = A.table()
    return fmpq_mat(len(rows), len(columns), [table[i][j] for i in rows for j in columns])


def hstack(*blocks: fmpq_mat) -> fmpq_mat:
    """The blocks side by side (equal numbers of rows)."""
    height = blocks[0].nrows()
    if any(B.nrows() != height for B in blocks):
        raise ValueError(f"hstack: blocks have {[B.nrows() for B in blocks]} rows, expected all equal")
    tables = [B.table() for B in blocks]
    return fmpq_mat(height, sum(B.ncols() for B in blocks), [x for i in range(height) for t in tables for x in t[i]])


def vstack(*blocks: fmpq_mat) -> fmpq_mat:
    """The blocks above one another (equal numbers of columns)."""
    width = blocks[0].ncols()
    if any(B.ncols() != width for B in blocks):
        raise ValueError(f"vstack: blocks have {[B.ncols() for B in blocks]} columns, expected all equal")
    return fmpq_mat(sum(B.nrows() for B in blocks), width, [x for B in blocks for x in B.entries()])


def kronecker(A: fmpq_mat, B: fmpq_mat) -> fmpq_mat:
    """The Kronecker product, block (i, j) being A[i, j] B."""
    a, b = A.table(), B.table()
    entries = [x * y for u in a for v in b for x in u for y in v]
    return fmpq_mat(A.nrows() * B.nrows(), A.ncols() * B.ncols(), entries)


def is_symmetric(A: fmpq_mat) -> bool:
    """Whether A is square and equals its transpose, exactly."""
    return bool(A.nrows() == A.ncols() and A.transpose() == A)


def to_arb_mat(A: Any) -> arb_mat:
    """A ball matrix around an exact matrix (or rows of exact numbers and balls) at the current precision."""
    if isinstance(A, arb_mat):
        return A
    if isinstance(A, (fmpz_mat, fmpq_mat)):
        return arb_mat(A)
    if hasattr(A, "tolist"):
        A = A.tolist()
    return arb_mat([[to_arb(x) for x in row] for row in A])
