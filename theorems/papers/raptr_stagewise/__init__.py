r"""Training random subnetworks of growing depth (RaPTr): what a dropped layer changes, what few layers cannot fit, what is saved.

Blocks $l = 1..L$ act on $y \in \mathbb{R}^d$ by $y_l = y_{l-1} + W_l \mathrm{LN}(y_{l-1})$ with $\mathrm{LN}(y) = \sqrt d\, y/\|y\|$. In stage $s$ a
uniformly random subset of $p_s$ blocks is trained, $p_1 < \dots < p_k = L$. The gap between the full network and one without a random
block decides how much the loss jumps when a stage ends.
"""

from theorems.papers.raptr_stagewise.degree import subnetwork_degree
from theorems.papers.raptr_stagewise.gaps import ablated_gap_constant, ablated_raw_gap, ln_residual_gap_rate
from theorems.papers.raptr_stagewise.lipschitz import loss_gap_lipschitz
from theorems.papers.raptr_stagewise.paper import PAPER
from theorems.papers.raptr_stagewise.stages import scaled_subnetwork_moments, schedule_speedup

__all__ = [
    "PAPER",
    "ablated_gap_constant",
    "ablated_raw_gap",
    "ln_residual_gap_rate",
    "loss_gap_lipschitz",
    "scaled_subnetwork_moments",
    "schedule_speedup",
    "subnetwork_degree",
]
