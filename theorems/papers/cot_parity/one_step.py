"""One gradient step makes attention sparse and the chain exact, in balls for all inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb, fmpq

from theorems import ByBudget, Choices, Q, eq, le, lt, symbols
from theorems.papers.cot_parity.chain import Secret, all_inputs, gradient, parity, random_secret, tokens
from theorems.papers.cot_parity.paper import PAPER

BARELY, HALF_MORE, ONE, QUARTER = Q(1001, 1000), Q(3, 2), Q(1), Q(1, 4)
CASES = ByBudget(
    quick=Choices((5, 3), (8, 4), (6, 6)), full=Choices((5, 3), (8, 4), (6, 6), (10, 5), (10, 10), (12, 6))
)


def least_step(m: int) -> arb:
    """eta_* = (m^2/2) log(1.5 (m - 2))."""
    return arb(m * m) / 2 * (arb(3 * (m - 2)) / 2).log()


def attention(g: Sequence[fmpq], eta: arb) -> list[arb]:
    """softmax(eta g)."""
    weights = [(eta * v).exp() for v in g]
    mass = sum(weights, arb(0))
    return [w / mass for w in weights]


def emitted(u: Any, g: Sequence[fmpq], eta: arb) -> Any:
    """+1 where |s| > 1/2, else -1, for every row of tokens; decided in balls, equal rows once.

    Tokens with equal gradients have equal weights, so only the sums over such groups matter.
    """
    values = sorted(set(g))
    A = dict(zip(g, attention(g, eta)))
    groups = np.stack([u[:, [j for j, v in enumerate(g) if v == w]].sum(axis=1) for w in values], axis=1)
    rows, where = np.unique(groups, axis=0, return_inverse=True)
    signs = []
    for row in rows.tolist():
        size = abs(sum((int(c) * A[w] for c, w in zip(row, values)), arb(0)))
        if not (size > fmpq(1, 2) or size < fmpq(1, 2)):
            raise ArithmeticError(f"|s| = {size} is not separated from 1/2")
        signs.append(1 if size > fmpq(1, 2) else -1)
    return np.array(signs)[where.reshape(-1)]


def outputs(n: int, S: Secret, factor: fmpq, *, chain: bool = True) -> Any:
    """The last emission for all inputs, own tokens fed back; without the chain, the one-step answer."""
    x = all_inputs(n)
    if not chain:
        return emitted(x, gradient(x, parity(x, S), "quadratic"), factor * least_step(n))
    seen = x
    for i in range(2, len(S) + 1):
        g = gradient(tokens(x, S, i), parity(x, S[:i]), "quadratic")  # teacher forcing
        seen = np.concatenate([seen, emitted(seen, g, factor * least_step(len(g)))[:, None]], axis=1)
    return seen[:, -1]


@PAPER.construction(
    source="abstract: chain of thought leads to a sparse, interpretable attention and lets the transformer learn the function",
    fidelity="derived",
    evidence="certified",
    domain={"size": CASES, "factor": Choices(BARELY, HALF_MORE)},
    every=True,
    part="outputs",
    method="all 2^n inputs; gradients in rationals, softmax and |s| in balls, generated tokens fed back; the margin of the readout as a polynomial "
    "inequality; entropies in balls",
    hypotheses="population gradient from uniform attention with output s^2, own step size eta for each m; readout |s| > 1/2",
    not_established="sampled gradients (see `cot-sample-complexity`); one step size for all steps of the chain",
)
def cot_one_step_learns_parity(size, factor, *, scale=ONE, chain=True) -> Iterator[Any]:
    r"""If $\eta > \eta_* = \frac{m^2}{2} \log(1.5 (m-2))$, one population gradient step from uniform attention makes every emission exact (emit $+1$ iff
    $|s| > 1/2$), so the chain outputs $\chi_S(x)$ for all $2^n$ inputs. At $\eta = 1.5 \eta_*$ the normalised entropy $H(A)/\log m$ of the attention is
    below $3/4$ for $m \ge 5$, decreases in $m$, and $H(A) \to \log 2$ (attention on two tokens); at $\eta = 0$ it is 1.
    """
    n, k = size
    S = random_secret(n, k, 0)
    yield "outputs", eq(outputs(n, S, scale * factor, chain=chain).tolist(), parity(all_inputs(n), S).tolist())


@cot_one_step_learns_parity.proof(
    "margin",
    covers="all m >= 3, all eta > eta_*",
    rests_on=("with q = (m - 2) exp(-2 eta/m^2) the mass off the parents is q/(2 + q), and q < 2/3 iff eta > eta_*",),
)
def _margin(*, threshold=QUARTER):
    """The mass rho off the parents is below 1/4, so |s| >= 1 - 2 rho > 1/2 where they agree and |s| <= rho where not."""
    q = symbols("q", above=0, below=Q(2, 3))
    yield lt(q / (2 + q), threshold)


def entropy(m: int, factor: fmpq) -> arb:
    """H(A) at eta = factor eta_*: two parents with weight e^gap each, m - 2 others with weight 1."""
    gap = factor * 2 * least_step(m) / (m * m)
    others = (m - 2) * (-gap).exp()
    mass = 2 + others
    return mass.log() + gap * others / mass


@cot_one_step_learns_parity.check(
    "entropy", domain={"largest": ByBudget(quick=Choices(60), full=Choices(400))}, every=True
)
def _entropy(largest, *, scale=ONE, quarters=3):
    sizes = list(range(5, largest + 1))
    h = [entropy(m, HALF_MORE * scale) / arb(m).log() for m in sizes]
    yield "entropy", lt(h, Q(quarters, 4))
    yield "decreasing", lt(h[1:], h[:-1])
    excess = [entropy(10**e, HALF_MORE * scale) - arb(2).log() for e in (2, 4, 6, 8, 10)]
    yield "two tokens", le(excess[1:], [e / 4 for e in excess[:-1]])
    g = gradient(all_inputs(5), parity(all_inputs(5), (0, 2)), "quadratic")
    seen = -sum((a * a.log() for a in attention(g, HALF_MORE * scale * least_step(5))), arb(0))
    yield "formula", eq(seen, entropy(5, HALF_MORE * scale), within=Q(1, 10**12))
    yield "uniform", eq(entropy(7, Q(0)), arb(7).log(), within=Q(1, 10**12))


cot_one_step_learns_parity.mutant("half the step", scale=Q(1, 2), breaks="outputs")
cot_one_step_learns_parity.mutant("no step", scale=Q(0), breaks="outputs")
cot_one_step_learns_parity.mutant("the target without its chain", chain=False, breaks="outputs")
cot_one_step_learns_parity.mutant("mass 6/25 for 1/4", threshold=Q(6, 25), breaks="margin")
cot_one_step_learns_parity.mutant("entropy below one half", quarters=2, breaks="entropy")
cot_one_step_learns_parity.mutant("half the step leaves attention on two tokens", scale=Q(1, 2), breaks="two tokens")
