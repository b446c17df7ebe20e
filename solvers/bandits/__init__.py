"""Stochastic bandits: exact Bayes play, first passage of confidence-bound tests, index policies by simulation."""

from solvers.bandits.bayes import (
    central_term,
    even_majority_error,
    favourable,
    least_wrong_pulls,
    majority_error,
    majority_errors,
    majority_errors_sum,
    polynomial_programme,
)
from solvers.bandits.passage import Survival, confidence_boundary, inverse_squares, survival
from solvers.bandits.ucb import first_stop, ucb_pulls

__all__ = [
    "Survival",
    "central_term",
    "confidence_boundary",
    "even_majority_error",
    "favourable",
    "first_stop",
    "inverse_squares",
    "least_wrong_pulls",
    "majority_error",
    "majority_errors",
    "majority_errors_sum",
    "polynomial_programme",
    "survival",
    "ucb_pulls",
]
