"""The bias of the ridgeless estimator when the coefficients are random."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg import diagonal, identity, inverse, pinv, trace
from theorems import Arrays, Choices, Given, Integers, eq, le, matrix_symbols, symbols
from theorems.papers.ridgeless_errors.paper import PAPER
from theorems.papers.ridgeless_errors.variance import ENTRIES, full_rank

R2 = fmpq(7, 3)


def cayley(p: int, entries: tuple[int, ...]) -> fmpq_mat:
    """The rational orthogonal matrix (I - A)(I + A)^{-1} of the skew matrix A with these p(p-1)/2 entries above the diagonal."""
    A = fmpq_mat(p, p)
    above = iter(entries)
    for i in range(p):
        for j in range(i + 1, p):
            A[i, j] = next(above)
            A[j, i] = -A[i, j]
    return (identity(p) - A) * inverse(identity(p) + A)


def eigenvector_design(M: fmpz_mat, p: int, skew: tuple[int, ...]) -> fmpq_mat:
    """A design (n, p) whose row space is spanned by the first n columns of the Cayley matrix."""
    Q = cayley(p, skew)
    n = M.nrows()
    return fmpq_mat(M) * fmpq_mat(n, p, [Q[j, i] for i in range(n) for j in range(p)])


GENERAL = PAPER.family(
    "wide-designs",
    n=Integers(2, 4),
    p=Given(lambda n: Integers(n + 1, 8)),
    X=Given(lambda n, p: Arrays(ENTRIES, (n, p))),
    B=Given(lambda p: Arrays(Integers(-2, 2), (p, p))),
    near=Choices(fmpq(1, 1000), fmpq(1), fmpq(0)),
    Sigma=Given(lambda p, B, near: identity(p) + fmpq_mat(B * B.transpose()) * near),
    where=lambda X: full_rank(X),
    quick=40,
    full=1000,
)
COMMUTING = PAPER.family(
    "eigenvector-designs",
    n=Integers(1, 3),
    p=Given(lambda n: Integers(n + 1, 5)),
    M=Given(lambda n: Arrays(ENTRIES, (n, n))),
    skew=Given(lambda p: Arrays(Integers(-2, 2), (p * (p - 1) // 2,))),
    spectrum=Given(lambda p: Arrays(Integers(1, 5), (p,))),
    X=Given(eigenvector_design),
    Sigma=Given(lambda p, skew, spectrum: cayley(p, skew) * diagonal(spectrum) * cayley(p, skew).transpose()),
    where=lambda M, spectrum: M.rank() == M.nrows() and len(set(spectrum)) > 1,
    quick=20,
    full=400,
)


@PAPER.identity(
    source="bias under random effects; exact forms derived",
    fidelity="derived",
    evidence="certified",
    family=(GENERAL, COMMUTING),
    method="the prior enters by its second moment only, so beta runs over the 2p points +- r e_j whose average outer product "
    "is (r^2/p) I; squared bias norms averaged in exact rationals; Sigma near a multiple of I, and row spaces spanned by "
    "eigenvectors of a Sigma that is none (where the bound is an equality)",
    hypotheses="rank X = n < p; Sigma symmetric positive definite; the errors have mean 0 given X",
)
def bias_random_effects(X, Sigma, *, complement=True, averaged=False, excess=1, tighter=0):
    r"""Let $N = I - X^+X$ with $X \in \mathbb{R}^{n \times p}$ of rank $n < p$; the bias of $\hat\beta$ is $-N\beta$, whatever
    $\Omega$. (a) If $\mathbb{E}\beta\beta^\top = (r^2/p) I$, the estimation bias is $r^2(1 - n/p)$ for every $X$ and the
    prediction bias is $(r^2/p)\mathrm{Tr}(N\Sigma)$. (b) If $\mathbb{E}\beta\beta^\top = (r^2/p)\Sigma^{-1}$, the prediction bias is
    $$\frac{r^2}{p}\mathrm{Tr}(\Sigma^{-1} N \Sigma N) = r^2\Big(1 - \frac np\Big)
    + \frac{r^2}{2p} \big\|\Sigma^{-1/2}(N\Sigma - \Sigma N)\Sigma^{-1/2}\big\|_F^2,$$
    so that it is at least $r^2(1 - n/p)$, with equality iff $N$ commutes with $\Sigma$.
    """
    n, p = X.nrows(), X.ncols()
    X = fmpq_mat(X)
    N = identity(p) - pinv(X) * X
    estimation = prediction = fmpq(0)
    for j in range(p):
        bias = fmpq_mat(p, 1, [N[i, j] for i in range(p)])  # of beta = e_j; -e_j gives the same squared norms
        estimation += R2 * (bias.transpose() * bias)[0, 0] / p
        prediction += R2 * (bias.transpose() * Sigma * bias)[0, 0] / p
    yield "estimation bias", eq(estimation, R2 * (1 - fmpq(n, p) if complement else fmpq(n, p)))
    separate = trace(N) * trace(Sigma) / p
    yield "prediction bias", eq(prediction, R2 * (separate if averaged else trace(N * Sigma)) / p)
    precision = inverse(Sigma)
    oblique = R2 * trace(precision * N * Sigma * N) / p
    floor = R2 * (1 - fmpq(n, p))
    yield "inverse prior: lower bound", le(floor * (1 + fmpq(tighter, 100)), oblique)
    C = N * Sigma - Sigma * N
    commutator = trace(precision * C * precision * C.transpose())
    yield "inverse prior: excess", eq(oblique - floor, excess * R2 * commutator / (2 * p))


@bias_random_effects.check("equality for eigenvector designs", family=COMMUTING)
def _equality(X, Sigma, *, tighter=0):
    n, p = X.nrows(), X.ncols()
    N = identity(p) - pinv(X) * X
    return trace(inverse(Sigma) * N * Sigma * N), (p - n) * (1 + fmpq(tighter, 100))


@bias_random_effects.proof(
    "bias for every design",
    covers="all full-rank X and all symmetric Sigma of the shapes (n, p) in {(1, 3), (1, 2), (2, 3)}",
    rests_on=("the squared norm is quadratic in beta, so its mean is the trace against E beta beta^T = (r^2/p) I",),
)
def _bias_for_every_design(*, complement=True, averaged=False):
    import sympy

    for n, p in ((1, 3), (1, 2), (2, 3)):
        X, Sigma = sympy.Matrix(matrix_symbols("X", n, p)), matrix_symbols("Sigma", p, symmetric=True)
        N = sympy.eye(p) - X.T * (X * X.T).inv() * X
        yield eq((N.T * N).trace() / p, 1 - sympy.Rational(n, p) if complement else sympy.Rational(n, p))
        yield eq((N.T * Sigma * N).trace(), N.trace() * Sigma.trace() / p if averaged else (N * Sigma).trace())


@bias_random_effects.proof(
    "excess in an eigenbasis",
    covers="all symmetric N and all Sigma > 0 with p in {2, 3, 4}",
    rests_on=(
        "in an eigenbasis of Sigma with eigenvalues d_i, N is symmetric with Tr N^2 = Tr N = p - n; the excess "
        "sum_{i<j} N_ij^2 (d_i - d_j)^2 / (d_i d_j) vanishes iff N_ij = 0 wherever d_i != d_j, that is iff N commutes with Sigma",
    ),
)
def _excess_in_an_eigenbasis(*, excess=1):
    for p in (2, 3, 4):
        N, d = matrix_symbols("N", p, symmetric=True), symbols(f"d:{p}", positive=True)
        oblique: Any = sum(N[i, j] ** 2 * d[j] / d[i] for i in range(p) for j in range(p))
        norm: Any = sum(N[i, j] ** 2 for i in range(p) for j in range(p))
        gap: Any = sum(N[i, j] ** 2 * (d[i] - d[j]) ** 2 / (d[i] * d[j]) for i in range(p) for j in range(i))
        yield eq(oblique - norm, excess * gap)


bias_random_effects.mutant(
    "n/p in place of 1 - n/p (the same only where p = 2n)",
    complement=False,
    breaks=("bias for every design", "estimation bias"),
    anywhere=True,
)
bias_random_effects.mutant(
    "prediction bias r^2 (1 - n/p) Tr Sigma / p", averaged=True, breaks=("bias for every design", "prediction bias")
)
bias_random_effects.mutant("equality also under the inverse prior", excess=0, breaks="inverse prior: excess")
bias_random_effects.mutant("excess without its factor 1/2", excess=2, breaks="inverse prior: excess")
bias_random_effects.mutant(
    "lower bound 1 % larger", tighter=1, on="eigenvector-designs", breaks="inverse prior: lower bound"
)
