"""Fixtures shared by the unit tests."""

import os

from tests.claim_files import write

os.environ.setdefault("THEOREMS_LEDGER", "none")  # tests compute everything, also in the processes that they start

__all__ = ["write"]
