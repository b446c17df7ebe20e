"""Methods based on one extragradient step: the range of rho in which they move, and what error correction adds."""

from __future__ import annotations

from solvers.performance import Performance, enclose, inner, lipschitz, squared
from theorems import Choices, Q, bracket, eq, le, lt, optimum, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.weak_minty.methods import Rules, always, decided, rotating
from theorems.papers.weak_minty.paper import PAPER

NEAR = Q(1, 10**12)
TOLERANCE = Q(1, 10**6)


@PAPER.transition(
    source="abstract: relaxed extragradient for rho > -1/(2L), rPPA for rho > -1/L",
    fidelity="paper",
    evidence="certified",
    family=PAPER.family(
        "beyond-the-range",
        rho=Choices(Q(-501, 1000), Q(-51, 100), Q(-3, 5), Q(-7, 10), Q(-4, 5), Q(-17, 20), Q(-89, 100)),
        every=True,
    ),
    part="EC-PPA",
    method="a sum-of-squares identity and factorizations in symbols; EC-PPA on rotations in balls",
    hypotheses="the thresholds of (ii) and (iii) are those on rotations, where the weak Minty inequality is an equality",
    not_established="the exact form of the thresholds is derived, the paper states the ranges; EC-PPA beyond -1/(2L) is run on rotations "
    "(its rate on other operators: ec-ppa-rate)",
)
def eg_range_phase_transition(rho, *, j=0):
    r"""Let $F$ be $L$-Lipschitz, $z = x - \gamma F(x)$, $q = \gamma L \le 1$. (i) $\langle F(z), x - z\rangle \ge \frac{\gamma}{1 + q}|F(z)|^2$, with
    equality attained, so that the half-space step has $\alpha \ge \gamma/(1 + \gamma L) + \rho$, at most
    $1/(2L) + \rho$ (at $\gamma = 1/L$). (ii) On rotations at $\gamma = 1/L$, $\alpha = \max(0, 1/(2L) + \rho)$ exactly: the scheme moves iff
    $\rho > -1/(2L)$. (iii) EG+ on rotations at $\gamma = 1/L$ has $|x^+|^2/|x|^2 - 1 = 2\lambda(c - 1)(2c - \lambda + 1)$ with
    $c = \rho L$: it converges iff $0 < \lambda < 1 + 2\rho L$. EC-PPA ($\gamma = 0.95/L$, $\sigma = 0.05$) still converges for
    $\rho \in (-0.9, -0.5]/L$, where EG stalls.
    """
    gamma, sigma = Q(19, 20), Q(1, 20)
    rules = Rules(gamma, always(sigma), rho, Q(1), inner=j)
    run = decided(lambda: rotating([(1, rho)], rules, 60), (256, 1024))
    yield "EC-PPA converges", lt(run.x2[1:], run.x2[:-1])
    yield "EC-PPA moves by its guarantee", le([gamma * (1 - sigma) + rho] * 60, run.alpha)


@eg_range_phase_transition.proof(
    "one step", rests_on=("F(x) and F(z) lie in a plane: g = F(x) = (g1, g2), v = F(z) = (v1, v2), |v - g| <= q |g|",)
)
def _one_step(*, factor=1, exponent=1):
    q = symbols("q", positive=True, upper=1)
    v1, v2, g1, g2 = symbols("v1 v2 g1 g2")
    vg, vv, gg = v1 * g1 + v2 * g2, v1**2 + v2**2, g1**2 + g2**2
    room = q**2 * gg - (v1 - g1) ** 2 - (v2 - g2) ** 2
    square = (v1 - (1 + q) * g1) ** 2 + (v2 - (1 + q) * g2) ** 2
    yield (
        "certificate",
        eq((1 + q) * vg - vv, (1 + q) / (2 * q) * room + (1 - q) / (2 * q) * square),
    )
    by = Combination(
        [(1, 1, (room, 1 + q)), (1, v1 - (1 + q) * g1, (1 - q,)), (1, v2 - (1 + q) * g2, (1 - q,))],
        times=2 * q * (1 + q),
    )
    yield (
        "inequality",
        le(factor * vv / (1 + q) ** exponent, vg, given=[room], by=by if factor == exponent == 1 else None),
    )
    a = symbols("a", positive=True)
    attained = {v1: (1 + q) * a, v2: 0, g1: a, g2: 0}
    yield "admissible", eq(room.subs(attained), 0)
    yield "attained", le(factor * vv.subs(attained) / (1 + q) ** exponent, vg.subs(attained))
    gamma, L = symbols("gamma L", positive=True)
    yield "best at gamma = 1/L", le(gamma / (1 + gamma * L), 1 / (2 * L), given=[1 - gamma * L])


