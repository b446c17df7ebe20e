"""The error of the average of q debiased inverse Hessians: sqrt(d_lam/(mq)) down to the bias."""

from __future__ import annotations

import numpy as np

from theorems import ByBudget, Choices, Q, prob_le
from theorems.papers.newton_marchenko_pastur.paper import PAPER
from theorems.papers.newton_marchenko_pastur.sketched import Runs, hessian, sketches

TENTH, HALF = Q(1, 10), Q(1, 2)
LOWEST, HIGHEST = Q(4, 5), Q(4)
STEEPEST, FLATTEST = Q(-3, 5), Q(-19, 50)

FEW_ROWS = PAPER.family(
    "few-rows",
    instance=ByBudget(
        quick=Choices(("geo", 128, 4, 8), ("pow", 128, 8, 16)),
        full=Choices(
            *(
                (kind, d, d_lam, m)
                for kind in ("geo", "pow")
                for d in (64, 128, 256)
                for d_lam, m in ((4, 8), (8, 16), (8, 32))
            )
        ),
    ),
    q=ByBudget(quick=(16, 64), full=(16, 64, 200)),
    runs=ByBudget(quick=20, full=40),
    every=True,
)
FIXED_SHARE = PAPER.family(
    "fixed-share",
    instance=ByBudget(
        quick=Choices(("geo", 32, 16, 32)),
        full=Choices(("geo", 32, 16, 32), ("geo", 64, 32, 64), ("geo", 32, 16, 64), ("geo", 64, 16, 64)),
    ),
    q=(4, 16, 64),
    runs=ByBudget(quick=40, full=100),
    every=True,
)
MANY_WORKERS = PAPER.family(
    "many-workers",
    instance=ByBudget(
        quick=Choices(("geo", 16, 8, 16)),
        full=Choices(("geo", 16, 8, 16), ("geo", 32, 16, 32), ("geo", 64, 32, 64), ("geo", 64, 16, 64)),
    ),
    q=(256,),
    runs=ByBudget(quick=20, full=40),
    every=True,
)


def average_errors(rng, instance, q, estimate):
    """The norms of Err for the averages of the first q_1 < q_2 < ... workers, shape (len(q),)."""
    kind, d, dimension, m = instance
    H = hessian(kind, d, dimension)
    inside, outside = H.weights(m, estimate)
    A = sketches(rng, q[-1], m, H.k)
    root = np.sqrt(H.k + H.lam)
    if m < d:  # (Khat + l)^{-1} = (I - A^T (A A^T + l)^{-1} A) / l
        S = A @ A.transpose(0, 2, 1)
        S[:, range(m), range(m)] += inside
        B = np.linalg.solve(np.linalg.cholesky(S), A)
    else:
        S = A.transpose(0, 2, 1) @ A
        S[:, range(d), range(d)] += inside
        R = np.linalg.inv(S)
    norms, total, done = [], np.zeros((d, d)), 0
    for count in q:
        if m < d:
            rows = B[done:count].reshape(-1, d)
            total += rows.T @ rows
            mean = (np.eye(d) - total / count) / inside
        else:
            total += R[done:count].sum(axis=0)
            mean = total / count
        done = count
        error = outside * root[:, None] * mean * root - np.eye(d)
        norms.append(np.abs(np.linalg.eigvalsh(error)).max())
    return np.array(norms)


def scale(instance, q, which="d_lam"):
    """sqrt(d_lam/(m q)), or the same with d, for each q."""
    _, d, dimension, m = instance
    return np.sqrt((dimension if which == "d_lam" else d) / (m * np.array(q)))


