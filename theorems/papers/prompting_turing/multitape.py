"""A tape whose head never moves: contents flow through blocks of doubling size, at t log t in all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isqrt
from typing import Any

from theorems import ByBudget, Choices, Q, eq, le, word
from theorems.papers.prompting_turing.paper import PAPER
from theorems.seeds import Words

REACH = 8  # cells on either side of the head that are compared
Track = list[int]  # the symbols of a track, nearer to home first


class Overflow(ArithmeticError):
    """The rule met a state that it does not cover."""


class Blocks:
    """One tape around a fixed home cell: blocks +-1, +-2, ... of 2^{i-1} cells with a lower and an upper track each.

    Args:
        growing: False: all blocks have one cell (a mutant).
    """

    def __init__(self, *, growing: bool = True) -> None:
        self.home = 0
        self.growing = growing
        self.tracks: dict[int, list[Track]] = {1: [], -1: []}  # 2 (i - 1): lower, 2 (i - 1) + 1: upper

    def size(self, i: int) -> int:
        """Cells of block i on one track."""
        return 2 ** (i - 1) if self.growing else 1

    def tracks_of(self, side: int, i: int) -> tuple[Track, Track]:
        """Lower and upper track; new blocks hold blanks below and nothing above."""
        tracks = self.tracks[side]
        while len(tracks) < 2 * i:
            tracks += [[0] * self.size(len(tracks) // 2 + 1), []]
        return tracks[2 * i - 2], tracks[2 * i - 1]

    def level(self, move: int) -> int:
        """The level of a head move: contents move the other way, into the first block with a free track."""
        side, i = -move, 1
        while all(self.tracks_of(side, i)):
            i += 1
        return i

    def move(self, move: int) -> int:
        """Move the head by -1 or 1; returns the cost 4 (2 (2^i - 1) + 1) of a move of level i."""
        side, i = -move, self.level(move)
        queue = [self.home]
        for j in range(1, i):
            lower, upper = self.tracks_of(side, j)
            queue += [*upper, *lower]  # the upper track is nearer home
            lower[:], upper[:] = [], []
        for j in range(1, i):
            self.tracks_of(side, j)[0][:], queue = queue[: self.size(j)], queue[self.size(j) :]
        lower, upper = self.tracks_of(side, i)
        free = lower if not lower else upper
        if len(queue) != self.size(i):
            raise Overflow(f"{len(queue)} symbols for a track of {self.size(i)} cells")
        free[:] = queue
        lower, upper = self.tracks_of(-side, i)
        source = upper if upper else lower
        self.home, rest = source[0], source[1:]
        source[:] = []
        for j in range(1, i):
            self.tracks_of(-side, j)[0][:], rest = rest[: self.size(j)], rest[self.size(j) :]
        return 4 * (2 * (2**i - 1) + 1)

    def around(self, reach: int, *, lower_first: bool = False) -> list[int]:
        """The cells at distance at most `reach` from the head, left to right."""
        sides = {}
        for side in (-1, 1):
            cells: list[int] = []
            i = 1
            while len(cells) < reach:
                lower, upper = self.tracks_of(side, i)
                cells += [*lower, *upper] if lower_first else [*upper, *lower]
                i += 1
            sides[side] = cells[:reach]
        return [*reversed(sides[-1]), self.home, *sides[1]]


PATTERNS = ("right", "left", "zigzag", "alternating", "random walk", "greedy")


def moves(pattern: str, t: int, blocks: Blocks, step: int, words: Words) -> int:
    """The move at a step of a pattern."""
    if pattern == "greedy":  # the direction of the higher level
        return 1 if blocks.level(1) >= blocks.level(-1) else -1
    period = isqrt(t)
    simple = {"right": 1, "left": -1, "zigzag": 1 if step // period % 2 == 0 else -1, "alternating": 1 - 2 * (step % 2)}
    return simple[pattern] if pattern in simple else 1 - 2 * words.below(2)


def simulated(
    pattern: str, t: int, *, growing: bool = True, lower_first: bool = False
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Costs, levels, and cells near the head (by blocks, and on a plain tape) at compared steps: all up to 200, then each 97th."""
    words = Words(t, "block simulation", pattern)
    blocks, tape, head = Blocks(growing=growing), dict[int, int](), 0
    costs, read, true = [], list[int](), list[int]()
    levels = []
    for step in range(t):
        tape[head] = blocks.home = 1 + words.below(9)
        move = moves(pattern, t, blocks, step, words)
        levels.append(blocks.level(move))
        costs.append(blocks.move(move))
        head += move
        if step < 200 or step % 97 == 0:
            read += blocks.around(REACH, lower_first=lower_first)
            true += [tape.get(head + d, 0) for d in range(-REACH, REACH + 1)]
    return costs, levels, read, true


