"""The dual constraint over the circle, for data of two columns: what one looks at to see the tight directions."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, pi
from typing import Any

import numpy as np

from solvers.relu.exact import to_float
from solvers.relu.training import Solution

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Circle:
    """g(u) = nu*.(X u)_+ over the unit circle; the constraint is -beta <= g <= beta.

    Attributes:
        angles: equally spaced in [-pi, pi], both ends included.
        values: g at these angles, in doubles.
        tight: (angle, sign s) of each tight direction, where g = s beta, by increasing angle.
        beta: the bound.
    """

    angles: Array
    values: Array
    tight: tuple[tuple[float, int], ...]
    beta: float


def dual_constraint(solution: Solution, count: int = 181) -> Circle:
    """The dual constraint of a solution with d = 2 (the bias column counts).

    Args:
        solution: of `train`; its tight directions are shown if its structure is decided.
        count: number of angles, at least 2.

    Raises:
        ValueError: for data that have not two columns.
    """
    d = len(solution.problem.X[0])
    if d != 2:
        raise ValueError(f"the data have {d} columns, the bias included; a circle of directions needs 2")
    X = np.array([[to_float(v) for v in row] for row in solution.problem.X])
    nu = np.array([to_float(v) for v in solution.nu])
    angles = np.linspace(-pi, pi, count)
    values = nu @ np.maximum(X @ np.array([np.cos(angles), np.sin(angles)]), 0.0)
    tight = sorted((atan2(_double(a.u[1]), _double(a.u[0])), a.s) for a in solution.structure.atoms)
    return Circle(angles, values, tuple(tight), to_float(solution.problem.beta))


def _double(value: Any) -> float:
    """A rational or the midpoint of a ball."""
    return float(value.mid()) if hasattr(value, "mid") else to_float(value)
