r"""k-means and k-medians with predicted labels: what an error rate costs, and how fast good centres are found.

Predicted clusters $P_i$ agree with reference clusters $P^*_i$ up to an error rate $a$: $|P_i \cap P^*_i| \ge (1-a)\max(|P_i|, |P^*_i|)$. Trimming
each coordinate of $P_i$ to the tightest $(1-a)|P_i|$ values costs a factor $1 + O(a)$; sampling finds nearly as tight a subset in linear
time. All ratios $R$ charge the reference clusters to the centres, $R = \sum_i \mathrm{cost}(P^*_i, c_i)/OPT$, which is no more favourable than
the cost of the nearest centre.
"""

from theorems.papers.augmented_kmeans.counting import linear_time
from theorems.papers.augmented_kmeans.direct import direct_centre_ratio
from theorems.papers.augmented_kmeans.lemma import subset_mean_lemma
from theorems.papers.augmented_kmeans.linear import linear_in_alpha
from theorems.papers.augmented_kmeans.medians import kmedians_ratio
from theorems.papers.augmented_kmeans.paper import PAPER
from theorems.papers.augmented_kmeans.sampling import sampling_ratio
from theorems.papers.augmented_kmeans.window import window_ratio

__all__ = [
    "PAPER",
    "direct_centre_ratio",
    "kmedians_ratio",
    "linear_in_alpha",
    "linear_time",
    "sampling_ratio",
    "subset_mean_lemma",
    "window_ratio",
]
