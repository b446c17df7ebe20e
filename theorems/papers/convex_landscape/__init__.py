r"""Two-layer ReLU networks with weight decay: the convex program behind them, its optimal set, and the topology of that set.

Rows $x_k$ of $X \in \mathbb{Q}^{n \times d}$ (with bias: the last column is 1, and the bias is penalised like every weight), targets $y$,
$\beta > 0$. A network of width $m$ is $f_\theta = \sum_j a_j (X w_j)_+$, its loss $\frac12 \|f_\theta - y\|^2 + \frac\beta2 \sum_j (\|w_j\|^2
+ a_j^2)$. Cells are the components of $\mathbb{R}^d$ minus the hyperplanes $x_k \cdot w = 0$; $D_i$ holds the active samples of cell $i$, $K_i$ is its
closure. Convex program: $p^* = \min \frac12\|\sum_i D_i X (u_i - v_i) - y\|^2 + \beta\sum_i(\|u_i\| + \|v_i\|)$ over $u_i, v_i \in K_i$; its dual
optimum $\nu^* = y - f^*$ is unique. A signed direction $(s, u)$, $\|u\| = 1$, is tight if $s\,\nu^* \cdot (Xu)_+ = \beta$, with atom $a = s (Xu)_+$; the optimal
polytope is $P^* = \{c \ge 0 : \sum_j c_j a_j = f^*\}$, and $m^*$, $M^*$ are the least and greatest supports of its vertices.

Contents:
    cells: the enumeration of all cells
    value: the convex program has the value of the training problem
    excess: the excess loss as a sum of brackets
    polytope, circle, conic_groups: the optimal set is a polytope over fixed directions; these on the circle; a conic solver's
    staircase: components and isolated points of the optimal networks by width
    paths: paths along which the loss never increases; pruning
    stationary, stationary_points: stationary points as optima restricted to their own blocks; how they are found
    interpolators, chains: least-norm interpolation in one dimension, with and without a free skip connection; its exact example
    interpolators_skip: the same in several dimensions
    vectors: vector outputs
    three_layers, three_layer_paths: parallel three-layer networks: their program; their paths and staircase
    instances, descent: training problems and their certified solutions; training in doubles down to kinks
"""

from theorems import Paper

PAPER = Paper(
    key="convex_landscape",
    title="Exploring the Loss Landscape of Regularized Neural Networks via Convex Duality",
    authors=("Sungyoon Kim", "Aaron Mishkin", "Mert Pilanci"),
    venue="ICLR 2025",
    arxiv="2411.07729",
)

from theorems.papers.convex_landscape import (  # noqa: E402
    cells,
    circle,
    conic_groups,
    excess,
    interpolators,
    interpolators_skip,
    paths,
    polytope,
    staircase,
    stationary,
    three_layer_paths,
    three_layers,
    value,
    vectors,
)

__all__ = [
    "PAPER",
    "cells",
    "circle",
    "conic_groups",
    "excess",
    "interpolators",
    "interpolators_skip",
    "paths",
    "polytope",
    "staircase",
    "stationary",
    "three_layer_paths",
    "three_layers",
    "value",
    "vectors",
]
