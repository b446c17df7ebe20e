"""At the step 1/2 the error falls quadratically from the first iterate on, with a closed form that bounds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import diagonal, to_arb_mat, verified_eigenvalues
from solvers.free_algebra import letters
from solvers.scaled_descent import heron
from theorems import Choices, Given, Minimum, Q, Rationals, curve, eq, le, lt, shared, symbolic, symbols
from theorems.papers.nystrom_init.instances import HALF, ONE, QUARTER, TWO, FullRank, grams
from theorems.papers.nystrom_init.letters import F, G, L, coefficients, t
from theorems.papers.nystrom_init.paper import PAPER

ELEVEN = Q(11)
BITS = 6000
FEWER_BITS = 1600  # for r_A = 3, where eigenvalues are dear
TINY = Q(1, 10**100)  # iterations end when the error is below this share of the least eigenvalue
POSITIVE_UNTIL = 5  # later the small eigenvalues of E_t fall below any precision


@PAPER.bound(
    source="main theorem on symmetric, exact and over-parametrised problems: linear, then quadratic rate (two step sizes there)",
    fidelity="derived",
    evidence="proved",
    method="identities of non-commuting letters whose terms are congruences of positive matrices, and one-variable inequalities; problems with "
    "rational data in 6000-bit balls as cross-checks",
    hypotheses="Nystrom initialisation with rank(A Omega) = r_A <= r, eta = 1/2 throughout",
    rests_on=(
        "the recursion of sym-error-recursion; in the basis of range(A), B = Lambda + E and A = Lambda >= lambda I",
        "congruences and sums of positive semidefinite matrices are positive semidefinite",
    ),
    not_established="the paper's own constants: its first phase uses a smaller step. How sharp the bound is for r_A > 1 beyond the sampled problems",
)
def sym_quadratic_global():
    r"""Let $A \succeq 0$ have rank $r_A \le r$ and least positive eigenvalue $\lambda$, $X_0 = A\Omega$ with
    $\operatorname{rank}(A\Omega) = r_A$, $\eta = \frac12$, $E_t = X_tX_t^\top - A$ and $e_t = \|E_t\|_2$. For all $t \ge 1$:
    $E_t \succeq 0$, and $e_{t+1} \le \frac{e_t^2}{4(\lambda + e_t)}$, so that $e_{t+1} \le \frac14 e_t$ and
    $e_{t+1} \le \frac{e_t^2}{4\lambda}$. Hence
    $$e_t \le \lambda\Big[\Big(\frac{1 + w^{2^{t-1}}}{1 - w^{2^{t-1}}}\Big)^2 - 1\Big], \qquad w = \frac{y - 1}{y + 1},\quad
    y = \sqrt{1 + e_1/\lambda},$$
    both with equality for $r_A = 1$. The right side is at most $11\lambda e^{-2^t/y}$ once $2^t \ge y$: $O(\log(e_1/\lambda) +
    \log\log(1/\varepsilon))$ iterations reach $e_t \le \varepsilon\lambda$.
    """


@sym_quadratic_global.proof("positive from the first iterate", covers="all sizes: E_{t+1} = E_t B_t^{-1} E_t / 4")
def _positive(*, eta=HALF, quarter=QUARTER):
    after = F + (L * G - 1) * F * symbolic(eta)
    E = F * t(F) - L
    residuals = coefficients(after * t(after) - L - E * G * E * symbolic(quarter))
    yield eq(residuals, [0] * len(residuals))


@sym_quadratic_global.proof(
    "order of inverses",
    covers="all sizes: B^{-1} <= C^{-1} for B = Lambda + E and C = lambda I + E",
    rests_on=("D = B - C = Lambda - lambda I >= 0, and C > 0",),
)
def _inverses(*, second=1):
    B, b, C, c = letters("B b C c")
    inverses: dict[tuple[str, ...], Any] = {("B", "b"): 1, ("b", "B"): 1, ("C", "c"): 1, ("c", "C"): 1}
    D = B - C
    residuals = coefficients(c - b - (b * D * b + b * D * c * D * b * second), inverses)
    yield eq(residuals, [0] * len(residuals))


@sym_quadratic_global.proof(
    "one step",
    covers="all lambda > 0, all 0 <= x <= e",
    rests_on=(
        "C is a function of E, so that the eigenvalues of E C^{-1} E are x^2/(lambda + x), x those of E in [0, e]",
    ),
)
def _one_step(*, power=2, share=ONE):
    lam = symbols("lambda", positive=True)
    x, gap = symbols("x gap", nonnegative=True)
    e = x + gap
    yield "eigenvalues", le(x**2 / (lam + x), e**power / (lam + e))
    yield "linear", le(e**2 / (4 * (lam + e)), e * symbolic(share) / 4)
    yield "quadratic", le(e**2 / (4 * (lam + e)), e**2 * symbolic(share) / (4 * lam))


@sym_quadratic_global.proof(
    "closed form",
    covers="all lambda > 0, all y > 1",
    rests_on=("e^2/(4 (lambda + e)) increases in e (one step), so that the bound is carried along by induction on t",),
)
def _closed_form(*, quarter=QUARTER, square=2):
    """e = lambda (y^2 - 1) follows Heron's iteration, which squares w = (y - 1)/(y + 1)."""
    lam, y = symbols("lambda", positive=True), symbols("y", above=1)
    e, after = lam * (y**2 - 1), (y + 1 / y) / 2
    w = (y - 1) / (y + 1)
    yield "Heron", eq(e**2 * symbolic(quarter) / (lam + e), lam * (after**2 - 1))
    yield "w is squared", eq((after - 1) / (after + 1), w**square)
    yield "at t = 1", eq((1 + w) / (1 - w), y)


