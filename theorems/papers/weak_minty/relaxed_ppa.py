"""The relaxed proximal point method: its sharp rate, and the weak Minty modulus beyond which it fails."""

from __future__ import annotations

from solvers.performance import Performance, enclose, squared, weak_minty
from theorems import ByBudget, Choices, Integers, Q, Rationals, bracket, eq, le, lt, optimum, symbols
from theorems.papers.weak_minty.paper import PAPER

TOLERANCE = Q(1, 10**6)
PAIRS = Choices((Q(9, 10), Q(-3, 5)), (Q(1, 2), Q(-1, 5)), (Q(1), Q(3, 10)), (Q(4, 5), Q(-3, 4)))


@PAPER.bound(
    source="abstract: the O(1/eps) rate, for rPPA as the exact limit of the scheme",
    fidelity="derived",
    evidence="proved",
    method="the descent identity and the extremal operator in symbols; exactly solved performance estimation problems and the "
    "extremal run in rationals as cross-checks",
    hypotheses="rho > -gamma; operators may be set-valued (for them the inequalities at the samples are interpolation "
    "conditions)",
    not_established="the optimal constant over operators that are Lipschitz besides: with Lipschitz inequalities added the "
    "worst case is smaller, and only bounded from above by the inequalities at samples",
)
def rppa_sharp_rate():
    r"""Let the weak Minty inequality hold with $\rho > -\gamma$. rPPA with $l = \lambda(1 + \rho/\gamma)$, $0 < \lambda < 2$,
    satisfies for every $K \ge 1$
    $$\min_{k<K} |F(z_k)|^2 \le \frac{|x_0 - x^*|^2}{\lambda(2 - \lambda)(\gamma + \rho)^2 K}.$$
    For $\lambda = 1$ the constant is optimal for every $K$ over the operators that satisfy the inequality.
    """


@rppa_sharp_rate.proof(
    "descent",
    rests_on=(
        "x - x*, v lie in a plane (coordinates (a, b), (c, d)); summation of the descent over k < K",
        "weak Minty: tau = <v, z - x*> - rho |v|^2 >= 0",
    ),
)
def _descent(*, base="gamma + rho"):
    a, b, c, d = symbols("a b c d")
    gamma, lam, mu = symbols("gamma lambda mu", positive=True)  # mu = gamma + rho
    rho = mu - gamma
    size = mu if base == "gamma + rho" else gamma
    v2 = c**2 + d**2
    tau = c * (a - gamma * c) + d * (b - gamma * d) - rho * v2
    step = lam * (gamma + rho)
    after = (a - step * c) ** 2 + (b - step * d) ** 2
    yield "identity", eq(after, a**2 + b**2 - lam * (2 - lam) * size**2 * v2 - 2 * lam * mu * tau)


@rppa_sharp_rate.proof(
    "extremal operator",
    covers="every K, gamma, rho, lambda = 1",
    rests_on=(
        "x_k = (gamma + rho) sum_{j >= k} e_j and v_k = e_k: coordinates j > k of x_k are not touched by step k, so K is arbitrary",
    ),
)
def _extremal(*, power=1):
    gamma, mu, K = symbols("gamma mu K", positive=True)
    x, v = mu, 1  # coordinate k of x_k and of v_k; z_k - x* has coordinate x - gamma v
    yield "weak Minty with equality", eq(v * (x - gamma * v), (mu - gamma) * v**2)
    yield "step k deletes coordinate k", eq(x - mu * v, 0)
    yield "the bound is attained", eq(v**2 * mu**2 * K**power, K * x**2)  # |x_0|^2 = K x^2


