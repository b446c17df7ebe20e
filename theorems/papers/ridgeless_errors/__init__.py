r"""Prediction and estimation risk of the ridgeless least squares estimator under general regression errors.

Data $y = X\beta + \varepsilon$ with $X \in \mathbb{R}^{n \times p}$, $\mathbb{E}\varepsilon = 0$,
$\mathbb{E}\varepsilon\varepsilon^\top = \Omega$ of any off-diagonal structure; the estimator is $\hat\beta = X^+ y$. For a PSD
weight $S$ the variance given $X$ is $\mathrm{Var}_S(X) = \mathrm{Tr}(X^+ \Omega X^{+\top} S)$: prediction for $S = \Sigma$,
estimation for $S = I$. A design is left-spherical when $OX$ has the law of $X$ for every orthogonal $O$. Mean error variance
$\bar s^2 = \mathrm{Tr}\,\Omega / n$, signal strength $r^2$, $\mathrm{SNR} = r^2 / \bar s^2$.

Contents:
    variance: only the trace of Omega enters, exactly over a finite group and in simulation
    gaussian: closed forms for Gaussian designs
    bias: the bias under random effects
    limits: proportional limits through the companion Stieltjes transform
    descent: the least risk beyond interpolation and its signal-to-noise threshold
"""

from theorems.papers.ridgeless_errors.bias import bias_random_effects
from theorems.papers.ridgeless_errors.descent import double_descent_snr_threshold
from theorems.papers.ridgeless_errors.gaussian import gaussian_closed_form_risk
from theorems.papers.ridgeless_errors.limits import asymptotic_risk_limits
from theorems.papers.ridgeless_errors.paper import PAPER
from theorems.papers.ridgeless_errors.variance import left_spherical_monte_carlo, variance_trace_factorization

__all__ = [
    "PAPER",
    "asymptotic_risk_limits",
    "bias_random_effects",
    "double_descent_snr_threshold",
    "gaussian_closed_form_risk",
    "left_spherical_monte_carlo",
    "variance_trace_factorization",
]
