"""Products of Bernoulli laws on the cube {0, 1}^d and their truncations, in exact rationals."""

from __future__ import annotations

from itertools import product
from typing import Any

from flint import arb, fmpq

from theorems import Arrays, Given, Integers
from theorems.papers.truncated_samples.paper import PAPER

Point = tuple[int, ...]


def law(means: Any) -> dict[Point, fmpq]:
    """Probabilities of all points."""
    found = {}
    for x in product((0, 1), repeat=len(means)):
        p = fmpq(1)
        for on, m in zip(x, means):
            p *= m if on else 1 - m
        found[x] = p
    return found


def subset(d: int, code: int) -> tuple[Point, ...]:
    """The set of points that an integer's bits select."""
    return tuple(x for k, x in enumerate(product((0, 1), repeat=d)) if code >> k & 1)


def weight(p: dict[Point, fmpq], S: Any) -> fmpq:
    """The mass of S."""
    return sum((p[x] for x in S), fmpq(0))


def given(p: dict[Point, fmpq], S: Any) -> dict[Point, fmpq]:
    """The law conditioned on S."""
    total = weight(p, S)
    return {x: p[x] / total for x in S}


def means(p: dict[Point, fmpq], d: int) -> list[fmpq]:
    """E x_j."""
    return [sum((q for x, q in p.items() if x[j]), fmpq(0)) for j in range(d)]


def kl(p: dict[Point, fmpq], q: dict[Point, fmpq]) -> arb:
    """KL(p || q), term by term in balls; q > 0 wherever p > 0."""
    return sum((arb(w) * (arb(w) / arb(q[x])).log() for x, w in p.items() if w != 0), arb(0))


def rationals(numbers: Any, denominator: int) -> list[fmpq]:
    """Numbers over a common denominator."""
    return [fmpq(int(v), denominator) for v in numbers]


def cubes(name: str, denominator: int, most: int, **options: Any) -> Any:
    """A family of true means p_j, other means r_j, and a non-empty set S that is not the whole cube."""
    return PAPER.family(
        name,
        d=Integers(1, most),
        p=Given(lambda d: Arrays(Integers(1, 19), (d,))),
        r=Given(lambda d: Arrays(Integers(1, denominator - 1), (d,))),
        code=Given(lambda d: Integers(1, 2**2**d - 2)),
        **options,
    )
