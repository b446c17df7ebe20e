"""What gradient descent, Adam and Shampoo do when the factors are rescaled or rotated."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from theorems import Arrays, Choices, Integers, Q, eq, lt
from theorems.papers.lora_rite.algebra import BALLS, exact, length, root
from theorems.papers.lora_rite.paper import PAPER
from theorems.papers.lora_rite.rates import between, slope_of
from theorems.papers.lora_rite.rite import Rules, side_step

ENTRIES = Integers(-9, 9)
ETA = Q(1, 10**6)
ONE, HALF = Q(1), Q(1, 2)
Method = tuple[str, fmpq]
FIRST = Rules(beta=fmpq(0))


def update(gradient: arb_mat, own: arb_mat, other: arb_mat, method: Method) -> arb_mat:
    """The first step's direction of one factor, without the learning rate."""
    name, p = method
    if name == "power":
        return arb_mat(
            gradient.nrows(),
            gradient.ncols(),
            [sign(v) * (abs(v) ** arb(p) if p != 0 else arb(1)) for v in gradient.entries()],
        )
    if name == "shampoo":  # (G G^T)^{-1/4} G (G^T G)^{-1/4}, the polar factor
        return gradient * root(gradient.transpose() * gradient).inv()
    if name == "scaled":
        return gradient * (other.transpose() * other).inv()
    return side_step(BALLS, gradient, other, None, FIRST, "qr")[0]


def sign(v: arb) -> arb:
    """The sign of a ball that does not contain zero."""
    return arb(1) if v > 0 else arb(-1)


def contributions(A: Any, B: Any, G: Any, method: Method, s: int) -> tuple[arb, arb]:
    """|dA B^T| and |A dB^T| from (sA, B/s), Frobenius norms."""
    a, b, g = exact(fmpq_mat(A) * s), exact(fmpq_mat(B) / s), exact(G)
    left = update(g * b, a, b, method) * b.transpose()
    right = a * update(g.transpose() * a, b, a, method).transpose()
    return length(left.entries()), length(right.entries())


def change(A: Any, B: Any, G: Any, method: Method, s: int) -> arb:
    """|dZ| of one step with a small learning rate from (sA, B/s)."""
    a, b, g = exact(fmpq_mat(A) * s), exact(fmpq_mat(B) / s), exact(G)
    dA = update(g * b, a, b, method) * arb(-ETA)
    dB = update(g.transpose() * a, b, a, method) * arb(-ETA)
    return length((dA * b.transpose() + a * dB.transpose() + dA * dB.transpose()).entries())


METHODS = (
    ("power", ONE),
    ("power", Q(0)),
    ("shampoo", Q(0)),
    ("scaled", Q(0)),
    ("rite", Q(0)),
    ("power", HALF),
    ("power", -HALF),
    ("power", -ONE),
)


def exponent_of(method: Method) -> fmpq:
    """q in |dZ| = Theta(s^q)."""
    name, p = method
    return {"power": abs(1 + p), "shampoo": ONE}.get(name, Q(0))


def defined(A: Any, B: Any, G: Any) -> bool:
    """Full column ranks, and no zero entry in a gradient."""
    left, right = G * B, G.transpose() * A
    full = all(M.rank() == M.ncols() for M in (A, B, left, right))
    return full and all(v != 0 for M in (left, right) for v in M.entries())


@PAPER.rate(
    source="Adam and Shampoo are not even scalar scale invariant (qualitative in the paper); exponents derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "A": Arrays(ENTRIES, (7, 2)),
        "B": Arrays(ENTRIES, (6, 2)),
        "G": Arrays(ENTRIES, (7, 6)),
        "method": Choices(*METHODS),
    },
    where=defined,
    accept=0.2,
    part="exponent",
    quick=16,
    full=100,
    method="first steps in balls at s = 10^4 and 10^6, learning rate 10^-6; exact counterexamples in rationals",
    hypotheses="first step; r = 2; gradients of full column rank without zero entries",
    not_established="powers p other than 1, 1/2, 0, -1/2 and -1; r > 2",
)
def standard_optimizers_not_invariant(A, B, G, method, *, claimed=None):
    r"""For $(sA, B/s)$ one small step changes $Z$ by $\Theta(s^q)$ as $s \to \infty$: $q = 2$ for gradient descent, $q = 1$ for the first step of Adam (signs) and Shampoo,
    $q = 0$ for ScaledGD and LoRA-RITE, $q = |1 + p|$ for $\delta A = -\eta\,\mathrm{sign}(\nabla_A)|\nabla_A|^p$: only $p = -1$ is scale invariant, and it fails under
    rotations, so no elementwise power law is transformation invariant.
    """
    value = {
        None: exponent_of(method),
        "zero": Q(0),
        "p": abs(method[1]) if method[0] == "power" else exponent_of(method),
        "one": ONE if method == ("power", ONE) else exponent_of(method),
    }[claimed]
    yield from between(lambda: slope_of(lambda s: change(A, B, G, method, s)), value, Q(1, 1000))


