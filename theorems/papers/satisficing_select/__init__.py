r"""Satisficing regret minimization in bandits: play until an arm is good enough, and keep it.

Arms $x$ have unknown means $r(x)$; pulls give $r(x)$ plus 1-sub-Gaussian noise. Given a threshold $S$, the satisficing
regret is $\mathrm{SatReg}(T) = \mathbb{E}\sum_{t \le T} \max(S - r(X_t), 0)$. The case is realizable when the best mean exceeds $S$
by $\Delta > 0$. SELECT runs a learning oracle for a short while, draws one of its pulls as a candidate, samples it by
force, and keeps it until a lower confidence bound falls below $S$; then it starts again with more of everything.
"""

from theorems.papers.satisficing_select.confidence_test import lcb_dismissal, lcb_retention
from theorems.papers.satisficing_select.constant_regret import (
    select_constant_regret,
    select_continuum_constant_regret,
)
from theorems.papers.satisficing_select.gap_exponent import select_gap_exponent
from theorems.papers.satisficing_select.lower_bound import two_arm_lower_bound
from theorems.papers.satisficing_select.nonrealizable import select_nonrealizable
from theorems.papers.satisficing_select.paper import PAPER

__all__ = [
    "PAPER",
    "lcb_dismissal",
    "lcb_retention",
    "select_constant_regret",
    "select_continuum_constant_regret",
    "select_gap_exponent",
    "select_nonrealizable",
    "two_arm_lower_bound",
]
