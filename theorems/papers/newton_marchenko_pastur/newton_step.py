"""One full Newton step with a noisy inverse Hessian: what becomes of the Newton decrement."""

from __future__ import annotations

from math import isqrt

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.self_concordant import barrier_with_gradient, noisy_inverse, squared_decrement
from theorems import Arrays, Choices, Combination, Given, Integers, Q, Rationals, eq, le, lt, symbols
from theorems.papers.newton_marchenko_pastur.paper import PAPER

ONE = Q(1)
ETAS = Choices(Q(0), Q(1, 20), Q(1, 5), Q(1, 2))


def gradient_of_length(A: fmpq_mat, b: fmpq_mat, u: fmpq_mat, target: fmpq) -> fmpq_mat:
    """A rational multiple of u whose decrement at 0, for the barrier of A x < b, is at most `target`, to six digits."""
    H = barrier_with_gradient(A, b, u).hessian(fmpq_mat(A.ncols(), 1))
    square = (target * 10**8) ** 2 / squared_decrement(u, H)
    return u * fmpq(isqrt(int(square.p) // int(square.q)), 10**8)


def problem(A, b, u, target):
    """The barrier of A x < b with a gradient along u and a decrement of about `target` at 0."""
    n, m = A.ncols(), A.nrows()
    rows, offsets, direction = fmpq_mat(A), fmpq_mat(m, 1, list(b)), fmpq_mat(n, 1, list(u))
    return barrier_with_gradient(rows, offsets, gradient_of_length(rows, offsets, direction, target))


BARRIERS = PAPER.family(
    "barriers",
    n=Integers(1, 4),
    m=Given(lambda n: Integers(2 * n, 6 * n)),
    A=Given(lambda n, m: Arrays(Integers(-5, 5), (m, n))),
    b=Given(lambda m: Arrays(Rationals(Q(1, 4), 4, 12), (m,))),
    u=Given(lambda n: Arrays(Integers(-9, 9), (n,))),
    eta=ETAS,
    target=Given(lambda eta: Rationals(Q(1, 50) / (1 + eta), Q(3, 4) / (1 + eta), 400)),
    shape=Choices("all eta", "mixed"),
    signs=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    where=lambda A, u: A.rank() == A.ncols() and any(u),
    accept=0.5,
    quick=20,
    full=300,
)
SEPARABLE = PAPER.family(
    "one logarithm",
    n=1,
    A=Arrays(Integers(1, 1), (1, 1)).corners()[0],
    b=(ONE,),
    u=(1,),
    eta=ETAS,
    target=Choices(Q(1, 1000), Q(1, 100), Q(1, 10), Q(1, 2)),
    shape=Choices("all eta", "mixed"),
    signs=Choices((-12,), (0,)),
    every=True,
)

WALL = PAPER.family(
    "towards the wall",
    n=1,
    A=SEPARABLE.params["A"],
    b=(ONE,),
    u=(-1,),
    eta=ETAS,
    delta=Choices(Q(99, 100), Q(9, 10)),
    target=Given(lambda eta, delta: delta / (1 + eta)),
    shape="all eta",
    signs=(0,),
    every=True,
)


def quality(eta, shape, signs):
    """The diagonal of E: all eta (an over-long step), or multiples of eta/12 of either sign."""
    return [eta if shape == "all eta" else eta * Q(s, 12) for s in signs]


@PAPER.bound(
    source="local convergence of Newton's method with inexact inverse Hessians on self-concordant functions; constants derived",
    fidelity="derived",
    evidence="certified",
    family=(BARRIERS, SEPARABLE, WALL),
    method="logarithmic barriers: Hessians, W = L D (I + E) L^T from H^{-1} = L D L^T, new points and squared decrements in exact rationals; "
    "roots in balls. -log(1 - x) + c x is tight to 0.5 % at decrement 1/1000",
    hypotheses="f standard self-concordant; barriers with 1 to 4 variables and 2n to 6n constraints, decrements up to 3/(4(1 + eta))",
    rests_on=(
        "g(x+) = (g + H dx) + int (H(x + t dx) - H) dx dt with dx = -W g; in the norm of H^{-1} the first term is at most eta lamN and the "
        "second at most delta^2/(1 - delta), as (1 - t delta)^2 H <= H(x + t dx) <= H/(1 - t delta)^2; H(x+)^{-1} <= H^{-1}/(1 - delta)^2",
    ),
)
def noisy_newton_decrement(A, b, u, eta, target, shape, signs, *, noise=1, quadratic=1, step=1):
    r"""Let $f$ be standard self-concordant with Hessian $H$ and Newton decrement $\lambda_N = (g^\top H^{-1} g)^{1/2}$ at $x$, let
    $(1-\eta)H^{-1} \preceq W \preceq (1+\eta)H^{-1}$ with $0 \le \eta < 1$, and $\delta = (1+\eta)\lambda_N < 1$. Then $x^+ = x - Wg$ lies in the
    domain and $$\lambda_N(x^+) \le \frac{1}{1-\delta}\Big[\eta\lambda_N + \frac{\delta^2}{1-\delta}\Big] = \lambda_N \frac{\eta + \delta}{(1-\delta)^2}.$$
    For $\lambda_N \le (1-\eta)/8$ this is less than $\lambda_N$, so that full steps converge with a rate that tends to $\eta$ (quadratically if $\eta = 0$).
    """
    f = problem(A, b, u, target)
    origin = fmpq_mat(A.ncols(), 1)
    g, H = f.gradient(origin), f.hessian(origin)
    x = noisy_inverse(H, quality(eta, shape, signs)) * g * -step
    yield "in the domain", lt(0, f.slacks(x).entries())
    before, after = squared_decrement(g, H), squared_decrement(f.gradient(x), f.hessian(x))

    def bound():
        with precision(200):
            root = arb(before).sqrt()
            delta = (1 + eta) * root
            return (noise * eta * root + quadratic * delta * delta / (1 - delta)) / (1 - delta)

    yield "decrement", le(lambda: arb(after).sqrt(), bound)


@noisy_newton_decrement.proof("contraction", covers="all 0 <= eta < 1, 0 < lamN <= (1 - eta)/8")
def _contraction(*, radius=8):
    eta = symbols("eta", lower=0, below=1)
    lam = symbols("lamN", positive=True)
    delta = (1 + eta) * lam
    bound = (eta * lam + delta**2 / (1 - delta)) / (1 - delta)
    yield "two forms", eq(bound, lam * (eta + delta) / (1 - delta) ** 2)
    room = 1 - eta - radius * lam
    slack = 1 - eta - 3 * delta + delta**2  # with 3 delta = (3/8) (1 + eta) (1 - eta - room)
    yield "two forms", eq((1 - delta) ** 2 - eta - delta, slack)
    terms = [(Q(1, 4), 1, (1 - eta,)), (Q(3, 8), 1 - eta, ()), (Q(3, 8), 1, (1 + eta, room)), (1, delta, ())]
    yield "contraction", lt(eta + delta, (1 - delta) ** 2, given=[room], by=Combination(terms))
    terms = [(Q(7, 8), 1, ()), (Q(1, 8), eta, ()), (Q(1, 8), 1, (1 + eta, room))]
    yield "delta below 1", lt(delta, 1, given=[room], by=Combination(terms))


noisy_newton_decrement.mutant("eta-term dropped", noise=0, on="barriers", breaks="decrement")
noisy_newton_decrement.mutant("eta-term 5 % smaller", noise=Q(19, 20), on="one logarithm", breaks="decrement")
noisy_newton_decrement.mutant("quadratic term 5 % smaller", quadratic=Q(19, 20), on="one logarithm", breaks="decrement")
noisy_newton_decrement.mutant("quadratic term halved", quadratic=Q(1, 2), on="one logarithm", breaks="decrement")
noisy_newton_decrement.mutant("quadratic term dropped", quadratic=0, breaks="decrement", anywhere=True)
noisy_newton_decrement.mutant("step 5 % too long", step=Q(21, 20), on="one logarithm", breaks="decrement")
noisy_newton_decrement.mutant(
    "step 5 % too long, domain", step=Q(21, 20), on="towards the wall", breaks="in the domain"
)
noisy_newton_decrement.mutant(
    "delta up to 1.01", domain={"delta": Choices(Q(101, 100))}, on="towards the wall", breaks="in the domain"
)
noisy_newton_decrement.mutant("contraction for lamN <= (1 - eta)/2", radius=2, breaks=("contraction", "delta below 1"))
noisy_newton_decrement.mutant("contraction for lamN <= (1 - eta)/3", radius=3, breaks=("contraction", "delta below 1"))
