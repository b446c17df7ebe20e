r"""Training, simulated for many seeds at once in the few numbers that matter.

Sample i has the patches y_i mu and xi_i, mu a unit vector, the xi_i with disjoint supports. A gradient is the same on the whole support of xi_i up
to the factor xi_i[c], so for each neuron only its products with mu and with the xi_i move: by eta sgn(.) ||xi_i||_1 under SignGD, by eta (.)
||xi_i||_2^2 under GD, and (as Adam without epsilon is free of scale) like SignGD with Adam's normalised step in place of the sign. Weights on
single coordinates, which test data need, follow from the accumulated steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """Sizes and the optimiser.

    Attributes:
        n, d, s, width: samples, dimension, size of a support, neurons in queries, keys and each value matrix.
        rule: "sign", "gd" or "adam" (with `betas`).
        eta: step size.
        T: steps.
        norm: the l1 norm to which every xi_i is scaled (None: as drawn, standard deviation 2).
        shrink: factor on the initial weights.
        every: steps between records.
    """

    n: int = 20
    d: int = 2000
    s: int = 20
    width: int = 20
    rule: str = "sign"
    eta: float = 1e-4
    T: int = 1100
    norm: float | None = None
    shrink: float = 1.0
    every: int = 2
    betas: tuple[float, float] = (0.9, 0.999)


@dataclass(frozen=True)
class Data:
    """Labels (n), noise on the supports (B, n, s) and its norms (B, n), initial weights on all coordinates.

    Coordinate 0 is mu; the support of sample i is the i-th block of s coordinates after it.
    """

    y: Floats
    xi: Floats
    l1: Floats
    l2: Floats
    WQ: Floats  # (B, width, d)
    WK: Floats
    vbar: Floats  # (B, d)


@dataclass
class Path:
    """Records of a batch of runs; arrays have the records first.

    Attributes:
        t: times of the records.
        v1, v2: labelled values (records, B, n).
        qmu, kmu: signs (records, B, width); qn, kn: signs (records, B, n, width).
        S11, S21: attention of the signal's and the noise's query on the signal (records, B, n), as negative logarithms.
        loss: training loss (records, B).
    """

    data: Data
    t: Floats
    v1: Floats
    v2: Floats
    qmu: NDArray[np.int8]
    kmu: NDArray[np.int8]
    qn: NDArray[np.int8]
    kn: NDArray[np.int8]
    S11: Floats
    S21: Floats
    loss: Floats
    final: dict[str, Floats] = field(default_factory=dict)


def draw(setting: Setting, batch: int, rng: np.random.Generator) -> Data:
    """Data and initial weights of a batch of seeds."""
    n, d, s, m = setting.n, setting.d, setting.s, setting.width
    sigma = 0.1 / np.sqrt(d) * setting.shrink
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    xi = 2.0 * rng.standard_normal((batch, n, s))
    if setting.norm is not None:
        xi *= setting.norm / np.abs(xi).sum(axis=2, keepdims=True)
    vbar = sigma * np.sqrt(2 / m) * rng.standard_normal((batch, d))
    WQ, WK = (sigma * rng.standard_normal((batch, m, d)) for _ in range(2))
    return Data(y, xi, np.abs(xi).sum(axis=2), (xi * xi).sum(axis=2), WQ, WK, vbar)


def on_supports(W: Floats, xi: Floats) -> Floats:
    """Products of weights (B, ..., d) with the noise of each sample: (B, n, ...)."""
    _, n, s = xi.shape
    blocks = W[..., 1 : 1 + n * s].reshape(*W.shape[:-1], n, s)
    return np.einsum("bhis,bis->bih", blocks, xi) if W.ndim == 3 else np.einsum("bis,bis->bi", blocks, xi)


class Steps:
    """The optimiser's normalised steps for named gradients, and their sums so far."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.first: dict[str, Floats] = {}
        self.second: dict[str, Floats] = {}
        self.sums: dict[str, Floats] = {}

    def __call__(self, name: str, g: Floats, t: int) -> Floats:
        """The step against a gradient at time t = 1, 2, ..."""
        if self.setting.rule == "sign":
            step = np.sign(g)
        elif self.setting.rule == "gd":
            step = g
        else:
            b1, b2 = self.setting.betas
            self.first[name] = b1 * self.first.get(name, np.zeros_like(g)) + (1 - b1) * g
            self.second[name] = b2 * self.second.get(name, np.zeros_like(g)) + (1 - b2) * g * g
            root = np.sqrt(self.second[name] / (1 - b2**t))
            step = np.where(root > 0, self.first[name] / (1 - b1**t) / np.where(root > 0, root, 1.0), 0.0)  # branch
        self.sums[name] = self.sums.get(name, np.zeros_like(g)) + step
        return step