@sym_quadratic_global.proof(
    "number of iterations",
    covers="all y = 1/v > 1; all q in (0, 3/8]",
    rests_on=(
        "q = w^(2^(t-1)) <= exp(-2^t/y) <= 1/e < 3/8 once 2^t >= y, so that t = log2 y + log2 ln(11/eps), rounded up, is enough for eps <= 1",
    ),
)
def _iterations(*, two=TWO, eleven=ELEVEN):
    """ln(1/w) >= 2/y, and ((1 + q)/(1 - q))^2 - 1 <= 11 q."""
    import sympy

    v, q = symbols("v", lower=0, below=1), symbols("q", above=0, upper=Q(3, 8))
    by = Minimum(v, 0) if two == TWO else None
    yield "w is at most exp(-2/y)", le(symbolic(two) * v, sympy.log(1 + v) - sympy.log(1 - v), by=by)
    yield "bound after many steps", le(((1 + q) / (1 - q)) ** 2 - 1, symbolic(eleven) * q)


@sym_quadratic_global.proof("equality for rank one", covers="all lambda > 0, all b > 0")
def _equality(*, eta=HALF, quarter=QUARTER):
    lam, b = symbols("lambda b", positive=True)
    e = b - lam
    after = b * (1 + symbolic(eta) * (lam / b - 1)) ** 2
    yield eq(after - lam, e**2 * symbolic(quarter) / (lam + e))


# Spectrum of A, r, scale of Omega: near-equality of the eigenvalues is near-equality in the bound.
CASES = (
    ((Q(1), Q(1, 10)), 2, Q(1)),
    ((Q(1), Q(999, 1000)), 2, Q(1)),
    ((Q(1),), 1, Q(10**6)),
    ((Q(1), Q(1, 10**8)), 2, Q(1, 10**4)),
    ((Q(1), Q(1, 10), Q(1, 100)), 3, Q(1, 1000)),
    ((Q(1), HALF), 3, Q(1000)),
    ((Q(1), Q(1, 10**4)), 2, Q(1)),
    ((Q(1), Q(1, 10**3)), 4, Q(1)),
    ((Q(1),), 2, Q(1, 10**6)),
    ((Q(1),), 1, Q(1)),
)


def norm(E: arb_mat) -> arb:
    """|E|_2 for symmetric E, positive semidefinite or of one or two rows."""
    if E.nrows() == 1:
        return abs(E[0, 0])
    if E.nrows() == 2:
        a, b, d = E[0, 0], (E[0, 1] + E[1, 0]) / 2, E[1, 1]
        return (abs(a + d) + ((a - d) * (a - d) + 4 * b * b).sqrt()) / 2
    values = verified_eigenvalues(E)
    return abs(values[0]).max(abs(values[-1]))


def minors(E: arb_mat) -> list[arb]:
    """Leading principal minors."""
    rows = E.tolist()
    return [arb_mat([row[:k] for row in rows[:k]]).det() for k in range(1, len(rows) + 1)]


