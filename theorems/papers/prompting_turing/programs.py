"""Programs to run: written by hand, random, hard, and all short ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from solvers.machines import JUMPS, OPERATIONS, Instruction, PostRun, run_post
from theorems.papers.prompting_turing.language import parsed, written
from theorems.seeds import Words

PARITY = "A!+11 AR A!+6 B?+4 B1 B!+3 B?+2 B0 AR B!-9 B?-10 A1 AR B!+4 A1 B!+3 B?+2 A0 AL #"  # of the input bits
DYCK = (
    "BR A!+25 AR A?+6 B1 BR AR B!-6 B?-7 BL B!+5 B0 AR B!-12 B?-13 AR A!+5 AR AR B!-3 B?-4 A1 AR A0 AL # "
    "BL B?-6 A1 AR A1 AL #"  # 0 opens, 1 closes
)
LONGEST = 4000


@lru_cache(maxsize=4096)
def interpreted(text: str, x: tuple[int, ...], limit: int = LONGEST) -> PostRun:
    """The interpreter's run."""
    return run_post(parsed(text), x, limit)


def halts(text: str, x: tuple[int, ...], least: int = 1, most: int = 80) -> bool:
    """Whether a run is well formed and halts within `least` to `most` steps."""
    run = interpreted(text, x, most)
    return run.ended == "halt" and run.steps >= least


def random_program(words: Words) -> str:
    """4 to 14 instructions: 70 % operations, 25 % jumps of |k| <= 6, 5 % halt."""
    return written(_random_instruction(words) for _ in range(words.between(4, 14)))


def _random_instruction(words: Words) -> Instruction:
    kind = words.below(20)
    if kind < 14:
        return OPERATIONS[words.below(len(OPERATIONS))]
    if kind == 19:
        return "#"
    k = words.between(1, 6)
    return JUMPS[words.below(len(JUMPS))], k if words.below(2) else -k


def overwriting_program(words: Words) -> str:
    """6 to 14 moves and writes on A, then three times a jump over a mark on B: stale writes show."""
    program: list[Instruction] = [OPERATIONS[words.below(4)] for _ in range(words.between(6, 14))]
    for _ in range(3):
        program += [("A?" if words.below(2) else "A!", 2), "B1", OPERATIONS[words.below(2)]]
    return written([*program, "#"])


def maximal_jumps(m: int, times: int = 2) -> str:
    """Every step but the last is a taken jump by the largest offset m."""
    once: list[Instruction] = [("A!", m), *["A1"] * (m - 1)]
    return written([*once * times, "#"])


SHORT = ("AL", "AR", "A0", "A1", "BR", "B1", *(f"{t}{k:+d}" for t in ("A!", "A?", "B?") for k in (-2, -1, 1, 2)))


class Texts:
    """A domain of random program texts.

    Args:
        make: program from words.
        first: texts tried first.
        description: what the domain is.
    """

    def __init__(self, make: Callable[[Words], str], description: str, first: Sequence[str] = ()) -> None:
        self.make, self.first, self.description = make, tuple(first), description

    def sample(self, words: Words) -> str:
        return self.make(words)

    def corners(self) -> Sequence[str]:
        return self.first

    def size(self) -> int | None:
        return None

    def values(self) -> Iterator[str]:
        raise ValueError(f"{self.description} cannot be enumerated")

    def contains(self, value: Any) -> bool:
        return isinstance(value, str)

    def simpler(self, value: str) -> Iterator[str]:
        """One instruction that is no jump replaced by the shortest move."""
        instructions = value.split()
        for k, word in enumerate(instructions):
            if len(word) == 2 and word != "AR":
                yield " ".join([*instructions[:k], "AR", *instructions[k + 1 :]])

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.integers(0, 2**32).map(lambda seed: self.make(Words(seed, "program")))

    def __str__(self) -> str:
        return self.description


RANDOM = Texts(random_program, "random programs of 4 to 14 instructions")
OVERWRITING = Texts(overwriting_program, "overwrite-heavy programs")
