r"""Federations of separable polynomials with proven constants: L0 for a given L1, infima, and Delta*.

A polynomial p is $(L_0, L_1)$-smooth iff $L_0 \ge \sup |p''| - L_1|p'|$; the supremum is attained at a real root of
$p''' - L_1p''$, $p''' + L_1p''$ or $p'$. A separable sum inherits the largest L0, since $|\mathrm{Hess}| = \max_i|p_i''|$ and $|p_i'| \le |\nabla f|$.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, fmpq, fmpq_poly, fmpz_poly

Coordinates = tuple[fmpq_poly, ...]


def evaluate(p: fmpq_poly, x: arb) -> arb:
    """p(x) by Horner's rule."""
    total = arb(0)
    for c in reversed(p.coeffs()):
        total = total * x + arb(c)
    return total


def real_roots(p: fmpq_poly) -> list[arb]:
    """Balls around all real roots (and perhaps around the real parts of complex ones that touch the axis)."""
    if p.degree() < 1:
        return []
    numerator = fmpz_poly([int((c * p.denom()).p) for c in p.coeffs()])
    return [z.real for z, _ in numerator.complex_roots() if z.imag.contains(0)]


def least_L0(p: fmpq_poly, L1: fmpq) -> arb:
    """An upper bound, tight to rounding, of sup |p''| - L1 |p'|."""
    d1 = p.derivative()
    d2 = d1.derivative()
    d3 = d2.derivative()
    best = arb(0)
    for q in (d3 - L1 * d2, d3 + L1 * d2, d1):
        for x in real_roots(q):
            best = best.max((abs(evaluate(d2, x)) - L1 * abs(evaluate(d1, x))).upper())
    if d2.degree() <= 0:
        best = best.max(abs(evaluate(d2, arb(0))).upper())
    return best


def infimum(p: fmpq_poly) -> arb:
    """A ball around the least value of a polynomial that is bounded below."""
    values = [evaluate(p, x) for x in real_roots(p.derivative())]
    least = values[0]
    for v in values[1:]:
        least = least.min(v)
    return least


@dataclass(frozen=True)
class Federation:
    """f = mean of the clients' functions, each the mean of its data points' functions.

    Attributes:
        data: data[m][i] is the function of data point i of client m, one polynomial for each coordinate.
        L1, L0: all functions (data points, clients, f) are (L0, L1)-smooth.
        average: f.
    """

    data: tuple[tuple[Coordinates, ...], ...]
    L1: fmpq
    L0: arb
    average: Coordinates

    @property
    def clients(self) -> list[Coordinates]:
        """The clients' functions."""
        return [mean(points) for points in self.data]

    def excess(self, parts: Sequence[Coordinates]) -> arb:
        """Delta*: f* minus the mean of the infima of these parts."""
        infima = [sum((infimum(p) for p in part), arb(0)) for part in parts]
        return sum((infimum(p) for p in self.average), arb(0)) - sum(infima, arb(0)) / len(infima)

    def gap(self, x: Sequence[arb]) -> arb:
        """f(x) - f*."""
        return sum((evaluate(p, t) - infimum(p) for p, t in zip(self.average, x)), arb(0))

    def size(self, gradient: Sequence[arb]) -> arb:
        """L0 + L1 |gradient|."""
        return self.L0 + self.L1 * norm(gradient)


def federation(data: Sequence[Sequence[Coordinates]], L1: fmpq) -> Federation:
    """The federation, with L0 for all its functions."""
    clients = [mean(points) for points in data]
    average = mean(clients)
    parts = [average, *clients, *(part for points in data for part in points)]
    L0 = arb(0)
    for part in parts:
        for p in part:
            L0 = L0.max(least_L0(p, L1))
    return Federation(tuple(tuple(points) for points in data), L1, L0, average)


def mean(parts: Sequence[Coordinates]) -> Coordinates:
    """The mean of functions, coordinate by coordinate."""
    return tuple(sum(ps, fmpq_poly([0])) / len(parts) for ps in zip(*parts))


def gradient(part: Coordinates, x: Sequence[arb]) -> list[arb]:
    """The gradient of a separable function."""
    return [evaluate(p.derivative(), t) for p, t in zip(part, x)]


def norm2(v: Sequence[arb]) -> arb:
    """|v|^2."""
    return sum((t * t for t in v), arb(0))


def norm(v: Sequence[arb]) -> arb:
    """|v|; a ball from 0 where the vector may vanish."""
    if len(v) == 1:
        return abs(v[0])
    size = norm2(v)
    if size > 0:
        return size.sqrt()
    half = size.abs_upper().sqrt() / 2
    return arb(half, half)


def quartic(w: fmpq, a: fmpq, h: fmpq) -> fmpq_poly:
    """w (x - a)^4 + h (x - a)^2/2."""
    x = fmpq_poly([-a, 1])
    return w * x**4 + h / 2 * x**2


def double_well(w: fmpq, a: fmpq, c: fmpq) -> fmpq_poly:
    """w ((x - a)^2 - c^2)^2."""
    x = fmpq_poly([-a, 1])
    return w * (x**2 - c * c) ** 2


Maker = Callable[[fmpq, fmpq, fmpq], fmpq_poly]


def from_draws(rows: Sequence[Sequence[fmpq]], spread: fmpq) -> Coordinates:
    """One function from four numbers in [0, 1] for each coordinate: shape, weight, centre, curvature."""
    made = []
    for shape, weight, centre, extra in rows:
        w, a = fmpq(1, 5) + weight, spread * (2 * centre - 1)
        made.append(double_well(w, a, extra) if shape < fmpq(1, 3) else quartic(w, a, extra))
    return tuple(made)