@rppa_sharp_rate.crosscheck(
    "worst case",
    domain={
        "pair": PAIRS,
        "K": ByBudget(quick=Choices(1, 3, 6), full=Integers(1, 6)),
        "lam": Choices(Q(1), Q(1, 2), Q(3, 2)),
    },
    every=True,
)
def _worst_case(pair, K, lam, *, base="gamma + rho", power=1, minty="all"):
    gamma, rho = pair
    pep = Performance()
    F = pep.operator(weak_minty(rho))
    zero, x = F.minimiser(), pep.vector()
    pep.require(squared(x - zero.x), 1)
    sizes = []
    for k in range(K):
        s = F.proximal(x, gamma)
        if minty == "first" and k > 0:
            F.samples.remove(s)
        sizes.append(squared(s.g))
        x = x - s.g * (lam * (gamma + rho))
    size = gamma + rho if base == "gamma + rho" else gamma
    bound = 1 / (lam * (2 - lam) * size**2 * K**power)
    pep.maximise(*(s / bound for s in sizes))
    worst = optimum(pep.program().problem, enclose, maximum=True)
    if lam == 1:
        yield "optimal constant", eq(worst, 1, within=TOLERANCE)
    else:
        yield "bound", le(worst, 1)


@rppa_sharp_rate.crosscheck("extremal run", domain={"pair": PAIRS, "K": Choices(5, 1, 8)}, every=True)
def _extremal_run(pair, K, *, power=1):
    gamma, rho = pair
    x = [gamma + rho] * K
    start = sum(a * a for a in x)
    gaps, sizes = [], []
    for k in range(K):
        v = [Q(int(j == k)) for j in range(K)]
        z = [a - gamma * b for a, b in zip(x, v)]
        norm = sum(b * b for b in v)
        gaps.append(sum(a * b for a, b in zip(z, v)) - rho * norm)
        sizes.append(norm)
        x = [a - (gamma + rho) * b for a, b in zip(x, v)]
    yield "run: weak Minty with equality", eq(gaps, [0] * K)
    yield "run: attained", eq(min(sizes), start / ((gamma + rho) ** 2 * K**power))
    yield "run: ends at the zero", eq(x, [0] * K)


rppa_sharp_rate.mutant("gamma^2 in place of (gamma + rho)^2", base="gamma", breaks="identity")
rppa_sharp_rate.mutant("gamma^2 in the worst case", base="gamma", breaks="optimal constant")
rppa_sharp_rate.mutant("rate 1/K^2", power=2, breaks="optimal constant")
rppa_sharp_rate.mutant("rate 1/K^2 for the extremal operator", power=2, breaks="the bound is attained")
rppa_sharp_rate.mutant("weak Minty at the first iterate only", minty="first", breaks="optimal constant")


@PAPER.transition(
    source="abstract: tightness of the range of rho by a lower bound for rPPA",
    fidelity="paper",
    evidence="proved",
    method="the exact factor on rotations, with its sign; bisected thresholds in rationals as cross-checks",
    hypotheses="rotations F(x) = L R(theta) x, for which rho = cos(theta)/L with equality in the weak Minty inequality; rho != -gamma or "
    "theta != pi where 1 + gamma w vanishes",
)
def rppa_range_phase_transition():
    r"""Let $F = L R(\theta)$ be a scaled rotation of the plane, $\rho = \cos(\theta)/L$, $w = Le^{i\theta}$. For every $\gamma, l > 0$ rPPA has
    $$|x^+|^2 = |x|^2\Big[1 - l\big(2(1 + \rho/\gamma) - l\big)\Big|1 - \frac{1}{1 + \gamma w}\Big|^2\Big].$$
    Hence it converges iff $0 < l < 2(1 + \rho/\gamma)$; no $l > 0$ works when $\rho \le -\gamma$; since the resolvent of a general
    $L$-Lipschitz $F$ needs $\gamma < 1/L$, the range $\rho > -1/L$ cannot be enlarged.
    """


def kept(gamma, rho, l, L=1):
    """|1 + gamma w|^2 (|x+|^2/|x|^2 - 1) on the rotation with cos(theta) = rho L."""
    c = rho * L
    w2 = gamma * L
    after = (1 + (1 - l) * w2 * c) ** 2 + ((1 - l) * w2) ** 2 * (1 - c * c)
    return after - (1 + 2 * w2 * c + w2 * w2)


