"""The product does not see the factorisation, and both factors contribute equally to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flint import arb, arb_mat, ctx, fmpq_mat

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Integers, Q, eq, le
from theorems.papers.lora_rite.algebra import BALLS, exact, length, root, spectrum
from theorems.papers.lora_rite.others import contributions
from theorems.papers.lora_rite.paper import PAPER
from theorems.papers.lora_rite.rates import between, slope_of
from theorems.papers.lora_rite.rite import RITE, Rules, loss_gradient, path, side_step

ENTRIES = Integers(-9, 9)
CLOSE = Q(1, 10**25)
ONE = Q(1)
BITS = 512  # transformations of condition 10^4 and more, through several steps
ROWS, COLUMNS, RANK = 5, 4, 2


def regular(M: Any) -> bool:
    """Whether an integer matrix has full column rank."""
    return M.rank() == M.ncols()


def transformed(R: Any, scales: Any) -> fmpq_mat:
    """R diag(10^k)."""
    return fmpq_mat(2, 2, [int(R[i, j]) * Q(10) ** int(scales[j]) for i in range(2) for j in range(2)])


FACTORED = PAPER.family(
    "factored",
    A=Arrays(ENTRIES, (ROWS, RANK)),
    B=Arrays(ENTRIES, (COLUMNS, RANK)),
    W=Arrays(ENTRIES, (ROWS, COLUMNS)),
    R=Arrays(Integers(-3, 3), (RANK, RANK)),
    scales=Arrays(Integers(-2, 2), (RANK,)),
    bases=Choices(("qr", "qr"), ("polar", "qr"), ("polar", "polar")),
    steps=ByBudget(quick=Choices(3), full=Choices(5)),
    where=lambda A, B, R, W: regular(A) and regular(B) and R.det() != 0 and generic(A, B, W),
    accept=0.3,
    quick=6,
    full=60,
)


def generic(A: Any, B: Any, W: Any) -> bool:
    """Whether both unmagnified gradients have full column rank at the first step (exactly, in rationals)."""
    a, b, w = (fmpq_mat(v) / 4 for v in (A, B, W))
    D = a * b.transpose() - w
    G = fmpq_mat(ROWS, COLUMNS, [v + v * v * v / 5 for v in D.entries()])
    return (G * b).rank() == RANK and (G.transpose() * a).rank() == RANK


def quarter(M: Any) -> arb_mat:
    """An integer matrix over 4."""
    return exact(fmpq_mat(M) / 4)


@PAPER.identity(
    source="Theorem on transformation invariance (recalled)",
    fidelity="recalled",
    evidence="certified",
    family=FACTORED,
    method="both runs in balls from exact factors, all entries of Z_t at every step to within 1e-25; polar and triangular bases mixed between "
    "the runs; the first step against a formula in two rows of Z and the gradient alone",
    hypotheses="A, B of full column rank; unmagnified gradients of full column rank at the first step; r = 2, loss gradient D + D^3/5",
    not_established="r > 2",
)
def transformation_invariance(A, B, W, R, scales, bases, steps, *, rules=RITE):
    r"""LoRA-RITE is transformation invariant: from $(A, B)$ and from $(AR, BR^{-\top})$ it produces the same $Z_t = A_tB_t^\top$ at every $t$, for all $R \in GL(r)$ and any
    choice of orthonormal bases in either run. At $t = 1$ with $\beta_1 = 0$, $\delta A\,B^\top = -\eta S_AU_B^\top$ with
    $S_A = \nabla_ZU_B(U_B^\top\nabla_Z^\top\nabla_ZU_B)^{-1/2}$: a function of $Z$ and $\nabla_Z$ alone.
    """

    def sides() -> tuple[list[arb], list[arb]]:
        T = transformed(R, scales)
        with precision(max(BITS, ctx.prec)):
            return paths(T)

    def paths(T: fmpq_mat) -> tuple[list[arb], list[arb]]:
        first = path(quarter(A), quarter(B), quarter(W), steps, rules, bases[0])
        moved = exact(fmpq_mat(A) / 4 * T), exact(fmpq_mat(B) / 4 * T.inv().transpose())
        second = path(*moved, quarter(W), steps, rules, bases[1])
        return [v for Z in first for v in Z.entries()], [v for Z in second for v in Z.entries()]

    yield "same path", eq(sides, within=CLOSE)

    def first_step() -> tuple[arb_mat, arb_mat]:
        b = quarter(B)
        Z = quarter(A) * b.transpose()
        G = loss_gradient(Z, quarter(W))
        dA, _ = side_step(BALLS, G * b, b, None, replace(rules, beta=Q(0)), bases[0])
        pair = independent_rows(A)
        U, _ = BALLS.basis(arb_mat([[Z[i, j] for i in pair] for j in range(COLUMNS)]), "qr")
        S = G * U * root((G * U).transpose() * (G * U)).inv()
        return dA * b.transpose(), S * U.transpose()

    yield "first step from Z alone", eq(first_step, within=CLOSE)


def independent_rows(A: Any) -> tuple[int, int]:
    """Two rows of A, and so of Z = A B^T, that are linearly independent."""
    return next((i, k) for i in range(ROWS) for k in range(i) if A[i, 0] * A[k, 1] != A[i, 1] * A[k, 0])


transformation_invariance.mutant(
    "moments not transported between bases", rules=Rules(transport="none"), breaks="same path"
)
transformation_invariance.mutant(
    "moments transported by the transpose", rules=Rules(transport="transposed"), breaks="same path"
)
transformation_invariance.mutant("elementwise second moment", rules=Rules(moment="elementwise"), breaks="same path")
transformation_invariance.mutant("magnitude correction left out", rules=Rules(magnitude="none"), breaks="same path")
transformation_invariance.mutant(
    "an elementwise first step", rules=Rules(moment="elementwise"), breaks="first step from Z alone"
)
transformation_invariance.mutant("R_B^{-1} for R_B^{-T}", rules=Rules(magnitude="R^-1"), breaks="same path")

METHODS = (("power", Q(1)), ("power", Q(0)), ("shampoo", Q(0)), ("scaled", Q(0)), ("rite", Q(0)))


@PAPER.identity(
    source="transformation invariance implies efficient feature learning (recalled); norms and exponents derived",
    fidelity="derived",
    evidence="certified",
    family=FACTORED,
    method="first steps in balls; spectral norms from 2 x 2 Gram matrices; two-point exponents at s = 10^2 and 10^4",
    hypotheses="first step, beta_1 = 0; unmagnified gradients of full column rank",
    not_established="r > 2",
)
def efficient_feature_learning(A, B, W, R, scales, *, rules=RITE):
    r"""At the first step with $\beta_1 = 0$, $\|\delta A\,B^\top\|_2 = \|A\,\delta B^\top\|_2 = \eta$ for every factorisation, and $\|\bar g_A\|_F \le \|\nabla_Z\|_F$. For
    $(sA, B/s)$ the ratio $\|\delta A B^\top\|/\|A\delta B^\top\|$ is of order $s^{-4}$ for gradient descent, $s^{-2}$ for Adam and Shampoo, $s^0$ for ScaledGD and LoRA-RITE.
    """
    first = replace(rules, beta=Q(0))

    def norms() -> list[arb]:
        T = transformed(R, scales)
        a, b = exact(fmpq_mat(A) / 4 * T), exact(fmpq_mat(B) / 4 * T.inv().transpose())
        G = loss_gradient(a * b.transpose(), quarter(W))
        dA, _ = side_step(BALLS, G * b, b, None, first, "qr")
        dB, _ = side_step(BALLS, G.transpose() * a, a, None, first, "qr")
        return [spectral_norm(dA, b), spectral_norm(dB, a)]

    yield "equal contributions", eq(norms, [1, 1], within=CLOSE)


def spectral_norm(update: arb_mat, factor: arb_mat) -> arb:
    """|update factor^T|_2: the root of the largest eigenvalue of (F^T F)^{1/2} D^T D (F^T F)^{1/2}."""
    half = root(factor.transpose() * factor)
    return spectrum(half * (update.transpose() * update) * half)[0].sqrt()


@efficient_feature_learning.check(
    "exponents",
    domain={
        "A": Arrays(ENTRIES, (ROWS, RANK)),
        "B": Arrays(ENTRIES, (COLUMNS, RANK)),
        "G": Arrays(ENTRIES, (ROWS, COLUMNS)),
        "method": Choices(*METHODS),
    },
    where=lambda A, B, G: regular(A) and regular(B) and full_gradients(A, B, G),
    accept=0.3,
    quick=10,
    full=60,
)
def _exponents(A, B, G, method, *, ratio=None):
    """The exponent of |dA B^T| / |A dB^T| in s: -2 (1 + p) for power laws."""
    exponent = {"power": -2 * (1 + method[1]), "shampoo": Q(-2)}.get(method[0], Q(0))

    def of(s: int) -> arb:
        left, right = contributions(A, B, G, method, s)
        return left / right

    for side in between(lambda: slope_of(of), exponent if ratio is None else ratio, Q(1, 1000)):
        yield "exponent of the ratio", side


@efficient_feature_learning.check(
    "gradients",
    domain={
        "B": Arrays(ENTRIES, (COLUMNS, RANK)),
        "G": Arrays(ENTRIES, (ROWS, COLUMNS)),
        "R": Arrays(Integers(-3, 3), (RANK, RANK)),
        "scales": Arrays(Integers(-2, 2), (RANK,)),
        "inside": Choices(False, True),
    },
    where=lambda B, R: regular(B) and R.det() != 0,
    accept=0.3,
    quick=12,
    full=100,
)
def _gradients(B, G, R, scales, inside, *, share=ONE):
    """|grad_Z B R_B^{-1}|_F <= |grad_Z|_F, an equality for gradients whose rows lie in the column space of B (`inside`)."""
    b = fmpq_mat(B)
    gradient = fmpq_mat(G) * b * b.transpose() if inside else fmpq_mat(G)

    def sides() -> tuple[arb, arb]:
        with precision(max(BITS, ctx.prec)):
            factor = exact(b * transformed(R, scales).inv().transpose())
            _, size = BALLS.basis(factor, "qr")
            unmagnified = exact(gradient) * factor * size.inv()
            return length(unmagnified.entries()), arb(share) * length(exact(gradient).entries())

    yield "bounded gradient", le(sides, within=CLOSE)


def full_gradients(A: Any, B: Any, G: Any) -> bool:
    """Whether both gradients have full column rank and no zero entry (so that every power law is defined)."""
    left, right = G * B, G.transpose() * A
    return regular(left) and regular(right) and all(v != 0 for M in (left, right) for v in M.entries())


efficient_feature_learning.mutant(
    "magnitude correction left out", rules=Rules(magnitude="none"), breaks="equal contributions"
)
efficient_feature_learning.mutant("99 % of the norm of grad_Z", share=Q(99, 100), breaks="bounded gradient")
efficient_feature_learning.mutant("every optimiser has the ratio 1", ratio=0, breaks="exponent of the ratio")
efficient_feature_learning.mutant("ratio s^{-2} for gradient descent too", ratio=-2, breaks="exponent of the ratio")
