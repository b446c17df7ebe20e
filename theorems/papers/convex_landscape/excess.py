"""The excess loss of any network over the optimum is a sum of non-negative brackets."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.certificates.relu import Neuron, network_value
from solvers.enclosures import precision
from solvers.relu.enclosure import approximate
from solvers.relu.working_set import solve
from theorems import Arrays, Choices, Given, Q, Rationals, eq, le, symbols
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import (
    BITS,
    UNDECIDED,
    balls,
    decided,
    degenerate_problems,
    dot,
    dual_optimum,
    features,
    named_problems,
    norm,
    problem,
    solved,
    total,
    training_problems,
)
from theorems.papers.convex_landscape.value import BETAS, CLOSE, HALF, SIZES

KINDS_OF_NETWORK = Choices("rounded optimum", "optimum", 1, 2, 5)
WEIGHTS = Rationals(-3, 3, denominator=16)


def networks(columns):
    """Weights of up to five random neurons, one a row: w, then a."""
    return Arrays(WEIGHTS, (5, columns + 1))


RANDOM = training_problems(
    "networks",
    SIZES,
    BETAS,
    30,
    1200,
    m=KINDS_OF_NETWORK,
    theta=Given(lambda size, bias: networks(size[1] + bias)),
    where=decided,
)
DEGENERATE = degenerate_problems(
    "networks-on-degenerate-data", 10, 300, m=KINDS_OF_NETWORK, theta=Given(lambda d: networks(d))
)
NAMED_DATA = named_problems(
    "networks-on-named-problems",
    m=KINDS_OF_NETWORK,
    theta=Given(lambda X: networks(X.ncols())),
    quick=15,
    full=60,
)


def network(given, m, theta):
    """A random network of m neurons, or the optimal network, exact or rounded to 3 decimals: pairs (w, a)."""
    if m == "optimum":
        return [(neuron.w, neuron.a) for neuron in solved(given).network]
    if m == "rounded optimum":
        return [([_round(v) for v in neuron.w], _round(neuron.a)) for neuron in solved(given).network]
    return [(row[:-1], row[-1]) for row in theta.tolist()[:m]]


def _round(v):
    return fmpq((v * 1000 + fmpq(1, 2)).floor(), 1000)


@PAPER.identity(
    source="equivalent to strong duality of the convex program",
    fidelity="derived",
    evidence="certified",
    family=(RANDOM, NAMED_DATA, DEGENERATE),
    undecided=UNDECIDED,
    method="the convex analogue is a polynomial identity (proof); for networks both sides in balls around the certified dual optimum",
    hypotheses="none; an instance whose optimal set is not certified, so that its dual optimum is not known in balls, counts as undecided",
    not_established="networks of at most 5 neurons, n <= 8, d <= 5",
)
def excess_loss_identity(X, y, beta, bias, m, theta, *, sign=1, half=HALF, balance=1, one_sided=False):
    r"""For every network, with $f^* = y - \nu^*$:
    $$\mathrm{loss}(\theta) - p^* = \tfrac12\|f_\theta - f^*\|^2 + \sum_j |a_j| \big(\beta\|w_j\| - \mathrm{sgn}(a_j)\, \nu^{*\top}(Xw_j)_+\big)
    + \tfrac\beta2 \sum_j (\|w_j\| - |a_j|)^2,$$ and every bracket is $\ge 0$.
    """
    given = problem(X, y, beta, bias)
    neurons = network(given, m, theta)
    with precision(BITS):
        nu, target, p = dual_optimum(given)
        if one_sided:
            p = _one_sided_value(given)
        outputs = [features(given.X, w) for w, _ in neurons]
        f = [sum((a * h[k] for (_, a), h in zip(neurons, outputs)), fmpq(0)) for k in range(len(given.y))]
        lengths = [norm(balls(w)) for w, _ in neurons]
        gap = [u - v for u, v in zip(f, target)]
        brackets = [
            arb(given.beta) * r - (sign if a > 0 else -sign) * dot(nu, h)
            for (_, a), h, r in zip(neurons, outputs, lengths)
        ]
        spread = [(r - abs(a)) * (r - abs(a)) for (_, a), r in zip(neurons, lengths)]
        right = half * dot(gap, gap) + total(abs(a) * b for (_, a), b in zip(neurons, brackets))
        right += arb(given.beta) / 2 * balance * total(spread)
        loss = network_value(given, [Neuron(tuple(w), a) for w, a in neurons])
        yield "identity", eq(loss - p, right, within=CLOSE)
        for b in brackets:
            yield "brackets", le(0, b, within=CLOSE)
        yield "the optimum has no excess", eq(solved(given).upper - p, 0, within=CLOSE)


def _one_sided_value(given):
    """The value of the program with positive output weights only."""
    import numpy as np

    found = solved(given)
    allowed = np.array([[True] * found.cells.count, [False] * found.cells.count])
    near = approximate(found.geometry, solve(found.geometry.data, found.cells, allowed, found.geometry), BITS)
    nu = balls(near.nu)
    return dot(nu, nu) / 2 + arb(given.beta) ** 2 * total(near.g)


excess_loss_identity.mutant("sign of nu", sign=-1, breaks="identity", anywhere=True)
excess_loss_identity.mutant("fit term without 1/2", half=Q(1), breaks="identity", anywhere=True)
excess_loss_identity.mutant("balance term dropped", balance=0, breaks="identity", anywhere=True)
excess_loss_identity.mutant("dual constraint on one side only", one_sided=True, breaks="the optimum has no excess")


@excess_loss_identity.proof(
    "convex analogue",
    covers="one block of each sign and three samples; more blocks and samples only add equal terms",
    rests_on=("both sides are sums over samples and over blocks of the terms that are proven",),
)
def _convex_analogue(*, half=HALF):
    y = symbols("y1 y2 y3")
    nu = symbols("n1 n2 n3")
    a = symbols("a1 a2 a3")  # D_i X u_i
    b = symbols("b1 b2 b3")  # D_i X v_i
    U, V, beta = symbols("U V beta", nonnegative=True)
    f = [s - t for s, t in zip(a, b)]
    primal = sum((t - v) ** 2 for t, v in zip(y, f)) * Q(1, 2) + beta * (U + V)
    dual = sum(v * (t - v * Q(1, 2)) for v, t in zip(nu, y))
    residual = sum((t - g - v) ** 2 for t, g, v in zip(y, f, nu)) * half
    brackets = beta * U - sum(v * s for v, s in zip(nu, a)) + beta * V + sum(v * s for v, s in zip(nu, b))
    yield eq(primal - dual, residual + brackets)


@excess_loss_identity.proof("balance of a neuron")
def _balance(*, balance=1):
    w, a, beta = symbols("w a beta", nonnegative=True)
    yield eq(beta * (w**2 + a**2) * Q(1, 2), beta * a * w + balance * beta * (w - a) ** 2 * Q(1, 2))
