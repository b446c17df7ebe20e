"""Residual networks with shared weights and the ordinary differential equation behind them, in balls.

A = (sigma_w/sqrt n) W is the effective matrix: h' = A phi(h), and h^{l+1} = h^l + (T/L) A phi(h^l) for the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from flint import arb, arb_mat, arb_series, fmpq, fmpq_mat

from solvers.enclosures import flow
from theorems.seeds import Words

Vector = list[Any]
UNIFORMS, GRAIN = 12, 1000


def normal(words: Words, rows: int, columns: int, scale: fmpq | int = 1) -> fmpq_mat:
    """Exact, nearly standard normal entries (sums of twelve uniforms, of mean 0 and variance 1 + 1e-6) times a scale."""
    draws = [sum(words.below(2 * GRAIN + 1) for _ in range(UNIFORMS)) for _ in range(rows * columns)]
    return fmpq_mat(rows, columns, [scale * fmpq(x - UNIFORMS * GRAIN, 2 * GRAIN) for x in draws])


def root(n: int) -> fmpq:
    """A rational within 1e-6 of sqrt n."""
    return fmpq(isqrt(n * 10**12), 10**6)


def tanh(x: Any) -> Any:
    """tanh x of a ball or a power series."""
    return x.tanh() if isinstance(x, arb) else 1 - 2 / ((2 * x).exp() + 1)


def softplus(x: Any) -> Any:
    """log(1 + e^x) of a ball or a power series."""
    return (1 + x.exp()).log()


@dataclass(frozen=True, slots=True)
class Activation:
    """phi on vectors of balls or power series, and its one-sided derivatives (which agree where phi is smooth).

    Attributes:
        value: x -> phi(x).
        left, right: (x, phi(x)) -> the derivatives from the left and from the right.
    """

    value: Callable[[Vector], Vector]
    left: Callable[[Vector, Vector], Vector]
    right: Callable[[Vector, Vector], Vector]


def smooth(value: Callable[[Any], Any], slope: Callable[[Any, Any], Any]) -> Activation:
    """A differentiable phi, entry by entry; `slope` is a function of x and phi(x)."""

    def slopes(x: Vector, y: Vector) -> Vector:
        return [slope(s, t) for s, t in zip(x, y)]

    return Activation(lambda x: [value(t) for t in x], slopes, slopes)


def _first(x: Vector, value: int) -> Vector:
    return [0 * x[0] + value, *(0 * t + 1 for t in x[1:])]


ACTIVATIONS = {
    "tanh": smooth(tanh, lambda x, y: 1 - y * y),
    "softplus": smooth(softplus, lambda x, y: 1 - (-y).exp()),
    "sin": smooth(lambda x: x.sin(), lambda x, y: x.cos()),
    "identity": smooth(lambda x: x, lambda x, y: 0 * x + 1),
    "square": smooth(lambda x: x * x, lambda x, y: 2 * x),
    "signed root": smooth(lambda x: 0 * x if x == 0 else x / abs(x).sqrt(), lambda x, y: 1 / (2 * abs(y))),
    # On states whose first entry is 0 and whose other entries are positive, the only ones that it is used on.
    "relu": Activation(lambda x: [0 * x[0], *x[1:]], lambda x, y: _first(x, 0), lambda x, y: _first(x, 1)),
}
LIPSCHITZ = ("tanh", "softplus", "sin")  # phi and phi' are Lipschitz, with |phi'| <= 1


def apply(A: arb_mat, x: Vector) -> Vector:
    """A x for a vector of balls or of power series."""
    n = len(x)
    if not isinstance(x[0], arb_series):
        return list((A * arb_mat(n, 1, x)).entries())
    terms = max(max(s.length() for s in x), 1)
    entries = (A * arb_mat(n, terms, [s[k] for s in x for k in range(terms)])).entries()
    rows = A.nrows()
    return [arb_series(entries[i * terms : (i + 1) * terms], x[0].prec) for i in range(rows)]


def states(A: arb_mat, phi: Activation, h: Sequence[Any], L: int, T: fmpq | int = 1) -> list[Vector]:
    """h^0, ..., h^L of the network."""
    step = fmpq(T) / L
    out = [[arb(t) for t in h]]
    for _ in range(L):
        out.append([t + step * m for t, m in zip(out[-1], apply(A, phi.value(out[-1])))])
    return out


def solution(A: arb_mat, phi: Activation, h: Sequence[Any], T: fmpq | int = 1, order: int = 14) -> Vector:
    """h_T of the differential equation, enclosed (T < 0: backwards)."""
    return list(flow(lambda x: apply(A, phi.value(x)), h, T, order=order))


def norm(x: Sequence[Any]) -> arb:
    """The Euclidean norm."""
    return sum((t * t for t in x), arb(0)).sqrt()


def minus(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    """a - b."""
    return [s - t for s, t in zip(a, b)]


def operator_bound(A: fmpq_mat) -> arb:
    """An upper bound of the operator norm: min(sqrt(|A|_1 |A|_inf), |A|_F)."""
    sizes = [[abs(x) for x in row] for row in A.tolist()]
    rows, columns = max(map(sum, sizes)), max(map(sum, zip(*sizes)))
    return arb(min(rows * columns, sum(x * x for row in sizes for x in row))).sqrt()


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of f = v^T phi(h_T) (the factor 1/sqrt n is in v), and the state at time 0.

    Attributes:
        start: h_0.
        adjoint: df/dh_0.
        matrix: df/dA, row by row.
        top: phi(h_T), that is df/dv.
    """

    start: tuple[Any, ...]
    adjoint: tuple[Any, ...]
    matrix: tuple[Any, ...]
    top: tuple[Any, ...]


