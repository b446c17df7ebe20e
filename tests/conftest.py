"""Fixtures and names shared by the unit tests."""

from __future__ import annotations

import re

import pytest

from tests.claim_files import write

__all__ = ["write"]


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names without memory addresses, so that every worker collects the same tests."""
    text = repr(val)
    if " at 0x" not in text:
        return None
    return re.sub(r" at 0x[0-9a-f]+", "", text)[:100]
