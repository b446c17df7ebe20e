r"""The convex hull of bounded two-layer ReLU networks on the line, seen at finitely many points: exact convex programs.

R_W = {sum_j alpha_j phi_j + c_0 : sum_j |alpha_j| <= W, |c_0| <= 1}, where the phi_j are the extreme neurons of the parameter box
[-1, 1]^2 at the points. R_W contains every network of width W with parameters in the box; each of its elements is realised by a network
whose width is at most W plus the number of the alpha_j that are not 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq

from solvers.certificates import ConicProblem, exponential, nonneg
from solvers.certificates.problem import Row
from solvers.conic import lp
from solvers.shallow_relu import ONE, ZERO, Neuron, ShallowNetwork, extreme_neurons_on_line, neuron_values, unit_outputs


@dataclass(frozen=True)
class Hull:
    """The extreme neurons at some points of [0, 1].

    Attributes:
        points: where functions are looked at.
        neurons: the phi_j.
        table: phi_j(x_i), a row for each point.
    """

    points: tuple[fmpq, ...]
    neurons: tuple[Neuron, ...]
    table: tuple[tuple[fmpq, ...], ...]


@dataclass(frozen=True)
class Element:
    """An element of the hull: coefficients of its neurons and offset."""

    hull: Hull
    alpha: tuple[fmpq, ...]
    offset: fmpq

    @property
    def weight(self) -> fmpq:
        """sum |alpha_j|."""
        return sum(map(abs, self.alpha), ZERO)

    @property
    def values(self) -> tuple[fmpq, ...]:
        """The values at the points."""
        return tuple(sum((a * v for a, v in zip(self.alpha, row)), self.offset) for row in self.hull.table)

    @property
    def network(self) -> ShallowNetwork:
        """The same function as a network with output weights in [-1, 1]: ceil |alpha_j| equal neurons for each j."""
        return unit_outputs(ShallowNetwork(self.hull.neurons, self.alpha, self.offset))


def hull_at(points: Sequence[fmpq], hinges: Iterable[fmpq] = ()) -> Hull:
    """The hull at distinct points of [0, 1]; further hinges change nothing that is seen at the points.

    Neurons that vanish at all points are left out.
    """
    neurons = extreme_neurons_on_line((*points, *hinges))
    columns = neuron_values(neurons, [(x,) for x in points]).transpose().tolist()
    kept = [(neuron, column) for neuron, column in zip(neurons, columns) if any(v != 0 for v in column)]
    return Hull(tuple(points), tuple(neuron for neuron, _ in kept), tuple(zip(*(column for _, column in kept))))


def best_margin(hull: Hull, labels: Sequence[int], W: fmpq | int) -> fmpq:
    """max over R_W of min_i y_i F(x_i), exactly, from its dual: the weighting p of the points that R_W correlates with least.

    By minimax it is the least W max_j |sum_i p_i y_i phi_j(x_i)| + |sum_i p_i y_i| over probabilities p.
    """
    m = len(labels)
    rows = []
    for column in zip(*hull.table):
        signed = [y * v for y, v in zip(labels, column)]
        rows += [[*signed, -1, 0], [*(-v for v in signed), -1, 0]]
    rows += [[*labels, 0, -1], [*(-y for y in labels), 0, -1]]
    found = lp([0] * m + [W, 1], rows, [0] * len(rows), [[1] * m + [0, 0]], [1])
    if found.value is None:
        raise ArithmeticError(f"a margin program over {m} points is {found.status}; it is always bounded and feasible")
    return found.value


def least_weight(
    hull: Hull, signs: Sequence[int], least: Sequence[fmpq | int], *, free_offset: bool = False
) -> Element | None:
    """The element of least weight with s_i F(x_i) >= t_i at every point, exactly; None if there is none.

    Args:
        hull: where the element is taken from.
        signs: s_i = 1 or -1 (0: no condition at this point).
        least: t_i.
        free_offset: any offset, instead of |c_0| <= 1.
    """
    K = len(hull.neurons)
    rows = [[*(-s * v for v in row), *(s * v for v in row), -s] for s, row in zip(signs, hull.table) if s]
    right = [-t for s, t in zip(signs, least) if s]
    offset: tuple[int | None, int | None] = (None, None) if free_offset else (-1, 1)
    found = lp([1] * (2 * K) + [0], rows, right, bounds=[(0, None)] * (2 * K) + [offset])
    if found.value is None:
        return None
    return Element(hull, tuple(a - b for a, b in zip(found.x[:K], found.x[K : 2 * K])), found.x[-1])


def logistic_problem(
    hull: Hull,
    labels: Sequence[int],
    masses: Sequence[fmpq],
    W: fmpq | int,
    *,
    wrong: Iterable[int] = (),
    right: Iterable[int] = (),
) -> ConicProblem:
    """Minimise sum_i p_i ln(1 + exp(-y_i F(x_i))) over R_W, as a program with exponential cones.

    Variables: the K positive parts of alpha, the K negative parts, c_0, then (t_i, u_i, v_i) for each point of positive mass with
    exp(-y_i F(x_i) - t_i) <= u_i, exp(-t_i) <= v_i, u_i + v_i <= 1.

    Args:
        hull, labels, masses, W: the class and the weighted sample; points of mass 0 only carry conditions.
        wrong: points with y_i F(x_i) <= 0.
        right: points with y_i F(x_i) >= 0.
    """
    K = len(hull.neurons)
    active = [i for i, p in enumerate(masses) if p > 0]
    first = 2 * K + 1
    n = first + 3 * len(active)

    def signed(i: int, sign: int) -> Row:
        """sign F(x_i) as a row, without zeros."""
        row = hull.table[i]
        entries = [(j, sign * v) for j, v in enumerate(row)] + [(K + j, -sign * v) for j, v in enumerate(row)]
        return (*((j, v) for j, v in entries if v != 0), (2 * K, fmpq(sign)))

    rows: list[Row] = [((j, -ONE),) for j in range(2 * K)]
    b = [ZERO] * (2 * K)
    rows += [tuple((j, ONE) for j in range(2 * K)), ((2 * K, ONE),), ((2 * K, -ONE),)]
    b += [fmpq(W), ONE, ONE]
    for sign, chosen in ((1, wrong), (-1, right)):
        for i in chosen:
            rows.append(signed(i, sign * labels[i]))
            b.append(ZERO)
    for k in range(len(active)):
        rows.append(((first + 3 * k + 1, ONE), (first + 3 * k + 2, ONE)))
        b.append(ONE)
    cones = [nonneg(len(b))]
    for k, i in enumerate(active):
        t, u, v = (first + 3 * k + j for j in range(3))
        rows += [(*signed(i, labels[i]), (t, ONE)), (), ((u, -ONE),), ((t, ONE),), (), ((v, -ONE),)]
        b += [ZERO, ONE, ZERO, ZERO, ONE, ZERO]
        cones += [exponential(), exponential()]
    c = [ZERO] * n
    for k, i in enumerate(active):
        c[first + 3 * k] = masses[i]
    return ConicProblem(tuple(c), tuple(rows), tuple(b), tuple(cones))


def element(hull: Hull, x: Sequence[fmpq]) -> Element:
    """The element of the hull that a point of `logistic_problem` stands for."""
    K = len(hull.neurons)
    return Element(hull, tuple(a - b for a, b in zip(x[:K], x[K : 2 * K])), x[2 * K])
