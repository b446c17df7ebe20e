"""Parallel three-layer networks and their convex program."""

from __future__ import annotations

import numpy as np
from flint import arb, fmpq

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.exact import of_problem
from solvers.relu.three_layer import loss, penalty, solve
from theorems import Approx, Arrays, Choices, Given, Integers, Q, dyadic, le, lt, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, solved
from theorems.papers.convex_landscape.polytope import dot_q

GAP = Q(1, 10**8)
STRICT = ReluProblem(
    ((Q(0), Q(1)), (Q(-2), Q(1)), (Q(-3, 2), Q(1)), (Q(5, 2), Q(1))), (Q(-11, 4), Q(-5, 2), Q(-2), Q(-5, 4)), Q(1, 16)
)


POSITIVE_DUAL = ReluProblem(((Q(1), Q(0)), (Q(0), Q(1))), (Q(8, 5), Q(9, 5)), Q(1, 2))


@shared
def _program(given, second_cone, noise):
    return solve(given, second_cone=second_cone, noise=float(noise))


def program(given, *, second_cone=True, noise=0):
    """The solved three-layer program."""
    return _program(given, second_cone, noise)


def three_layer_problem(beta, x, y):
    """Inputs and targets in quarters, with a bias column."""
    return ReluProblem(tuple((fmpq(int(v), 4), Q(1)) for v in x), tuple(fmpq(int(v), 4) for v in y), beta)


THREE = PAPER.family(
    "three-layers",
    n=3,
    beta=Choices(Q(1, 8), Q(1, 4), Q(1, 16)),
    x=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    y=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    where=lambda x, y: len(set(x)) == len(x) and any(y),
    quick=1,
    full=12,
)
GAIN = PAPER.family(
    "strict-gain", n=4, beta=STRICT.beta, x=Choices((0, -8, -6, 10)), y=Choices((-11, -10, -8, -5)), every=True
)


def trained_loss(given, width, seed):
    """The loss in balls of a trained three-layer network of some units (dyadic weights)."""
    from scipy.optimize import minimize

    data = of_problem(given)
    n, d = data.X.shape
    size = 2 * d + 3
    rng = np.random.default_rng(seed)

    def parts(theta):
        rows = theta.reshape(width, size)
        return rows[:, : 2 * d].reshape(width, 2, d), rows[:, 2 * d : 2 * d + 2], rows[:, -1]

    def value(theta):
        W, w, a = parts(theta)
        Z = np.einsum("nd,khd->nkh", data.X, W)
        H = np.maximum(Z, 0)
        G = np.einsum("nkh,kh->nk", H, w)
        R = np.maximum(G, 0)
        r = R @ a - data.y
        sizes = [np.sqrt((W**2).sum(axis=(1, 2))), np.sqrt((w**2).sum(axis=1)), np.abs(a)]
        total = r @ r / 2 + data.beta / 3 * sum((s**3).sum() for s in sizes)
        back = (r[:, None] * a) * (G > 0)
        dw = np.einsum("nk,nkh->kh", back, H) + data.beta * sizes[1][:, None] * w
        dW = np.einsum("nk,kh,nkh,nd->khd", back, w, Z > 0, data.X) + data.beta * sizes[0][:, None, None] * W
        da = R.T @ r + data.beta * np.abs(a) * a
        return total, np.concatenate([dW.reshape(width, -1), dw, da[:, None]], axis=1).ravel()

    theta = minimize(value, rng.normal(size=width * size), jac=True, method="L-BFGS-B").x
    W, w, a = parts(theta)
    fit, total = [fmpq(0)] * n, arb(0)
    for k in range(width):
        hidden = [[binary(float(v)) for v in W[k, h]] for h in (0, 1)]
        outer = [binary(float(v)) for v in w[k]]
        scale = binary(float(a[k]))
        for i, row in enumerate(given.X):
            inner = sum((s * max(dot_q(row, z), Q(0)) for z, s in zip(hidden, outer)), Q(0))
            fit[i] += scale * max(inner, Q(0))
        total += penalty([[arb(v) for v in z] for z in hidden], [arb(v) for v in outer], arb(scale))
    error = [f - t for f, t in zip(fit, given.y)]
    return arb(dot_q(error, error)) / 2 + arb(given.beta) * total


