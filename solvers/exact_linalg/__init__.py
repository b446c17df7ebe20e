"""Exact and verified linear algebra on FLINT's matrices.

Contents:
    convert: `to_fmpq`, `dyadic`, `matrix`, `to_arb_mat`, stacking, Kronecker products
    systems: `solve`, `inverse`, `pinv`, `rank`, `null_space`, `projection`, `gram_schmidt`
    definite: `ldlt`, `definiteness`, `inertia` with checkable certificates
    spectrum: `eigenvalues`, `singular_values` as algebraic numbers with exact multiplicities
    verified: the same in balls, for every matrix within them; square root and exponential
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
from solvers.exact_linalg.spectrum import (
    characteristic_polynomial,
    eigenvalue_counts,
    eigenvalues,
    singular_values,
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
from solvers.exact_linalg.verified import (
    eigenvalue_clusters,
    verified_determinant,
    verified_eigenvalues,
    verified_exp,
    verified_inverse,
    verified_norm,
    verified_pinv,
    verified_singular_values,
    verified_solve,
    verified_sqrt,
)

__all__ = [
    "Congruence",
    "GramSchmidt",
    "Inertia",
    "NegativeDirection",
    "characteristic_polynomial",
    "column",
    "column_space",
    "definiteness",
    "determinant",
    "diagonal",
    "dyadic",
    "eigenvalue_clusters",
    "eigenvalue_counts",
    "eigenvalues",
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
    "singular_values",
    "solve",
    "solve_consistent",
    "submatrix",
    "to_arb",
    "to_arb_mat",
    "to_fmpq",
    "to_fraction",
    "trace",
    "verified_determinant",
    "verified_eigenvalues",
    "verified_exp",
    "verified_inverse",
    "verified_norm",
    "verified_pinv",
    "verified_singular_values",
    "verified_solve",
    "verified_sqrt",
    "vstack",
]
