r"""The heavy-ball equation on a Huber function, in balls: linear pieces, and switching times enclosed by interval Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, fmpq

BITS = 400
SAMPLES = 12  # times in each piece
Path = list[tuple[arb, arb]]
"""Times and energies."""


@dataclass(frozen=True)
class Huber:
    """f = mu x^2/2 + (x^2/(2d) for |x| <= d, |x| - d/2 beyond)."""

    d: fmpq
    mu: fmpq


@dataclass(frozen=True)
class Piece:
    """x'' = -2 h x' - k x - s."""

    h: fmpq
    k: fmpq
    s: fmpq

    def at(self, t: arb, x: arb, v: arb) -> tuple[arb, arb]:
        """(x, x') after time t.

        With y = x + s/k, S'' = (h^2 - k) S, S(0) = 0, S'(0) = 1 and C = S', after t: y = e^{-ht}(y C + (v + h y) S) and
        v = e^{-ht}(v C - (k y + h v) S).
        """
        y, gap = x + self.s / self.k, self.h * self.h - self.k
        S, C = t, arb(1)
        if gap != 0:
            w = arb(abs(gap)).sqrt()
            S, C = (w * t).sin_cos() if gap < 0 else (w * t).sinh_cosh()
            S = S / w
        fall = (-self.h * t).exp()
        return fall * (y * C + (v + self.h * y) * S) - self.s / self.k, fall * (v * C - (self.k * y + self.h * v) * S)

    def crossing(self, level: fmpq, early: Callable[[arb, arb], bool], until: arb, x: arb, v: arb) -> arb:
        """The time at which x is `level`, enclosed.

        Args:
            early: whether a state (x, v) comes before the crossing; false at time `until`. It only helps to find it.

        Raises:
            ArithmeticError: if an interval Newton step does not confirm it.
        """
        low, t = arb(0), until.mid()
        for _ in range(16):
            middle = ((low + t) / 2).mid()
            low, t = (middle, t) if early(*self.at(middle, x, v)) else (low, middle)
        for _ in range(8):
            there, speed = self.at(t, x, v)
            t = (t - (there - level) / speed).mid()
        wide = arb(t, arb(2) ** -60)
        found = t - (self.at(t, x, v)[0] - level) / self.at(wide, x, v)[1]
        if not wide.contains(found):
            raise ArithmeticError(f"no time at which x = {level} is confirmed near {t.str(10)}")
        return found


def trajectory(f: Huber, start: fmpq, m: fmpq, T: int, friction: int) -> Path:
    """(t, E(t)), E = f + |x' + m x|^2/2, at times in [0, T] and a little beyond, for x'' = -friction m x' - f'(x), from rest at start > d.

    Beyond d the speed changes its sign once, to inwards (where x' = 0, x'' < 0), so that d is met once. Within, x is monotone until it
    turns, and since f + x'^2/2 decreases, a path that turns within stays there.
    """
    outside, inside = Piece(friction * m / 2, f.mu, fmpq(1)), Piece(friction * m / 2, f.mu + 1 / f.d, fmpq(0))
    x, v, t = arb(start), arb(0), arb(0)
    path: Path = []

    def follow(piece: Piece, length: arb) -> None:
        nonlocal x, v, t
        for i in range(SAMPLES + 1):
            y, u = piece.at(length * i / SAMPLES, x, v)
            value = f.mu * y * y / 2 + (y - f.d / 2 if piece is outside else y * y / (2 * f.d))
            path.append((t + length * i / SAMPLES, value + (u + m * y) ** 2 / 2))
        t, (_, v) = t + length, piece.at(length, x, v)

    while True:  # by symmetry: outside x > 0, and inside is entered at x = -d with v > 0
        until = 4 * v if v > 0 else arb(1)
        while not (outside.at(until, x, v)[0] < f.d):
            until = 2 * until
        follow(outside, outside.crossing(f.d, lambda x, v: bool(x > f.d) or bool(v > 0), until, x, v))
        if t >= T:
            return path
        x, v = arb(-f.d), -v
        w = arb(inside.k - inside.h * inside.h).sqrt()
        turn = arb.atan2(v * w, inside.k * x + inside.h * v) / w  # v = 0 for the first time
        farthest = inside.at(turn, x, v)[0]
        if farthest < f.d:
            follow(inside, (T - t).max(turn))
            return path
        if not farthest > f.d:
            raise ArithmeticError("whether the path leaves |x| <= d is undecided; raise the precision")
        follow(inside, inside.crossing(f.d, lambda x, _: bool(x < f.d), turn, x, v))
        x = arb(f.d)
