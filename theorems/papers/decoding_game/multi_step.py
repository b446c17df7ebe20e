"""Generation of several tokens: the game on the tree of prefixes decomposes, but play without foresight is not optimal."""

from __future__ import annotations

from flint import arb, fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import Distributions
from theorems.papers.decoding_game.game import CLOSE, at_precision, closed_form, support_size
from theorems.papers.decoding_game.trees import (
    backward_induction,
    nature_by_brute_force,
    nature_by_prefix,
    occupancy_bounds,
    occupancy_program,
    tree_of,
    usable_tokens,
)

BUDGET = Given(lambda r: fmpq(r, 1000))


def prefixes(d, T):
    """The number of prefixes of fewer than T tokens."""
    return sum(d**t for t in range(T))


def tails_everywhere(p, eps):
    """(T) at every prefix: the smallest mass is at most eps and the largest exceeds it."""
    return all(min(m) <= eps < max(m) for m in p)


TREES = PAPER.family(
    "trees",
    shape=Choices((3, 3), (4, 2)),
    r=Integers(40, 120),
    eps=BUDGET,
    p=Given(lambda shape, eps: Arrays(Distributions(shape[0], eps), (prefixes(*shape),))),
    orders=Given(lambda shape: Arrays(Integers(0, 23), (prefixes(*shape),))),
    where=tails_everywhere,
    quick=25,
    full=300,
)


def uneven_tree(certain):
    """Distributions after (), 1, 2, 3: token 1 is likelier, token 2 leads to a more certain continuation."""
    flat = (Q(47, 100), Q(47, 100), Q(6, 100))
    return (Q(50, 100), Q(45, 100), Q(5, 100)), flat, (certain, 1 - certain - Q(1, 200), Q(1, 200)), flat


UNEVEN = PAPER.family(
    "uneven-trees",  # supports at the root that half or twice the bonuses would change
    shape=(3, 2),
    eps=Q(6, 100),
    certain=Choices(Q(60, 100), Q(65, 100), Q(98, 100)),
    p=Given(uneven_tree),
    orders=Choices((0, 0, 0, 0), (0, 1, 0, 2)),
    every=True,
)
TWO_STEPS = PAPER.family(
    "two-steps-with-strategies",
    r=Integers(40, 120),
    eps=BUDGET,
    p=Given(lambda eps: Arrays(Distributions(3, eps), (4,))),
    orders=Arrays(Integers(0, 5), (4,)),
    play=Arrays(Integers(0, 6), (12,)),
    where=lambda p, eps, orders, play: tails_everywhere(p, eps) and strategy(p, eps, orders, play) is not None,
    quick=25,
    full=300,
)
ONE_MODEL = PAPER.family(
    "one-model-at-all-prefixes",
    shape=Choices((3, 3), (4, 2), (3, 4)),
    r=Integers(40, 120),
    eps=BUDGET,
    p=Given(lambda shape, eps: Distributions(shape[0], eps)),
    where=lambda p, eps: p[0] > eps,
    quick=25,
    full=300,
)


def strategy(p, eps, orders, play):
    """Conditionals proportional to `play` on usable tokens, at the prefixes that they reach; None where none is played."""
    tree = tree_of(p, orders, 3, 2)
    Q: dict[tuple[int, ...], tuple[fmpq, ...]] = {}
    for n, x in enumerate(tree):
        if x and (not Q[()][x[0]]):
            continue
        usable = usable_tokens(tree[x], eps)
        weights = [play[3 * n + i] if i in usable else 0 for i in range(3)]
        if sum(weights) == 0:
            return None
        Q[x] = tuple(fmpq(w, sum(weights)) for w in weights)
    return Q


