"""The error of a mixture of two representations, and exact numbers in symbols."""

from __future__ import annotations

from typing import Any

from flint import fmpq

ONE = fmpq(1)


def mixed(lam: Any, a: Any, b: Any, c: Any) -> Any:
    """M(lam), the expected squared error of the mixture."""
    return (1 - lam) ** 2 * a + lam**2 * b + 2 * lam * (1 - lam) * c
