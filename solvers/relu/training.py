"""Training with a certified global optimum: the public entry point.

Examples:
    Four samples on the axes of the plane, and a weight for which the optimal set is known exactly:

    >>> from solvers.relu import staircase, train
    >>> X = [[1, 0], [0, 1], [-1, 0], [0, -1]]  # or NumPy arrays
    >>> y = ["33/10", "44/10", "33/10", "44/10"]  # exact text
    >>> solution = train(X, y, beta="1/2")
    >>> solution.lower <= solution.upper, round(solution.value, 12)
    (True, 5.25)
    >>> solution.structure.kind, solution.m_star, solution.M_star
    ('R', 2, 2)
    >>> [(step.width, step.components, step.isolated) for step in staircase(solution, range(1, 5))]
    [(1, 0, 0), (2, 4, 4), (3, 2, 0), (4, 1, 0)]

    There is no optimal network of one neuron, there are four isolated ones of two neurons, and from four neurons
    on the optimal networks are connected. `solution.certificate` is what `solvers.certificates.check` accepts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from solvers.certificates.relu import Neuron, ReluCertificate, ReluProblem, check_relu
from solvers.relu.arrangement import MAX_CELLS, Arrangement, arrangement
from solvers.relu.enclosure import Approximation, approximate, certificate
from solvers.relu.exact import Data, data, to_float
from solvers.relu.geometry import Geometry
from solvers.relu.polytope import Polytope
from solvers.relu.staircase import Step
from solvers.relu.staircase import staircase as of_supports
from solvers.relu.structure import structure
from solvers.relu.tight import Structure
from solvers.relu.working_set import FloatSolution, solve

Array = np.ndarray[Any, Any]
MAGNITUDE_MIN, MAGNITUDE_MAX = 1e-60, 1e60


class UndecidedStructure(ArithmeticError):
    """The solution set was asked for, and neither balls nor rationals decide it."""


@dataclass(frozen=True, repr=False)
class Solution:
    """A certified global optimum of a training problem.

    Attributes:
        problem: the exact data (with the bias column, if one was asked for).
        bias: whether a column of ones was appended.
        lower, upper: proven bounds of the least objective over networks of every width; `upper` is the objective
            of `network`.
        network: the neurons (w_j, a_j), exact dyadics; none at beta >= beta_max.
        certificate: what `solvers.certificates.check` accepts for `problem`.
        cells: the arrangement.
        approximation: dual point and active faces to many digits.
        geometry: doubles used on the way.
    """

    problem: ReluProblem
    bias: bool
    lower: fmpq
    upper: fmpq
    network: tuple[Neuron, ...]
    certificate: ReluCertificate
    cells: Arrangement = field(repr=False)
    approximation: Approximation = field(repr=False)
    geometry: Geometry = field(repr=False)

    def __repr__(self) -> str:
        gap = to_float((self.upper - self.lower) / self.upper) if self.upper else 0.0
        size = f"{len(self.problem.X)} samples, {len(self.problem.X[0])} features, {self.cells.count} cells"
        return f"<Solution: value {self.value:.12g} to within {gap:.1e}, {len(self.network)} neurons; {size}>"

    @property
    def value(self) -> float:
        """The optimal value, to a double."""
        return to_float((self.lower + self.upper) / 2)

    @property
    def nu(self) -> tuple[fmpq, ...]:
        """The dual feasible point of the certificate; the optimum is y minus the optimal fit."""
        return self.certificate.nu

    @cached_property
    def structure(self) -> Structure:
        """The tight directions and the optimal polytope, certified (or what stays undecided)."""
        return structure(self.geometry, self.approximation, self.certificate)

    @property
    def optimal_polytope(self) -> Polytope:
        """P*, the set of optimal weights over the tight directions `structure.atoms`.

        Raises:
            UndecidedStructure: with the reason.
        """
        if self.structure.polytope is None:
            raise UndecidedStructure(f"the optimal set is not decided: {self.structure.reason}")
        return self.structure.polytope

    @property
    def m_star(self) -> int:
        """m*: the least width of an optimal network."""
        return self.structure.width or self.optimal_polytope.least

    @property
    def M_star(self) -> int:
        """M*: the greatest width of an irreducible optimal network."""
        return self.structure.width or self.optimal_polytope.greatest

    @cached_property
    def coef_(self) -> Array:
        """Input weights, neurons x features (the bias column, if any, is left out)."""
        d = len(self.problem.X[0])
        W = np.array([[to_float(v) for v in neuron.w] for neuron in self.network]).reshape(-1, d)
        return W[:, :-1] if self.bias else W

    @cached_property
    def intercept_(self) -> Array:
        """Biases of the neurons, zero without bias."""
        return np.array([to_float(n.w[-1]) if self.bias else 0.0 for n in self.network])

    @cached_property
    def output_(self) -> Array:
        """Output weights."""
        return np.array([to_float(n.a) for n in self.network])

    def predict(self, X: Any) -> Array:
        """The network's outputs in doubles, one per row of X (features without the bias column)."""
        rows = np.asarray(X, dtype=float)
        width = len(self.problem.X[0]) - int(self.bias)
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ValueError(f"X has the shape {rows.shape}; expected (samples, {width})")
        if not np.isfinite(rows).all():
            raise ValueError("X has entries that are not finite; remove or impute such samples")
        hidden = np.maximum(rows @ self.coef_.T + self.intercept_, 0.0)
        return np.asarray(hidden @ self.output_)


