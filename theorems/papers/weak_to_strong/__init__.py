r"""Weak-to-strong generalization by benign overfitting: a strong model learns from a teacher that is nearly guessing.

Bi-level ensemble $(p, q, r)$ at scale $n$: $d = n^p$ independent Gaussian features, of which $s = n^r$ are favoured, with variance
$l_F = a d/s$, $a = n^{-q}$; the others have $l_U = (1 - a) d/(d - s)$. The label is $y = \mathrm{sgn}(g_1)$, $g_1$ the first favoured feature. Models are
minimum-norm interpolators $f = X^\top (XX^\top)^{-1} y$, classified by sign; with normalised coefficients $b_j$ and
$R = b_1/(\sum_{j>1} b_j^2)^{1/2}$ the accuracy is $\frac12 + \frac1\pi \arctan R$. A weak model sees a subset of the strong features, with an
ensemble $(p_w, q_w, r_w)$ of its own; trained on $n$ clean samples it labels $m = n^u$ fresh ones for the strong model.

Contents:
    clean: one model on clean labels
    transition: the exponent e(u) of the strong model on weak labels, and its critical u*
    success: an instance where teacher and student fail alone, and succeed together
    multilabel: k labels at once
    onehot: what per-class labels are worth against the arg max alone
    lower_tail: the maximum of equicorrelated normals
    slepian: and of normals with correlations at most rho
    ensemble: the ensembles and models, simulated exactly in law
    medians: exponents as statements about probabilities
"""

from theorems.papers.weak_to_strong.clean import clean_mni_exponent
from theorems.papers.weak_to_strong.lower_tail import equicorrelated_lower_tail
from theorems.papers.weak_to_strong.multilabel import w2s_multilabel
from theorems.papers.weak_to_strong.onehot import multilabel_vs_onehot
from theorems.papers.weak_to_strong.paper import PAPER
from theorems.papers.weak_to_strong.slepian import slepian_domination
from theorems.papers.weak_to_strong.success import w2s_success_where_both_fail
from theorems.papers.weak_to_strong.transition import w2s_phase_transition

__all__ = [
    "PAPER",
    "clean_mni_exponent",
    "equicorrelated_lower_tail",
    "multilabel_vs_onehot",
    "slepian_domination",
    "w2s_multilabel",
    "w2s_phase_transition",
    "w2s_success_where_both_fail",
]
