"""The operator of one gradient step, and how Gaussian its features are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.quadratic_forms import diagonal_cumulant, expanded_moment, from_cumulants, trace
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le, symbolic, symbols
from theorems.papers.hierarchical_polynomials.paper import PAPER
from theorems.papers.hierarchical_polynomials.setting import HALF, HESSIAN, ONE

ENTRIES = Integers(-2, 2)
PATTERNS = ((2, -1, -1), (0, 1, -1))


def traceless(d: int, entries: Any) -> fmpq_mat:
    """The symmetric matrix with these entries on and above the diagonal, its trace removed."""
    M = fmpq_mat(d, d)
    above = iter(entries)
    for i in range(d):
        for j in range(i, d):
            M[i, j] = M[j, i] = fmpq(int(next(above)))
    share = trace(M) / d
    for i in range(d):
        M[i, i] -= share
    return M


OPERATORS = PAPER.family(
    "quadratic links",
    d=Choices(3, 2, 4),
    A=Given(lambda d: Arrays(ENTRIES, (2, d * (d + 1) // 2))),
    Qs=Given(lambda d: Arrays(ENTRIES, (2, d * (d + 1) // 2))),
    b=Arrays(Integers(-2, 2), (2,)),
    H=Arrays(Integers(-2, 2), (3,)),
    quick=6,
    full=60,
)


@PAPER.identity(
    source="the approximate Stein identity behind the recovery of the features, exactly for quadratic links",
    fidelity="derived",
    evidence="certified",
    family=OPERATORS,
    method="Gaussian moments by expansion into monomials, in rationals; for every d as an identity of trace words",
    hypotheses="A_k, Q, Q' symmetric and traceless (no normalisation)",
)
def population_operator_identity(d, A, Qs, b, H, *, quartic=1, linear=1, twisted=1):
    r"""For $g(z) = b^\top z + \frac12z^\top Hz$ and traceless symmetric $A_k, Q, Q'$, with $q = x^\top Qx$,
    $$\mathbb{E}[(f - \mathbb{E}f)qq'] = \sum_{ij}H_{ij}G_i(Q)G_j(Q') + 8\sum_kb_k\mathrm{tr}(A_kQQ')
    + 8\sum_{ij}H_{ij}\big[\mathrm{tr}(A_iA_jQQ') + \mathrm{tr}(A_iA_jQ'Q) + \mathrm{tr}(A_iQA_jQ')\big].$$
    """
    forms = [traceless(d, row) for row in A.tolist()]
    q, q2 = (traceless(d, row) for row in Qs.tolist())
    weights = [fmpq(int(v)) for v in b]
    hessian = [[fmpq(int(H[0])), fmpq(int(H[1]))], [fmpq(int(H[1])), fmpq(int(H[2]))]]
    both = expanded_moment([q, q2])
    left = sum((w * expanded_moment([M, q, q2]) for w, M in zip(weights, forms)), fmpq(0))
    right = 8 * linear * sum((w * trace(M * q * q2) for w, M in zip(weights, forms)), fmpq(0))
    for i, j in product(range(2), repeat=2):
        pair = expanded_moment([forms[i], forms[j]])
        left += hessian[i][j] / 2 * (expanded_moment([forms[i], forms[j], q, q2]) - pair * both)
        words = trace(forms[i] * forms[j] * q * q2) + trace(forms[i] * forms[j] * q2 * q)
        words += twisted * trace(forms[i] * q * forms[j] * q2)
        right += hessian[i][j] * (4 * trace(forms[i] * q) * trace(forms[j] * q2) + 8 * quartic * words)
    yield "operator", eq(left, right)


def word(letters: Sequence[str]) -> Any:
    """The symbol of a trace of symmetric letters: 0 for a single (traceless) letter, equal for rotations and reversals."""
    if len(letters) == 1:
        return 0
    turns = [tuple(letters[k:]) + tuple(letters[:k]) for k in range(len(letters))]
    turns += [tuple(reversed(t)) for t in turns]
    return symbols("tr_" + "_".join(min(turns)))


def trace_cumulant(letters: Sequence[str]) -> Any:
    """The joint cumulant of quadratic forms as a polynomial in trace words."""
    from itertools import permutations

    first, *rest = letters
    return 2 ** (len(letters) - 1) * sum(word((first, *order)) for order in permutations(rest))


@population_operator_identity.proof(
    "every dimension",
    covers="all d, all traceless symmetric matrices",
    rests_on=("joint cumulants of Gaussian quadratic forms are 2^{k-1} sums of traces over cyclic orders",),
)
def _every_dimension(*, quartic=1, linear=1, twisted=1):
    def words(i: str, j: str) -> Any:
        return word((i, j, "Q", "R")) + word((i, j, "R", "Q")) + twisted * word((i, "Q", j, "R"))

    for i, j in (("A", "A"), ("A", "B")):  # half the sum of (i, j) and (j, i)
        four = from_cumulants([i, j, "Q", "R"], trace_cumulant)
        four -= from_cumulants([i, j], trace_cumulant) * from_cumulants(["Q", "R"], trace_cumulant)
        pairs = 2 * (word((i, "Q")) * word((j, "R")) + word((j, "Q")) * word((i, "R")))
        yield eq(four / 2, pairs + 4 * symbolic(quartic) * (words(i, j) + words(j, i)))
    yield eq(from_cumulants(["A", "Q", "R"], trace_cumulant), 8 * linear * word(("A", "Q", "R")))


population_operator_identity.mutant("without the quartic traces", quartic=0, breaks="operator")
population_operator_identity.mutant(
    "7 in place of 8 before the quartic traces", quartic=Q(7, 8), breaks="every dimension"
)
population_operator_identity.mutant("without the term in b", linear=0, breaks="operator")
population_operator_identity.mutant("without tr(A_i Q A_j Q')", twisted=0, breaks="operator")

SPECTRA = PAPER.family(
    "spectra",
    d=Integers(3, 10),
    spectrum=Given(lambda d: Arrays(Integers(-6, 6), (d,))),
    shape=Choices("drawn", "one against all", "flat", "skew"),
    values=Given(lambda d, spectrum, shape: centred(shaped(d, spectrum, shape))),
    where=lambda values: any(v != 0 for v in values),
    accept=0.5,
    quick=40,
    full=400,
)


LONG = PAPER.family(
    "long spectra",
    d=Choices(200),
    values=Given(lambda d: centred(shaped(d, (), "one against all"))),
    every=True,
)


def shaped(d: int, spectrum: Any, shape: str) -> list[int]:
    """The drawn spectrum, (d-1, -1, ..., -1), equal signs, or the pattern (2, -1, -1)."""
    return {
        "drawn": [int(v) for v in spectrum],
        "one against all": [d - 1] + [-1] * (d - 1),
        "flat": [1 if k % 2 else -1 for k in range(d - d % 2)] + [0] * (d % 2),
        "skew": [(2, -1, -1)[k % 3] for k in range(d)],
    }[shape]


def centred(values: Sequence[int]) -> tuple[fmpq, ...]:
    """Values minus their mean."""
    mean = fmpq(sum(values), len(values))
    return tuple(v - mean for v in values)


@PAPER.bound(
    source="features of small operator norm are nearly Gaussian",
    fidelity="derived",
    evidence="certified",
    family=(SPECTRA, LONG),
    method="power sums of exact spectra (squares compared for the cubic bound); one eigenvalue at a time for every spectrum and dimension",
    hypotheses="tr A = 0, 2 tr A^2 = 1 (after normalisation)",
)
def feature_gaussianity(d, values, *, cubic=4, quartic=24):
    r"""$|\mathbb{E}p^3| \le 4\|A\|_{op}$ and $0 \le \mathbb{E}p^4 - 3 \le 24\|A\|_{op}^2$ for $p = x^\top Ax$ with $\mathrm{tr}A = 0$, $2\,\mathrm{tr}A^2 = 1$: with
    $\|A\|_{op} = O(d^{-1/2})$ the feature is asymptotically Gaussian, at the rate $d^{-1/2}$ where third cumulants do not vanish.
    """
    S2, S3, S4 = (sum((v**k for v in values), fmpq(0)) for k in (2, 3, 4))
    top = max(abs(v) for v in values)
    third = diagonal_cumulant([list(values)] * 3)
    fourth = diagonal_cumulant([list(values)] * 4)
    yield "moments", eq([third, fourth], [8 * S3, 48 * S4])
    yield "third moment", le(third**2, cubic**2 * top**2 * (2 * S2) ** 2)
    yield "fourth moment", le([fmpq(0), fourth], [fourth, quartic * top**2 * 2 * S2])


@feature_gaussianity.proof(
    "every spectrum",
    covers="all dimensions, all spectra with |lambda_i| <= L",
    rests_on=("E p^3 = 8 tr A^3 and E p^4 - 3 = 48 tr A^4 are sums over eigenvalues, and so is 2 tr A^2 = 1",),
)
def _every_spectrum(*, cubic=4, quartic=24):
    L = symbols("L", positive=True)
    share = symbols("u", lower=-1, upper=1)  # an eigenvalue over L
    yield le(8 * share**3 * L**3, cubic * L * 2 * share**2 * L**2)
    yield le(-8 * share**3 * L**3, cubic * L * 2 * share**2 * L**2)
    yield le(48 * share**4 * L**4, quartic * L**2 * 2 * share**2 * L**2)


@feature_gaussianity.check("rate", domain={"d": Choices(*(3 * 4**j for j in range(1, 7)))}, every=True)
def _rate(d, *, power=1):
    """sqrt(d) E p^3 = 2 for the pattern (2, -1, -1): squares, exactly."""
    S2, S3 = (fmpq(d, 3) * sum(v**k for v in PATTERNS[0]) for k in (2, 3))
    yield "rate of the third moment", eq(64 * S3**2 * fmpq(d) ** power / (2 * S2) ** 3, 4)


feature_gaussianity.mutant("3 in place of 4", cubic=3, breaks="third moment")
feature_gaussianity.mutant("3.9 in place of 4", cubic=Q(39, 10), breaks="third moment")
feature_gaussianity.mutant("20 in place of 24", quartic=20, breaks="fourth moment")
feature_gaussianity.mutant("23.9 in place of 24", quartic=Q(239, 10), breaks="fourth moment")
feature_gaussianity.mutant("rate 1/d", power=2, breaks="rate of the third moment")

LINK = {(3, 0): ONE, (2, 0): Q(1, 2), (0, 2): -Q(2, 5), (1, 1): Q(3, 10), (1, 0): Q(1, 5)}


def stein_error(d: int, scale: fmpq = ONE) -> arb:
    """max |M(A_i, A_j) - scale Hbar_ij| for the cubic link and diagonal features of period 3, in balls."""
    units = []
    for pattern in PATTERNS:
        size = (2 * arb(d) / 3 * sum(v * v for v in pattern)).sqrt()
        units.append([arb(v) / size for v in pattern])

    def cumulants(block: list[int]) -> arb:
        return diagonal_cumulant([units[k] for k in block]) * arb(d) / 3

    def mean(powers: Sequence[int]) -> arb:
        return arb(1) * from_cumulants([k for k, p in enumerate(powers) for _ in range(p)], cumulants)

    centre = sum((c * mean(powers) for powers, c in LINK.items()), arb(0))
    errors = []
    for i, j in ((0, 0), (0, 1), (1, 1)):
        pair = [int(k == i) + int(k == j) for k in range(2)]
        value = sum((c * mean([p + e for p, e in zip(powers, pair)]) for powers, c in LINK.items()), arb(0))
        errors.append(abs(value - centre * mean(pair) - arb(scale * HESSIAN[i][j])))
    return errors[0].max(errors[1]).max(errors[2])


@PAPER.rate(
    source="the approximate Stein lemma for links of higher degree",
    fidelity="derived",
    evidence="certified",
    domain={"d": ByBudget(quick=Choices(384, 1536), full=Choices(384, 1536, 6144, 24_576, 98_304))},
    every=True,
    part="slope",
    method="joint moments of order 5 from exact cumulants of diagonal features, in balls; slopes between d and 4d",
    hypotheses="g = z1^3 + z1^2/2 - 0.4 z2^2 + 0.3 z1 z2 + 0.2 z1; diagonal features with the patterns (2, -1, -1) and (0, 1, -1)",
)
def approximate_stein(d, *, rate=HALF, scale=ONE):
    r"""For a polynomial link, $\max_{ij}|M(A_i, A_j) - \bar H_{ij}| = O(d^{-1/2})$ with $\bar H = \mathbb{E}\nabla^2g$, and $\Theta(d^{-1/2})$ when third cumulants of the
    features do not vanish: here $\sqrt d$ times the error tends to 18.45.
    """
    slope = lambda: (stein_error(4 * d, scale) / stein_error(d, scale)).log() / arb(4).log()  # noqa: E731
    yield le(lambda: (slope(), arb(Q(3, 100) - rate)))
    yield le(lambda: (arb(-Q(3, 100) - rate), slope()))


@approximate_stein.check("constant", domain={"d": Choices(24_576)}, every=True)
def _constant(d, *, scale=ONE):
    scaled = lambda: stein_error(d, scale) * arb(d).sqrt()  # noqa: E731
    yield "constant", le(lambda: (scaled(), arb(Q(1855, 100))))
    yield "constant", le(lambda: (arb(Q(1835, 100)), scaled()))


approximate_stein.mutant("half of the expected Hessian", scale=Q(1, 2), breaks=("slope", "constant"))
approximate_stein.mutant("95 % of the expected Hessian", scale=Q(19, 20), breaks=("slope", "constant"))
approximate_stein.mutant("rate 1/d", rate=ONE, breaks="slope")
approximate_stein.mutant("rate d^{-0.6}", rate=Q(3, 5), breaks="slope")
