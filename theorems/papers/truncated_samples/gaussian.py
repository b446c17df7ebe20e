"""Gaussian laws N(theta, 1) on unions of intervals, in balls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from flint import arb, fmpq

from theorems import Arrays, Choices, Given, Integers, Q, Rationals
from theorems.papers.truncated_samples.paper import PAPER

End: TypeAlias = fmpq | None
Union: TypeAlias = tuple[tuple[End, End], ...]


def half_line(a: Any) -> Union:
    """[a, infinity)."""
    return ((fmpq(a), None),)


def symmetric(w: Any) -> Union:
    """[-w, w]."""
    return ((-fmpq(w), fmpq(w)),)


def density(x: arb) -> arb:
    """The standard normal density."""
    return (-(x * x) / 2).exp() / (2 * arb.pi()).sqrt()


def above(x: arb) -> arb:
    """P(N > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def interval_mass(a: End, b: End, theta: arb) -> arb:
    """P(a < N(theta, 1) < b), from the side without cancellation where the ball of theta allows it."""
    if b is None:
        return above(arb(a) - theta)
    if a is None:
        return above(theta - arb(b))
    low, high = arb(a) - theta, arb(b) - theta
    if low > 0:
        return above(low) - above(high)
    if high < 0:
        return above(-high) - above(-low)
    return ((high / arb(2).sqrt()).erf() - (low / arb(2).sqrt()).erf()) / 2


@dataclass(frozen=True)
class Truncated:
    """N(theta, 1) given a union of intervals.

    Attributes:
        mass: p_theta(S).
        mean: of the truncated law.
        variance: of the truncated law.
        centred: E (X - theta)^2 of the truncated law.
    """

    mass: arb
    mean: arb
    variance: arb
    centred: arb


def mass(S: Union, theta: Any) -> arb:
    """p_theta(S)."""
    return sum((interval_mass(a, b, arb(theta)) for a, b in S), arb(0))


def truncated(S: Union, theta: Any) -> Truncated:
    """Mass and moments at theta."""
    t = arb(theta)
    p, first, second = arb(0), arb(0), arb(0)
    for a, b in S:
        p += interval_mass(a, b, t)
        for end, sign in ((a, 1), (b, -1)):
            if end is not None:
                x = arb(end) - t
                first += sign * density(x)
                second += sign * x * density(x)
    shift = first / p
    centred = 1 + second / p
    return Truncated(p, t + shift, centred - shift * shift, centred)


@dataclass(frozen=True)
class Problem:
    """A truncated Gaussian problem.

    Attributes:
        alpha: p_theta*(S).
        L: ln(1/alpha).
        start: theta_0, the mean of the truncated law at theta*.
    """

    alpha: arb
    L: arb
    start: arb


def problem(S: Union, true: Any) -> Problem:
    """alpha, L and theta_0."""
    law = truncated(S, true)
    return Problem(law.mass, -law.mass.log(), law.mean)


def divergence(S: Union, true: Any, theta: Any) -> arb:
    """KL(p*^S || p_theta) in closed form: L + (theta* - theta) theta_0 - (theta*^2 - theta^2)/2."""
    found = problem(S, true)
    s, t = arb(true), arb(theta)
    return found.L + (s - t) * found.start - (s * s - t * t) / 2


def union_of(ends: Any, pieces: int, half: bool) -> Union:
    """Disjoint intervals between sorted tenths; the last one unbounded to the right if `half`."""
    points = sorted(fmpq(int(e), 10) for e in ends)[: 2 * pieces]
    found = [(points[2 * k], points[2 * k + 1]) for k in range(pieces)]
    if half:
        found[-1] = (found[-1][0], None)
    return tuple(found)


TENTHS = Integers(-60, 60)


def unions(name: str, **options: Any) -> Any:
    """A family of unions of 1 to 3 intervals with a true and another parameter, in tenths."""
    return PAPER.family(
        name,
        pieces=Choices(1, 2, 3),
        ends=Arrays(TENTHS, (6,)),
        half=Choices(False, True, False),
        S=Given(union_of),
        true=Rationals(-6, 6, denominator=10),
        theta=Rationals(-6, 6, denominator=10),
        where=lambda S, ends, true, theta: distinct(ends) and heavy(S, true) and heavy(S, theta),
        accept=0.1,
        **options,
    )


LEAST_MASS = Q(1, 10**25)


def heavy(S: Union, theta: fmpq) -> bool:
    """Whether S certainly has a mass of at least 1e-25 and at most exp(-1e-3) at theta."""
    p = mass(S, theta)
    return bool(p > arb(LEAST_MASS)) and bool(-p.log() > arb(Q(1, 1000)))


def distinct(ends: Any) -> bool:
    """Whether no interval is empty."""
    return len({int(e) for e in ends}) == 6