@eg_range_phase_transition.proof(
    "rotations", rests_on=("a planar rotation is multiplication by w = L (c + i s), c^2 + s^2 = 1",)
)
def _rotations(*, half=2, slope=2):
    L, lam = symbols("L lambda", positive=True)
    c, s = symbols("c s", lower=-1, upper=1)
    circle = [c**2 + s**2 - 1]
    # x = 1, gamma = 1/L, u = c + i s: z = 1 - u, v = L u (1 - u), x - z = u
    z = (1 - c, -s)
    v = (L * (c * z[0] - s * z[1]), L * (c * z[1] + s * z[0]))
    inner_product = v[0] * c + v[1] * s
    yield "alpha", eq(inner_product * half * L, v[0] ** 2 + v[1] ** 2, modulo=circle)  # alpha - rho = 1/(2L)
    x = (1 - lam * v[0] / L, -lam * v[1] / L)
    yield "factor of EG+", eq(x[0] ** 2 + x[1] ** 2 - 1, 2 * lam * (c - 1) * (slope * c - lam + 1), modulo=circle)


def eg_plus(lam, c):
    """|x+|^2/|x|^2 - 1 on the rotation with cos = c, L = gamma = 1: |1 - lam (u - u^2)|^2 - 1."""
    real = c - (2 * c * c - 1)
    return lam * lam * (2 - 2 * c) - 2 * lam * real


@eg_range_phase_transition.crosscheck(
    "critical relaxation",
    domain={"rho": Choices(Q(-2, 5), Q(-49, 100), Q(-499, 1000), Q(-1, 2), Q(-501, 1000), Q(-51, 100), Q(-3, 5))},
    every=True,
)
def _critical(rho, *, half=2, slope=2):
    truth = max(Q(0), 1 + 2 * rho)
    claimed = max(Q(0), 1 + slope * rho if half == 2 else 1 + rho)
    below, above = (truth * (1 - NEAR), truth * (1 + NEAR)) if truth > 0 else (Q(0), NEAR)
    control = sorted({Q(0), below, above, truth / 2, Q(3, 4), Q(5, 4)})
    yield "critical lambda", bracket(claimed, control, lambda lam: eg_plus(lam, rho), level=0, below=below, above=above)


@eg_range_phase_transition.crosscheck(
    "worst case", domain={"q": Choices(Q(1, 5), Q(1, 2), Q(4, 5), Q(99, 100))}, every=True
)
def _worst_case(q, *, factor=1, exponent=1):
    pep = Performance()
    F = pep.operator(lipschitz(q))  # gamma = 1
    x = pep.vector()
    z = x - F(x).g
    pep.require_equal(squared(F(z).g), 1)
    pep.maximise(-inner(F(z).g, x - z))
    worst = optimum(pep.program().problem, enclose)  # minus the least value, minimised
    yield "least inner product", eq(worst, factor / (1 + q) ** exponent, within=TOLERANCE)


eg_range_phase_transition.mutant("threshold -1/L: alpha = 1/L + rho on rotations", half=1, breaks="alpha")
eg_range_phase_transition.mutant("threshold -1/L, bisected", half=1, breaks="critical lambda")
eg_range_phase_transition.mutant("critical lambda 1 + rho L", slope=1, breaks="factor of EG+")
eg_range_phase_transition.mutant("critical lambda 1 + rho L, bisected", slope=1, breaks="critical lambda")
eg_range_phase_transition.mutant("gamma in place of gamma/(1 + q)", exponent=0, breaks="attained")
eg_range_phase_transition.mutant(
    "gamma in place of gamma/(1 + q), worst case", exponent=0, breaks="least inner product"
)
eg_range_phase_transition.mutant("1.01 gamma/(1 + q)", factor=Q(101, 100), breaks="attained")
eg_range_phase_transition.mutant("one inner step (extragradient) for EC-PPA", j=1, breaks="EC-PPA converges")
