"""The paper, and what its claims share: the cross-entropy loss in balls, labelled points on a grid."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, fmpq

from solvers.certificates import ConicProblem
from solvers.conic import Certified
from solvers.shallow_hull import Element, Hull, element, hull_at, least_weight
from theorems import Paper, Q, optimum, shared
from theorems.kernel.programs import Optimum

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


def known_optimum(problem: ConicProblem, found: Certified) -> Optimum:
    """The optimum of a program that has been solved already; the kernel checks the certificate."""
    return optimum(problem, lambda _: found)


def ends(found: Certified) -> tuple[fmpq, fmpq]:
    """Both proven ends of an optimum."""
    if found.lower is None or found.upper is None:
        raise ArithmeticError(
            f"a risk program has no proven {'lower' if found.lower is None else 'upper'} end: {found.reason}"
        )
    return found.lower, found.upper


def cheapest(R: Hull, signs: Sequence[int], least: Sequence[fmpq | int]) -> Element:
    """The element of least weight that meets conditions which some element meets."""
    found = least_weight(R, signs, least)
    if found is None:
        raise ArithmeticError(f"no function has the signs {list(signs)} with the margins {[str(t) for t in least]}")
    return found


def near_minimiser(R: Hull, found: Certified) -> Element:
    """The primal point of a solved risk program as a function."""
    primal = getattr(found.certificate, "primal", None)
    if primal is None:
        raise ArithmeticError(f"a risk program has no proven primal point: {found.reason}")
    return element(R, primal.x)
