"""Examples of PEPit whose coefficients hold an irrational square root, as they are: no root is rounded.

With its double in place of a root such a program can have no multipliers at all: the worst case 0 of a potential becomes infinite. Here data
and multipliers are numbers of the quadratic field, the multipliers those of the proofs in the literature. The point that attains the lower
end is found for the rounded program, and tested in the field.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from flint import fmpq

from solvers.certificates import InvalidCertificate
from solvers.enclosures import precision
from solvers.number_fields import Irrational, root_of
from solvers.performance.model import Performance
from solvers.performance.pepit import PREFIX, run
from solvers.performance.proofs import attained_in_field

Multipliers = dict[tuple[str], Any]
METRIC = ("Performance metric 1",)
BITS = 160


def _robust_momentum() -> Multipliers:
    """Cyrus, Hu, Van Scoy, Lessard (2018), with mu = 1/10, L = 1, lambda = 1/5; samples: 0 x*, 1 y_0, 2 y_1."""
    mu, L, weight = fmpq(1, 10), fmpq(1), fmpq(1, 5)
    rho = weight * (1 - mu / L) + (1 - weight) * (1 - 1 / root_of(L / mu))
    name = "IC_Function_0_smoothness_strong_convexity(Point_{}, Point_{})"
    return {
        METRIC: fmpq(1),
        ("Initial condition",): rho**2,
        (name.format(1, 2),): (L - mu) * rho**2,
        (name.format(0, 2),): (L - mu) * (1 - rho**2),
    }


def _accelerated_gradient_method() -> Multipliers:
    """Nesterov (1983), with lambda_n = 10; samples: 0 x*, 1 x_n, 2 y_n, 3 x_{n+1}."""
    before = fmpq(10)
    after = (1 + root_of(4 * before**2 + 1)) / 2
    name = "IC_Function_0_smoothness_convexity(Point_{}, Point_{})"
    return {
        METRIC: fmpq(1),
        (name.format(1, 2),): before**2,
        (name.format(0, 2),): after,
        (name.format(2, 3),): after**2,
    }


MULTIPLIERS: MappingProxyType[str, Callable[[], Multipliers]] = MappingProxyType(
    {
        "unconstrained_convex_minimization.robust_momentum": _robust_momentum,
        "potential_functions.accelerated_gradient_method": _accelerated_gradient_method,
    }
)
"""By `package.module` below `PEPit.examples`."""


def ends(path: str) -> tuple[fmpq, fmpq]:
    """Rational numbers below and above the worst case of an example of `MULTIPLIERS`.

    Raises:
        InvalidCertificate: if multipliers or point are refused.
        ValueError: if an example has roots of several fields, or other hypotheses than when it was read.
    """
    model = run(PREFIX + path, roots_in_field=True).problems[-1].model
    above = model.proven_by(MULTIPLIERS[path]())
    return _rounded(_attained(path, model), up=False), _rounded(above, up=True)


def _attained(path: str, model: Performance) -> Any:
    """The larger of the metrics at 0 and at the point of the rounded program, as far as they are feasible."""
    points: list[tuple[dict[int, fmpq], dict[tuple[int, int], fmpq]]] = [({}, {})]
    program = run(PREFIX + path).problems[-1].model
    rounded, found = program.program(), program.worst_case().certified.certificate
    x = getattr(getattr(found, "primal", found), "x", None)
    if x is not None:
        first = len(rounded.numbers)
        pairs = [(i, j) for b, j in enumerate(rounded.vectors) for i in rounded.vectors[: b + 1]]
        points.append((dict(zip(rounded.numbers, x)), dict(zip(pairs, x[first:]))))
    values, refusals = [], []
    for numbers, gram in points:
        try:
            values.append(attained_in_field(model, numbers, gram))
        except InvalidCertificate as refusal:
            refusals.append(refusal)
    if not values:
        raise refusals[-1]
    return max(values)


def _rounded(value: Any, *, up: bool) -> fmpq:
    """A rational at most 2^-120 or so away, on the side asked for."""
    if not isinstance(value, Irrational):
        return fmpq(value)
    with precision(BITS):
        ball = value.ball(BITS)
        man, exponent = (ball.upper() if up else ball.lower()).man_exp()
    return fmpq(man) * fmpq(2) ** int(exponent)
