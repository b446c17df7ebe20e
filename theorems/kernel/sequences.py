"""Confidence sequences and fixed-size intervals as pure functions of the sample.

Every bound here is one-sided at its own `level`: the parameter lies beyond it with probability at most `level`. Two
bounds at half the level make a two-sided interval. A confidence sequence covers at all sample sizes at once, hence at
any subset of them, so bounds may be looked at along `check_times`, intersected, and stopped on at will (Ville's
inequality); the bounds named `fixed`, Clopper-Pearson, Student and Dvoretzky-Kiefer-Wolfowitz are for one size.

Directions of rounding: thresholds are raised, radii are enlarged and search brackets are closed on the rejected side by
more than the accumulated rounding error (stated at each function), so floating point never makes a bound too sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

TRUNCATION = 0.5  # bets stay below this share of the largest that keeps the capital positive
GROUP = 32  # capital factors multiplied before a logarithm is taken
CLOSE = 2.0**-11  # a bound is this share of its distance to the sample mean short of the boundary
ENLARGED = 1 + 1e-12  # radii are enlarged by this factor
_EPS = 2.0**-52


def check_times(limit: int, ratio: float = 1.05) -> tuple[int, ...]:
    """Sample sizes at which a sequence is looked at: 1, 2, 3, ..., then growing by `ratio`, up to `limit`.

    They are fixed before the first draw. A confidence sequence is valid at all times at once, thus at these; the gaps
    cost at most a share `ratio - 1` of further draws before a decision.
    """
    times = [1]
    while times[-1] < limit:
        times.append(min(limit, max(times[-1] + 1, math.ceil(times[-1] * ratio))))
    return tuple(times)


def last_rejected(excess: Callable[[float], float], low: float, top: float, share: float) -> float:
    """A rejected point close to the sign change of `excess`.

    Args:
        excess: a function that is < 0 (not rejected) at `top`, and >= 0 left of its one sign change.
        low, top: the first bracket.
        share: how close, as a share in (0, 1) of the distance to `top`.

    Returns:
        A point where `excess` was seen to be >= 0, or `low` if it is < 0 there. Regula falsi (Illinois), its points kept
        half the tolerance inside the bracket so that both ends close in; every eighth step bisects.
    """
    f_low, high, f_high = excess(low), top, excess(top)
    if f_low < 0:
        return low
    side, step = 0, 0
    while high - low > share * (top - low):
        step += 1
        half = 0.5 * share * (top - low)
        secant = f_low / (f_low - f_high) if math.isfinite(f_low) and step % 8 else 0.5
        x = min(max(low + secant * (high - low), low + half), high - half)
        if not low < x < high:
            break
        f = excess(x)
        if f >= 0:
            low, f_low = x, f
            f_high = 0.5 * f_high if side == 1 else f_high
            side = 1
        else:
            high, f_high = x, f
            f_low = 0.5 * f_low if side == -1 else f_low
            side = -1
    return low


def bets(y: Reals, level: float, half_width: float | None = None, fixed: int | None = None) -> Reals:
    """Predictable bets: the i-th depends on the draws before the i-th only, through an estimate V of the variance.

    Args:
        y: draws in [0, 1], shape (n,).
        level: one-sided error probability.
        half_width: bet half_width / V, which is optimal when that is the distance to be told apart.
        fixed: bet sqrt(2 log(1 / level) / (V fixed)), optimal at the sample size `fixed`.
            With neither, V i log(1 + i) under the root: fair at all sizes, and two to three times as many draws at each.

    Returns:
        Shape (n,), positive. Any predictable bets are valid, so their rounding is harmless.

    Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), (26) and section 4.
    """
    i = np.arange(1.0, y.size + 1)
    mean = (0.5 + np.cumsum(y)) / (i + 1)
    variance = np.empty(y.size)
    variance[0] = 0.25
    variance[1:] = (0.25 + np.cumsum((y - mean) ** 2)[:-1]) / i[1:]
    if half_width is not None:
        return half_width / variance
    size = i * np.log1p(i) if fixed is None else float(fixed)
    return np.asarray(np.sqrt(-2 * math.log(level) / (variance * size)))


def log_capital(y: Reals, stakes: Reals, m: float) -> float:
    """Logarithm of the capital won by betting that the mean of `y` exceeds `m`; non-increasing in m.

    Args:
        y: draws in [0, 1], shape (n,).
        stakes: predictable bets, shape (n,); capped at `TRUNCATION / m`, so every factor is at least 1 - TRUNCATION.
        m: candidate mean in [0, 1].

    The error is below 64 n 2^-52: a factor errs by 4 units, a group's logarithm and the pairwise sum by the rest.
    """
    capped = np.minimum(stakes, TRUNCATION / m) if m > 0 else stakes
    factors = (y - m) * capped
    factors += 1
    whole = y.size - y.size % GROUP
    total = float(np.log(factors[whole:]).sum())
    if whole:
        total += float(np.log(factors[:whole].reshape(GROUP, -1).prod(axis=0)).sum())
    return total


def betting_lower(y: Reals, stakes: Reals, level: float, floor: float = 0.0) -> float:
    """Lower bound on the mean of draws in [0, 1] by the capital of bets on a larger mean.

    Under a mean of at most m the capital of m is a nonnegative supermartingale that starts from 1, so it ever reaches
    1 / level with probability at most `level`; the bound is the largest m seen to be rejected.

    Args:
        y: draws in [0, 1], shape (n,), n >= 1.
        stakes: as for `log_capital`, from `bets`.
        floor: a lower bound that holds already, and is returned if it is not improved.

    Source: Waudby-Smith and Ramdas (2024), theorem 3 (there two-sided, with half of the capital on each side).
    """
    threshold = -math.log(level) + 64 * _EPS * y.size

    def excess(m: float) -> float:
        return log_capital(y, stakes, m) - threshold

    if floor >= 1 or excess(floor) < 0:
        return floor
    top = float(y.mean())
    if top <= floor or excess(top) >= 0:
        top = 1.0
    return last_rejected(excess, floor, top, CLOSE)


def betting_interval(
    y: Reals,
    level: float,
    low: float = 0.0,
    high: float = 1.0,
    *,
    half_width: float | None = None,
    fixed: int | None = None,
) -> tuple[float, float]:
    """Lower and upper bound, each at `level`, on the mean of draws in [0, 1]; never wider than (low, high).

    `half_width` and `fixed` tune the bets; see `bets`.
    """
    stakes = bets(y, level, half_width, fixed)
    return betting_lower(y, stakes, level, low), _mirrored(
        high, lambda floor: betting_lower(1 - y, stakes, level, floor)
    )


def _mirrored(high: float, lower: Callable[[float], float]) -> float:
    """The upper bound that a lower bound of mirrored draws gives, or `high` if that is not improved."""
    floor = max(0.0, 1 - high)
    found = lower(floor)
    return high if found == floor else 1 - found


def mixture_strength(n: int, level: float) -> float:
    """The prior weight, in draws, that makes `subgaussian_radius` nearly smallest at `n` draws."""
    loss = -2 * math.log(min(2 * level, 0.5))
    return n / (loss + math.log1p(loss))


def subgaussian_radius(n: int, scale: float, level: float, strength: float) -> float:
    """Distance of mean and sample mean that is ever exceeded, on one side, with probability at most `level`.

    Args:
        n: sample size.
        scale: sigma with E exp(l (X - mean)) <= exp(l^2 sigma^2 / 2) for every real l.
        strength: weight of the mixing half-normal law, in draws; see `mixture_strength`.

    With S the centred sum over sigma and w = n + strength, the mixture 2 sqrt(strength / w) exp(S^2 / 2w) Phi(S / sqrt w)
    is a supermartingale; Phi(x) >= 1 - exp(-x^2 / 2) / 2 solves it for S in closed form.

    Source: Robbins (1970); Howard, Ramdas, McAuliffe and Sekhon, Time-uniform, nonparametric, nonasymptotic confidence
    sequences (2021), section 3.2.
    """
    w = n + strength
    return ENLARGED * scale * math.sqrt(2 * w * math.log(math.sqrt(w / strength) / (2 * level) + 0.5)) / n


def fixed_subgaussian_radius(n: int, scale: float, level: float) -> float:
    """The Chernoff bound for one sample size, one-sided at `level`; arguments as for `subgaussian_radius`."""
    return ENLARGED * scale * math.sqrt(-2 * math.log(level) / n)


def student_radius(x: Reals, level: float) -> float:
    """Half-width of the one-sided Student interval of a sample of fixed size; a normal approximation, no guarantee."""
    from scipy.special import stdtrit

    n = x.size
    return ENLARGED * float(-stdtrit(n - 1, level)) * float(x.std(ddof=1)) / math.sqrt(n)


def bernoulli_lower(n: int, k: int, level: float, floor: float = 0.0) -> float:
    """Lower end of a confidence sequence for the probability of an event seen k times in n trials.

    A beta(1/2, 1/2) mixture, restricted to probabilities above p, of likelihood ratios against p: a supermartingale under
    every probability of at most p, as each ratio is. The restriction gains 1 / P(prior > p) over the two-sided mixture.

    Args:
        n, k: trials and events, 0 <= k <= n.
        level: one-sided error probability.
        floor: a lower bound that holds already, and is returned if it is not improved.

    Returns:
        A rejected p. Logarithms err by less than 1e-9 (1 + n / 1e5), by which the threshold is raised.

    Source: Robbins (1970); Howard et al. (2021), section 3.2 (the one-sided beta-binomial mixture).
    """
    from scipy.special import betaincc, betaln, xlog1py, xlogy

    if k == 0 or k <= floor * n:
        return floor
    a, b = k + 0.5, n - k + 0.5
    mixed = float(betaln(a, b)) - math.log(math.pi)
    threshold = -math.log(level) + 1e-9 * (1 + n / 1e5)

    def excess(p: float) -> float:
        restricted = math.log(betaincc(a, b, p)) - math.log(betaincc(0.5, 0.5, p))
        return float(mixed + restricted - xlogy(k, p) - xlog1py(n - k, -p)) - threshold

    top = k / n * (1 - 1e-9)
    if excess(floor) < 0:
        return floor
    return last_rejected(excess, floor, top, CLOSE)


def bernoulli_interval(n: int, k: int, level: float, low: float = 0.0, high: float = 1.0) -> tuple[float, float]:
    """Lower and upper end, each at `level`, of the confidence sequence of `bernoulli_lower`."""
    return bernoulli_lower(n, k, level, low), _mirrored(high, lambda floor: bernoulli_lower(n, n - k, level, floor))


def clopper_pearson_lower(n: int, k: int, level: float) -> float:
    """Exact lower bound on the probability of an event seen k times in n trials, n fixed in advance.

    The bound is lowered by a relative 1e-10, more than the error of the inverse incomplete beta function.

    Source: Clopper and Pearson (1934).
    """
    from scipy.special import betaincinv

    return 0.0 if k == 0 else float(betaincinv(k, n - k + 1, level)) * (1 - 1e-10)


def clopper_pearson_upper(n: int, k: int, level: float) -> float:
    """The upper bound that mirrors `clopper_pearson_lower`, raised by a relative 1e-10."""
    from scipy.special import betainccinv

    return 1.0 if k == n else min(1.0, float(betainccinv(k + 1, n - k, level)) * (1 + 1e-10))


def dkw_radius(n: int, level: float) -> float:
    """Sup distance of a sample's distribution function from the true one, exceeded with probability at most `level`.

    Source: Dvoretzky, Kiefer and Wolfowitz (1956) with the constant 2 of Massart (1990); any law, one sample size.
    """
    return ENLARGED * math.sqrt(math.log(2 / level) / (2 * n))


def two_sample_radius(n: int, level: float) -> float:
    """Sup distance of the distribution functions of two samples of size n of one law, exceeded with probability <= level.

    By reflection, P(D+ >= k/n) = C(2n, n + k) / C(2n, n) for a continuous law (less for others); doubled for D. The
    returned distance is (k - 1)/n for the least such k with a doubled probability of at most `level`.

    Source: Gnedenko and Korolyuk (1951).
    """
    from scipy.special import gammaln

    k = np.arange(n + 1.0)
    log_tail = math.log(2) + 2 * gammaln(n + 1) - gammaln(n + k + 1) - gammaln(n - k + 1)
    enough = np.flatnonzero(log_tail + 1e-9 * (1 + n / 1e5) <= math.log(level))
    return (float(enough[0]) - 1) / n if enough.size else 1.0
