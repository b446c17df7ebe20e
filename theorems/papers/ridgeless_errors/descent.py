"""The least risk beyond interpolation: a threshold in the signal-to-noise ratio."""

from __future__ import annotations

from flint import fmpq

from theorems import Choices, Coefficients, Q, bracket, eq, le, lt, symbols
from theorems.papers.ridgeless_errors.paper import PAPER

CAP = 400  # widths are scanned up to CAP n
SNRS = (Q(1, 2), Q(4, 5), Q(19, 20), Q(99, 100), Q(101, 100), Q(21, 20), Q(5, 4), Q(2), Q(4))


def risk(snr: fmpq, n: int, p: int) -> fmpq:
    """R_n(p) / sbar^2 for an isotropic Gaussian design with p > n + 1."""
    return snr * (1 - fmpq(n, p)) + fmpq(n, p - n - 1)


def rises(snr: fmpq, n: int, p: int) -> bool:
    """Whether R_n(p + 1) >= R_n(p); once true it stays true as p grows."""
    return bool(snr * ((p - n - 1) * (p - n)) >= p * (p + 1))


def best_width(snr: fmpq, n: int, last: int | None = None) -> int:
    """The smallest minimiser of R_n over n + 2 <= p <= last (bisection; R_n falls, then rises).

    Args:
        snr: signal-to-noise ratio; above 1 if `last` is None, where every p is allowed.
        n: sample size.
        last: largest width.
    """
    low, high = n + 1, n + 2
    while last is None and not rises(snr, n, high):
        low, high = high, 2 * high
    if last is not None:
        high = last
    while high - low > 1:
        middle = (low + high) // 2
        if rises(snr, n, middle):
            high = middle
        else:
            low = middle
    return high


def gain(snr: fmpq, n: int) -> fmpq:
    """R_n(CAP n) - min R_n over n + 2 <= p <= CAP n: positive exactly when the minimum lies inside."""
    return risk(snr, n, CAP * n) - risk(snr, n, best_width(snr, n, CAP * n))


LEAST = PAPER.family(
    "widths",
    snr=Choices(*SNRS[4:], Q(9), Q(1001, 1000)),
    n=Choices(1, 50, 500, 5000),
    every=True,
)
THRESHOLD = PAPER.family("threshold", threshold=Choices(Q(1)), every=True)
SCANS = PAPER.family("scans", snr=Choices(*SNRS), n=Choices(1, 8), every=True)


@PAPER.transition(
    source="risk of the isotropic case; the threshold is derived",
    fidelity="derived",
    evidence="certified",
    family=LEAST,
    method="exact integer minimisers of exact rational risks, located by bisection (the difference of successive risks changes "
    "sign at most once, which is proved), against algebraic numbers of exact sign",
    hypotheses="isotropic Gaussian design, p > n + 1, prior E beta beta^T = (r^2/p) I",
    not_established="that R is the limit of the risk is asymptotic-risk-limits at v = 1/(gamma - 1)",
    rests_on=(
        "E R_E = r^2 (1 - n/p) + n sbar^2/(p - n - 1): bias-random-effects and gaussian-closed-form-risk; Omega enters through "
        "sbar^2 only (variance-trace-factorization)",
        "a sequence that falls as long as it has not risen has its first minimiser where it first rises",
    ),
)
def double_descent_snr_threshold(snr, n, *, star="minimum", shifted=1, value="least"):
    r"""Isotropic design, $\mathrm{SNR} = r^2/\bar s^2$, $R(\gamma) = r^2(1 - 1/\gamma) + \bar s^2/(\gamma - 1)$ for $\gamma > 1$ (the
    limit of the estimation risk). If $\mathrm{SNR} \le 1$, $R$ decreases to $r^2$ on $(1, \infty)$ and stays above the null risk
    $r^2$. If $\mathrm{SNR} > 1$, $R$ has the unique minimum $2 r \bar s - \bar s^2 < r^2$ at $\gamma^* = r/(r - \bar s)$.
    Finite $n$: $R_n(p) = r^2(1 - n/p) + n \bar s^2/(p - n - 1)$, $p \ge n + 2$, falls and then possibly rises; it rises from
    some $p$ on iff $\mathrm{SNR} > 1$, for every $n$. Scanned up to $p = 400 n$, $n \in \{50, 500, 5000\}$, the minimum is interior
    for $\mathrm{SNR} \ge 1.01$ and at the end for $\mathrm{SNR} \le 0.99$. If $\mathrm{SNR} > 1$,
    the minimiser has $|p^* - \gamma^*(n+1)| \le 1$, so that $|p^*/n - \gamma^*| \le (\gamma^* + 1)/n$, and with
    $m = 2 r \bar s - \bar s^2 + (r - \bar s)^2/(n+1)$,
    $$m \le R_n(p^*) \le m + \frac{n (r - \bar s)^2}{(n+1)\, p^* (p^* - n - 1)}.$$
    """
    import sympy

    rho = sympy.sqrt(sympy.Rational(int(snr.p), int(snr.q)))  # r in units of sbar
    p = best_width(snr, n)
    before = [risk(snr, n, p - 1)] if p > n + 2 else []
    neighbours = [*before, risk(snr, n, p + 1)]
    yield "local minimum", le([risk(snr, n, p)] * len(neighbours), neighbours)
    gamma = rho / (rho - 1) if star == "minimum" else rho**2 / (rho**2 - 1)
    centre = sympy.radsimp(gamma * (n + shifted))
    yield "place of the minimum", le([centre - 1, p], [p, centre + 1])
    least = rho if value == "product" else 2 * rho - 1
    low = sympy.expand(least + ((rho - 1) ** 2 / (n + 1) if value != "limit" else 0))
    high = sympy.expand(low + (rho - 1) ** 2 * n / ((n + 1) * p * (p - n - 1)))
    yield "least risk", le([low, risk(snr, n, p)], [risk(snr, n, p), high])


