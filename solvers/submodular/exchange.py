"""Hall's condition for exchanging one sequence of elements for copies of a set, group by group."""

from __future__ import annotations

from collections.abc import Sequence

from solvers.submodular.fairness import FairnessMatroid


def growing_groups(matroid: FairnessMatroid, sequence: Sequence[int]) -> list[int]:
    """For each position of a sequence of groups, the groups that may grow before it, as a bit mask."""
    counts = [0] * matroid.groups
    masks = []
    for c in sequence:
        masks.append(sum(1 << d for d in range(matroid.groups) if matroid.grows(counts, d)))
        counts[c] += 1
    return masks


def exchange_slack(masks: Sequence[int], demand: Sequence[int]) -> int:
    """The least of (positions open to some group of G) - (demand of G) over all sets G of groups.

    Each position takes one element of a group in its mask; by Hall's theorem `demand[c]` elements of every group c can
    be placed on different positions iff the result is >= 0.

    Args:
        masks: for each position the groups that it accepts, as a bit mask.
        demand: the number of elements of each group that are to be placed.
    """
    slack = 0
    for G in range(1, 1 << len(demand)):
        open_positions = sum(1 for m in masks if m & G)
        slack = min(slack, open_positions - sum(n for c, n in enumerate(demand) if G >> c & 1))
    return slack
