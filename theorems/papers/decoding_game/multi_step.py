"""Generation of several tokens: the game on the tree of prefixes decomposes, but play without foresight is not optimal."""

from __future__ import annotations

from flint import fmpq

from solvers.games import tv_vertices
from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import Distributions
from theorems.papers.decoding_game.game import CLOSE, at_precision, closed_form, support_size
from theorems.papers.decoding_game.trees import (
    backward_induction,
    nature_by_brute_force,
    nature_by_prefix,
    occupancy_bounds,
    occupancy_program,
    played_prefixes,
    tree_of,
    usable_tokens,
)

BUDGET = Given(lambda r: fmpq(r, 1000))


def prefixes(d, T):
    """The number of prefixes of fewer than T tokens."""
    return sum(d**t for t in range(T))


def tails_everywhere(p, eps):
    """(T) at every prefix: the smallest mass is at most eps and the largest exceeds it."""
    return all(min(m) <= eps < max(m) for m in p)


TREES = PAPER.family(
    "trees",
    shape=Choices((3, 3), (4, 2)),
    r=Integers(40, 120),
    eps=BUDGET,
    p=Given(lambda shape, eps: Arrays(Distributions(shape[0], eps), (prefixes(*shape),))),
    orders=Given(lambda shape: Arrays(Integers(0, 23), (prefixes(*shape),))),
    where=tails_everywhere,
    quick=25,
    full=300,
)
TWO_STEPS = PAPER.family(
    "two-steps-with-strategies",
    r=Integers(40, 120),
    eps=BUDGET,
    p=Given(lambda eps: Arrays(Distributions(3, eps), (4,))),
    orders=Arrays(Integers(0, 5), (4,)),
    play=Arrays(Arrays(Integers(0, 6), (3,)), (4,)),
    where=tails_everywhere,
    quick=40,
    full=300,
)
