r"""Distributed adaptive optimisation with local updates: Local SGDM and Local Adam with coordinatewise clipping.

$M$ workers take $K$ local steps in each of $R$ rounds on $\min f(x) = \mathbb{E} F(x; \xi)$. With clipped stochastic gradients $\hat g$
a worker's step is $u \leftarrow \beta_1 u + (1 - \beta_1)\hat g$, $v \leftarrow \beta_2 v + (1 - \beta_2)\hat g \odot \hat g$,
$x \leftarrow x - \eta u/\sqrt{v + \lambda^2}$; at the end of a round $x$, $u$ and $v$ are averaged over the workers. Local SGDM has
$x \leftarrow x - \eta u$. The auxiliary sequence is $z_{t+1} = (x_{t+1} - \beta_1 x_t)/(1 - \beta_1)$.

Contents:
    auxiliary: momentum turned into plain steps, across synchronisations
    contraction: the pathwise inequality for two workers, with its sharp constant
    consensus: linear growth of the spread for convex f, exponential for weakly convex f
    clipping: clipping keeps a round in a box, so that only local smoothness matters
    local_minibatch: when local steps beat minibatches
    denominators: stability of Adam's denominators within a round
    local_adam: the bound for weakly convex f
    heavy_tail: the price of confidence without clipping
"""

from theorems.papers.local_adaptive.auxiliary import auxiliary_sequence_identity
from theorems.papers.local_adaptive.clipping import clipping_localises_smoothness
from theorems.papers.local_adaptive.consensus import consensus_linear_growth
from theorems.papers.local_adaptive.contraction import pathwise_contraction
from theorems.papers.local_adaptive.denominators import adam_denominator_stability
from theorems.papers.local_adaptive.heavy_tail import clipping_heavy_tail
from theorems.papers.local_adaptive.local_adam import local_adam_weakly_convex
from theorems.papers.local_adaptive.local_minibatch import local_beats_minibatch
from theorems.papers.local_adaptive.paper import PAPER

__all__ = [
    "PAPER",
    "adam_denominator_stability",
    "auxiliary_sequence_identity",
    "clipping_heavy_tail",
    "clipping_localises_smoothness",
    "consensus_linear_growth",
    "local_adam_weakly_convex",
    "local_beats_minibatch",
    "pathwise_contraction",
]
