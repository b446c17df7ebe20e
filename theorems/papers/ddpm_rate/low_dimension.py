"""Careful noise variances adapt to a low-dimensional target: the empty directions cost nothing."""

from __future__ import annotations

from flint import arb, ctx

from solvers.enclosures import precision
from solvers.gaussian_tv import tv_variances
from theorems import ByBudget, Choices, Q, curve, eq, le, shared, slope, symbols
from theorems.papers.ddpm_rate.gaussian import BITS, STANDARD
from theorems.papers.ddpm_rate.paper import PAPER
from theorems.papers.ddpm_rate.sampler import logarithm, schedule

C0, C1 = STANDARD
FINE = 400  # bits: errors of order abar_T^2 are seen
WINDOW = (Q(1, 8), Q(1, 5))
ADAPTED, STANDARD_NOISE, WITHOUT_RATIO = "adapted", "standard", "(1 - alpha) alpha"


@shared
def direction(T, s2, noise, bits):
    """Variances of X_1 and Y_1 along a direction in which the target is N(0, s2), and abar_1, abar_T.

    Noise variances: (1 - alpha)(alpha - abar)/(1 - abar), the standard 1 - alpha, or (1 - alpha) alpha.
    """
    with precision(bits):
        times = schedule(T, C0, C1, bits)
        v = arb(1)
        for beta, abar in zip(reversed(times.beta[1:]), reversed(times.abar[1:])):
            alpha = 1 - beta
            if noise == ADAPTED:
                sigma = beta * (alpha - abar) / (1 - abar)
            else:
                sigma = beta if noise == STANDARD_NOISE else beta * alpha
            k = 1 - beta / (abar * s2 + 1 - abar)
            v = (k * k * v + sigma) / alpha
        return times.abar[0] * s2 + 1 - times.abar[0], v, times.abar[0], times.abar[-1]


LENGTHS = PAPER.family(
    "lengths", T=ByBudget(quick=Choices(50, 200, 1000), full=Choices(50, 200, 1000, 5000)), every=True
)
EMPTY = PAPER.family(
    "empty-directions",
    T=ByBudget(quick=Choices(200, 1000), full=Choices(200, 1000, 5000)),
    m=Choices(1, 10, 100, 1000),
    every=True,
)
DATA = PAPER.family(
    "data-directions",
    k=Choices(1, 10, 100),
    times=ByBudget(quick=Choices((200, 1000, 5000)), full=Choices((200, 1000, 5000, 25000))),
    every=True,
)


@PAPER.identity(
    source="journal abstract: O(k/T) with careful coefficients, recalled from the authors' earlier work",
    fidelity="derived",
    evidence="certified",
    family=LENGTHS,
    part="error in empty directions",
    method="variances in balls of 400 bits, where the error of order abar_T^2 is visible; one reverse step as an identity of symbols",
    hypotheses="Gaussian targets on a coordinate subspace of dimension k, N(0, 1) along it; exact scores, c0 = 2, c1 = 9/2",
    not_established="curved supports and laws that are not Gaussian",
)
def low_dimensional_adaptation(T, *, noise=ADAPTED, power=2):
    r"""Take noise of variance $\sigma_t^2 = (1 - \alpha_t) \frac{\alpha_t - \bar\alpha_t}{1 - \bar\alpha_t}$ in place of $1 - \alpha_t$. If the target is supported on a
    $k$-dimensional coordinate subspace of $\mathbb{R}^d$, then in each of the $d - k$ empty directions the variance $v_1$ of $Y_1$ satisfies
    $$\frac{v_1}{1 - \bar\alpha_1} - 1 = \frac{\bar\alpha_T^2 (1 - \bar\alpha_1)}{\bar\alpha_1 (1 - \bar\alpha_T)^2} \le \frac{\bar\alpha_T}{1 - \bar\alpha_T},$$
    so that $m$ of them add at most $\sqrt m\, \bar\alpha_T$ to the total variation, whereas along a Gaussian target
    $\frac18 \le \mathrm{TV} \cdot T/(c_1 \sqrt k \log T) \le \frac15$: the error depends on $k$ only. With the standard noise it grows with $d - k$.
    """

    def errors():
        with precision(max(FINE, ctx.prec)):
            exact, v, first, last = direction(T, Q(0), noise, ctx.prec)
            return v / exact - 1, last**power * (1 - first) / (first * (1 - last) ** 2), last

    yield "error in empty directions", eq(lambda: errors()[0], lambda: errors()[1], within=Q(1, 10**60))
    yield "at most abar_T/(1 - abar_T)", le(lambda: (abs(errors()[0]), errors()[2] / (1 - errors()[2])))


