r"""Local steps and random reshuffling for generally smooth non-convex federated optimisation.

$f = \frac1M\sum_mf_m$, perhaps $f_m = \frac1n\sum_if_{m,i}$; every function is bounded below and $(L_0, L_1)$-smooth:
$|\nabla^2h| \le L_0 + L_1|\nabla h|$. $A_h = L_0 + L_1|\nabla h|$, $\delta_t = f(x_t) - f^*$, and $\Delta^*$ is $f^*$ minus the mean of the infima of the parts. The server step
$\gamma_t = 1/(2A_f(x_t))$ is clipping. Clip-LocalGDJ makes $K$ local steps at each client and jumps along their mean drift; CLERR makes one pass over the data
points; Clipped RR-CLI makes passes at cohorts of clients. The client step is our rule with an accuracy $q > 0$.

Contents:
    descent: the sharp descent lemma
    rates: the recursion and the rate of the three methods
    pl: two phases under the Polyak-Lojasiewicz condition
    clipping: the critical start without clipping; sampling without replacement
    federation, methods: polynomials with proven constants, and the methods in balls
"""

from theorems.papers.generalized_smooth_fl.clipping import clipping_phase_transition, without_replacement_variance
from theorems.papers.generalized_smooth_fl.descent import sharp_descent_lemma
from theorems.papers.generalized_smooth_fl.paper import PAPER
from theorems.papers.generalized_smooth_fl.pl import pl_two_phase
from theorems.papers.generalized_smooth_fl.rates import clerr_rate, clip_localgdj_rate, rr_cli_rate

__all__ = [
    "PAPER",
    "clerr_rate",
    "clip_localgdj_rate",
    "clipping_phase_transition",
    "pl_two_phase",
    "rr_cli_rate",
    "sharp_descent_lemma",
    "without_replacement_variance",
]
