"""Two workers of Local SGDM within a round: the pathwise inequality behind the contraction lemma, and its sharp constant."""

from __future__ import annotations

from itertools import pairwise

from flint import fmpq_mat

from solvers.exact_linalg import ldlt
from theorems import Arrays, Choices, Combination, Given, Integers, Q, eq, le, symbolic, symbols
from theorems.papers.local_adaptive.paper import PAPER

SLOPES = {  # derivatives of convex 1-smooth functions, and of a weakly convex one
    "quadratic": lambda x: x,
    "hinge squared": lambda x: max(x, Q(0)),
    "two curvatures": lambda x: max(x, x / 20),
    "linear": lambda x: Q(1),
    "concave": lambda x: -x,
}


def two_workers(slope, L, eta, b1, x, u, noises):
    """Exact trajectories of two workers from (x, u): pairs of x_j and pairs of gradients, j = 0, ..., t + 1."""
    xs, us = [(x, x)], (u, u)
    gradients = []
    for noise in noises:
        g = tuple(L * slope(a) for a in xs[-1])
        us = tuple(b1 * v + (1 - b1) * (a + e) for v, a, e in zip(us, g, noise, strict=True))
        xs.append(tuple(a - eta * v for a, v in zip(xs[-1], us, strict=True)))
        gradients.append(g)
    return xs, gradients


def sides(slope, L, eta, b1, x, u, noises, C):
    """Left and right side of the pathwise inequality at the last step."""
    xs, gradients = two_workers(slope, L, eta, b1, x, u, noises)
    differences = [a - b for a, b in xs]
    d = [Q(0)] + [(new - b1 * old) / (1 - b1) for old, new in pairwise(differences)]
    n = [a - b for a, b in noises]
    Dg = [a - b for a, b in gradients]
    t = len(noises) - 1
    left = d[t + 1] ** 2 + eta / L * sum(((b1 ** (t - j) if j < t else 1) * g * g for j, g in enumerate(Dg)), Q(0))
    right = -2 * eta * sum((a * e for a, e in zip(d, n, strict=False)), Q(0)) + C * eta**2 * sum(
        (e * e for e in n), Q(0)
    )
    return left, right


def limit(b1, L):
    """The largest step, (1 - b1)^2/(2L)."""
    return (1 - b1) ** 2 / (2 * L)


PATHS = PAPER.family(
    "two-workers",
    slope=Choices("quadratic", "hinge squared", "two curvatures", "linear"),
    b1=Choices(Q(0), Q(1, 2), Q(9, 10), Q(1, 5)),
    share=Choices(Q(1), Q(1, 3), Q(99, 100)),
    L=Choices(Q(1), Q(7, 3)),
    t=Integers(0, 7),
    x=Integers(-3, 3),
    u=Integers(-3, 3),
    noise=Given(lambda t: Arrays(Integers(-6, 6), (t + 1, 2))),
    quick=60,
    full=2000,
)


