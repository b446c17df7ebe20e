"""The headline: trained on the same images, masked reconstruction learns local areas and contrastive learning the global one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from theorems import ByBudget, Choices, Q, prob_ge
from theorems.papers.ssl_vit.paper import PAPER
from theorems.papers.ssl_vit.training import Seen, Setting, trained

MOST = Q(9, 10)
# P, C_1, C; steps of masked reconstruction; steps and rate / P of contrastive learning
QUICK = ((30, 10, 5), 60, 40, 80)
FULL = (((30, 10, 5), 250, 250, 80), ((40, 16, 4), 250, 250, 80), ((26, 6, 5), 250, 1500, 3))


def learns_areas(s: Seen) -> bool:
    """Every position attends to its own area."""
    return s.own >= 0.9 and s.to_global <= 0.05 and s.global_own >= 0.9  # event


def collapses(s: Seen) -> bool:
    """Local positions attend to the global area."""
    return s.to_global >= 0.95 and s.own <= 0.05  # event


def passes(setting: Setting, event: Callable[[Seen], bool]) -> Any:
    """A draw: whether a training run with random partitions, images and masks ends with the event."""

    def draw(rng: np.random.Generator) -> bool:
        return event(trained(setting, int(rng.integers(2**62))))

    return draw


@PAPER.transition(
    source="abstract: masked reconstruction learns local and global features at all levels of imbalance, contrastive learning favours the global ones",
    fidelity="simplified",
    evidence="statistical",
    domain={
        "run": ByBudget(quick=Choices(QUICK), full=Choices(*FULL)),
        "runs": ByBudget(quick=Choices((5, Q(9, 10))), full=Choices((15, Q(7, 10)))),
    },
    every=True,
    tests=2,
    part="masked reconstruction",
    method="whole training runs with closed-form gradients, in doubles, as draws; the share of runs that end as claimed by Clopper-Pearson bounds",
    hypotheses="3 clusters, half of the patches visible, contents z uniform on [0.8, 1.2], batches of 20 images a cluster, 8 negatives, temperature 1, learning rates 20 (masked) and 80 P "
    "(contrastive; 3 P at the mild imbalance), mean attention "
    "over masked positions with a visible patch of their own area",
    not_established="shares of runs above the lower end of the interval; larger rates at the mild imbalance, where minibatch noise "
    "leaves some cluster on a local area: at C_1 = 6, C = 5 in 3 of 5 runs at 80 P, 3 of 30 at 20 P, 2 of 30 at 8 P, none of 24 at 3 P",
)
def mae_local_cl_global(run, runs, *, trains="masked", contrasts="contrastive", blind=False) -> Iterator[Any]:
    r"""All correlations, with features and with positions, are trained from $Q = 0$ by minibatch gradient descent on images with $P$ patches, a global area of $C_1$ and local
    areas of $C$ patches, partitioned at random in 3 clusters. At least nine tenths of the runs end as follows. Masked reconstruction: local and global positions have mean
    attention at least $0.9$ on their own area, and local ones at most $0.05$ on the global area. Contrastive learning: local positions have at least $0.95$ on
    the global area and at most $0.05$ on their own. $(P, C_1, C) = (30, 10, 5)$; in the full budget also $(40, 16, 4)$ and the mild imbalance $(26, 6, 5)$.
    """
    ((P, large, small), first, second, rate), (count, within) = run, runs
    settings = {
        "masked": Setting(P, large, small, "masked", 200 if blind else 20, first, blind),
        "contrastive": Setting(P, large, small, "contrastive", rate * P, second),
    }
    yield "masked reconstruction", prob_ge(passes(settings[trains], learns_areas), MOST, fixed=count, within=within)
    yield "contrastive learning", prob_ge(passes(settings[contrasts], collapses), MOST, fixed=count, within=within)


mae_local_cl_global.mutant("all positions share one row of correlations", blind=True, breaks="masked reconstruction")
mae_local_cl_global.mutant(
    "contrastive training learns every area", trains="contrastive", breaks="masked reconstruction"
)
mae_local_cl_global.mutant(
    "masked training collapses on the global area", contrasts="masked", breaks="contrastive learning"
)
