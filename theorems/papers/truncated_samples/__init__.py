r"""Learning exponential families from truncated samples: gradient descent over a ball of Kullback-Leibler divergence.

$p_\theta(x) = h(x)e^{\theta\cdot T(x) - A(\theta)}$; samples come from $p_{\theta^\star}$ conditioned on a set $S$ of mass $\alpha = p_{\theta^\star}(S)$,
$L = \ln(1/\alpha)$. The moment-matching $\theta_0$ has $\mathbb{E}_{p_{\theta_0}}T = \mathbb{E}_{p^S_{\theta^\star}}T$, and the search runs over
$K = \{\theta : \mathrm{KL}(p_{\theta_0}\|p_\theta) \le L\}$, on which $S$ keeps a mass of at least $\alpha^2$. Test families: (G) $N(\theta, 1)$ with $S$ a
union of intervals, (B) products of Bernoulli laws with any $S$.
"""

from theorems.papers.truncated_samples.convexity import truncated_nll_convexity, truncated_second_moment
from theorems.papers.truncated_samples.decomposition import init_distance, kl_decomposition
from theorems.papers.truncated_samples.descent import sgd_kl_guarantee
from theorems.papers.truncated_samples.mass import alpha_squared_exponent, kl_ball_mass, query_complexity
from theorems.papers.truncated_samples.paper import PAPER

__all__ = [
    "PAPER",
    "alpha_squared_exponent",
    "init_distance",
    "kl_ball_mass",
    "kl_decomposition",
    "query_complexity",
    "sgd_kl_guarantee",
    "truncated_nll_convexity",
    "truncated_second_moment",
]
