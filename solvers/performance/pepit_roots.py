"""Examples of PEPit whose coefficients hold irrational square roots, with multipliers in closed form.

With doubles in place of roots such a program can have no multipliers at all: the worst case 0 of a potential becomes infinite. Here the
multipliers are those of the proofs in the literature. A single root is itself: data and multipliers are numbers of its quadratic field. Roots of
roots are rounded down to multiples of 2^-52, so that inequalities between steps stay true, and everything that follows from them is
exact. The point that attains the lower end is found for the program of doubles, and tested here.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

from flint import fmpq

from solvers.certificates import ConicProblem, InvalidCertificate, PrimalPoint
from solvers.conic.numeric import FloatProblem, solve
from solvers.conic.result import accepted
from solvers.enclosures import precision
from solvers.number_fields import Irrational, root_of
from solvers.performance.exact_floats import Exact, field_root, rational, root_below
from solvers.performance.implicit import deepest
from solvers.performance.interior import Primal
from solvers.performance.model import Performance
from solvers.performance.pepit import PREFIX, run
from solvers.performance.proofs import attained_in_field

Multipliers = dict[tuple[str], Any]
METRIC = ("Performance metric 1",)
BITS = 160
LARGE = 1000
"""Variables from which a point is searched for only once."""


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


def _improved_interior_algorithm() -> Multipliers:
    """Auslander, Teboulle (2006), with L = mu = c = lambda = 1 and n = 5: of c_k D_h(x*, z_k) + F(x_k) - F*, which shrinks by 1 - alpha_k.

    It takes L alpha_k^2 <= mu c_{k+1} only. Samples of f_1: 0 x*, 1 x_0, k + 1 y_k, 6 x_5; of f_2: 0 x*, k z_k, 6 x_5; of h: 0 x*, k + 1 z_k.
    """
    steps, c, alphas = 5, fmpq(1), []
    for _ in range(steps):
        alphas.append((_below(c * c + 4 * c) - c) / 2)
        c = (1 - alphas[-1]) * c
    left = [fmpq(1)]  # the product of 1 - alpha_j over j >= k
    for alpha in reversed(alphas):
        left.insert(0, left[0] * (1 - alpha))
    f1, f2, h = (
        f"IC_Function_{name}(Point_{{}}, Point_{{}})"
        for name in ("0_smoothness_convexity", "1_convexity", "2_strong_convexity")
    )
    found: Multipliers = {METRIC: fmpq(1), ("Initial condition",): left[0]}
    found |= {("IC_Function_1_value(Point_0)",): left[0] - 1, ("IC_Function_1_value(Point_6)",): fmpq(1)}
    found |= {(f1.format(0, k + 1),): alpha * left[k + 1] for k, alpha in enumerate(alphas)}
    found |= {(f1.format(k, k + 1),): left[k] for k in range(1, steps + 1)}
    found |= {(f2.format(0, k),): left[0] for k in range(1, steps + 1)}
    found |= {(h.format(k + 1, k),): left[0] for k in range(1, steps + 1)}
    return found | {(h.format(0, steps + 1),): left[0]}


def _accelerated_inexact_forward_backward() -> Multipliers:
    """Barré, Taylor, Bach (2022), with L = 13/10, zeta = 9/20 and n = 11: of A_k (F(x_k) - F*) + |z_k - x*|^2/2, which never grows.

    It takes (A_{k+1} - A_k)^2 <= (1 - zeta^2) A_{k+1} / L only. Samples of f: 0 x*, k + 1 y_k, n + 1 x_n; of h: 0 x*, 2k + 1 w_k, 2k x_k.
    """
    L, zeta, n = fmpq(13, 10), fmpq(9, 20), 11
    eta, A = (1 - zeta**2) / L, [fmpq(0)]
    for _ in range(n):
        A.append(A[-1] + (eta + _below(eta**2 + 4 * eta * A[-1])) / 2)
    f, h = (f"IC_Function_{name}(Point_{{}}, Point_{{}})" for name in ("0_smoothness_convexity", "1_convexity"))
    gap = "inexact_proximal(None)_on_None"
    found: Multipliers = {METRIC: fmpq(1), ("Initial condition",): 1 / (2 * A[n]), (f.format(n, n + 1),): fmpq(1)}
    for k in range(n):
        found |= {(name.format(0, i),): (A[k + 1] - A[k]) / A[n] for name, i in ((f, k + 1), (h, 2 * k + 1))}
        found |= {
            (name,): L * A[k + 1] / A[n] for name in (f"{gap} ({k + 1})" if k else gap, f"Constraint {2 * k + 2}")
        }
        if k > 0:
            found |= {(f.format(k, k + 1),): A[k] / A[n], (h.format(2 * k, 2 * k + 1),): A[k] / A[n]}
    return found


def _below(x: fmpq) -> fmpq:
    """The square root as the example computes it with `root_below`."""
    return fmpq(rational(root_below(Exact(float(x), x))))


class Proof(NamedTuple):
    """How an example is taken, and multipliers in closed form.

    Attributes:
        sqrt: what its square roots are,
        roots: in words.
        multipliers: by name of the constraint.
    """

    sqrt: Callable[[Any], Any]
    roots: str
    multipliers: Callable[[], Multipliers]


FIELD = "its square root itself, in its quadratic field"
DOWN = "its square roots rounded down to multiples of 2^-52"


PROOFS: MappingProxyType[str, Proof] = MappingProxyType(
    {
        "unconstrained_convex_minimization.robust_momentum": Proof(field_root, FIELD, _robust_momentum),
        "potential_functions.accelerated_gradient_method": Proof(field_root, FIELD, _accelerated_gradient_method),
        "composite_convex_minimization.improved_interior_algorithm": Proof(
            root_below, DOWN, _improved_interior_algorithm
        ),
        "inexact_proximal_methods.accelerated_inexact_forward_backward": Proof(
            root_below, DOWN, _accelerated_inexact_forward_backward
        ),
    }
)
"""By `package.module` below `PEPit.examples`."""


def ends(path: str) -> tuple[fmpq, fmpq]:
    """Rational numbers below and above the worst case of an example of `PROOFS`.

    Raises:
        InvalidCertificate: if multipliers or point are refused.
        ValueError: if an example has roots of several fields, or other hypotheses than when it was read.
    """
    model = run(PREFIX + path, sqrt=PROOFS[path].sqrt).problems[-1].model
    above = model.proven_by(PROOFS[path].multipliers())
    return _rounded(_attained(path, model), up=False), _rounded(above, up=True)


def _attained(path: str, model: Performance) -> Any:
    """The larger of the metrics at 0 and at the point of the rounded program, as far as they are feasible."""
    points: list[tuple[dict[int, fmpq], dict[tuple[int, int], fmpq]]] = [({}, {})]
    program = run(PREFIX + path).problems[-1].model
    rounded = program.program()
    x = _point(program, rounded.problem)
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


def _point(program: Performance, problem: ConicProblem) -> tuple[fmpq, ...] | None:
    """A feasible point, nearly optimal; for a large program as near as one search comes."""
    if problem.shape[1] <= LARGE:
        found = program.worst_case().certified.certificate
        return getattr(getattr(found, "primal", found), "x", None)
    floats = FloatProblem(problem)
    search = Primal(floats, solve(floats).x, lambda x: accepted(problem, PrimalPoint(x, problem.objective(x))))
    search.towards(deepest(problem)[0])
    return search.point


def _rounded(value: Any, *, up: bool) -> fmpq:
    """A rational at most 2^-120 or so away, on the side asked for."""
    if not isinstance(value, Irrational):
        return fmpq(value)
    with precision(BITS):
        ball = value.ball(BITS)
        man, exponent = (ball.upper() if up else ball.lower()).man_exp()
    return fmpq(man) * fmpq(2) ** int(exponent)
