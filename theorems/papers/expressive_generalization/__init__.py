r"""Expressive power and generalization: what a minimiser of the empirical risk owes to the width of its class.

$H_W(n)$ holds the two-layer ReLU networks $F(x) = \sum_{i \le W} a_i\,\mathrm{relu}(w_i \cdot x + b_i) + c_0$ on $[0,1]^n$ with all parameters in
$[-1, 1]$. A distribution is expressed by $H_{W_0}$ with confidence $c$ if $y F(x) \ge c$ for some $F \in H_{W_0}$. Cross-entropy $l(z) = \ln(1 +
e^{-z})$, $k = \lfloor W/(W_0+1) \rfloor$: every minimiser of width $W$ has risk at most $l(kc)$, and the theory uses nothing else. On the line $H_W$
lies in the convex class $R_W$ of `solvers.shallow_hull`, where worst cases are convex programs.

Contents:
    replication: k copies of a small network
    rademacher: the complexity of the class is linear in its width
    accuracy, samples: lower bounds of the accuracy of near-minimisers
    sample_size: how many samples are necessary
    threshold: how wide a class must be to see a minority point
    losses: what cross-entropy protects and the hinge loss does not
    robust, staircase, alternating: the width that robustness costs
"""

from theorems.papers.expressive_generalization.accuracy import accuracy_lower_bound
from theorems.papers.expressive_generalization.losses import loss_function_dichotomy
from theorems.papers.expressive_generalization.paper import PAPER
from theorems.papers.expressive_generalization.rademacher import rademacher_linear_in_width
from theorems.papers.expressive_generalization.replication import replication_construction
from theorems.papers.expressive_generalization.robust import robust_width_inflation
from theorems.papers.expressive_generalization.sample_size import necessary_sample_size
from theorems.papers.expressive_generalization.staircase import robust_accuracy_staircase
from theorems.papers.expressive_generalization.threshold import overparameterisation_threshold

__all__ = [
    "PAPER",
    "accuracy_lower_bound",
    "loss_function_dichotomy",
    "necessary_sample_size",
    "overparameterisation_threshold",
    "rademacher_linear_in_width",
    "replication_construction",
    "robust_accuracy_staircase",
    "robust_width_inflation",
]
