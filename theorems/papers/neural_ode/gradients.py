"""Backpropagation through the network against the adjoint equation: they differ by Theta(1/L)."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from flint import arb_mat, ctx, fmpq, fmpq_mat

from solvers.enclosures import NoEnclosure, precision
from theorems import ByBudget, Choices, Given, Integers, Q, curve, eq, shared, slope
from theorems.papers.neural_ode.networks import (
    ACTIVATIONS,
    LIPSCHITZ,
    Gradient,
    adjoint,
    backpropagated,
    distance,
    normal,
    root,
)
from theorems.papers.neural_ode.paper import PAPER
from theorems.seeds import Words

DEPTHS = (64, 128, 256, 512)
BITS = 64


def vector(seed: int, name: str, n: int, scale: fmpq | int = 1) -> tuple[fmpq, ...]:
    """N(0, I) times a scale."""
    return tuple(normal(Words(seed, name), 1, n, scale).entries())


NETWORKS = PAPER.family(
    "gradients",
    phi=Choices(*LIPSCHITZ),
    seed=Integers(0, 10**8),
    n=ByBudget(quick=6, full=12),
    A=Given(lambda seed, n: normal(Words(seed, "W"), n, n, 1 / root(n))),
    h=Given(lambda seed, n: vector(seed, "h", n)),
    v=Given(lambda seed, n: vector(seed, "v", n, 1 / root(n))),
    quick=3,
    full=12,
)


def nonnegative(seed: int, rows: int, columns: int) -> fmpq_mat:
    """|N(0, 1)|/4, except for the first row, which is 0."""
    entries = [abs(x) / 4 for x in normal(Words(seed, "nonnegative"), rows, columns).entries()]
    return fmpq_mat(rows, columns, [fmpq(0)] * columns + entries[columns:])


# The first coordinate of h stays 0 and the others stay positive: the only place where phi'(0) matters.
KINKS = PAPER.family(
    "one-coordinate-at-zero",
    phi=Choices(*LIPSCHITZ),
    seed=Integers(0, 10**8),
    n=Choices(4),
    A=Given(lambda seed, n: nonnegative(seed, n, n)),
    h=Given(lambda n: tuple(Q(k, n) for k in range(n))),
    v=Given(lambda seed, n: vector(seed, "v", n, 1 / root(n))),
    quick=1,
    full=12,
)


@shared
def reference(
    phi: str, A: fmpq_mat, h: tuple[fmpq, ...], v: tuple[fmpq, ...], slopes: bool, back: fmpq, bits: int
) -> Gradient:
    """The adjoint gradient, enclosed (about 1e-11 wide at 48 bits; stiff instances take more bits)."""
    for more in (1, 2):
        with precision(more * bits), suppress(NoEnclosure):
            order = max(10, more * bits // 5)
            return adjoint(arb_mat(A), ACTIVATIONS[phi], h, v, order=order, slopes=slopes, back=back)
    with precision(4 * bits):
        return adjoint(arb_mat(A), ACTIVATIONS[phi], h, v, order=bits, slopes=slopes, back=back)


def networks(phi: str, A: fmpq_mat, h: tuple[fmpq, ...], v: tuple[fmpq, ...], bits: int) -> tuple[Gradient, ...]:
    """The networks' gradients at all depths."""
    with precision(bits):
        return tuple(backpropagated(arb_mat(A), ACTIVATIONS[phi], h, v, L) for L in DEPTHS)


FULL = Q(1)


@PAPER.rate(
    source="abstract: accuracy of computed gradients; captions on gradient differences of the equation and its residual network",
    fidelity="derived",
    evidence="certified",
    family=(NETWORKS, KINKS),
    method="backpropagation in balls; the state, its adjoint and all entries of the gradient of the differential equation by one system of "
    "validated Taylor steps; where a coordinate stays at 0, backpropagation takes left and the adjoint right derivatives of phi",
    hypotheses="phi and phi' Lipschitz (tanh, softplus, sin); T = 1, sigma_u = sigma_w = sigma_v = 1, |x| = sqrt d, so that h_0 = U x/sqrt d ~ N(0, I)",
    not_established="one input; the exponent is fitted on L = 64, ..., 512",
)
def adjoint_gradient_rate(phi, A, h, v, *, exponent=-1, slopes=True, back=FULL):
    r"""Let $\varphi, \varphi'$ be Lipschitz, $f(x) = \frac{1}{\sqrt n} v^\top \varphi(h_T)$ with $\dot h = \frac{1}{\sqrt n} W\varphi(h)$, $h_0 = \frac{1}{\sqrt d} U x$, and $f_L$ its residual
    network of depth $L$ (explicit Euler). With $\lambda_T = \frac{1}{\sqrt n} \varphi'(h_T) \odot v$ and $-\dot\lambda = \frac{1}{\sqrt n} \varphi'(h) \odot W^\top\lambda$,
    $$\partial_W f = \frac{1}{\sqrt n} \int_0^T \lambda_t \varphi(h_t)^\top dt, \quad \partial_U f = \frac{1}{\sqrt d} \lambda_0 x^\top, \quad
    \partial_v f = \frac{1}{\sqrt n} \varphi(h_T),$$
    the backward pass recovers $h_0$, and the exact gradient of $f_L$ has $\|\nabla f_L - \nabla f\|_2 = \Theta(1/L)$.
    """

    @cache
    def errors(bits):
        exact = reference(phi, A, h, v, slopes, back, bits - 16)
        return tuple(distance(g, exact) for g in networks(phi, A, h, v, bits))

    yield "exponent", slope(DEPTHS, lambda: errors(max(BITS, ctx.prec)), exponent, within=Q(1, 50))

    def returned():
        return list(reference(phi, A, h, v, slopes, back, max(BITS, ctx.prec) - 16).start), list(h)

    yield "the backward pass recovers the start", eq(returned, within=Q(1, 10**6))
    if exponent == -1 and slopes and back == 1:
        yield curve(
            "gradient of the network minus gradient of the differential equation",
            DEPTHS, errors(BITS), series=phi, axes=("depth L", "norm of the difference"),
        )  # fmt: skip


adjoint_gradient_rate.mutant(
    "the adjoint equation without phi'", slopes=False, on="one-coordinate-at-zero", breaks="exponent"
)
adjoint_gradient_rate.mutant(
    "phi not differentiable at 0: ReLU with a neuron that stays at 0",
    domain={"phi": Choices("relu")}, on="one-coordinate-at-zero", breaks="exponent",
)  # fmt: skip
adjoint_gradient_rate.mutant("second order, 1/L^2", exponent=-2, breaks="exponent")
adjoint_gradient_rate.mutant("exponent -1.1", exponent=Q(-11, 10), breaks="exponent")
adjoint_gradient_rate.mutant(
    "the adjoint equation is left at 1 % of T", back=Q(99, 100), on="one-coordinate-at-zero", breaks="exponent"
)
adjoint_gradient_rate.mutant(
    "the backward pass is left at 1 % of T",
    back=Q(99, 100),
    on="one-coordinate-at-zero",
    breaks="the backward pass recovers the start",
)
