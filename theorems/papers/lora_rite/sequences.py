"""Sequences of bases and gradients, and the accumulating second moments that they make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import precision
from theorems import shared
from theorems.papers.lora_rite.algebra import BALLS, exact, length, root, spectrum

ONE = fmpq(1)


@dataclass(frozen=True)
class Sequence:
    """How bases and gradients evolve.

    Attributes:
        bases: "static", "drift", "jump" or "cycle" (coordinate subspaces in turn).
        gradients: "iso" (I / sqrt r), "random" (4 x r, normalised) or "uneven" (random of norm 1/(1 + t mod 7)).
        r: rank, 1 or 2.
        n: rows of the factor.
        seed: of the random choices.
    """

    bases: str
    gradients: str
    r: int
    n: int = 6
    seed: int = 0


def transports(sequence: Sequence, T: int) -> Iterator[arb_mat]:
    """P_t = U_t^T U_{t-1} for t = 2..T, in balls; random bases come from dyadic matrices, each orthonormalised by itself."""
    import numpy as np

    rng = np.random.default_rng(sequence.seed)
    n, r = sequence.n, sequence.r
    raw = rng.integers(-64, 65, (n, r)) / 64
    before = None
    for t in range(T):
        if sequence.bases == "static":
            U = exact(fmpq_mat(n, r, [fmpq(int(i == j)) for i in range(n) for j in range(r)]))
        elif sequence.bases == "cycle":
            U = exact(fmpq_mat(n, r, [fmpq(int(i == (t * r + j) % n)) for i in range(n) for j in range(r)]))
        else:
            noise = rng.integers(-64, 65, (n, r)) / 64
            raw = noise if sequence.bases == "jump" else np.linalg.qr(raw)[0] + noise / 8
            raw = np.round(raw * 2**20) / 2**20
            U, _ = BALLS.basis(exact(fmpq_mat(n, r, [fmpq(int(v * 2**20), 2**20) for v in raw.ravel()])), "qr")
        if before is not None:
            yield U.transpose() * before
        before = U


def gradients(sequence: Sequence, T: int) -> Iterator[arb_mat]:
    """Unmagnified gradients of Frobenius norm at most 1."""
    import numpy as np

    rng = np.random.default_rng(sequence.seed + 1)
    r = sequence.r
    for t in range(T):
        if sequence.gradients == "iso":
            yield arb_mat([[arb(int(i == j)) / arb(r).sqrt() for j in range(r)] for i in range(r)])
        else:
            g = arb_mat([[arb(int(v)) for v in row] for row in rng.integers(-64, 65, (4, r))])
            yield g * (1 / (length(g.entries()) * (1 + t % 7 if sequence.gradients == "uneven" else 1)))


@dataclass(frozen=True)
class Moments:
    """One step of the accumulating second moment.

    Attributes:
        spectrum: eigenvalues of X_t, the larger first.
        decrease: tr(g X^{-1/2} g^T).
        trace_root: tr X_t^{1/2}.
        size: |g_t|_F^2.
    """

    spectrum: list[arb]
    decrease: arb
    trace_root: arb
    size: arb


def accumulate(sequence: Sequence, T: int, escaped: fmpq = ONE) -> Iterator[Moments]:
    """The moments X_t = V_t + rho_t I for t = 1..T."""
    moves = transports(sequence, T)
    V: arb_mat | None = None
    rho = arb(0)
    for g in gradients(sequence, T):
        square = g.transpose() * g
        if V is None:
            V = square
        else:
            P = next(moves)
            moved = P * V * P.transpose()
            rho += arb(escaped) * BALLS.spectral_distance(V, moved)
            V = moved + square
        X = BALLS.shift(V, rho)
        half = root(X)
        S = g * half.inv()
        decrease = sum((a * b for a, b in zip(S.entries(), g.entries())), arb(0))
        roots, size = (sum((M[i, i] for i in range(sequence.r)), arb(0)) for M in (half, square))
        yield Moments(spectrum(X), decrease, roots, size)


@shared
def history(sequence: Sequence, T: int, escaped: fmpq) -> tuple[tuple[Any, ...], ...]:
    """Spectra, decreases, traces of roots and |g_t|^2 in balls, made at a precision that outlasts the growth of the radii."""
    with precision(256 + 3 * T):
        steps = list(accumulate(sequence, T, escaped))
    with precision(256):
        return tuple((tuple(+v for v in s.spectrum), +s.decrease, +s.trace_root, +s.size) for s in steps)
