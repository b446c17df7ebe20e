"""One model on clean labels: the exponent of survival over contamination, and the transition of its accuracy."""

from __future__ import annotations

import math
from typing import Any

from solvers.min_norm import Reals
from theorems import ByBudget, Choices, Coefficients, Q, bracket, eq, le, symbols
from theorems.papers.weak_to_strong.ensemble import Bilevel, clean, coin_clean, ensemble, ratios
from theorems.papers.weak_to_strong.medians import HALF, median_exponent, median_value, once
from theorems.papers.weak_to_strong.paper import PAPER

EXACT = (
    "exact in law at every d: the quadratic forms of labels and favoured features in the inverse of the bulk's Gram matrix are an "
    "inverse Wishart matrix of s + 1 rows"
)
CAPPED = ensemble(400, 150, 50)
INSTANCES = PAPER.family(
    "clean",
    kind=ByBudget(
        quick=Choices(
            ensemble(400, 220, 20), ensemble(400, 250, 20), CAPPED, ensemble(200, 130, 40), ensemble(400, 190, 20)
        ),
        full=Choices(
            ensemble(400, 220, 20),
            ensemble(400, 250, 20),
            CAPPED,
            ensemble(200, 130, 40),
            ensemble(400, 190, 20),
            ensemble(400, 280, 20),
            ensemble(250, 100, 30),
            ensemble(250, 160, 40),
        ),
    ),
    sizes=ByBudget(
        quick=Choices((243, 7776)), full=Choices((243, 7776), (1024, 10**5))
    ),  # fifth powers, so that n^r is an integer
    trials=ByBudget(quick=Choices(40), full=Choices(60)),
    where=lambda kind: kind.q + kind.r > 1 and kind.r < 1,
    every=True,
)


def pairs(kind: Bilevel, sizes: tuple[int, int], trials: int, model: Any = clean) -> Any:
    """Independent draws of R at both sizes."""

    def simulate(rng: Any) -> tuple[Reals, Reals]:
        small, large = (ratios(model(rng, trials, n, kind))[:, 0] for n in sizes)
        return small, large

    return once(simulate)


def limit(kind: Bilevel, n: int) -> float:
    """R in the unsaturated limit: c n l_F / sqrt(l_F^2 n (s - 1) + n (d - s) l_U), c^2 = 2/pi."""
    level = kind.at(n)
    bulk = (level.d - level.s) * level.unfavoured
    return math.sqrt(2 * n / math.pi) * level.favoured / math.sqrt(level.favoured**2 * (level.s - 1) + bulk)


@PAPER.rate(
    source="accuracy of minimum-norm interpolation under the bi-level ensemble with clean 1-sparse labels",
    fidelity="paper",
    evidence="statistical",
    family=INSTANCES,
    tests=4,
    method=f"medians of local exponents between two sizes by exact binomial bounds; {EXACT}; the formula of the unsaturated limit is "
    "an identity of rational functions",
    hypotheses="p > 1, q + r > 1, r < 1, q + r < p",
    not_established="the o(1): between n = 243 and 7776 the median local exponent is within 1/20 of the limit, which says nothing of "
    "other scales; the saturated regime q + r <= 1; with 40 trials an event seen in 7 of them passes for a probability of 1/2",
    rests_on=(
        "unsaturated limit A ~ d I (d much larger than n l_F and n): survival l_F n c/d, c = sqrt(2/pi), squared contamination (l_F^2 n s + n d)/d^2",
        "accuracy: the signs of two normals with correlation cos(theta) agree with probability 1 - theta/pi, and cot(theta) = R",
    ),
)
def clean_mni_exponent(kind, sizes, trials, *, exponent="min(1 - r, tau)", more=0, labels="clean", constant=1.0):
    r"""Bi-level ensemble $(p, q, r)$, $q + r > 1$, $r < 1$, $y = \mathrm{sgn}(g_1)$, $\tau = p + 1 - 2(q + r)$. Minimum-norm interpolation
    has $R = b_1/\sqrt{\sum_{j>1} b_j^2} = n^{\min(1-r, \tau)/2 + o(1)}$ in probability and accuracy $\frac12 + \frac1\pi\arctan R$: it tends
    to 1 if $\tau > 0$ and to $\frac12$ if $\tau < 0$. Checked: for independent $R_1$, $R_2$ at two sizes the median of
    $\log(R_2/R_1)/\log(n_2/n_1)$ is within $1/20$ of $\min(1-r, \tau)/2$; $R_2 > R_1$ has probability above $\frac12$ for $\tau \ge 1/10$ and
    below for $\tau \le -1/10$. In the unsaturated limit, with $c^2 = 2/\pi$, $c^2 R^{-2} = n^{-(1-r)} + n^{-\tau}$; the median of $R$ at $n_2$ is
    within a tenth of this, with $s - 1$ for $s$ and $l_U$ for 1.
    """
    twice = {"min(1 - r, tau)": kind.growth, "tau": kind.tau, "min(1 - r, tau - 1)": min(1 - kind.r, kind.tau - 1)}
    model = clean if labels == "clean" else coin_clean
    claimed = twice[exponent] / 2 + more
    drawn = pairs(kind, sizes, trials, model)
    yield from median_exponent("exponent", drawn, sizes, claimed, Q(1, 20), trials)
    yield from median_value("R", lambda rng: drawn(rng)[1], constant * limit(kind, sizes[1]), Q(1, 10), trials)


