"""Global optima of regularized two-layer ReLU networks, certified; their solution sets and the topology of these.

Contents:
    training: `train(X, y, beta)`, the public entry point
    arrangement, signs: all cells of the hyperplanes of the samples, exactly
    geometry, projection, lasso, newton, working_set: the convex program in doubles
    faces, refine, bounds, enclosure: any precision, and the certificate of the optimal value
    tight, structure, decide, box, simple: the tight directions and the optimal polytope, certified by balls
    known, surds, rational: what is exact about the dual optimum, ties included
    planted: rational problems with a known optimum
    pruning, paths: irreducible networks, and paths along which the loss never increases, exactly
    polytope, staircase: the optimal polytope, components and isolated points of the optimal networks by width
    circle: the dual constraint over the circle of directions, for pictures
"""

from solvers.relu.arrangement import TooManyCells, arrangement, predicted_cells
from solvers.relu.circle import dual_constraint
from solvers.relu.training import Solution, UndecidedStructure, staircase, train

__all__ = [
    "Solution",
    "TooManyCells",
    "UndecidedStructure",
    "arrangement",
    "dual_constraint",
    "predicted_cells",
    "staircase",
    "train",
]
