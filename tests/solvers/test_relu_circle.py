"""The dual constraint over the circle, for pictures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.relu import dual_constraint, train


def test_one_sample_has_its_own_direction_as_the_only_tight_one():
    # x = (3, 4), y = 2, beta = 5: f* = 1 and nu = 1 (closed form y - beta / |x|), g(u) = (x.u)_+
    seen = dual_constraint(train([[3, 4]], [2], 5), count=721)
    (angle, sign), *others = seen.tight
    assert (sign, others) == (1, [])
    assert math.isclose(angle, math.atan2(4, 3), abs_tol=1e-12)
    expected = np.maximum(3 * np.cos(seen.angles) + 4 * np.sin(seen.angles), 0)
    np.testing.assert_allclose(seen.values, expected, atol=1e-12)


def test_values_stay_within_beta_and_reach_it_at_the_tight_directions():
    X, y = [[-2], [-1], [0], [1], [2], [3]], [2, 0, -1, 0, 1, 3]
    solution = train(X, y, "1/4", bias=True)
    seen = dual_constraint(solution)
    assert np.abs(seen.values).max() <= seen.beta + 1e-12
    nu = np.array([int(v.p) / int(v.q) for v in solution.nu])
    for angle, sign in seen.tight:
        images = np.array([[x, 1] for (x,) in X]) @ [math.cos(angle), math.sin(angle)]
        assert math.isclose(sign * (nu @ np.maximum(images, 0)), seen.beta, rel_tol=1e-9)


def test_data_of_other_widths_are_refused():
    with pytest.raises(ValueError, match="the data have 3 columns, the bias included"):
        dual_constraint(train([[1, 0], [0, 1]], [1, 1], "1/10", bias=True))