@double_descent_snr_threshold.check("threshold", family=THRESHOLD)
def _threshold(threshold, *, factor=1):
    return bracket(threshold * factor, SNRS, gain, level=0, sizes=(50, 500, 5000))


@double_descent_snr_threshold.crosscheck("scan of all widths", family=SCANS)
def _scan(snr, n):
    risks = [risk(snr, n, p) for p in range(n + 2, CAP * n + 1)]
    return eq([min(risks), n + 2 + risks.index(min(risks))], [risk(snr, n, p := best_width(snr, n, CAP * n)), p])


@double_descent_snr_threshold.proof("limit")
def _limit(*, best="minimum", floor="least"):
    r, s = symbols("r s", positive=True)
    g, u = symbols("gamma", above=1), symbols("u", nonnegative=True)
    R = r**2 * (1 - 1 / g) + s**2 / (g - 1)
    least = 2 * r * s - s**2 if floor == "least" else r * s
    star = r / (r - s) if best == "minimum" else r**2 / (r**2 - s**2)
    shift = Coefficients(shift={s: r + u})
    yield "limit: excess over the least risk", eq(R - least, ((r - s) * g - r) ** 2 / (g * (g - 1)))
    yield "limit: excess over the null risk", eq(R - r**2, (r**2 - g * (r**2 - s**2)) / (g * (g - 1)))
    yield "limit: stationary at gamma*", eq(R.diff(g).subs(g, star), 0)
    yield "limit: gamma* beyond interpolation", lt(1, star, given=[r > s])
    yield "limit: least below null risk", lt(least, r**2, given=[r > s])
    yield "limit: SNR <= 1 stays above null risk", lt(r**2, R, given=[s - r], by=shift)
    yield "limit: SNR <= 1 decreases", lt(R.diff(g), 0, given=[s - r], by=shift)


@double_descent_snr_threshold.proof("finite n")
def _finite(*, critical=1):
    rho, u = symbols("rho u", positive=True)
    n, t = symbols("n", lower=1), symbols("t", above=0)
    p = n + 1 + t
    S = rho**2

    def R(p):
        return S * (1 - n / p) + n / (p - n - 1)

    def rise(p, S):  # the sign of R(p + 1) - R(p)
        return S * (p - n - 1) * (p - n) - p * (p + 1)

    excess = n * ((rho - 1) * p - rho * (n + 1)) ** 2 / ((n + 1) * p * (p - n - 1))
    yield "excess", eq(R(p), 2 * rho - 1 + (rho - 1) ** 2 / (n + 1) + excess)
    yield "difference", eq(R(p + 1) - R(p), n * rise(p, S) / (p * (p + 1) * (p - n - 1) * (p - n)))
    step = (p + 1 - n) / (p - n - 1) * rise(p, S) + 2 * (n + 1) * (p + 1) / (p - n - 1)
    yield "once it rises it keeps rising", eq(rise(p + 1, S), step)
    low = symbols("SNR", above=0, upper=critical)
    yield "SNR <= 1 never rises", lt(rise(p, low), 0, witness={low: critical, n: 1, t: 1000})
    far = 2 * (n + 1) * (1 + u) / u + t
    yield "SNR = 1 + u rises beyond 2 (n + 1) (1 + u) / u", lt(0, rise(far, 1 + u))


double_descent_snr_threshold.mutant(
    "gamma* = r^2 / (r^2 - sbar^2), where R = r^2", star="null risk", breaks="place of the minimum"
)
double_descent_snr_threshold.mutant("the same for the limit", best="null risk", breaks="limit: stationary at gamma*")
double_descent_snr_threshold.mutant("n in place of n + 1 at finite n", shifted=0, breaks="place of the minimum")
double_descent_snr_threshold.mutant("least risk r sbar", value="product", breaks="least risk")
double_descent_snr_threshold.mutant(
    "least risk r sbar in the limit", floor="product", breaks="limit: excess over the least risk"
)
double_descent_snr_threshold.mutant("the limit's least risk at finite n", value="limit", breaks="least risk")
double_descent_snr_threshold.mutant("threshold at SNR = 2", factor=Q(2), breaks="threshold")
double_descent_snr_threshold.mutant("threshold at SNR = 1.05", factor=Q(21, 20), breaks="threshold")
double_descent_snr_threshold.mutant("no rise up to SNR = 1.01", critical=Q(101, 100), breaks="SNR <= 1 never rises")
