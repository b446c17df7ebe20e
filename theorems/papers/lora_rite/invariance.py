"""The product does not see the factorisation, and both factors contribute equally to it."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, ctx, fmpq_mat

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le
from theorems.papers.lora_rite.algebra import BALLS, exact, length, spectrum
from theorems.papers.lora_rite.others import between, contributions, slope_of
from theorems.papers.lora_rite.paper import PAPER
from theorems.papers.lora_rite.rite import RITE, Rules, loss_gradient, path, side_step

ENTRIES = Integers(-9, 9)
CLOSE = Q(1, 10**25)
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
    fidelity="paper",
    evidence="certified",
    family=FACTORED,
    method="both runs in balls from exact factors, all entries of Z_t at every step to within 1e-25; polar and triangular bases mixed between "
    "the runs",
    hypotheses="A, B of full column rank; unmagnified gradients of full column rank at the first step; r = 2, loss gradient D + D^3/5",
    not_established="r > 2",
)
def transformation_invariance(A, B, W, R, scales, bases, steps, *, rules=RITE):
    r"""LoRA-RITE is transformation invariant: from $(A, B)$ and from $(AR, BR^{-\top})$ it produces the same $Z_t = A_tB_t^\top$ at every $t$, for all $R \in GL(r)$ and any
    choice of orthonormal bases in either run.
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


transformation_invariance.mutant("moments not transported between bases", rules=Rules(transport="none"))
transformation_invariance.mutant("moments transported by the transpose", rules=Rules(transport="transposed"))
transformation_invariance.mutant("elementwise second moment", rules=Rules(moment="elementwise"))
transformation_invariance.mutant("magnitude correction left out", rules=Rules(magnitude="none"))
transformation_invariance.mutant("R_B^{-1} for R_B^{-T}", rules=Rules(magnitude="R^-1"))

POWERS = Choices(("power", Q(1)), ("power", Q(0)), ("shampoo", Q(0)), ("scaled", Q(0)), ("rite", Q(0)))


@PAPER.identity(
    source="transformation invariance implies efficient feature learning (recalled); norms and exponents derived",
    fidelity="derived",
    evidence="certified",
    family=FACTORED,
    method="first steps in balls; spectral norms from 2 x 2 Gram matrices; two-point exponents at s = 10^2 and 10^4",
    hypotheses="first step, beta_1 = 0; unmagnified gradients of full column rank",
)
def efficient_feature_learning(A, B, W, R, scales, *, rules=RITE):
    r"""At the first step with $\beta_1 = 0$, $\|\delta A\,B^\top\|_2 = \|A\,\delta B^\top\|_2 = \eta$ for every factorisation, and $\|\bar g_A\|_F \le \|\nabla_Z\|_F$. For
    $(sA, B/s)$ the ratio $\|\delta A B^\top\|/\|A\delta B^\top\|$ is of order $s^{-4}$ for gradient descent, $s^{-2}$ for Adam and Shampoo, $s^0$ for ScaledGD and LoRA-RITE.
    """
    first = Rules(beta=Q(0), magnitude=rules.magnitude)

    def norms() -> list[arb]:
        T = transformed(R, scales)
        a, b = exact(fmpq_mat(A) / 4 * T), exact(fmpq_mat(B) / 4 * T.inv().transpose())
        G = loss_gradient(a * b.transpose(), quarter(W))
        dA, _ = side_step(BALLS, G * b, b, None, first, "qr")
        dB, _ = side_step(BALLS, G.transpose() * a, a, None, first, "qr")
        return [spectral_norm(dA, b), spectral_norm(dB, a)]

    yield "equal contributions", eq(norms, [1, 1], within=CLOSE)

    def gradients() -> tuple[arb, arb]:
        b = quarter(B)
        G = loss_gradient(quarter(A) * b.transpose(), quarter(W))
        with precision(256):
            U, _ = BALLS.basis(b, "qr")
        return length((G * U).entries()), length(G.entries())

    yield "bounded gradient", le(gradients, within=CLOSE)


def spectral_norm(update: arb_mat, factor: arb_mat) -> arb:
    """|update factor^T|_2: the root of the largest eigenvalue of (F^T F)^{1/2} D^T D (F^T F)^{1/2}."""
    from theorems.papers.lora_rite.algebra import root

    half = root(factor.transpose() * factor)
    return spectrum(half * (update.transpose() * update) * half)[0].sqrt()


@efficient_feature_learning.check(
    "exponents",
    domain={
        "A": Arrays(ENTRIES, (ROWS, RANK)),
        "B": Arrays(ENTRIES, (COLUMNS, RANK)),
        "G": Arrays(ENTRIES, (ROWS, COLUMNS)),
        "method": POWERS,
        "exponent": Given(
            lambda method: {("power", Q(1)): -4, ("power", Q(0)): -2, ("shampoo", Q(0)): -2}.get(method, 0)
        ),
    },
    where=lambda A, B, G: regular(A) and regular(B) and full_gradients(A, B, G),
    accept=0.3,
    quick=10,
    full=60,
)
def _exponents(A, B, G, method, exponent, *, ratio=None):
    """The exponent of |dA B^T| / |A dB^T| in s."""

    def of(s: int) -> arb:
        left, right = contributions(A, B, G, method, s)
        return left / right

    for side in between(lambda: slope_of(of), exponent if ratio is None else ratio, Q(1, 1000)):
        yield "exponent of the ratio", side


def full_gradients(A: Any, B: Any, G: Any) -> bool:
    """Whether both gradients have full column rank and no zero entry (so that every power law is defined)."""
    left, right = G * B, G.transpose() * A
    return regular(left) and regular(right) and all(v != 0 for M in (left, right) for v in M.entries())


efficient_feature_learning.mutant(
    "magnitude correction left out", rules=Rules(magnitude="none"), breaks="equal contributions"
)
efficient_feature_learning.mutant("every optimiser has the ratio 1", ratio=0, breaks="exponent of the ratio")
efficient_feature_learning.mutant("ratio s^{-2} for gradient descent too", ratio=-2, breaks="exponent of the ratio")
