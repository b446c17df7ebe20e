r"""Kernels of infinitely wide residual networks whose layers share their weights (Euler discretisations of a neural ODE).

The network is h^0 = (sigma_u/sqrt d) U x, h^{l+1} = h^l + (T/L)(sigma_w/sqrt n) W phi(h^l) for l < L, f = (1/sqrt n) v^T phi(h^L),
with independent N(0, 1) entries in U, W and v. Since W is shared, all pairs of layers correlate: with g(x, x') = sigma_u^2 <x, x'>/d
and s = (sigma_w T/L)^2, in the limit n -> infinity

    Sigma_pq = g + s sum_{i<p, j<q} D_ij,               D_ij = E phi(u_i) phi(u_j'),    D'_ij = E phi'(u_i) phi'(u_j'),
    Lam_pq = D'_LL + s sum_{i>=p, j>=q; i,j<L} Lam_{i+1,j+1} D'_ij,
    NNGP = D_LL,   NTK = NNGP + Lam_00 g + s sum_{i,j<L} Lam_{i+1,j+1} D_ij,

where (u_i, u_j') is centred Gaussian with variances Sigma_ii(x, x), Sigma_jj(x', x') and covariance Sigma_ij(x, x'). A factor
sigma_v on the last layer multiplies both kernels by sigma_v^2.

Everything is arithmetic with +, * and the dual activation: balls, exact rationals and polynomials alike. Sums are
accumulated without subtraction, so that the radii of balls stay small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

Rows = list[list[Any]]


@dataclass(frozen=True, slots=True)
class Dual:
    """The dual activation of phi: Gaussian expectations as functions of two variances a, b and the covariance c.

    Attributes:
        name: of phi.
        weight: what of a variance enters, computed once a layer: w(a).
        value: (w(a), w(b), c) -> E phi(u) phi(u').
        slope: (w(a), w(b), c) -> E phi'(u) phi'(u').
    """

    name: str
    weight: Callable[[Any], Any]
    value: Callable[[Any, Any, Any], Any]
    slope: Callable[[Any, Any, Any], Any]


def _erf_weight(a: Any) -> arb:
    return arb(1 / (1 + 2 * a)).sqrt()


def _erf_slope(v: arb, w: arb, c: Any) -> arb:
    r = 2 * c * v * w
    return 4 * v * w / (arb.pi() * (1 - r * r).sqrt())


IDENTITY = Dual("identity", lambda a: None, lambda v, w, c: c, lambda v, w, c: 1 + 0 * c)
SQUARE = Dual("square", lambda a: a, lambda v, w, c: v * w + 2 * c * c, lambda v, w, c: 4 * c)
SINE = Dual(
    "sin", lambda a: (arb(a) / -2).exp(), lambda v, w, c: v * w * arb(c).sinh(), lambda v, w, c: v * w * arb(c).cosh()
)
ERF = Dual("erf", _erf_weight, lambda v, w, c: 2 * (2 * c * v * w).asin() / arb.pi(), _erf_slope)
DUALS = {dual.name: dual for dual in (IDENTITY, SQUARE, SINE, ERF)}


@dataclass(frozen=True, slots=True)
class Kernels:
    """The two kernels at a pair of inputs (with sigma_v = 1).

    Attributes:
        nngp, ntk: as defined above.
        of_W: the part of W in the NTK, its last term.
        same_layer: the terms i = j of it, where both factors come from one layer.
    """

    nngp: Any
    ntk: Any
    of_W: Any
    same_layer: Any


def profile(g: Any, L: int, s: Any, dual: Dual) -> list[Any]:
    """The weights w(Sigma_pp(x, x)) for p = 0..L of one input.

    Args:
        g: sigma_u^2 |x|^2 / d.
        L: depth, at least 1.
        s: (sigma_w T / L)^2.
        dual: of the activation.
    """
    if L < 1:
        raise ValueError(f"profile: depth L = {L}; at least 1 is expected")
    zero = 0 * g * s
    sums: Rows = []  # sums[p][q] = sum of D_ij over i < p, j < q, for q <= p
    D: Rows = []
    weights: list[Any] = []
    for p in range(L + 1):
        row = [zero]
        inner = zero
        for q in range(1, p + 1):
            inner = inner + D[p - 1][q - 1]
            above = sums[p - 1][q] if q < p else row[p - 1]  # by symmetry
            row.append(above + inner)
        sums.append(row)
        weights.append(dual.weight(g + s * row[p]))
        D.append([dual.value(weights[p], weights[q], g + s * row[q]) for q in range(p + 1)])
    return weights


def kernels(g: Any, L: int, s: Any, dual: Dual, left: Sequence[Any], right: Sequence[Any]) -> Kernels:
    """The NNGP and the tangent kernel at a pair of inputs.

    Args:
        g: sigma_u^2 <x, x'> / d.
        L, s, dual: as for `profile`.
        left, right: profiles of x and x'.

    Raises:
        ValueError: for profiles that are not of length L + 1.
    """
    if len(left) != L + 1 or len(right) != L + 1:
        raise ValueError(f"kernels: profiles of {L + 1} layers are expected, got {len(left)} and {len(right)}")
    C, D = _forward(g, L, s, dual, left, right)
    slopes = [[dual.slope(left[p], right[q], C[p][q]) for q in range(L + 1)] for p in range(L + 1)]
    top = slopes[L][L]
    zero = 0 * D[L][L]
    total = diagonal = zero
    below = [zero] * L  # below[q] = sum of Lam_{i+1,j+1} D'_ij over i > p, j >= q
    Lam = [top] * (L + 1)  # row p + 1
    for p in reversed(range(L)):
        inner, later = zero, zero
        for q in reversed(range(L)):
            inner = inner + Lam[q + 1] * slopes[p][q]
            later = later + Lam[q + 1] * D[p][q]
            below[q] = below[q] + inner
        diagonal = diagonal + Lam[p + 1] * D[p][p]
        total = total + later
        Lam = [top + s * b for b in below] + [top]
    return Kernels(D[L][L], D[L][L] + Lam[0] * g + s * total, s * total, s * diagonal)


def nngp(g: Any, L: int, s: Any, dual: Dual, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The NNGP alone; arguments as for `kernels`."""
    return _forward(g, L, s, dual, left, right)[1][L][L]


def _forward(g: Any, L: int, s: Any, dual: Dual, left: Sequence[Any], right: Sequence[Any]) -> tuple[Rows, Rows]:
    """Sigma_pq and D_pq for p, q = 0..L."""
    sums = [0 * g * s] * (L + 1)
    C: Rows = []
    D: Rows = []
    for p in range(L + 1):
        C.append([g + s * t for t in sums])
        D.append([dual.value(left[p], right[q], C[p][q]) for q in range(L + 1)])
        inner = 0 * D[p][0]
        for q in range(1, L + 1):
            inner = inner + D[p][q - 1]
            sums[q] = sums[q] + inner
    return C, D
