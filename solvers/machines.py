"""Machines that constructions are compared with: the two-tape Post-Turing machine and the two-tape Turing machine.

Written from their definitions alone; nothing here knows of transformers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# An instruction is a move or write "AL", "AR", "A0", "A1" (B likewise), a jump ("A!", k) if the current bit is 0 or ("A?", k) if it is
# 1, or "#".
Instruction: TypeAlias = str | tuple[str, int]
Post: TypeAlias = tuple[Instruction, ...]
OPERATIONS = ("AL", "AR", "A0", "A1", "BL", "BR", "B0", "B1")
JUMPS = ("A!", "A?", "B!", "B?")


@dataclass(frozen=True)
class PostRun:
    """A run of a two-tape Post-Turing machine.

    Attributes:
        ended: "halt", "limit", or "stuck" (the counter left the program).
        steps: executed instructions, the halting one included.
        events: for each executed instruction (halt excluded): an operation's name, "skip" for a jump not taken, or the
            offset of a jump taken.
        output: the bits read off tape A at halt (empty otherwise).
    """

    ended: str
    steps: int
    events: tuple[str | int, ...]
    output: tuple[int, ...]


def run_post(program: Sequence[Instruction], x: Sequence[int], limit: int) -> PostRun:
    """Run a two-tape Post-Turing program.

    Both tapes are two-way infinite and start with 0; A[2i] = 1 and A[2i+1] = x_i hold the input. At halt the output is read
    from the head of A: while A[c] = 1 emit A[c+1], c += 2.

    Args:
        program: instructions, see above; offsets are nonzero.
        x: input bits.
        limit: most instructions to execute.
    """
    tape: dict[str, set[int]] = {"A": set(), "B": set()}  # the cells that hold a 1
    head = {"A": 0, "B": 0}
    for i, bit in enumerate(x):
        tape["A"].add(2 * i)
        if bit:
            tape["A"].add(2 * i + 1)
    events: list[str | int] = []
    counter = 0
    for step in range(limit):
        if not 0 <= counter < len(program):
            return PostRun("stuck", step, tuple(events), ())
        instruction = program[counter]
        if instruction == "#":
            return PostRun("halt", step + 1, tuple(events), _output(tape["A"], head["A"]))
        if isinstance(instruction, tuple):
            jump, offset = instruction
            name, condition = jump[0], jump[1]
            taken = (head[name] in tape[name]) == (condition == "?")
            counter += offset if taken else 1
            events.append(offset if taken else "skip")
            continue
        name, action = instruction[0], instruction[1]
        if action in "LR":
            head[name] += 1 if action == "R" else -1
        elif action == "1":
            tape[name].add(head[name])
        else:
            tape[name].discard(head[name])
        counter += 1
        events.append(instruction)
    return PostRun("limit", limit, tuple(events), ())


def _output(ones: set[int], c: int) -> tuple[int, ...]:
    bits = []
    while c in ones:
        bits.append(int(c + 1 in ones))
        c += 2
    return tuple(bits)


BLANK = "_"
SYMBOLS = (BLANK, "0", "1")


@dataclass(frozen=True)
class Transition:
    """Next state (None: halt), what is written on A and B, and the moves (-1, 0 or 1)."""

    state: int | None
    write: tuple[str, str]
    move: tuple[int, int]


@dataclass(frozen=True)
class TuringMachine:
    """A two-tape machine over blank, 0, 1; `rules[q, a, b]` for all states and symbols. It starts in state 0."""

    states: int
    rules: Mapping[tuple[int, str, str], Transition]


@dataclass(frozen=True)
class TuringRun:
    """Whether the machine halted, its steps, and its output: from the head of A rightwards up to the first blank."""

    halted: bool
    steps: int
    output: tuple[int, ...]


def run_turing(machine: TuringMachine, x: Sequence[int], limit: int) -> TuringRun:
    """Run a two-tape Turing machine on input bits x, written on A from cell 0; at most `limit` steps."""
    A: dict[int, str] = {i: str(bit) for i, bit in enumerate(x)}
    B: dict[int, str] = {}
    a = b = state = 0
    for step in range(1, limit + 1):
        rule = machine.rules[state, A.get(a, BLANK), B.get(b, BLANK)]
        A[a], B[b] = rule.write
        a, b = a + rule.move[0], b + rule.move[1]
        if rule.state is None:
            bits = []
            while A.get(a, BLANK) != BLANK:
                bits.append(int(A[a]))
                a += 1
            return TuringRun(True, step, tuple(bits))
        state = rule.state
    return TuringRun(False, limit, ())
