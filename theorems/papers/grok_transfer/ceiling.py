"""Three neurons without biases reach accuracy 3/4 and no more; a one-dimensional embedding reaches 1/2 and no more."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np

from theorems import ByBudget, Choices, Given, Integers, Q, eq, le, symbols
from theorems.papers.grok_transfer.networks import accuracies, accuracy, labels, random_weights, scaled_points
from theorems.papers.grok_transfer.paper import PAPER

MU1, MU2 = (1, 1), (-1, 1)
SEEDS = Integers(0, 10**7)
NOISE = Choices(Q(1, 20), Q(0), Q(1), Q(7, 5))
BATCH = 40
THREE_QUARTERS, HALF = Q(3, 4), Q(1, 2)

# On an orbit {x, -x, x', -x'} (x' flips x_2, y(x) = +1) a neuron is sign(a), its side of (x, -x) and its side of (x', -x').
STATES = tuple(product((1, -1, 0), repeat=3))


def serves(state):
    """The points of the orbit that the neuron can help to classify, as bits: x, -x need a > 0, x' and -x' need a < 0."""
    a, s, t = state
    side = s if a == 1 else t
    return 0 if 0 in (a, side) else 1 << ((0 if a == 1 else 2) + (0 if side == 1 else 1))


NAMED = {
    "three of four directions": ((1, MU1, 0), (1, (-1, -1), 0), (-1, (1, -1), 0)),
    "with noise weights": ((1, (*MU1, 1), 0), (1, (-1, -1, 2), 0), (-1, (1, -1, 0, 3), 0)),
    "four directions": ((1, MU1, 0), (1, (-1, -1), 0), (-1, (1, -1), 0), (-1, MU2, 0)),
    "with a bias": ((1, MU1, 0), (1, (-1, -1), 0), (-1, (0, 0), 1)),
    "zero": ((0, MU1, 0),),
}


@PAPER.bound(
    source="Lemma 3.1",
    fidelity="paper",
    evidence="proved",
    domain={"first": Choices(*STATES)},
    exhaustive=True,
    part="orbits",
    method="orbits: all 3,654 multisets of three neuron states; networks: accuracy on all points in integers, random integer weights near "
    "the extremal network and anywhere",
    rests_on=(
        "the distribution is uniform on orbits {x, -x, x', -x'} with labels y, y, -y, -y, and a neuron without bias is active on at most one "
        "point of a pair (x, -x); y f(x) > 0 needs an active neuron with y a > 0",
        "the extremal network does not look at the noise, so that its accuracy is the same for all p and eps",
    ),
)
def three_neuron_ceiling(first, *, neurons=3, ceiling=THREE_QUARTERS):
    r"""For all $a \in \mathbb{R}^3$, $w_1, w_2, w_3 \in \mathbb{R}^p$, $\varepsilon \ge 0$ and $p \ge 2$: $P(y f(x) > 0) \le \frac34$ for $f(x) = \sum_{j \le 3} a_j\,\mathrm{relu}(\langle w_j, x\rangle)$
    (so $f(x) = 0$ is an error). The bound is attained, for every $p$ and $\varepsilon$.
    """
    masks = [serves(s) for s in STATES]
    shares = []
    for rest in combinations_with_replacement(masks, neurons - 1):
        covered = serves(first)
        for mask in rest:
            covered |= mask
        shares.append(Q(covered.bit_count(), 4))
    return le(shares, ceiling)


@three_neuron_ceiling.crosscheck(
    "named networks",
    domain={
        "network": Choices("three of four directions", "zero", "with noise weights"),
        "p": ByBudget(quick=Integers(2, 5), full=Integers(2, 11)),
        "eps": NOISE,
    },
    every=True,
)
def _named(network, p, eps, *, ceiling=THREE_QUARTERS, ties=False):
    yield "named networks", le(accuracy(p, eps, NAMED[network], ties=ties), ceiling)


@three_neuron_ceiling.check("attained", domain={"p": Integers(2, 7), "eps": NOISE}, exhaustive=True)
def _attained(p, eps, *, ceiling=THREE_QUARTERS):
    yield "attained", eq(accuracy(p, eps, NAMED["three of four directions"]), ceiling)


@three_neuron_ceiling.crosscheck(
    "random networks",
    domain={"p": ByBudget(quick=Integers(2, 7), full=Integers(2, 11)), "eps": NOISE, "seed": SEEDS},
    quick=24,
    full=300,
)
def _random(p, eps, seed, *, ceiling=THREE_QUARTERS):
    """Half of the networks have the signal weights of the extremal one, multiplied by up to 4."""
    x, _ = scaled_points(p, eps)
    W = random_weights(seed, (BATCH, 3, p), 3)
    a = random_weights(seed + 1, (BATCH, 3), 3)
    extremal = np.array([w for _, w, _ in NAMED["three of four directions"]])
    W[::2, :, :2] = extremal * (1 + abs(random_weights(seed + 2, (BATCH // 2, 3, 1), 3)))
    a[::2] = np.array([1, 1, -1]) * (1 + abs(a[::2]))
    yield "random networks", le(accuracies(x, labels(x), W, a, 0 * a), ceiling)


three_neuron_ceiling.mutant("four neurons", neurons=4, breaks="orbits")
three_neuron_ceiling.mutant(
    "four neurons: an explicit network",
    domain={"network": Choices("four directions")},
    on="named networks",
    breaks="named networks",
)
three_neuron_ceiling.mutant(
    "three neurons with biases",
    domain={"network": Choices("with a bias")},
    on="named networks",
    breaks="named networks",
)
three_neuron_ceiling.mutant("f(x) = 0 counts as correct", ties=True, breaks="named networks")
three_neuron_ceiling.mutant("ceiling 1/2", ceiling=Q(1, 2), breaks="orbits")
three_neuron_ceiling.mutant("ceiling 0.74", ceiling=Q(74, 100), breaks="attained")


ONE_DIMENSION = {
    "|z|": ((1, MU1, 0), (1, (-1, -1), 0)),
    "z, which is right on half of a pair": ((1, MU1, 0), (-1, (-1, -1), 0)),
    "-|z| along mu_2": ((-1, MU2, 0), (-1, (1, -1), 0)),
    "two dimensions": NAMED["four directions"],
    "|z| - 1": ((1, MU1, 0), (1, (-1, -1), 0), (-1, (0, 0), 1)),
    "z along e_1": ((1, (1, 0), 0), (-1, (-1, 0), 0)),
}


@PAPER.bound(
    source="remark in the appendix on one-neuron weak models; exact form derived",
    fidelity="derived",
    evidence="proved",
    domain={"p": Integers(2, 6), "eps": NOISE},
    exhaustive=True,
    part="attained",
    method="the nine pairs of signs of f on z > 0 and z < 0, in symbols; accuracy on all points in integers for networks with random integer u, a, v",
    rests_on=(
        "without biases f has a constant sign on z > 0 and on z < 0, and f(0) = 0; z(-x) = -z(x) and y(-x) = y(x), so that P(z > 0, y) = "
        "P(z < 0, y) = P(y, z != 0)/2",
        "the extremal network does not look at the noise, so that its accuracy is the same for all p and eps",
    ),
)
def one_dimensional_embedding_fails(p, eps, *, most=HALF):
    r"""If the target sees only $z = \langle u, x\rangle \in \mathbb{R}$, then $P(y f(z) > 0) \le \frac12$ for every width $m$ and all $a, v \in \mathbb{R}^m$, $u \in \mathbb{R}^p$, $f(z) = \sum_{j \le m}
    a_j\,\mathrm{relu}(v_j z)$. The bound is attained, by $f = |z|$ with $u = (1, 1, 0, \dots)$.
    """
    return eq(accuracy(p, eps, ONE_DIMENSION["|z|"]), most)


@one_dimensional_embedding_fails.proof("signs", covers="all pairs of signs, all P(y = 1, z != 0) and P(y = -1, z != 0)")
def _signs(*, most=HALF, half=HALF):
    """`half` is the largest share of a label that lies on one side of 0, of the label's share in z != 0."""
    plus, minus = symbols("P_plus P_minus", lower=0, upper=HALF)
    share = {1: half * plus, -1: half * minus, 0: 0}
    for right, left in product((1, -1, 0), repeat=2):
        yield le(share[right] + share[left], most)


