"""The neural tangent kernel of a two-layer linear network on whitened inputs."""

from __future__ import annotations

from typing import Any

from flint import arb_mat, fmpq_mat

from solvers.linear_networks.closed_form import Blocks, inner
from solvers.linear_networks.weights import Weights


def tangent_kernel(inputs: Any, outputs: Any, *, second: Any = 1, exchanged: bool = False) -> Any:
    """The neural tangent kernel I_{N_o} x W1^T W1 + W2 W2^T x I_{N_i} on whitened inputs, output index slow.

    `second` multiplies the second term; `exchanged` exchanges the factors of both Kronecker products.
    """
    n_i, n_o = inputs.nrows(), outputs.nrows()
    A, D = inputs.tolist(), outputs.tolist()
    zero = A[0][0] * 0
    order = [(o, i) for o in range(n_o) for i in range(n_i)]
    if exchanged:
        order = [(o, i) for i in range(n_i) for o in range(n_o)]
    kind = arb_mat if isinstance(inputs, arb_mat) else fmpq_mat
    return kind(
        [[(A[i][j] if o == p else zero) + (D[o][p] * second if i == j else zero) for p, j in order] for o, i in order]
    )


def jacobian(weights: Weights) -> Any:
    """The Jacobian of the entries of W2 W1 (row index (o, i), o slow) in all entries of W1, then of W2."""
    W1, W2 = weights
    n_h, n_i, n_o = W1.nrows(), W1.ncols(), W2.nrows()
    a, b = W1.tolist(), W2.tolist()
    zero = a[0][0] * 0
    rows = []
    for o in range(n_o):
        for i in range(n_i):
            first = [b[o][h] if j == i else zero for h in range(n_h) for j in range(n_i)]
            second = [a[h][i] if p == o else zero for p in range(n_o) for h in range(n_h)]
            rows.append(first + second)
    return arb_mat(rows) if isinstance(W1, arb_mat) else fmpq_mat(rows)


def kernel_distance(first: Blocks, second: Blocks) -> Any:
    """S(K, K') = 1 - <K, K'> / (|K| |K'|) of two tangent kernels, from the blocks of Q Q^T."""
    a, b = tangent_kernel(first.inputs, first.outputs), tangent_kernel(second.inputs, second.outputs)
    x, y = inner(a, a).sqrt(), inner(b, b).sqrt()
    D = a * (1 / x) - b * (1 / y)  # 1 - cos = |K/|K| - K'/|K'||^2 / 2: no cancellation
    return inner(D, D) / 2
