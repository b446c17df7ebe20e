r"""Gradient descent of bias-free two-layer ReLU networks through the Gram matrix of the inputs, many runs at once.

f(x) = sum_j a_j relu(<w_j, x>), risk (1/n) sum_i exp(-y_i f(x_i)), every step theta <- (1 - lr wd) theta - lr grad, relu'(0) = 0.
A gradient in w_j is a combination of the inputs, so that the weights stay in W = c W_0 + X^T B and only Z = X W, B and a move: a step costs
n^2 m whatever the dimension. Arrays carry leading axes for independent runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]  # double or single precision, kept throughout


@dataclass(frozen=True)
class Start:
    """A problem and its initial weights.

    Attributes:
        gram: X X^T, (..., n, n).
        y: labels +-1, (..., n).
        Z: X W_0, (..., n, m).
        a: output weights, (..., m).
        cross: X_test X^T, (..., N, n), or None.
        test: X_test W_0, (..., N, m), or None.
    """

    gram: Floats
    y: Floats
    Z: Floats
    a: Floats
    cross: Floats | None = None
    test: Floats | None = None


@dataclass(frozen=True)
class State:
    """After t steps: W = kept W_0 + X^T B.

    Attributes:
        t: steps.
        Z, a: as in `Start`, now.
        B: (..., n, m).
        kept: c = (1 - lr wd)^t.
    """

    t: int
    Z: Floats
    a: Floats
    B: Floats
    kept: float

    @property
    def outputs(self) -> Floats:
        """f at the training points, (..., n)."""
        return outputs(self.Z, self.a)

    def outputs_at(self, start: Start) -> Floats:
        """f at the test points, (..., N).

        Raises:
            ValueError: when the problem has no test points.
        """
        if start.cross is None or start.test is None:
            raise ValueError("the problem has no test points; give cross= and test=")
        return outputs(self.kept * start.test + start.cross @ self.B, self.a)


def outputs(Z: Floats, a: Floats) -> Floats:
    """sum_j a_j relu(Z_ij) for pre-activations (..., n, m) and output weights (..., m)."""
    f: Floats = (np.maximum(Z, 0.0) @ a[..., None])[..., 0]
    return f


def descent(start: Start, lr: float, decay: float, *, train_outputs: bool = True) -> Iterator[State]:
    """The states after 0, 1, 2, ... steps.

    Args:
        start: the problem.
        lr, decay: step size and weight decay, 0 <= lr decay < 1.
        train_outputs: whether the output weights move too.

    Raises:
        ValueError: for arguments out of range.
    """
    if not (lr > 0 and 0 <= lr * decay < 1):
        raise ValueError(f"descent(lr={lr}, decay={decay}): lr > 0 and 0 <= lr decay < 1")
    n, keep = start.y.shape[-1], 1.0 - lr * decay
    state = State(0, start.Z, start.a, np.zeros_like(start.Z), 1.0)
    while True:
        yield state
        active = np.maximum(state.Z, 0.0)
        pull = start.y * np.exp(-start.y * (active @ state.a[..., None])[..., 0]) * (lr / n)
        M = np.where(state.Z > 0, pull[..., :, None] * state.a[..., None, :], 0.0)
        a = keep * state.a + (pull[..., None, :] @ active)[..., 0, :] if train_outputs else state.a
        state = State(state.t + 1, keep * state.Z + start.gram @ M, a, keep * state.B + M, keep * state.kept)


def after(start: Start, lr: float, decay: float, steps: int, *, train_outputs: bool = True) -> State:
    """The state after a number of steps."""
    states = descent(start, lr, decay, train_outputs=train_outputs)
    return next(s for s in states if s.t == steps)
