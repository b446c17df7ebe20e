"""Power series in balls without FLINT's silent truncation.

`flint.ctx.cap` (10 by default) cuts every series operation to that many terms, and reading a coefficient
beyond the known ones answers 0. A Taylor method that trusts it is wrong from the tenth derivative on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flint import arb, arb_series, ctx

from solvers.enclosures.exact import to_ball


@contextmanager
def series_length(terms: int) -> Iterator[None]:
    """Let series operations keep at least this many terms for the body; the former cap is restored."""
    cap = ctx.cap
    try:
        ctx.cap = max(cap, terms)
        yield
    finally:
        ctx.cap = cap


def series_coefficient(value: Any, k: int) -> arb:
    """Coefficient k of a series, or of a number taken as a constant.

    Raises:
        ValueError: if the series is known only to lower order (computed outside `series_length`, say).
    """
    if not isinstance(value, arb_series):
        return to_ball(value) if k == 0 else arb(0)
    if value.prec <= k:
        raise ValueError(f"coefficient {k} of a series known to O(x^{value.prec}) was asked for; see series_length")
    return value[k]
