r"""Nesterov acceleration in benignly non-convex landscapes.

$f : \mathbb{R}^d \to \mathbb{R}$ has minimisers $M$, $\pi(x)$ is a closest one, and $f$ aims at it with $\mu$ (AIM):
$\langle\nabla f(x), x - \pi(x)\rangle \ge f(x) - f^* + \frac\mu2|x - \pi(x)|^2$. It is $L$-smooth, with curvature at least $-\varepsilon$.
Nesterov's method with step $\eta \le 1/L$, $a = \sqrt{\mu\eta}$, $\rho = (1 - a)/(1 + a)$, from $v_0 = 0$: $y_n = x_n + \sqrt\eta v_n$,
$x_{n+1} = y_n - \eta g_n$, $v_{n+1} = \rho(v_n - \sqrt\eta g_n)$. AGNES uses $\sqrt\alpha$ in place of $\sqrt\eta$ in the first and the last.

Contents:
    heavy_ball, huber: the continuous-time model, and its exact solution on Huber functions
    one_step: the Lyapunov identity of one step and its sharp thresholds
    trajectories: whole runs on staircases, valleys and circles
    complexity: numbers of steps as the condition number grows
    noise: additive noise
    agnes: multiplicative noise with AGNES, and without
    agnes_affine: affine sets of minimisers under multiplicative noise
    overparametrised: local aiming in regression
    staircase: the test functions
"""

from theorems.papers.nesterov_benign import agnes_affine as agnes_affine  # its parts belong to agnes_mixed_noise
from theorems.papers.nesterov_benign.agnes import agnes_mixed_noise
from theorems.papers.nesterov_benign.complexity import nag_gd_complexity_exponent
from theorems.papers.nesterov_benign.heavy_ball import heavy_ball_identity, heavy_ball_ode_decay
from theorems.papers.nesterov_benign.noise import nag_additive_noise
from theorems.papers.nesterov_benign.one_step import nag_one_step_lyapunov
from theorems.papers.nesterov_benign.overparametrised import overparam_local_aiming
from theorems.papers.nesterov_benign.paper import PAPER
from theorems.papers.nesterov_benign.trajectories import nag_nonconvex_trajectories

__all__ = [
    "PAPER",
    "agnes_mixed_noise",
    "heavy_ball_identity",
    "heavy_ball_ode_decay",
    "nag_additive_noise",
    "nag_gd_complexity_exponent",
    "nag_nonconvex_trajectories",
    "nag_one_step_lyapunov",
    "overparam_local_aiming",
]
