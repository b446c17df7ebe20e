"""The mean of a subset, and the split of a square: the two identities that every ratio is made of."""

from __future__ import annotations

from fractions import Fraction

from theorems import eq, le, symbols
from theorems.papers.augmented_kmeans.paper import PAPER


@PAPER.identity(
    source="the lemma used by every step",
    fidelity="derived",
    evidence="proved",
    method="a multiset enters by its size, sum and sum of squares, so that sets of every size and fractions of every value are covered",
    rests_on=("size, sum and sum of squares of a union of multisets add up",),
)
def subset_mean_lemma():
    r"""(i) Let a finite multiset $X$ of reals be split into $X'$ (a fraction $1-z$ of it) and $X''$ (a fraction $z$) with means
    $m_1, m_2$ and variances $v_1, v_2$, $0 < z < 1$. Then
    $$\frac{z}{1-z} \mathrm{Var}(X) - (\bar X - m_1)^2 = z v_1 + \frac{z^2}{1-z} v_2 \ge 0.$$
    (ii) For $A, b, x, y > 0$,
    $$(A + b)(x + y/b) - (\sqrt{Ax} + \sqrt y)^2 = (\sqrt{Ay/b} - \sqrt{bx})^2 \ge 0.$$
    """


@subset_mean_lemma.proof("(i)")
def _subset_mean(*, coefficient="z/(1-z)", share=1):
    """The two parts have n1, n2 members with sums s1, s2 and sums of squares q1, q2."""
    n1, n2 = symbols("n1 n2", positive=True)
    s1, s2, q1, q2 = symbols("s1 s2 q1 q2")
    z = n2 / (n1 + n2)
    m1, m2 = s1 / n1, s2 / n2
    v1, v2 = q1 / n1 - m1**2, q2 / n2 - m2**2
    mean = (s1 + s2) / (n1 + n2)
    variance = (q1 + q2) / (n1 + n2) - mean**2
    weight = share * {"z/(1-z)": z / (1 - z), "z": z}[coefficient]
    yield "(i) identity", eq(weight * variance - (mean - m1) ** 2, z * v1 + z**2 / (1 - z) * v2)


@subset_mean_lemma.proof("(i) inequality")
def _subset_mean_bound(*, coefficient="z/(1-z)", share=1):
    z = symbols("z", above=0, below=1)
    m1, m2 = symbols("m1 m2")
    v1, v2 = symbols("v1 v2", nonnegative=True)
    mean = (1 - z) * m1 + z * m2
    variance = (1 - z) * v1 + z * v2 + z * (1 - z) * (m1 - m2) ** 2
    weight = share * {"z/(1-z)": z / (1 - z), "z": z}[coefficient]
    yield "(i) inequality", le((mean - m1) ** 2, weight * variance)


@subset_mean_lemma.proof("(ii)")
def _split_square(*, cross=1):
    import sympy

    A, b, x, y = symbols("A b x y", positive=True)
    square = A * x + y + 2 * cross * sympy.sqrt(A * x * y)
    yield "(ii) identity", eq((A + b) * (x + y / b) - square, (sympy.sqrt(A * y / b) - sympy.sqrt(b * x)) ** 2)


subset_mean_lemma.mutant("coefficient z", coefficient="z", breaks="(i) identity")
subset_mean_lemma.mutant("inequality with the coefficient z", coefficient="z", breaks="(i) inequality")
subset_mean_lemma.mutant("inequality with 19/20 of the coefficient", share=Fraction(19, 20), breaks="(i) inequality")
subset_mean_lemma.mutant("cross term dropped", cross=0, breaks="(ii) identity")
