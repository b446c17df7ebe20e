"""Fixtures shared by the unit tests."""

from tests.claim_files import write

__all__ = ["write"]