def bound(t: int, slope_: int = 8, constant: int = 12) -> int:
    """t (8 floor(log2 t) + 12)."""
    return t * (slope_ * (t.bit_length() - 1) + constant)


@PAPER.bound(
    source="complexity theorem: O(t log t) chain-of-thought steps for general time t; the simulation of Hennie and Stearns",
    fidelity="derived",
    evidence="certified",
    domain={
        "pattern": Choices(*PATTERNS),
        "t": ByBudget(quick=Choices(2**6, 2**10), full=Choices(2**6, 2**10, 2**14)),
    },
    every=True,
    method="contents within 8 cells of the head against a plain tape, costs at every prefix; all sequences of up to 12 moves; the "
    "largest cost over all sequences of up to 40 moves by dynamic programming over the occupied tracks",
    rests_on=(
        "after a move of level >= i all blocks below i hold one track on both sides, as at the start; filling blocks 1..i-1 takes "
        "2^{i-1} - 1 net moves, so at most t/2^{i-1} moves have level >= i",
    ),
    not_established="that the head's home cells of several tapes can be served by one program (the cost is that of one tape)",
)
def multitape_tlogt(pattern, t, *, slope_=8, constant=12, growing=True, lower_first=False) -> Iterator[Any]:
    r"""Keep the head at home, between blocks $B_{\pm i}$ of $2^{i-1}$ cells with two tracks each (lower ones filled with blanks at first).
    A head move to the right lets the contents move left (and conversely): with $i$ the least index such that the block on that side has
    a free track, the symbols of home and of the blocks below $i$ there, from home outwards (upper track first), refill
    the lower tracks below $i$ and a free track of block $i$ (the lower if both are free); the upper (else lower) track of the opposite block
    $i$ gives the new home symbol, then lower tracks of the blocks below. This move costs $4(2(2^i - 1) + 1)$. Then the tape's contents
    are right after every move, and $t$ moves cost at most $t (8 \lfloor \log_2 t \rfloor + 12)$, with equality for $t = 2^k$
    moves to the right.
    """
    try:
        costs, _, read, true = simulated(pattern, t, growing=growing, lower_first=lower_first)
    except Overflow as error:
        yield "contents", eq(word([str(error)]), word(["the rule applies"]))
        return
    yield "contents", eq(read, true)
    totals = running(costs)
    yield "cost", le(totals, [bound(k, slope_, constant) for k in range(1, t + 1)])
    if pattern == "right":
        yield "attained", eq(totals[t - 1], bound(t, slope_, constant))


def running(costs: Sequence[int]) -> list[int]:
    """Partial sums."""
    total, sums = 0, []
    for c in costs:
        total += c
        sums.append(total)
    return sums


