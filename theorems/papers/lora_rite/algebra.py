"""Matrix operations that the optimiser needs, for balls (r <= 2, closed forms) and for shapes alone (which counts operations)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flint import acb, arb, arb_mat, fmpq_mat


class Algebra(Protocol):
    """What `rite.side_step` asks of its matrices."""

    def mul(self, a: Any, b: Any) -> Any:
        """The product."""

    def t(self, a: Any) -> Any:
        """The transpose."""

    def mix(self, x: Any, a: Any, y: Any, b: Any) -> Any:
        """x a + y b."""

    def basis(self, B: Any, kind: str) -> tuple[Any, Any]:
        """U, R with B = U R and orthonormal columns of U: "polar" or "qr"."""

    def inverse(self, R: Any) -> Any:
        """The inverse of a small matrix."""

    def inverse_root(self, X: Any) -> Any:
        """X^{-1/2} of a small positive definite matrix."""

    def spectral_distance(self, M: Any, N: Any) -> Any:
        """The largest difference of sorted eigenvalues."""

    def shift(self, X: Any, rho: Any) -> Any:
        """X + rho I."""


def exact(M: Any) -> arb_mat:
    """A ball matrix from an integer or rational matrix."""
    return arb_mat(fmpq_mat(M))


def root(G: arb_mat) -> arb_mat:
    """The positive square root of a positive definite matrix of order 1 or 2: (G + sqrt(det G) I)/sqrt(tr G + 2 sqrt(det G))."""
    if G.nrows() == 1:
        return arb_mat([[G[0, 0].sqrt()]])
    s = (G[0, 0] * G[1, 1] - G[0, 1] * G[1, 0]).sqrt()
    t = (G[0, 0] + G[1, 1] + 2 * s).sqrt()
    return arb_mat([[(G[0, 0] + s) / t, G[0, 1] / t], [G[1, 0] / t, (G[1, 1] + s) / t]])


def spectrum(M: arb_mat) -> list[arb]:
    """The eigenvalues of a symmetric matrix of order 1 or 2, the larger first."""
    if M.nrows() == 1:
        return [M[0, 0]]
    mean, half = (M[0, 0] + M[1, 1]) / 2, (M[0, 0] - M[1, 1]) / 2
    spread = length([half, M[0, 1]])
    return [mean + spread, mean - spread]


def length(values: Sequence[arb]) -> arb:
    """The Euclidean norm, also where it may vanish."""
    total = arb(0)
    for v in values:
        total = abs(acb(total, v))
    return total


class Balls:
    """Ball matrices with r <= 2."""

    def mul(self, a: arb_mat, b: arb_mat) -> arb_mat:
        return a * b

    def t(self, a: arb_mat) -> arb_mat:
        return a.transpose()

    def mix(self, x: Any, a: arb_mat, y: Any, b: arb_mat) -> arb_mat:
        return a * arb(x) + b * arb(y)

    def basis(self, B: arb_mat, kind: str) -> tuple[arb_mat, arb_mat]:
        gram = B.transpose() * B
        R = root(gram) if kind == "polar" else triangular(gram)
        return B * self.inverse(R), R

    def inverse(self, R: arb_mat) -> arb_mat:
        return R.inv()

    def inverse_root(self, X: arb_mat) -> arb_mat:
        return root(X).inv()

    def spectral_distance(self, M: arb_mat, N: arb_mat) -> arb:
        differences = [abs(a - b) for a, b in zip(spectrum(M), spectrum(N))]
        return differences[0] if len(differences) == 1 else differences[0].max(differences[1])

    def shift(self, X: arb_mat, rho: Any) -> arb_mat:
        r = X.nrows()
        return X + arb_mat([[arb(rho) if i == j else arb(0) for j in range(r)] for i in range(r)])


def triangular(G: arb_mat) -> arb_mat:
    """The upper triangular R with R^T R = G, of order 1 or 2."""
    a = G[0, 0].sqrt()
    if G.nrows() == 1:
        return arb_mat([[a]])
    b = G[0, 1] / a
    return arb_mat([[a, b], [arb(0), (G[1, 1] - b * b).sqrt()]])


BALLS = Balls()


@dataclass
class Shapes:
    """Matrices are their shapes; flops and the largest array are counted.

    A product (a x b)(b x c) counts 2abc, a QR of q x r 2qr^2, a small dense factorisation or inverse 25 r^3, an
    elementwise combination 3 operations an entry.
    """

    flops: int = 0
    largest: int = 0

    def _made(self, rows: int, columns: int) -> tuple[int, int]:
        self.largest = max(self.largest, rows * columns)
        return rows, columns

    def mul(self, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        if a[1] != b[0]:
            raise ValueError(f"a product of shapes {a} and {b}")
        self.flops += 2 * a[0] * a[1] * b[1]
        return self._made(a[0], b[1])

    def t(self, a: tuple[int, int]) -> tuple[int, int]:
        return a[1], a[0]

    def mix(self, x: Any, a: tuple[int, int], y: Any, b: tuple[int, int]) -> tuple[int, int]:
        if a != b:
            raise ValueError(f"a combination of shapes {a} and {b}")
        self.flops += 3 * a[0] * a[1]
        return self._made(*a)

    def basis(self, B: tuple[int, int], kind: str) -> tuple[tuple[int, int], tuple[int, int]]:
        self.flops += 2 * B[0] * B[1] ** 2
        return self._made(*B), self._made(B[1], B[1])

    def inverse(self, R: tuple[int, int]) -> tuple[int, int]:
        self.flops += 25 * R[0] ** 3
        return self._made(*R)

    def inverse_root(self, X: tuple[int, int]) -> tuple[int, int]:
        self.flops += 25 * X[0] ** 3
        return self._made(*X)

    def spectral_distance(self, M: tuple[int, int], N: tuple[int, int]) -> int:
        self.flops += 2 * 25 * M[0] ** 3
        return 0

    def shift(self, X: tuple[int, int], rho: Any) -> tuple[int, int]:
        self.flops += X[0]
        return X
