"""One-dimensional maps x -> f(x, p): cycles, multipliers, bifurcations and Lyapunov exponents, enclosed in balls.

Cycles and bifurcation parameters are zeros of small systems and are proved to exist, near the approximation that was
followed, by Krawczyk's operator. For n a power of two, a zero of f^n - x with multiplier -1 has exact period n: along
a cycle of period n/2 or less the multiplier of f^n is an even power of a real number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq

from solvers.enclosures.exact import to_arb
from solvers.enclosures.precision import NoEnclosure
from solvers.enclosures.systems import enclose_solution

Partial = Callable[[Any, Any], Any]
FAR = 2**64  # an orbit beyond it has escaped
SETTLING = 4_000  # iterates after which an orbit is taken to lie on its attractor
NEWTON_STEPS = 3  # at each step of a continuation
CONTINUATION_STEPS = 8  # in the multiplier, from a followed cycle to the wanted one


@dataclass(frozen=True, slots=True)
class Family:
    """A family of maps with its partial derivatives up to the second that single shooting needs.

    Attributes:
        f: value at (x, p); like the others written with arithmetic, so that it takes balls.
        fx, fp, fxx, fxp: partial derivatives.
    """

    f: Partial
    fx: Partial
    fp: Partial
    fxx: Partial
    fxp: Partial


@dataclass(frozen=True, slots=True)
class Jet:
    """The n-th iterate at (x, p) and its derivatives with respect to x and p."""

    value: Any
    x: Any
    p: Any
    xx: Any
    xp: Any


def iterate(family: Family, x: Any, p: Any, n: int) -> Jet:
    """f^n(x, p) with its derivatives by the chain rule.

    Args:
        family: the maps.
        x, p: balls (or exact numbers).
        n: number of iterations, at least 0.
    """
    u, ux, up, uxx, uxp = to_arb(x), arb(1), arb(0), arb(0), arb(0)
    p = to_arb(p)
    for _ in range(n):
        a, b, c = family.fx(u, p), family.fxx(u, p), family.fxp(u, p)
        uxx, uxp = b * ux * ux + a * uxx, (b * up + c) * ux + a * uxp
        ux, up = a * ux, a * up + family.fp(u, p)
        u = family.f(u, p)
    return Jet(u, ux, up, uxx, uxp)


def orbit(family: Family, x: Any, p: Any, n: int) -> Iterator[arb]:
    """The points x, f(x), ..., f^(n-1)(x), each enclosed by the mean value form f(mid) + f'(ball) (ball - mid).

    The radius grows like the derivative along the orbit, about one bit an iterate for a chaotic map; ask for bits
    accordingly.

    Raises:
        NoEnclosure: when a radius exceeds the size of the point (and 1), so that nothing is known any more.
    """
    u, p = to_arb(x), to_arb(p)
    for _ in range(n):
        mid = u.mid()
        if not (u.is_finite() and u.rad() <= 1 + abs(mid)):
            raise NoEnclosure(f"orbit: nothing is known at {ctx.prec} bits; ask for more bits or fewer iterates")
        yield u
        u = family.f(mid, p) + family.fx(u, p) * (u - mid)


def finite_exponent(family: Family, x: Any, p: Any, n: int) -> arb:
    """The finite-time Lyapunov exponent (1/n) sum log |f'(x_k)| over the first n points of the orbit of x.

    Raises:
        NoEnclosure: when an orbit point is not separated from a critical point at the current precision.
    """
    p = to_arb(p)
    total, product = arb(0), arb(1)
    for k, u in enumerate(orbit(family, x, p, n), start=1):
        product *= abs(family.fx(u, p))
        if k % 64 == 0 or k == n:  # logarithms of products: one for 64 iterates
            if not product > 0:
                raise NoEnclosure(f"finite_exponent: the derivative near iterate {k} may vanish at {ctx.prec} bits")
            total, product = total + product.log(), arb(1)
    return total / n


def settle(family: Family, p: Any, x: Any, n: int = SETTLING) -> arb:
    """An approximation (a point) of the attractor that the orbit of x reaches after n iterates; no enclosure."""
    u, p = to_arb(x).mid(), to_arb(p).mid()
    for _ in range(n):
        u = family.f(u, p).mid()
        if not abs(u) < FAR:
            raise NoEnclosure(f"settle: the orbit escapes beyond {FAR}")
    return u


def cycle(family: Family, p: Any, x: Any, n: int) -> list[arb]:
    """The n-cycle through a point near x, at a fixed parameter: existence and local uniqueness are proved.

    Returns:
        n balls, the points in dynamical order.

    Raises:
        NoEnclosure: if Newton's method or the proof fails (a multiplier near 1, say).
    """
    p = to_arb(p)
    [u] = enclose_solution(
        lambda X: [iterate(family, X[0], p, n).value - X[0]],
        [x],
        lambda X: [[iterate(family, X[0], p, n).x - 1]],
    )
    return list(orbit(family, u, p, n))


def multiplier(family: Family, p: Any, points: Sequence[arb]) -> arb:
    """The multiplier of a cycle: the product of f' over its points."""
    product, p = arb(1), to_arb(p)
    for u in points:
        product *= family.fx(u, p)
    return product


