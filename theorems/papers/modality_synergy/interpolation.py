"""When a mixture of representations is strictly better than the best of them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from theorems import Arrays, Choices, Combination, Given, Integers, Q, eq, le, lt, symbolic, symbols
from theorems.papers.modality_synergy.mixtures import ONE, mixed
from theorems.papers.modality_synergy.paper import PAPER


@PAPER.bound(
    source="the assertion of the abstract, for two modalities; conditions derived",
    fidelity="derived",
    evidence="proved",
    method="positivity certificates in a, b, c and lam; the best mixture in closed form",
    hypotheses="second moments a, b > 0 and c^2 <= ab (every pair of errors has them)",
    not_established="that training finds lam*",
    rests_on=("the cases a <= b and b <= a are one, with lam and 1 - lam exchanged",),
)
def interpolation_iff():
    r"""Let $a = \mathbb{E}\|e_V\|^2 > 0$, $b = \mathbb{E}\|e_L\|^2 > 0$, $c = \mathbb{E}\langle e_V, e_L\rangle$ and
    $M(\lambda) = \mathbb{E}\|(1-\lambda) r_V + \lambda r_L - r^\star\|^2$. Some $\lambda \in (0, 1)$ has $M(\lambda) < \min(a, b)$ if and only if
    $c < \min(a, b)$. Then $\lambda^\star = \frac{a-c}{a+b-2c}$, $M^\star = \frac{ab-c^2}{a+b-2c}$ and
    $a - M^\star = \frac{(a-c)^2}{a+b-2c}$. An improvement over $r_V$ alone is possible if and only if $c < a$. For $c = 0$ the optimum is
    $\frac{ab}{a+b}$.
    """


@interpolation_iff.proof("optimum", covers="all a, b, c with a + b > 2c, all lam")
def _optimum(*, cross=-1):
    a, b, c, lam = symbols("a b c lam")
    width = a + b - 2 * c
    best = (a * b + cross * c**2) / width
    star = (a - c) / width
    yield eq(mixed(lam, a, b, c) - best, width * (lam - star) ** 2)
    yield eq(a - best, (a - c) ** 2 / width)
    yield eq(best.subs(c, 0), a * b / (a + b))


@interpolation_iff.proof("a mixture helps", covers="all a, b > 0 and all c < min(a, b)")
def _helps(*, level=ONE, both=True):
    """The best weight lies inside (0, 1), and its error is below both."""
    a, b = symbols("a b", positive=True)
    c = symbols("c")
    below, beside = symbolic(level) * a - c, symbolic(level) * b - c
    exact = level == 1 and both
    width = a + b - 2 * c
    wide = (width, Combination([(1, 1, (below,)), (1, 1, (beside,))]))
    given = [below > 0, beside > 0] if both else [below > 0]

    def times_width(*terms):
        """A certificate of (rhs - lhs) width = sum of terms; a wrong statement has none."""
        return Combination(terms, times=wide) if exact else None

    star, best = (a - c) / width, (a * b - c**2) / width
    yield lt(0, star, given=given, by=times_width((1, 1, (below,))))
    yield lt(star, 1, given=given, by=times_width((1, 1, (beside,))))
    yield lt(best, a, given=given, by=times_width((1, 1, (below, below))))
    yield lt(best, b, given=given, by=times_width((1, 1, (beside, beside))))


@interpolation_iff.proof("no mixture helps", covers="all a > 0, c >= a, b >= c^2 / a, all lam in [0, 1]")
def _no_help(*, level=ONE, cauchy_schwarz=ONE):
    """a M(lam) - a^2 = lam^2 ((ab - c^2) + c (c - a)) + a lam (2 - lam)(c - a)."""
    a, b, c = symbols("a b c", positive=True)
    lam = symbols("lam", lower=0, upper=1)
    above, gram = c - symbolic(level) * a, a * b - symbolic(cauchy_schwarz) * c**2
    by = Combination([(1, lam, (gram,)), (1, lam, (c, above)), (1, 1, (a, lam, 2 - lam, above))], times=a)
    exact = level == cauchy_schwarz == 1
    yield le(a, mixed(lam, a, b, c), given=[above, gram], by=by if exact else None)


@interpolation_iff.proof(
    "over r_V alone",
    covers="all a, b > 0, all c, all lam > 0 with lam (a + b - 2c) < 2 (a - c), which for c < a are all small lam",
)
def _over_one(*, window=2):
    a, b, lam = symbols("a b lam", positive=True)
    c = symbols("c")
    yield eq(a - mixed(lam, a, b, c), lam * (2 * (a - c) - lam * (a + b - 2 * c)))
    room = window * (a - c) - lam * (a + b - 2 * c)
    by = Combination([(1, 1, (lam, room))])
    yield lt(mixed(lam, a, b, c), a, given=[room > 0], by=by if window == 2 else None)


interpolation_iff.mutant("c < a suffices, also where b is the smaller one", both=False, breaks="a mixture helps")
interpolation_iff.mutant("c < 1.05 min(a, b) suffices", level=Q(21, 20), breaks="a mixture helps")
interpolation_iff.mutant("no mixture helps from c >= 0.95 min(a, b) on", level=Q(19, 20), breaks="no mixture helps")
interpolation_iff.mutant(
    "ab >= 0.95 c^2 in place of Cauchy-Schwarz", cauchy_schwarz=Q(19, 20), breaks="no mixture helps"
)
interpolation_iff.mutant("M* = (ab + c^2)/(a + b - 2c)", cross=1, breaks="optimum")
interpolation_iff.mutant("the window of improvement 5 % wider", window=Q(21, 10), breaks="over r_V alone")


def gram(errors: Any) -> fmpq_mat:
    """Inner products of the rows."""
    E = fmpq_mat(errors)
    return E * E.transpose()


def with_common_part(K: int, D: int, own: Any, common: Any, weight: int) -> Any:
    """Errors of the modalities, each with the same further vector added."""
    return fmpz_mat(K, D, [int(own[i, j]) + weight * int(common[j]) for i in range(K) for j in range(D)])


ENTRIES = Integers(-3, 3)
MODALITIES = PAPER.family(
    "modalities",
    K=Integers(2, 4),
    D=Integers(4, 6),
    own=Given(lambda K, D: Arrays(ENTRIES, (K, D))),
    common=Given(lambda D: Arrays(ENTRIES, (D,))),
    weight=Choices(1, 0, 2),
    errors=Given(with_common_part),
    where=lambda errors: errors.rank() == errors.nrows(),
    accept=0.5,
    quick=60,
    full=1000,
)


def best_mixture(S: fmpq_mat) -> fmpq:
    """The least lam^T S lam over the simplex, S positive definite: the stationary points of all faces, exactly."""
    K = S.nrows()
    values = []
    for size in range(1, K + 1):
        for support in combinations(range(K), size):
            block = fmpq_mat(size, size, [S[i, j] for i in support for j in support])
            x = block.solve(fmpq_mat(size, 1, [1] * size))
            if all(v >= 0 for v in x.entries()):
                values.append(1 / sum(x.entries(), fmpq(0)))
    return min(values)


@PAPER.bound(
    source="the assertion of the abstract, for visual, language and audio models together; condition derived",
    fidelity="derived",
    evidence="certified",
    family=MODALITIES,
    method="the exact minimum over the simplex, from the stationary points of its faces; proofs of both directions in symbols",
    hypotheses="S positive definite; where several modalities are best, k is the first of them",
)
def many_modalities_iff(errors, *, needed="one"):
    r"""Let $K$ modalities have errors with the positive definite Gram matrix $S_{ij} = \mathbb{E}\langle e_i, e_j\rangle$, and let $k$ be the best
    one, $S_{kk} = \min_i S_{ii}$. Some mixture $\lambda$ in the simplex has $M(\lambda) = \lambda^\top S\lambda < S_{kk}$ if and only if
    $S_{jk} < S_{kk}$ for some $j \ne k$: if no pair $(j, k)$ helps, no mixture of any number of modalities does.
    """
    S = gram(errors)
    K = S.nrows()
    k = min(range(K), key=lambda i: S[i, i])
    gains = [S[k, k] - S[j, k] for j in range(K) if j != k]
    pairs = [max(S[i, i], S[j, j]) - S[i, j] for i in range(K) for j in range(i)]
    helpful = {"one": max(gains), "all": min(gains), "average": sum(gains, fmpq(0)), "any pair": max(pairs)}[needed]
    if helpful > 0:
        yield "some mixture helps", lt(best_mixture(S), S[k, k])
    else:
        yield "no mixture helps", le(S[k, k], best_mixture(S))


@many_modalities_iff.proof(
    "one partner suffices",
    covers="all S, and all t > 0 with t |e_j - e_k|^2 < 2 (S_kk - S_jk)",
)
def _one_partner(*, room=ONE):
    own, partner, cross, t = symbols("S_kk S_jj S_jk t", positive=True)
    distance = own - 2 * cross + partner
    inside = 2 * (own - cross) * symbolic(room) - t * distance
    by = Combination([(1, 1, (t, inside))])
    yield lt(mixed(t, own, partner, cross), own, given=[inside > 0], by=by if room == 1 else None)


@many_modalities_iff.proof(
    "no pair helps",
    covers="K = 2, 3, 4 modalities, all errors, all lam in the simplex",
    rests_on=("inner products are sums over coordinates, and so is the identity |sum lam_j e_j|^2 - S_kk = |sum lam_j e_j - e_k|^2 + "
              "2 sum lam_j (S_jk - S_kk); the hypotheses enter after the sum",),
)  # fmt: skip
def _no_pair(*, cross=2):
    for K in (2, 3, 4):
        e, lam = symbols(f"e:{K}"), symbols(f"lam1:{K}", nonnegative=True)
        weights = (1 - sum(lam), *lam)
        mixture = sum(w * x for w, x in zip(weights, e))
        yield eq(
            mixture**2 - e[0] ** 2,
            (mixture - e[0]) ** 2 + cross * sum(w * (x * e[0] - e[0] ** 2) for w, x in zip(weights, e)),
        )


many_modalities_iff.mutant("all partners must help", needed="all", breaks="no mixture helps")
many_modalities_iff.mutant("the average partner must help", needed="average", breaks="no mixture helps")
many_modalities_iff.mutant(
    "any two modalities with S_ij < max(S_ii, S_jj)", needed="any pair", breaks="some mixture helps"
)
many_modalities_iff.mutant("the step towards a partner 5 % longer", room=Q(21, 20), breaks="one partner suffices")
many_modalities_iff.mutant("the first-order term counted once", cross=1, breaks="no pair helps")
