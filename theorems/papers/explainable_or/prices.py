"""Shadow prices: supporting planes of the optimal value, and the largest impact of an edit."""

from __future__ import annotations

from typing import Any

from theorems import Arrays, Booleans, Choices, Given, Integers, Q, eq, le, matrix_symbols, symbols
from theorems.papers.explainable_or.models import covering, dot, program, programs
from theorems.papers.explainable_or.paper import PAPER

ONE = Q(1)


MOVED = programs(
    "right-hand sides",
    (3, 2),
    step=Given(lambda m: Arrays(Integers(-4, 8), (m,))),
    turn=Given(lambda n: Arrays(Integers(-4, 8), (n,))),
    where=lambda A: covering(A),
    accept=0.5,
    quick=24,
    full=400,
)


@PAPER.bound(
    source="linear programming duality, the theory behind the paper's sensitivity explanations",
    fidelity="derived",
    evidence="certified",
    family=MOVED,
    method="all vertices of the primal and the dual feasible set in exact rationals; weak duality as a polynomial identity",
    hypotheses="covering programs: A >= 0 without a zero row, c >= 1; b' may have entries <= 0",
)
def shadow_price_subgradient(A, b, c, step, turn, *, slope=1, integer=False, equal=False):
    r"""For every optimal dual point $y$ at $b$ and every $b'$, $v(b') \ge v(b) + y \cdot (b' - b)$, and
    $v(b) = \max\{b \cdot y : y \text{ a vertex of } A^\top y \le c,\ y \ge 0\}$. For every optimal $x$ at $c$ and every $c' > 0$,
    $v(c') \le v(c) + x \cdot (c' - c)$.
    """
    model = program(A, b, c)
    moved = model.right([v + int(s) for v, s in zip(model.b, step)])
    before, after = (model.integer_value, moved.integer_value) if integer else (model.value, moved.value)
    change = [int(s) for s in step]
    planes = [before + slope * dot(y, change) for y in model.shadow_prices]
    yield "subgradient", eq(planes, [after] * len(planes)) if equal else le(planes, [after] * len(planes))
    yield "strong duality", eq(model.value, max(dot(model.b, y) for y in model.prices))
    costs = [max(v + int(s), ONE) for v, s in zip(model.c, turn)]
    turned = model.costs(costs)
    planes = [model.value + slope * dot(x, [new - old for new, old in zip(costs, model.c)]) for x in model.solutions]
    yield "supergradient in the costs", le([turned.value] * len(planes), planes)


@shadow_price_subgradient.proof(
    "weak duality",
    covers="all programs with at most 3 variables and 3 rows, all y and x feasible for the dual and for the moved primal",
    rests_on=("v(b) = b.y for an optimal y, so c.x' >= b'.y for every feasible x' says v(b') >= v(b) + y.(b' - b)",),
)
def _weak_duality(*, surplus=1):
    """With c = A^T y + s and A x' = b' + r: c.x' - b'.y = s.x' + y.r."""
    for n, m in ((1, 1), (2, 3), (3, 2), (3, 3)):
        A = matrix_symbols("A", m, n)
        x, s, y, r = (nonnegative(name, size) for name, size in (("x", n), ("s", n), ("y", m), ("r", m)))
        cost = [sum(A[i, j] * y[i] for i in range(m)) + s[j] for j in range(n)]
        right = [sum(A[i, j] * x[j] for j in range(n)) - surplus * r[i] for i in range(m)]
        yield le(sum(b * p for b, p in zip(right, y)), sum(v * q for v, q in zip(cost, x)))


def nonnegative(name: str, size: int) -> tuple[Any, ...]:
    """Symbols name_0, ... that are >= 0."""
    return tuple(symbols(f"{name}_{k}", nonnegative=True) for k in range(size))


shadow_price_subgradient.mutant("v(b) - y.(b' - b)", slope=-1, breaks="subgradient")
shadow_price_subgradient.mutant("a slope 5 % larger", slope=Q(21, 20), breaks="subgradient")
shadow_price_subgradient.mutant(
    "a slope 5 % smaller in the costs", slope=Q(19, 20), breaks="supergradient in the costs"
)
shadow_price_subgradient.mutant("x' feasible for the reversed rows", surplus=-1, breaks="weak duality")
shadow_price_subgradient.mutant(
    "integer variables with the prices of the linear program", integer=True, breaks="subgradient"
)
shadow_price_subgradient.mutant("an equality for all b'", equal=True, breaks="subgradient")

EDITS = programs(
    "edits",
    (3, 2),
    step=Given(lambda m: Arrays(Integers(-12, 12), (m,))),
    dominant=Booleans(),
    amount=Choices(10**4, 59, 5),
    where=lambda A: covering(A),
    accept=0.5,
    quick=30,
    full=400,
)


@PAPER.bound(
    source="the size of an edit bounds its impact; linear programming duality",
    fidelity="derived",
    evidence="certified",
    family=EDITS,
    method="all dual vertices in exact rationals; hard instances raise the row of the largest price until it dominates the "
    "program (ratio above 0.999 for a rise of 10^4)",
    hypotheses="covering programs, b and b' >= 0",
)
def impact_lipschitz(A, b, c, step, dominant, amount, *, constant=ONE, optimal_only=False):
    r"""For all $b, b' \ge 0$, $|v(b') - v(b)| \le \sum_i |b'_i - b_i|\,\bar y_i$ with $\bar y_i$ the largest $y_i$ over the vertices of the dual
    polyhedron: a list of unit edits of right-hand sides changes the optimal value by at most the sum of its entries $\bar y_i$.
    """
    model = program(A, b, c)
    prices = model.shadow_prices if optimal_only else model.prices
    largest = [max(y[i] for y in prices) for i in range(len(model.b))]
    if dominant:
        first = max(range(len(largest)), key=lambda i: max(y[i] for y in model.prices))
        moved = model.shifted(first, Q(amount))
    else:
        moved = model.right([max(v + int(s), Q(0)) for v, s in zip(model.b, step)])
    size = dot([abs(new - old) for new, old in zip(moved.b, model.b)], largest)
    yield "impact", le(abs(moved.value - model.value), constant * size)


impact_lipschitz.mutant("half the constant", constant=Q(1, 2))
impact_lipschitz.mutant("constant 0.99", constant=Q(99, 100))
impact_lipschitz.mutant("prices of the optimum only", optimal_only=True)
