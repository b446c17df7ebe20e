r"""Sharpness dynamics of the UV model: fixed points, edge of stability, route to chaos.

One example $(x, y)$, the network $f(x) = \sigma\, v^\top U x$ with $v \in \mathbb{R}^n$, $U \in \mathbb{R}^{n \times d}$
($\sigma = n^{-1/2}$ in the paper; a general prefactor only changes $c$), loss $\frac12 (f - y)^2$, gradient descent with step
$\eta$. Residual $D = f - y$, $c = \sigma^2 \|x\|^2$, trace of the loss Hessian at zero loss (and NTK)
$\lambda = \|\nabla f\|^2 = \sigma^2 (\|x\|^2 \|v\|^2 + \|Ux\|^2)$. Admissible: $\lambda \ge 2\sqrt c |f|$, that is
$A = \frac12 (\lambda + 2\sqrt c f) \ge 0$ and $B = \frac12 (\lambda - 2\sqrt c f) \ge 0$. In units of the step:
$g = \eta\sqrt c$, $u = g f$, $\mu = g |y| = \eta/\eta_c$, $m = 1 + \mu$. For $y < 0$ exchange $A$ and $B$, $f \to -f$.

Contents:
    function_space: the closed map in (D, lambda), its fixed points
    sharpness: the largest eigenvalue of the whole Hessian
    flow: gradient flow: progressive sharpening, the turning point of the sharpness
    edge: the edge of stability and its order parameter
    cascade: period doubling and chaos on the edge-of-stability manifold
    escape: the invariant interval and divergence beyond twice the critical step
"""

from theorems import Paper

PAPER = Paper(
    key="sharpness_uv",
    title="Universal Sharpness Dynamics in Neural Network Training: Fixed Point Analysis, Edge of Stability, and Route to "
    "Chaos",
    authors=("Dayal Singh Kalra", "Tianyu He", "Maissam Barkeshli"),
    venue="ICLR 2025",
    arxiv="2311.02076",
)

from theorems.papers.sharpness_uv import cascade, edge, escape, function_space, sharpening, sharpness, turning  # noqa: E402

__all__ = ["PAPER", "cascade", "edge", "escape", "function_space", "sharpening", "sharpness", "turning"]
