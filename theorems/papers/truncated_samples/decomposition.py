"""What truncation costs in Kullback-Leibler divergence, and where the search starts."""

from __future__ import annotations

from typing import Any

from flint import arb

from solvers.enclosures import integrate
from theorems import Choices, Q, eq, le, symbols
from theorems.papers.truncated_samples.bernoulli import cubes, given, kl, law, means, rationals, subset, weight
from theorems.papers.truncated_samples.gaussian import divergence, half_line, mass, problem, symmetric, unions
from theorems.papers.truncated_samples.paper import PAPER

CLOSE = Q(1, 10**30)
ROUGH = Q(1, 10**15)
ONE, TWO = Q(1), Q(2)
CUBES = cubes("cubes", 20, 4, quick=20, full=200)
LINES = unions("unions", quick=16, full=120)


@PAPER.identity(
    source="the backbone of the paper's argument",
    fidelity="derived",
    evidence="certified",
    family=CUBES,
    method="both sides summed term by term over S in balls, from exact probabilities; for Gaussian laws the closed form against rigorous "
    "quadrature of the definition",
    hypotheses="S neither empty nor everything",
)
def kl_decomposition(d, p, r, code, *, factor=1, swapped=False, matched=True):
    r"""For every $\theta$: (i) $\mathrm{KL}(p^S_\star\|p_\theta) = \mathrm{KL}(p^S_\star\|p^S_\theta) + \ln(1/p_\theta(S))$; (ii)
    $\mathrm{KL}(p^S_\star\|p_\theta) = \mathrm{KL}(p^S_\star\|p_{\theta_0}) + \mathrm{KL}(p_{\theta_0}\|p_\theta)$; (iii)
    $\ln(1/\alpha) = \mathrm{KL}(p^S_\star\|p_{\theta_0}) + \mathrm{KL}(p_{\theta_0}\|p_{\theta^\star})$.
    """
    S = subset(d, code)
    true, other = law(rationals(p, 20)), law(rationals(r, 20))
    seen = given(true, S)
    start = law(means(seen, d)) if matched else true
    yield (
        "(i)",
        eq(lambda: (kl(seen, other), kl(seen, given(other, S)) + factor * -arb(weight(other, S)).log()), within=CLOSE),
    )
    yield "(ii)", eq(lambda: (kl(seen, other), kl(seen, start) + kl(start, other)), within=CLOSE)
    first, second = (true, start) if swapped else (start, true)
    if all(
        second[x] > 0 for x in first if first[x] > 0
    ):  # always, but for the arguments exchanged: theta_0 may lie on the boundary
        yield "(iii)", eq(lambda: (-arb(weight(true, S)).log(), kl(seen, start) + kl(first, second)), within=CLOSE)


@kl_decomposition.check("Gaussian laws", family=LINES)
def _gaussian(S, true, theta, *, factor=1):
    """(i) with the left side and the truncated divergence integrated from their definitions on bounded unions."""
    if any(b is None for _, b in S):
        S = tuple((a, a + 4 if b is None else b) for a, b in S)

    def sides() -> tuple[arb, arb]:
        alpha, other = mass(S, true), mass(S, theta)
        linear, constant = arb(true - theta), arb(theta**2 - true**2) / 2  # ln p*/p_theta = linear x + constant
        scale = 1 / (alpha * (2 * arb.pi()).sqrt())

        def average(offset: arb) -> arb:
            """E [ln p*/p_theta + offset] over the truncated law."""

            def integrand(x: Any) -> Any:
                y = x - arb(true)
                return (-(y * y) / 2).exp() * (x * linear + constant + offset) * scale

            return sum((integrate(integrand, arb(a), arb(b), tolerance_bits=80) for a, b in S), arb(0))

        full = average(-alpha.log())
        inner = average(other.log() - alpha.log())
        return full, inner - factor * other.log()

    yield "(i) by quadrature", eq(sides, within=ROUGH)
    yield "closed form", eq(lambda: (divergence(S, true, theta), sides()[0]), within=ROUGH)


kl_decomposition.mutant("ln(1/p_theta(S)) counted twice", factor=2, breaks=("(i)", "(i) by quadrature"))
kl_decomposition.mutant("(iii) with the arguments exchanged", swapped=True, breaks="(iii)")
kl_decomposition.mutant("theta* in place of theta_0", matched=False, breaks=("(ii)", "(iii)"))

HARD = PAPER.family(
    "half-lines",
    S=Choices(*(half_line(a) for a in (2, 1, 4, 6, 8, 12)), symmetric(Q(1, 10)), symmetric(3)),
    true=Choices(Q(0)),
    every=True,
)


@PAPER.bound(
    source="the starting point by moment matching is good",
    fidelity="paper",
    evidence="certified",
    family=(HARD, LINES),
    method="closed forms in balls; half-lines [a, oo), a up to 12, come within 2 % of the bound",
    hypotheses="0 < alpha < 1",
    rests_on=("KL(p*^S || p_theta0) >= 0 in (iii) of kl-decomposition",),
)
def init_distance(S, true, *, constant=ONE, power=ONE):
    r"""$\mathrm{KL}(p_{\theta_0}\|p_{\theta^\star}) \le \ln(1/\alpha)$; for $N(\theta, 1)$, $|\theta_0 - \theta^\star| \le \sqrt{2\ln(1/\alpha)}$; where $A$ is
    $\lambda$-strongly convex, $\|\theta_0 - \theta^\star\|^2 \le \frac2\lambda\ln(1/\alpha)$.
    """

    def sides() -> tuple[arb, arb]:
        found = problem(S, true)
        distance = found.start - arb(true)
        return distance * distance / 2, arb(constant) * found.L ** arb(power)

    yield "Gaussian", le(sides)


@init_distance.check("products", family=CUBES)
def _products(d, p, r, code, *, constant=ONE):
    S = subset(d, code)
    true = law(rationals(p, 20))
    start = law(means(given(true, S), d))
    yield "products", le(lambda: (kl(start, true), arb(constant) * -arb(weight(true, S)).log()), within=CLOSE)


@init_distance.proof("strong convexity", covers="all lambda > 0, all divergences")
def _strong_convexity(*, half=2):
    """KL(p_0 || p_*) = A(*) - A(0) - grad A(0).(* - 0) >= lambda |.|^2 / 2."""
    lam, square, rest = symbols("lam square rest", nonnegative=True)
    above = symbols("above", nonnegative=True)
    L = lam * square / 2 + rest + above  # KL = lam |.|^2 / 2 + rest <= L
    yield le(lam * square, half * L)


init_distance.mutant("sqrt(ln(1/alpha))", constant=Q(1, 2), breaks="Gaussian")
init_distance.mutant("KL at most 0.9 L", constant=Q(9, 10), breaks=("Gaussian", "products"))
init_distance.mutant("L^{2/3} in place of L", power=Q(2, 3), breaks="Gaussian")
init_distance.mutant("half of the bound under strong convexity", half=1, breaks="strong convexity")