ROTATION = fmpq_mat(2, 2, [Q(3, 5), -Q(4, 5), Q(4, 5), Q(3, 5)])
SCALING = fmpq_mat(2, 2, [2, 0, 0, 2])
GENERAL = fmpq_mat(2, 2, [1, 2, -1, 3])


def contributions_of(A: fmpq_mat, B: fmpq_mat, G: fmpq_mat, law: str) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat]:
    """dA B^T, A dB^T and dA dB^T of one step with eta = 1/100, in rationals."""
    dA, dB = (step(g, other, law) * Q(-1, 100) for g, other in ((G * B, B), (G.transpose() * A, A)))
    return dA * B.transpose(), A * dB.transpose(), dA * dB.transpose()


def step(g: fmpq_mat, other: fmpq_mat, law: str) -> fmpq_mat:
    """The direction of one factor: "descent", "sign", "inverse" (p = -1) or "scaled"."""
    if law == "scaled":
        return g * (other.transpose() * other).inv()
    entry = {"descent": lambda v: v, "sign": lambda v: fmpq(1 if v > 0 else -1), "inverse": lambda v: 1 / v}[law]
    return fmpq_mat(g.nrows(), g.ncols(), [entry(v) for v in g.entries()])


def without_zeros(A: Any, B: Any, G: Any) -> bool:
    """Full column ranks, and no zero gradient entry before or after the transformations."""
    for T in (SCALING, ROTATION, GENERAL):
        a, b = fmpq_mat(A) * T, fmpq_mat(B) * T.inv().transpose()
        if any(v == 0 for M in (fmpq_mat(G) * b, fmpq_mat(G).transpose() * a) for v in M.entries()):
            return False
    return defined(A, B, G)


@standard_optimizers_not_invariant.check(
    "exact steps",
    domain={
        "A": Arrays(Integers(-3, 3), (3, 2)),
        "B": Arrays(Integers(-3, 3), (3, 2)),
        "G": Arrays(Integers(-3, 3), (3, 3)),
        "case": Choices(
            ("descent", "rotation", "same"),
            ("descent", "scaling", "changed"),
            ("sign", "scaling", "changed"),
            ("sign", "rotation", "changed"),
            ("inverse", "scaling", "same"),
            ("inverse", "rotation", "changed"),
            ("scaled", "general", "same"),
        ),
    },
    where=without_zeros,
    accept=0.02,
    quick=21,
    full=210,
)
def _exact_steps(A, B, G, case, *, harmless=(), power=1):
    """dZ before and after a transformation; scaling by 2 multiplies dA B^T by 2^{-(1+p)} and A dB^T by 2^{1+p}."""
    law, kind, outcome = case
    T = {"rotation": ROTATION, "scaling": SCALING, "general": GENERAL}[kind]
    A, B, G = fmpq_mat(A), fmpq_mat(B), fmpq_mat(G)
    left, right, both = contributions_of(A, B, G, law)
    before = (left + right + both).entries()
    moved = contributions_of(A * T, B * T.inv().transpose(), G, law)
    after = (moved[0] + moved[1] + moved[2]).entries()
    if kind == "scaling":
        factor = Q(2) ** (power + {"descent": 1, "sign": 0, "inverse": -1}[law])
        yield (
            "scaled contributions",
            eq([*moved[0].entries(), *moved[1].entries()], [*(left / factor).entries(), *(right * factor).entries()]),
        )
    if outcome == "same" or (law, kind) in harmless:
        yield "unchanged", eq(after, before)
    else:
        yield "changed", lt(0, sum(((u - v) ** 2 for u, v in zip(after, before)), fmpq(0)))


standard_optimizers_not_invariant.mutant("every optimiser is scale invariant", claimed="zero", breaks="exponent")
standard_optimizers_not_invariant.mutant("gradient descent has the exponent 1", claimed="one", breaks="exponent")
standard_optimizers_not_invariant.mutant("exponent |p| for power laws", claimed="p", breaks="exponent")
standard_optimizers_not_invariant.mutant(
    "p = -1 is invariant under rotations", harmless=(("inverse", "rotation"),), breaks="unchanged"
)
standard_optimizers_not_invariant.mutant(
    "scaling by s multiplies A dB^T by s^p", power=0, breaks="scaled contributions"
)
