"""Fixtures and names shared by the unit tests."""

from __future__ import annotations

import pytest

from tests.claim_files import write
from tests.naming import named

__all__ = ["write"]


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names without memory addresses, so that every worker collects the same tests."""
    return named(val) if " at 0x" in repr(val) else None
