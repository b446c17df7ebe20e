"""Greedy algorithms for coverage functions under a fairness matroid, and the optimum by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from flint import fmpq

from solvers.submodular.coverage import Coverage
from solvers.submodular.fairness import FairnessMatroid


def counts_of(S: Iterable[int], group: Sequence[int], groups: int) -> tuple[int, ...]:
    """How many elements of S each group has."""
    counts = [0] * groups
    for e in S:
        counts[group[e]] += 1
    return tuple(counts)


def greedy(
    f: Coverage,
    group: Sequence[int],
    matroid: FairnessMatroid,
    *,
    smallest: bool = False,
    steps: int | None = None,
    positive: bool = False,
) -> list[int]:
    """Add an element of largest marginal value while some element keeps the set in the matroid.

    Args:
        f: the function.
        group: the group of each element.
        matroid: where the set stays.
        smallest: take an element of smallest marginal value instead.
        steps: stop after so many elements.
        positive: stop when no element has a positive marginal value.

    Returns:
        The elements in the order of their addition.
    """
    residuals, counts = list(f.weights), [0] * matroid.groups
    chosen: list[int] = []
    rest = list(range(f.size))
    while rest and (steps is None or len(chosen) < steps):
        open_groups = [matroid.grows(counts, c) for c in range(matroid.groups)]
        best, best_gain = -1, fmpq(0)
        for e in rest:
            if not open_groups[group[e]]:
                continue
            gain = f.gain(residuals, e)
            if best < 0 or (gain < best_gain if smallest else gain > best_gain):
                best, best_gain = e, gain
        if best < 0 or (positive and best_gain == 0):
            break
        chosen.append(best)
        rest.remove(best)
        f.cover(residuals, best)
        counts[group[best]] += 1
    return chosen


def threshold_greedy(
    f: Coverage, group: Sequence[int], matroid: FairnessMatroid, beta: int, eps: fmpq, *, last: fmpq | None = None
) -> list[int]:
    """Passes over the elements with falling thresholds; an element enters the beta-extension if it gains the threshold.

    Args:
        f, group: the function and the group of each element.
        matroid: the fairness matroid; the set stays in its beta-extension.
        beta: a positive integer.
        eps: the thresholds are d (1 - eps)^j > eps d / size, from the largest value d of an element of the matroid.
        last: the thresholds stop above `last` times d instead.

    Returns:
        The elements in the order of their addition.
    """
    extended = matroid.scaled(beta)
    nothing = [0] * matroid.groups
    d = max((f.gain(f.weights, e) for e in range(f.size) if matroid.grows(nothing, group[e])), default=fmpq(0))
    residuals, counts = list(f.weights), [0] * matroid.groups
    chosen: list[int] = []
    threshold = d
    while threshold > d * (eps / matroid.size if last is None else last):
        for e in range(f.size):
            if e in chosen or not extended.grows(counts, group[e]):
                continue
            if f.gain(residuals, e) >= threshold:
                chosen.append(e)
                f.cover(residuals, e)
                counts[group[e]] += 1
        threshold *= 1 - eps
    return chosen


def completed(S: Sequence[int], group: Sequence[int], extended: FairnessMatroid) -> list[int]:
    """A base that contains S: lower bounds are filled first, then any group below its upper bound.

    Raises:
        ValueError: if a group has too few elements.
    """
    chosen = list(S)
    members = set(chosen)
    counts = list(counts_of(chosen, group, extended.groups))
    for bounds in (extended.lower, extended.upper):
        for e, c in enumerate(group):
            if e not in members and counts[c] < bounds[c] and len(chosen) < extended.size:
                chosen.append(e)
                members.add(e)
                counts[c] += 1
    if len(chosen) != extended.size or any(n < a for n, a in zip(counts, extended.lower)):
        raise ValueError(f"no base of {extended} contains a set with the counts {counts}: a group is too small")
    return chosen


def optimum(f: Coverage, group: Sequence[int], matroid: FairnessMatroid) -> tuple[fmpq, tuple[int, ...]]:
    """The largest value of a base and the first base that attains it, by enumeration of all bases.

    A monotone function is largest on a base, so this is the maximum over the matroid.
    """
    members = [[e for e in range(f.size) if group[e] == c] for c in range(matroid.groups)]
    best, best_set = fmpq(-1), tuple[int, ...]()
    for counts in matroid.bases():
        for parts in itertools.product(*(itertools.combinations(m, n) for m, n in zip(members, counts))):
            S = tuple(e for part in parts for e in part)
            value = f.value(S)
            if value > best:
                best, best_set = value, S
    if best < 0:
        raise ValueError(f"{matroid} has no base among groups of sizes {[len(m) for m in members]}")
    return best, best_set
