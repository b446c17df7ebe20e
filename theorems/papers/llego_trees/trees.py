"""Decision trees on binary features: all of them, the best of them, and the greedy one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

Tree = Any  # a label 0 or 1, or (feature, tree where it is 0, tree where it is 1)
Sample = tuple[tuple[int, ...], int, fmpq]  # features, label, weight


def enumerate_trees(d: int, h: int) -> list[Tree]:
    """All trees of depth at most h over d features, leaves first."""
    if h == 0:
        return [0, 1]
    below = enumerate_trees(d, h - 1)
    return [0, 1, *((f, left, right) for f in range(d) for left in below for right in below)]


def count_trees(d: int, h: int) -> int:
    """T_h = 2 + d T_{h-1}^2, T_0 = 2."""
    total = 2
    for _ in range(h):
        total = 2 + d * total**2
    return total


def predict(tree: Tree, x: Sequence[int]) -> int:
    """The label of a point."""
    while isinstance(tree, tuple):
        tree = tree[1 + x[tree[0]]]
    return int(tree)


def accuracy(tree: Tree, data: Sequence[Sample]) -> fmpq:
    """The weight of the points that are classified correctly."""
    return sum((w for x, label, w in data if predict(tree, x) == label), fmpq(0))


def majority(data: Sequence[Sample]) -> fmpq:
    """The weight of the more frequent label."""
    ones = sum((w for _, label, w in data if label), fmpq(0))
    return max(ones, sum((w for _, _, w in data), fmpq(0)) - ones)


def split(data: Sequence[Sample], f: int) -> tuple[list[Sample], list[Sample]]:
    """The points where the feature is 0, and where it is 1."""
    return [s for s in data if not s[0][f]], [s for s in data if s[0][f]]


def optimum(data: Sequence[Sample], d: int, h: int) -> fmpq:
    """The best accuracy of a tree of depth at most h: opt(S, h) = max(majority(S), max_f opt(S_0, h-1) + opt(S_1, h-1))."""
    best = majority(data)
    if h == 0 or not data:
        return best
    for f in range(d):
        left, right = split(data, f)
        best = max(best, optimum(left, d, h - 1) + optimum(right, d, h - 1))
    return best


def impurity(data: Sequence[Sample]) -> fmpq:
    """Gini's index times the weight: 2 w_0 w_1 / w."""
    weight = sum((w for _, _, w in data), fmpq(0))
    ones = sum((w for _, label, w in data if label), fmpq(0))
    return 2 * ones * (weight - ones) / weight if weight > 0 else fmpq(0)


def greedy(data: Sequence[Sample], d: int, h: int) -> Tree:
    """CART: the split of the largest positive gain of Gini's index, ties to the lowest feature."""
    ones = sum((w for _, label, w in data if label), fmpq(0))
    label = 1 if 2 * ones > sum((w for _, _, w in data), fmpq(0)) else 0
    if h == 0:
        return label
    parts = [split(data, f) for f in range(d)]
    gains = [impurity(data) - impurity(left) - impurity(right) for left, right in parts]
    if not gains or max(gains) <= 0:
        return label
    f = gains.index(max(gains))
    return f, greedy(parts[f][0], d, h - 1), greedy(parts[f][1], d, h - 1)


def data_of(X: Any, labels: Any) -> list[Sample]:
    """Points of weight 1 from an instance's bits."""
    return [(tuple(int(v) for v in row), int(label), fmpq(1)) for row, label in zip(X.tolist(), labels)]
