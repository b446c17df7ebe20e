"""The two-dimensional map and its relatives, for numbers of any kind (symbols, rationals, balls)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb


class State(NamedTuple):
    """The residual D = f - y and the trace lambda."""

    D: Any
    trace: Any


def step(
    D: Any, trace: Any, eta: Any, c: Any, y: Any, *, quadratic: Any = 1, four: Any = 4, pull: str = "D + y"
) -> State:
    """One step of gradient descent in function space; the keyword arguments are what mutants turn."""
    f = D + y
    second = {"D + y": f, "D": D}[pull]
    return State(
        D * (1 - eta * trace + quadratic * c * eta * eta * D * f),
        trace + eta * c * D * (eta * D * trace - four * second),
    )


def hessian_rows(v: Sequence[Any], U: Sequence[Sequence[Any]], x: Sequence[Any], y: Any, sigma: Any) -> list[list[Any]]:
    """The Hessian of (f - y)^2 / 2 in the n (d + 1) parameters (v, U row by row): grad f grad f^T + D Hess f."""
    n, d = len(v), len(x)
    z = [sum((U[i][j] * x[j] for j in range(d)), 0 * sigma) for i in range(n)]
    D = sigma * sum((v[i] * z[i] for i in range(n)), 0 * sigma) - y
    g = [sigma * e for e in z] + [sigma * v[i] * x[j] for i in range(n) for j in range(d)]
    H = [[a * b for b in g] for a in g]
    for i in range(n):
        for j in range(d):
            k = n + i * d + j  # d^2 f / (dv_i dU_ij) = sigma x_j
            H[i][k] = H[k][i] = H[i][k] + D * sigma * x[j]
    return H


class Gram(NamedTuple):
    """The inner products v.v, z.z and v.z with z = U x; everything in function space depends on them only."""

    vv: Any
    zz: Any
    vz: Any


def gram_step(G: Gram, eta: Any, sigma: Any, x2: Any, y: Any) -> Gram:
    """One step of gradient descent, v' = v - eta sigma D z and z' = z - eta sigma D |x|^2 v, in inner products."""
    a = eta * sigma * (sigma * G.vz - y)
    b = a * x2
    return Gram(
        G.vv - 2 * a * G.vz + a * a * G.zz,
        G.zz - 2 * b * G.vz + b * b * G.vv,
        G.vz - a * G.zz - b * G.vv + a * b * G.vz,
    )


def function_space(G: Gram, sigma: Any, x2: Any, y: Any) -> State:
    """(D, lambda) of parameters with these inner products."""
    return State(sigma * G.vz - y, sigma * sigma * (x2 * G.vv + G.zz))


def radicand(D: Any, trace: Any, c: Any, y: Any, *, cross: Any = 8, square: Any = 4) -> Any:
    """r^2 = lambda^2 + 8 c f D + 4 c D^2; the largest eigenvalue of the loss Hessian is (lambda + r) / 2."""
    return trace * trace + cross * c * (D + y) * D + square * c * D * D


def ball_sharpness(D: arb, trace: arb, c: arb, y: arb) -> arb:
    """The largest eigenvalue of the loss Hessian in balls."""
    return (trace + radicand(D, trace, c, y).sqrt()) / 2