def staircase(solution: Solution, widths: Iterable[int]) -> tuple[Step, ...]:
    """Connected components and isolated points of the optimal networks of each width.

    Args:
        solution: of `train`, with a decided structure.
        widths: widths m >= 0.

    Raises:
        UndecidedStructure: if the optimal polytope is not decided.
        ValueError: where the configuration graph would be too large; says how large.
    """
    return of_supports(solution.optimal_polytope.supports, widths)


def train(X: Any, y: Any, beta: Any, *, bias: bool = False, bits: int = 256, max_cells: int = MAX_CELLS) -> Solution:
    """The global optimum of 1/2 |f - y|^2 + beta/2 sum_j (|w_j|^2 + a_j^2), f = sum_j a_j (X w_j)_+, over all widths.

    Args:
        X: n x d features: a NumPy array, a data frame, or rows of exact numbers. Doubles are taken as the dyadic
            rationals that they are.
        y: n targets, likewise.
        beta: positive weight of the regulariser.
        bias: append a column of ones, whose weights are regularised like the others.
        bits: working precision; the relative width of the enclosure is about 2^-bits.
        max_cells: refuse data whose arrangement may have more cells than this.

    Returns:
        The solution with its certificate, already checked. At beta >= beta_max it is the zero network.

    Raises:
        ValueError: for shapes that do not match, entries that are not finite, extreme magnitudes, or beta <= 0.
        TooManyCells: where the enumeration would be too large, with the predicted cell count and time.
    """
    given = data(X, y, beta, bias=bias)
    _refuse_extreme(given)
    return train_data(given, bias=bias, bits=bits, max_cells=max_cells)


def _refuse_extreme(given: Data) -> None:
    """Doubles guide the solver, and their products must neither overflow nor vanish."""
    for name, values in (("X", given.X), ("y", given.y), ("beta", np.array([given.beta]))):
        largest = float(np.abs(values).max(initial=0.0))
        if largest and not MAGNITUDE_MIN <= largest <= MAGNITUDE_MAX:
            raise ValueError(
                f"the largest entry of {name} is {largest:.3g}; expected a magnitude between {MAGNITUDE_MIN:g} and "
                f"{MAGNITUDE_MAX:g}. Rescale: (t X, y, t beta) has the same optimum, (X, t y, t beta) t^2 times it"
            )


def train_data(given: Data, *, bias: bool = False, bits: int = 256, max_cells: int = MAX_CELLS) -> Solution:
    """`train` on exact data."""
    cells = arrangement(given.problem.X, max_cells=max_cells, check=False)  # counted by the checker below
    geometry = Geometry(given, cells)
    approximation, proof = _certified(geometry, solve(given, cells, geometry=geometry), bits)
    verified = check_relu(given.problem, proof)
    if verified.lower is None or verified.upper is None:
        raise ArithmeticError("the checker of certificates returned no bound")
    return Solution(
        given.problem, bias, verified.lower, verified.upper, proof.network, proof, cells, approximation, geometry
    )


def _certified(geometry: Geometry, found: FloatSolution, bits: int) -> tuple[Approximation, ReluCertificate]:
    approximation = approximate(geometry, found, bits)
    return approximation, certificate(geometry, found, approximation)
