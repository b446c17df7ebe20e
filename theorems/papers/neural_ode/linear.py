"""The identity activation: both kernels in closed form at every depth, their limits, and the growth of the output."""

from __future__ import annotations

from math import comb

from flint import arb, ctx, fmpq, fmpq_poly

from solvers.depth_kernels import IDENTITY, kernels
from solvers.enclosures import functions as F
from solvers.enclosures import precision
from theorems import Choices, Integers, Q, curve, eq, le, shared
from theorems.papers.neural_ode.paper import PAPER

ONE, S = fmpq_poly([1]), fmpq_poly([0, 1])
DEPTHS = (8, 16, 32, 64, 128)
DEEPEST = DEPTHS[-1]


def recursion(L, s, one):
    """Both kernels for G0 = 1, sigma_v = 1 and s = (sigma_w T/L)^2, by the recursion over layer pairs."""
    unused = [None] * (L + 1)
    return kernels(one, L, s, IDENTITY, unused, unused)


@shared
def balls(z, L, bits):
    """`recursion` at s = (z/L)^2 in balls."""
    with precision(bits):
        return recursion(L, arb(z * z / L**2), arb(1))


FINITE = PAPER.family("every-depth", L=Integers(1, 20), exhaustive=True)
LIMIT = PAPER.family("limit", z=Choices(Q(1), Q(1, 2), Q(3, 2)), L=Choices(*DEPTHS), every=True)
HORIZONS = PAPER.family("horizons", T=Choices(1, 2, 4, 8), every=True)


@PAPER.identity(
    source="scaling guideline; existence of the limits of both kernels; closed forms derived",
    fidelity="derived",
    evidence="certified",
    family=FINITE,
    method="finite depth: equality of polynomials in s = (z/L)^2; limits and growth: balls, kernels by the recursion",
    hypotheses="phi(x) = x",
    rests_on=(
        "1 - m <= prod_{i<k} (1 - i/L)^2 <= 1 - m + m^2/2 with m = k(k-1)/L, for every coefficient of the series",
    ),
    not_established="the closed forms for L > 20 (they follow by induction from Pascal's rule in both indices)",
)
def linear_kernel_closed_form(L, *, tied=True, power=2, weight=1):
    r"""Let $\varphi(x) = x$, $z = \sigma_w T$, $G_0 = \sigma_u^2 \langle x, x' \rangle/d$. At every depth $L$
    $$K_L = \sigma_v^2 G_0 \sum_{k=0}^L \binom Lk^2 \Big(\frac zL\Big)^{2k}, \qquad
    \Theta_L = \sigma_v^2 G_0 \sum_{k=0}^L (2 + k) \binom Lk^2 \Big(\frac zL\Big)^{2k},$$
    with the limits $K = \sigma_v^2 G_0 I_0(2z)$ and $\Theta = \sigma_v^2 G_0 [2 I_0(2z) + z I_1(2z)]$, and errors $\Theta(1/L)$: in units of $\sigma_v^2 G_0$
    $$\frac{z^2 I_2(2z)}{L} - \frac{z^4 I_0(2z)}{2L^2} \le K - K_L \le \frac{z^2 I_2(2z)}{L}, \qquad
    \frac{2z^2 I_2(2z) + z^3 I_1(2z)}{L} - \frac{z^4 [4 I_0(2z) + z I_1(2z)]}{2L^2} \le \Theta - \Theta_L \le \frac{2z^2 I_2(2z) + z^3 I_1(2z)}{L}.$$
    So the output variance grows like $e^{2\sigma_w T}/\sqrt{4\pi \sigma_w T}$ (within the factor $1 + \frac{1}{8\sigma_w T}$ for $\sigma_w T \ge 1$) and does
    not depend on $T$ if $\sigma_w \propto 1/T$.
    """
    found = recursion(L, S, ONE)
    variance = found.nngp if tied else (1 + S) ** L  # fresh weights in every layer: only i = j contributes
    terms = [comb(L, k) ** power for k in range(L + 1)]
    yield "NNGP at depth L", eq(variance, fmpq_poly(terms))
    yield "NTK at depth L", eq(found.ntk, fmpq_poly([(2 + weight * k) * t for k, t in enumerate(terms)]))


