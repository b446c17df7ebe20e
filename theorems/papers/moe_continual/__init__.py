r"""Mixture of experts in continual learning: forgetting, generalisation, and a gate that must stop to learn.

Rounds $t = 1, \dots, T$ bring tasks $n_t$ drawn uniformly from a pool $w_1, \dots, w_N \in \mathbb{R}^d$, with features $X_t$ ($s$ columns) and labels
$X_t^\top w_{n_t}$. One of $M$ experts, all starting at 0, is chosen and makes the least change that fits the batch:
$w \leftarrow (I - P_t) w + P_t w_{n_t}$ with the projector $P_t$ on the columns. With $E_\tau(w) = |w - w_{n_\tau}|^2$,
forgetting is $F_t = \frac1{t-1}\sum_{\tau<t} [E_\tau(w^{(m_\tau)}_t) - E_\tau(w^{(m_\tau)}_\tau)]$ and the generalisation error
$G_T = \frac1T\sum_\tau E_\tau(w^{(m_\tau)}_T)$.
"""

from theorems.papers.moe_continual.gating import (
    exploration_rounds_grow_with_M,
    gating_must_terminate,
    router_balances_load,
)
from theorems.papers.moe_continual.moe import moe_beats_single_threshold, moe_expected_forgetting
from theorems.papers.moe_continual.more_experts import more_experts_no_better
from theorems.papers.moe_continual.paper import PAPER
from theorems.papers.moe_continual.recursion import expert_recursion
from theorems.papers.moe_continual.single import single_expert_forgetting_generalisation
from theorems.papers.moe_continual.specialised import specialised_experts_do_not_forget

__all__ = [
    "PAPER",
    "expert_recursion",
    "exploration_rounds_grow_with_M",
    "gating_must_terminate",
    "moe_beats_single_threshold",
    "moe_expected_forgetting",
    "more_experts_no_better",
    "router_balances_load",
    "single_expert_forgetting_generalisation",
    "specialised_experts_do_not_forget",
]
