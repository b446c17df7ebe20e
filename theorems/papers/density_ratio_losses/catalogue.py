"""Binary losses with their ratio links and generators, for numbers of any kind (symbols and balls)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import arb, fmpq

Real = Callable[[Any], Any]


def log(x: Any) -> Any:
    """Natural logarithm of a ball or a symbolic expression."""
    if isinstance(x, arb):
        return x.log()
    import sympy

    return sympy.log(x)


def exp(x: Any) -> Any:
    """Exponential of a ball or a symbolic expression."""
    if isinstance(x, arb):
        return x.exp()
    import sympy

    return sympy.exp(x)


def root(x: Any, n: int) -> Any:
    """The positive n-th root of a positive ball or symbolic expression."""
    if isinstance(x, arb):
        return x.root(n)
    import sympy

    return sympy.root(x, n)


@dataclass(frozen=True)
class Loss:
    """A binary loss (l(1, y), l(-1, y)) whose excess risk is the Bregman error of `generator`.

    Attributes:
        name: as it is printed.
        plus, minus: the partial losses l(1, y) and l(-1, y).
        link: the increasing ratio link g, estimate = g(y).
        inverse: its inverse g^{-1}.
        generator, slope, weight: phi, phi' and phi'' on (0, infinity); phi is determined up to affine terms.
        range: bounds of the predictions y, as `theorems.symbols` takes them.
    """

    name: str
    plus: Real
    minus: Real
    link: Real
    inverse: Real
    generator: Real
    slope: Real
    weight: Real
    range: Mapping[str, Any] = field(default_factory=lambda: {"positive": True})

    def bregman(self, true: Any, estimate: Any) -> Any:
        """phi(true) - phi(estimate) - phi'(estimate) (true - estimate)."""
        return bregman(self.generator, self.slope, true, estimate)


def bregman(phi: Real, slope: Real, true: Any, estimate: Any) -> Any:
    """The Bregman divergence of phi at a pair of points."""
    return phi(true) - phi(estimate) - slope(estimate) * (true - estimate)


def polynomial_weight(k: int) -> Loss:
    """PW-k: phi'' = c^k with the canonical link."""
    return Loss(
        f"PW-{k}",
        plus=lambda y: -y,
        minus=lambda y: root((k + 1) * y, k + 1) ** (k + 2) / (k + 2),
        link=lambda y: root((k + 1) * y, k + 1),
        inverse=lambda c: c ** (k + 1) / (k + 1),
        generator=lambda c: c ** (k + 2) / ((k + 1) * (k + 2)),
        slope=lambda c: c ** (k + 1) / (k + 1),
        weight=lambda c: c**k,
    )


_LOSSES = (
    Loss(
        "logistic",
        plus=lambda y: log(1 + exp(-y)),
        minus=lambda y: log(1 + exp(y)),
        link=exp,
        inverse=log,
        generator=lambda c: c * log(c) - (1 + c) * log(1 + c),
        slope=lambda c: log(c) - log(1 + c),
        weight=lambda c: 1 / (c * (1 + c)),
        range={},
    ),
    Loss(
        "boosting",
        plus=lambda y: exp(-y),
        minus=exp,
        link=lambda y: exp(2 * y),
        inverse=lambda c: log(c) / 2,
        generator=lambda c: -2 * root(c, 2),
        slope=lambda c: -1 / root(c, 2),
        weight=lambda c: 1 / (2 * c * root(c, 2)),
        range={},
    ),
    Loss(
        "square",
        plus=lambda y: (1 - y) ** 2,
        minus=lambda y: (1 + y) ** 2,
        link=lambda y: (1 + y) / (1 - y),
        inverse=lambda c: (c - 1) / (c + 1),
        generator=lambda c: -4 * c / (1 + c),
        slope=lambda c: -4 / (1 + c) ** 2,
        weight=lambda c: 8 / (1 + c) ** 3,
        range={"above": -1, "below": 1},
    ),
    Loss(
        "KLIEP",
        plus=lambda y: -log(y),
        minus=lambda y: y,
        link=lambda y: y,
        inverse=lambda c: c,
        generator=lambda c: c * log(c) - c,
        slope=log,
        weight=lambda c: 1 / c,
    ),
    Loss(
        "LSIF",
        plus=lambda y: -y,
        minus=lambda y: y**2 / 2,
        link=lambda y: y,
        inverse=lambda c: c,
        generator=lambda c: c**2 / 2,
        slope=lambda c: c,
        weight=lambda c: c**0,
    ),
    *(polynomial_weight(k) for k in (1, 2, 3)),
    Loss(
        "EW",
        plus=lambda y: -y,
        minus=lambda y: y * (log(2 * y) - 1) / 2,
        link=lambda y: log(2 * y) / 2,
        inverse=lambda c: exp(2 * c) / 2,
        generator=lambda c: exp(2 * c) / 4,
        slope=lambda c: exp(2 * c) / 2,
        weight=lambda c: exp(2 * c),
        range={"above": fmpq(1, 2)},
    ),
)
CATALOGUE: Mapping[str, Loss] = {loss.name: loss for loss in _LOSSES}
DECREASING = ("logistic", "boosting", "square", "KLIEP")  # phi'' strictly decreasing
RATIONAL = ("square", "LSIF", "PW-1", "PW-2", "PW-3")  # generators that are rational functions
INCREASING = ("PW-1", "PW-2", "PW-3", "EW")  # phi'' strictly increasing


def third() -> arb:
    """A common factor of two sides in balls; exact balls, which look like doubles, do not survive it."""
    return arb(fmpq(1, 3))


def normalised(weights: Sequence[int]) -> list[fmpq]:
    """The probabilities proportional to some integers."""
    total = sum(weights)
    return [fmpq(w, total) for w in weights]
