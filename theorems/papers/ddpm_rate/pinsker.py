"""The direct analysis of total variation gains a square root over the divergence of whole paths and Pinsker's inequality."""

from __future__ import annotations

from flint import arb, ctx

from solvers.enclosures import precision
from solvers.gaussian_tv import tv_variances
from theorems import ByBudget, Choices, Q, curve, le, shared, slope
from theorems.papers.ddpm_rate.gaussian import BITS, STANDARD
from theorems.papers.ddpm_rate.paper import PAPER
from theorems.papers.ddpm_rate.sampler import DDPM, HALF, HALF_DRIFT, HALF_NOISE, NOT_RESCALED, ends, schedule

DIMENSIONS = (1, 4, 16, 64, 256, 1024)
TIMES = ByBudget(quick=Choices((400, 800, 1600, 3200, 6400)), full=Choices(tuple(200 * 2**j for j in range(8))))
STANDARD_NORMAL = PAPER.family("standard-normal", times=TIMES, d=Choices(1, 4), every=True)
OTHERS = PAPER.family(
    "other-variances", times=TIMES, d=ByBudget(quick=Choices(1), full=Choices(1, 16)), s2=Choices(Q(0), Q(1, 4), Q(4)), every=True
)  # fmt: skip
ONE_LENGTH = PAPER.family("dimensions", T=Choices(3200), every=True)


@shared
def path_divergence(T, bits):
    """KL(X_1, ..., X_T || Y_1, ..., Y_T) for the standard normal target in one dimension (d times this in d)."""
    with precision(bits):
        beta = schedule(T, STANDARD[0], STANDARD[1], bits).beta
        return sum((-b - (1 - b).log() for b in beta[1:]), arb(0)) / 2


def error(T, s2, d, sampler=DDPM):
    """TV(p_{X_1}, p_{Y_1}) at the kernel's precision."""
    bits = max(BITS, ctx.prec)
    e = ends(T, STANDARD[0], STANDARD[1], s2, Q(0), sampler, bits)
    return tv_variances(d, e.v, e.w)


def divergence(T, d):
    """The divergence of the paths at the kernel's precision."""
    return d * path_divergence(T, max(BITS, ctx.prec))


@PAPER.rate(
    source="remark after Theorem 1",
    fidelity="paper",
    evidence="certified",
    family=STANDARD_NORMAL,
    part="TV in T",
    method="exact Gaussian laws in balls; the conditional laws of X_{t-1} and of Y_{t-1} are Gaussian with equal means and the variances "
    "1 - alpha_t and (1 - alpha_t)/alpha_t; exponents are least-squares slopes",
    hypotheses="target N(0, I_d) (N(0, s2 I_d) with s2 in {0, 1/4, 4} for TV), exact scores, c0 = 2, c1 = 9/2",
    not_established="targets that are not Gaussian",
    rests_on=("X_T and Y_T have one law for s2 = 1; the divergence of paths is the sum of conditional divergences",),
)
def tv_rate_beats_pinsker_route(times, d, *, exponent=-1, route=-HALF, divergence_exponent=-1, sampler=DDPM):
    r"""For the target $N(0, I_d)$ with exact scores and $d$ fixed, $\mathrm{TV}(p_{X_1}, p_{Y_1})/\log T$ has the exponent $-1$ in $T$, while the
    divergence of the paths
    $$\mathrm{KL}(X_{1..T} \| Y_{1..T}) = \sum_{t=2}^T \frac d2 (\alpha_t - 1 - \log \alpha_t) = \Theta\Big(\frac{d \log^2 T}{T}\Big),$$
    so that the route through Pinsker's inequality, $\sqrt{\mathrm{KL}/2}/\log T$, has the exponent $-\frac12$. In $d$, $\mathrm{TV}$ has an exponent
    at most 1 (here $\frac12$). The exponent of $\mathrm{TV}$ in $T$ is the same for $N(0, s^2 I_d)$, $s^2 \in \{0, \frac14, 4\}$.
    """
    yield (
        "TV in T",
        slope(times, lambda: [error(T, Q(1), d, sampler) for T in times], exponent, logs=1, within=Q(1, 50)),
    )

    def pinsker():
        return [(divergence(T, d) / 2).sqrt() for T in times]

    yield "Pinsker's route in T", slope(times, pinsker, route, logs=1, within=Q(1, 50))
    yield (
        "divergence of paths in T",
        slope(times, lambda: [divergence(T, d) for T in times], divergence_exponent, logs=2, within=Q(1, 50)),
    )
    yield "Pinsker's inequality", le(lambda: [error(T, Q(1), d, DDPM) for T in times], pinsker)
    if sampler is DDPM and exponent == -1:
        figure, axes = f"two bounds of the sampling error, N(0, I_{d})", ("steps T", "total variation")
        yield curve(figure, times, [error(T, Q(1), d) for T in times], series="TV", axes=axes)
        yield curve(figure, times, pinsker(), series="Pinsker's route", mark="dots")


@tv_rate_beats_pinsker_route.check("TV in T, other variances", family=OTHERS)
def _other_variances(times, d, s2, *, exponent=-1, sampler=DDPM):
    return slope(times, lambda: [error(T, s2, d, sampler) for T in times], exponent, logs=1, within=Q(1, 25))


@tv_rate_beats_pinsker_route.check("in d", family=ONE_LENGTH)
def _in_d(T, *, dimension=HALF):
    yield (
        "TV in d",
        slope(DIMENSIONS, lambda: [error(T, Q(1), d) for d in DIMENSIONS], dimension, within=Q(3, 100), drift=Q(1, 10)),
    )
    yield (
        "TV in d at most linear",
        slope(
            DIMENSIONS,
            lambda: [error(T, Q(1), d) for d in DIMENSIONS],
            1,
            within=Q(1, 100),
            side="upper",
            drift=Q(1, 10),
        ),
    )


tv_rate_beats_pinsker_route.mutant("TV like T^(-1/2)", exponent=-HALF, breaks="TV in T")
tv_rate_beats_pinsker_route.mutant("TV like T^(-2)", exponent=-2, breaks="TV in T")
tv_rate_beats_pinsker_route.mutant("TV like T^(-0.95)", exponent=Q(-19, 20), breaks="TV in T")
tv_rate_beats_pinsker_route.mutant(
    "TV like T^(-0.95), other variances", exponent=Q(-19, 20), breaks="TV in T, other variances"
)
tv_rate_beats_pinsker_route.mutant("Pinsker's route like 1/T", route=-1, breaks="Pinsker's route in T")
tv_rate_beats_pinsker_route.mutant("Pinsker's route like T^(-0.55)", route=Q(-11, 20), breaks="Pinsker's route in T")
tv_rate_beats_pinsker_route.mutant(
    "divergence O(log^2 T/T^2)", divergence_exponent=-2, breaks="divergence of paths in T"
)
tv_rate_beats_pinsker_route.mutant("TV linear in d", dimension=1, breaks="TV in d")
for _name, _sampler in (("half the drift", HALF_DRIFT), ("half the noise", HALF_NOISE), ("no rescaling", NOT_RESCALED)):
    tv_rate_beats_pinsker_route.mutant(_name, sampler=_sampler, breaks=("TV in T", "TV in T, other variances"))
