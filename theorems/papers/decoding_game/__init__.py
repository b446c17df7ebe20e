r"""Text generation as a game: truncation, temperature and greedy search as minimax strategies.

A model's next-token distribution $\hat p_1 \ge \dots \ge \hat p_d$ on $d$ tokens (`p` in code) and a budget $\epsilon > 0$. The
Strategist picks $q$ in the simplex, then Nature picks $p$ in $N(\hat p, \epsilon) = \{p : \frac12 \sum_i |p_i - \hat p_i| \le
\epsilon\}$; the payoff is $\sum_i q_i f(p_i)$ for an increasing concave $f$, log in the main case ($f(0) = -\infty$; unused
tokens contribute 0). $V = \max_q \min_p$. Objectives $f_\tau(p) = p^{1-1/\tau}/(1 - 1/\tau)$, $f_1 = \log$. Token $i$ is *usable* if
$\hat p_i > \epsilon$; then $D_i = f(\hat p_i) - f(\hat p_i - \epsilon)$, $w_i = 1/D_i$, and on usable tokens
$S_I = \sum_{i \le I} w_i (f(\hat p_i) - f(\hat p_I))$, $I^* = \max\{I : S_I \le 1\}$. Tail hypothesis (T): $\hat p_d \le \epsilon < \hat
p_1$, so that a strategy of finite value leaves a token unused and Nature dumps there what it removes.

Contents:
    one_step: the l-infinity regulariser, the closed form of the one-step game
    objectives: general objectives and temperature
    first_order: truncation and renormalisation as first-order approximations
    supports: when greedy search and top-k are optimal
    multi_step: the game on the tree of prefixes
    game, distributions, trees: the mathematics and the instances they share
"""

from theorems import Paper

PAPER = Paper(
    key="decoding_game",
    title="Decoding Game: On Minimax Optimality of Heuristic Text Generation Strategies",
    authors=("Sijin Chen", "Omar Hagrass", "Jason M. Klusowski"),
    venue="ICLR 2025",
    arxiv="2410.03968",
)

from theorems.papers.decoding_game import first_order, multi_step, objectives, one_step, supports  # noqa: E402

__all__ = ["PAPER", "first_order", "multi_step", "objectives", "one_step", "supports"]