@lru_cache(maxsize=12)
def path(setting: Setting, batch: int, seed: int) -> Path:
    """Train a batch of seeds."""
    data = draw(setting, batch, np.random.Generator(np.random.Philox(seed)))
    y, eta, n, m = data.y[None, :], setting.eta, setting.n, setting.width
    reach = (data.l2 if setting.rule == "gd" else data.l1)[:, :, None]
    qmu, kmu, vmu = data.WQ[:, :, 0].copy(), data.WK[:, :, 0].copy(), data.vbar[:, 0].copy()
    qn, kn, v2 = on_supports(data.WQ, data.xi), on_supports(data.WK, data.xi), on_supports(data.vbar, data.xi)
    steps = Steps(setting)
    rows: dict[str, list[NDArray[np.generic]]] = {
        k: [] for k in ("v1", "v2", "qmu", "kmu", "qn", "kn", "S11", "S21", "loss")
    }
    times = []
    for t in range(setting.T + 1):
        ykmu, yqmu = y[:, :, None] * kmu[:, None, :], y[:, :, None] * qmu[:, None, :]
        a = ((kn - ykmu) * yqmu).sum(axis=2)  # z12 - z11
        b = ((kn - ykmu) * qn).sum(axis=2)  # z22 - z21
        S12, S22 = 1 / (1 + np.exp(-a)), 1 / (1 + np.exp(-b))
        S11, S21 = 1 / (1 + np.exp(a)), 1 / (1 + np.exp(b))  # not 1 - S12: its sign matters when it is 1e-40
        v1 = y * vmu[:, None]
        f = (2 - S12 - S22) * v1 + (S12 + S22) * v2
        if t % setting.every == 0:
            times.append(t)
            record = {
                "v1": y * v1, "v2": y * v2, "qmu": np.sign(qmu).astype(np.int8), "kmu": np.sign(kmu).astype(np.int8),
                "qn": np.sign(qn).astype(np.int8), "kn": np.sign(kn).astype(np.int8),
                "S11": np.logaddexp(0, a), "S21": np.logaddexp(0, b), "loss": np.logaddexp(0, -y * f).mean(axis=1),
            }  # fmt: skip
            for name, value in record.items():
                rows[name].append(value)
        if t == setting.T:
            break
        slope = -y / (1 + np.exp(y * f)) / n
        g1, g2 = slope * S11 * S12 * (v2 - v1), slope * S21 * S22 * (v2 - v1)
        key = kn - ykmu
        both = g1[:, :, None] * yqmu + g2[:, :, None] * qn
        u = t + 1
        new_q = (
            steps("qmu", (y[:, :, None] * g1[:, :, None] * key).sum(axis=1), u),
            steps("qn", g2[:, :, None] * key, u),
        )
        new_k = steps("kmu", -(y[:, :, None] * both).sum(axis=1), u), steps("kn", both, u)
        new_v = steps("vmu", (slope * (2 - S12 - S22) * y).sum(axis=1) / m, u), steps("vn", slope * (S12 + S22) / m, u)
        qmu, qn = qmu - eta * new_q[0], qn - eta * new_q[1] * reach
        kmu, kn = kmu - eta * new_k[0], kn - eta * new_k[1] * reach
        vmu, v2 = vmu - 2 * eta * new_v[0], v2 - 2 * eta * new_v[1] * reach[:, :, 0]
    stacked = {name: np.stack(value) for name, value in rows.items()}
    return Path(data, np.array(times, dtype=float), **stacked, final=steps.sums)  # type: ignore[arg-type]


def trained(setting: Setting, run: Path) -> tuple[Floats, Floats, Floats]:
    """The final query, key and mean value weights on all coordinates: (B, width, d) twice and (B, d)."""
    data = run.data
    factor = data.xi if setting.rule == "gd" else np.sign(data.xi)
    batch, n, s = data.xi.shape
    out = []
    for W, name in ((data.WQ, "q"), (data.WK, "k")):
        W = W.copy()
        W[:, :, 0] -= setting.eta * run.final[f"{name}mu"]
        moved = np.einsum("bih,bis->bhis", run.final[f"{name}n"], factor).reshape(batch, -1, n * s)
        W[:, :, 1 : 1 + n * s] -= setting.eta * moved
        out.append(W)
    vbar = data.vbar.copy()
    vbar[:, 0] -= 2 * setting.eta * run.final["vmu"]
    vbar[:, 1 : 1 + n * s] -= 2 * setting.eta * (run.final["vn"][:, :, None] * factor).reshape(batch, n * s)
    return out[0], out[1], vbar


def tested(setting: Setting, run: Path, points: int, seed: int) -> tuple[Floats, Floats]:
    """Test error and test loss of every run of a batch, on fresh data with supports anywhere."""
    WQ, WK, vbar = trained(setting, run)
    rng = np.random.Generator(np.random.Philox(seed + 1))
    d, s = setting.d, setting.s
    errors, losses = [], []
    for q, k, v in zip(WQ, WK, vbar):
        y = np.where(np.arange(points) % 2 == 0, 1.0, -1.0)
        support = 1 + rng.random((points, d - 1)).argpartition(s, axis=1)[:, :s]
        xi = 2.0 * rng.standard_normal((points, s))
        if setting.norm is not None:
            xi *= setting.norm / np.abs(xi).sum(axis=1, keepdims=True)
        qn, kn = (np.einsum("hps,ps->ph", W[:, support], xi) for W in (q, k))
        key = kn - y[:, None] * k[:, 0]
        S12 = 1 / (1 + np.exp(-(key * (y[:, None] * q[:, 0])).sum(axis=1)))
        S22 = 1 / (1 + np.exp(-(key * qn).sum(axis=1)))
        margin = (2 - S12 - S22) * v[0] + (S12 + S22) * y * (v[support] * xi).sum(axis=1)
        errors.append(float((margin < 0).mean()))  # branch
        losses.append(float(np.logaddexp(0, -margin).mean()))
    return np.array(errors), np.array(losses)