@PAPER.bound(
    source="contraction lemma, the inequality unrolled in its proof; noise constant 2 derived (paper: 4)",
    fidelity="derived",
    evidence="proved",
    method="an argument for every t, beta_1 and eta; exact certificates with the multipliers 2 eta for listed (beta_1, t); exact "
    "trajectories of two workers, with a path along which the ratio tends to the constant",
    hypotheses="d_0 = 0 (both workers leave one state); b1^0 = 1 also for beta_1 = 0",
    rests_on=(
        "with eta = 1: |d_{t+1}|^2 is the sum of the parts 'one step'; d_j = Dx_j - beta_1 DU_j/(1 - beta_1) and DU_j = "
        "(1 - beta_1) sum_{i<j} beta_1^{j-1-i}(Dg_i + n_i); cocoercivity <Dx_j, Dg_j> >= |Dg_j|^2/L",
        "with w = Dg - n and i < j: 4 sum beta_1^{j-i} <Dg_i, Dg_j> <= 4 beta_1/(1 - beta_1) sum |Dg_j|^2, and 2 sum beta_1^{j-i} "
        "|w_i||Dg_j| <= sum |w_i|^2 + (beta_1/(1 - beta_1))^2 sum |Dg_j|^2 (Young's convolution inequality)",
        "identities of quadratic forms in scalars hold for vectors, coordinate by coordinate",
    ),
)
def pathwise_contraction():
    r"""Let $f$ be convex and $L$-smooth, $\eta \le (1 - \beta_1)^2/(2L)$, and let two workers start a round from one state $(x, u)$ and
    follow Local SGDM with any noises; $n_j = (\hat g^m_j - \nabla f(x^m_j)) - (\hat g^n_j - \nabla f(x^n_j))$, $d_j = z^m_j - z^n_j$. Then
    for every $t \ge 0$, with $C = 2$,
    $$|d_{t+1}|^2 + \frac{\eta}{L} \sum_{j \le t} \beta_1^{t-j} |\nabla f(x^m_j) - \nabla f(x^n_j)|^2 \le
    -2\eta \sum_{j \le t} \langle d_j, n_j\rangle + C \eta^2 \sum_{j \le t} |n_j|^2.$$ For $\beta_1 = 0$ no smaller $C$ serves all $t$.
    """


@pathwise_contraction.crosscheck("random paths", family=PATHS)
def _random_paths(slope, b1, share, L, x, u, noise, *, C=2, step=1):
    noises = [tuple(Q(int(noise[i, j])) for j in (0, 1)) for i in range(noise.nrows())]
    eta = share * step * limit(b1, L)
    return le(*sides(SLOPES[slope], L, eta, b1, Q(x), Q(u), noises, C))


@pathwise_contraction.proof(
    "sharp constant",
    covers="beta_1 = 0, t = 4, 12, 28, 60: the ratio (1 + t/2)/(1 + t/4) for every t by the same path",
)
def _sharp_constant(*, C=2):
    """f = max(x, 0)^2/2: far left, the workers drift apart unchecked; a common jump takes both to x > 0."""
    for t in (4, 12, 28, 60):
        jump = Q(-100 * t)
        noises = [(Q(1), Q(0))] * (t - 1) + [(1 + jump, jump), (Q(-t, 2), Q(0))]
        left, right = sides(SLOPES["hinge squared"], Q(1), limit(Q(0), Q(1)), Q(0), Q(-10 * t), Q(0), noises, 0)
        squares = Q(t) + Q(t * t, 4)  # sum of n_j^2
        attained = (left - right) / (squares * limit(Q(0), Q(1)) ** 2)
        yield "sharp constant", eq(attained, (1 + Q(t, 2)) / (1 + Q(t, 4)))
        yield "sharp constant", le(attained, C)


@pathwise_contraction.proof("given noise", covers="quadratics, beta_1 = 0, four given sequences of noise")
def _given_noise(*, C=2, step=1, slope="quadratic"):
    for noise in ((-2, 5, -9, 7), (4, 3, 2, 1), (1, 1, 1, 1), (-1, 1, -1, 1)):
        noises = [(Q(e), Q(0)) for e in noise]
        yield le(*sides(SLOPES[slope], Q(1), step * limit(Q(0), Q(1)), Q(0), Q(1), Q(0), noises, C))


