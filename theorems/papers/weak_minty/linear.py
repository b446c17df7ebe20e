"""Linear convergence of EC-PPA under metric subregularity."""

from __future__ import annotations

from flint import acb

from solvers.enclosures import precision
from theorems import Choices, Q, le, symbols
from theorems.papers.weak_minty.methods import Rules, always, decided, ec_ppa, rotating, square
from theorems.papers.weak_minty.paper import PAPER
from theorems.papers.weak_minty.polar import constants
from theorems.papers.weak_minty.rate import BITS, GAMMA, HALF, RUNS, operators, states, tolerance


def contraction(gamma, sigma, rho, lam, m, gain=1):
    """The factor of linear convergence of the squared distance."""
    return 1 - gain * lam * (2 - lam) * (gamma * (1 - sigma) + rho) ** 2 / (gamma * (1 + sigma) + 1 / m) ** 2


@PAPER.bound(
    source="abstract: linear convergence under appropriate conditions, here metric subregularity",
    fidelity="derived",
    evidence="certified",
    family=operators("subregular", 12, 40),
    part="random operators",
    method=RUNS,
    hypotheses="|F(x)| >= m |x - x*| for all x, beside the hypotheses of ec-ppa-rate",
    not_established="the paper's own condition; the factor is nearly attained by slow rotations only",
)
def linear_convergence(u, radii, share, lam, *, gain=1):
    r"""If in addition $|F(x)| \ge m|x - x^*|$ for all $x$, every step of EC-PPA contracts:
    $$|x_{k+1} - x^*|^2 \le \Big[1 - \frac{\lambda(2 - \lambda)(\gamma(1 - \sigma) + \rho)^2}{(\gamma(1 + \sigma) + 1/m)^2}\Big]|x_k - x^*|^2.$$
    """
    known = constants(u)
    sigma = tolerance(share, GAMMA, known.rho)
    run = states(u, radii, share, lam, 200)
    with precision(BITS):
        factor = contraction(GAMMA, sigma, known.rho, lam, known.m, gain)
        bounds = [factor * x2 for x2 in run.before]
    yield "each step", le(run.after, bounds)


@linear_convergence.check(
    "slow rotations",
    domain={"s": Choices(Q(1, 20), Q(3, 10), Q(1, 100)), "rho": Choices(Q(-1, 2), Q(-1, 10), Q(-4, 5))},
    every=True,
)
def _slow(s, rho, *, gain=1, operator="rotation"):
    gamma, sigma = Q(9, 20) if operator == "flat" else GAMMA, Q(1, 1000)
    if operator == "flat":  # i z |z|: rho = 0, Lipschitz constant 2 in the unit disc, no m > 0
        rho, m = Q(0), HALF
        run = decided(lambda: ec_ppa(_flat, [acb(1)], Rules(gamma, always(sigma), rho, Q(1)), 60))
    else:
        m = s
        run = decided(lambda: rotating([(s, rho * s)], Rules(gamma, always(sigma), rho, Q(1)), 60))
    factor = contraction(gamma, sigma, rho, 1, m, gain)
    bound = [factor * t for t in run.x2[:-1]]
    yield "each step of a rotation", le(run.x2[1:], bound)


def _flat(x):
    return [acb(0, 1) * z * square([z]).sqrt() for z in x]


@linear_convergence.proof(
    "distance to the zero",
    rests_on=("|x - x*| <= |x - z| + |z - x*|, |x - z| <= gamma (1 + sigma) |v|, |z - x*| <= |v|/m",),
)
def _distance(*, gain=1):
    v, m, gamma = symbols("v m gamma", positive=True)
    sigma, lam = symbols("sigma", nonnegative=True), symbols("lambda", lower=0, upper=2)
    alpha = symbols("alpha", nonnegative=True)
    share = symbols("share", lower=0, upper=1)  # |x - x*| = share * (its bound)
    reach = (gamma * (1 + sigma) + 1 / m) * v
    descent = lam * (2 - lam) * alpha**2 * v**2
    yield (
        "descent in terms of the distance",
        le(gain * lam * (2 - lam) * alpha**2 / (gamma * (1 + sigma) + 1 / m) ** 2 * (share * reach) ** 2, descent),
    )


linear_convergence.mutant("contraction gap 4 times larger", gain=4, breaks="each step of a rotation")
linear_convergence.mutant(
    "contraction gap 5 % larger in the proof", gain=Q(21, 20), breaks="descent in terms of the distance"
)
linear_convergence.mutant("no metric subregularity", operator="flat", breaks="each step of a rotation")
