"""The solver, asked for a hint: whatever happens inside it, there is an answer."""

from __future__ import annotations

import numpy as np

from solvers.conic import numeric
from solvers.conic.numeric import FloatProblem, Numerical

BROKE_OFF = "Panicked"
"""Status where the solver broke off in its own code, without an answer."""


def solve(floats: FloatProblem) -> Numerical:
    """`solvers.conic.numeric.solve`, and no numbers (NaN) where Clarabel panics: an eigenvalue that its LAPACK does not find, say.

    A panic reaches Python as a `BaseException` whose class has no public name.
    """
    try:
        return numeric.solve(floats)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        m, n = floats.exact.shape
        return Numerical(BROKE_OFF, np.full(n, np.nan), np.full(m, np.nan))
