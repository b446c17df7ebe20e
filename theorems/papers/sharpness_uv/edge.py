"""The edge of stability: no stable minimum above the critical step, and the order parameter of the 2-cycle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Integers, Q, Rationals, bracket, eq, le, lt, shared, symbols
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.model import ball_sharpness, radicand, step

PATIENCE = 600  # steps within which a run is to converge
SETTLED = Q(1, 10**12)  # |D| below which it has


@dataclass(frozen=True)
class Run:
    """A run of gradient descent in function space.

    Attributes:
        converged: whether |D| fell below `SETTLED`, still falling, without meeting D = 0; None where balls cannot tell.
        D, trace: where it ended.
    """

    converged: bool | None
    D: Any
    trace: Any


@shared
def descend(eta: fmpq, c: fmpq, y: fmpq, D0: fmpq, trace0: fmpq) -> Run:
    """Gradient descent in balls until it has converged, left |D|, lambda < 10^4 / eta, or lost patience."""
    if D0 == 0:
        return Run(True, D0, trace0)  # a minimum, whatever its sharpness: the proviso of the claim
    for bits in (192, 768, 3072):
        with precision(bits):
            D, trace, before = arb(D0), arb(trace0), arb(0)
            for _ in range(PATIENCE):
                before = D
                D, trace = step(D, trace, eta, c, y)
                if abs(D) < SETTLED or not abs(D) + trace < 10**4 / eta:
                    break
            if abs(D) < SETTLED and abs(D) > 0 and abs(D) < abs(before):
                return Run(True, D, trace)
            if abs(D) > SETTLED:
                return Run(False, D, trace)
    return Run(None, D, trace)


def product(n, v, z, parallel) -> fmpq:
    """v.z of the first n entries, of z or of a copy of v (then lambda = 2 sqrt(c) |f|)."""
    return sum(a * b for a, b in zip(v[:n], v if parallel else z))


@PAPER.transition(
    source="abstract, item (ii): the edge of stability; critical value recalled, details derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "n": Integers(1, 4),
        "v": Arrays(Rationals(-2, 2, denominator=12), (4,)),
        "z": Arrays(Rationals(-2, 2, denominator=12), (4,)),
        "mu": Rationals(1, 4, denominator=100, open="left"),
        "parallel": Choices(True, False),
    },
    part="minima",
    quick=40,
    full=1000,
    where=lambda n, v, z, parallel: product(n, v, z, parallel) != 0,
    accept=0.5,
    method="(a) sign certificates; (b) runs in balls that certify D_t != 0 and the end; (c) polynomial identities modulo the equation "
    "of the cycle, and runs in balls of up to 3072 bits",
    hypotheses="(b) runs that converge within 600 steps; (c) starts near the edge-of-stability manifold",
    not_established="that no run at y = 0 stays bounded without converging; that bounded runs above the threshold stay at the edge of stability off a null set; the order parameter away from "
    "the sampled starts and values of mu",
)
def eos_threshold(n, v, z, mu, parallel, *, admissible=4):
    r"""Let $\mu = \eta\sqrt c|y|$. (a) A zero-loss point with $\eta\lambda \le 2$ exists iff $\mu \le 1$: for $\mu > 1$ every global minimum
    is unstable under gradient descent; for $y = 0$ there is no edge of stability. (b) Whenever gradient descent converges to zero loss
    without reaching $D_t = 0$ exactly at a finite step, $2\sqrt c|y| \le \lambda_\infty \le 2/\eta$. (c) The order parameter
    $\Phi = \langle|D|\rangle_t/|y|$ vanishes for $\mu < 1$, and for $1 < \mu < \sqrt5 - 1$ it is
    $\Phi = \frac{\sqrt{(1+\mu)^2 - 4}}{2\mu}$ (so $\Phi \sim \sqrt{\mu - 1}$), with $\langle\eta\lambda\rangle = 1 + \mu$,
    $\langle\eta\lambda_{\max}\rangle = \frac{3 + \mu}{2}$ and $B = 0$.
    """
    # z = U x and v of a zero-loss point in units |x| = 1, sigma^2 = c: f = sqrt(c) v.z, lambda = c (|v|^2 + |z|^2), eta = mu / (c |v.z|)
    vz = abs(product(n, v, z, parallel))
    v, z = v[:n], (v[:n] if parallel else z[:n])
    trace = sum(a * a for a in v) + sum(a * a for a in z)
    yield "admissible", le(admissible * vz * vz, trace * trace)
    yield "unstable above the threshold", lt(2 * vz, mu * trace)


@eos_threshold.proof(
    "no stable minimum above",
    rests_on=("lambda >= 2 sqrt(c) |f| because A and B are half the squared norms of |x| v +- z times sigma^2",),
)
def _no_stable_minimum(*, threshold=1, admissible=4):
    import sympy

    delta, eta, q = symbols("delta eta q", positive=True)
    s = symbols("s", nonnegative=True)
    y = (sympy.sympify(threshold) + delta) / (eta * q)  # mu = threshold + delta
    lam = sympy.sqrt(admissible) * q * y + s
    yield "eta lambda > 2 above the threshold", lt(2, sympy.expand(eta * lam))
    mu = symbols("mu", lower=0, upper=1)
    yield "a minimum with eta lambda <= 2 up to 1", le(eta * 2 * q * (mu / (eta * q)), 2)


@eos_threshold.proof(
    "no convergence to an unstable minimum",
    rests_on=(
        "if lambda_t -> lambda_inf > 2/eta and 0 != D_t -> 0, then eventually eta lambda_t >= 2 + 2e and |c eta^2 D (D + y)| <= e for some "
        "e > 0, and |D_{t+1}| >= (1 + e) |D_t| contradicts convergence; the lower end is the admissible set, which is closed",
    ),
)
def _no_convergence():
    e, t, s = symbols("e t s", nonnegative=True)
    yield "growth of |D| at an unstable minimum", le(1 + e, -(1 - (2 + 2 * e + s) + (e - t)))


RUNS = PAPER.family(
    "runs",
    mu=Rationals(Q(1, 20), Q(8, 5), denominator=200),
    q=Rationals(Q(1, 4), 2, denominator=20),
    y=Choices(Q(1), Q(1, 3), Q(-2), Q(0), Q(7, 3), Q(3, 2)),
    f0=Rationals(-4, 4, denominator=50),
    excess=Rationals(0, 4, denominator=50),
    exact_hit=Choices(False),
    where=lambda mu, q, y, f0, excess, exact_hit: converges(mu, q, y, f0, excess, exact_hit),
    accept=0.15,
    quick=40,
    full=800,
)


def setting(mu, q, y, f0, excess, exact_hit) -> tuple[fmpq, fmpq, fmpq, fmpq, fmpq]:
    """(eta, c, y, D0, lambda0) of a run; for y = 0 the step is mu / q."""
    f0 = y if exact_hit else f0
    eta = mu / (q * abs(y)) if y != 0 else mu / q
    return eta, q * q, y, f0 - y, 2 * q * abs(f0) + excess


def converges(mu, q, y, f0, excess, exact_hit) -> bool | None:
    """The hypothesis of (b); D_0 and D_1 are asked to be non-zero exactly, later ones by their balls."""
    start = setting(mu, q, y, f0, excess, exact_hit)
    eta, c, _, D, trace = start
    if not exact_hit and D * (1 - eta * trace + c * eta * eta * D * (D + y)) == 0:
        return False
    return descend(*start).converged


@eos_threshold.check("(b) converged runs", family=RUNS)
def _converged_runs(mu, q, y, f0, excess, exact_hit, *, upper=2, lower=2):
    """lambda is read where |D| < 1e-12, hence the slack on the upper side; the lower side is exact."""
    start = setting(mu, q, y, f0, excess, exact_hit)
    run = descend(*start)
    with precision(256):
        low = lower * q * abs(y) - 2 * q * abs(arb(run.D))
        top = start[0] * arb(run.trace)
    yield "(b) lower end", le(low, arb(run.trace), within=Q(1, 10**30))  # equal on the manifold B = 0
    yield "(b) upper end", le(top, upper + Q(1, 10**9))


CONTROL = ByBudget(
    quick=((Q(9, 10), Q(49, 50)), (Q(51, 50), Q(21, 20), Q(6, 5))),
    full=(
        (Q(1, 2), Q(4, 5), Q(9, 10), Q(19, 20), Q(49, 50)),
        (Q(51, 50), Q(21, 20), Q(11, 10), Q(6, 5)),
    ),
)


@shared
def long_run(mu: fmpq, q: fmpq, y: fmpq, f0: fmpq, trace0: fmpq) -> tuple[arb, arb, arb, arb]:
    """Means of |D|/y, eta lambda, eta lambda_max over the last two steps, and the last B/A.

    6000 steps below the threshold, where D shrinks slowly; 1500 above it, where balls lose up to two bits a step.
    """
    eta, c = mu / (q * y), q * q
    steps, bits = (6000, 512) if mu < 1 else (1500, 3072)
    with precision(bits):
        a, b, e, D, trace = arb(eta), arb(eta * c), arb(eta * eta * c), arb(f0 - y), arb(trace0)
        sums = [arb(0)] * 3
        for k in range(steps):
            if k >= steps - 2:
                seen = (abs(D) / y, a * trace, a * ball_sharpness(D, trace, arb(c), arb(y)))
                sums = [s + v / 2 for s, v in zip(sums, seen)]
            f = D + y
            D, trace = D * (1 - a * trace + e * D * f), trace + b * D * (a * D * trace - 4 * f)
        f = D + y
        return (*sums, (trace - 2 * q * f) / (trace + 2 * q * f))


ORDER = {
    "square root": lambda mu: ((1 + mu) * (1 + mu) - 4).sqrt() / (2 * mu),
    "linear": lambda mu: 5 * (mu - 1) * arb(Q(21, 25)).sqrt() / Q(12, 5),  # meets the true one at mu = 6/5
}


@eos_threshold.check(
    "(c) order parameter",
    domain={
        "control": CONTROL,
        "q": Rationals(Q(1, 3), 3, denominator=20),
        "y": Rationals(Q(1, 3), 3, denominator=20),
        "share": Rationals(0, Q(1, 5), denominator=50),
        "excess": Rationals(Q(1, 1000), Q(1, 5), denominator=1000),
    },
    quick=5,
    full=20,
)
def _order_parameter(control, q, y, share, excess, *, law="square root", critical=1):
    """f_0 = share y and lambda_0 = 2 sqrt(c) (f_0 + excess y): slightly above the edge-of-stability manifold."""
    below, above = control
    ends = {mu: long_run(mu, q, y, share * y, 2 * q * y * (share + excess)) for mu in (*below, *above)}
    tiny = Q(1, 10**12)
    yield "(c) below the threshold", le([ends[mu][0] for mu in below], Q(1, 10**20))
    with precision(256):
        order = [abs(ends[mu][0] - ORDER[law](arb(mu))) for mu in above]
        trace = [abs(ends[mu][1] - 1 - mu) for mu in above]
        top = [abs(ends[mu][2] - (3 + mu) / 2) for mu in above]
    yield "(c) order parameter", le(order, tiny)
    yield "(c) mean trace", le(trace, tiny)
    yield "(c) mean sharpness", le(top, tiny)
    yield "(c) on the manifold", le([abs(ends[mu][3]) for mu in above], tiny)
    yield (
        "(c) threshold",
        bracket(critical, [*below, *above], [ends[mu][0] for mu in (*below, *above)], level=Q(1, 10**9)),
    )


@eos_threshold.proof(
    "(c) two-cycle",
    rests_on=(
        "u and m - u are the points of the cycle: period-doubling",
        "(u - mu) and (m - u - mu) have opposite signs (product 1 - mu < 0), so the mean of |gD| is half their distance",
        "2u - mu is positive at both points (product 5 - m^2 > 0, sum 2), so the square root there is 2 q (2f - y) and eta lambda_max is "
        "3u - mu",
    ),
)
def _two_cycle(*, order=4):
    mu, u, y = symbols("mu u y")
    q = symbols("q", positive=True)
    m = 1 + mu
    cycle = (u**2 - m * u + 1,)
    yield "opposite residuals", eq((u - mu) * (m - u - mu), 1 - mu, modulo=cycle)
    yield "squared distance", eq((m - 2 * u) ** 2, m**2 - order, modulo=cycle)
    f = symbols("f")
    yield "sharpness on the manifold", eq(radicand(f - y, 2 * q * f, q**2, y), (2 * q * (2 * f - y)) ** 2)
    yield "square-root law", eq(m**2 - 4, (mu - 1) * (mu + 3))
    yield "2u - mu of both points", eq((2 * u - mu) * (2 * (m - u) - mu), 5 - m**2, modulo=cycle)
    yield "mean sharpness", eq(((3 * u - mu) + (3 * (m - u) - mu)) / 2, (3 + mu) / 2)
    yield "transverse multiplier", eq(((1 + u - mu) * (1 + m - u - mu)) ** 2, (3 - 2 * mu) ** 2, modulo=cycle)
    inside = symbols("mu", above=1, below=2)
    yield "transverse stability", lt((3 - 2 * inside) ** 2, 1)


eos_threshold.mutant("threshold 0.9 in (a)", threshold=Fraction(9, 10), breaks="eta lambda > 2 above the threshold")
eos_threshold.mutant(
    "admissible set widened to lambda^2 >= 2 c f^2 in (a)", admissible=2, breaks="eta lambda > 2 above the threshold"
)
eos_threshold.mutant("admissible set narrowed to lambda^2 >= 5 c f^2", admissible=5, breaks="admissible")
eos_threshold.mutant("1.5/eta in place of 2/eta in (b)", upper=Q(3, 2), breaks="(b) upper end", anywhere=True)
eos_threshold.mutant(
    "2.2 sqrt(c)|y| in place of 2 sqrt(c)|y| in (b)", lower=Q(11, 5), breaks="(b) lower end", anywhere=True
)
eos_threshold.mutant(
    "(b) without the proviso: D_0 = 0", domain={"exact_hit": Choices(True)}, on="runs", breaks="(b) upper end"
)
eos_threshold.mutant("order parameter linear in mu - 1", law="linear", breaks="(c) order parameter")
eos_threshold.mutant("critical point 1.03", critical=Q(103, 100), breaks="(c) threshold")
