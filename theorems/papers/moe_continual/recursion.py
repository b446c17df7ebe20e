"""The expected error of an expert, for fixed tasks and routes."""

from __future__ import annotations

from theorems import Arrays, Given, Integers, Q, eq, symbols
from theorems.papers.moe_continual.paper import PAPER
from theorems.papers.moe_continual.projections import expected_errors, pool_of, squared_distance

ISOTROPIC = "P_t independent of the past and of the routing, E P_t = (s/d) I (here: uniform coordinate s-subsets)"


@PAPER.identity(
    source="closed-form expert update; the recursion is derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "d": Integers(2, 4),
        "s": Given(lambda d: Integers(1, d)),
        "T": Integers(3, 4),
        "w": Given(lambda d: Arrays(Integers(-5, 5), (3, d))),
        "tasks": Given(lambda T: Arrays(Integers(0, 2), (T,))),
        "route": Given(lambda T: Arrays(Integers(0, 1), (T,))),
    },
    quick=24,
    full=400,
    method="all C(d, s)^T sequences of coordinate subsets, integer vectors, every pair (t, tau); one step also in symbols for every projector in "
    "dimensions 2 and 3",
    hypotheses=ISOTROPIC,
    not_established="features whose projections depend on the task (with a signal column they do)",
)
def expert_recursion(s, w, tasks, route, *, squeezed=False, crossed=True, late=0):
    r"""Experts start at 0; round $i$ with task $n_i$ moves expert $m_i$ by $w \leftarrow (I - P_i) w + P_i w_{n_i}$, $r = 1 - s/d$. Let
    $i_1 < \dots < i_L$ be the rounds up to $t$ that were routed to $m = m_\tau$, and $u = w_{n_\tau}$. Then
    $$\mathbb{E} |w^{(m)}_t - u|^2 = r^L |u|^2 + (1-r) \sum_{j=1}^L r^{L-j} |w_{n_{i_j}} - u|^2.$$
    """
    pool = pool_of(w)
    r = Q(s, len(pool[0])) if squeezed else 1 - Q(s, len(pool[0]))
    measured = expected_errors(pool, tasks, route, s)
    predicted = []
    for t, tau in measured:
        u = pool[tasks[tau - 1]]
        rounds = [i for i in range(t) if route[i] == route[tau - 1]]
        L = len(rounds)
        value = r**L * squared_distance(u, (0,) * len(u))
        if crossed:
            for j, i in enumerate(rounds, 1):
                value += (1 - r) * r ** (L - j + late) * squared_distance(pool[tasks[i]], u)
        predicted.append(value)
    yield "expected errors", eq(list(measured.values()), predicted)


@expert_recursion.proof(
    "one step of any projector",
    covers="symmetric idempotent P of orders 2 and 3, all vectors",
    rests_on=("E a^T P a = (s/d) |a|^2 when E P = (s/d) I and P is independent of a; then induction over the rounds",),
)
def _one_step(*, share=1):
    """|(I - P) a + P b|^2 = |a|^2 - a^T P a + b^T P b."""
    import sympy

    from theorems import matrix_symbols

    for n in (2, 3):
        P = matrix_symbols("p", n, symmetric=True)
        a = sympy.Matrix(symbols(f"a:{n}"))
        b = sympy.Matrix(symbols(f"b:{n}"))
        moved = a - P * a + P * b
        square = a.dot(a) - a.dot(P * a) + share * b.dot(P * b)
        idempotent = list(P * P - P)
        witness = {P[i, j]: int(i == j == 0) for i in range(n) for j in range(n)}
        witness |= {x: 1 + i for i, x in enumerate([*a, *b])}
        yield "one step of any projector", eq(moved.dot(moved), square, modulo=idempotent, witness=witness)


expert_recursion.mutant("r = s/d", squeezed=True, breaks="expected errors")
expert_recursion.mutant("no sum over the other tasks", crossed=False, breaks="expected errors")
expert_recursion.mutant("weights r^(L-j+1)", late=1, breaks="expected errors")
expert_recursion.mutant("b^T P b counted twice in one step", share=2, breaks="one step of any projector")
