"""Conic programs solved numerically and bounded exactly."""

from solvers.conic.linear import LinearSolution, lp

__all__ = ["LinearSolution", "lp"]
