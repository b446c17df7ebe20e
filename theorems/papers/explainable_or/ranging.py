"""Around a nondegenerate optimum: the exact range of a shadow price, and the exact effect of a coefficient."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from theorems import Q, eq, lt, matrix_symbols, symbols
from theorems.papers.explainable_or.models import Program, covering, program, programs
from theorems.papers.explainable_or.paper import PAPER

ONE = Q(1)
FAR = Q(100)


RANGED = programs(
    "regular programs",
    (3, 2, 4),
    where=lambda A, b, c: covering(A) and program(A, b, c).regular,
    accept=0.2,
    quick=12,
    full=150,
)


def ratio_test(model: Program, i: int) -> tuple[fmpq | None, fmpq | None, tuple[fmpq, ...]]:
    """The range [t-, t+] in which the basis stays feasible for b_i + t (None: infinite), and the direction of the optimal point."""
    (x,) = model.solutions
    full = (*x, *model.surplus(x))
    column = [model.inverse[k, i] for k in range(len(model.b))]
    low: fmpq | None = None
    high: fmpq | None = None
    for place, slope in zip(model.basis, column):
        if slope > 0:
            low = -full[place] / slope if low is None else max(low, -full[place] / slope)
        elif slope < 0:
            high = -full[place] / slope if high is None else min(high, -full[place] / slope)
    moved = dict(zip(model.basis, column))
    return low, high, tuple(moved.get(j, fmpq(0)) for j in range(model.n))


@PAPER.identity(
    source="ranging of right-hand sides, the theory behind the paper's what-if explanations",
    fidelity="derived",
    evidence="certified",
    family=RANGED,
    method="the program solved again in exact rationals at both ends, inside, just outside and far outside of the range",
    hypotheses="covering programs whose optimal point and prices are unique and nondegenerate",
)
def ranging_exact(A, b, c, *, reach=ONE, start=ONE, priced=True):
    r"""At a unique nondegenerate optimum with the basis matrix $B$ of $[A, -I] z = b$, replacing $b_i$ by $b_i + t$ changes $v$ by exactly $t y_i$ and the
    optimal point by exactly $t B^{-1} e_i$ for all $t \in [t_-, t_+]$ of the ratio test $x_B + t B^{-1} e_i \ge 0$; beyond a finite end,
    $v(b + t e_i) > v + t y_i$.
    """
    model = program(A, b, c)
    (x,), (y,) = model.solutions, model.shadow_prices
    for i, price in enumerate(y):
        low, high, direction = ratio_test(model, i)
        slope = price if priced else fmpq(0)
        for end, other in ((high, FAR), (low, -FAR)):
            for t in (end * reach, end / 3) if end is not None else (other,):
                moved = model.shifted(i, t)
                yield "value inside", eq(moved.value, model.value + t * slope)
                yield (
                    "optimal point inside",
                    eq([v for z in moved.solutions for v in z], [u + t * d for u, d in zip(x, direction)]),
                )
            if end is not None:
                for t in (end * Q(1001, 1000) * start, end * 2):
                    yield "strictly more outside", lt(model.value + t * price, model.shifted(i, t).value)


ranging_exact.mutant("the range doubled", reach=Q(2), breaks="value inside")
ranging_exact.mutant("the range 5 % longer", reach=Q(21, 20), breaks="value inside")
ranging_exact.mutant("strictly more from 0.95 of the range on", start=Q(19, 20), breaks="strictly more outside")
ranging_exact.mutant("slope 0 on rows with a price", priced=False, breaks="value inside")

COEFFICIENTS = programs(
    "basic coefficients",
    (3, 2),
    where=lambda A, b, c: covering(A) and program(A, b, c).regular,
    accept=0.2,
    quick=12,
    full=100,
)


def same_basis(model: Program, change: Any, sign: int = 1) -> tuple[fmpq, Program]:
    """The step 1/1000 (or -1/1000), halved until the changed program is regular with the same basis; and that program."""
    t = Q(sign, 1000)
    for _ in range(60):
        changed = change(t)
        if changed.regular and changed.basis == model.basis:
            return t, changed
        t /= 2
    raise ArithmeticError(
        "the basis changes for every step down to 2^-60 / 1000, which a nondegenerate optimum forbids"
    )


@PAPER.identity(
    source="sensitivity to a coefficient (Sherman and Morrison's formula), the theory behind the paper's what-if explanations",
    fidelity="derived",
    evidence="certified",
    family=COEFFICIENTS,
    method="the program solved again in exact rationals after a change that keeps the optimal basis; the formula as an identity "
    "of rational functions",
    hypotheses="covering programs whose optimal point and prices are unique and nondegenerate; the change keeps the optimal basis "
    "(recognised by the basis: the step is halved until it does)",
)
def coefficient_what_if(A, b, c, *, curved=True, sign=1, weighted=True, order=1):
    r"""At a unique nondegenerate optimum with basis matrix $B$ of $[A, -I]$, for $x_j$ basic in position $p$ and $|t|$ small enough that the basis stays
    optimal, $$v(A + t E_{ij}) = v - \frac{t\, y_i x_j}{1 + t\beta}, \qquad \beta = (B^{-1})_{pi};$$ for $x_j$ nonbasic $v$ does not change; and
    $v(c + t e_j) = v + t x_j$. Hence $\partial v/\partial A_{ij} = -y_i x_j$ and $\partial v/\partial c_j = x_j$.
    """
    model = program(A, b, c)
    (x,), (y,) = model.solutions, model.shadow_prices
    for j in range(model.n):
        for i, row in enumerate(model.A):
            way = -1 if row[j] > 0 and (i + j) % 2 else 1  # a coefficient 0 only grows
            t, changed = same_basis(model, lambda s, i=i, j=j: model.entry(i, j, s), way)
            if x[j] == 0:
                yield "nonbasic coefficient", eq(changed.value, model.value)
            else:
                beta = model.inverse[model.basis.index(j), i]
                effect = sign * t * y[i] * (x[j] if weighted else 1) / (1 + (t * beta if curved else 0))
                yield "basic coefficient", eq(changed.value, model.value - effect)
        t, changed = same_basis(
            model, lambda s, j=j: model.costs([v + s if k == j else v for k, v in enumerate(model.c)])
        )
        yield "cost", eq(changed.value, model.value + t * x[j] ** order)


@coefficient_what_if.proof(
    "formula",
    covers="all nonsingular bases of size 1, 2 and 3, all b, c and t",
    rests_on=(
        "while the basis stays optimal, v = c_B B^{-1} b",
        "rows and columns may be renamed, so the first row and the last column stand for all",
    ),
)
def _formula(*, curved=True, sign=1, weighted=True):
    import sympy

    t = symbols("t")
    for m in (1, 2, 3):
        B = sympy.Matrix(matrix_symbols("B", m, m))
        b, c = sympy.Matrix(matrix_symbols("b", m, 1)), sympy.Matrix(matrix_symbols("c", m, 1))
        changed = B.copy()
        changed[0, m - 1] += t
        before, after = (M.adjugate() / M.det() for M in (B, changed))
        x, prices = before * b, c.T * before
        factor = x[m - 1] if weighted else 1
        effect = sign * t * prices[0] * factor / (1 + (t * before[m - 1, 0] if curved else 0))
        yield eq((c.T * after * b)[0], (prices * b)[0] - effect)


coefficient_what_if.mutant("first order only: v - t y_i x_j", curved=False, breaks="basic coefficient")
coefficient_what_if.mutant("v + t y_i x_j", sign=-1, breaks="basic coefficient")
coefficient_what_if.mutant("x_j left out", weighted=False, breaks="formula")
coefficient_what_if.mutant("cost: v + t x_j^2", order=2, breaks="cost")