def backpropagated(A: arb_mat, phi: Activation, h: Sequence[Any], v: Sequence[Any], L: int) -> Gradient:
    """The exact gradient of the network of depth L with T = 1 (left derivatives of phi)."""
    path = states(A, phi, h, L)
    transposed = A.transpose()
    n = len(h)
    top = phi.value(path[-1])
    lam = [d * t for d, t in zip(phi.left(path[-1], top), v)]
    matrix = arb_mat(n, n)
    step = arb(fmpq(1, L))
    for state in reversed(path[:-1]):
        image = phi.value(state)
        matrix = matrix + arb_mat(n, 1, lam) * arb_mat(1, n, image)
        lam = [x + step * d * t for x, d, t in zip(lam, phi.left(state, image), apply(transposed, lam))]
    entries = tuple(step * x for x in matrix.entries())
    return Gradient(tuple(path[0]), tuple(lam), entries, tuple(top))


def adjoint(
    A: arb_mat,
    phi: Activation,
    h: Sequence[Any],
    v: Sequence[Any],
    *,
    order: int,
    slopes: bool = True,
    back: fmpq | int = 1,
) -> Gradient:
    """The gradient of the differential equation's output by the adjoint equation, solved backwards, enclosed.

    (h, lambda, G)' = (A phi(h), -phi'(h) * A^T lambda, -lambda phi(h)^T) runs from (h_T, phi'(h_T) * v, 0) at T = 1 to 0, with
    right derivatives of phi.

    Args:
        order: Taylor order of the validated steps.
        slopes: False leaves the factor phi'(h) out of the adjoint equation (a mistake).
        back: how far the equations are solved backwards.
    """
    n = len(h)
    last = solution(A, phi, h, order=order)
    top = phi.value(last)
    transposed = A.transpose()

    def field(x: Vector) -> Vector:
        state, lam = x[:n], x[n : 2 * n]
        image, pulled = phi.value(state), apply(transposed, lam)
        if slopes:
            pulled = [d * t for d, t in zip(phi.right(state, image), pulled)]
        return [*apply(A, image), *(-t for t in pulled), *(-t * y for t in lam for y in image)]

    lam = [d * t for d, t in zip(phi.right(last, top), v)]
    x = flow(field, [*last, *lam, *([0] * (n * n))], -fmpq(back), order=order)
    return Gradient(tuple(x[:n]), tuple(x[n : 2 * n]), tuple(x[2 * n :]), tuple(top))


def distance(a: Gradient, b: Gradient) -> arb:
    """The norm of the difference of two gradients with respect to U, W and v (|x| = sqrt d, all sigma 1)."""
    n = len(a.start)
    parts = ((a.adjoint, b.adjoint, n), (a.matrix, b.matrix, 1), (a.top, b.top, 1))
    return sum((weight * norm(minus(x, y)) ** 2 / n for x, y, weight in parts), arb(0)).sqrt()
