"""Data of any size: units are changed by powers of two, and what is proven holds for the program given."""

from __future__ import annotations

import pytest
from flint import fmpq

from solvers.certificates import check, psd
from solvers.performance import Performance, smooth_convex, smooth_strongly_convex, squared
from solvers.performance.units import measured

TEN = fmpq(10)


def descent(L: fmpq, radius2: fmpq | None, mu: fmpq | None = None, metric: fmpq = TEN**0) -> Performance:
    """Two steps 1/L; f(x_2) - f* for convex functions, |x_2 - x*|^2 for strongly convex ones."""
    pep = Performance()
    f = pep.function(smooth_convex(L) if mu is None else smooth_strongly_convex(mu, L))
    best, x = f.minimiser(), pep.vector()
    if radius2 is not None:
        pep.require(squared(x - best.x), radius2)
    for _ in range(2):
        x = x - f(x).g / L
    pep.maximise((f(x).f - best.f if mu is None else squared(x - best.x)) * metric)
    return pep


@pytest.mark.parametrize(
    ("L", "radius2"),
    [
        (TEN**-12, TEN**12),
        (TEN**12, TEN**-12),
        (TEN**-6, TEN**12),
        (TEN**8, TEN**8),
        (fmpq(3), TEN**-15),
        (fmpq(7, 3) * TEN**20, TEN**-7),
    ],
)
def test_badly_scaled_gradient_descent_is_l_r2_over_ten(L: fmpq, radius2: fmpq) -> None:
    """L R^2 / (4 N + 2) with N = 2 (Drori, Teboulle, 2014)."""
    found = descent(L, radius2).worst_case()
    low, high = found.bounds()
    assert low <= L * radius2 / 10 <= high
    assert high - low <= high / 10**6
    assert found.certified.certificate is not None
    verified = check(found.certified.problem, found.certified.certificate)
    assert (verified.lower, verified.upper) == (-high, -low)


def test_badly_scaled_contraction_is_its_factor() -> None:
    """(1 - mu/L)^4 R^2 with mu = L/10, in kilometres and in micrometres, and with a metric of size 10^-30."""
    for L, radius2, metric in ((TEN**9, TEN**12, TEN**0), (TEN**-9, TEN**-12, TEN**0), (fmpq(1), TEN**6, TEN**-30)):
        low, high = descent(L, radius2, L / 10, metric).worst_case().bounds()
        value = metric * radius2 * fmpq(9, 10) ** 4
        assert low <= value <= high
        assert high - low <= value / 10**6


def test_a_ray_of_a_badly_scaled_program_is_one_of_the_program_given() -> None:
    found = descent(TEN**12, None).worst_case()
    assert found.status == "unbounded"
    assert found.certified.certificate is not None
    check(found.certified.problem, found.certified.certificate)


def test_contradictions_in_a_badly_scaled_program_are_contradictions_of_the_program_given() -> None:
    found = descent(TEN**10, -(TEN**-10)).worst_case()
    assert found.status == "infeasible"
    assert found.certified.certificate is not None
    check(found.certified.problem, found.certified.certificate)


def test_tame_data_keep_their_units_and_wild_ones_become_tame() -> None:
    tame = descent(fmpq(3), fmpq(5)).program().problem
    assert not any(measured(tame)[1].columns)
    wild = descent(TEN**-12, TEN**12).program().problem
    even, units = measured(wild)
    sizes = [abs(v) for row in even.rows for _, v in row] + [abs(v) for v in (*even.b, *even.c) if v != 0]
    assert fmpq(1, 16) <= min(sizes)
    assert max(sizes) <= 16
    assert even.cones[-1] == psd(even.cones[-1].order)
    first = len(units.columns) - even.cones[-1].rows
    assert all(row == ((first + k, fmpq(-1)),) for k, row in enumerate(even.rows[-even.cones[-1].rows :]))
