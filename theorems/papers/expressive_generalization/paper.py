"""The paper, and what its claims share: the cross-entropy loss in balls, labelled points on a grid."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, fmpq

from solvers.shallow_hull import Hull, hull_at
from theorems import Paper, Q, shared

PAPER = Paper(
    key="expressive_generalization",
    title="Generalizability of Neural Networks Minimizing Empirical Risk Based on Expressive Power",
    authors=("Lijia Yu", "Yibo Miao", "Yifan Zhu", "Xiao-Shan Gao", "Lijun Zhang"),
    venue="ICLR 2025",
    arxiv="2503.04111",
)


def loss(z: fmpq | arb) -> arb:
    """The cross-entropy ln(1 + e^{-z})."""
    return (-arb(z)).exp().log1p()


def copies(W: int, W0: int) -> int:
    """k = floor(W/(W0 + 1))."""
    return W // (W0 + 1)


def on_grid(places: Sequence[int], cells: int) -> tuple[fmpq, ...]:
    """Points places/cells in [0, 1]."""
    return tuple(Q(i, cells) for i in places)


def distinct(values: Sequence[int]) -> bool:
    """Whether no two values agree."""
    return len(set(values)) == len(values)


def both_labels(labels: Sequence[int]) -> bool:
    """Whether both labels occur."""
    return len(set(labels)) == 2


@shared
def hull(points: tuple[fmpq, ...], hinges: tuple[fmpq, ...] = ()) -> Hull:
    """The relaxed class at some points of [0, 1]."""
    return hull_at(points, hinges)
