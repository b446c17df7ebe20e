"""Two-tape Turing machines compiled to two-tape Post-Turing programs, and machines to compile."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache

from solvers.machines import BLANK, SYMBOLS, Instruction, Post, Transition, TuringMachine, run_turing
from theorems.seeds import Words

Line = Instruction | tuple[str, str]  # a jump may name a label
Label = str


class Assembler:
    """Instructions with symbolic jump targets."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, Label | None]] = []
        self.labels: dict[Label, int] = {}

    def here(self, label: Label) -> None:
        """The next instruction bears this label."""
        self.labels[label] = len(self.lines)

    def emit(self, *names: str) -> None:
        """Moves, writes, halts."""
        self.lines += [(name, None) for name in names]

    def jump(self, test: str, label: Label) -> None:
        """A conditional jump."""
        self.lines.append((test, label))

    def always(self, label: Label) -> None:
        """A jump on either bit of B."""
        self.jump("B!", label)
        self.jump("B?", label)

    def assembled(self) -> Post:
        """The program; an offset of 0 would be ill-formed."""
        program: list[Instruction] = []
        for k, (name, label) in enumerate(self.lines):
            if label is None:
                program.append(name)
                continue
            if self.labels[label] == k:
                raise ValueError(f"the jump at {k} to {label} has offset 0")
            program.append((name, self.labels[label] - k))
        return tuple(program)


def compiled(machine: TuringMachine, *, cells_per_move: int = 2) -> Post:
    """The machine as a program: a cell is a pair (flag, bit), blank is flag 0; states follow one another from state 0.

    A transition costs at most 26 instructions: 6 for each read, 4 for each write, 2 for each move, 2 for the jump.
    """
    out = Assembler()
    for q in range(machine.states):
        out.here(f"{q}")
        _read(out, "A", f"{q}")
        for s in SYMBOLS:
            out.here(f"{q}/A={s}")
            _read(out, "B", f"{q}/A={s}")
            for u in SYMBOLS:
                out.here(f"{q}/A={s}/B={u}")
                rule = machine.rules[q, s, u]
                for tape, symbol in zip("AB", rule.write):
                    out.emit(*_write(tape, symbol))
                for tape, move in zip("AB", rule.move):
                    out.emit(*([f"{tape}{'R' if move > 0 else 'L'}"] * (cells_per_move * abs(move))))
                if rule.state is None:
                    out.emit("#")
                else:
                    out.always(f"{rule.state}")
    return out.assembled()


def _read(out: Assembler, tape: str, prefix: str) -> None:
    """Jump to prefix/tape=symbol, the head unmoved."""
    out.jump(f"{tape}!", f"{prefix}/{tape}={BLANK}")
    out.emit(f"{tape}R")
    out.jump(f"{tape}!", f"{prefix}/{tape} zero")
    out.emit(f"{tape}L")
    out.always(f"{prefix}/{tape}=1")
    out.here(f"{prefix}/{tape} zero")
    out.emit(f"{tape}L")
    out.always(f"{prefix}/{tape}=0")


def _write(tape: str, symbol: str) -> tuple[str, ...]:
    if symbol == BLANK:
        return (f"{tape}0",)
    return f"{tape}1", f"{tape}R", f"{tape}{symbol}", f"{tape}L"


Rule = Callable[[int, str, str], Transition | None]


def machine(states: int, rule: Rule) -> TuringMachine:
    """The machine whose rule is a function; None halts with everything left as it is."""
    rules = {}
    for q, a, b in itertools.product(range(states), SYMBOLS, SYMBOLS):
        rules[q, a, b] = rule(q, a, b) or Transition(None, (a, b), (0, 0))
    return TuringMachine(states, rules)


@lru_cache(maxsize=1)
def palindromes() -> TuringMachine:
    """Copy A to B, rewind A, compare in opposite directions while erasing A, write the answer: 3n + 3 steps on palindromes."""

    def rule(q: int, a: str, b: str) -> Transition | None:
        blank = a == BLANK
        if q == 0:
            return Transition(1, (a, b), (-1, -1)) if blank else Transition(0, (a, a), (1, 1))
        if q == 1:
            return Transition(2, (a, b), (1, 0)) if blank else Transition(1, (a, b), (-1, 0))
        if blank:
            return Transition(None, ("1" if q == 2 else "0", b), (0, 0))
        same = q == 2 and a == b
        return Transition(2 if same else 3, (BLANK, b), (1, -1 if q == 2 else 0))

    return machine(4, rule)


@lru_cache(maxsize=1)
def complement() -> TuringMachine:
    """Every bit flipped, with a note of it on B."""

    def rule(q: int, a: str, b: str) -> Transition | None:
        if a == BLANK:
            return Transition(1, (a, b), (-1, 0)) if q == 0 else Transition(None, (a, b), (1, 0))
        return Transition(0, ("10"[int(a)], a), (1, 1)) if q == 0 else Transition(1, (a, b), (-1, -1))

    return machine(2, rule)


@lru_cache(maxsize=1)
def dropping() -> TuringMachine:
    """The input without its first bit, which is noted on B: one state, two steps."""

    def rule(q: int, a: str, b: str) -> Transition | None:
        return Transition(0, (a, a), (1, 0)) if a != BLANK and b == BLANK else None

    return machine(1, rule)


@lru_cache(maxsize=1)
def zigzag() -> TuringMachine:
    """The shrinking zigzag: on 1^m about m^2/2 steps, most of which cost all of the 26 instructions."""

    def rule(q: int, a: str, b: str) -> Transition | None:
        if q == 0:
            return Transition(1, (BLANK, BLANK), (-1, -1)) if a == BLANK else Transition(0, ("1", "1"), (1, 1))
        key = (q, a, b)
        ones, blanks = ("1", "1"), (BLANK, BLANK)
        return {
            (1, *ones): Transition(2, blanks, (-1, -1)),
            (2, *ones): Transition(2, ones, (-1, -1)),
            (2, *blanks): Transition(3, blanks, (1, 1)),
            (3, *ones): Transition(4, blanks, (1, 1)),
            (4, *ones): Transition(4, ones, (1, 1)),
            (4, *blanks): Transition(1, blanks, (-1, -1)),
        }.get(key)

    return machine(5, rule)


@lru_cache(maxsize=2048)
def random_machine(seed: int) -> TuringMachine:
    """1 to 4 states; each transition halts with probability 12/100."""
    words = Words(seed, "two-tape machine")
    states = words.between(1, 4)

    def rule(q: int, a: str, b: str) -> Transition:
        state = None if words.below(100) < 12 else words.below(states)
        write = SYMBOLS[words.below(3)], SYMBOLS[words.below(3)]
        return Transition(state, write, (words.between(-1, 1), words.between(-1, 1)))

    return machine(states, rule)


def halts_soon(seed: int, x: tuple[int, ...]) -> bool:
    """Whether a random machine halts within 3 to 200 steps."""
    run = run_turing(random_machine(seed), x, 200)
    return run.halted and run.steps >= 3
