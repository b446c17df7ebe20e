"""Positive semidefiniteness decided exactly, by a fraction-free LDL^T elimination."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from solvers.certificates.rational import Number


def is_psd(rows: Sequence[Sequence[Number]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite.

    Args:
        rows: n rows of n entries. Rational entries are decided both ways. When a ball occurs, `True` means
            that every symmetric matrix within the balls is positive semidefinite, `False` that this was not
            shown.

    Raises:
        ValueError: if the matrix is not square or (rational entries) not symmetric.
    """
    n = len(rows)
    if any(len(row) != n for row in rows):
        raise ValueError(f"a matrix with {n} rows and row lengths {sorted({len(row) for row in rows})}")
    if any(isinstance(value, arb) for row in rows for value in row):
        return _balls_are_psd([list(row) for row in rows])
    if any(rows[i][j] != rows[j][i] for i in range(n) for j in range(i)):
        raise ValueError("a matrix that is not symmetric is neither positive semidefinite nor not")
    return _rationals_are_psd(rows)


def _rationals_are_psd(rows: Sequence[Sequence[fmpq]]) -> bool:
    """Fraction-free symmetric elimination (Bareiss) of the integer matrix; only the upper triangle is kept.

    After the step with pivot p, every remaining entry is a minor of the matrix, so the division by the
    previous pivot is exact. A zero pivot is admissible only with a zero row, which is then skipped.
    """
    n = len(rows)
    numerators, _ = fmpq_mat(n, n, [value for row in rows for value in row]).numer_denom()
    if _is_definite(numerators):
        return True
    a = numerators.tolist()
    previous = fmpz(1)
    for k in range(n):
        pivot, row = a[k][k], a[k]
        if pivot < 0:
            return False
        if pivot == 0:
            if any(row[j] != 0 for j in range(k + 1, n)):
                return False
            continue
        for i in range(k + 1, n):
            target, factor = a[i], row[i]
            for j in range(i, n):
                target[j] = (pivot * target[j] - factor * row[j]) // previous
        previous = pivot
    return True


def _is_definite(a: fmpz_mat) -> bool:
    """Whether all leading minors are positive (Sylvester): FLINT's elimination, quick where the matrix is definite.

    Without an exchange of rows, the diagonal of the fraction-free factor U holds the leading minors.
    """
    exchange, _, _, upper = a.fflu()
    return all(exchange[i, i] == 1 and upper[i, i] > 0 for i in range(a.nrows()))


def _balls_are_psd(a: list[list[Number]]) -> bool:
    """LDL^T in balls: every pivot must be certainly positive, or its whole remaining row exactly zero."""
    n = len(a)
    for k in range(n):
        pivot, row = a[k][k], a[k]
        if all(row[j] == 0 for j in range(k, n)):
            continue
        if not pivot > 0:
            return False
        for i in range(k + 1, n):
            factor = row[i] / pivot
            for j in range(i, n):
                a[i][j] = a[i][j] - factor * row[j]
    return True
