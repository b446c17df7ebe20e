"""The auxiliary sequence of Local SGDM: momentum turned into plain steps, across synchronisations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, symbols
from theorems.papers.local_adaptive.paper import PAPER

ROUNDS = 3
CLIP = Q(2)


@dataclass(frozen=True)
class Step:
    """One local step of all workers (one coordinate).

    Attributes:
        before, after: x_t and x_{t+1} of each worker, after the synchronisation where one takes place.
        z, z_after: z_t and z_{t+1} of each worker.
        gradients: clipped gradients.
        ends_round: whether the step is followed by a synchronisation.
    """

    before: list[Any]
    after: list[Any]
    z: list[Any]
    z_after: list[Any]
    gradients: list[Any]
    ends_round: bool


def average(values):
    """The mean of exact numbers."""
    return sum(values[1:], values[0]) / len(values)


def trajectory(gradients, M, K, eta, b1, synchronised="both"):
    """Local SGDM from x = 0, u = 0 on M workers, K steps a round; `synchronised`: what happens to the momentum."""
    x, u = [0 * eta] * M, [0 * eta] * M
    z = list(x)
    steps = []
    for t in range(len(gradients) // M):
        g = list(gradients[t * M : (t + 1) * M])
        u = [b1 * a + (1 - b1) * b for a, b in zip(u, g, strict=True)]
        new = [a - eta * b for a, b in zip(x, u, strict=True)]
        ends = (t + 1) % K == 0
        earlier = x
        if ends:
            new, earlier = [average(new)] * M, [average(x)] * M
            if synchronised != "positions":
                u = [average(u) if synchronised == "both" else 0 * eta] * M
        z_new = [(a - b1 * b) / (1 - b1) for a, b in zip(new, earlier, strict=True)]
        steps.append(Step(x, new, z, z_new, g, ends))
        x, z = new, z_new
    return steps


@PAPER.identity(
    source="proof of the contraction lemma (auxiliary sequence)",
    fidelity="paper",
    evidence="proved",
    method="Local SGDM with symbols for the clipped gradients, the step and beta_1; one step with symbols for every state",
    hypotheses="one coordinate (the algorithm acts coordinatewise); whole runs from x = u = 0",
)
def auxiliary_sequence_identity():
    r"""Local SGDM with momentum $\beta_1 \in [0, 1)$, step $\eta$, any gradients, clipping and number of workers;
    $z^m_{t+1} = (x^m_{t+1} - \beta_1 x^m_t)/(1 - \beta_1)$, where at a synchronisation both $x$ are the averages, and $z_0 = x_0$.
    (i) $z^m_{t+1} = z^m_t - \eta \hat g^m_t$ for every step that does not end a round, the first one of a round included;
    (ii) $\bar z_{t+1} = \bar z_t - \eta \frac1M \sum_m \hat g^m_t$ for every $t$, across synchronisations;
    (iii) $x^m_{t+1} - x^n_{t+1} = (1 - \beta_1)(z^m_{t+1} - z^n_{t+1}) + \beta_1(x^m_t - x^n_t)$ within a round, so that $x^m_t - x^n_t$
    lies in the convex hull of $0$ and the differences $z^m_s - z^n_s$ of the round.
    """


def identities(steps, eta, b1):
    """The three comparisons on a run."""
    inside = [s for s in steps if not s.ends_round]
    if inside:
        each = [[z - eta * g for z, g in zip(s.z, s.gradients, strict=True)] for s in inside]
        yield "each worker", eq([s.z_after for s in inside], each)
        spread = [(1 - b1) * (s.z_after[0] - s.z_after[1]) + b1 * (s.before[0] - s.before[1]) for s in inside]
        yield "differences", eq([s.after[0] - s.after[1] for s in inside], spread)
    averages = [average(s.z) - eta * average(s.gradients) for s in steps]
    yield "average", eq([average(s.z_after) for s in steps], averages)


@auxiliary_sequence_identity.proof(
    "whole runs",
    covers="M = 2, K in {1, 2} and M = 3, K = 1, two rounds; all clipped gradients, eta, 0 < beta_1 < 1",
)
def _whole_runs(*, synchronised="both"):
    eta, b1 = symbols("eta"), symbols("beta1", above=0, below=1)
    for M, K in ((2, 1), (3, 1), (2, 2)):
        gradients = symbols(f"g:{2 * K * M}")
        yield from identities(trajectory(gradients, M, K, eta, b1, synchronised), eta, b1)


@auxiliary_sequence_identity.crosscheck(
    "clipped runs",
    domain={
        "M": Integers(2, 3),
        "K": Integers(1, 4),
        "b1": Choices(Q(1, 10), Q(4, 5), Q(1, 2), Q(2, 3)),
        "eta": Rationals(Q(1, 100), Q(2), 100),
        "gradients": Given(lambda M, K: Arrays(Rationals(-5, 5, 10), (ROUNDS * K * M,))),
    },
    quick=30,
    full=500,
)
def _clipped_runs(M, K, b1, eta, gradients, *, synchronised="both"):
    used = [max(-CLIP, min(CLIP, g)) for g in gradients]
    for name, comparison in identities(trajectory(used, M, K, eta, b1, synchronised), eta, b1):
        yield f"clipped runs: {name}", comparison


@auxiliary_sequence_identity.proof(
    "one step",
    covers="every state (x, u), every gradient, step and 0 < beta_1 < 1; with it all numbers of workers, steps and rounds",
    rests_on=(
        "x_t - x_{t-1} = -eta u_t within a round and, for the averages, across synchronisations, because x and u are averaged "
        "together; so z_t = x_t - eta beta_1 u_t/(1 - beta_1), which is linear in (x, u) and passes to averages",
    ),
)
def _one_step(*, synchronised="both"):
    x, u, g, eta = symbols("x u g eta")
    b1 = symbols("beta1", above=0, below=1)
    carried = u if synchronised != "positions, momentum reset" else 0 * u
    z = x - eta * b1 * u / (1 - b1)
    momentum = b1 * carried + (1 - b1) * g
    new = x - eta * momentum
    yield eq((new - b1 * x) / (1 - b1), new - eta * b1 * momentum / (1 - b1))
    yield eq(new - eta * b1 * momentum / (1 - b1), z - eta * g)


auxiliary_sequence_identity.mutant(
    "momentum not averaged at synchronisation", synchronised="positions", breaks="each worker"
)
auxiliary_sequence_identity.mutant(
    "momentum reset to 0 at synchronisation", synchronised="positions, momentum reset", breaks="average"
)
auxiliary_sequence_identity.mutant(
    "momentum reset, symbolically", synchronised="positions, momentum reset", breaks="one step"
)
