"""Global optima of regularized two-layer ReLU networks, certified; their solution sets and the topology of these.

Contents:
    training: `train(X, y, beta)`, the public entry point
    arrangement: all cells of the hyperplanes of the samples, exactly
    projection, working_set: the convex program in doubles
    faces, refine, enclosure: any precision, and the certificate of the optimal value
"""

from solvers.relu.arrangement import TooManyCells, arrangement, predicted_cells
from solvers.relu.training import Solution, train

__all__ = ["Solution", "TooManyCells", "arrangement", "predicted_cells", "train"]
