"""The noise schedule, and the sampler on Gaussian targets N(mu 1_d, s2 I): everything stays Gaussian, in balls.

Forward X_t = sqrt(1 - beta_t) X_{t-1} + sqrt(beta_t) W_t; reverse Y_{t-1} = (Y_t + beta_t s_t(Y_t) + sqrt(beta_t) Z_t)/sqrt(alpha_t) from
Y_T ~ N(0, I), for t = T, ..., 2. Lists hold the entry of time t at place t - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import shared

HALF, ONE = fmpq(1, 2), fmpq(1)


@dataclass(frozen=True)
class Schedule:
    """beta_1, ..., beta_T and abar_t = prod_{i <= t} (1 - beta_i)."""

    beta: tuple[arb, ...]
    abar: tuple[arb, ...]


@shared
def schedule(T: int, c0: fmpq, c1: fmpq, bits: int, constant: bool = False) -> Schedule:
    """beta_1 = T^{-c0}, beta_{t+1} = (c1 log T/T) min{beta_1 (1 + c1 log T/T)^t, 1}; or beta_t = 1/T throughout (a mistake)."""
    with precision(bits):
        step = c1 * arb(T).log() / T
        growing = (-c0 * arb(T).log()).exp()
        beta = [arb(fmpq(1, T)) if constant else growing]
        for _ in range(T - 1):
            growing = growing * (1 + step) if growing < 1 else growing
            beta.append(beta[0] if constant else step * growing if growing < 1 else step)
        abar, product = [], arb(1)
        for b in beta:
            product = product * (1 - b)
            abar.append(product)
        return Schedule(tuple(beta), tuple(abar))


def step_size(T: int, c1: fmpq) -> arb:
    """c1 log T/T, the largest beta."""
    return c1 * arb(T).log() / T


def within_half(T: int, c1: fmpq) -> bool:
    """Whether c1 log T/T <= 1/2."""
    return bool(step_size(T, c1) <= HALF)


@dataclass(frozen=True)
class Sampler:
    """What may be wrong with the sampler; the defaults are the paper's.

    Attributes:
        drift: factor of the drift beta_t s_t.
        noise: factor of the noise variance beta_t.
        rescaled: whether the sum is divided by sqrt(alpha_t).
        constant: the constant schedule beta = 1/T.
    """

    drift: fmpq = ONE
    noise: fmpq = ONE
    rescaled: bool = True
    constant: bool = False


DDPM = Sampler()
HALF_DRIFT = Sampler(drift=HALF)
HALF_NOISE = Sampler(noise=HALF)
NOT_RESCALED = Sampler(rescaled=False)
CONSTANT = Sampler(constant=True)


@dataclass(frozen=True)
class Ends:
    """The law of X_1 and of Y_1, coordinate by coordinate: means m, n and variances v, w."""

    m: arb
    v: arb
    n: arb
    w: arb


@shared
def ends(T: int, c0: fmpq, c1: fmpq, s2: fmpq, mu: fmpq, sampler: Sampler, bits: int) -> Ends:
    """Both laws at t = 1 for the target N(mu, s2) and exact scores."""
    with precision(bits):
        times = schedule(T, c0, c1, bits, sampler.constant)
        abar = times.abar
        n, w = arb(0), arb(1)
        for t in range(T - 1, 0, -1):
            beta = times.beta[t]
            S = abar[t] * s2 + 1 - abar[t]
            pull = sampler.drift * beta / S
            if mu != 0:
                n = n + pull * (abar[t].sqrt() * mu - n)
            w = (1 - pull) ** 2 * w + sampler.noise * beta
            if sampler.rescaled:
                n, w = n / (1 - beta).sqrt(), w / (1 - beta)
        return Ends(abar[0].sqrt() * mu, abar[0] * s2 + 1 - abar[0], n, w)


def logarithm(T: Any) -> arb:
    """log T."""
    return arb(T).log()