@low_dimensional_adaptation.check("empty directions", family=EMPTY)
def _empty(T, m, *, noise=ADAPTED):
    def sides():
        with precision(max(FINE, ctx.prec)):
            exact, v, _, last = direction(T, Q(0), noise, ctx.prec)
            return tv_variances(m, exact, v), arb(m).sqrt() * last

    yield "TV in empty directions", le(sides)


@low_dimensional_adaptation.check("data directions", family=DATA)
def _data(k, times, *, exponent=-1, window=WINDOW):
    def tv(T):
        exact, v, *_ = direction(T, Q(1), ADAPTED, max(BITS, ctx.prec))
        return tv_variances(k, exact, v)

    def quotients():
        return [tv(T) * T / (C1 * arb(k).sqrt() * logarithm(T)) for T in times]

    yield "data directions: exponent", slope(times, lambda: [tv(T) for T in times], exponent, logs=1, within=Q(1, 20))
    yield "data directions: at least", le(window[0], quotients)
    yield "data directions: at most", le(quotients, window[1])
    if k == 10 and exponent == -1:
        figure, axes = "10 data directions and 1000 empty ones", ("steps T", "TV")
        with precision(FINE):
            empty = {
                name: [tv_variances(1000, *direction(T, Q(0), name, FINE)[:2]) for T in times]
                for name in (ADAPTED, STANDARD_NOISE)
            }
        for name, values in empty.items():
            yield curve(figure, times, values, series=f"empty, {name} noise", axes=axes)
        yield curve(figure, times, [tv(T) for T in times], series="data, adapted noise")


@low_dimensional_adaptation.proof(
    "one step",
    covers="all 0 < alpha < 1, 0 < abar < 1, v",
    rests_on=(
        "the excess over 1 - abar is multiplied by k_t^2/alpha_t with k_t = alpha_t (1 - abar_{t-1})/(1 - abar_t); from abar_T at t = T the "
        "product over t = T, ..., 2 telescopes",
    ),
)
def _one_step(*, adapted=True):
    alpha, before = symbols("alpha abar_before", above=0, upper=1)
    v = symbols("v")
    abar = alpha * before
    sigma = (1 - alpha) * (alpha - abar) / (1 - abar) if adapted else (1 - alpha) * alpha
    k = 1 - (1 - alpha) / (1 - abar)
    yield eq(k, alpha * (1 - before) / (1 - abar))
    yield eq((k**2 * v + sigma) / alpha - (1 - before), k**2 / alpha * (v - (1 - abar)))


low_dimensional_adaptation.mutant(
    "standard noise 1 - alpha_t", noise=STANDARD_NOISE, breaks="error in empty directions"
)
low_dimensional_adaptation.mutant(
    "noise (1 - alpha_t) alpha_t", noise=WITHOUT_RATIO, breaks="error in empty directions"
)
low_dimensional_adaptation.mutant("error of the first order in abar_T", power=1, breaks="error in empty directions")
low_dimensional_adaptation.mutant(
    "standard noise: TV", noise=STANDARD_NOISE, on="empty-directions", breaks="TV in empty directions"
)
low_dimensional_adaptation.mutant(
    "noise (1 - alpha_t) alpha_t: TV", noise=WITHOUT_RATIO, on="empty-directions", breaks="TV in empty directions"
)
low_dimensional_adaptation.mutant("noise (1 - alpha_t) alpha_t in one step", adapted=False, breaks="one step")
low_dimensional_adaptation.mutant(
    "exponent -1.1 along the data", exponent=Q(-11, 10), breaks="data directions: exponent"
)
low_dimensional_adaptation.mutant(
    "0.15 in place of 1/8", window=(Q(3, 20), Q(1, 5)), breaks="data directions: at least"
)
low_dimensional_adaptation.mutant("0.16 in place of 1/5", window=(Q(1, 8), Q(4, 25)), breaks="data directions: at most")
