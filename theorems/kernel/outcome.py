"""What the kernel says about one comparison: a decision, the evidence it earned, and its resolution.

Every answer of the kernel is an `Outcome`. Clever code elsewhere may build comparisons; only the kernel builds
outcomes, and an outcome never claims more than what was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

from flint import fmpq

if TYPE_CHECKING:
    import numpy as np


class Evidence(IntEnum):
    """What a decision is worth, weakest first, so that `min` gives the evidence of a whole claim."""

    EMPIRICAL = 1
    STATISTICAL = 2
    NUMERIC = 3
    CERTIFIED = 4
    PROVED = 5

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> Evidence:
        """The evidence named by `word`; a ValueError lists what is accepted."""
        try:
            return cls[word.upper()]
        except KeyError:
            accepted = ", ".join(str(e) for e in reversed(cls))
            raise ValueError(f"unknown evidence {word!r}; accepted: {accepted}") from None


class Decision(StrEnum):
    """How one comparison ended."""

    FOR = "for"
    AGAINST = "against"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The kernel's answer to one comparison.

    Attributes:
        decision: for, against or undecided.
        evidence: what was seen (of an undecided comparison: what would have been earned).
        lhs, rhs: the two sides as admitted (any type with an exact or honest `str`), for display only.
        margin: relative slack in favour (negative: how far against), None where the notion is void.
        resolution: the smallest distortion, in the comparison's own unit, that would have been refuted;
            rounded up, so that twice this much is refuted for certain. 0 for an exact equality.
        reason: one line for people: why undecided, which entry failed, which interval was met.
        covered: for `proved`, the domain that was covered, in words.
        steps: for `proved`, hand-made steps that the proof rests on.
        samples: draws used by a statistical comparison.
        level: error probability that the comparison was allowed (0 for deterministic ones).
        points: data for a plot: `(name, ((x, y, low, high), ...))` pairs.
        certificate: JSON-able content of a proof, where there is one.
        programs: (problem digest, statement, certificate) of each certified optimum that was compared.
    """

    decision: Decision
    evidence: Evidence
    lhs: Any = ""
    rhs: Any = ""
    margin: float | None = None
    resolution: float | None = None
    reason: str = ""
    covered: str = ""
    steps: tuple[str, ...] = ()
    samples: int = 0
    level: float = 0.0
    points: tuple[tuple[str, tuple[tuple[float, ...], ...]], ...] = ()
    certificate: Any = None
    programs: tuple[tuple[str, str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What the kernel is given beside the comparison itself.

    Attributes:
        level: error probability allotted to this comparison (used by statistical ones only).
        stream: `stream(j)` is the j-th independent substream (a NumPy Generator) of this comparison.
        shift: distortion in the unit of the comparison's resolution, applied in the unfavourable direction.
            Non-zero only in the self-test of resolutions.
        max_bits: largest working precision that a comparison held as thunks may ask for.
        digits: decimal digits p of high-precision evaluations, which are repeated at 2p.
        proving: True when the comparison comes from a proof, where symbols are admitted.
        certificates: when a certificate file is verified, the certificates that take the solvers' place.
        dyadic: True when the instance has dyadic parameters, so that dyadic results are no disguised doubles.
    """

    level: float = 1e-4
    stream: Callable[[int], np.random.Generator] | None = None
    shift: fmpq = field(default_factory=lambda: fmpq(0))
    max_bits: int = 4096
    digits: int = 30
    proving: bool = False
    dyadic: bool = False
    certificates: tuple[Any, ...] | None = None


class KernelError(TypeError):
    """A value or comparison that the kernel does not admit; the message says what to return instead."""


def up(value: fmpq) -> float:
    """Smallest convenient double at least `value >= 0`; never 0 for a positive value.

    The result exceeds `value` by at most a relative 2^-50, or is the least positive double.
    """
    if value == 0:
        return 0.0
    p, q = int(value.p), int(value.q)
    excess = p.bit_length() - q.bit_length()
    if excess > 1020:
        return float("inf")
    if excess < -1070:
        return 5e-324
    return (p / q) * (1 + 2.0**-51) or 5e-324
