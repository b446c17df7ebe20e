"""Exact and verified linear algebra on FLINT's matrices.

Contents:
    convert: `to_fmpq`, `dyadic`, `matrix`, `to_arb_mat`, stacking, Kronecker products
    systems: `solve`, `inverse`, `pinv`, `rank`, `null_space`, `projection`, `gram_schmidt`
    definite: `ldlt`, `definiteness`, `inertia` with checkable certificates
"""

from solvers.enclosures.exact import dyadic, to_arb, to_fmpq, to_fraction
from solvers.exact_linalg.convert import (
    column,
    diagonal,
    hstack,
    identity,
    is_symmetric,
    kronecker,
    matrix,
    row,
    submatrix,
    to_arb_mat,
    vstack,
)
from solvers.exact_linalg.definite import (
    Congruence,
    Inertia,
    NegativeDirection,
    definiteness,
    inertia,
    is_positive_definite,
    is_positive_semidefinite,
    ldlt,
)
from solvers.exact_linalg.systems import (
    GramSchmidt,
    column_space,
    determinant,
    frobenius_squared,
    gram_schmidt,
    inverse,
    null_space,
    pinv,
    pivots,
    projection,
    quadratic_form,
    rank,
    solve,
    solve_consistent,
    trace,
)

__all__ = [
    "Congruence",
    "GramSchmidt",
    "Inertia",
    "NegativeDirection",
    "column",
    "column_space",
    "definiteness",
    "determinant",
    "diagonal",
    "dyadic",
    "frobenius_squared",
    "gram_schmidt",
    "hstack",
    "identity",
    "inertia",
    "inverse",
    "is_positive_definite",
    "is_positive_semidefinite",
    "is_symmetric",
    "kronecker",
    "ldlt",
    "matrix",
    "null_space",
    "pinv",
    "pivots",
    "projection",
    "quadratic_form",
    "rank",
    "row",
    "solve",
    "solve_consistent",
    "submatrix",
    "to_arb",
    "to_arb_mat",
    "to_fmpq",
    "to_fraction",
    "trace",
    "vstack",
]
