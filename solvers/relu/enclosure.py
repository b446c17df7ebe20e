"""Certificate C1: an enclosure of the optimal value from the complete list of cells.

Upper end: the objective of a network with dyadic weights. Lower end: the dual objective at a dyadic nu, scaled
into the feasible set by the proven bounds on |Pi_K(+-c_i)|. A poor approximation only widens the enclosure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq

from solvers.certificates.relu import Neuron, ReluCertificate
from solvers.enclosures import precision
from solvers.relu.bounds import CLOSE, with_multipliers
from solvers.relu.exact import Data, Vector, dyadic_ball, to_float
from solvers.relu.faces import ExactFace, exact_face
from solvers.relu.geometry import Active, Geometry
from solvers.relu.newton import newton
from solvers.relu.refine import atoms_of, prune_dependent, refine
from solvers.relu.working_set import FloatSolution

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Approximation:
    """What a certificate is made of: dual point and weighted directions to many digits.

    Attributes:
        nu: dyadic, length n.
        faces: active faces with independent atoms.
        g: their g_j (c_j = beta g_j), dyadic balls.
        bits: working precision.
    """

    nu: Vector
    faces: tuple[ExactFace, ...]
    g: tuple[arb, ...]
    bits: int


def approximate(geo: Geometry, found: FloatSolution, bits: int) -> Approximation:
    """Raise a solution in doubles to the given precision (or keep the doubles where that fails)."""
    data, cells = geo.data, geo.cells
    chosen = active = _independent(geo, found.active)
    while chosen:
        faces = [exact_face(data, cells, a.face) for a in chosen]
        raised = refine(data, faces, [a.weight / data.beta for a in chosen], bits)
        if raised is None:
            break
        z, nu, _ = raised
        if all(v > 0 for v in z):
            digits = bits + _magnitude(data)
            return Approximation(tuple(dyadic_ball(v, digits) for v in nu.entries()), tuple(faces), tuple(z), bits)
        tiny = max(z) * arb(2) ** (-bits // 2)
        kept = [a for a, v in zip(chosen, z) if v > tiny]  # the others carry no weight
        if any(v < -tiny for v in z) or len(kept) == len(chosen):
            break
        chosen = kept
    if not active:
        return Approximation(data.problem.y, (), (), bits)
    faces = [exact_face(data, cells, a.face) for a in active]
    plain = tuple(fmpq(*map(int, float(v).as_integer_ratio())) for v in found.nu)
    return Approximation(plain, tuple(faces), tuple(arb(a.weight / data.beta) for a in active), bits)


def _magnitude(data: Data) -> int:
    """Bits below the binary point that make up for small targets."""
    top = float(np.abs(data.y).max(initial=0.0))
    return max(0, -int(np.floor(np.log2(top)))) if top > 0 else 0


def _independent(geo: Geometry, active: Sequence[Active]) -> list[Active]:
    """Active faces with independent atoms, weights refitted on them."""
    chosen = list(active)
    for _ in range(len(chosen) + 1):
        keep = prune_dependent(atoms_of(chosen, geo), chosen)
        if len(keep) == len(chosen):
            return chosen
        chosen = [chosen[j] for j in keep]
        again = newton(geo, [a.face for a in chosen], np.array([a.weight / geo.data.beta for a in chosen]))
        if again is not None and again[2]:
            chosen = list(again[1])
    return chosen


def network(data: Data, approximation: Approximation) -> tuple[Neuron, ...]:
    """The network of an approximation: w = sqrt(c) u, a = s sqrt(c), rounded to dyadics."""
    neurons = []
    digits = approximation.bits + 16
    with precision(approximation.bits + 64):
        beta = arb(data.problem.beta)
        nu = arb_mat([[v] for v in approximation.nu])
        for face, g in zip(approximation.faces, approximation.g):
            p = arb_mat(face.B) * (arb_mat(face.N) * (arb_mat(face.F).transpose() * nu)) * face.s
            length = (p.transpose() * p)[0, 0].sqrt()
            root = (beta * g).sqrt()
            w = tuple(dyadic_ball(root * v / length, digits) for v in p.entries())
            neurons.append(Neuron(w, dyadic_ball(root * face.s, digits)))
    return tuple(neurons)


def certificate(geo: Geometry, found: FloatSolution, approximation: Approximation) -> ReluCertificate:
    """The certificate C1 of an approximation; its dual point is scaled until all bounds are at most beta."""
    data, cells, nu = geo.data, geo.cells, approximation.nu
    if not cells.normals:
        return ReluCertificate((), tuple(data.problem.y), (), ())
    moved = max(abs(to_float(v) - t) for v, t in zip(nu, found.nu.tolist()))
    reached = moved * float(np.abs(data.X).sum()) < data.beta * CLOSE / 8
    digits = approximation.bits + _magnitude(data)
    nu, multipliers = with_multipliers(geo, nu, found.bounds if reached else None, digits)
    witnesses = tuple(tuple(map(fmpq, w)) for w in cells.witnesses)
    return ReluCertificate(witnesses, nu, multipliers, network(data, approximation))
