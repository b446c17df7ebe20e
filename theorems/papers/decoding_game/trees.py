"""The game on the tree of prefixes: backward induction, brute force, and the program over occupancies.

A tree maps each prefix of fewer than T tokens (a tuple) to the model's next-token distribution there, in token order.
Tokens that Nature can empty are never played (they are worth -infinity), so only usable tokens continue a prefix.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from solvers.conic import lp
from solvers.enclosures import precision
from solvers.games import greatest, least, tv_vertices
from theorems.papers.decoding_game.game import GUARD, f, loss

Prefix = tuple[int, ...]
Tree = Mapping[Prefix, tuple[fmpq, ...]]


def tree_of(distributions: tuple[tuple[fmpq, ...], ...], orders: tuple[int, ...], d: int, T: int) -> dict[Prefix, Any]:
    """One distribution a prefix, shortest prefixes first, in the token order numbered by `orders`."""
    prefixes = [x for t in range(T) for x in itertools.product(range(d), repeat=t)]
    permutations = list(itertools.permutations(range(d)))
    return {
        x: tuple(p[j] for j in permutations[order % len(permutations)])
        for x, p, order in zip(prefixes, distributions, orders)
    }


def usable_tokens(p: tuple[fmpq, ...], eps: fmpq) -> list[int]:
    """The tokens that Nature cannot empty."""
    return [i for i, m in enumerate(p) if m > eps]


def played_prefixes(tree: Tree, eps: fmpq) -> list[Prefix]:
    """The prefixes that strategies of finite value can reach, shortest first."""
    return [x for x in tree if all(tree[x[:t]][x[t]] > eps for t in range(len(x)))]


@dataclass(frozen=True)
class Step:
    """The closed form at one prefix with scores log p_i + V(prefix, i): value and strategy over tokens."""

    value: arb
    q: tuple[Any, ...]


def one_step(p: tuple[fmpq, ...], eps: fmpq, bonus: Mapping[int, Any], *, foresight: fmpq | int = 1) -> Step:
    """The one-step closed form with additive bonuses; weights are those of the game without.

    Args:
        p: distribution in token order.
        eps: budget.
        bonus: V(prefix, i) for each usable token.
        foresight: factor of the bonuses in the ordering and the threshold; 0 is play that is optimal step by step.
    """
    tokens = usable_tokens(p, eps)
    score = {i: f(p[i]) + foresight * bonus[i] for i in tokens}
    tokens.sort(key=lambda i: float(score[i].mid()), reverse=True)
    support: list[int] = []
    weight: dict[int, arb] = {}
    for i in tokens:
        weight[i] = 1 / loss(p[i], eps)
        total = sum((weight[j] * (score[j] - score[i]) for j in support), arb(0))
        if total > 1:
            break
        support.append(i)
    W = sum((weight[i] for i in support), arb(0))
    value = (sum((weight[i] * (f(p[i]) + bonus[i]) for i in support), arb(0)) - 1) / W
    return Step(value, tuple(weight[i] / W if i in support else 0 for i in range(len(p))))


def backward_induction(tree: Tree, eps: fmpq, *, foresight: fmpq | int = 1) -> tuple[arb, dict[Prefix, Step]]:
    """Value at the root and the step at each reachable prefix; with foresight 0, of play that is optimal step by step."""
    steps: dict[Prefix, Step] = {}
    for x in reversed(played_prefixes(tree, eps)):
        bonus = {i: steps[*x, i].value if (*x, i) in steps else arb(0) for i in usable_tokens(tree[x], eps)}
        steps[x] = one_step(tree[x], eps, bonus, foresight=foresight)
    return steps[()].value, steps


def nature_by_brute_force(tree: Tree, eps: fmpq, Q: Mapping[Prefix, tuple[fmpq, ...]], *, joint: bool = False) -> arb:
    """The minimum of E_Q sum_t log p(x_t | x_<t) over Nature's vertices at all reached prefixes at once, path by path.

    Args:
        tree: the model.
        eps: the budget.
        Q: a rational strategy on usable tokens, for each prefix that it reaches.
        joint: one budget for the whole tree (a concave payoff: spent at a single prefix).
    """
    T = max(len(x) for x in tree) + 1
    place = {x: n for n, x in enumerate(Q)}
    paths: list[tuple[fmpq, list[tuple[int, int]]]] = []  # chance, and (prefix, token) along the path
    for path in itertools.product(range(len(tree[()])), repeat=T):
        chance = fmpq(1)
        for t, token in enumerate(path):
            chance = chance * Q[path[:t]][token] if chance != 0 else chance
        if chance != 0:
            paths.append((chance, [(place[path[:t]], token) for t, token in enumerate(path)]))
    lists = [[*([tree[x]] if joint else []), *tv_vertices(tree[x], eps)] for x in Q]
    logs = [[[f(m) if m > 0 else arb("-inf") for m in v] for v in vertices] for vertices in lists]
    payoffs = []
    for choice in itertools.product(*(range(len(vertices)) for vertices in lists)):
        if joint and sum(c > 0 for c in choice) > 1:
            continue
        at = [logs[n][c] for n, c in enumerate(choice)]
        payoffs.append(sum((chance * sum((at[n][i] for n, i in steps), arb(0)) for chance, steps in paths), arb(0)))
    return least(payoffs)


def nature_by_prefix(tree: Tree, eps: fmpq, Q: Mapping[Prefix, tuple[fmpq, ...]]) -> arb:
    """sum over prefixes of Q(prefix) times the one-step inner minimum there."""
    total = arb(0)
    for x, q in Q.items():
        reach = fmpq(1)
        for t, token in enumerate(x):
            reach *= Q[x[:t]][token]
        played = [i for i, a in enumerate(q) if a != 0]
        total += reach * least([sum((q[i] * f(v[i]) for i in played), arb(0)) for v in tv_vertices(tree[x], eps)])
    return total


@dataclass(frozen=True)
class Occupancy:
    """Near-optimal rational strategies of both sides of the tree game.

    Attributes:
        mass: Q(prefix, token), a flow from the root.
        mixture: Nature's mixture over the listed vertices, for each prefix.
        vertices: the vertices at each prefix.
    """

    mass: dict[tuple[Prefix, int], fmpq]
    mixture: dict[Prefix, tuple[fmpq, ...]]
    vertices: dict[Prefix, list[tuple[fmpq, ...]]]


def occupancy_program(tree: Tree, eps: fmpq) -> Occupancy:
    """Solve max sum_x z_x, z_x <= sum_i Q(x, i) log v_i for every vertex v at x, over flows Q, with rounded logarithms."""
    prefixes = played_prefixes(tree, eps)
    moves = [(x, i) for x in prefixes for i in usable_tokens(tree[x], eps)]
    index = {move: n for n, move in enumerate(moves)}
    vertices = {x: _distinct(tree[x], eps) for x in prefixes}
    width = len(moves) + len(prefixes)
    above: list[list[Any]] = []
    for n, x in enumerate(prefixes):
        for v in vertices[x]:
            row: list[Any] = [0] * width
            row[len(moves) + n] = 1
            for i in usable_tokens(tree[x], eps):
                row[index[x, i]] = -_rounded_log(v[i])
            above.append(row)
    flow: list[list[Any]] = []
    for x in prefixes:
        row = [0] * width
        for i in usable_tokens(tree[x], eps):
            row[index[x, i]] = 1
        if x:
            row[index[x[:-1], x[-1]]] = -1
        flow.append(row)
    free = [*[(0, None)] * len(moves), *[(None, None)] * len(prefixes)]
    objective = [*[0] * len(moves), *[-1] * len(prefixes)]
    solution = lp(objective, above, [0] * len(above), flow, [1, *[0] * (len(prefixes) - 1)], free)
    if solution.value is None:
        raise ValueError(f"the occupancy program is {solution.status}, but every tree game has a value")
    mixture, at = {}, 0
    for x in prefixes:
        mixture[x] = solution.y_ub[at : at + len(vertices[x])]
        at += len(vertices[x])
    return Occupancy(dict(zip(moves, solution.x)), mixture, vertices)


def occupancy_bounds(tree: Tree, eps: fmpq, found: Occupancy) -> tuple[arb, arb]:
    """What the flow guarantees to the Strategist, and the mixtures to Nature: the value lies between."""
    low = arb(0)
    worth: dict[Prefix, arb] = {}
    for x in reversed(list(found.mixture)):
        tokens = usable_tokens(tree[x], eps)
        logs = [[f(v[i]) for i in tokens] for v in found.vertices[x]]
        low += least([sum((found.mass[x, i] * a for i, a in zip(tokens, row)), arb(0)) for row in logs])
        averages = [sum((y * row[n] for y, row in zip(found.mixture[x], logs)), arb(0)) for n in range(len(tokens))]
        worth[x] = greatest([a + worth.get((*x, i), arb(0)) for i, a in zip(tokens, averages)])
    return low, worth[()]


def _distinct(p: tuple[fmpq, ...], eps: fmpq) -> list[tuple[fmpq, ...]]:
    """Vertices that differ on the usable tokens."""
    tokens = usable_tokens(p, eps)
    return list({tuple(v[i] for i in tokens): v for v in tv_vertices(p, eps)}.values())


def _rounded_log(m: fmpq) -> fmpq:
    with precision(GUARD):
        return fmpq((arb(m).log() * 10**12).mid().floor().unique_fmpz(), 10**12)
