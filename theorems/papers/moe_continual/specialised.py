"""Experts that see one task do not forget it; routing that becomes correct leaves a forgetting of order 1/t."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpq_mat

from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, curve, eq, le, lt, matrix_symbols, slope, symbols
from theorems.papers.moe_continual.paper import PAPER
from theorems.papers.moe_continual.projections import (
    any_of,
    averages,
    mean_square,
    model_gap,
    pool_of,
    squared_distance,
)
from theorems.papers.moe_continual.recursion import ISOTROPIC

DIMENSION, ROUNDS = 8, 6


def batch(X, t):
    """The features of round t: rows 8 t, ..., 8 t + 7 of X."""
    rows = X.tolist()[DIMENSION * t : DIMENSION * (t + 1)]
    return fmpq_mat([[Q(e) for e in row] for row in rows])


def independent(X):
    """Whether every batch has independent columns."""
    return all(batch(X, t).rank() == X.ncols() for t in range(ROUNDS))


def fitted(w, u, X, step=1):
    """w + step X (X^T X)^{-1} (X^T u - X^T w)."""
    Xt = X.transpose()
    return w + step * X * (Xt * X).solve(Xt * (u - w))


def norms(column):
    """|column|^2."""
    return sum((e * e for e in column.entries()), Q(0))


@PAPER.bound(
    source="forgetting of experts that specialise",
    fidelity="derived",
    evidence="certified",
    domain={
        "s": Integers(1, DIMENSION - 1),
        "X": Given(lambda s: Arrays(Integers(-3, 3), (DIMENSION * ROUNDS, s))),
        "u": Arrays(Integers(-5, 5), (DIMENSION,)),
        "again": Choices(False, True),
    },
    where=independent,
    quick=8,
    full=150,
    part="pathwise",
    method="least changes with rational features in exact arithmetic (a batch that comes twice changes nothing: equality); projectors in symbols; "
    "expected errors in balls along given task sequences",
    hypotheses=f"(a) any features with independent columns; (b), (c) {ISOTROPIC}; labels without noise; (b) is looked at for N = M = 2, T_1 = 10 (full: also 40), "
    "two nonzero tasks with an inner product <= 0 that both come often; exponent and sign where the first T_1 routes are all wrong",
    rests_on=("(b): the recursion of expert-recursion, E over the projections for fixed tasks and routes",),
    not_established="labels with noise, where a specialised expert can forget; (b) for other numbers of tasks and experts, and on average over the tasks",
)
def specialised_experts_do_not_forget(s, X, u, again, *, step=1):
    r"""(a) Pathwise, for any features: an expert fed by task $n$ alone has nonincreasing $|w_t - w_n|$, so that its terms of $F_t$ are at most 0.
    (b) Under isotropic projections, if routing is arbitrary for $T_1$ rounds and sends each task to its own expert afterwards,
    $(t-1)\, \mathbb{E} F_t$ converges: $\mathbb{E} F_t = \Theta(1/t)$, unless the limit is 0.
    (c) With permanently random routing to $M$ experts (one expert: $M = 1$), $\rho = 1 - \frac{1-r}M$,
    $$\mathbb{E} F_t = \frac1{t-1}\sum_{\tau<t} (1 - \rho^{t-\tau})\bigl[(1 - r + r\rho^{\tau-1}) D - r\rho^{\tau-1} \bar W\bigr] \to (1-r) D,$$ which is positive when the tasks differ and $r < 1$.
    """
    target = fmpq_mat(DIMENSION, 1, [Q(e) for e in u])
    w = fmpq_mat(DIMENSION, 1)
    errors = [norms(target)]
    for t in range(ROUNDS):
        w = fitted(w, target, batch(X, 0 if again and t == 1 else t), step)
        errors.append(norms(w - target))
    yield "errors do not grow", le(errors[1:], errors[:-1])


@specialised_experts_do_not_forget.proof("projectors", covers="symmetric idempotent P of orders 2 and 3, all vectors")
def _projectors(*, step=1):
    """|a|^2 - |(I - P) a|^2 = |P a|^2 >= 0."""
    import sympy

    for n in (2, 3):
        P = matrix_symbols("p", n, symmetric=True)
        a = sympy.Matrix(symbols(f"a:{n}"))
        moved, learned = a - step * P * a, P * a
        witness = {P[i, j]: int(i == j == 0) for i in range(n) for j in range(n)} | {x: 1 + i for i, x in enumerate(a)}
        yield (
            "projectors",
            eq(a.dot(a) - moved.dot(moved), learned.dot(learned), modulo=list(P * P - P), witness=witness),
        )


CHECKPOINTS = (80, 160, 320, 640)
BLOCKS = (15, 30, 60)  # how often each task comes in (T_1, 80], (80, 160], (160, 320], at least
PATHS = PAPER.family(
    "correct-from-some-round-on",
    early=ByBudget(quick=Choices(10), full=Choices(10, 40)),
    r=Choices(Q(3, 5), Q(1, 3)),
    w=Arrays(Integers(-5, 5), (2, 4)),
    tasks=Arrays(Integers(0, 1), (CHECKPOINTS[-1],)),
    route=Arrays(Integers(0, 1), (CHECKPOINTS[-1],)),
    where=lambda early, w, tasks: obtuse(w) and frequent(tasks, early),
    quick=4,
    full=60,
)


def obtuse(w):
    """Both tasks are nonzero, with an inner product <= 0."""
    a, b = pool_of(w)
    return any(a) and any(b) and sum(x * y for x, y in zip(a, b)) <= 0


def frequent(tasks, early):
    """Each task comes often enough in each block."""
    starts = (early, *CHECKPOINTS)
    return all(least <= sum(tasks[i:j]) <= j - i - least for i, j, least in zip(starts, CHECKPOINTS, BLOCKS))


def total_forgetting(pool, r: arb, tasks: Sequence[int], route: Sequence[int]) -> list[arb]:
    """(t - 1) E F_t at the checkpoints, for fixed tasks and routes, by e <- r e + (1 - r) |w_{n_t} - w_n|^2."""
    N = len(pool)
    apart = [[arb(squared_distance(a, b)) for b in pool] for a in pool]
    start = [arb(squared_distance(a, [0] * len(a))) for a in pool]
    errors = {m: list(start) for m in set(route)}
    learned = {(m, n): (0, arb(0)) for m in errors for n in range(N)}  # rounds so far, and the sum of their errors then
    found = []
    for t, (n, m) in enumerate(zip(tasks, route), 1):
        errors[m] = [r * e + (1 - r) * apart[n][k] for k, e in enumerate(errors[m])]
        if t in CHECKPOINTS:
            found.append(sum((count * errors[k][j] - total for (k, j), (count, total) in learned.items()), arb(0)))
        count, total = learned[m, n]
        learned[m, n] = (count + 1, total + errors[m][n])
    return found


@specialised_experts_do_not_forget.check("correct from some round on", family=PATHS)
def _correct_later(early, r, w, tasks, route, *, routing="correct", exponent=-1):
    """Arbitrary routes for `early` rounds, and routes that are all wrong for so long, whose total tends to something positive."""
    pool = pool_of(w)

    def totals(first):
        taken = {"correct": [*first, *tasks[early:]], "random": route, "one expert": [0] * len(tasks)}[routing]
        return total_forgetting(pool, arb(r), tasks, taken)

    def change():
        *_, before, last = totals(route[:early])
        return abs(last - before)

    def means():
        return [total / n for total, n in zip(totals(wrong), sizes)]

    yield "the total converges", le(change, Q(1, 10**6))
    wrong, sizes = [1 - n for n in tasks[:early]], [t - 1 for t in CHECKPOINTS]
    yield "the total is positive", lt(0, lambda: totals(wrong))
    yield "exponent", slope(sizes, means, exponent, within=Q(1, 10))
    yield curve("Forgetting when routing becomes correct", sizes, means(), mark="dots", axes=("t", "E F"))


def forgetting_at_random(t, r, W, D, M, *, busy=False):
    """E F_t with M experts and random routing."""
    rho = r if busy else 1 - (1 - r) / M
    terms = [
        (1 - rho ** (t - tau)) * ((1 - r + r * rho ** (tau - 1)) * D - r * rho ** (tau - 1) * W) for tau in range(1, t)
    ]
    return sum(terms[1:], terms[0]) / (t - 1)


@specialised_experts_do_not_forget.check(
    "random routing",
    domain={
        "size": ByBudget(
            quick=Choices((3, 1, 3, 2, 2), (2, 1, 4, 2, 1)),
            full=Choices((3, 1, 3, 2, 2), (2, 1, 4, 2, 1), (2, 1, 4, 2, 2), (3, 2, 3, 2, 3)),
        ),
        "w": Given(lambda size: Arrays(Integers(-5, 5), (size[3], size[0]))),
    },
    quick=4,
    full=30,
)
def _at_random(size, w, *, busy=False):
    """(d, s, T, N, M) = `size`; all tasks, routes and projections."""
    d, s, T, _, M = size
    pool, r = pool_of(w), 1 - Q(s, d)
    measured = averages(pool, s, T, any_of(M)).forgetting
    W, D = mean_square(pool), model_gap(pool)
    yield (
        "random routing",
        eq(list(measured.values()), [forgetting_at_random(t, r, W, D, M, busy=busy) for t in measured]),
    )


@specialised_experts_do_not_forget.check(
    "random routing in the limit", domain={"r": Choices(Q(3, 5), Q(1, 3)), "M": Choices(1, 2, 4)}, every=True
)
def _random_limit(r, M, *, share=1):
    """t |E F_t - (1 - r) D| <= 4 M/(1 - r) with D = Wbar = 1."""
    times = (100, 400, 1600)

    def distances():
        return [abs(forgetting_at_random(t, arb(r), arb(1), arb(1), M) - share * arb(1 - r)) * t for t in times]

    yield "limit of random routing", le(distances, Q(4 * M) / (1 - r))


specialised_experts_do_not_forget.mutant("step 2.5 times the least change", step=Q(5, 2), breaks="errors do not grow")
specialised_experts_do_not_forget.mutant(
    "step 2.05 times the least change", step=Q(41, 20), breaks="errors do not grow"
)
specialised_experts_do_not_forget.mutant(
    "step 2.05 times the least change, in symbols", step=Fraction(41, 20), breaks="projectors"
)
specialised_experts_do_not_forget.mutant(
    "random routing for ever", routing="random", breaks=("exponent", "the total is positive")
)
specialised_experts_do_not_forget.mutant(
    "a single expert", routing="one expert", breaks=("exponent", "the total is positive")
)
specialised_experts_do_not_forget.mutant(
    "random routing for ever: the total", routing="random", breaks="the total converges"
)
specialised_experts_do_not_forget.mutant("exponent -6/5", exponent=Q(-6, 5), breaks="exponent")
specialised_experts_do_not_forget.mutant("each round updates each expert", busy=True, breaks="random routing")
specialised_experts_do_not_forget.mutant(
    "limit of random routing 10 % larger", share=Q(11, 10), breaks="limit of random routing"
)
