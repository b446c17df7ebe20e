"""Shared work: results that several claims use, computed once per worker process."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
KEPT = 256


def shared(function: Callable[P, R]) -> Callable[P, R]:
    """Memoize a pure function of exact arguments for the life of the worker (the last 256 results).

    The result is handed to every caller as it is: return frozen values (tuples, frozen dataclasses, numbers) and do not
    change what you receive.
    """
    kept: OrderedDict[Any, R] = OrderedDict()

    @functools.wraps(function)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> R:
        k = (tuple(_frozen(a) for a in args), tuple((n, _frozen(v)) for n, v in sorted(kwargs.items())))
        if k in kept:
            kept.move_to_end(k)
            return kept[k]
        result = function(*args, **kwargs)
        kept[k] = result
        if len(kept) > KEPT:
            kept.popitem(last=False)
        return result

    return remembered


def _frozen(value: Any) -> Any:
    """A hashable key of an argument: the value itself, or its type and exact text (FLINT matrices, arrays)."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(_frozen(v) for v in value)
    if isinstance(value, dict):
        return "dict", tuple((k, _frozen(v)) for k, v in value.items())
    if hasattr(value, "tolist"):
        return type(value).__name__, _frozen(value.tolist())
    try:
        hash(value)
    except TypeError:
        return type(value).__name__, repr(value)
    return type(value).__name__, value
