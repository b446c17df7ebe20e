"""The tolerance of the inner loop and the class of operators share one budget."""

from __future__ import annotations

from theorems import Choices, Q, Rationals, eq, le, lt, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.weak_minty.paper import PAPER

OFFSETS = Choices(Q(1, 10**6), Q(-1, 10**6), Q(1, 10), Q(-1, 10))

ROTATIONS = PAPER.family(
    "tolerances",
    t=Rationals(Q(11, 10), 6, denominator=10),
    gamma=Rationals(Q(1, 100), Q(99, 100), denominator=100),
    d=OFFSETS,
    lam=Rationals(Q(1, 100), Q(199, 100), denominator=100),
    where=lambda t, gamma, d: gamma + cosine(t) > 0 and 1 + cosine(t) / gamma - d >= 0,
    accept=0.12,
    quick=60,
    full=400,
)


def cosine(t):
    """cos(theta) = rho of the rational point of the unit circle, negative for t > 1."""
    return (1 - t * t) / (1 + t * t)


@PAPER.transition(
    source="abstract: the tolerance can both correct the proximal error and enlarge the problem class",
    fidelity="derived",
    evidence="certified",
    family=ROTATIONS,
    part="rotations",
    method="exact rationals on rational rotations; the inequality and the factor in symbols",
    hypotheses="0 <= sigma, gamma + rho > 0, z = (1, 0), L = 1; x with x - z - gamma v = -sigma gamma v, the worst error allowed",
)
def tolerance_class_tradeoff(t, gamma, d, lam, *, threshold="budget", clamped=True, factor="lam(2-lam)"):
    r"""The budget is $\sigma + \max(0, -\rho)/\gamma < 1$. (i) Every pair $(z, v = F(z))$ with $|x - z - \gamma v| \le \sigma\gamma|v|$ has
    $\langle v, x - z\rangle/|v|^2 + \rho \ge \gamma(1 - \sigma) + \rho$, so that $x$ moves whenever $\sigma < 1 + \rho/\gamma$. (ii) It is sharp: for
    the rotation with $\cos\theta = \rho$ ($L = 1$) and $x = z + \gamma(1 - \sigma)v$ one has $\alpha = \max(0, \gamma(1 - \sigma) + \rho)$ and
    $$\frac{|x^+|^2}{|x|^2} = 1 - \frac{\lambda(2 - \lambda)\alpha^2}{1 + 2\gamma(1 - \sigma)\rho + \gamma^2(1 - \sigma)^2},$$
    which is $< 1$ iff $\sigma < 1 + \rho/\gamma$. With $\sigma = 0$ this is the exact range $\rho > -\gamma$ of rPPA; with $\rho = 0$ any $\sigma < 1$ will do.
    """
    c, s = cosine(t), 2 * t / (1 + t * t)
    rho, sigma = c, 1 + c / gamma - d
    v = (c, s)  # F(z) at z = (1, 0)
    x = (1 + gamma * (1 - sigma) * c, gamma * (1 - sigma) * s)
    alpha = v[0] * (x[0] - 1) + v[1] * x[1] + rho
    alpha = max(Q(0), alpha) if clamped else alpha
    after = (x[0] - lam * alpha * v[0]) ** 2 + (x[1] - lam * alpha * v[1]) ** 2
    before = x[0] ** 2 + x[1] ** 2
    predicted = max(Q(0), gamma * (1 - sigma) + rho) if clamped else gamma * (1 - sigma) + rho
    gain = lam * (2 - lam) if factor == "lam(2-lam)" else lam * lam
    size = 1 + 2 * gamma * (1 - sigma) * rho + gamma**2 * (1 - sigma) ** 2
    yield "alpha", eq(alpha, predicted)
    yield "factor", eq(after * size, before * (size - gain * predicted**2))
    limit = {"budget": 1 + rho / gamma, "sigma < 1": Q(1), "twice": 1 + 2 * rho / gamma}[threshold]
    yield "moves iff below the threshold", lt(after, before) if sigma < limit else eq(after, before)


@tolerance_class_tradeoff.proof(
    "every admissible pair",
    rests_on=(
        "v and the error e = x - z - gamma v lie in a plane; coordinates in which v = (p, 0), p > 0, e = (a, b)",
    ),
)
def _admissible(*, share=1):
    p, gamma = symbols("p gamma", positive=True)
    sigma = symbols("sigma", nonnegative=True)
    a = symbols("a")
    # |e| <= sigma gamma |v| gives -a <= |a| <= sigma gamma p
    room = sigma * gamma * p + a
    yield "bound", le(share * gamma * (1 - sigma) * p**2, p * (gamma * p + a), given=[room])
    e, b = symbols("e", nonnegative=True), symbols("b")  # the error is (-e, b)
    sigma = symbols("sigma", positive=True)
    inside = (sigma * gamma * p) ** 2 - e**2 - b**2
    by = Combination([(1, 1, (inside,)), (1, b, ())], times=sigma * gamma * p + e)
    yield "the error along v", le(e, sigma * gamma * p, given=[inside], by=by)


tolerance_class_tradeoff.mutant("threshold sigma < 1", threshold="sigma < 1", breaks="moves iff below the threshold")
tolerance_class_tradeoff.mutant("threshold 1 + 2 rho/gamma", threshold="twice", breaks="moves iff below the threshold")
tolerance_class_tradeoff.mutant("no clamping of alpha", clamped=False, breaks="moves iff below the threshold")
tolerance_class_tradeoff.mutant("lambda^2 in place of lambda (2 - lambda)", factor="lam^2", breaks="factor")
tolerance_class_tradeoff.mutant("1.01 gamma (1 - sigma)", share=Q(101, 100), breaks="bound")
