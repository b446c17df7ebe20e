r"""Between extragradient and proximal methods for weak Minty variational inequalities.

$F : \mathbb{R}^d \to \mathbb{R}^d$ is $L$-Lipschitz with a zero $x^*$ and satisfies the weak Minty inequality
$\langle F(x), x - x^* \rangle \ge \rho |F(x)|^2$, where $\rho$ may be negative. The relaxed proximal point method (rPPA) takes
$z_k = (I + \gamma F)^{-1}(x_k)$ and $x_{k+1} = (1 - l)x_k + l z_k$. The error-corrected inexact method (EC-PPA) iterates
$z \leftarrow x - \gamma F(z)$ from $z = x$ until $|x - z - \gamma F(z)| \le \sigma\gamma|F(z)|$, and then takes the half-space step
$x^+ = x - \lambda\alpha v$, $v = F(z)$, $\alpha = \max(0, \langle v, x - z\rangle/|v|^2 + \rho)$. EG+ is $x^+ = x - \lambda\gamma F(x - \gamma F(x))$.

Contents:
    relaxed_ppa: the sharp rate of rPPA, and the range of rho in which it converges
    extragradient: the range of methods based on one extragradient step
    inner_accuracy: what j inner iterations are worth, between extragradient (j = 1) and the resolvent
    tolerance: one budget for the tolerance and for the class
    rate: the rate of EC-PPA and the number of inner iterations
    linear: linear convergence
    methods, polar: EC-PPA in balls, and operators with known constants
"""

from theorems.papers.weak_minty.extragradient import eg_range_phase_transition
from theorems.papers.weak_minty.inner_accuracy import inner_accuracy_interpolation
from theorems.papers.weak_minty.linear import linear_convergence
from theorems.papers.weak_minty.paper import PAPER
from theorems.papers.weak_minty.rate import ec_ppa_rate
from theorems.papers.weak_minty.relaxed_ppa import rppa_range_phase_transition, rppa_sharp_rate
from theorems.papers.weak_minty.tolerance import tolerance_class_tradeoff

__all__ = [
    "PAPER",
    "ec_ppa_rate",
    "eg_range_phase_transition",
    "inner_accuracy_interpolation",
    "linear_convergence",
    "rppa_range_phase_transition",
    "rppa_sharp_rate",
    "tolerance_class_tradeoff",
]
