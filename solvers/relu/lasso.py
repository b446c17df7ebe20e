"""The non-negative lasso and quadratic programs over the orthant, in doubles.

Source: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def lasso(A: Array, y: Array, beta: float, start: Array) -> Array:
    """min 1/2 |A c - y|^2 + beta sum c over c >= 0."""
    return nonnegative_quadratic(A.T @ A, A.T @ y - beta, start)


def nonnegative_quadratic(Q: Array, b: Array, start: Array) -> Array:
    """min 1/2 x.Q x - b.x over x >= 0 for Q >= 0, by Lawson and Hanson's active sets, warm started."""
    m = len(b)
    x = np.maximum(start, 0.0)
    passive = x > 0
    ridge = 1e-14 * max(float(np.trace(Q)) / max(m, 1), 1e-300)
    scale = np.abs(b).max(initial=0.0) + 1e-300
    for _ in range(5 * m + 50):
        for _ in range(m + 1):
            index = np.flatnonzero(passive)
            if not index.size:
                break
            block = Q[np.ix_(index, index)] + ridge * np.eye(index.size)
            z = np.linalg.solve(block, b[index])
            z += np.linalg.solve(block, b[index] - Q[np.ix_(index, index)] @ z)
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
            out = index[bad & (ratio <= t * (1 + 1e-12))]
            x[out] = 0.0
            passive[out] = False
        gradient = b - Q @ x
        gradient[passive] = -np.inf
        j = int(gradient.argmax()) if m else 0
        if not m or gradient[j] <= 1e-13 * scale:
            break
        passive[j] = True
    return x
