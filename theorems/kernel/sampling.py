"""Draws: what a draw function may return, the substreams it is called with, and the samples that come of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorems.kernel.outcome import Context, KernelError

Reals = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Any]
Admit = Callable[[Any], Any]


def admit_number(value: Any) -> float | Reals:
    """A finite double, or a one-dimensional array of them (a block); anything else is a KernelError with advice."""
    if type(value) is float or type(value) is np.float64:
        if not math.isfinite(value):
            raise KernelError(f"a draw is {value}; draws are finite doubles")
        return float(value)
    if type(value) is np.ndarray:
        _block(value, np.dtype(np.float64), "finite doubles (float64)")
        if not np.isfinite(value).all():
            where = int(np.flatnonzero(~np.isfinite(value))[0])
            raise KernelError(f"entry {where} of a block of draws is {value[where]}; draws are finite doubles")
        return value
    if isinstance(value, (bool, np.bool_)):
        raise KernelError("a draw is a bool; probabilities of events are compared by prob_le, prob_ge or prob_eq")
    raise KernelError(
        f"a draw of type {type(value).__name__} is not admitted; return a float, numpy.float64, or a 1-D float64 array "
        "of draws (convert on purpose, e.g. float(x))"
    )


def admit_event(value: Any) -> float | Reals:
    """A bool, or a one-dimensional array of bools (a block), as 0.0 and 1.0; anything else is a KernelError."""
    if type(value) is bool or type(value) is np.bool_:
        return 1.0 if value else 0.0
    if type(value) is np.ndarray:
        _block(value, np.dtype(np.bool_), "bools")
        return value.astype(np.float64)
    raise KernelError(
        f"an event of type {type(value).__name__} is not admitted; return a bool, numpy.bool_, or a 1-D bool array "
        "(for the mean of numbers use mean_eq, mean_le or mean_ge)"
    )


def admit_within(low: float, high: float) -> Admit:
    """Admission of numbers of a declared support; a draw outside by more than a relative 1e-12 is a KernelError.

    Draws outside by less are moved to the support's end, which moves their mean by less than `support_slack`.
    """
    slack = support_slack(low, high)

    def admit(value: Any) -> float | Reals:
        x = admit_number(value)
        outside = (np.asarray(x) < low - slack) | (np.asarray(x) > high + slack)
        if outside.any():
            first = float(np.atleast_1d(x)[np.flatnonzero(outside)[0]])
            raise KernelError(
                f"the draw {first!r} lies outside the declared support [{low!r}, {high!r}]; declare a support that "
                "holds every draw"
            )
        return np.clip(x, low, high)

    return admit


def support_slack(low: float, high: float) -> float:
    """How far outside a support a draw may lie: 1e-12 of the larger of the ends' size and the range."""
    return 1e-12 * max(abs(low), abs(high), high - low)


def _block(value: NDArray[Any], dtype: np.dtype[Any], what: str) -> None:
    if value.ndim != 1 or value.size == 0:
        raise KernelError(f"a block of draws has the shape {value.shape}; return a non-empty 1-D array of {what}")
    if value.dtype != dtype:
        raise KernelError(f"a block of draws has the dtype {value.dtype}; return a 1-D array of {what}")


def prefixes(
    draw: Draw, context: Context, times: Sequence[int], admit: Admit, *, first: int = 0, step: int = 1
) -> Iterator[Reals]:
    """The first t draws for each t of `times`, drawn only as far as they are asked for.

    Args:
        draw: called with substreams `first`, `first + step`, ... in this order; returns one draw, or a block of always
            the same length (a length that depends on what was drawn would make stopping dishonest).
        context: gives the substreams.
        times: increasing sample sizes; draws of a block past the last are dropped.
        admit: admission of one returned value.

    Yields:
        Read-only arrays of shape (t,).
    """
    if context.stream is None:
        raise KernelError("a statistical comparison needs substreams: Context(stream=...) is None")
    if not 0 < context.level < 1:
        raise KernelError(f"a statistical comparison needs a level in (0, 1), not {context.level!r}")
    store = np.empty(min(times[-1], 1024))
    filled, length, j = 0, None, first
    for t in times:
        while filled < t:
            value = admit(draw(context.stream(j)))
            j += step
            size = np.size(value)
            if length is None:
                length = size
            elif size != length:
                raise KernelError(f"a block of {size} draws follows blocks of {length}; return blocks of one length")
            kept = min(size, times[-1] - filled)
            if filled + kept > store.size:
                store = np.concatenate([store[:filled], np.empty(max(kept, filled))])
            store[filled : filled + kept] = value if size == 1 else value[:kept]
            filled += kept
        view = store[:t]
        view.flags.writeable = False
        yield view
