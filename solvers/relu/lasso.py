"""The non-negative lasso and quadratic programs over the orthant, in doubles.

Source: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
ZERO = np.zeros(1)


def lasso(A: Array, y: Array, beta: float, start: Array, enough: float = 0.0) -> Array:
    """min 1/2 |A c - y|^2 + beta sum c over c >= 0.

    Args:
        A: n x m.
        y: length n.
        beta: positive.
        start: length m, c >= 0.
        enough: stop where no column's A_j.(y - A c) - beta is above this (or above rounding).
    """
    c = np.maximum(start, 0.0)
    if not len(c):
        return c
    index = c.nonzero()[0].tolist()
    values = c[index]
    enough = max(enough, 1e-13 * float(np.abs(A.T @ y - beta).max()))
    j = -1
    for _ in range(5 * len(c) + 50):
        index, values = _least(A, y, beta, index, values)
        if j >= 0 and j not in index:  # it lowers the objective by less than rounding
            break
        gradient = A.T @ (y - A[:, index] @ values) - beta
        gradient[index] = -np.inf
        j = int(gradient.argmax())
        if gradient[j] <= enough:
            break
        index, values = [*index, j], np.concatenate([values, ZERO])
    c = np.zeros(len(c))
    if index:  # one step of refinement, towards the solution without the ridge
        block = A[:, index]
        polished = values + np.linalg.solve(_gram(block), block.T @ (y - block @ values) - beta)
        c[index] = polished if (polished > 0).all() else values
    return c


def _least(A: Array, y: Array, beta: float, index: list[int], c: Array) -> tuple[list[int], Array]:
    """Lawson and Hanson's inner loop: least squares on some columns, dropping what becomes negative."""
    while index:
        block = A[:, index]
        gram, right = _gram(block), block.T @ y - beta
        z = np.linalg.solve(gram, right)
        if len(index) > len(y):  # dependent columns: the ridge decides too much
            z = z + np.linalg.solve(gram, right - block.T @ (block @ z))
        bad = z <= 0
        if not bad.any():
            return index, z
        ratio = np.full(len(index), np.inf)
        ratio[bad] = c[bad] / np.maximum(c[bad] - z[bad], 1e-300)
        t = ratio.min()
        keep = (~(bad & (ratio <= t * (1 + 1e-12)))).nonzero()[0].tolist()
        index, c = [index[i] for i in keep], np.maximum(c + t * (z - c), 0.0)[keep]
    return index, c


def _gram(block: Array) -> Array:
    """Inner products of columns, with a ridge so that dependent ones can be solved for."""
    gram: Array = block.T @ block
    gram.flat[:: len(gram) + 1] += 1e-14 * gram.trace() / len(gram) + 1e-300
    return gram


def nonnegative_quadratic(Q: Array, b: Array, start: Array) -> Array:
    """min 1/2 x.Q x - b.x over x >= 0 for Q >= 0, by Lawson and Hanson's active sets, warm started."""
    m = len(b)
    x = np.maximum(start, 0.0)
    if not m:
        return x
    index = x.nonzero()[0]
    regular = Q.copy()  # so that singular blocks can be solved
    regular.flat[:: m + 1] += 1e-14 * max(float(regular.flat[:: m + 1].sum()) / m, 1e-300)
    scale = float(np.abs(b).max()) + 1e-300
    for _ in range(5 * m + 50):
        for _ in range(m + 1):
            if not index.size:
                break
            block, right = (regular, b) if index.size == m else (regular[index[:, None], index], b[index])
            z = np.linalg.solve(block, right)
            bad = z <= 0
            if not bad.any():
                x = np.zeros(m)
                x[index] = z
                break
            old = x[index]
            ratio = np.full(index.size, np.inf)
            ratio[bad] = old[bad] / np.maximum(old[bad] - z[bad], 1e-300)
            t = ratio.min()
            x[index] = old + t * (z - old)
            out = bad & (ratio <= t * (1 + 1e-12))
            x[index[out]] = 0.0
            index = index[~out]
        if index.size == m:
            break
        gradient = b - Q @ x
        gradient[index] = -np.inf
        j = int(gradient.argmax())
        if gradient[j] <= 1e-13 * scale:
            break
        index = np.append(index, j)
    # one step of refinement, towards the solution without the ridge
    index = x.nonzero()[0]
    if index.size:
        z = x[index] + np.linalg.solve(regular[index[:, None], index], (b - Q @ x)[index])
        if (z > 0).all():
            x[index] = z
    return x
