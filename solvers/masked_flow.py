r"""Gradient flow of f(m * w) + alpha (|m|^2 + |w|^2), products by coordinates: m' = -w * g - 2 alpha m, w' = -m * g - 2 alpha w.

A state is the list m_1, ..., m_n, w_1, ..., w_n, and perhaps further coordinates; g is the gradient of f at x = m * w. The balance
a = |m^2 - w^2|/2 falls like exp(-4 int alpha) whatever f is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, flow_steps, to_arb

Gradient = Callable[[list[Any]], Sequence[Any]]


def weights(x: Sequence[Any], a: Sequence[Any]) -> list[arb]:
    """The state with the products x and the balances a: m = sqrt(sqrt(x^2 + a^2) + a), w = sign(x) sqrt(sqrt(x^2 + a^2) - a).

    Args:
        x: n exact rationals.
        a: n exact rationals > 0.
    """
    m, w = [], []
    for u, b in zip(x, a, strict=True):
        root = (to_arb(u) * to_arb(u) + to_arb(b) * to_arb(b)).sqrt()
        m.append((root + to_arb(b)).sqrt())
        w.append(to_arb(u) / m[-1])  # |x|/m, without cancellation
    return m + w


def products(state: Sequence[Any], n: int) -> list[Any]:
    """x = m * w of a state with n coordinates."""
    return [m * w for m, w in zip(state[:n], state[n : 2 * n], strict=True)]


def balances(state: Sequence[Any], n: int) -> list[Any]:
    """(m^2 - w^2)/2 = (m - w)(m + w)/2 of a state, which is the balance where m >= |w|."""
    return [(m - w) * (m + w) / 2 for m, w in zip(state[:n], state[n : 2 * n], strict=True)]


def velocity(state: Sequence[Any], g: Sequence[Any], alpha: Any) -> list[Any]:
    """(m', w') for the gradient g at x = m * w.

    Args:
        state: 2n balls or power series (further coordinates are left out).
        g: n of the same kind.
        alpha: the penalty at the moment, a number or of the same kind; 0 for none.
    """
    n = len(g)
    m, w = state[:n], state[n : 2 * n]
    flow = [-(b * c) for b, c in zip(w, g)] + [-(b * c) for b, c in zip(m, g)]
    if isinstance(alpha, (int, fmpq)) and alpha == 0:
        return flow
    return [v - u * alpha * 2 for v, u in zip(flow, state)]


def least_squares(rows: Sequence[Sequence[Any]], y: Sequence[Any]) -> Gradient:
    """The gradient Z^T (Z x - y) of |Z x - y|^2/2.

    Args:
        rows: k rows of n exact numbers.
        y: k exact numbers or balls.
    """

    def gradient(x: list[Any]) -> list[Any]:
        errors = [_combined(row, x) - v for row, v in zip(rows, y)]
        return [_combined([row[i] for row in rows], errors) for i in range(len(x))]

    return gradient


def _combined(coefficients: Sequence[Any], values: Sequence[Any]) -> Any:
    total = values[0] * coefficients[0]
    for c, v in zip(coefficients[1:], values[1:]):
        total = total + v * c
    return total


class Moment(NamedTuple):
    """Time and state of an enclosed flow."""

    t: fmpq
    state: list[arb]


def masked_flow(
    gradient: Gradient, state: Sequence[Any], phases: Iterable[tuple[Any, Any]], *, order: int | None = None,
    done: Callable[[list[arb]], bool] | None = None,
    max_steps: int = 2000,
) -> list[Moment]:  # fmt: skip
    """The flow through phases of constant penalty, enclosed at the ends of all validated steps.

    Args:
        gradient: the gradient of f, of n balls or power series.
        state: 2n exact numbers or balls.
        phases: pairs (alpha, duration) of exact rationals.
        order: Taylor order of the steps.
        done: ends the last phase early, looked at after each of its steps.
        max_steps: bound on the steps of a phase (they shrink when the balls have become too wide).

    Raises:
        NoEnclosure: if a step cannot be validated, or `done` is given and not met.
    """
    x: list[arb] = [to_arb(v) for v in state]
    n = len(x) // 2
    moments = [Moment(fmpq(0), x)]
    pending = list(phases)
    for k, (alpha, duration) in enumerate(pending):
        start = moments[-1].t

        def field(s: list[Any], alpha: Any = alpha) -> list[Any]:
            return velocity(s, gradient(products(s, n)), alpha)

        for step in flow_steps(field, moments[-1].state, duration, order=order, max_steps=max_steps):
            moments.append(Moment(start + step.t + step.h, list(step.end)))
            if done is not None and k == len(pending) - 1 and done(moments[-1].state):
                return moments
    if done is not None:
        raise NoEnclosure(f"masked_flow: not done at t = {moments[-1].t}; more time or more bits are needed")
    return moments
