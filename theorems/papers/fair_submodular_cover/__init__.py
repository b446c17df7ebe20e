r"""Fair submodular cover: the smallest set of a given value whose groups keep to proportional bounds.

A ground set $U$ is split into groups $U_1, \dots, U_N$; $f$ is monotone and submodular with $f(\emptyset) = 0$. The cover problem minimises $|S|$
subject to $f(S) \ge \tau$ and $p_c|S| \le |S \cap U_c| \le q_c|S|$. The fairness matroid for integers $l_c \le u_c$,
$\sum l_c \le \kappa \le \sum u_c$, is $\mathcal{M} = \{S : |S \cap U_c| \le u_c,\ \sum_c \max(|S \cap U_c|, l_c) \le \kappa\}$; its
$\beta$-extension $\mathcal{M}_\beta$ multiplies all bounds by $\beta$. $\mathrm{OPT}$ is the largest value on $\mathcal{M}$. Functions here are probabilistic
coverage functions, whose multilinear extension $F$ is exact.

Contents:
    instances: random instances and families on which guarantees are tight
    exchange: beta copies of a base can be exchanged into any base of the extension
    discrete: greedy and threshold greedy
    continuous: continuous greedy and pipage rounding
    unconstrained: greedy cover without fairness
    rates: 1/eps against ln(1/eps)
    convert: from maximisation to cover
"""

from theorems.papers.fair_submodular_cover.continuous import continuous_bicriteria
from theorems.papers.fair_submodular_cover.convert import convert_fair
from theorems.papers.fair_submodular_cover.discrete import greedy_fair_bicriteria, threshold_fair_bicriteria
from theorems.papers.fair_submodular_cover.exchange import exchange_lemma
from theorems.papers.fair_submodular_cover.paper import PAPER
from theorems.papers.fair_submodular_cover.rates import bicriteria_rate
from theorems.papers.fair_submodular_cover.unconstrained import unconstrained_greedy_cover

__all__ = [
    "PAPER",
    "bicriteria_rate",
    "continuous_bicriteria",
    "convert_fair",
    "exchange_lemma",
    "greedy_fair_bicriteria",
    "threshold_fair_bicriteria",
    "unconstrained_greedy_cover",
]
