"""The leading eigenspace of the operator: exact on diagonal features with few distinct values, in every dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, arb_mat, ctx

from solvers.enclosures import precision
from solvers.exact_linalg.orthogonal import approximate_eigenvectors, frobenius
from solvers.exact_linalg.verified import verified_eigenvalues
from theorems import ByBudget, Choices, Q, curve, le
from theorems.papers.hierarchical_polynomials.paper import PAPER
from theorems.papers.hierarchical_polynomials.setting import HESSIAN

SINGULAR = ((Q(1), Q(0)), (Q(0), Q(0)))
LINEAR = (Q(1, 5), Q(1, 10))
NONE = (Q(0), Q(0))
SLOPE = Q(12, 25)
CLOSE = Q(1, 10**25)


@dataclass(frozen=True)
class Features:
    """Two diagonal features that take the same values on classes of coordinates.

    Attributes:
        patterns: values of each feature by class, before normalisation; orthogonal with the weights `sizes`.
        sizes: coordinates in each class; weighted sums of the patterns vanish.
    """

    patterns: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]


def skew(d: int) -> Features:
    """(2, -1, -1) and (0, 1, -1), each value on a third of the coordinates."""
    return Features(((2, -1, -1), (0, 1, -1)), (d // 3,) * 3)


def flat(d: int) -> Features:
    """Signs (+ + - -) and (+ - + -), a quarter each."""
    return Features(((1, 1, -1, -1), (1, -1, 1, -1)), (d // 4,) * 4)


def graded(d: int) -> Features:
    """(3, 1, -1, -3) and (1, -3, 3, -1), a quarter each: a third direction of class functions mixes in."""
    return Features(((3, 1, -1, -3), (1, -3, 3, -1)), (d // 4,) * 4)


def spiked(d: int) -> Features:
    """One coordinate against one other, whatever d: the operator norm stays 1/2."""
    return Features(((1, -1, 0, 0, 0), (0, 0, 1, -1, 0)), (1, 1, 1, 1, d - 4))


class Operator:
    """M = G^T H G + E on traceless symmetric matrices, block by block.

    With diagonal A_k, off-diagonal unit matrices are eigenvectors; diagonal matrices that sum to zero on each class
    are eigenvectors; what remains is a matrix of the order of the number of classes.
    """

    def __init__(self, features: Features, H: Any, b: Any) -> None:
        self.sizes, self.H, self.b = features.sizes, H, b
        self.d, self.classes = sum(features.sizes), len(features.sizes)
        self.a = []
        for pattern in features.patterns:
            norm = (2 * arb(sum(n * v * v for n, v in zip(features.sizes, pattern)))).sqrt()
            self.a.append([arb(v) / norm for v in pattern])

    def sharp(self, c: int) -> arb:
        """The eigenvalue of E on diagonal matrices that sum to zero on class c: 4 b.a + 12 a^T H a."""
        r = range(2)
        return 4 * sum((arb(self.b[k]) * self.a[k][c] for k in r), arb(0)) + 12 * sum(
            (arb(self.H[i][j]) * self.a[i][c] * self.a[j][c] for i in r for j in r), arb(0)
        )

    def mixed(self, c: int, e: int) -> arb:
        """The eigenvalue of E on an off-diagonal unit matrix between coordinates of classes c and e."""
        r = range(2)
        total = 2 * sum((arb(self.b[k]) * (self.a[k][c] + self.a[k][e]) for k in r), arb(0))
        for i in r:
            for j in r:
                x, y = self.a[i], self.a[j]
                total += 4 * arb(self.H[i][j]) * (x[c] * y[c] + x[e] * y[e] + (x[c] * y[e] + x[e] * y[c]) / 2)
        return total

    def blocks(self) -> tuple[arb_mat, arb_mat, arb_mat]:
        """On class functions, in orthonormal coordinates: G^T H G, E, and the features as columns."""
        K, r = self.classes, range(2)
        weight = [arb(n).sqrt() for n in self.sizes]
        G = arb_mat([[arb(2).sqrt() * weight[c] * self.a[k][c] for k in r] for c in range(K)])
        H = arb_mat([[arb(v) for v in row] for row in self.H])
        trace = arb_mat([[w / arb(self.d).sqrt()] for w in weight])
        P = identity(K) - trace * trace.transpose()
        sharp = arb_mat([[self.sharp(c) if c == e else arb(0) for e in range(K)] for c in range(K)])
        return G * H * G.transpose(), P * sharp * P, G

    def error_norm(self) -> arb:
        """|E|_op."""
        values = self.outside()
        values += list(verified_eigenvalues(symmetrised(self.blocks()[1])))
        return largest([abs(v) for v in values])

    def bound(self, linear: Any, quadratic: Any) -> arb:
        """4 |b|_1 max |A| + 12 sum |H_ij| max |A|^2."""
        top = largest([abs(v) for row in self.a for v in row])
        first = arb(linear) * sum((arb(abs(v)) for v in self.b), arb(0)) * top
        return first + arb(quadratic) * sum((arb(abs(v)) for row in self.H for v in row), arb(0)) * top * top

    def sine(self) -> arb:
        """The sine of the largest angle between the features' span and the two leading eigenvectors of M.

        Approximate eigenvectors in many digits; the distance of their span to the exact one is at most the residual
        over the gap, which the enclosures of all eigenvalues give.
        """
        first, second, G = self.blocks()
        M = symmetrised(first + second)
        Q = approximate_eigenvectors(M)
        D = Q.transpose() * M * Q
        order = sorted(range(self.classes), key=lambda k: -float(abs(D[k, k]).mid()))[:2]
        V = arb_mat([[Q[i, k] for k in order] for i in range(self.classes)])
        residual = frobenius(M * V - V * (V.transpose() * M * V))
        others = [abs(v) for v in self.outside()]
        moduli = sorted((abs(v) for v in verified_eigenvalues(M)), key=lambda v: -float(v.mid()))
        gap = moduli[1] - largest([*others, *moduli[2:]])
        if gap < 0:
            return arb(1)  # a leading eigenvector is no class function, hence orthogonal to the features
        if not gap > 0:
            return arb(1).union(arb(0))  # not separated at this precision: nothing is known
        missed = V - G * (G.transpose() * V)
        norm = verified_eigenvalues(symmetrised(missed.transpose() * missed))[-1]
        return abs(norm).sqrt() + arb(0, 2 * float((residual / gap).abs_upper()))

    def outside(self) -> list[arb]:
        """The eigenvalues of M outside of class functions (those of E)."""
        values = [self.sharp(c) for c in range(self.classes) if self.sizes[c] > 1]
        values += [self.mixed(c, e) for c in range(self.classes) for e in range(c)]
        return values + [self.mixed(c, c) for c in range(self.classes) if self.sizes[c] > 1]


def identity(n: int) -> arb_mat:
    """The identity in balls."""
    return arb_mat([[arb(int(i == j)) for j in range(n)] for i in range(n)])


def symmetrised(M: arb_mat) -> arb_mat:
    """(M + M^T)/2."""
    return (M + M.transpose()) / 2


def largest(values: list[arb]) -> arb:
    """The maximum of some balls."""
    top = values[0]
    for v in values[1:]:
        top = top.max(v)
    return top


CASES = (
    ("skew", HESSIAN, LINEAR),
    ("flat", ((Q(0), Q(0)), (Q(0), Q(0))), (Q(1), Q(0))),
    ("flat", SINGULAR, NONE),
    ("skew", HESSIAN, NONE),
    ("flat", HESSIAN, LINEAR),
    ("graded", HESSIAN, LINEAR),
    ("spiked", HESSIAN, LINEAR),
)
KINDS = {"skew": skew, "flat": flat, "graded": graded, "spiked": spiked}


@PAPER.bound(
    source="the abstract: full recovery of the space of the features; constants derived",
    fidelity="derived",
    evidence="certified",
    domain={"case": Choices(*CASES), "d": Choices(48, 96, 192, 12 * 4**6)},
    every=True,
    part="norm of E",
    method="all eigenvalues of M in balls, for diagonal features of few distinct values in any dimension; the flat spectrum attains the bound",
    hypotheses="diagonal features (skew, flat, graded or spiked), r = 2",
    not_established="features that do not commute",
    rests_on=(
        "|tr(A Q Q')| <= |A|_op |q| |q'|/2 and likewise for the quartic traces, for all features",
        "the part of an eigenvector outside of the features' span is E applied to it over the eigenvalue",
    ),
)
def feature_space_recovery(case, d, *, linear=4, quadratic=12):
    r"""Write $M = G^\top HG + E$. Then $\|E\|_{op} \le 4\|b\|_1\max\|A\|_{op} + 12\sum|H_{ij}|\max\|A\|_{op}^2 = O(d^{-1/2})$, so if
    $|\lambda|_{\min}(H) > \|E\|_{op}$ the leading $r$-dimensional eigenspace of $M$ (by modulus) has the largest angle to the span of the features
    $\sin\theta \le \|E\|_{op}/(|\lambda|_{\min}(H) - \|E\|_{op}) = O(d^{-1/2})$. For a singular $H$ the space is not recovered.
    """
    kind, H, b = case
    yield le(
        lambda: (Operator(KINDS[kind](d), H, b).error_norm(), Operator(KINDS[kind](d), H, b).bound(linear, quadratic)),
        within=CLOSE,
    )


def sine(kind: str, d: int, H: Any, b: Any) -> arb:
    """The sine of the largest angle, with digits to spare."""
    with precision(max(192, ctx.prec)):
        return Operator(KINDS[kind](d), H, b).sine()


@feature_space_recovery.check(
    "angles",
    domain={
        "kind": Choices("graded", "flat"),
        "d": ByBudget(quick=Choices(12 * 4**3, 12 * 4**4), full=Choices(*(12 * 4**j for j in range(3, 9)))),
    },
    every=True,
)
def _angles(kind, d, *, H=HESSIAN, exponent=SLOPE, features=None):
    b = LINEAR
    name = kind if features is None else features
    op = Operator(KINDS[name](d), H, b)
    least = largest([-abs(v) for v in verified_eigenvalues(arb_mat([[arb(v) for v in row] for row in HESSIAN]))])
    yield "angle", le(lambda: (sine(name, d, H, b), op.error_norm() / (-least - op.error_norm())))
    slope = lambda: (sine(name, 4 * d, H, b) / sine(name, d, H, b)).log() / arb(4).log()  # noqa: E731
    yield "slope", le(lambda: (slope(), -arb(exponent)))
    if d == 12 * 4**3:
        shown = [12 * 4**j for j in range(3, 8)]
        for k in ("graded", "flat"):
            values = [sine(k, n, HESSIAN, b) * arb(n).sqrt() for n in shown]
            yield curve(
                "sqrt(d) times the sine of the largest angle",
                range(3, 8),
                values,
                series=k,
                mark="dots",
                axes=("log_4(d/12)", ""),
            )


feature_space_recovery.mutant("2 in place of 4", linear=2, breaks="norm of E")
feature_space_recovery.mutant("3.9 in place of 4", linear=Q(39, 10), breaks="norm of E")
feature_space_recovery.mutant("11.9 in place of 12", quadratic=Q(119, 10), breaks="norm of E")
feature_space_recovery.mutant("a singular Hessian", H=SINGULAR, breaks="angle")
feature_space_recovery.mutant("features of operator norm 1/2", features="spiked", breaks="slope")
feature_space_recovery.mutant("angles of order d^{-0.55} or less", exponent=Q(11, 20), breaks="slope")