def slack_form(b1, t):
    """The quadratic form right - left - 2 sum_j (<Dx_j, Dg_j> - |Dg_j|^2/L) in (Dg_1, ..., Dg_t, n_0, ..., n_t), eta = 1."""
    size, L = 2 * t + 1, limit(b1, Q(1))

    def unit(k):
        return fmpq_mat(1, size, [int(i == k) for i in range(size)])

    def product(a, b):
        outer = a.transpose() * b
        return (outer + outer.transpose()) * Q(1, 2)

    zero = fmpq_mat(1, size)
    Dg, n = [zero, *(unit(j) for j in range(t))], [unit(t + j) for j in range(t + 1)]
    Dx, DU, d = [zero], zero, [zero]
    for j in range(t + 1):
        DU = DU * b1 + (Dg[j] + n[j]) * (1 - b1)
        Dx.append(Dx[j] - DU)
        d.append((Dx[j + 1] - Dx[j] * b1) * (1 / (1 - b1)))
    form = product(d[t + 1], d[t + 1]) * Q(-1)
    for j in range(t + 1):
        weight = b1 ** (t - j) if j < t else Q(1)
        form += product(n[j], n[j]) * Q(2) - product(d[j], n[j]) * Q(2)
        form += product(Dg[j], Dg[j]) * ((2 - weight) / L) - product(Dx[j], Dg[j]) * Q(2)
    return form


@pathwise_contraction.proof(
    "certificate", covers="t = 1, 3, 7 and beta_1 in {0, 1/2, 9/10}; all convex f, all dimensions, all noises"
)
def _certificate():
    """The form is positive semidefinite: all pivots of its exact congruence are positive."""
    for b1 in (Q(0), Q(1, 2), Q(9, 10)):
        for t in (1, 3, 7):
            yield le(0, list(ldlt(slack_form(b1, t)).d))


@pathwise_contraction.proof(
    "certificate for t <= 2", covers="t = 1, 2 and beta_1 in {0, 1/2, 9/10}; all convex f, all dimensions"
)
def _small():
    import sympy

    for b1 in (Q(0), Q(1, 2), Q(9, 10)):
        for t in (1, 2):
            form = slack_form(b1, t)
            congruence = ldlt(form)
            v = sympy.Matrix(symbols(f"v:{2 * t + 1}"))
            quadratic = sum(symbolic(form[i, j]) * v[i] * v[j] for i in range(2 * t + 1) for j in range(2 * t + 1))
            rows = [
                sum(symbolic(congruence.L[i, k]) * v[i] for i in range(2 * t + 1)) for k in range(len(congruence.d))
            ]
            squares = [(symbolic(max(x, Q(0))), row, ()) for x, row in zip(congruence.d, rows, strict=True)]
            yield le(0, quadratic, by=Combination(squares))


@pathwise_contraction.proof("argument", covers="all t, all 0 <= beta_1 < 1, all eta <= (1 - beta_1)^2/(2L)")
def _argument(*, step=1):
    d, g, n, DU, Dx = symbols("d g n DU Dx")
    b = symbols("beta1", above=0, below=1)
    over = symbols("over", nonnegative=True)
    yield "one step", eq((d - g - n) ** 2, d**2 - 2 * d * n + 2 * n**2 - (2 * d * g - 2 * g**2 + (g - n) ** 2))
    yield "one step", eq((Dx - b * (Dx + DU)) / (1 - b), Dx - b * DU / (1 - b))
    one_over_L = 2 * (1 + over) / (1 - b) ** 2 / step  # eta = 1 <= (1 - b)^2/(2L)
    yield "coefficients", le(4 * b / (1 - b) + b**2 / (1 - b) ** 2, 2 * one_over_L - 2 - one_over_L)


pathwise_contraction.mutant("C = 1.9", C=Q(19, 10), breaks="sharp constant")
pathwise_contraction.mutant("C = 1.5", C=Q(3, 2), breaks="sharp constant")
pathwise_contraction.mutant("C = 1.2", C=Q(6, 5), breaks="given noise")
pathwise_contraction.mutant("C = 1", C=Q(1), breaks="given noise")
pathwise_contraction.mutant("step 2 times too large", step=2, breaks="given noise")
pathwise_contraction.mutant("step 2 times too large, argument", step=2, breaks="coefficients")
pathwise_contraction.mutant("f weakly convex (tau = L)", slope="concave", breaks="given noise")
