r"""Experts under random coordinate projections, enumerated: exact expected errors, forgetting and generalisation.

A round with the coordinates S turns the chosen expert w into w with w_S replaced by the task's coordinates: the minimum-norm fit of
a batch whose columns are the unit vectors of S. With S uniform among the s-subsets of d coordinates, E P = (s/d) I.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from flint import fmpq, fmpz_mat

from theorems import Q

Vector = tuple[int, ...]
Route = Callable[[tuple[int, ...]], Iterable[tuple[int, ...]]]


def pool_of(w: fmpz_mat) -> tuple[Vector, ...]:
    """The rows of a matrix: the ground truths."""
    return tuple(tuple(int(e) for e in row) for row in w.tolist())


def squared_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """|a - b|^2."""
    return sum((x - y) ** 2 for x, y in zip(a, b))


def mean_square(pool: Sequence[Vector]) -> fmpq:
    """Wbar: the mean of |w_n|^2."""
    return Q(sum(x * x for w in pool for x in w), len(pool))


def model_gap(pool: Sequence[Vector]) -> fmpq:
    """D: the mean of |w_n - w_n'|^2 over all pairs, equal ones included."""
    return Q(sum(squared_distance(a, b) for a in pool for b in pool), len(pool) ** 2)


def expected_errors(
    pool: Sequence[Vector], tasks: Sequence[int], route: Sequence[int], s: int
) -> dict[tuple[int, int], fmpq]:
    """E |w_t^{(m_tau)} - w_{n_tau}|^2 for 1 <= tau <= t <= T, over all sequences of subsets of size s.

    Args:
        pool: ground truths.
        tasks: n_1, ..., n_T as indices into the pool.
        route: m_1, ..., m_T.
        s: coordinates that a round fits.
    """
    T, d = len(tasks), len(pool[0])
    subsets = [tuple(i in S for i in range(d)) for S in combinations(range(d), s)]
    totals = {(t, tau): 0 for t in range(1, T + 1) for tau in range(1, t + 1)}

    def visit(t: int, experts: dict[int, Vector]) -> None:
        target, m = pool[tasks[t - 1]], route[t - 1]
        for S in subsets:
            moved = tuple(b if inside else a for inside, a, b in zip(S, experts[m], target))
            now = {**experts, m: moved}
            for tau in range(1, t + 1):
                totals[t, tau] += squared_distance(now[route[tau - 1]], pool[tasks[tau - 1]])
            if t < T:
                visit(t + 1, now)

    visit(1, dict.fromkeys(route, (0,) * d))
    return {(t, tau): Q(total, len(subsets) ** t) for (t, tau), total in totals.items()}


@dataclass(frozen=True)
class Averages:
    """Expected forgetting F_t (2 <= t <= T) and generalisation error G_t (1 <= t <= T) over tasks, routes and projections."""

    forgetting: dict[int, fmpq]
    generalisation: dict[int, fmpq]


def averages(pool: Sequence[Vector], s: int, T: int, routes: Route) -> Averages:
    """Average over all N^T task sequences, and over the routes of each.

    Args:
        pool: ground truths.
        s: coordinates that a round fits.
        T: rounds.
        routes: task sequence -> equally likely routes.
    """
    F = dict.fromkeys(range(2, T + 1), Q(0))
    G = dict.fromkeys(range(1, T + 1), Q(0))
    count = 0
    for tasks in product(range(len(pool)), repeat=T):
        for route in routes(tasks):
            count += 1
            e = expected_errors(pool, tasks, route, s)
            for t in range(1, T + 1):
                G[t] += sum((e[t, tau] for tau in range(1, t + 1)), Q(0)) / t
                if t > 1:
                    F[t] += sum((e[t, tau] - e[tau, tau] for tau in range(1, t)), Q(0)) / (t - 1)
    return Averages({t: x / count for t, x in F.items()}, {t: x / count for t, x in G.items()})


def one_expert(tasks: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every round to the same expert."""
    return [(0,) * len(tasks)]


def own_expert(tasks: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Task n to expert n."""
    return [tasks]


def any_of(M: int) -> Route:
    """All routes to M experts."""
    return lambda tasks: product(range(M), repeat=len(tasks))
