"""Numbers of steps of Nesterov's method and of gradient descent on one benign non-convex shape, as the condition number grows."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import ByBudget, Choices, Q, shared, slope
from theorems.papers.nesterov_benign.paper import PAPER
from theorems.papers.nesterov_benign.staircase import Bump, Staircase, scaled
from theorems.papers.nesterov_benign.trajectories import nesterov

ROOTS = (31, 56, 100, 178, 316)  # sqrt(kappa)
START = Q(6)
LINEAR = Q(3, 10)  # below this |x| the function is mu x^2/2
TARGET = Q(1, 10**8)
GD_BITS = 192
HALF, ONE = Q(1, 2), Q(1)


def shape(root: int) -> Staircase:
    """L = 1, mu = 1/root^2, eps = 0.9 sqrt(mu), bumps on |x| >= 1.3 - 0.9."""
    right = [Bump(Q(17, 10), Q(2, 5), Q(1)), Bump(Q(3), Q(1, 2), Q(1, 2)), Bump(Q(9, 2), Q(3, 5), Q(3, 4))]
    left = [Bump(Q(19, 10), Q(1, 2), Q(3, 4)), Bump(Q(7, 2), Q(2, 5), Q(1))]
    return scaled(Q(1, root * root), right, left, Q(1), Q(9, 10 * root))


@shared
def nesterov_steps(root: int, momentum: fmpq | None) -> int:
    """The first n from which on f(x_n) <= 1e-8 E_0, seen over as many steps again."""
    for bits in (20 * root, 80 * root, 320 * root):
        found = _nesterov_steps(root, momentum, bits)
        if found is not None:
            return found
    raise ArithmeticError(f"f(x_n) against the target is undecided at {320 * root} bits")


def _nesterov_steps(root: int, momentum: fmpq | None, bits: int) -> int | None:
    f, a = shape(root), Q(1, root)
    last = 0
    with precision(bits + 300):
        start = arb(START)
        target = (f.value(start) + f.mu * start * start / 2) * TARGET
        for n, (x, _) in enumerate(nesterov(lambda y: [f.slope(y[0])], [start], a, Q(1), 800 * root, momentum)):
            value = f.value(x[0])
            if value > target:
                last = n
            elif not value <= target:
                return None
            if n > 2 * (last + 1) and n > 6 * root:
                break
    return last + 1


@shared
def descent_steps(root: int) -> int:
    """The same for gradient descent from x > 0: monotone, and linear with factor 1 - mu once x <= LINEAR."""
    f = shape(root)
    with precision(GD_BITS):
        x, n = arb(START), 0
        target = (f.value(x) + f.mu * x * x / 2) * TARGET
        while not x <= LINEAR:
            x = x - f.slope(x)
            n += 1
        rest = ((2 * target / f.mu).sqrt() / x).log() / (1 - arb(f.mu)).log()
        return n + int(rest.ceil().unique_fmpz())


@PAPER.rate(
    source="abstract: acceleration in benign non-convex landscapes",
    fidelity="paper",
    evidence="certified",
    domain={"sizes": ByBudget(quick=Choices(3), full=Choices(5))},
    every=True,
    method="counted steps of runs in balls; the tail of gradient descent, where f is a parabola, in closed form",
    not_established="the accelerated rate on other shapes; bumps lie on |x| >= 1.3 (right) and |x| >= 1.4 (left)",
)
def nag_gd_complexity_exponent(sizes, *, momentum=None, accelerated=HALF, plain=ONE):
    r"""On a fixed benign non-convex shape ($\varepsilon = 0.9\sqrt{\mu L}$) the number of steps to bring $f - f^*$ below $10^{-8}E_0$, and keep it there, scales
    like $\kappa^{1/2}$ for Nesterov's method and like $\kappa$ for gradient descent, $\kappa = L/\mu \to \infty$.
    """
    roots = ROOTS[:sizes]
    kappas = [r * r for r in roots]
    fast = [nesterov_steps(r, momentum) for r in roots]
    yield "Nesterov", slope(kappas, fast, accelerated, within=Q(7, 100), drift=Q(1, 10))
    yield "gradient descent", slope(kappas, [descent_steps(r) for r in roots], plain, within=Q(7, 100), drift=Q(1, 10))


nag_gd_complexity_exponent.mutant("fixed momentum 0.9", momentum=Q(9, 10), breaks="Nesterov")
nag_gd_complexity_exponent.mutant("exponent 1 for Nesterov", accelerated=Q(1), breaks="Nesterov")
nag_gd_complexity_exponent.mutant("exponent 1/2 for gradient descent", plain=Q(1, 2), breaks="gradient descent")