@PAPER.identity(
    source="three-layer theorem of the paper; the regulariser is recalled",
    fidelity="recalled",
    evidence="certified",
    family=(THREE, GAIN),
    part="mapped network",
    method="the second-order cone program solved in doubles; its multipliers, clipped and taken as dyadic numbers, give an exact dual bound on "
    "all blocks; the network that is mapped back is evaluated in balls",
    not_established="data sets of 3 and 4 samples in one dimension with bias; the value is enclosed to 1e-8. Directions are compared in doubles",
    rests_on=(
        "AM-GM on the cubes, and |W|_F |w| >= sum_h |w_h| |W_h|",
        "the listed blocks contain every unit: pairs of different signed cells not both negative, and all non-zero second-layer patterns",
    ),
)
def parallel_three_layer_reformulation(beta, x, y, *, second_cone=True, power=3):
    r"""Let $f = \sum_k a_k ((XW_k)_+ w_k)_+$, $W_k \in \mathbb{R}^{d \times 2}$, with penalty $\frac\beta3\sum(\|W_k\|_F^3+\|w_k\|^3+|a_k|^3)$. The value
    $p_3$ of the training problem is that of the convex program over blocks $((i,s_1),(j,s_2),D',s)$: $z_1 \in K_i$, $z_2 \in K_j$, $(2D'-I)(s_1
    D_iXz_1+s_2 D_jXz_2)\ge 0$, feature $s D'(s_1 D_iXz_1+s_2 D_jXz_2)$, cost $\beta(\|z_1\|+\|z_2\|)$; there is no gap, $p_3 \le p_2$, and in each
    block each $z_h$ has one direction over all optima.
    """
    given = three_layer_problem(beta, x, y)
    found = program(given, second_cone=second_cone)
    with precision(BITS):
        mapped = loss(given, found.units, power)
        yield "dual bound", le(dyadic(found.lower), mapped)
        yield "mapped network", le(mapped, dyadic(found.lower + GAP))
        yield "at most the two-layer value", le(mapped, dyadic(solved(given).upper + GAP))
        for seed in range(2):
            yield "no trained network is below", le(dyadic(found.lower), trained_loss(given, 4, seed))


parallel_three_layer_reformulation.mutant(
    "second-layer cones dropped", second_cone=False, breaks=("mapped network", "dual bound")
)
parallel_three_layer_reformulation.mutant("quadratic weight decay", power=2, breaks=("mapped network", "dual bound"))
parallel_three_layer_reformulation.mutant(
    "a strict gain where nu > 0", data=POSITIVE_DUAL, breaks="strictly below two layers"
)


@parallel_three_layer_reformulation.check("data with a strict gain", family=GAIN)
def _strict_gain(beta, x, y, *, data=None):
    given = data or three_layer_problem(beta, x, y)
    with precision(BITS):
        yield "strictly below two layers", lt(loss(given, program(given).units), dyadic(solved(given).lower))


@parallel_three_layer_reformulation.crosscheck("one direction in each block", family=THREE)
def _directions(beta, x, y):
    given = three_layer_problem(beta, x, y)
    first, second = program(given), program(given, noise=Q(1, 10**5))
    gaps = [
        1 - float(first.directions[k][1] @ second.directions[k][1])
        for k in first.directions
        if k in second.directions and min(first.directions[k][0], second.directions[k][0]) > 1e-3  # branch
    ]
    yield "cosine", le(Approx(max(gaps, default=0.0), 1e-9), Approx(1e-5, 0.0))
