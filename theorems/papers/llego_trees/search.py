"""Evolutionary search over all trees of depth at most 2, many runs at once, in doubles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
PARENTS = 4
OFFSPRING = 2  # of one crossover


@dataclass(frozen=True)
class Data:
    """Planted data of B runs.

    Attributes:
        X: bits, (B, n, d).
        labels: bits, (B, n).
        relevant: the features a, b, c of the planted tree, (B, 3).
    """

    X: Array
    labels: Array
    relevant: Array


def planted(rng: Any, runs: int, n: int, d: int, noise: float) -> Data:
    """Labels x_b where x_a = 1, x_c elsewhere, for three distinct random features a, b, c; flipped with probability `noise`."""
    X = rng.integers(0, 2, (runs, n, d)).astype(bool)
    relevant = rng.random((runs, d)).argsort(axis=1)[:, :3]
    a, b, c = relevant.T
    rows = np.arange(runs)
    labels = np.where(X[rows, :, a], X[rows, :, b], X[rows, :, c])
    return Data(X, labels ^ (rng.random((runs, n)) < noise), relevant)


def signatures(X: Array, h: int) -> Array:
    """Predictions of all trees of depth at most h in the order of `trees.enumerate_trees`: bits, (B, trees, n)."""
    runs, n, d = X.shape
    leaves = np.broadcast_to(np.array([False, True])[None, :, None], (runs, 2, n))
    below = leaves
    for _ in range(h):
        k = below.shape[1]
        split = X.transpose(0, 2, 1)[:, :, None, None, :]
        grown = np.where(split, below[:, None, None, :, :], below[:, None, :, None, :])
        below = np.concatenate([leaves, grown.reshape(runs, d * k * k, n)], axis=1)
    return below


@dataclass(frozen=True)
class Space:
    """All trees as a run's selection sees them.

    Attributes:
        fits: correctly classified samples, (B, trees).
        keys: signatures, one bit a sample in a word of 64 bits, (B, trees).
        order: trees by fitness, (B, trees).
        first: where the trees of each fitness 0..n begin in `order`, (B, n + 2).
        n: samples, at most 64.
    """

    fits: Array
    keys: Array
    order: Array
    first: Array
    n: int


def words(bits: Array) -> Array:
    """Bits along the last axis as words: shape (..., n <= 64) to (...)."""
    powers = np.uint64(1) << np.arange(bits.shape[-1], dtype=np.uint64)
    return np.where(bits, powers, np.uint64(0)).sum(axis=-1, dtype=np.uint64)


def ones(word: Array) -> Array:
    """The number of bits that are set in each word of 64 bits, by sums in parallel."""
    c1, c2, c4 = (np.uint64(c) for c in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
    one, two, four, top = (np.uint64(k) for k in (1, 2, 4, 56))
    word = word - ((word >> one) & c1)
    word = (word & c2) + ((word >> two) & c2)
    word = (word + (word >> four)) & c4
    return ((word * np.uint64(0x0101010101010101)) >> top).astype(np.int16)


def space(data: Data, h: int = 2) -> Space:
    """The space of trees on the data, its signatures in words: (x_f and right) or (not x_f and left)."""
    runs, n, _ = data.X.shape
    if n > 64:
        raise ValueError(f"{n} samples; a signature is one word of 64 bits, so at most 64 are accepted")
    full = np.uint64(2**n - 1)
    leaves = np.broadcast_to(np.array([0, full], dtype=np.uint64), (runs, 2))
    split = words(data.X.transpose(0, 2, 1))[:, :, None, None]
    keys = leaves
    for _ in range(h):
        grown = (split & keys[:, None, None, :]) | (~split & keys[:, None, :, None])
        keys = np.concatenate([leaves, grown.reshape(runs, -1)], axis=1)
    fits = n - ones(keys ^ words(data.labels)[:, None])
    counts = np.bincount((fits + np.arange(runs)[:, None] * (n + 1)).ravel(), minlength=runs * (n + 1))
    first = np.concatenate([np.zeros((runs, 1), dtype=int), counts.reshape(runs, n + 1).cumsum(axis=1)], axis=1)
    return Space(fits, keys, fits.argsort(axis=1, kind="stable"), first, n)


@dataclass(frozen=True)
class Variant:
    """How a search runs.

    Attributes:
        alpha: extrapolation of the target fitness; None: all offspring are uniform.
        width: s of the generator.
        selection: "best", "offspring" (the best offspring only), or "random" distinct candidates.
        distinct: whether candidates of equal signature are dropped.
    """

    alpha: float | None = 0.1
    width: float = 0.08
    selection: str = "best"
    distinct: bool = True


@dataclass(frozen=True)
class Trace:
    """What a search did.

    Attributes:
        populations: trees of each generation, (G + 1, B, N).
        visited: all trees evaluated in each generation, a list of arrays (B, .).
    """

    populations: Array
    visited: list[Array]


def evolve(rng: Any, trees: Space, initial: Array, variant: Variant, generations: int) -> Trace:
    """Run the search from an initial population (B, N): 2N offspring a generation, then selection.

    Mutation keeps two of four candidates drawn from the uniform prior: all are equally likely, so what it keeps is uniform.
    """
    population = initial
    populations, visited = [population], [population]
    runs, N = population.shape
    for _ in range(generations):
        total = trees.fits.shape[1]
        if variant.alpha is None:
            children = rng.integers(0, total, (runs, 2 * N))
        else:
            guided = crossover(rng, trees, population, variant, N // OFFSPRING)
            children = np.concatenate([guided, rng.integers(0, total, (runs, N))], axis=1)
        candidates = children if variant.selection == "offspring" else np.concatenate([population, children], axis=1)
        population = select(rng, trees, candidates, N, variant)
        populations.append(population)
        visited.append(children)
    return Trace(np.array(populations), visited)


def crossover(rng: Any, trees: Space, population: Array, variant: Variant, calls: int) -> Array:
    """Offspring of `calls` crossovers in each run: parents by fitness without replacement, the generator aimed at f*."""
    runs, N = population.shape
    fits = np.take_along_axis(trees.fits, population, axis=1) / trees.n
    races = rng.exponential(size=(runs, calls, N)) / np.maximum(fits, 1e-12)[:, None, :]
    parents = races.argsort(axis=2)[:, :, :PARENTS]
    drawn = np.take_along_axis(np.broadcast_to(fits[:, None, :], races.shape), parents, axis=2)
    best, worst = drawn.max(axis=2), drawn.min(axis=2)
    target = best + float(variant.alpha or 0.0) * (best - worst)
    counts = np.diff(trees.first, axis=1)
    levels = np.arange(trees.n + 1) / trees.n
    exponent = -((levels - target[:, :, None]) ** 2) / (2 * variant.width**2)
    exponent = np.where(counts[:, None, :] > 0, exponent, -np.inf)
    weights = counts[:, None, :] * np.exp(exponent - exponent.max(axis=2, keepdims=True))
    ladder = weights.cumsum(axis=2)
    aim = rng.random((runs, calls, OFFSPRING)) * ladder[:, :, -1:]
    level = np.minimum((ladder[:, :, None, :] <= aim[:, :, :, None]).sum(axis=3), trees.n)
    rows = np.arange(runs)[:, None, None]
    place = trees.first[rows, level] + (rng.random(level.shape) * counts[rows, level]).astype(int)
    return trees.order[rows, place].reshape(runs, calls * OFFSPRING)


def select(rng: Any, trees: Space, candidates: Array, N: int, variant: Variant) -> Array:
    """N of the candidates: distinct signatures, the best first; repeated where fewer than N are distinct."""
    fits = np.take_along_axis(trees.fits, candidates, axis=1)
    merit = rng.random(fits.shape) if variant.selection == "random" else fits
    ranked = (-merit).argsort(axis=1, kind="stable")
    candidates = np.take_along_axis(candidates, ranked, axis=1)
    if not variant.distinct:
        return candidates[:, :N]
    keys = np.take_along_axis(trees.keys, candidates, axis=1)
    same = keys[:, :, None] == keys[:, None, :]
    repeated = np.tril(same, -1).any(axis=2)
    ranked = repeated.argsort(axis=1, kind="stable")  # the distinct ones first, in order
    distinct = (~repeated).sum(axis=1, keepdims=True)
    return np.take_along_axis(candidates, np.take_along_axis(ranked, np.arange(N)[None, :] % distinct, axis=1), axis=1)


def best_fitness(trees: Space, trace: Trace) -> Array:
    """The best count of correct samples in each generation: (G + 1, B)."""
    return np.array([np.take_along_axis(trees.fits, p, axis=1).max(axis=1) for p in trace.populations])
