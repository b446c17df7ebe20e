"""Stochastic bandits: exact Bayes play, first passage of confidence-bound tests, index policies by simulation."""

from solvers.bandits.bayes import (
    even_majority_error,
    least_wrong_pulls,
    majority_error,
    majority_errors_sum,
    polynomial_programme,
)
from solvers.bandits.passage import Survival, confidence_boundary, inverse_squares, survival

__all__ = [
    "Survival",
    "confidence_boundary",
    "even_majority_error",
    "inverse_squares",
    "least_wrong_pulls",
    "majority_error",
    "majority_errors_sum",
    "polynomial_programme",
    "survival",
]
