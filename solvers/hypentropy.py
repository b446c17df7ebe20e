r"""The hyperbolic entropy R_a(x) = 1/2 sum_i [x_i arcsinh(x_i/a_i) - sqrt(x_i^2 + a_i^2)], a_i > 0, in balls.

It is quadratic where |x_i| is far below a_i and of the size of |x_i| log(|x_i|/a_i) far above. Its gradient is arcsinh(x/a)/2, and
its minimiser on an affine set {Z x = y} is x = a sinh(theta_0 + 2 Z^T nu), the critical point of a strictly convex problem in nu.
Source: U. Ghai, E. Hazan, Y. Singer, Exponentiated gradient meets gradient descent (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb, arb_mat, fmpq_mat

from solvers.enclosures import NoEnclosure, enclose_solution, to_arb

NEWTON_STEPS = 300
CLOSE = 2.0**-30  # relative step of the damped iteration from which Newton's method is quadratic
MOST_HALVINGS = 2000  # the first step is about 1/a long


def gradient(x: Sequence[Any], a: Sequence[Any]) -> list[arb]:
    """The gradient arcsinh(x/a)/2 of R_a.

    Args:
        x, a: n exact numbers or balls, a > 0.
    """
    return [(to_arb(u) / to_arb(b)).asinh() / 2 for u, b in zip(x, a, strict=True)]


def potential(x: Sequence[Any], a: Sequence[Any]) -> arb:
    """R_a(x) as a ball; arguments as for `gradient`."""
    total = arb(0)
    for u, b, slope in zip(map(to_arb, x), map(to_arb, a), gradient(x, a), strict=True):
        total += u * slope - (u * u + b * b).sqrt() / 2
    return total


def bregman(z: Sequence[Any], x: Sequence[Any], a: Sequence[Any]) -> arb:
    """R_a(z) - R_a(x) - <grad R_a(x), z - x> as a ball; arguments as for `gradient`."""
    moved = sum((g * (to_arb(u) - to_arb(v)) for g, u, v in zip(gradient(x, a), z, x, strict=True)), arb(0))
    return potential(z, a) - potential(x, a) - moved


class Minimiser(NamedTuple):
    """x = a sinh(theta_0 + 2 Z^T nu) with Z x = y, as balls in which x and nu are proved to exist."""

    x: tuple[arb, ...]
    nu: tuple[arb, ...]


def affine_minimiser(
    Z: fmpq_mat,
    y: Sequence[Any],
    a: Sequence[Any],
    theta0: Sequence[Any] | None = None,
    guess: Sequence[Any] | None = None,
) -> Minimiser:
    """The minimiser of R_a(x) - <theta_0, x>/2 subject to Z x = y, enclosed.

    Args:
        Z: k x n of rank k.
        y: k exact numbers or balls.
        a: n exact numbers or balls, > 0.
        theta0: n exact numbers or balls (default 0).
        guess: k numbers near nu; without it a damped Newton iteration starts at 0.

    Raises:
        NoEnclosure: if Newton's method does not converge or the solution cannot be proved at this precision.
    """
    k, n = Z.nrows(), Z.ncols()
    rows = [[to_arb(v) for v in row] for row in Z.tolist()]
    right, scale = [to_arb(v) for v in y], [to_arb(v) for v in a]
    shift = [to_arb(v) for v in theta0] if theta0 is not None else [arb(0)] * n

    def angles(nu: Sequence[arb]) -> list[arb]:
        return [shift[i] + 2 * sum((rows[j][i] * nu[j] for j in range(k)), arb(0)) for i in range(n)]

    def residual(nu: Sequence[arb]) -> list[arb]:
        x = [b * t.sinh() for b, t in zip(scale, angles(nu))]
        return [sum((u * v for u, v in zip(row, x)), arb(0)) - v for row, v in zip(rows, right)]

    def jacobian(nu: Sequence[arb]) -> list[list[arb]]:
        c = [2 * b * t.cosh() for b, t in zip(scale, angles(nu))]
        return [[sum((p * q * v for p, q, v in zip(r, s, c)), arb(0)) for s in rows] for r in rows]

    def value(nu: Sequence[arb]) -> arb:
        return sum((b * t.cosh() / 2 for b, t in zip(scale, angles(nu))), arb(0)) - sum(
            (u * v for u, v in zip(right, nu)), arb(0)
        )

    near = [to_arb(v).mid() for v in guess] if guess is not None else _damped(value, residual, jacobian, k)
    nu = enclose_solution(residual, near, jacobian)
    return Minimiser(tuple(b * t.sinh() for b, t in zip(scale, angles(nu))), tuple(nu))


def _damped(value: Any, residual: Any, jacobian: Any, k: int) -> list[arb]:
    """Newton's method with step halving on a strictly convex function, from 0, in midpoints."""
    nu = [arb(0)] * k
    best = value(nu).mid()
    for _ in range(NEWTON_STEPS):
        H = arb_mat([[v.mid() for v in row] for row in jacobian(nu)])
        step = [v.mid() for v in H.solve(arb_mat([[v.mid()] for v in residual(nu)])).entries()]
        if all(abs(s) < CLOSE * abs(v).max(arb(1)) for s, v in zip(step, nu)):
            return [(v - s).mid() for v, s in zip(nu, step)]
        for _ in range(MOST_HALVINGS):
            tried = [(v - s).mid() for v, s in zip(nu, step)]
            reached = value(tried).mid()
            if reached < best:
                nu, best = tried, reached
                break
            step = [s / 2 for s in step]
        else:
            return nu  # rounding hides any descent
    raise NoEnclosure(f"affine_minimiser: Newton's method did not converge within {NEWTON_STEPS} steps")
