"""Around a nondegenerate optimum: the exact range of a shadow price, and the exact effect of a coefficient."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, lt, matrix_symbols, symbols
from theorems.papers.explainable_or.models import Program, covering, program
from theorems.papers.explainable_or.paper import PAPER

ONE = Q(1)
FAR = Q(100)


def regular_programs(name: str, sizes: Any, **options: Any) -> Any:
    """Covering programs with a unique nondegenerate optimum."""
    return PAPER.family(
        name,
        n=Choices(*sizes),
        m=Choices(*sizes),
        A=Given(lambda n, m: Arrays(Integers(0, 5), (m, n))),
        b=Given(lambda m: Arrays(Integers(1, 12), (m,))),
        c=Given(lambda n: Arrays(Integers(1, 8), (n,))),
        **options,
    )


RANGED = regular_programs(
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

COEFFICIENTS = regular_programs(
    "basic coefficients",
    (3, 2),
    where=lambda A, b, c: covering(A) and program(A, b, c).regular and bool(pairs(program(A, b, c))),
    accept=0.1,
    quick=12,
    full=100,
)


def pairs(model: Program) -> list[tuple[int, int]]:
    """Coefficients A_ij > 0 with a priced row and a basic x_j other than 1."""
    (x,), (y,) = model.solutions, model.shadow_prices
    return [
        (i, j)
        for i, row in enumerate(model.A)
        for j in range(model.n)
        if y[i] > 0 and row[j] > 0 and x[j] > 0 and x[j] != 1
    ]


def same_basis(model: Program, change: Any) -> tuple[fmpq, Program]:
    """The step 1/1000, halved until the changed program is regular with the same basis; and that program."""
    t = Q(1, 1000)
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
    $v(c + t e_j) = v + t x_j$. Hence $\partial v/\partial A_{ij} = -y_i x_j$, $\partial v/\partial b_i = y_i$, $\partial v/\partial c_j = x_j$.
    """
    model = program(A, b, c)
    (x,), (y,) = model.solutions, model.shadow_prices
    for i, j in pairs(model):
        t, changed = same_basis(model, lambda s, i=i, j=j: model.entry(i, j, s))
        beta = model.inverse[model.basis.index(j), i]
        effect = sign * t * y[i] * (x[j] if weighted else 1) / (1 + (t * beta if curved else 0))
        yield "basic coefficient", eq(changed.value, model.value - effect)
    for j in range(model.n):
        if x[j] == 0:
            _, changed = same_basis(model, lambda s, j=j: model.entry(0, j, s))
            yield "nonbasic coefficient", eq(changed.value, model.value)
        t, changed = same_basis(
            model, lambda s, j=j: model.costs([v + s if k == j else v for k, v in enumerate(model.c)])
        )
        yield "cost", eq(changed.value, model.value + t * x[j] ** order)


@coefficient_what_if.proof(
    "formula",
    covers="all nonsingular bases of size 1, 2 and 3, all b, c and t",
    rests_on=("while the basis stays optimal, v = c_B B^{-1} b",),
)
def _formula(*, curved=True, sign=1, weighted=True):
    import sympy

    t = symbols("t")
    for m in (1, 2, 3):
        B = sympy.Matrix(matrix_symbols("B", m, m))
        b, c = sympy.Matrix(matrix_symbols("b", m, 1)), sympy.Matrix(matrix_symbols("c", m, 1))
        changed = B.copy()
        changed[0, m - 1] += t
        before = [value_of(B, b, c, k) for k in ("v", "y", "x", "beta")]
        v, y, x, beta = before
        effect = sign * t * y * (x if weighted else 1) / (1 + (t * beta if curved else 0))
        yield eq(value_of(changed, b, c, "v"), v - effect)


def value_of(B: Any, b: Any, c: Any, what: str) -> Any:
    """c.B^{-1} b, the first price, the last basic variable, or the last entry of B^{-1} e_1, by adjugates."""
    m = B.shape[0]
    solve = B.adjugate() / B.det()
    return {
        "v": lambda: dot_of(c, solve * b),
        "y": lambda: sum(c[k] * solve[k, 0] for k in range(m)),
        "x": lambda: (solve * b)[m - 1],
        "beta": lambda: solve[m - 1, 0],
    }[what]()


def dot_of(x: Any, y: Any) -> Any:
    """x . y for columns."""
    return sum(x[k] * y[k] for k in range(x.shape[0]))


coefficient_what_if.mutant("first order only: v - t y_i x_j", curved=False, breaks=("basic coefficient", "formula"))
coefficient_what_if.mutant("v + t y_i x_j", sign=-1, breaks=("basic coefficient", "formula"))
coefficient_what_if.mutant("x_j left out", weighted=False, breaks=("basic coefficient", "formula"))
coefficient_what_if.mutant("cost: v + t x_j^2", order=2, breaks="cost")
