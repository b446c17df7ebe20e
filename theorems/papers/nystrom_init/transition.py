"""The order of convergence changes at tau = 0: what starts outside the range of A decays linearly, however small it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import NoEnclosure, precision
from solvers.exact_linalg import diagonal, frobenius_squared, identity, null_space, projection, to_arb_mat, vstack
from solvers.free_algebra import letters
from solvers.scaled_descent import asymmetric_steps, symmetric_steps
from theorems import Choices, Given, Q, bracket, curve, eq, le, q_order, shared, symbols
from theorems.papers.nystrom_init.instances import HALF, THIRD, TWO, ZERO, frobenius, full_rank, grams, largest_rank
from theorems.papers.nystrom_init.letters import coefficients, t
from theorems.papers.nystrom_init.paper import PAPER

BITS = 1200
ATTEMPTS = (BITS, 2 * BITS, 4 * BITS, 8 * BITS)
FLOOR = Q(1, 10**70)  # limits of quotients are read off when the error has fallen below it
UNRESOLVED = Q(1, 10**200)  # the last squares of errors are near 1e-140
LONGEST = 1200
RESOLVED = 60  # bits
NEAR = Q(1, 10**12)
SPECTRUM = (Q(1), HALF)


def order_parameter(eta: fmpq, tau: Any, *, square: bool = False) -> fmpq:
    """The limit of e_{t+1}/e_t: for r = r_A, or (square) for r = m."""
    outside = (1 - eta) ** (2 if square else 1)
    return max(outside, abs(1 - 2 * eta)) if tau != 0 else abs(1 - 2 * eta)


def ratio(errors: Sequence[arb]) -> arb:
    """The last quotient of consecutive errors."""
    return errors[-1] / errors[-2]


def until_floor(errors: Any) -> list[Any]:
    """Errors (first entries of tuples) until one is below the floor, and the next one.

    Raises:
        NoEnclosure: if the floor is not reached, or the last error is not known to 60 bits.
    """
    found: list[Any] = []
    for e in islice(errors, LONGEST):
        found.append(e)
        if len(found) > 1 and found[-2][0] < FLOOR:
            break
    if found[-1][0].rel_accuracy_bits() < RESOLVED:
        raise NoEnclosure(f"the error after {len(found)} steps is {found[-1][0]}; more bits are needed")
    return found


def start(Omega: fmpq_mat, outside: fmpq_mat, tau: fmpq) -> fmpq_mat:
    """A Omega with the row tau * outside below it, for A = diag(1, 1/2, 0)."""
    return vstack(diagonal(SPECTRUM) * Omega, tau * outside)


def attempted(compute: Callable[[], list[Any]]) -> tuple[Any, ...]:
    """The result of a computation in balls, with more bits while it has no enclosure."""
    for bits in ATTEMPTS[:-1]:
        with precision(bits):
            try:
                return tuple(compute())
            except NoEnclosure:
                continue
    with precision(ATTEMPTS[-1]):
        return tuple(compute())


@shared
def trajectory(Omega: fmpq_mat, outside: fmpq_mat, tau: fmpq, eta: fmpq) -> tuple[tuple[arb, arb, arb], ...]:
    """|E_t|_F, |Z_t|^2 and |Z_t F_t^T|^2 with the row Z_t outside range(A) and the rows F_t inside, in balls."""
    A, X0 = diagonal((*SPECTRUM, Q(0))), start(Omega, outside, tau)

    def measured():
        steps = (X * X.transpose() for X in symmetric_steps(to_arb_mat(X0), A, eta))
        for B in grams(A, to_arb_mat(X0 * X0.transpose()), eta) if X0.nrows() == X0.ncols() else steps:
            b = B.tolist()
            yield frobenius(B - A), abs(b[2][2]), b[2][0] * b[2][0] + b[2][1] * b[2][1]

    return attempted(lambda: until_floor(measured()))


def limit(errors: Sequence[arb], claimed: Any):
    """The last quotient agrees with a limit: it is only near it."""
    return le(abs(ratio(errors) - claimed), NEAR)


EXACT = PAPER.family(
    "starts-anywhere",
    size=Choices((4, 2, 2), (5, 2, 3), (4, 1, 2)),
    L=Given(lambda size: full_rank(size[0], size[1])),
    start=Given(lambda size: full_rank(size[0], size[2])),
    eta=Choices(HALF, THIRD),
    where=lambda L, start: largest_rank(L, start),
    accept=0.5,
    quick=8,
    full=60,
)


@PAPER.transition(
    source="abstract: the crucial role of initialisation, a linear rate in general and a quadratic one from the Nystrom initialisation",
    fidelity="derived",
    evidence="certified",
    family=EXACT,
    part="component outside range(A)",
    method="identities of non-commuting letters; two steps in exact rationals; orders of convergence of ball iterations with rational "
    "data, read off when the error is below 1e-70",
    hypotheses="limits: generic starts (for special ones an error component may vanish, and the quotient be smaller) from which the iteration converges; "
    "tau is the size of the component outside range(A)",
    not_established="that generic starts converge (sampled ones do); that the limit of e_{t+1}/e_t is the stated one from every start: it is decided on A = diag(1, 1/2, 0). For r_A < r < m and "
    "tau > 0 other limits occur, and only the lower bound is claimed",
)
def init_order_transition(size, L, start, eta, *, base="1-eta", power=2):
    r"""Let $A \succeq 0$ have rank $r_A < m$, $Q_\perp$ an orthonormal basis of $\ker A$, $X_0 \in \mathbb{R}^{m \times r}$ any start of
    symmetric ScaledGD, $E_t = X_tX_t^\top - A$. Then $Q_\perp^\top X_t = (1 - \eta)^t Q_\perp^\top X_0$, hence
    $\|E_t\|_F \ge (1 - \eta)^{2t} \|Q_\perp^\top X_0X_0^\top Q_\perp\|_F$ and $\|E_t\|_F \ge \sqrt2\,\|Q_\perp^\top X_tX_t^\top Q\|_F$ with $Q$ a
    basis of the range: never faster than linear if $\tau = \|Q_\perp^\top X_0\| > 0$. For $r = r_A$ and generic $X_0$ the order parameter
    $\lim_t e_{t+1}/e_t$, $e_t = \|E_t\|_F$, is $\max(1 - \eta, |1 - 2\eta|)$ for every $\tau > 0$ and $|1 - 2\eta|$ for $\tau = 0$ (Nystrom); at
    $\eta = \frac12$ that is $\frac12$ with Q-order 1, and 0 with Q-order 2. For $r = m$ and $\tau > 0$ it is $\max((1 - \eta)^2, |1 - 2\eta|)$, and
    $Q_\perp^\top E_{t+1} = (1 - \eta)^2 Q_\perp^\top E_t$. Asymmetric problems with $r = r_A$, $Y_0 = 0$ and $Q_\perp$ a basis of
    $\operatorname{col}(A)^\perp$: $Q_\perp^\top X_t = (1 - \eta)^{t-1} Q_\perp^\top X_0$ for $t \ge 1$, and the same order parameter as for $r = r_A$.
    """
    A = L * L.transpose()
    N = null_space(A).transpose()
    factor = 1 - eta if base == "1-eta" else 1 - 2 * eta
    iterates = list(islice(symmetric_steps(start, A, eta), 3))
    for k, X in enumerate(iterates):
        yield "component outside range(A)", eq(N * X, N * start * factor**k)
    outside = identity(size[0]) - projection(A)
    floor = frobenius_squared(outside * start * start.transpose() * outside)
    for k, X in enumerate(iterates):
        E = X * X.transpose() - A
        yield "lower bound, exactly", le((1 - eta) ** (2 * power * k) * floor, frobenius_squared(E))
        mixed = frobenius_squared(outside * X * X.transpose() * projection(A))
        yield "lower bound by the mixed block, exactly", le(2 * mixed, frobenius_squared(E))
    inside = next(islice(symmetric_steps(A * start, A, eta), 2, None))
    yield "Nystrom stays inside", eq(outside * inside, fmpq_mat(size[0], size[2]))


@init_order_transition.proof(
    "conserved direction",
    covers="all sizes and ranks, all starts, all eta",
    rests_on=(
        "X^T X (X^T X)^+ is the projector on the row space of X, so that X X^T X (X^T X)^+ = X",
        "the blocks Q_perp^T E Q_perp and Q_perp^T E Q (twice) are parts of E in an orthonormal basis, and Q_perp^T A = 0",
    ),
)
def _conserved(*, base="1-eta"):
    N, A, X, P = letters("N A X P")
    eta = symbols("eta", above=0, below=1)
    rules: dict[tuple[str, ...], Any] = {("N", "A"): 0, ("A", "Nt"): 0, ("X", "Xt", "X", "P"): X}
    after = X - (X * t(X) - A) * X * P * eta
    factor = 1 - eta if base == "1-eta" else 1 - 2 * eta
    residuals = coefficients(N * after - N * X * factor, rules)
    yield "symmetric", eq(residuals, [0] * len(residuals))
    residuals = coefficients(N * (X * t(X) - A) * t(N) - N * X * t(X) * t(N), rules)
    yield "blocks of the error", eq(residuals, [0] * len(residuals))


@init_order_transition.proof("square factors", covers="r = m: all sizes, all invertible X, all eta")
def _square(*, power=2):
    N, A, X, b = letters("N A X b")  # b is the inverse of B = X X^T
    eta = symbols("eta", above=0, below=1)
    rules: dict[tuple[str, ...], Any] = {("X", "Xt", "b"): 1, ("b", "X", "Xt"): 1, ("N", "A"): 0}
    B = X * t(X)
    after = X - (B - A) * b * X * eta  # X (X^T X)^{-1} = B^{-1} X
    gram = B * (1 - eta) ** 2 + A * (2 * eta * (1 - eta)) + A * b * A * eta**2
    residuals = coefficients(after * t(after) - gram, rules)
    yield "recursion for r = m", eq(residuals, [0] * len(residuals))
    residuals = coefficients(N * (gram - A) - N * (B - A) * (1 - eta) ** power, rules)
    yield "blocks next to the kernel", eq(residuals, [0] * len(residuals))


@init_order_transition.proof(
    "asymmetric direction",
    covers="all sizes, r = r_A, all eta, t >= 1",
    rests_on=("X_1 = X_0, since 0^+ = 0, and Y_t has full column rank from t = 1 on",),
)
def _asymmetric(*, base="1-eta"):
    N, A, X, Y, P = letters("N A X M P")  # P is the inverse of Y^T Y
    eta = symbols("eta", above=0, below=1)
    after = X - (X * t(Y) - A) * Y * P * eta
    factor = 1 - eta if base == "1-eta" else 1 - 2 * eta
    residuals = coefficients(N * after - N * X * factor, {("N", "A"): 0, ("Mt", "M", "P"): 1})
    yield eq(residuals, [0] * len(residuals))


TAUS = (Q(1, 10**32), Q(1, 10**16), Q(1, 10**8), Q(1, 10**4))


@init_order_transition.check(
    "threshold",
    domain={"Omega": full_rank(2, 2), "outside": full_rank(1, 2)},
    quick=1,
    full=10,
)
def _threshold(Omega, outside, *, threshold=ZERO, order=2, slow=HALF):
    with precision(BITS):
        runs = {tau: [e[0] for e in trajectory(Omega, outside, tau, HALF)] for tau in (Q(0), *TAUS)}
        yield (
            "order parameter",
            bracket(threshold, sorted(runs), lambda tau: ratio(runs[tau]), level=Q(1, 4), below=Q(0), above=TAUS[0]),
        )
        yield "rate outside", le([abs(ratio(runs[tau]) - slow) for tau in TAUS], NEAR)
        yield "Q-order of Nystrom", q_order(runs[Q(0)], order, within=Q(1, 20), last=1)
        yield "Q-order outside", q_order(runs[TAUS[0]], 1, within=Q(1, 1000))
        for tau in (Q(0), *TAUS):
            shown = [(k, e.log() / arb(10).log()) for k, e in enumerate(runs[tau][:-1])]
            yield curve(
                "Quadratic until the component outside range(A) shows",
                [k for k, _ in shown],
                [v for _, v in shown],
                series=f"tau = {tau}" if tau == 0 else f"tau = 1e-{len(str(tau.q)) - 1}",
                axes=("t", "log10 |X X^T - A|"),
            )


@init_order_transition.check(
    "rates",
    domain={
        "eta": Choices(Q(2, 5), Q(4, 5), HALF, Q(3, 10)),
        "tau": Choices(TAUS[0], TAUS[3], Q(1)),
        "Omega": full_rank(2, 2),
        "square": Given(lambda: full_rank(3, 3)),
        "outside": full_rank(1, 2),
    },
    quick=4,
    full=24,
)
def _rates(eta, tau, Omega, square, outside, *, cap=True, squared=True, root=TWO, power=2):
    with precision(BITS):
        inner = trajectory(Omega, outside, tau, eta)
        nystrom = [e for e, *_ in trajectory(Omega, outside, Q(0), eta)]
        claimed = order_parameter(eta, tau) if cap else 1 - eta
        yield "limit for r = r_A", limit([e for e, *_ in inner], claimed)
        if eta != HALF:
            yield "limit for Nystrom", limit(nystrom, order_parameter(eta, 0))
        rows = square.tolist()
        full = trajectory(fmpq_mat(rows[:2]), fmpq_mat(rows[2:]), tau, eta)
        yield "limit for r = m", limit([e for e, *_ in full], order_parameter(eta, tau, square=squared))
        for run in (inner, full):
            yield (
                "lower bound",
                le([run[0][1] * (1 - eta) ** (power * k) for k in range(len(run))], [e for e, *_ in run]),
            )
            yield (
                "lower bound by the mixed block",
                le([root * mixed for *_, mixed in run], [e * e for e, *_ in run], within=UNRESOLVED),
            )


@init_order_transition.check(
    "asymmetric",
    domain={
        "eta": Choices(Q(2, 5), HALF, Q(4, 5)),
        "tau": Choices(Q(1), Q(1, 10**6)),
        "U": full_rank(5, 2),
        "V": full_rank(4, 2),
        "Omega": full_rank(4, 2),
        "outside": full_rank(5, 2),
    },
    where=lambda V, Omega: largest_rank(V, Omega),
    quick=3,
    full=18,
)
def _asymmetric_rates(eta, tau, U, V, Omega, outside, *, base="1-eta", nystrom="|1-2eta|"):
    A = U * V.transpose()
    N = null_space(A.transpose()).transpose()
    first = A * Omega + tau * outside
    factor = 1 - eta if base == "1-eta" else 1 - 2 * eta
    for k, (X, _) in enumerate(islice(asymmetric_steps(first, fmpq_mat(4, 2), A, eta), 1, 4)):
        yield "asymmetric component outside", eq(N * X, N * first * factor**k)
    with precision(BITS):
        yield "asymmetric limit", limit(asymmetric_errors(first, A, eta), order_parameter(eta, tau))
        if eta != HALF:
            claimed = abs(1 - 2 * eta) if nystrom == "|1-2eta|" else 1 - eta
            yield "asymmetric limit for Nystrom", limit(asymmetric_errors(A * Omega, A, eta), claimed)
        else:
            yield (
                "asymmetric Q-order of Nystrom",
                q_order(asymmetric_errors(A * Omega, A, eta), 2, within=Q(1, 20), last=1),
            )


@shared
def asymmetric_errors(X0: fmpq_mat, A: fmpq_mat, eta: fmpq) -> tuple[arb, ...]:
    """|X_t Y_t^T - A|_F for t >= 1, in balls."""
    X1, Y1 = next(islice(asymmetric_steps(X0, fmpq_mat(A.ncols(), X0.ncols()), A, eta), 1, None))

    def measured():
        for X, Y in asymmetric_steps(to_arb_mat(X1), to_arb_mat(Y1), A, eta):
            yield (frobenius(X * Y.transpose() - A),)

    return tuple(e for (e,) in attempted(lambda: until_floor(measured())))


mutant = init_order_transition.mutant
mutant("factor (1 - 2 eta)^t", base="1-2eta", breaks="component outside range(A)")
mutant("factor 1 - 2 eta in letters", base="1-2eta", breaks="symmetric")
mutant("factor (1 - 2 eta)^(t-1), asymmetric", base="1-2eta", breaks="asymmetric component outside")
mutant("a rate 1 - eta in the lower bound, squares of size", power=1, breaks="lower bound")
mutant("quadratic for tau up to 1e-20", threshold=Q(1, 10**20), breaks="order parameter")
mutant("rate 0.501 outside", slow=Q(501, 1000), breaks="rate outside")
mutant("Q-order 1.9 of Nystrom", order=Q(19, 10), breaks="Q-order of Nystrom")
mutant("1 - eta for every step", cap=False, breaks="limit for r = r_A")
mutant("limit 1 - eta for r = m", squared=False, breaks="limit for r = m")
mutant("1.0005 times the mixed block", root=Q(2002, 1000), breaks="lower bound by the mixed block")
mutant("blocks next to the kernel shrink by 1 - eta", power=1, breaks="blocks next to the kernel")
mutant("limit 1 - eta for Nystrom, asymmetric", nystrom="1-eta", breaks="asymmetric limit for Nystrom")
