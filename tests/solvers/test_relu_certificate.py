"""The checker of ReLU certificates: what leading bits show is never more than what rational arithmetic proves."""

from dataclasses import replace
from math import isqrt

import numpy as np
import pytest
from flint import fmpq

from solvers.certificates.bounds import InvalidCertificate
from solvers.certificates.cells import check_cells
from solvers.certificates.relu import Multiplier, Neuron, ReluCertificate, ReluProblem, dual_bounds, network_value
from solvers.relu import train
from solvers.relu.signs import signs


def integers(rng, rows, columns, bits):
    """Integers of mixed lengths, some of them zero."""
    return [[int(rng.integers(-9, 10)) << int(rng.integers(0, bits)) for _ in range(columns)] for _ in range(rows)]


@pytest.mark.parametrize("seed", range(30))
def test_signs_of_products_are_those_of_python_integers(seed):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 6))
    P, H = (integers(rng, 9, r, int(rng.choice([1, 20, 40, 70, 200]))) for _ in range(2))
    for p, h in zip(P, H[:5]):  # nearly orthogonal: all leading bits cancel
        if r > 1:
            p[:2], h[:2] = [h[1], -h[0] + int(rng.integers(-1, 2))], h[:2]
            p[2:] = [0] * (r - 2)
    exact = [[sum(a * b for a, b in zip(p, h)) for h in H] for p in P]
    assert signs(P, H).tolist() == [[(v > 0) - (v < 0) for v in row] for row in exact]


def rational_bounds(problem, certificate, active, i, side, sign):
    """|sign c + G^T lam|^2 of one signed cone with lam = 0 and with the given multipliers, in rational arithmetic."""
    d = len(problem.X[0])
    on = [bool(v) != bool(side) for v in active[i]]
    c = [sum((t * row[j] * sign for t, row, a in zip(certificate.nu, problem.X, on) if a), fmpq(0)) for j in range(d)]
    plain = sum((v * v for v in c), fmpq(0))
    for m in certificate.multipliers:
        if (m.cell, m.side, m.sign) == (i, side, sign):
            for k, v in zip(m.rows, m.values):
                c = [a + v * (x if on[k] else -x) for a, x in zip(c, problem.X[k])]
    return plain, sum((v * v for v in c), fmpq(0))


def random_fmpq(rng, scale):
    return fmpq(int(rng.integers(-999, 1000)), int(rng.integers(1, 99))) * scale


@pytest.mark.parametrize("seed", range(24))
def test_a_cone_passed_over_has_a_bound_below_the_limit(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 8)), int(rng.integers(1, 5))
    scale = [fmpq(1), fmpq(10) ** 30, fmpq(1, 10**30)][seed % 3]
    X = tuple(tuple(random_fmpq(rng, scale) for _ in range(d)) for _ in range(n))
    problem = ReluProblem(X, tuple(fmpq(0) for _ in X), fmpq(1))
    active = [(rng.random(n) < 0.5).tobytes() for _ in range(6)]
    nu = (fmpq(999), *(random_fmpq(rng, 1) for _ in X[1:]))
    multipliers = []
    for index in rng.permutation(24)[:16].tolist():
        rows = rng.permutation(n)[: int(rng.integers(0, 3))].tolist()
        values = tuple(abs(random_fmpq(rng, fmpq(10) ** int(rng.choice([0, -3])))) for _ in rows)
        multipliers.append(Multiplier(index // 4, index // 2 % 2, 1 - 2 * (index % 2), tuple(rows), values))
    certificate = ReluCertificate((), nu, tuple(multipliers), ())
    everything = [(i, side, sign) for i in range(6) for side in (0, 1) for sign in (1, -1)]
    squares = {cone: rational_bounds(problem, certificate, active, *cone) for cone in everything}
    some = sorted(min(pair) for pair in squares.values())[12]
    for close in (fmpq(1), 1 - fmpq(1, 10**12), 1 + fmpq(1, 10**4)):
        limit = fmpq(isqrt(int((some / scale**2 * close * 10**30).floor())), 10**15) * scale
        bounds = dual_bounds(problem, certificate, active, limit)
        given = {(i, side, sign): fmpq(S, D) for i, side, sign, S, D in bounds}
        assert all(square == squares[cone][1] for cone, square in given.items())
        assert all(min(squares[cone]) <= limit**2 for cone in everything if cone not in given)
        assert len(given) < 24  # the screen shows something


@pytest.mark.parametrize("n", [1, 5, 300])
def test_no_multiplier_is_too_large_for_the_screen(n):
    # all samples are 1 and active, so lam > 0 moves c = 3 away from 0, whatever its size
    problem = ReluProblem(((fmpq(1),),) * n, (fmpq(0),) * n, fmpq(1))
    nu = (fmpq(3, n),) * n
    for power in range(0, 200, 3):
        m = Multiplier(0, 0, 1, tuple(range(n)), (fmpq(2) ** power,) * n)
        bounds = list(dual_bounds(problem, ReluCertificate((), nu, (m,), ()), [b"\1" * n], fmpq(2)))
        assert [(side, sign, fmpq(S, D)) for _, side, sign, S, D in bounds] == [
            (0, 1, (3 + n * fmpq(2) ** power) ** 2),
            (0, -1, fmpq(9)),
        ]


def test_the_value_of_a_network_is_the_one_of_rational_arithmetic():
    rng = np.random.default_rng(3)
    X = [[random_fmpq(rng, 1) for _ in range(3)] for _ in range(5)]
    y = [random_fmpq(rng, 1) for _ in X]
    problem = ReluProblem(tuple(map(tuple, X)), tuple(y), fmpq(2, 7))
    neurons = [Neuron(tuple(random_fmpq(rng, 1) for _ in range(3)), random_fmpq(rng, 1)) for _ in range(4)]
    hidden = [[max(sum((a * b for a, b in zip(u.w, row)), fmpq(0)), fmpq(0)) for u in neurons] for row in X]
    fit = [sum((h * u.a for h, u in zip(row, neurons)), fmpq(0)) for row in hidden]
    size = sum((v * v for u in neurons for v in (*u.w, u.a)), fmpq(0))
    value = sum(((f - t) ** 2 for f, t in zip(fit, y)), fmpq(0)) / 2 + fmpq(1, 7) * size
    assert network_value(problem, neurons) == value


def test_multipliers_of_no_cone_and_without_values_are_rejected():
    s = train([[1.0, 0.5], [0.25, -1.0], [-1.0, 0.75]], [1.0, -0.5, 2.0], 0.25)
    active = check_cells(s.problem.X, s.certificate.cells)
    m = s.certificate.multipliers[0]
    for bad, message in [
        (replace(m, cell=len(active)), "a multiplier of cell 3"),
        (replace(m, sign=0), "sign 0"),
        (replace(m, side=2), "side 2"),
        (replace(m, rows=(0,), values=()), "missing rows or values"),
        (replace(m, rows=(-1,), values=(fmpq(1),)), "sample -1"),
    ]:
        with pytest.raises(InvalidCertificate, match=message):
            list(dual_bounds(s.problem, replace(s.certificate, multipliers=(bad,)), active, fmpq(1)))