@shared
def errors_of(spectrum: Any, Omega: fmpq_mat, eta: fmpq, most: int = 60) -> tuple[tuple[arb_mat, arb], ...]:
    """E_t and |E_t|_2 for t = 0, 1, ..., until the norm is below TINY times the least eigenvalue."""
    Lambda = diagonal(spectrum)
    start = Lambda * Omega
    found: list[tuple[arb_mat, arb]] = []
    with precision(BITS if len(spectrum) < 3 else FEWER_BITS):
        for B in grams(Lambda, to_arb_mat(start * start.transpose()), eta):
            E = B - Lambda
            found.append((E, norm(E)))
            if found[-1][1] < TINY * spectrum[-1] or len(found) > most:
                break
    return tuple(found)


def solved(case: Any, Omega: fmpq_mat) -> bool:
    """Whether the start is a solution already."""
    X = diagonal(case[0]) * Omega * case[2]
    return bool(X * X.transpose() == diagonal(case[0]))


@sym_quadratic_global.crosscheck(
    "balls",
    domain={
        "case": Choices(*CASES),
        "Omega": Given(
            lambda case: FullRank(Rationals(Q(-333, 100), Q(333, 100), denominator=300), (len(case[0]), case[1]))
        ),
    },
    where=lambda case, Omega: not solved(case, Omega),
    quick=10,
    full=60,
)
def _balls(case, Omega, *, eta=HALF, quarter=QUARTER, doublings=1, positive_from=1):
    spectrum, _, scale = case
    lam = spectrum[-1]
    with precision(BITS):
        found, e = zip(*errors_of(spectrum, Omega * scale, eta))
        y = (1 + e[1] / lam).sqrt()
        bounds = [lam * (heron(y, n - doublings) ** 2 - 1) for n in range(2, len(e))]
        steps = [quarter * a * a / (lam + a) for a in e[1:-1]]
        if len(spectrum) == 1:
            yield "equality of one step", eq(list(e[2:]), steps, within=Q(1, 10**300))
            yield "equality of the closed form", eq(list(e[2:]), bounds, within=Q(1, 10**300))
            return
        yield "one step", lt(list(e[2:]), steps)
        yield "closed form", lt(list(e[2:]), bounds)
        yield "positive", lt(0, [m for E in found[positive_from:POSITIVE_UNTIL] for m in minors(E)])
        if case == CASES[0]:
            yield from curves(e, spectrum, Omega)


def curves(e: Sequence[arb], spectrum: Any, Omega: Any):
    """The errors at the step 1/2 and at the step 0.45, in decades."""
    slow = [size for _, size in errors_of(spectrum, Omega, Q(9, 20), 25)]
    for series, values in (("step 1/2", e), ("step 0.45", slow)):
        shown = [(k, (a.log() / arb(10).log())) for k, a in enumerate(values)]
        yield curve(
            "Quadratic at one half, linear at 0.45",
            [k for k, _ in shown],
            [v for _, v in shown],
            series=series,
            axes=("t", "log10 |X X^T - A|"),
        )


sym_quadratic_global.mutant("eta = 0.45", eta=Q(9, 20), breaks="positive from the first iterate")
sym_quadratic_global.mutant("constant 5 % smaller", quarter=Q(19, 80), breaks="positive from the first iterate")
sym_quadratic_global.mutant("inverses without the second congruence", second=0, breaks="order of inverses")
sym_quadratic_global.mutant("e/(lambda + e) for the largest eigenvalue", power=1, breaks="eigenvalues")
sym_quadratic_global.mutant("5 % less than e^2/(4 lambda)", share=Q(19, 20), breaks="quadratic")
sym_quadratic_global.mutant("Heron with the constant 1/8", quarter=Q(1, 8), breaks="Heron")
sym_quadratic_global.mutant("w is cubed", square=3, breaks="w is squared")
sym_quadratic_global.mutant("w at most exp(-2.1/y)", two=Q(21, 10), breaks="w is at most exp(-2/y)")
sym_quadratic_global.mutant("10 q for 11 q", eleven=Q(10), breaks="bound after many steps")
sym_quadratic_global.mutant("equality at eta = 0.45", eta=Q(9, 20), breaks="equality for rank one")
sym_quadratic_global.mutant("one iteration faster (2^t), balls", doublings=0, breaks="closed form")
sym_quadratic_global.mutant("constant 1/8, balls", quarter=Q(1, 8), breaks="one step")
sym_quadratic_global.mutant("constant 1 % smaller, balls", quarter=Q(99, 400), breaks="one step")
sym_quadratic_global.mutant("eta = 0.45, balls", eta=Q(9, 20), breaks="one step")
sym_quadratic_global.mutant("positive already at t = 0, balls", positive_from=0, breaks="positive")