@one_dimensional_embedding_fails.crosscheck(
    "named networks",
    domain={"network": Choices("|z|", "-|z| along mu_2", "z along e_1"), "p": Integers(2, 5), "eps": NOISE},
    every=True,
)
def _networks(network, p, eps, *, most=HALF, rule="x1 x2"):
    yield "named networks", le(accuracy(p, eps, ONE_DIMENSION[network], rule=rule), most)


@one_dimensional_embedding_fails.crosscheck(
    "random networks",
    domain={
        "p": Integers(2, 6),
        "eps": NOISE,
        "m": Integers(1, 6),
        "seed": SEEDS,
        "u": Given(lambda p, seed: Choices(tuple(random_weights(seed, (p,), 3).tolist()))),
    },
    quick=12,
    full=200,
)
def _one_dimension(p, eps, m, seed, u, *, most=HALF):
    """40 networks on one embedding u."""
    x, _ = scaled_points(p, eps)
    v, a = random_weights(seed + 1, (BATCH, m, 1), 3), random_weights(seed + 2, (BATCH, m), 3)
    yield "random networks", le(accuracies(x, labels(x), v * np.array(u), a, 0 * a), most)


one_dimensional_embedding_fails.mutant(
    "two dimensions", domain={"network": Choices("two dimensions")}, on="named networks", breaks="named networks"
)
one_dimensional_embedding_fails.mutant(
    "one bias", domain={"network": Choices("|z| - 1")}, on="named networks", breaks="named networks"
)
one_dimensional_embedding_fails.mutant("at most 0.49", most=Q(49, 100), breaks="attained")
one_dimensional_embedding_fails.mutant("at most 0.49, on paper", most=Q(49, 100), breaks="signs")
one_dimensional_embedding_fails.mutant("a label that is odd in x", rule="x1", breaks="named networks")
one_dimensional_embedding_fails.mutant("0.51 of a label on one side", half=Q(51, 100), breaks="signs")