@rppa_range_phase_transition.proof(
    "rotations", rests_on=("a planar rotation is multiplication by w = L (c + i s), c^2 + s^2 = 1",)
)
def _rotations(*, relaxation=1, sharing=1):
    gamma, l, L = symbols("gamma l L", positive=True)
    c, s = symbols("c s", lower=-1, upper=1)
    rho = c / L
    critical = 2 * (relaxation + sharing * rho / gamma) if relaxation == 1 else 1 + rho / gamma
    # x+ = (1 - l) x + l x/(1 + gamma w) = x (1 + (1 - l) gamma w)/(1 + gamma w), 1 - 1/(1 + gamma w) = gamma w/(1 + gamma w)
    after = (1 + (1 - l) * gamma * L * c) ** 2 + ((1 - l) * gamma * L * s) ** 2
    before = (1 + gamma * L * c) ** 2 + (gamma * L * s) ** 2
    factor = l * (critical - l) * gamma**2 * L**2
    yield "factor", eq(after, before - factor, modulo=[c**2 + s**2 - 1])
    k = symbols("k", positive=True)  # critical = k (or k <= 0 in the third line)
    e = symbols("e", nonnegative=True)
    yield "contracts below", lt(0, l * (k - l), given=[k > l])
    yield "does not contract from there on", le(l * (k - (k + e)), 0)
    yield "nothing works for rho <= -gamma", lt(l * (-e - l), 0)
    mu = symbols("mu", nonnegative=True)
    yield "rho <= -gamma means a critical relaxation <= 0", le(2 * (1 + (-gamma - mu) / gamma), 0)


NEAR = Q(1, 10**12)


@rppa_range_phase_transition.crosscheck(
    "critical relaxation",
    domain={
        "gamma": Rationals(Q(1, 5), Q(99, 100), denominator=1000),
        "share": Rationals(Q(1, 1000), Q(999, 1000), denominator=1000),
    },
    quick=40,
    full=200,
)
def _critical_relaxation(gamma, share, *, relaxation=1, sharing=1):
    rho = -gamma + share * (1 + gamma)  # uniform in (-gamma, 1)
    critical = 2 * (1 + sharing * rho / gamma) if relaxation == 1 else 1 + rho / gamma
    truth = 2 * (1 + rho / gamma)
    control = sorted(
        {truth * (1 - NEAR), truth * (1 + NEAR), truth / 2, 2 * truth, truth * Q(9, 10), truth * Q(11, 10)}
    )
    yield (
        "critical l",
        bracket(
            critical,
            control,
            lambda l: kept(gamma, rho, l),
            level=0,
            below=truth * (1 - NEAR),
            above=truth * (1 + NEAR),
        ),
    )


@rppa_range_phase_transition.crosscheck(
    "critical modulus",
    domain={"gamma": Choices(Q(999, 1000), Q(1, 2)), "l": Choices(Q(1), Q(1, 2), Q(1, 10), Q(1, 100))},
    every=True,
)
def _critical_modulus(gamma, l, *, shrinks=True):
    truth = -gamma * (1 - l / 2)
    control = [truth - Q(1, 2) * (1 + truth), truth - NEAR, truth + NEAR, truth / 2]
    yield (
        "critical rho",
        bracket(
            truth if shrinks else -gamma, control, lambda rho: kept(gamma, rho, l), level=0,
            below=truth - NEAR, above=truth + NEAR, rising=False,
        ),
    )  # fmt: skip


rppa_range_phase_transition.mutant("critical l = 1 + rho/gamma", relaxation=2, breaks="factor")
rppa_range_phase_transition.mutant("critical l = 1 + rho/gamma, bisected", relaxation=2, breaks="critical l")
rppa_range_phase_transition.mutant("critical l = 2 (1 + 2 rho/gamma)", sharing=2, breaks=("factor", "critical l"))
rppa_range_phase_transition.mutant("critical rho = -gamma for every l", shrinks=False, breaks="critical rho")
