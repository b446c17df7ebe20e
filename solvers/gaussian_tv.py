"""Total variation and relative entropy between Gaussian laws, in balls.

TV(P, Q) = sup |P(A) - Q(A)|. All arguments may be balls or exact numbers; what is returned encloses the value.
"""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq


def tv_variances(d: int, v: Any, w: Any) -> arb:
    """TV between N(0, v I_d) and N(0, w I_d).

    The densities cross on a sphere of squared radius R^2 = d log(w/v)/(1/v - 1/w), and TV is the difference of the two
    chi-square probabilities of the ball inside.

    Args:
        d: dimension, at least 1.
        v, w: variances > 0. Balls that overlap give an enclosure of every possible value (through Pinsker's inequality).

    Raises:
        ValueError: for d < 1 or variances that are not certainly positive.
    """
    v, w = _positive(v), _positive(w)
    if d < 1:
        raise ValueError(f"tv_variances: dimension d = {d}; at least 1 is expected")
    small, large = (v, w) if v < w else (w, v)
    gap = 1 / small - 1 / large
    if not gap > 0:
        top = v.union(w)
        return arb(0).union((kl_variances(d, top.lower(), top.upper()) / 2).sqrt())
    square = d * (large / small).log() / gap
    half = arb(fmpq(d, 2))
    return _tail(half, square / (2 * large)) - _tail(half, square / (2 * small))


def tv_shift(distance: Any, v: Any) -> arb:
    """TV between N(m, v I) and N(m', v I) at |m - m'| = `distance` >= 0, in any dimension: erf(distance/(2 sqrt(2 v)))."""
    return (arb(distance) / (2 * (2 * _positive(v)).sqrt())).erf()


def tv_line(m: Any, v: Any, n: Any, w: Any) -> arb:
    """TV between N(m, v) and N(n, w) on the line.

    Args:
        m, n: means.
        v, w: variances, certainly different unless the means are equal.

    Raises:
        ValueError: if the variances overlap and the means may differ (use `tv_shift`).
    """
    m, n, v, w = arb(m), arb(n), _positive(v), _positive(w)
    if (m - n).is_zero():
        return tv_variances(1, v, w)
    if not (v < w or w < v):
        raise ValueError("tv_line: variances that overlap; use tv_shift for equal ones, or a higher precision")
    apart = n - m  # the densities cross at m + ends
    a, b, c = 1 / v - 1 / w, -apart / w, -apart * apart / w - (w / v).log()
    root = (b * b - a * c).sqrt()
    ends = (b - root) / a, (b + root) / a

    def inside(mean: Any, variance: arb) -> arb:
        scale = (2 * variance).sqrt()
        return (((ends[1] - mean) / scale).erf() - ((ends[0] - mean) / scale).erf()) / 2

    return abs(inside(0, v) - inside(apart, w))


def kl_variances(d: int, v: Any, w: Any) -> arb:
    """KL(N(0, w I_d) || N(0, v I_d)) = (d/2)(w/v - 1 - log(w/v))."""
    ratio = _positive(w) / _positive(v)
    return d * (ratio - 1 - ratio.log()) / 2


def _positive(v: Any) -> arb:
    ball = arb(v)
    if not ball > 0:
        raise ValueError(f"a variance is {ball}, not certainly positive")
    return ball


def _tail(s: arb, x: arb) -> arb:
    """Q(s, x) for x > 0: at the midpoint, and by the mean value theorem on the ball (FLINT's own bound for balls is poor).

    The upper incomplete gamma function, since the lower one loses all digits for large s at some x < s.
    """
    density = ((s - 1) * x.log() - x - s.lgamma()).exp()
    return x.mid().gamma_upper(s, regularized=1) - (x - x.mid()) * density
