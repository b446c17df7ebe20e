"""Solutions of small square systems of equations, proved to exist and to be unique by Krawczyk's operator.

Source: R. Krawczyk (1969); A. Neumaier, Interval Methods for Systems of Equations (1990), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import arb, arb_mat, arb_series, ctx

from solvers.enclosures.exact import to_arb, to_ball
from solvers.enclosures.precision import NoEnclosure
from solvers.enclosures.series import series_coefficient

System = Callable[[list[Any]], Sequence[Any]]
Jacobian = Callable[[list[arb]], Sequence[Sequence[Any]]]

MOST_CONTRACTIONS = 60


def krawczyk(f: System, X: Sequence[arb], jacobian: Jacobian | None = None) -> list[arb] | None:
    """One Krawczyk step K(X) = m - Y f(m) + (I - Y J(X)) (X - m) with Y close to J(m)^-1.

    Args:
        f: n balls (or power series, when no Jacobian is given) -> n values; a list of n sympy expressions
            goes through `system_of`.
        X: n finite balls.
        jacobian: n balls -> n rows of n partial derivatives; by default from power series of length 2.

    Returns:
        K(X) when it lies in the interior of X: then f has exactly one zero in X, and it is in K(X). None when
        this does not prove anything.
    """
    if not all(x.is_finite() for x in X):
        raise ValueError(f"krawczyk: the box {[str(x) for x in X]} is not finite")
    J = jacobian or jacobian_by_series(f)
    m = [x.mid() for x in X]
    image = _image(f, J, m, X)
    if image is None or not all(x.contains_interior(k) for x, k in zip(X, image, strict=True)):
        return None
    return image


def _image(f: System, J: Jacobian, m: list[arb], X: Sequence[arb]) -> list[arb] | None:
    n = len(m)
    slopes = arb_mat([[to_ball(x) for x in row] for row in J(list(X))])
    try:
        Y = arb_mat([[to_ball(x) for x in row] for row in J(m)]).mid().inv().mid()
    except ZeroDivisionError:
        return None
    residual = arb_mat([[to_ball(v)] for v in f(m)])
    identity = arb_mat([[int(i == j) for j in range(n)] for i in range(n)])
    spread = arb_mat([[x - c] for x, c in zip(X, m, strict=True)])
    image = arb_mat([[c] for c in m]) - Y * residual + (identity - Y * slopes) * spread
    entries: list[arb] = image.entries()
    return entries if all(k.is_finite() for k in entries) else None


def enclose_solution(
    f: System, approximation: Sequence[Any], jacobian: Jacobian | None = None, *, steps: int = 60
) -> list[arb]:
    """A tight box around the zero of f near an approximation, with existence and local uniqueness proved.

    Args:
        f, jacobian: as for `krawczyk`.
        approximation: n exact numbers or balls (midpoints are used); rough is enough, Newton's method
            polishes it.
        steps: bound on the Newton steps and on the inflations tried.

    Raises:
        NoEnclosure: if Newton's method does not converge or no box around its limit can be proved (a singular
            Jacobian, say).
    """
    J = jacobian or jacobian_by_series(f)
    x = [to_arb(v).mid() for v in approximation]
    size = arb(0)
    for _ in range(steps):
        image = _image(f, J, x, x)
        if image is None:
            raise NoEnclosure(f"enclose_solution: singular or undefined Jacobian near {[str(v) for v in x]}")
        previous, size = size, _distance(image, x)
        x = [v.mid() for v in image]
        if size < _unit(x) or (previous > 0 and size >= previous and size < _unit(x) * 2**20):
            break
    radius = size.max(_unit(x)) * 2
    for _ in range(steps):
        box = krawczyk(f, [arb(v, radius) for v in x], J)
        if box is not None:
            return _contract(f, J, box)
        radius = radius * 4
    raise NoEnclosure(f"enclose_solution: no box around {[str(v) for v in x]} could be proved; try more bits")


def _contract(f: System, J: Jacobian, box: list[arb]) -> list[arb]:
    """Further steps on a box that is known to contain the zero (around a zero at the origin they would never end)."""
    for _ in range(MOST_CONTRACTIONS):
        image = _image(f, J, [x.mid() for x in box], box)
        if image is None:
            return box
        smaller = [x.intersection(k) for x, k in zip(box, image, strict=True)]
        if not any(s.rad() < x.rad() * arb(0.75) for s, x in zip(smaller, box, strict=True)):
            return box
        box = smaller
    return box


def _unit(x: Sequence[arb]) -> arb:
    largest = arb(1)
    for v in x:
        largest = largest.max(abs(v))
    return largest.upper() * arb(2) ** (8 - ctx.prec)


def _distance(x: Sequence[arb], y: Sequence[arb]) -> arb:
    largest = arb(0)
    for a, b in zip(x, y, strict=True):
        largest = largest.max((a - b).abs_upper())
    return largest


def jacobian_by_series(f: System) -> Jacobian:
    """Partial derivatives of f on balls, one power series of length 2 for each variable."""

    def J(X: list[arb]) -> list[list[arb]]:
        columns = []
        for j in range(len(X)):
            point = [arb_series([x, 1], 2) if i == j else x for i, x in enumerate(X)]
            columns.append([series_coefficient(v, 1) for v in f(point)])
        return [list(row) for row in zip(*columns, strict=True)]

    return J


def system_of(expressions: Sequence[Any], variables: Sequence[Any]) -> tuple[System, Jacobian]:
    """f and its Jacobian, for `krawczyk` and `enclose_solution`, from sympy expressions."""
    from solvers.enclosures.expressions import ball_function, derivative

    values = [ball_function(e, variables) for e in expressions]
    partials = [[ball_function(derivative(e, v), variables) for v in variables] for e in expressions]
    return (
        lambda X: [g(*X) for g in values],
        lambda X: [[g(*X) for g in line] for line in partials],
    )
