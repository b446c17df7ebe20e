"""Kernels of weight-shared depth against Gauss-Hermite quadrature, direct sums over layer pairs and Bessel functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_poly
from scipy.special import erf, iv

from solvers.depth_kernels import DUALS, ERF, IDENTITY, SINE, SQUARE, Dual, kernels, nngp, profile

FUNCTIONS = {
    "identity": (lambda x: x, np.ones_like),
    "square": (lambda x: x * x, lambda x: 2 * x),
    "sin": (np.sin, np.cos),
    "erf": (erf, lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x)),
}


def number(x: object) -> float:
    return float(x) if isinstance(x, arb) else int(x.p) / int(x.q) if isinstance(x, fmpq) else float(x)  # type: ignore[arg-type,attr-defined]


@pytest.mark.parametrize("dual", DUALS.values(), ids=lambda d: d.name)
@pytest.mark.parametrize(("a", "b", "c"), [(1.0, 1.0, 0.3), (0.5, 1.25, -0.7), (0.75, 0.75, 0.75)])
def test_dual_activations_are_gaussian_expectations(dual: Dual, a: float, b: float, c: float) -> None:
    x, w = np.polynomial.hermite_e.hermegauss(80)
    w = w / w.sum()
    u = math.sqrt(a) * x[:, None]
    v = c / math.sqrt(a) * x[:, None] + math.sqrt(max(b - c * c / a, 0.0)) * x[None, :]
    for function, formula in zip(FUNCTIONS[dual.name], (dual.value, dual.slope)):
        expected = w @ (function(u) * function(v)) @ w
        found = formula(dual.weight(arb(a)), dual.weight(arb(b)), arb(c))
        assert number(found) == pytest.approx(expected, abs=1e-12)


def direct(g: tuple[float, float, float], L: int, s: float, dual: Dual) -> tuple[float, float, float, float]:
    """Both kernels, the part of W and its terms of equal layers, from their definition: four nested loops over layers, values by the dual activation."""

    def value(a: float, b: float, c: float) -> tuple[float, float]:
        v, w = dual.weight(arb(a)), dual.weight(arb(b))
        return number(dual.value(v, w, arb(c))), number(dual.slope(v, w, arb(c)))

    variances = []
    for k in (0, 2):
        S = np.full((L + 1, L + 1), g[k])
        for p in range(L + 1):
            for q in range(p + 1):
                S[p, q] += s * sum(value(S[i, i], S[j, j], S[i, j])[0] for i in range(p) for j in range(q))
                S[q, p] = S[p, q]
        variances.append(np.diag(S))
    C = np.full((L + 1, L + 1), g[1])
    D, E = np.zeros((L + 1, L + 1)), np.zeros((L + 1, L + 1))
    for p in range(L + 1):
        for q in range(L + 1):
            C[p, q] += s * D[:p, :q].sum()
            D[p, q], E[p, q] = value(variances[0][p], variances[1][q], C[p, q])
    Lam = np.full((L + 1, L + 1), E[L, L])
    for p in reversed(range(L)):
        for q in reversed(range(L)):
            Lam[p, q] += s * (Lam[p + 1 :, q + 1 :] * E[p:L, q:L]).sum()
    of_W = s * Lam[1:, 1:] * D[:L, :L]
    return D[L, L], D[L, L] + Lam[0, 0] * g[1] + of_W.sum(), of_W.sum(), np.trace(of_W)


@pytest.mark.parametrize("dual", [SINE, ERF, SQUARE], ids=lambda d: d.name)
def test_accumulated_sums_agree_with_direct_sums(dual: Dual) -> None:
    g, L, s = (fmpq(1), fmpq(-2, 5), fmpq(3, 4)), 4, fmpq(1, 16)
    left, right = profile(g[0], L, s, dual), profile(g[2], L, s, dual)
    found = kernels(g[1], L, s, dual, left, right)
    expected = direct((1.0, -0.4, 0.75), L, 1 / 16, dual)
    parts = (found.nngp, found.ntk, found.of_W, found.same_layer)
    assert tuple(map(number, parts)) == pytest.approx(expected, abs=1e-13)
    assert number(nngp(g[1], L, s, dual, left, right)) == number(found.nngp)


@pytest.mark.parametrize("L", [1, 2, 7])
def test_linear_kernel_is_the_sum_of_squared_binomials_as_a_polynomial(L: int) -> None:
    one, s = fmpq_poly([1]), fmpq_poly([0, 1])
    weights = profile(one, L, s, IDENTITY)
    assert kernels(one, L, s, IDENTITY, weights, weights).nngp == fmpq_poly(
        [math.comb(L, k) ** 2 for k in range(L + 1)]
    )


def test_deep_linear_kernels_approach_bessel_functions() -> None:
    L, z = 400, 1.0
    weights = [None] * (L + 1)
    found = kernels(arb(1), L, arb(fmpq(1, L * L)), IDENTITY, weights, weights)
    assert number(found.nngp) == pytest.approx(iv(0, 2 * z), rel=2e-3)
    assert number(found.ntk) == pytest.approx(2 * iv(0, 2 * z) + z * iv(1, 2 * z), rel=2e-3)


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        profile(fmpq(1), 0, fmpq(1), IDENTITY)
    with pytest.raises(ValueError, match="profiles of 3 layers"):
        kernels(fmpq(1), 2, fmpq(1, 4), IDENTITY, [None] * 3, [None] * 2)
