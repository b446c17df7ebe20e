"""Names of parametrized tests that every process makes alike."""

import re


def named(value: object) -> str:
    """The text of a value without memory addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))[:120]
