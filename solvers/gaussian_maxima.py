r"""The maximum of correlated Gaussian variables, in balls: lower tails under one common factor, and its mean under independence.

One-factor vectors are g_i = a_i Z + sqrt(1 - a_i^2) h_i with independent standard normal Z, h_i, so that E g_i g_j = a_i a_j and
P[max g_i <= t] = E prod_i Phi((t - a_i Z)/sqrt(1 - a_i^2)). Integrals are rigorous (Johansson 2018, see `enclosures.integrals`): the
integrands below are entire, but for one logarithm, whose argument is checked wherever holomorphy is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from flint import acb, arb, ctx

from solvers.enclosures import finite, to_arb, to_fmpq

Integrand = Callable[[Any, bool], Any]


def normal_cdf(x: Any) -> Any:
    """Phi(x) of a real or complex ball."""
    return (-x / arb(2).sqrt()).erfc() / 2


def one_factor_below(loadings: Iterable[tuple[Any, int]], t: Any, *, bits: int | None = None) -> arb:
    """P[max g_i <= t] for a one-factor vector.

    Args:
        loadings: pairs (a, count): `count` variables have the loading a, an exact number or a ball with -1 < a < 1.
        t: level, exact or a ball.
        bits: the radius aimed at is 2^-bits (default: a third of the current precision).
    """
    level, goal = to_arb(t), ctx.prec // 3 if bits is None else bits
    factors = [(level / _rest(a), to_arb(a) / _rest(a), count) for a, count in loadings]
    norm = 1 / (2 * arb.pi()).sqrt()

    def integrand(z: Any, analytic: bool) -> Any:
        value = (-z * z / 2).exp() * norm
        for shift, slope, count in factors:
            value *= normal_cdf(shift - slope * z) ** count
        return value

    reach = arb(math.ceil(math.sqrt(1.4 * goal + 4)))
    outside = (2 * normal_cdf(-reach)).abs_upper()
    return _pieces(integrand, [-reach, -3, 0, 3, reach], goal) + _between(outside)


def equicorrelated_below(N: Any, rho: Any, t: Any, *, log_unit: Any = 0, bits: int = 24) -> arb:
    """P[max_{i <= N} g_i <= t] e^{-log_unit} for N standard normals with all correlations rho.

    Args:
        N: number of variables, at least 2: exact, or a ball where it is beyond every integer (10^(10^6)).
        rho: correlation, 0 < rho < 1.
        t: level.
        log_unit: logarithm of the unit in which the probability is measured, so that tiny ones are resolved.
        bits: the radius aimed at is 2^-bits of the unit.
    """
    many, unit = to_arb(N), to_arb(log_unit)
    a, c = (to_arb(rho) / (1 - to_arb(rho))).sqrt(), to_arb(t) / (1 - to_arb(rho)).sqrt()
    const = (2 * arb.pi()).log() / 2 + unit
    log_N, nats = float(many.log().mid()), 0.7 * bits + 8

    def integrand(z: Any, analytic: bool) -> Any:
        tail = normal_cdf(a * z - c)
        if analytic and not _off_cut(1 - tail):
            return acb(arb.nan(), arb.nan())
        return (many * (-tail).log1p() - z * z / 2 - const).exp()

    # Phi^N passes from 0 to 1 about x = sqrt(2 log N), where z = (c - x)/a; left of it the Gaussian factor decays.
    top, slope, shift = math.sqrt(2 * log_N), float(a.mid()), float(c.mid())
    centre, width = (shift - top) / slope, 4 / (slope * top)
    left = min(centre, 0.0)
    low = left - 2 * nats / (-left + math.sqrt(left * left + 2 * nats))
    needed = nats + max(0.0, -float(unit.mid()))  # Phi^N <= e^-needed from here on
    inner = log_N - math.log(needed)
    few = max(3.0, math.sqrt(2 * needed * math.exp(-log_N)))
    vanished = math.sqrt(2 * inner - math.log(4 * math.pi * inner)) if inner > 3 else -few
    high = min((shift - vanished) / slope, max(centre, 0.0) + math.sqrt(2 * nats))
    cuts = [low, *(x for x in (centre + k * width for k in (-6, -2, 0, 2, 6)) if low < x < high), high]
    tail_left = normal_cdf(arb(low)) / unit.exp()
    last = arb(high)
    tail_right = (many * (-normal_cdf(a * last - c)).log1p() - unit).exp() * normal_cdf(-last)
    return _pieces(integrand, cuts, bits) + _between(tail_left) + _between(tail_right)


def expected_maximum(k: Any, *, bits: int | None = None) -> arb:
    """e_k = E max(g_1, ..., g_k), independent standard normals: the integral of 1 - Phi^k - (1 - Phi)^k over x > 0.

    Args:
        k: at least 2, exact; any size.
        bits: the radius aimed at is 2^-bits (default: a third of the current precision).
    """
    goal = ctx.prec // 3 if bits is None else bits
    count = int(to_fmpq(k).p)
    if count < 2:
        raise ValueError(f"expected_maximum: at least 2 variables are expected, got {k}")
    small = count <= 2 * goal
    many = arb(count)

    def integrand(x: Any, analytic: bool) -> Any:
        tail = normal_cdf(-x)
        if small:
            return 1 - (1 - tail) ** count - tail**count
        if analytic and not _off_cut(1 - tail):
            return acb(arb.nan(), arb.nan())
        return -(many * (-tail).log1p()).expm1()

    top = math.sqrt(2 * float(many.log().mid()))
    end = math.sqrt(top * top + 1.4 * goal + 4)
    cuts = [0.0, *(x for x in (top - 8 / top, top - 2 / top, top, top + 3 / top) if 0 < x < end), end]
    density = (-(arb(end) ** 2) / 2).exp() / (2 * arb.pi()).sqrt()
    beyond = many * density / arb(end) ** 2  # 1 - Phi^k <= k (1 - Phi), integrated over x > end
    dropped = arb(0) if small else arb(end) * arb(2) ** -arb(count)
    return _pieces(integrand, cuts, goal) + _between(beyond) - _between(dropped)


def argmax_mean(k: int, *, bits: int | None = None) -> arb:
    """E[g_1 1{g_1 = max(g_1, ..., g_k)}] for independent standard normals: the integral of x phi(x) Phi(x)^{k-1}."""
    goal = ctx.prec // 3 if bits is None else bits
    norm = 1 / (2 * arb.pi()).sqrt()
    reach = arb(math.ceil(math.sqrt(1.4 * goal + 4)))
    outside = (-reach * reach / 2).exp() * norm  # integral of x phi(x) over x > reach, on either side

    def integrand(x: Any, analytic: bool) -> Any:
        return x * (-x * x / 2).exp() * norm * normal_cdf(x) ** (k - 1)

    return _pieces(integrand, [-reach, -3, 0, 3, reach], goal) + arb(0, outside.abs_upper())


def _rest(a: Any) -> arb:
    return (1 - to_arb(a) ** 2).sqrt()


def _off_cut(w: Any) -> bool:
    """Whether a ball certainly avoids (-oo, 0]."""
    return bool(w.real > 0 or w.imag > 0 or w.imag < 0)


def _between(bound: Any) -> arb:
    """The ball [0, bound]."""
    return arb(0).union(to_arb(bound).abs_upper())


def _pieces(integrand: Integrand, cuts: Sequence[Any], bits: int) -> arb:
    """The integral of a function that is real on the line, piece by piece between increasing cuts."""
    goal, total = arb(2) ** -bits, arb(0)
    for a, b in pairwise(cuts):
        value = acb.integral(integrand, acb(a), acb(b), rel_tol=goal, abs_tol=goal)
        total += finite(value, "the integral").real
    return total
