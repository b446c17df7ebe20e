"""Regression with more parameters than data: local aiming at the closest minimiser, and negative curvature beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theorems import Approx, ByBudget, Choices, Q, le, lt, shared, slope
from theorems.papers.nesterov_benign.paper import PAPER

RADII = (0.1, 0.03, 0.01, 0.003, 0.001)
EXACT_RADII = (Q(1, 10), Q(3, 100), Q(1, 100), Q(3, 1000), Q(1, 1000))
WIDTH, INPUTS, DATA = 8, 2, 4


@dataclass(frozen=True)
class Net:
    """h(w, x) = b . tanh(A x) with 32 parameters (A, offsets, b), and data."""

    X: Any
    y: Any

    def residual(self, w: Any) -> Any:
        """h(w, x_i) - y_i."""
        A, c, b = self._split(w)
        import numpy as np

        return np.tanh(self.X @ A.T + c) @ b - self.y

    def jacobian(self, w: Any) -> Any:
        """d h(w, x_i)/dw, DATA x 32."""
        import numpy as np

        A, c, b = self._split(w)
        t = np.tanh(self.X @ A.T + c)
        s = (1 - t * t) * b
        return np.concatenate([(s[:, :, None] * self.X[:, None, :]).reshape(len(self.y), -1), s, t], axis=1)

    def hessian(self, w: Any) -> Any:
        """Hess f(w), by central differences of the gradient with one Richardson step."""
        import numpy as np

        def gradient(z):
            return self.jacobian(z).T @ self.residual(z) / len(self.y)

        n = len(w)
        H = np.zeros((n, n))
        for i in range(n):
            e = np.zeros(n)
            e[i] = 1.0
            coarse = (gradient(w + 2e-3 * e) - gradient(w - 2e-3 * e)) / 4e-3
            fine = (gradient(w + 1e-3 * e) - gradient(w - 1e-3 * e)) / 2e-3
            H[i] = (4 * fine - coarse) / 3
        return (H + H.T) / 2

    def _split(self, w: Any) -> tuple[Any, Any, Any]:
        k = WIDTH * INPUTS
        return w[:k].reshape(WIDTH, INPUTS), w[k : k + WIDTH], w[k + WIDTH :]


@dataclass(frozen=True)
class Probe:
    """At distance |u| from M: |u|, and the aiming ratio 2(<grad f, u> - f)/|u|^2 over mu0 at the closest point."""

    size: float
    ratio: float


@shared
def probes(seed: int, over: bool = True) -> tuple[tuple[tuple[Probe, ...], ...], tuple[float, ...]]:
    """For each radius the probes, and the least Hessian eigenvalue."""
    import numpy as np

    rng = np.random.default_rng([seed, 2024])
    net = Net(rng.standard_normal((DATA, INPUTS)), rng.standard_normal(DATA))
    w0 = rng.standard_normal(WIDTH * (INPUTS + 2))
    for _ in range(60):
        w0 = w0 - np.linalg.pinv(net.jacobian(w0)) @ net.residual(w0)
    J = net.jacobian(w0)
    _, values, right = np.linalg.svd(J, full_matrices=True)
    q = right[len(values) - 1]
    directions = [q, -q]
    for _ in range(40):
        normal = right[: len(values)].T @ rng.standard_normal(len(values))
        tangential = right[len(values) :].T @ rng.standard_normal(len(w0) - len(values))
        d = normal / np.linalg.norm(normal) + 0.5 * tangential / np.linalg.norm(tangential)
        directions.append(d)
    table, least = [], []
    for r in RADII:
        row = []
        for d in directions:
            z = w0 + r * d
            p = z.copy()
            for _ in range(30):
                Jp = net.jacobian(p)
                p = z - np.linalg.pinv(Jp) @ (net.residual(p) + Jp @ (z - p))
            u = z - p
            residual = net.residual(z)
            f = float(residual @ residual) / (2 * DATA)
            slope_along = float(u @ (net.jacobian(z).T @ residual)) / DATA
            mu0 = float(np.linalg.svd(net.jacobian(p), compute_uv=False)[-1] ** 2) / DATA
            row.append(Probe(float(np.linalg.norm(u)), 2 * (slope_along - f) / float(u @ u) / mu0))
        table.append(tuple(row))
        least.append(min(float(np.linalg.eigvalsh(net.hessian(w0 + s * r * q))[0]) for s in (1, -1)))
    return tuple(table), tuple(least)


def measured(x: float, size: float = 1.0) -> Approx:
    """A double with the error of its computation: a cancellation of 1e-12 relative to `size`."""
    return Approx(x, 1e-12 * size + 1e-10 * abs(x))


@PAPER.rate(
    source="abstract: local justification in overparametrised regression",
    fidelity="recalled",
    evidence="numeric",
    domain={"seed": ByBudget(quick=Choices(0, 1), full=Choices(*range(8)))},
    every=True,
    method="minimisers and closest points by Gauss-Newton to rounding error; C is read at the largest radius only",
    hypotheses="full row rank of the Jacobian at the minimiser; two-layer tanh networks, 4 data, 32 parameters",
    not_established="C and the exponents are measured on these networks; directions other than those probed",
)
def overparam_local_aiming(seed, *, aiming=1, psd=False, power=1):
    r"""Let $f(w) = \frac1{2n}\sum_i(h(w, x_i) - y_i)^2$ have more parameters than data and a Jacobian $J$ of full row rank at a global minimiser. For $z$ near it,
    with $u = z - \pi(z)$ and $\mu_0 = \lambda_{\min}(JJ^\top/n)$ at $\pi(z)$,
    $$\frac{2(\langle\nabla f(z), u\rangle - f(z))}{|u|^2} \ge \mu_0(1 - C|u|):$$
    aiming holds locally with every $\mu < \mu_0$; yet the Hessian has a negative eigenvalue of size $\sim c\,r$ at distance $r$, arbitrarily close to $M$.
    """
    table, least = probes(seed)
    C = 2 * max((1 - p.ratio) / p.size for p in table[0])
    below, sides = [], []
    for row in table[1:]:
        for p in row:
            below.append(Approx(aiming * (1 - C * p.size), 1e-12))
            sides.append(Approx(p.ratio, 1e-12 / p.size**2 + 1e-9))
    yield "aiming", le(below, sides)
    drops = [max(abs(1 - p.ratio) for p in row[:2]) for row in table]
    yield "defect of aiming", slope(EXACT_RADII, [Approx(d, 1e-9 + 1e-3 * d) for d in drops], power, within=Q(1, 10))
    negative = [Approx(v, 1e-9 + 1e-4 * abs(v)) for v in least]
    if psd:
        yield "negative curvature", le(0, negative[0])
    else:
        yield "negative curvature", lt(negative, 0)
    yield (
        "size of the negative eigenvalue",
        slope(EXACT_RADII, [Approx(abs(v), 1e-9 + 1e-4 * abs(v)) for v in least], power, within=Q(1, 10)),
    )


overparam_local_aiming.mutant("aiming with 1.05 mu_0", aiming=1.05, breaks="aiming")
overparam_local_aiming.mutant("the Hessian is positive semidefinite near M", psd=True, breaks="negative curvature")
overparam_local_aiming.mutant(
    "defects of second order", power=2, breaks=("defect of aiming", "size of the negative eigenvalue")
)
