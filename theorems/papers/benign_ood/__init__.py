r"""Ridge regression and principal component regression when the test data come from another distribution than the training data.

Source covariance $\Sigma_S = \mathrm{diag}(l_1 \ge \ldots \ge l_p)$, design $X = Z \Sigma_S^{1/2}$ with $n$ rows, $y = X\beta + \varepsilon$ with noise
variance $v^2$; target covariance $\Sigma_T$, same $\beta$. Ridge regression $\hat\beta = X^\top A^{-1} y$ with $A = XX^\top + \lambda I$ has the excess
target risk $B + V$, $B = \|(X^\top A^{-1}X - I)\beta\|^2_{\Sigma_T}$, $V = v^2 \mathrm{Tr}(A^{-1}X\Sigma_TX^\top A^{-1})$. Coordinates are split into the
first $k$ (major, index $k$) and the rest (minor, index $m$): $G = X_mX_m^\top$, $A_m = G + \lambda I$, $s = \lambda + \sum_{j>k} l_j$,
$T = \Sigma_{S,k}^{-1/2}\Sigma_{T,k}\Sigma_{S,k}^{-1/2}$, $N = X_m\Sigma_{T,m}X_m^\top$.

Contents:
    instance_bound: bias and variance of each design under each target
    fast_rate: a benign shift keeps interpolation at order 1/n
    slow_rate: a shift onto the minor directions slows ridge regression down to n^{-1/2}
    lower_bound: for every regularisation
    pcr: principal component regression is fast again
    underparam: fewer coordinates than observations
    sharpness: the variance terms from both sides
    family: the instances behind the rates
"""

from theorems.papers.benign_ood.fast_rate import benign_shift_fast_rate
from theorems.papers.benign_ood.instance_bound import ridge_ood_instance_bound
from theorems.papers.benign_ood.lower_bound import ridge_slow_rate_lower_bound
from theorems.papers.benign_ood.paper import PAPER
from theorems.papers.benign_ood.pcr import pcr_fast_rate
from theorems.papers.benign_ood.sharpness import variance_two_sided_sharpness
from theorems.papers.benign_ood.slow_rate import ridge_slow_rate
from theorems.papers.benign_ood.underparam import underparam_specialisation

__all__ = [
    "PAPER",
    "benign_shift_fast_rate",
    "pcr_fast_rate",
    "ridge_ood_instance_bound",
    "ridge_slow_rate",
    "ridge_slow_rate_lower_bound",
    "underparam_specialisation",
    "variance_two_sided_sharpness",
]