@PAPER.rate(
    source="number of workers q of order d/(m eps^2) for accuracy eps, m of order 1/eps^2",
    fidelity="paper",
    evidence="statistical",
    family=FEW_ROWS,
    part="upper bound, few rows",
    method="simulated averages (nested in q within a run), events decided by exact binomial bounds at a fixed number of runs",
    hypotheses="m >= 2 d_lam >= 8, q >= 4; K diagonal with k_i = i^{-2} or k_i = 10^{-8(i-1)/(d-1)}",
    not_established="constants of the paper's own theorem; (ii) for smaller d, where errors scatter: at d = 16, d_lam = 8, m = 16 one run in eight "
    "exceeds 4, at d = 8 one in two. With twenty runs (quick budget, few rows, plain average) 9 failures pass for a probability of 1/10, with forty "
    "(fixed share) 14: what is excluded is a bound that fails typically",
)
def averaged_error_scaling(instance, q, runs, *, constant=5, estimate="debiased"):
    r"""Let $\mathrm{Err} = H^{1/2} \hat H^{-1}_q H^{1/2} - I$ with the average $\hat H^{-1}_q$ of $q$ independent debiased estimates from
    $m \ge 2d_\lambda \ge 8$ rows each. (i) With probability at least 9/10,
    $$\|\mathrm{Err}\| \le 5 \sqrt{d_\lambda/(mq)} + 4/m$$ whatever the relation between $m$ and $d$. (ii) When $d_\lambda/d$ is between
    1/4 and 1/2 and $d \ge 32$ the error is two-sided of this order: $\frac45 \le \|\mathrm{Err}\| \sqrt{mq/d} \le 4$ with probability at least 9/10 for
    $q \le 64$, and the median slope of $\log\|\mathrm{Err}\|$ on $\log q$ over $q = 4, 16, 64$ lies in $[-0.6, -0.38]$. (iii) At $q = 256$ the average of
    plain estimates is, with probability at least 9/10, at least 4 times as far from $H^{-1}$: it stalls at its bias.
    """
    bounds = float(constant) * scale(instance, q) + 4 / instance[3]

    def exceeds(rng):
        return bool((average_errors(rng, instance, q, estimate) > bounds).any())  # event

    yield prob_le(exceeds, TENTH, fixed=runs, within=Q(3, 5))


@averaged_error_scaling.check("two-sided", family=(FIXED_SHARE,), tests=5)
def _two_sided(instance, q, runs, *, constant=5, estimate="debiased", exponent=HALF, highest=HIGHEST):
    bounds = float(constant) * scale(instance, q) + 4 / instance[3]
    simulated = Runs(lambda rng: average_errors(rng, instance, q, estimate))
    unit = scale(instance, q, "d")
    logs = np.log(np.array(q)) - np.log(np.array(q)).mean()
    steepest, flattest = (float(x - exponent + HALF) for x in (STEEPEST, FLATTEST))

    def slope_of(norms):
        return float(logs @ np.log(norms) / (logs @ logs))

    exceeds = simulated.draw(lambda norms: bool((norms > bounds).any()))  # event
    below = simulated.draw(lambda norms: bool((norms < float(LOWEST) * unit).any()))  # event
    above = simulated.draw(lambda norms: bool((norms > float(highest) * unit).any()))  # event
    steep = simulated.draw(lambda norms: slope_of(norms) < steepest)  # event
    flat = simulated.draw(lambda norms: slope_of(norms) > flattest)  # event
    yield "upper bound", prob_le(exceeds, TENTH, fixed=runs)
    yield "scaled error at least 4/5", prob_le(below, TENTH, fixed=runs)
    yield "scaled error at most 4", prob_le(above, TENTH, fixed=runs)
    yield "median slope at least -0.6", prob_le(steep, HALF, fixed=runs, within=Q(7, 10))
    yield "median slope at most -0.38", prob_le(flat, HALF, fixed=runs, within=Q(7, 10))


@averaged_error_scaling.check("plain average", family=MANY_WORKERS)
def _plain(instance, q, runs, *, estimate="plain", factor=4):
    def near(rng):
        error = average_errors(rng, instance, q, estimate)
        return bool(error[0] < float(factor) * average_errors(rng, instance, q, "debiased")[0])  # event

    yield "plain at least 4 times as far", prob_le(near, TENTH, fixed=runs, within=Q(3, 5))


SMALL = {"instance": Choices(("geo", 16, 8, 16))}
averaged_error_scaling.mutant("constant 2 for 5 in (i)", constant=2, on="two-sided", breaks="upper bound")
averaged_error_scaling.mutant("constant 11/4 for 5 in (i)", constant=Q(11, 4), on="two-sided", breaks="upper bound")
averaged_error_scaling.mutant(
    "(ii) claimed for d_lam = d/16",
    on="two-sided",
    breaks="scaled error at least 4/5",
    domain={"instance": Choices(("geo", 64, 4, 8))},
)
averaged_error_scaling.mutant(
    "plain called debiased", estimate="plain", on="two-sided", domain=SMALL, breaks="scaled error at most 4"
)
averaged_error_scaling.mutant(
    "prefactor without scaled regularisation",
    estimate="prefactor only",
    on="two-sided",
    breaks="median slope at most -0.38",
)
averaged_error_scaling.mutant(
    "exponent -1 in q", exponent=1, on="two-sided", domain=SMALL, breaks="median slope at most -0.38"
)
averaged_error_scaling.mutant("exponent -1/4 in q", exponent=Q(1, 4), breaks="median slope at least -0.6")
averaged_error_scaling.mutant(
    "debiased at least 4 times as far as debiased",
    estimate="debiased",
    on="plain average",
    breaks="plain at least 4 times as far",
)
averaged_error_scaling.mutant("plain 10 times as far", factor=10, breaks="plain at least 4 times as far")