@linear_kernel_closed_form.check("limit", family=LIMIT)
def _limit(z, L, *, within=1, bessel=1, order=1):
    def gaps():
        x = arb(z)
        I0, I1, I2 = (F.bessel_i(k, 2 * x) for k in range(3))
        found = balls(z, L, ctx.prec)
        small = [within * x * x * I2, within * (2 * x * x * I2 + x**3 * I1)]
        second = [x**4 * I0 / 2, x**4 * (4 * I0 + x * I1) / 2]
        gap = [I0 - found.nngp, 2 * I0 + bessel * x * I1 - found.ntk]
        rate = arb(L) ** order
        return [a / rate - b / rate**2 for a, b in zip(small, second)], gap, [a / rate for a in small]

    names = ("NNGP", "NTK")
    for k, name in enumerate(names):
        yield f"{name}: error at least", le(lambda k=k: (gaps()[0][k], gaps()[1][k]))
        yield f"{name}: error at most", le(lambda k=k: (gaps()[1][k], gaps()[2][k]))
    if L == DEEPEST:
        xs = [Q(k, 8) for k in range(1, 17)]
        variances = [balls(x, 32, ctx.prec).nngp for x in xs]
        yield curve("output variance of the linear network", xs, variances, series="depth 32", axes=("z", "variance"))
        limits = [F.bessel_i(0, 2 * arb(x)) for x in xs]
        yield curve("output variance of the linear network", xs, limits, series="limit", mark="dots")


@linear_kernel_closed_form.check("growth", family=HORIZONS)
def _growth(T, *, exponent=2, scale=1):
    def growth():
        leading = (exponent * arb(T)).exp() / (4 * arb.pi() * T).sqrt()
        value = F.bessel_i(0, 2 * arb(T))
        return [leading, value], [value, (1 + arb(fmpq(1, 8 * T))) * leading]

    yield "growth at constant sigma_w", le(growth)
    L = 15
    sigma = Q(1) / T**scale
    yield (
        "sigma_w proportional to 1/T",
        eq(recursion(L, (sigma * T / L) ** 2, Q(1)).nngp, recursion(L, Q(1, L * L), Q(1)).nngp),
    )


linear_kernel_closed_form.mutant("fresh weights in every layer", tied=False, breaks="NNGP at depth L")
linear_kernel_closed_form.mutant("binomials not squared", power=1, breaks="NNGP at depth L")
linear_kernel_closed_form.mutant("NTK without the part of W", weight=0, breaks="NTK at depth L")
linear_kernel_closed_form.mutant("limit of the NTK without z I_1(2z)", bessel=0, breaks="NTK: error at least")
linear_kernel_closed_form.mutant(
    "constant of the NNGP's error 2 % smaller", within=Q(49, 50), breaks="NNGP: error at most"
)
linear_kernel_closed_form.mutant(
    "constant of the NTK's error 2 % smaller", within=Q(49, 50), breaks="NTK: error at most"
)
linear_kernel_closed_form.mutant(
    "constant of the NNGP's error 2 % larger", within=Q(51, 50), breaks="NNGP: error at least"
)
linear_kernel_closed_form.mutant(
    "constant of the NTK's error 2 % larger", within=Q(51, 50), breaks="NTK: error at least"
)
linear_kernel_closed_form.mutant("errors O(1/L^2)", order=2, breaks="NNGP: error at most")
linear_kernel_closed_form.mutant("growth e^{1.9 T}", exponent=Q(19, 10), breaks="growth at constant sigma_w")
linear_kernel_closed_form.mutant("sigma_w = 1 for every T", scale=0, breaks="sigma_w proportional to 1/T")
