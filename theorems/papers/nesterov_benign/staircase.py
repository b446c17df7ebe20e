r"""Staircases: one-dimensional functions that aim at 0 with exact smoothness and curvature.

$f(x) = \frac{\mu}{2}x^2 + |x|k_\pm(|x|)$ with $k(0) = 0$ aims at 0 iff $k$ is nondecreasing, since $f'x - f - \mu x^2/2 = x^2k'$. Here
$k' = \sum_j C_j\,\mathrm{tri}((r - R_j)/W_j)$ with unit triangles and $W_j \le R_j$; then $f'' = \mu + 2k' + rk''$ is piecewise linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpq


@dataclass(frozen=True)
class Bump:
    """One triangle of height C, half-width W, centre R >= W."""

    R: fmpq
    W: fmpq
    C: fmpq


Side = tuple[Bump, ...]


@dataclass(frozen=True)
class Staircase:
    """f with bumps on the right (x > 0) and on the left."""

    mu: fmpq
    right: Side
    left: Side

    def side(self, positive: bool) -> Side:
        """The bumps of a half-line."""
        return self.right if positive else self.left

    def value(self, x: arb) -> arb:
        """f(x)."""
        r = abs(x)
        return self.mu * x * x / 2 + r * self._k(x)

    def slope(self, x: arb) -> arb:
        """f'(x)."""
        if x > 0:
            return self.mu * x + self._half(self.right, x)
        if x < 0:
            return self.mu * x - self._half(self.left, -x)
        right, left = self._half(self.right, x.max(arb(0))), self._half(self.left, (-x).max(arb(0)))
        return self.mu * x + right - left

    def _k(self, x: arb) -> arb:
        if x > 0:
            return _level(self.right, x)
        if x < 0:
            return _level(self.left, -x)
        return _level(self.right, x.max(arb(0))) + _level(self.left, (-x).max(arb(0)))

    def _half(self, side: Side, r: arb) -> arb:
        return _level(side, r) + r * _density(side, r)

    def curvature_range(self) -> tuple[fmpq, fmpq]:
        """(-eps, L): the infimum and supremum of f'', exactly, from one-sided limits at the breakpoints."""
        values = [self.mu]
        for side in (self.right, self.left):
            points = sorted({p for b in side for p in (b.R - b.W, b.R, b.R + b.W)})
            for p in points:
                density = sum((_tri(b, p) for b in side), fmpq(0))
                for below in (True, False):
                    bend = sum((_bend(b, p, below) for b in side), fmpq(0))
                    values.append(self.mu + 2 * density + p * bend)
        return min(values), max(values)


def _tri(b: Bump, r: fmpq) -> fmpq:
    s = abs(r - b.R) / b.W
    return b.C * (1 - s) if s < 1 else fmpq(0)


def _bend(b: Bump, r: fmpq, below: bool) -> fmpq:
    """The one-sided derivative of the triangle."""
    s = (r - b.R) / b.W
    rising = -1 < s <= 0 if below else -1 <= s < 0
    falling = 0 < s <= 1 if below else 0 <= s < 1
    return b.C / b.W if rising else -b.C / b.W if falling else fmpq(0)


def _level(side: Side, r: arb) -> arb:
    """k(r)."""
    total = arb(0)
    for b in side:
        s = (r - b.R) / b.W
        if s <= -1:
            continue
        if s >= 1:
            total = total + b.C * b.W
            continue
        p, q = (1 + s).max(arb(0)).min(arb(1)), s.max(arb(0)).min(arb(1))
        total = total + b.C * b.W * (p * p / 2 + q - q * q / 2)
    return total


def _density(side: Side, r: arb) -> arb:
    """k'(r)."""
    total = arb(0)
    for b in side:
        s = (r - b.R) / b.W
        if s <= -1 or s >= 1:
            continue
        total = total + b.C * (1 - abs(s)).max(arb(0))
    return total


def scaled(mu: fmpq, right: Sequence[Bump], left: Sequence[Bump], L: fmpq, eps: fmpq) -> Staircase:
    """The staircase whose bump heights are multiplied by the largest factor with f'' in [-eps, L].

    f'' - mu is linear in the heights, so the factor is exact.
    """
    unit = Staircase(fmpq(0), tuple(right), tuple(left))
    low, high = unit.curvature_range()
    factors = [(L - mu) / high] if high > 0 else []
    factors += [(eps + mu) / -low] if low < 0 else []
    factor = min(factors, default=fmpq(0))

    def changed(side: Sequence[Bump]) -> Side:
        return tuple(Bump(b.R, b.W, b.C * factor) for b in side)

    return Staircase(mu, changed(right), changed(left))
