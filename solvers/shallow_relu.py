r"""Two-layer ReLU networks with parameters in a box, exactly: evaluation, copies, interpolation, extreme neurons.

F(x) = sum_{i<=W} a_i relu(w_i . x + b_i) + c_0 with rational parameters and x in R^n. The box is [-1, 1] for every parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from flint import fmpq, fmpq_mat

ZERO, ONE = fmpq(0), fmpq(1)

Point = tuple[fmpq, ...]
Neuron = tuple[Point, fmpq]
"""(w, b): the function relu(w . x + b)."""


@dataclass(frozen=True)
class ShallowNetwork:
    """A two-layer network.

    Attributes:
        neurons: W pairs (w, b), every w of length n.
        outputs: the W output weights a.
        offset: c_0.
    """

    neurons: tuple[Neuron, ...]
    outputs: tuple[fmpq, ...]
    offset: fmpq

    @property
    def width(self) -> int:
        """W."""
        return len(self.neurons)

    @property
    def largest_parameter(self) -> fmpq:
        """The largest absolute value of a parameter."""
        inner = (abs(v) for w, b in self.neurons for v in (*w, b))
        return max((abs(self.offset), *map(abs, self.outputs), *inner))

    def values(self, points: Sequence[Point]) -> list[fmpq]:
        """F at each point, exactly."""
        if not self.neurons:
            return [self.offset] * len(points)
        hidden = neuron_values(self.neurons, points)
        out = hidden * fmpq_mat(self.width, 1, list(self.outputs))
        return [v + self.offset for v in out.entries()]


def neuron_values(neurons: Sequence[Neuron], points: Sequence[Point]) -> fmpq_mat:
    """The matrix relu(w_j . x_i + b_j): a row for each point, a column for each neuron."""
    n = len(points[0])
    extended = fmpq_mat(len(points), n + 1, [v for x in points for v in (*x, ONE)])
    parameters = fmpq_mat(n + 1, len(neurons), [w[i] for i in range(n) for w, _ in neurons] + [b for _, b in neurons])
    linear = extended * parameters
    return fmpq_mat(len(points), len(neurons), [max(v, ZERO) for v in linear.entries()])


def replicated(F: ShallowNetwork, copies: int, width: int) -> ShallowNetwork:
    """`copies` F as a network of the given width whose parameters are those of F, 0 and 1.

    Each copy repeats the neurons of F and adds one constant neuron relu(0 . x + 1) with output weight c_0; the rest are zero
    neurons, and the offset is 0.

    Raises:
        ValueError: when copies (W + 1) exceeds the width.
    """
    spare = width - copies * (F.width + 1)
    if copies < 1 or spare < 0:
        raise ValueError(f"{copies} copies of {F.width} + 1 neurons do not fit into width {width}")
    n = len(F.neurons[0][0])
    constant: Neuron = ((ZERO,) * n, ONE)
    zero: Neuron = ((ZERO,) * n, ZERO)
    return ShallowNetwork(
        (*F.neurons, constant) * copies + (zero,) * spare,
        (*F.outputs, F.offset) * copies + (ZERO,) * spare,
        ZERO,
    )


def unit_outputs(F: ShallowNetwork) -> ShallowNetwork:
    """The same function with output weights in [-1, 1]: ceil |a_i| copies of neuron i, none where a_i = 0."""
    neurons: list[Neuron] = []
    outputs: list[fmpq] = []
    for neuron, a in zip(F.neurons, F.outputs):
        copies = int(abs(a).ceil())
        neurons += [neuron] * copies
        outputs += [a / max(copies, 1)] * copies
    return ShallowNetwork(tuple(neurons), tuple(outputs), F.offset)


def interpolating(points: Sequence[fmpq], values: Sequence[fmpq]) -> ShallowNetwork:
    """The piecewise-linear interpolation on the line as neurons relu(x - x_j), j < m - 1, with slope changes as weights.

    Args:
        points: m >= 2 increasing numbers.
        values: m values; the first becomes the offset.
    """
    if len(points) < 2 or len(points) != len(values) or any(a >= b for a, b in pairwise(points)):
        raise ValueError(
            "interpolating(points, values): at least two increasing points and as many values are expected"
        )
    slopes = [ZERO] + [(v - u) / (b - a) for (a, b), (u, v) in zip(pairwise(points), pairwise(values))]
    neurons: tuple[Neuron, ...] = tuple(((ONE,), -x) for x in points[:-1])
    return ShallowNetwork(neurons, tuple(t - s for s, t in pairwise(slopes)), values[0])


def extreme_neurons_on_line(knots: Iterable[fmpq]) -> tuple[Neuron, ...]:
    """The neurons x + 1, 1 - x, (x - t)_+, (t - x)_+ with t among the knots, in [0, 1].

    Along an edge of the box [-1, 1]^2 the values at the knots are piecewise linear in (w, b), with kinks where w t + b = 0; by
    homogeneity a convex positively homogeneous function of the values is largest at a corner or at such a kink.
    """
    hinges: list[Neuron] = []
    for t in sorted(set(knots)):
        hinges += [((ONE,), -t), ((-ONE,), t)]
    return (((ONE,), ONE), ((-ONE,), ONE), *hinges)


def extreme_neurons(points: Sequence[Point]) -> tuple[Neuron, ...]:
    """The vertices of the arrangement of the hyperplanes w . x_i + b = 0 inside the box [-1, 1]^{n+1} of (w, b).

    On each cell the values at the points are linear in (w, b), so a linear functional of them is extreme at a vertex. All
    choices of n + 1 hyperplanes are solved: meant for a few points in dimension 1 or 2.
    """
    n = len(points[0])
    planes = [(*x, ONE, ZERO) for x in sorted(set(points))]
    for i in range(n + 1):
        for side in (ONE, -ONE):
            planes.append((*(ONE if j == i else ZERO for j in range(n + 1)), side))
    found: dict[tuple[fmpq, ...], None] = {}
    for chosen in combinations(planes, n + 1):
        matrix = fmpq_mat(n + 1, n + 1, [v for row in chosen for v in row[:-1]])
        if matrix.det() == 0:
            continue
        vertex = tuple(matrix.solve(fmpq_mat(n + 1, 1, [row[-1] for row in chosen])).entries())
        if all(abs(v) <= 1 for v in vertex):
            found.setdefault(vertex)
    return tuple((v[:-1], v[-1]) for v in found)
