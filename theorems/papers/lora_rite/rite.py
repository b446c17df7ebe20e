"""One step of LoRA-RITE, written once for every algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat, fmpq

from theorems.papers.lora_rite.algebra import BALLS, Algebra

TENTH, BETA, ALL = fmpq(1, 10), fmpq(3, 5), fmpq(1)


@dataclass(frozen=True)
class Rules:
    """How a step is made; the defaults are the algorithm.

    Attributes:
        eta: learning rate.
        beta: of the first moment.
        transport: "bases": moments follow P = U_t^T U_{t-1}; "none"; "transposed".
        magnitude: the factor on the right of the update: "R^-T", "R^-1" or "none".
        moment: "matrix" or "elementwise" second moment.
        escaped: share of the escaped mass that is added.
    """

    eta: fmpq = TENTH
    beta: fmpq = BETA
    transport: str = "bases"
    magnitude: str = "R^-T"
    moment: str = "matrix"
    escaped: fmpq = ALL


RITE = Rules()


@dataclass(frozen=True)
class State:
    """The moments of one factor.

    Attributes:
        U: basis of the other factor at the last step.
        V: second moment.
        rho: escaped mass.
        M: first moment.
    """

    U: Any
    V: Any
    rho: Any
    M: Any


def side_step(
    ops: Algebra, gradient: Any, other: Any, before: State | None, rules: Rules, kind: str
) -> tuple[Any, State]:
    """The update of one factor (without the learning rate), and its new moments.

    Args:
        ops: the algebra.
        gradient: of the factor, p x r.
        other: the other factor, q x r.
        before: moments, None at the first step.
        rules: how a step is made.
        kind: of orthonormal basis, "polar" or "qr".
    """
    U, R = ops.basis(other, kind)
    inverse = ops.inverse(R)
    g = ops.mul(gradient, inverse)  # the unmagnified gradient
    if rules.moment == "elementwise":
        return _elementwise(ops, g, inverse, U, before, rules)
    square = ops.mul(ops.t(g), g)
    if before is None:
        V, rho, M = square, 0, None
    else:
        P = ops.mul(ops.t(U), before.U)
        if rules.transport == "transposed":
            P = ops.t(P)
        moved = before.V if rules.transport == "none" else ops.mul(ops.mul(P, before.V), ops.t(P))
        rho = before.rho + rules.escaped * ops.spectral_distance(before.V, moved)
        V = ops.mix(1, moved, 1, square)
        M = before.M if rules.transport == "none" else ops.mul(before.M, ops.t(P))
    S = ops.mul(g, ops.inverse_root(ops.shift(V, rho)))
    M = ops.mix(0, S, 1 - rules.beta, S) if M is None else ops.mix(rules.beta, M, 1 - rules.beta, S)
    return _magnified(ops, M, inverse, rules), State(U, V, rho, M)


def _magnified(ops: Algebra, M: Any, inverse: Any, rules: Rules) -> Any:
    if rules.magnitude == "none":
        return M
    return ops.mul(M, ops.t(inverse) if rules.magnitude == "R^-T" else inverse)


def _elementwise(ops: Algebra, g: Any, inverse: Any, U: Any, before: State | None, rules: Rules) -> tuple[Any, State]:
    """The second moment entry by entry (in balls only): what invariance forbids."""
    rows, columns = g.nrows(), g.ncols()
    V = [g[i, j] * g[i, j] + (before.V[i * columns + j] if before else 0) for i in range(rows) for j in range(columns)]
    S = arb_mat(rows, columns, [g[i, j] / V[i * columns + j].sqrt() for i in range(rows) for j in range(columns)])
    M = ops.mix(0, S, 1 - rules.beta, S) if before is None else ops.mix(rules.beta, before.M, 1 - rules.beta, S)
    return _magnified(ops, M, inverse, rules), State(U, V, 0, M)


def loss_gradient(Z: arb_mat, W: arb_mat) -> arb_mat:
    """(Z - W) + (Z - W)^3 / 5, entry by entry."""
    D = Z - W
    return arb_mat(D.nrows(), D.ncols(), [v + v * v * v / 5 for v in D.entries()])


def path(A: arb_mat, B: arb_mat, W: arb_mat, steps: int, rules: Rules, kind: str) -> list[arb_mat]:
    """Z_1, ..., Z_steps."""
    first: State | None = None
    second: State | None = None
    found = []
    for _ in range(steps):
        gradient = loss_gradient(A * B.transpose(), W)
        dA, first = side_step(BALLS, gradient * B, B, first, rules, kind)
        dB, second = side_step(BALLS, gradient.transpose() * A, A, second, rules, kind)
        A, B = A - dA * arb(rules.eta), B - dB * arb(rules.eta)
        found.append(A * B.transpose())
    return found
