"""The two ends of the implicit bias: least norm for a large scale, least L1 norm for a small one, each with its rate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import column, inverse, pinv, submatrix
from solvers.hypentropy import affine_minimiser
from theorems import Integers, Q, Rationals, curve, eq, shared, slope
from theorems.papers.mask_mirror.instances import ONE, Generic
from theorems.papers.mask_mirror.paper import PAPER

BITS = 1500
DECADES = tuple(range(16, 25))  # a = 10^-k at the L1 end
FAR = (100, 130, 160, 190, 220)  # where the largest of several powers stands alone
LARGE = tuple(range(4, 9))  # a = 10^(k/2) at the L2 end


@dataclass(frozen=True)
class LeastL1:
    """The unique solution of least L1 norm.

    Attributes:
        support: two indices.
        signs: of the solution there.
        certificate: zeta = Z^T nu*, equal to the signs on the support, below 1 in size off it.
        value: the least L1 norm.
    """

    support: tuple[int, ...]
    signs: tuple[int, ...]
    certificate: tuple[fmpq, ...]
    value: fmpq


@shared
def least_l1(Z: fmpq_mat, y: tuple[fmpq, ...]) -> LeastL1:
    """The basic solution whose dual certificate proves it optimal and unique.

    Raises:
        ValueError: if there is none.
    """
    k, n = Z.nrows(), Z.ncols()
    for support in combinations(range(n), k):
        B = submatrix(Z, range(k), support)
        if B.det() == 0:
            continue
        values = (inverse(B) * column(y)).entries()
        signs = tuple(1 if v > 0 else -1 for v in values)
        nu = inverse(B).transpose() * column(signs)
        zeta = (Z.transpose() * nu).entries()
        if all(v != 0 for v in values) and all(abs(z) < 1 for i, z in enumerate(zeta) if i not in support):
            return LeastL1(support, signs, tuple(zeta), sum((abs(v) for v in values), fmpq(0)))
    raise ValueError(f"no unique solution of least L1 norm with {k} entries: Z = {Z.tolist()}, y = {y}")


def clear(Z: fmpq_mat, y: tuple[fmpq, ...]) -> bool:
    """Whether the certificate is at most 7/10 off the support, and not near 0 there."""
    try:
        found = least_l1(Z, y)
    except ValueError:
        return False
    off = [abs(z) for i, z in enumerate(found.certificate) if i not in found.support]
    return max(off) <= Q(7, 10) and min(off) >= Q(1, 5)


@shared
def path(Z: fmpq_mat, y: tuple[fmpq, ...]) -> dict[int, tuple[arb, ...]]:
    """x_a for a = 10^-k, by k; each solution is guessed from the two before, since nu is nearly linear in k."""
    found: dict[int, tuple[arb, ...]] = {}
    before: list[tuple[int, tuple[arb, ...]]] = []
    with precision(BITS):
        for k in (*range(DECADES[-1] + 1), *FAR):
            guess = None
            if len(before) > 1:
                (i, u), (j, v) = before[-2:]
                guess = [q + (q - p) * fmpq(k - j, j - i) for p, q in zip(u, v)]
            x, nu = affine_minimiser(Z, y, [Q(1, 10**k)] * Z.ncols(), guess=guess)
            before.append((k, nu))
            found[k] = x
    return found


@PAPER.rate(
    source="abstract: transition from an L2 to an L1 bias, and how to enter the rich regime; rates derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "Z": Generic(Rationals(-3, 3, denominator=4), (2, 5)),
        "y": Generic(Integers(-3, 3), (2,)),
    },
    where=clear,
    accept=0.01,
    quick=4,
    full=20,
    part="L1 end: exponents",
    method="minimisers enclosed by Krawczyk's operator along a = 1, 1/10, ..., 10^-24, and on to 10^-220 for the order of the excess; the L1 problem solved exactly with its dual certificate; "
    "least-squares exponents of balls",
    hypotheses="x_0 = 0 and a_i = a for all i; at the L1 end a unique minimiser with |I| = k, and 1/5 <= |zeta_i| <= 7/10 off I (near 1 the "
    "corrections of relative size a^(1 - |zeta|) fade slowly, near 0 the sign of x_i is late to agree)",
    rests_on=("<zeta, x> = <nu*, Z x> = <nu*, y> is the least L1 norm, for every x with Z x = y",),
    not_established="that the powers go on for ever: exponents are slopes at a from 1e-16 to 1e-24 (of the excess 1e-100 to 1e-220, at the L2 end 1e2 to "
    "1e4). The exponents for unequal a_i, which hold when all of them scale together",
)
def l1_l2_endpoint_rates(Z, y, *, sign=-1, weight=ONE, minimum=True):
    r"""Let $x_a = \arg\min\{R_a(x) : Zx = y\}$ with equal scales $a$. L2 end: $\|x_a - Z^\dagger y\| = \Theta(a^{-2})$ as $a \to \infty$. L1 end: if
    $\min\{\|x\|_1 : Zx = y\}$ has a unique solution with support $I$, $|I| = k$, and dual certificate $\zeta = Z^\top \nu^*$
    ($\zeta_I = \operatorname{sign}(x_I)$, $|\zeta_i| < 1$ off $I$), then as $a \to 0$: $|x_{a,i}| = \Theta(a^{1 - |\zeta_i|})$ for $i \notin I$, and
    $$\|x_a\|_1 - \min \|x\|_1 = \sum_{i \notin I} (1 - |\zeta_i|) |x_{a,i}| = \Theta\big(a^{\min_{i \notin I}(1 - |\zeta_i|)}\big).$$
    """
    best = least_l1(Z, y)
    found = path(Z, y)
    xs, sizes = [found[k] for k in DECADES], [Q(1, 10**k) for k in DECADES]
    off = [i for i in range(Z.ncols()) if i not in best.support]
    for i in off:
        exponent = 1 + sign * abs(best.certificate[i])
        yield "L1 end: exponents", slope(sizes, [abs(x[i]) for x in xs], exponent, within=Q(2, 1000))
    with precision(BITS):
        excess = {k: sum((abs(v) for v in x), arb(0)) - best.value for k, x in found.items() if k in (*DECADES, *FAR)}
        claimed = [sum((weight * (1 - abs(best.certificate[i])) * abs(x[i]) for i in off), arb(0)) for x in xs]
    yield "L1 end: excess", eq([excess[k] for k in DECADES], claimed, within=Q(1, 10**80))
    ends = [1 - abs(best.certificate[i]) for i in off]
    order = min(ends) if minimum else sum(ends) / len(ends)
    yield (
        "L1 end: order of the excess",
        slope([Q(1, 10**k) for k in FAR], [excess[k] for k in FAR], order, within=Q(1, 100)),
    )
    for i in off:
        yield curve(
            "Entries off the support as a falls",
            [-k for k in DECADES],
            [abs(x[i]).log() / arb(10).log() for x in xs],
            series=f"|zeta| = {float(int(best.certificate[i].p) / int(best.certificate[i].q)):.3f}",
            axes=("log10 a", "log10 |x_i|"),
        )


@l1_l2_endpoint_rates.check(
    "L2 end",
    domain={
        "Z": Generic(Rationals(-3, 3, denominator=4), (2, 5)),
        "y": Generic(Integers(1, 3), (2,)),
    },
    where=lambda Z: Z.rank() == 2,
    quick=2,
    full=20,
)
def _l2_end(Z, y, *, rate=-2):
    least = (pinv(Z) * column(y)).entries()
    sizes = [Q(10) ** (k // 2) * (1 if k % 2 == 0 else 3) for k in LARGE]
    with precision(BITS):
        distances = []
        for a in sizes:
            x = affine_minimiser(Z, y, [a] * Z.ncols()).x
            distances.append(sum(((u - v) * (u - v) for u, v in zip(x, least)), arb(0)).sqrt())
    yield "L2 end", slope(sizes, distances, rate, within=Q(1, 1000))


l1_l2_endpoint_rates.mutant("exponent 1 + |zeta|", sign=1, breaks="L1 end: exponents")
l1_l2_endpoint_rates.mutant("exponent 1 for all i", sign=0, breaks="L1 end: exponents")
l1_l2_endpoint_rates.mutant("exponent 1 - 0.9 |zeta|", sign=-Q(9, 10), breaks="L1 end: exponents")
l1_l2_endpoint_rates.mutant("excess 0.1 % larger", weight=Q(1001, 1000), breaks="L1 end: excess")
l1_l2_endpoint_rates.mutant("order of the mean exponent", minimum=False, breaks="L1 end: order of the excess")
l1_l2_endpoint_rates.mutant("L2 exponent -1", rate=-1, breaks="L2 end")
l1_l2_endpoint_rates.mutant("L2 exponent -1.99", rate=-Q(199, 100), breaks="L2 end")
