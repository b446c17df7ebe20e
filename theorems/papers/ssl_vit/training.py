r"""Minibatch training of the whole matrix Q: feature correlations phi (by cluster) and position correlations upsilon, in doubles.

The score of patch q for position p is $z_a \phi_{p,a} + \upsilon_{p,q}$, $a$ the area of q, so weights factor into $e^{z_a \phi_{p,a}}$ and $e^{\upsilon_{p,q}}$.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CLUSTERS, IMAGES, NEGATIVES = 3, 20, 8
EVALUATED = 100  # fresh images of each cluster


@dataclass(frozen=True)
class Setting:
    """Sizes of an image and its areas, and a training run at learning rate eta."""

    P: int
    large: int
    small: int
    objective: str  # "masked" or "contrastive"
    eta: int
    steps: int
    blind: bool = False  # all positions share one row of correlations


@dataclass(frozen=True)
class Seen:
    """Mean attention of masked positions whose own area is visible: local ones on their own and on the global area, global ones."""

    own: float
    to_global: float
    global_own: float


@dataclass
class Model:
    """phi: (K, P, N); upsilon: (P, P); areas: the area of each position, (K, P)."""

    phi: Floats
    upsilon: Floats
    areas: NDArray[np.int64]


class Views:
    """The attention of all positions on some masked images of one cluster; arrays have the shape (positions, images, areas)."""

    def __init__(self, m: Model, k: int, z: Floats, visible: NDArray[np.bool_]) -> None:
        P, N = m.phi.shape[1:]
        hot = m.areas[k][:, None, None] == np.arange(N)
        self.U, self.z, self.visible = np.exp(m.upsilon), z, visible.T[:, :, None]
        self.M = (self.visible & hot).reshape(P, -1).astype(np.float64)
        self.G = np.exp(z * m.phi[k][:, None, :])
        W = self.G * (self.U @ self.M).reshape(self.G.shape)
        self.D = W.sum(axis=2, keepdims=True)
        self.A = W / self.D

    @property
    def pooled(self) -> Floats:
        """Features (images, areas) averaged over positions."""
        return self.A.mean(axis=0) * self.z

    def gradient(self, slope: Floats) -> tuple[Floats, Floats]:
        """The gradients by phi and upsilon, summed over images, of a loss whose slope in F_p is given (broadcast to all axes)."""
        value = slope * self.z
        centred = value - (self.A * value).sum(axis=2, keepdims=True)
        h = self.G * centred / self.D
        return (self.z * self.A * centred).sum(axis=1), self.U * (h.reshape(self.M.shape) @ self.M.T)


def masks(rng: np.random.Generator, count: int, P: int) -> NDArray[np.bool_]:
    """Uniform masks with round(P/2) visible patches."""
    visible = np.zeros((count, P), dtype=bool)
    np.put_along_axis(visible, np.argsort(rng.random((count, P)), axis=1)[:, : round(P / 2)], True, axis=1)
    return visible


def masked(m: Model, k: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Gradient of the masked reconstruction loss, summed over a batch."""
    _, P, N = m.phi.shape
    z = rng.uniform(0.8, 1.2, (IMAGES, N))
    views = Views(m, k, z, masks(rng, IMAGES, P))
    target = z * (m.areas[k][:, None, None] == np.arange(N))
    return views.gradient((views.A * z - target) * ~views.visible)


def contrastive(m: Model, k: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Gradient of the InfoNCE loss at temperature 1, summed over a batch; the other views are not differentiated."""
    _, P, N = m.phi.shape
    z = rng.uniform(0.8, 1.2, (IMAGES, N))
    first, second = (Views(m, k, z, masks(rng, IMAGES, P)) for _ in range(2))
    same = rng.integers(CLUSTERS, size=(IMAGES, NEGATIVES)) == 0  # features of other clusters are orthogonal
    count = int(same.sum())
    negatives = np.zeros((IMAGES, NEGATIVES, N))
    if count:
        negatives[same] = Views(m, k, rng.uniform(0.8, 1.2, (count, N)), masks(rng, count, P)).pooled
    f, g = first.pooled, second.pooled
    e = np.exp((f * g).sum(axis=1))
    others = np.exp((f[:, None, :] * negatives).sum(axis=2))
    total = e + others.sum(axis=1)
    slope = -(1 - e / total)[:, None] * g + ((others / total[:, None])[:, :, None] * negatives).sum(axis=1)
    return first.gradient(slope / P)


@cache
def trained(s: Setting, seed: int) -> Seen:
    """Train from Q = 0 on random partitions, and look at the attention on fresh masks."""
    rng = np.random.default_rng(seed)
    N = 1 + (s.P - s.large) // s.small
    pattern = np.repeat(np.arange(N), [s.large] + [s.small] * (N - 1))
    areas = np.stack([rng.permutation(pattern) for _ in range(CLUSTERS)])
    m = Model(np.zeros((CLUSTERS, s.P, N)), np.zeros((s.P, s.P)), areas)
    step = masked if s.objective == "masked" else contrastive
    scale = s.eta / (IMAGES * CLUSTERS)
    for _ in range(s.steps):
        by_phi, by_upsilon = zip(*(step(m, k, rng) for k in range(CLUSTERS)))
        g, h = np.stack(by_phi), sum(by_upsilon)
        if s.blind:
            g, h = g.mean(axis=1, keepdims=True), h.mean(axis=0, keepdims=True)
        m.phi -= scale * g
        m.upsilon -= scale * h
    return seen(m, rng)


def seen(m: Model, rng: np.random.Generator) -> Seen:
    """Mean attention at masked positions with a visible patch of their own area."""
    _, P, N = m.phi.shape
    own: list[Floats] = []
    to_global: list[Floats] = []
    global_own: list[Floats] = []
    for k in range(CLUSTERS):
        views = Views(m, k, rng.uniform(0.8, 1.2, (EVALUATED, N)), masks(rng, EVALUATED, P))
        mine = np.take_along_axis(views.A, m.areas[k][:, None, None], axis=2)[:, :, 0]
        held = np.stack([views.visible[m.areas[k] == a, :, 0].sum(axis=0) for a in range(N)])[m.areas[k]]
        counted = ~views.visible[:, :, 0] & (held > 0)
        local = counted & (m.areas[k] > 0)[:, None]
        own.append(mine[local])
        to_global.append(views.A[:, :, 0][local])
        global_own.append(mine[counted & (m.areas[k] == 0)[:, None]])
    return Seen(*(float(np.concatenate(v).mean()) for v in (own, to_global, global_own)))
