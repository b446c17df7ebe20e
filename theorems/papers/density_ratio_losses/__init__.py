r"""Binary losses for density ratio estimation: which losses measure which error of the estimated ratio.

$P \ll Q$ with $\beta = dP/dQ$; labels $y = 1$ for points of $P$ and $y = -1$ for points of $Q$ with equal class priors. A binary loss
$(\ell(1, \cdot), \ell(-1, \cdot))$ has the risk $R(f) = \frac12 \mathbb{E}_P \ell(1, f) + \frac12 \mathbb{E}_Q \ell(-1, f)$; a strictly
increasing link $g$ turns predictions into ratios $\hat\beta = g(f)$, whose Bregman error is
$B_\phi(\beta, \hat\beta) = \mathbb{E}_Q[\phi(\beta) - \phi(\hat\beta) - \phi'(\hat\beta)(\beta - \hat\beta)]$. The recipe is
$\ell(1, y) = -\phi'(g(y))$, $\ell(-1, y) = g(y)\phi'(g(y)) - \phi(g(y))$.

Contents:
    catalogue: nine losses with links and generators
    excess: the excess risk of the recipe is a Bregman error, and of no other loss
    generators: classical losses; class-probability errors as ratio errors
    convexity: convex losses
    priority: the cost of equal errors at small and at large ratios
    misspecified: the fit of a model that cannot fit everywhere
    samples: the error of an estimate from samples
"""

from theorems.papers.density_ratio_losses.convexity import convex_loss_recipe
from theorems.papers.density_ratio_losses.excess import excess_risk_is_bregman, loss_uniqueness
from theorems.papers.density_ratio_losses.generators import classical_loss_generators, cpe_dre_bregman_identity
from theorems.papers.density_ratio_losses.misspecified import misspecified_fit_priority
from theorems.papers.density_ratio_losses.paper import PAPER
from theorems.papers.density_ratio_losses.priority import absolute_error_priority
from theorems.papers.density_ratio_losses.samples import finite_sample_error

__all__ = [
    "PAPER",
    "absolute_error_priority",
    "classical_loss_generators",
    "convex_loss_recipe",
    "cpe_dre_bregman_identity",
    "excess_risk_is_bregman",
    "finite_sample_error",
    "loss_uniqueness",
    "misspecified_fit_priority",
]
