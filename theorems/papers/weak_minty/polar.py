r"""Nonlinear, nonmonotone operators whose constants are known: sums of log-periodic polar blocks.

$F(z) = z\, s_0 e^{b\cos\varphi} e^{i(\theta_0 + A\sin\varphi)}$, $\varphi = \omega\ln|z|$, $F(0) = 0$. In the rotated radial and tangential
frame $DF = S\begin{pmatrix} 1 - b\omega\sin\varphi & 0 \\ A\omega\cos\varphi & 1\end{pmatrix}$ with $S = s_0e^{b\cos\varphi}$, so that
$L = \max_\varphi S\|\cdot\|_2$, $\rho = \min_\varphi \cos(\theta_0 + A\sin\varphi)/S$ and $m = \min_\varphi S$ are extrema over a circle. A direct sum
has the largest $L$, the least $\rho$ and the least $m$ of its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from theorems import shared
from theorems.papers.weak_minty.methods import Blocks

PIECES = 120  # of the circle, in the enclosures of the constants
CONSTANT_BITS = 96


@dataclass(frozen=True)
class Block:
    """One block; theta0 is the angle with cos(theta0) = -turn * s0."""

    decay: fmpq  # s0 = exp(-decay)
    b: fmpq
    twist: fmpq  # A = twist * s0
    omega: fmpq
    turn: fmpq

    def numbers(self) -> tuple[arb, arb, arb, arb, arb]:
        """(ln s0, b, A, omega, theta0) at the current precision."""
        s0 = (-arb(self.decay)).exp()
        return -arb(self.decay), arb(self.b), self.twist * s0, arb(self.omega), (-self.turn * s0).acos()


def blocks(u: fmpq_mat) -> list[Block]:
    """The blocks of a matrix of numbers in [0, 1], five for each."""
    rows = u.tolist()
    return [
        Block(2 * r[0], r[1] / 4, 3 * r[2] / 10, fmpq(3, 10) + 9 * r[3] / 10, fmpq(1, 50) + 4 * r[4] / 5) for r in rows
    ]


@dataclass(frozen=True)
class Constants:
    """Exact dyadic numbers: with the sum scaled by `scale`, L <= 1, the weak Minty modulus is >= rho, and |F(x)| >= m |x|."""

    scale: arb
    rho: arb
    m: arb


@shared
def constants(u: fmpq_mat) -> Constants:
    """The constants of the scaled sum, from enclosures over pieces of the circle."""
    with precision(CONSTANT_BITS):
        L, rho, m = arb(0), arb(10**6), arb(10**6)
        for block in blocks(u):
            log_s0, b, A, omega, theta0 = block.numbers()
            half = arb.pi() / PIECES
            for k in range(PIECES):
                phi = (2 * k + 1) * half + arb(0, 1) * half
                sine, cosine = phi.sin(), phi.cos()
                S = (log_s0 + b * cosine).exp()
                p, r = 1 - b * omega * sine, A * omega * cosine
                # the larger eigenvalue of the Gram matrix: trace p^2 + r^2 + 1, determinant p^2
                gap = (((p - 1) ** 2 + r * r) * ((p + 1) ** 2 + r * r)).upper().sqrt()
                norm = ((p * p + r * r + 1 + gap) / 2).upper().sqrt()
                L = L.max((S * norm).upper())
                rho = rho.min(((theta0 + A * sine).cos() / S).lower())
                m = m.min(S.lower())
        scale = (1 / L).lower()
        return Constants(scale, (rho / scale).lower(), (m * scale).lower())


def operator(u: fmpq_mat):
    """The scaled sum at the precision at which it is made."""
    scale = constants(u).scale
    made = [block.numbers() for block in blocks(u)]

    def F(x: Blocks) -> Blocks:
        out = []
        for z, (log_s0, b, A, omega, theta0) in zip(x, made):
            phi = omega * (z.real * z.real + z.imag * z.imag).log() / 2
            out.append(scale * z * acb(log_s0 + b * phi.cos(), theta0 + A * phi.sin()).exp())
        return out

    return F
