"""Programs as text, and what of them the transformer sees: prompt, input block and trace.

A program is written as `A!+11 AR A1 #`: moves and writes by name, a jump with its offset, `#` for halt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from solvers.machines import JUMPS, OPERATIONS, Instruction, Post, PostRun

TOKENS = ("^", "$", *OPERATIONS, *JUMPS, "#", "+", "-", "@", "/", "=", ":", "0", "1")


@lru_cache(maxsize=4096)
def parsed(text: str) -> Post:
    """The program that a text names."""
    return tuple(_instructions(text.split()))


def _instructions(words: Iterable[str]) -> Iterator[Instruction]:
    for w in words:
        yield (w[:2], int(w[2:])) if len(w) > 2 else w


def written(program: Iterable[Instruction]) -> str:
    """The text of a program."""
    return " ".join(i if isinstance(i, str) else f"{i[0]}{i[1]:+d}" for i in program)


def signs(offset: int) -> list[str]:
    """An offset in unary, closed by `@`."""
    return ["+" if offset > 0 else "-"] * abs(offset) + ["@"]


def prompt(program: Post) -> list[str]:
    """The prompt of a program; it depends on nothing else."""
    tokens = ["^"]
    for i in program:
        tokens += [i] if isinstance(i, str) else [i[0], *signs(i[1])]
    return [*tokens, "$"]


def input_block(x: Sequence[int], *, rewinding: bool = True) -> list[str]:
    """The input as operations already executed; the closing jump rewinds the program counter to 0."""
    if not x:
        return []
    tokens = ["AR"] * (2 * len(x))
    for bit in reversed(x):
        tokens += ["AL", *(["A1"] if bit else []), "AL", "A1"]
    return [*tokens, "=", *signs(-len(tokens))] if rewinding else tokens


def trace(run: PostRun) -> list[str]:
    """The chain of thought that a run of the interpreter demands."""
    tokens: list[str] = []
    for event in run.events:
        if isinstance(event, int):
            tokens += ["=", *signs(event)]
        else:
            tokens.append("/" if event == "skip" else event)
    return [*tokens, ":", *map(str, run.output), "$"] if run.ended == "halt" else tokens
