"""Streams of random networks with one block dropped: their wide limit in balls, and simulated networks of finite width."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flint import arb

from solvers.enclosures import precision

BITS = 128


@lru_cache(maxsize=4096)
def wide_limit(L: int) -> arb:
    """Psi(L) of residual blocks with layer normalisation in the limit of infinite width."""
    with precision(BITS):
        product, total = arb(1), arb(0)
        for l in range(L, 0, -1):
            cosine = (arb(l) / (l + 1)).sqrt() * product
            total += (2 * (1 - cosine)).sqrt()
            product *= (1 + 1 / arb(l * (l - 1)).sqrt()) * (arb(l - 1) / (l + 1)).sqrt() if l > 1 else arb(1)
        return total / L


def drop_gaps(rng: Any, network: str, L: int, width: int, batch: int) -> Any:
    """|LN(y_L) - LN(y_L^{-l})| / sqrt d for independent Gaussian networks, each with its own uniformly random block l.

    The mean is that of Psi. Only the Gram matrix of the two streams is kept, whose law is that of the networks: the
    images W a and W b are p g and q g + r h with independent standard normal vectors g and h, which have four
    coordinates in the plane of the streams and a Wishart Gram matrix outside of it (Bartlett).

    Args:
        rng: NumPy generator.
        network: "both", "no normalisation" or "no residual".
        L: number of blocks.
        width: d >= 4.
        batch: number of networks.

    Returns:
        array (batch,), in [0, 2].
    """
    import numpy as np

    A = rng.chisquare(width, size=batch)  # |y|^2
    B, C = A.copy(), A.copy()  # y.z and |z|^2, z the stream without its block
    dropped = rng.integers(1, L + 1, size=batch)
    kept = 0.0 if network == "no residual" else 1.0
    for l in range(1, L + 1):
        alpha, beta = (1.0, 1.0) if network == "no normalisation" else (np.sqrt(width / A), np.sqrt(width / C))
        y, along = np.sqrt(A), B / np.sqrt(A)
        across = np.sqrt(np.maximum(C - along**2, 0.0))
        p, q, r = (scale * v / np.sqrt(width) for scale, v in ((alpha, y), (beta, along), (beta, across)))
        g1, g2, h1, h2, n = rng.normal(size=(5, batch))
        R11, rest = rng.chisquare(width - 2, size=batch), rng.chisquare(width - 3, size=batch)
        R12, R22 = np.sqrt(R11) * n, n**2 + rest
        u1, u2 = kept * y + p * g1, p * g2
        v1, v2 = kept * along + q * g1 + r * h1, kept * across + q * g2 + r * h2
        out = dropped == l
        B = np.where(out, u1 * along + u2 * across, u1 * v1 + u2 * v2 + p * q * R11 + p * r * R12)
        C = np.where(out, C, v1**2 + v2**2 + q**2 * R11 + 2 * q * r * R12 + r**2 * R22)
        A = u1**2 + u2**2 + p**2 * R11
    return np.sqrt(np.maximum(2 - 2 * B / np.sqrt(A * C), 0.0))


def simulated_gaps(rng: Any, network: str, L: int, width: int, batch: int) -> Any:
    """The same as `drop_gaps`, from the definition: every block's d x d matrix is drawn."""
    import numpy as np

    y = rng.normal(size=(batch, width))
    z = y.copy()
    dropped = rng.integers(1, L + 1, size=batch)
    for l in range(1, L + 1):
        W = rng.normal(size=(batch, width, width)) / np.sqrt(width)
        after = [
            np.einsum("nij,nj->ni", W, v if network == "no normalisation" else np.sqrt(width) * normalised(v))
            for v in (y, z)
        ]
        kept = 0.0 if network == "no residual" else 1.0
        y, moved = kept * y + after[0], kept * z + after[1]
        z = np.where((dropped == l)[:, None], z, moved)
    return np.linalg.norm(normalised(y) - normalised(z), axis=1)


def normalised(y: Any) -> Any:
    """Rows of length 1."""
    import numpy as np

    return y / np.linalg.norm(y, axis=1, keepdims=True)