@clean_mni_exponent.check(
    "transition",
    domain={
        "r": ByBudget(quick=Choices(Q(1, 5)), full=Choices(Q(1, 5), Q(1, 2))),
        "sizes": ByBudget(quick=Choices((243, 7776)), full=Choices((1024, 10**5))),
    },
    every=True,
)
def _transition(r, sizes, *, star=HALF):
    p = Q(4)
    threshold = (p + 2 * star) / 2 - r

    def grows(q: Any, rng: Any) -> Any:
        small, large = pairs(Bilevel(p, q, r), sizes, 40)(rng)
        return large > small  # event

    centre = (p + 1) / 2 - r
    control = [centre + Q(k, 100) for k in (-40, -5, 5, 40)]
    yield "threshold in q", bracket(threshold, control, level=HALF, draw=grows, rising=False, limit=800)


@clean_mni_exponent.proof(
    "unsaturated limit",
    covers="all n, n^p, n^q, n^r > 0",
)
def _unsaturated(*, exponent="min(1 - r, tau)", samples=1):
    n, P, Q_, R, c = symbols("n P Q R c", positive=True)  # P = n^p, Q = n^q, R = n^r
    favoured, d, s = P / (Q_ * R), P, R
    survival = favoured * n * c / d
    contamination = (favoured**2 * n**samples * s + n * d) / d**2
    cap, bulk = R / n, Q_**2 * R**2 / (n * P)  # n^-(1 - r), n^-tau
    claimed = {"min(1 - r, tau)": cap + bulk, "tau": bulk, "min(1 - r, tau - 1)": cap + n * bulk}
    yield "unsaturated limit", eq(contamination / survival**2 * c**2, claimed[exponent])
    x, y = symbols("x y", positive=True)
    v = symbols("v", nonnegative=True)
    shift = Coefficients(shift={y: x + v})
    yield "the smaller power decides", le(x / 2, x * y / (x + y), given=[y - x], by=shift)
    yield "the smaller power decides, above", le(x * y / (x + y), x)


clean_mni_exponent.mutant(
    "p in place of p + 1", exponent="min(1 - r, tau - 1)", breaks="exponent: at most", anywhere=True
)
clean_mni_exponent.mutant("no cap 1 - r", exponent="tau", breaks="exponent: at least")
clean_mni_exponent.mutant("no cap 1 - r, in the unsaturated limit", exponent="tau", breaks="unsaturated limit")
clean_mni_exponent.mutant("exponent 1/10 larger", more=Q(1, 10), breaks="exponent: at least")
clean_mni_exponent.mutant("exponent 1/10 smaller", more=Q(-1, 10), breaks="exponent: at most")
clean_mni_exponent.mutant("coin-flip labels", labels="coin", breaks="R: at least")
clean_mni_exponent.mutant("c = 1 in place of sqrt(2/pi)", constant=1.2533141373155, breaks="R: at least")
clean_mni_exponent.mutant("threshold at tau = -1", star=Q(0), breaks="threshold in q")
clean_mni_exponent.mutant("threshold at tau = 1/4", star=Q(3, 8), breaks="threshold in q")
clean_mni_exponent.mutant("n^2 in the favoured contamination", samples=2, breaks="unsaturated limit")
