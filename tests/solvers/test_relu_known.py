"""What is known exactly about an irrational dual optimum: checked against its value to hundreds of digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq

from solvers.enclosures import precision
from solvers.relu import train
from solvers.relu.known import Known
from solvers.relu.surds import Unresolved, ball, combine, root, sign

# X, y, beta, bias; neither balls nor rationals alone decide the structure
TIES = [
    ([[2, 2], [1, -1], [1, -2]], [-2, 3, -2], "1/2", False),
    ([[2, 2], [0, -1], [2, -2]], [3, 1, -1], "1/4", False),
    ([[2], [2], [-1], [1], [-1]], [1, 2, 3, -3, -1], "1/2", True),
    ([[-2], [0], [1]], [1, 3, -2], 2, True),
    ([[0, -1], [2, -1], [-2, 2], [0, 0]], [1, 0, 1, -2], 1, False),
]


@pytest.mark.parametrize(("X", "y", "beta", "bias"), TIES)
def test_ties_of_irrational_optima_are_decided(X, y, beta, bias):
    solution = train(X, y, beta, bias=bias)
    found = solution.structure
    assert found.kind in ("I", "II")
    # oracle: the greatest values of +-nu.(Xu)_+ on a fine grid of the circle
    rows = np.array([[int(v.p) / int(v.q) for v in row] for row in solution.problem.X])
    nu = np.array([int(v.p) / int(v.q) for v in solution.nu])
    weight = int(solution.problem.beta.p) / int(solution.problem.beta.q)
    angles = np.arange(200_000) * (2 * math.pi / 200_000)
    g = nu @ np.maximum(rows @ np.array([np.cos(angles), np.sin(angles)]), 0)
    reached = set()
    for s in (1, -1):
        v = s * g
        peaks = np.flatnonzero((v >= np.roll(v, 1)) & (v > np.roll(v, -1)) & (v > weight * (1 - 1e-4)))
        reached |= {(s, round(float(angles[k]), 3) % round(2 * math.pi, 3)) for k in peaks}
    listed = {(a.s, round(math.atan2(*map(_double, a.u[::-1])) % (2 * math.pi), 3)) for a in found.atoms}
    assert len(listed) == len(reached) == len(found.atoms)
    for s, angle in listed:
        assert min(abs(math.remainder(angle - t, 2 * math.pi)) for r, t in reached if r == s) < 2e-3


def _double(value):
    return float(value.mid()) if isinstance(value, arb) else int(value.p) / int(value.q)


@pytest.mark.parametrize(("X", "y", "beta", "bias"), TIES)
def test_known_forms_have_their_stated_values_to_a_hundred_digits(X, y, beta, bias):
    # oracle: the dual optimum by Newton's method in 512 bits
    solution = train(X, y, beta, bias=bias, bits=512)
    problem, faces = solution.problem, solution.approximation.faces
    with precision(512):
        nu = [arb(v) for v in solution.approximation.nu]
        linear = list(zip(*problem.X)) if solution.structure.kind == "II" else ()
        known = Known(problem.y, problem.beta, faces, arb_mat([[v] for v in nu]), linear)
        units = [[int(i == j) for j in range(len(y))] for i in range(len(y))]
        forms = [*units, *problem_columns(problem), *(f.F.entries() for f in faces if f.F.ncols() == 1)]
        values = [(form, known.surds([fmpq(v) for v in form])) for form in forms]
        told = [(form, value) for form, value in values if value is not None]
        assert told
        for form, value in told:
            gap = ball(value) - sum((arb(a) * v for a, v in zip(form, nu)), arb(0))
            assert abs(gap) < arb(10) ** -100


def problem_columns(problem):
    return [list(column) for column in zip(*problem.X)]


def test_square_roots_are_reduced_to_squarefree_numbers():
    assert root(fmpq(72, 5)) == {10: fmpq(6, 5)}
    assert root(fmpq(0)) == {}
    assert root(fmpq(2**200 + 1)) is None


def test_signs_of_sums_of_square_roots_are_exact():
    one = [root(fmpq(q)) for q in (2, 8, 3, 5, 6, 1)]
    assert sign(combine([fmpq(2), fmpq(-1)], [one[0], one[1]])) == 0  # 2 sqrt 2 = sqrt 8
    assert sign(combine([fmpq(1), fmpq(1), fmpq(-1)], [one[0], one[2], one[3]])) == 1
    assert sign(combine([fmpq(1), fmpq(-10)], [one[4], one[5]])) == -1
    with precision(20), pytest.raises(Unresolved):
        sign(combine([fmpq(1), -fmpq(2449489742783178, 10**15)], [one[4], one[5]]))
