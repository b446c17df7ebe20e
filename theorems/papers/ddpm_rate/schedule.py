"""The noise schedule: largest steps, relative steps, and how little of the target is left at time T."""

from __future__ import annotations

from flint import arb, ctx

from solvers.enclosures import precision
from theorems import ByBudget, Choices, Q, curve, le, shared
from theorems.papers.ddpm_rate.paper import PAPER
from theorems.papers.ddpm_rate.sampler import HALF, logarithm, schedule, step_size, within_half

CONSTANTS = ((Q(1), Q(5, 2)), (Q(2), Q(9, 2)), (Q(2), Q(8)), (Q(5), Q(12)), (Q(1), Q(8)))
SCHEDULES = PAPER.family(
    "schedules",
    T=ByBudget(quick=Choices(50, 100, 300, 1000), full=Choices(50, 100, 300, 1000, 10**4, 10**5)),
    c=Choices(*CONSTANTS),
    where=lambda T, c: within_half(T, c[1]) and c[1] > 2 * c[0],
    every=True,
)
SHARPER = Q(12, 5)
NARROW = PAPER.family(
    "nearly-too-narrow",
    T=Choices(1000),
    c=Choices((Q(2), Q(21, 5)), (Q(3), Q(13, 2))),
    every=True,
)


@shared
def largest_ratios(T, c0, c1, bits):
    """max beta_t, max over t >= 2 of beta_t/(1 - abar_t) and of beta_t/(alpha_t - abar_t), and abar_T."""
    with precision(bits):
        times = schedule(T, c0, c1, bits)
        largest, first, second = times.beta[0], arb(0), arb(0)
        for beta, abar in zip(times.beta[1:], times.abar[1:]):
            largest = largest.max(beta)
            first = first.max(beta / (1 - abar))
            second = second.max(beta / (1 - beta - abar))
        return largest, first, second, times.abar[-1]


@PAPER.bound(
    source="Lemma 7",
    fidelity="paper",
    evidence="certified",
    family=(SCHEDULES, NARROW),
    method="the whole schedule in balls, the largest ratio over all t",
    hypotheses="c1 log T/T <= 1/2 and c1 > 2 c0 (c0, c1 large in the paper, without values)",
    not_established="values of c0, c1 and T beyond the listed ones; the constant 8 has a slack of 3.4 on them, which is why 12/5 is tested too",
)
def schedule_lemma(T, c, *, constant=8, sharper=SHARPER, decay=HALF):
    r"""Let $\beta_1 = T^{-c_0}$, $\beta_{t+1} = \frac{c_1 \log T}{T} \min\{\beta_1 (1 + \frac{c_1 \log T}{T})^t, 1\}$, $\alpha_t = 1 - \beta_t$,
    $\bar\alpha_t = \prod_{i \le t} \alpha_i$, with $\frac{c_1 \log T}{T} \le \frac12$ and $c_1 > 2c_0$. Then for all $t$
    $$\alpha_t \ge 1 - \frac{c_1 \log T}{T} \ge \frac12, \qquad
    \frac{1 - \alpha_t}{1 - \bar\alpha_t} \le \frac{1 - \alpha_t}{\alpha_t - \bar\alpha_t} \le \frac{8 c_1 \log T}{T} \; (t \ge 2), \qquad
    \bar\alpha_T \le T^{-c_1/2};$$
    on the instances the constant 8 may be replaced by $12/5$.
    """
    c0, c1 = c

    def extremes():
        return largest_ratios(T, c0, c1, max(128, ctx.prec))

    step = step_size(T, c1)
    yield (
        "largest step",
        le(lambda: [extremes()[0], step_size(T, c1)], lambda: [step_size(T, c1), Q(1, 2)], within=Q(1, 10**20)),
    )
    yield "both ratios in order", le(lambda: extremes()[1:3])
    yield "relative step", le(lambda: extremes()[2], lambda: constant * step_size(T, c1))
    yield "relative step, sharper", le(lambda: extremes()[2], lambda: sharper * step_size(T, c1))
    yield "what is left at T", le(lambda: extremes()[3], lambda: (-decay * c1 * logarithm(T)).exp())
    if T == 1000:
        every = slice(0, T, 10)
        beta = schedule(T, c0, c1, 128).beta
        axes = ("time t", "step beta_t in units of c1 log T/T")
        series = f"c0 = {c0}, c1 = {c1}"
        yield curve(
            "noise schedule, T = 1000",
            range(1, T + 1)[every],
            [b / step for b in beta[every]],
            series=series,
            axes=axes,
        )


schedule_lemma.mutant("constant 3/2 in place of 8", constant=Q(3, 2), breaks="relative step")
schedule_lemma.mutant("constant 11/5", sharper=Q(11, 5), breaks="relative step, sharper")
schedule_lemma.mutant("abar_T <= T^(-c1)", decay=1, breaks="what is left at T")
schedule_lemma.mutant("abar_T <= T^(-0.95 c1)", decay=Q(19, 20), breaks="what is left at T")
schedule_lemma.mutant(
    "without c1 > 2 c0",
    domain={"c": Choices((Q(2), Q(11, 5)), (Q(3), Q(7, 2)), (Q(4), Q(21, 5)))},
    on="nearly-too-narrow",
    breaks="what is left at T",
)