@multitape_tlogt.check(
    "all short sequences",
    domain={"t": ByBudget(quick=Choices(8), full=Choices(12)), "first": Choices(-1, 1)},
    exhaustive=True,
)
def _all_short(t, first, *, lower_first=False):
    """Contents after every move of every sequence of t moves; each cell is written with the time of its writing."""
    read: list[int] = []
    true: list[int] = []
    for choice in range(2 ** (t - 1)):
        blocks, tape, head = Blocks(), dict[int, int](), 0
        for step in range(t):
            tape[head] = blocks.home = step + 1
            move = first if step == 0 else 1 - 2 * (choice >> (step - 1) & 1)
            blocks.move(move)
            head += move
        read += blocks.around(REACH, lower_first=lower_first)
        true += [tape.get(head + d, 0) for d in range(-REACH, REACH + 1)]
    yield "all contents", eq(read, true)


Occupied = tuple[tuple[int, ...], tuple[int, ...]]  # for each side, 1 or 2 filled tracks (0: none) of blocks 1, 2, ...


@lru_cache(maxsize=2)
def largest_costs(most: int) -> tuple[int, ...]:
    """The largest total cost of t moves over all sequences, t = 1..most: Bellman's recursion over occupied tracks."""
    blocks = most.bit_length() + 1
    best: dict[Occupied, int] = {((1,) * blocks, (1,) * blocks): 0}
    largest = []
    for _ in range(most):
        after: dict[Occupied, int] = {}
        for (left, right), cost in best.items():
            for to in (0, 1):
                side, other = (left, right) if to == 0 else (right, left)
                i = next(k for k, filled in enumerate(side) if filled < 2)
                side = (1,) * i + (side[i] + 1,) + side[i + 1 :]
                other = (1,) * i + (other[i] - 1,) + other[i + 1 :]
                key = (side, other) if to == 0 else (other, side)
                after[key] = max(after.get(key, 0), cost + 4 * (2 * (2 ** (i + 1) - 1) + 1))
        best = after
        largest.append(max(best.values()))
    return tuple(largest)


@multitape_tlogt.proof("all sequences", covers="all move sequences of t <= 40 moves")
def _worst_costs(*, slope_=8, constant=12):
    """The largest cost over all sequences, and its equality with the bound at powers of two."""
    worst = largest_costs(40)
    yield le(list(worst), [bound(t, slope_, constant) for t in range(1, 41)])
    yield eq([worst[2**k - 1] for k in range(6)], [bound(2**k, slope_, constant) for k in range(6)])


@multitape_tlogt.check(
    "growth",
    domain={"logs": ByBudget(quick=Choices((6, 8, 10)), full=Choices((6, 8, 10, 12, 14)))},
    every=True,
)
def _growth(logs, *, linear=False, naive=False):
    """Cost per move on always-right rises by 8 for each doubling; shifting the whole used tape costs far more than the bound."""
    costs = {k: running(right_costs(2**k))[-1] for k in logs}
    if naive:
        yield "cost of all", le([4 * sum(range(1, 2**k + 1)) for k in logs], [bound(2**k) for k in logs])
        return
    yield "cost of all", le([costs[k] for k in logs], [bound(2**k) for k in logs])
    rise = 0 if linear else 8
    yield (
        "rise per doubling",
        eq([Q(costs[k], 2**k) - Q(costs[logs[0]], 2 ** logs[0]) for k in logs], [rise * (k - logs[0]) for k in logs]),
    )


@lru_cache(maxsize=16)
def right_costs(t: int) -> tuple[int, ...]:
    """Costs of t moves to the right."""
    blocks = Blocks()
    return tuple(blocks.move(1) for _ in range(t))


multitape_tlogt.mutant("11 for 12", constant=11, breaks=("cost", "all sequences"))
multitape_tlogt.mutant("7 log2 t for 8 log2 t", slope_=7, breaks=("cost", "all sequences"))
multitape_tlogt.mutant("blocks of one cell", growing=False, breaks="contents")
multitape_tlogt.mutant("lower tracks are nearer home", lower_first=True, breaks=("contents", "all contents"))
multitape_tlogt.mutant("linear cost", linear=True, breaks="rise per doubling")
multitape_tlogt.mutant("the whole used tape is shifted", naive=True, breaks="cost of all")