@PAPER.identity(
    source="decomposability of multi-step generation (abstract); statements derived",
    fidelity="derived",
    evidence="certified",
    family=(TREES, UNEVEN),
    part="(ii) backward induction",
    method="backward induction in balls, between the guarantees of two exact strategies of the program in occupancies Q(prefix, token) "
    "over all vertices at all prefixes; (i) by brute force over the product of the vertex lists, path by path",
    hypotheses="(T) at every prefix",
    rests_on="for a fixed strategy the payoff is concave in Nature's conditionals and separable over prefixes, so that its minimum is "
    "attained at vertices",
)
def multi_step_decomposition(shape, eps, p, orders, *, foresight=1):
    r"""In the $T$-step game the players choose conditionals $q(\cdot|x_{<t})$ and $p(\cdot|x_{<t}) \in N(\hat p(\cdot|x_{<t}),
    \epsilon)$ for every prefix; the payoff is $\mathbb{E}_Q \sum_t \log p(x_t|x_{<t})$. (i) For fixed $Q$, Nature's minimum is
    $\sum_x Q(x)$ times the one-step inner minimum at the prefix $x$. (ii) The value is that of backward induction: at each prefix the
    one-step closed form with scores $\log \hat p_i + V(x, i)$ in place of $\log \hat p_i$ and unchanged weights $w_i$. (iii) If $\hat p$ is
    the same at all prefixes, the value is $T V^*$ and one-step play is globally optimal. (iv) In general one-step play is not.
    """
    tree = tree_of(p, orders, *shape)
    found = occupancy_program(tree, eps)
    bounds = at_precision(lambda: occupancy_bounds(tree, eps, found))
    value = at_precision(lambda: backward_induction(tree, eps, foresight=foresight)[0])

    def both():
        (low, high), v = bounds(), value()
        return [low, v, high - low], [v, high, Q(1, 10**9)]

    yield "(ii) backward induction", le(at_precision(both), within=CLOSE)


@multi_step_decomposition.check("(i) Nature's minimum separates", family=TWO_STEPS)
def _separation(eps, p, orders, play, *, joint=False):
    tree = tree_of(p, orders, 3, 2)
    chosen = strategy(p, eps, orders, play)
    brute = at_precision(lambda: nature_by_brute_force(tree, eps, chosen, joint=joint))
    yield (
        "(i) Nature's minimum separates",
        eq(brute, at_precision(lambda: nature_by_prefix(tree, eps, chosen)), within=CLOSE),
    )


@multi_step_decomposition.check("(iii) one model", family=ONE_MODEL)
def _one_model(shape, eps, p, *, steps=None):
    d, T = shape
    tree = tree_of((p,) * prefixes(d, T), (0,) * prefixes(d, T), d, T)
    value = at_precision(lambda: (steps or T) * closed_form(p, eps, support_size(p, eps)).value)
    foresighted = at_precision(lambda: backward_induction(tree, eps)[0])
    local = at_precision(lambda: backward_induction(tree, eps, foresight=0)[0])
    yield "(iii) value T V*", eq(foresighted, value, within=CLOSE)
    yield "(iii) one-step play is optimal", eq(local, value, within=CLOSE)


@multi_step_decomposition.check(
    "(iv) foresight",
    domain={"certain": Choices(Q(98, 100), Q(9, 10), Q(3, 4)), "eps": Choices(Q(6, 100), Q(8, 100), Q(1, 10))},
    every=True,
)
def _foresight(certain, eps, *, loss=0):
    tree = tree_of(uneven_tree(certain), (0,) * 4, 3, 2)
    found = occupancy_program(tree, eps)
    low = at_precision(lambda: occupancy_bounds(tree, eps, found)[0])
    local = at_precision(lambda: backward_induction(tree, eps, foresight=0)[0] + arb(loss))
    yield "(iv) play without foresight is worse", lt(local, low)


multi_step_decomposition.mutant("play without foresight is optimal", foresight=0, breaks="(ii) backward induction")
multi_step_decomposition.mutant(
    "bonuses halved in the ordering and the threshold",
    foresight=Q(1, 2),
    on="uneven-trees",
    breaks="(ii) backward induction",
)
multi_step_decomposition.mutant(
    "bonuses doubled in the ordering and the threshold",
    foresight=2,
    on="uneven-trees",
    breaks="(ii) backward induction",
)
multi_step_decomposition.mutant("one budget for the whole tree", joint=True, breaks="(i) Nature's minimum separates")
multi_step_decomposition.mutant("value 2 V* whatever T", steps=2, breaks="(iii) value T V*")
multi_step_decomposition.mutant(
    "foresight is worth half a nat", loss=Q(1, 2), breaks="(iv) play without foresight is worse"
)