def bifurcation(family: Family, x: Any, p: Any, n: int, wanted: Any = -1) -> tuple[arb, arb]:
    """A cycle of f^n and the parameter at which its multiplier takes the wanted value.

    Args:
        family: the maps.
        x, p: approximations of a point of the cycle and of the parameter.
        n: the number of iterates.
        wanted: the multiplier: -1 where a cycle loses stability by period doubling, 1 where it is born in a
            tangency, 0 where it is superstable.

    Returns:
        (x, p) enclosed; the zero of (f^n - x, multiplier - wanted) in this box exists and is unique.

    Raises:
        NoEnclosure: if Newton's method or the proof fails.
    """
    wanted = to_arb(wanted)

    def equations(X: list[arb]) -> list[arb]:
        jet = iterate(family, X[0], X[1], n)
        return [jet.value - X[0], jet.x - wanted]

    def jacobian(X: list[arb]) -> list[list[arb]]:
        jet = iterate(family, X[0], X[1], n)
        return [[jet.x - 1, jet.p], [jet.xx, jet.xp]]

    u, q = enclose_solution(equations, [x, p], jacobian)
    return u, q


def continued(family: Family, x: Any, p: Any, n: int, wanted: Any = -1) -> tuple[arb, arb]:
    """`bifurcation`, reached from the cycle near x at the parameter p by small steps of its multiplier."""
    x, p = to_arb(x).mid(), to_arb(p).mid()
    start = iterate(family, x, p, n).x.mid()
    for k in range(1, CONTINUATION_STEPS):
        target = start + (to_arb(wanted) - start) * fmpq(k, CONTINUATION_STEPS)
        for _ in range(NEWTON_STEPS):
            x, p = _newton(iterate(family, x, p, n), x, p, target)
    return bifurcation(family, x, p, n, wanted)


def _newton(jet: Jet, x: arb, p: arb, wanted: arb) -> tuple[arb, arb]:
    """One Newton step for (f^n - x, multiplier - wanted), on points: an approximation only."""
    a, b, c, d = jet.x - 1, jet.p, jet.xx, jet.xp
    r, s = jet.value - x, jet.x - wanted
    det = a * d - b * c
    return (x - (d * r - b * s) / det).mid(), (p - (a * s - c * r) / det).mid()


def cascade(family: Family, first: Any, second: Any, x: Any, count: int, *, period: int = 1) -> list[tuple[arb, arb]]:
    """Parameters at which the cycles of period 2, 4, 8, ... times `period` lose stability by doubling.

    Args:
        family: the maps.
        first, second: (approximate) parameters at which the cycles of period `period` and 2 `period` lose stability.
        x: a point in the basin of the attracting cycle for parameters from `first` to the accumulation point.
        count: how many thresholds to return, beginning with `second`, which is found anew.

    Returns:
        For each threshold a point of the cycle there and the parameter, enclosed; reached by continuation from the
        attractor on the stable side.

    Raises:
        NoEnclosure: if an attractor cannot be followed.
    """
    below, guess = to_arb(first).mid(), to_arb(second).mid()
    thresholds: list[tuple[arb, arb]] = []
    n = 2 * period
    for _ in range(count):
        inside = (below + guess) / 2  # between two thresholds, where the n-cycle attracts
        u = settle(family, inside, x)
        u, p = continued(family, u, inside.mid(), n)
        thresholds.append((u, p))
        below, guess = p.mid(), (p + (p - below) / 4).mid()  # the next gap is shorter by 4 to 5
        n *= 2
    return thresholds
