"""From maximisation to cover: guesses of the optimal size, a fair subroutine, completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.submodular import (
    Coverage,
    FairnessMatroid,
    completed,
    continuous_greedy,
    counts_of,
    filled_up,
    greedy,
    pipage,
)
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le, shared, symbols
from theorems.papers.fair_submodular_cover.paper import PAPER

D = 4  # a common denominator of the proportions
ALPHA = Q(1, 2)
DELTA = Q(1, 4)


@dataclass(frozen=True)
class Cover:
    """Minimise |S| subject to f(S) >= tau and p_c |S| <= |S n U_c| <= q_c |S|.

    Attributes:
        f, group: the function and the group of each element.
        p, q: proportions with denominators that divide D.
        tau: the required value.
        optimal: a smallest solution.
    """

    f: Coverage
    group: tuple[int, ...]
    p: tuple[fmpq, ...]
    q: tuple[fmpq, ...]
    tau: fmpq
    optimal: tuple[int, ...]


def _shuffled(rows: Sequence[Mapping[int, Any]], group: Sequence[int], planted: Sequence[int], order: Sequence[int]):
    """Elements in the order of some random numbers (ties by place)."""
    places = sorted(range(len(rows)), key=lambda e: (order[e % len(order)] * (2 * e + 1) % 10007, e))
    where = {e: i for i, e in enumerate(places)}
    return [rows[e] for e in places], [group[e] for e in places], tuple(sorted(where[e] for e in planted))


def _some_items(items: int, w: int, order: Sequence[int], e: int) -> dict[int, int]:
    """At most w items that depend on random numbers."""
    return {order[(5 * e + j) % len(order)] * (e + 2 * j + 1) % items: 1 for j in range(w)}


def guesses(largest: int) -> list[int]:
    """kappa_1 = D, kappa_{g+1} = max(kappa_g + D, D ceil((1 + alpha) kappa_g / D)), up to the first that is at least `largest`."""
    found = [D]
    while found[-1] < largest:
        grown = (1 + ALPHA) * found[-1] / D
        found.append(max(found[-1] + D, D * int(grown.ceil())))
    return found


@shared
def planted(multiple: int, w: int, beta: int, order: tuple[int, ...]) -> Cover:
    """k0 = D multiple fair elements with w private items each; every other element covers at most w items; tau = k0 w."""
    k0 = D * multiple
    p, q = (Q(1, 4), Q(1, 4)), (Q(3, 4), Q(3, 4))
    share = [k0 // 4, k0 - k0 // 4]
    reach = guesses(k0)[-1]
    rows: list[Mapping[int, Any]] = []
    group: list[int] = []
    for c in (0, 1):
        for j in range(share[c]):
            first = w * (j + c * share[0])
            rows.append({first + i: 1 for i in range(w)})
            group.append(c)
    optimal = list(range(k0))
    for c in (0, 1):
        for _ in range(int((beta * q[c] * reach).p) - share[c]):  # |U_c| >= beta q_c kappa*
            rows.append(_some_items(k0 * w, w, order, len(rows)))
            group.append(c)
    rows, group, best = _shuffled(rows, group, optimal, order)
    return Cover(Coverage.of([1] * (k0 * w), rows), tuple(group), p, q, Q(k0 * w), best)


@shared
def dead_group(multiple: int, w: int, beta: int, order: tuple[int, ...]) -> Cover:
    """Group 1 is worthless; group 0 has 3 k0/4 elements with w private items and others with at most w; tau = 3 k0 w/4."""
    k0 = D * multiple
    p, q = (Q(1, 4), Q(1, 4)), (Q(3, 4), Q(3, 4))
    useful = 3 * k0 // 4
    reach = guesses(k0)[-1]
    rows: list[Mapping[int, Any]] = [{w * j + i: 1 for i in range(w)} for j in range(useful)]
    room = int((beta * q[0] * reach).p)
    rows += [_some_items(useful * w, w, order, e) for e in range(useful, room)]
    group = [0] * room + [1] * room
    optimal = [*range(useful), *range(room, room + k0 - useful)]
    rows += [{}] * room
    rows, group, best = _shuffled(rows, group, optimal, order)
    return Cover(Coverage.of([1] * (useful * w), rows), tuple(group), p, q, Q(useful * w), best)


KINDS = {"planted": planted, "dead group": dead_group}


def subroutine(name: str, beta: int) -> fmpq:
    """gamma of the subroutine."""
    if name == "greedy":
        return Q(beta, 1 + beta)
    return 1 - 1 / (1 + DELTA) ** int((beta / DELTA).p)


def solution(cover: Cover, matroid: FairnessMatroid, name: str, beta: int, complete: bool) -> list[int]:
    """What the subroutine returns for one guess, completed to a base."""
    extended = matroid.scaled(beta)
    if name == "greedy":
        S = greedy(cover.f, cover.group, extended, positive=not complete)
    else:
        x = continuous_greedy(cover.f, cover.group, matroid, beta, DELTA)
        S, _ = pipage(cover.f, filled_up(x, cover.group, extended), cover.group)
    return completed(S, cover.group, extended) if complete else S


def convert(cover: Cover, name: str, beta: int, gamma: fmpq, complete: bool, limit: int) -> tuple[int, list[int]]:
    """The first guess at which the completed solution has value gamma tau (or the first beyond the limit), and the solution."""
    for kappa in guesses(limit):
        lower = tuple(int((p * kappa).p) for p in cover.p)
        upper = tuple(int((q * kappa).p) for q in cover.q)
        S = solution(cover, FairnessMatroid(lower, upper, kappa), name, beta, complete)
        if cover.f.value(S) >= gamma * cover.tau:
            return kappa, S
    return limit + D, S


COVERS = PAPER.family(
    "covers",
    kind=Choices(*KINDS),
    multiple=ByBudget(quick=Integers(1, 2), full=Choices(1, 2, 3, 4)),
    w=Choices(2, 3),
    beta=Integers(1, 2),
    algorithm=Choices("greedy", "continuous"),
    order=Given(lambda: Arrays(Integers(0, 10**4), (40,))),
    quick=40,
    full=400,
)


@PAPER.construction(
    source="theorem on convert-fair: (gamma, beta) for maximisation gives ((1 + alpha) beta, gamma) for cover",
    fidelity="paper",
    evidence="certified",
    family=COVERS,
    part="size",
    method="the whole algorithm in exact arithmetic on instances whose optimal size is known without search; the feasibility of an optimal "
    "cover at larger guesses by proofs",
    hypotheses="guesses are multiples of D, a common denominator of all p_c and q_c; |U_c| >= beta q_c kappa* for all c; sum p_c <= 1 <= sum q_c",
    rests_on=(
        "a planted cover is smallest: f(S) <= w |S|, and with a dead group f(S) <= w |S n U_0| <= w q_0 |S|; so f(S) >= tau needs "
        "tau/w or tau/(w q_0) elements",
    ),
    not_established="instances on which the optimal size is not a multiple of D",
)
def convert_fair(kind, multiple, w, beta, algorithm, order, *, complete=True, gamma=None, relaxed=True):
    r"""Let a subroutine return, for the fairness matroid of every guess $\kappa$ with $l_c = p_c\kappa$, $u_c = q_c\kappa$, a set in its
    $\beta$-extension with at least $\gamma$ times the optimal value. Let $\kappa^*$ be the first guess $\ge |\mathrm{OPT}|$ and
    $|U_c| \ge \beta q_c \kappa^*$. The algorithm, which completes each set to a base and stops at $f(S) \ge \gamma\tau$, returns at a
    guess $\kappa \le \kappa^*$ a set $S$ with $|S| = \beta\kappa$, $p_c|S| \le |S \cap U_c| \le q_c|S|$ for all $c$ and
    $f(S) \ge \gamma\tau$; hence $|S| \le \beta\kappa^* \le (1 + \alpha)\beta\,|\mathrm{OPT}|$ on a geometric grid of guesses.
    """
    cover = KINDS[kind](multiple, w, beta, order)
    k0 = len(cover.optimal)
    optimal_counts = counts_of(cover.optimal, cover.group, 2)
    # the planted cover is feasible and smallest: no element is worth more than w, and in a dead group nothing is
    worth = [w if kind == "planted" or c == 0 else 0 for c in cover.group]
    yield "planted cover", eq(cover.f.value(cover.optimal), cover.tau)
    yield "planted cover is fair", fairness(cover, optimal_counts)
    yield "worth of elements", le([cover.f.value([e]) for e in range(cover.f.size)], worth)
    needed = cover.tau / w if kind == "planted" else cover.tau / w / cover.q[0]
    yield "no smaller cover", le(k0, needed)

    largest = guesses(k0)[-1]
    target = subroutine(algorithm, beta) if gamma is None else gamma
    kappa, S = convert(cover, algorithm, beta, target, complete, largest)
    yield "guess", le(kappa, largest)
    yield "value", le(target * cover.tau, cover.f.value(S))
    yield "fair", fairness(cover, counts_of(S, cover.group, 2))
    yield "size", eq(len(S), beta * kappa)
    yield "size bound", le(len(S), beta * largest if relaxed else largest)
    yield "bicriteria", le(len(S), (1 + ALPHA) * beta * k0)


def fairness(cover: Cover, counts: Sequence[int]):
    """p_c |S| <= |S n U_c| <= q_c |S| for all c, as sides of inequalities."""
    size = sum(counts)
    return le((*(p * size for p in cover.p), *counts), (*counts, *(q * size for q in cover.q)))


@convert_fair.proof(
    "an optimal cover stays feasible",
    covers="all kappa >= |OPT|, all proportions and counts",
    rests_on=(
        "write |OPT n U_c| = p_c |OPT| + x_c with x_c >= 0 and sum x_c = |OPT| (1 - sum p_c); the terms of "
        "sum_c max(|OPT n U_c|, p_c kappa) are bounded one by one, so that OPT is in M_fair(kappa) and its optimal value is >= tau",
        "completion cannot lower the value of a monotone function",
    ),
)
def _stays_feasible(*, slack=1):
    p, q, x, total = symbols("p q x P", nonnegative=True)
    size, more = symbols("OPT more", positive=True)
    kappa = size + more
    yield "upper bound", le(q * size, q * kappa)
    yield "terms: |OPT n U_c|", le(p * size + x, p * kappa + x)
    yield "terms: p_c kappa", le(p * kappa, p * kappa + x)
    yield "sum of the terms", le(slack * (kappa * total + size * (1 - total)), kappa, given=[1 - total])


convert_fair.mutant("no completion", complete=False, domain={"kind": Choices("dead group")}, breaks="fair")
convert_fair.mutant("size at most kappa*, without beta", relaxed=False, breaks="size bound")
convert_fair.mutant(
    "gamma = 1",
    gamma=Q(1),
    domain={"kind": Choices("planted"), "multiple": Choices(1), "w": Choices(3), "beta": Choices(1)},
    breaks="guess",
)
convert_fair.mutant("sum of the terms 1 % larger", slack=Q(101, 100), breaks="sum of the terms")
