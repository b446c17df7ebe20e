"""The self-test of resolutions finds the check that met the tightest instance of a part."""

from __future__ import annotations

import pytest

from tests.claim_files import Write, load, only
from theorems.run.evaluate import Settings
from theorems.run.selftest import selftest


def test_checks_that_share_a_part_are_told_apart_by_their_families(write: Write) -> None:
    file = write("""
        @PAPER.bound(domain=dict(x=Integers(10, 12)), every=True)
        def shared_part(x):
            "The same part in two checks with different arguments."
            yield "part", le(x, 100)

        @shared_part.check("closer", domain=dict(y=Integers(1, 3), z=Integers(1, 3)), every=True)
        def _closer(y, z):
            yield "part", le(y * z, 10)
    """)
    result = only(file)
    (claim,) = load(file).claims.values()
    (moved,) = selftest(claim, result, Settings())
    assert moved.refuted
    assert moved.resolution == pytest.approx(0.1)
