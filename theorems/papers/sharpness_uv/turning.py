"""Gradient flow: where the sharpness stops falling and begins to rise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import RealRoot, flow, precision, real_roots
from solvers.exact_linalg import verified_eigenvalues
from theorems import Arrays, Choices, Q, Rationals, Reals, eq, le, lt, symbols
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.flow import BITS, between, order_at, times_of, trajectory
from theorems.papers.sharpness_uv.model import ball_sharpness, hessian_rows, radicand, step
from theorems.papers.sharpness_uv.sharpening import rises

FINE = (Q(-1, 1000), Q(-1, 2000), Q(1, 2000), Q(1, 1000))  # offsets from the turning point, in units of y


def turning_points(k: fmpq, constant: int = 12) -> list[RealRoot]:
    """Roots x = f/y in (0, 1/2) of 1/(1 - 2x)^2 = 4/x^2 + 12/k, k = kappa^2/(c y^2), cleared of denominators.

    k (x^2 - 4 (1 - 2x)^2) = 12 x^2 (1 - 2x)^2.
    """
    a = fmpq(constant)
    roots = real_roots([-4 * k, 16 * k, -15 * k - a, 4 * a, -4 * a])
    return [r for r in roots if r.compare(0) > 0 and r.compare(fmpq(1, 2)) < 0]


def nearby(ball: arb) -> fmpq:
    """A rational within 1e-12 of a ball's midpoint."""
    return fmpq(int((ball * 10**12).mid().floor().unique_fmpz()), 10**12)


TURN_OF = {
    "root": lambda x, y, k: y * x,
    "12 c replaced by 4 c": lambda x, y, k: y * turning_points(k, 4)[0].ball(),
    "turning point of the trace": lambda x, y, k: arb(0),
    "y/2": lambda x, y, k: arb(y / 2),
    "2y/5": lambda x, y, k: arb(2 * y / 5),
}

TURNS = PAPER.family(
    "turns",
    c=Reals(Q(1, 10), Q(316, 100), log=True, digits=6),
    y=Reals(Q(316, 1000), Q(316, 100), log=True, digits=6),
    kappa2=Reals(Q(1, 100), 100, log=True, digits=6),
    start=Choices("0", "-y", "above the turning point", "2y"),
    quick=20,
    full=300,
)


@PAPER.identity(
    source="abstract, item (i): early sharpness reduction, then progressive sharpening; closed form derived",
    fidelity="derived",
    evidence="certified",
    family=TURNS,
    part="flow",
    method="closed form, derivative and the equation of the turning point by identities and sign certificates; the root by exact "
    "isolation; the sharpness along the flow from its definition in (f, lambda), by validated integration; the dense Hessian of raw "
    "parameters along their own flow",
    hypotheses="y > 0 (for y < 0 change the signs of f and y) and kappa > 0",
    not_established="trends along the flow are read on a grid of f (steps of |y - f_0| / 8, and 5e-4 y about the turning point)",
)
def sharpness_turning_point(c, y, kappa2, start, *, turn="root", follow="sharpness"):
    r"""Let $y > 0$ and $\kappa^2 = \lambda^2 - 4cf^2 > 0$ (conserved by the flow). Along gradient flow the sharpness is the function
    $$\lambda_{\max} = S(f) = \tfrac12\Big(\sqrt{\kappa^2 + 4cf^2} + \sqrt{\kappa^2 + 4c(y - 2f)^2}\Big)$$ of $f$ alone. $S$ falls on
    $(-\infty, f_*)$ and rises on $(f_*, \infty)$, where $f_* \in (\frac25 y, \frac12 y)$ is the only root in $(0, \frac y2)$ of
    $\frac{1}{(y - 2f)^2} = \frac{4}{f^2} + \frac{12c}{\kappa^2}$. With $k = \kappa^2/(cy^2)$,
    $f_* \le (\frac25 + \frac{12}{625k}) y$ (so $f_* \to \frac25 y$ as $k \to \infty$, the lazy end) and
    $f_* \ge \frac12 (1 - \sqrt{k/12}) y$ (so $f_* \to \frac12 y$ as $k \to 0$). Hence training from $f_0 < f_*$ first reduces the
    sharpness and then sharpens; $f_* < f_0 < y$ only sharpens; $f_0 > y$ only reduces. At $f_0 = 0$ the sharpness falls although the
    trace rises.
    """
    k = kappa2 / (c * y * y)
    roots = turning_points(k)
    yield "one turning point", eq(len(roots), 1)
    root = roots[0]
    yield "between 2y/5 and y/2", lt(lambda: ([arb(Q(2, 5)), root.ball()], [root.ball(), arb(Q(1, 2))]))
    yield "lazy end", le(lambda: (root.ball(), Q(2, 5) + 12 / (625 * arb(k))))
    yield "rich end", le(lambda: ((1 - (arb(k) / 12).sqrt()) / 2, root.ball()))
    about = nearby(root.ball(BITS) * y)
    f0 = {"0": Q(0), "-y": -y, "above the turning point": about + y / 20, "2y": 2 * y}[start]
    stops = between(f0, y, 8, *(about + h * y for h in FINE))
    states = trajectory(f0, kappa2 + 4 * c * f0 * f0, y, c, stops)
    with precision(BITS):
        S = [ball_sharpness(f - y, lam, arb(c), arb(y)) for f, lam in states]
        closed = [
            ((kappa2 + 4 * c * f * f).sqrt() + (kappa2 + 4 * c * (y - 2 * f) * (y - 2 * f)).sqrt()) / 2
            for f, _ in states
        ]
        point = TURN_OF[turn](root.ball(), y, k)
        moves = side_of_turn([f for f, _ in states], point) if follow == "sharpness" else rises(f0, y, stops, "signed")
    yield "closed form", eq(S, closed, within=Q(1, 10**9))
    yield "trend", ordered(S, moves)
    if start in ("0", "-y"):  # the flow passes the turning point
        fine = [S[1 + stops.index(about + h * y)] for h in FINE]
        yield "least sharpness within y/1000", lt([fine[1], fine[2]], [fine[0], fine[3]])


def side_of_turn(f: Sequence[arb], point: arb) -> list[int]:
    """The sign of the change of S along consecutive values of f: -1 up to the turning point, 1 from it on, 0 across it."""
    signs = []
    for a, b in pairwise(f):
        direction = 1 if b > a else -1
        signs.append(direction if a >= point and b >= point else -direction if a <= point and b <= point else 0)
    return signs


def ordered(values: Sequence[arb], signs: Sequence[int]):
    """The strict inequalities that consecutive values satisfy if their differences have these signs (0: none)."""
    pairs = [(s, p) for s, p in zip(signs, pairwise(values)) if s != 0]
    return lt([p[s < 0] for s, p in pairs], [p[s > 0] for s, p in pairs])


@sharpness_turning_point.proof(
    "closed form and turning point",
    rests_on=(
        "f moves monotonically to y along the flow (sharpening-law), so the trends of S in f are trends in time",
        "on (0, y/2), S' is a difference of two positive terms and has the sign of the difference of their squares, so that of "
        "f^2 r^2 - 4 (y - 2f)^2 lambda^2",
        "G(f) = 1/(y - 2f)^2 - 4/f^2 - 12c/kappa^2 is increasing, negative at 2y/5 and tends to infinity at y/2: one root, and a change of "
        "sign",
    ),
)
def _closed_form(*, constant=12):
    import sympy

    f, y, lam = symbols("f y lambda")
    q, kappa = symbols("q kappa", positive=True)
    c, w = q**2, y - 2 * f
    hyperbola = lam**2 - kappa**2 - 4 * c * f**2
    r2 = kappa**2 + 4 * c * w**2
    yield "radicand", eq(radicand(f - y, lam, c, y), r2, modulo=(hyperbola,))
    trace, r = sympy.sqrt(kappa**2 + 4 * c * f**2), sympy.sqrt(r2)
    yield "derivative", eq(((trace + r) / 2).diff(f), 2 * c * f / trace - 4 * c * w / r)
    squared = kappa**2 * f**2 - 4 * kappa**2 * w**2 - constant * c * f**2 * w**2
    yield "squared equation", eq(f**2 * r2 - 4 * w**2 * (kappa**2 + 4 * c * f**2), squared)
    yield "value at 2y/5", eq(squared.subs(f, sympy.Rational(2, 5) * y), -sympy.Rational(48, 625) * c * y**4)
    yield "value at y/2", eq(squared.subs(f, y / 2), kappa**2 * y**2 / 4)
    G = 1 / w**2 - 4 / f**2 - constant * c / kappa**2
    yield "derivative of the equation", eq(G.diff(f), 4 / w**3 + 8 / f**3)


@sharpness_turning_point.proof(
    "signs",
    rests_on=("lambda and r stand for positive square roots",),
)
def _signs():
    import sympy

    q, lam, r, y, F, W = symbols("q lambda r y F W", positive=True)
    a = symbols("a", nonnegative=True)

    def slope(f):
        return 2 * q**2 * f / lam - 4 * q**2 * (y - 2 * f) / r

    yield "falls for f <= 0", lt(slope(-a), 0)
    yield "rises from y/2", lt(0, slope(y / 2 + a))
    yield "equation increases", lt(0, 4 / W**3 + 8 / F**3)
    # 12 x^2 (1 - 2x)^2 / (2 - 3x) <= 12/125 from x = 2/5 on, and x^2 - 4 (1 - 2x)^2 = (5x - 2)(2 - 3x)
    x = symbols("x")
    yield "factors", eq(x**2 - 4 * (1 - 2 * x) ** 2, (5 * x - 2) * (2 - 3 * x))
    s = symbols("s", lower=0, upper=Q(1, 10))
    x = s + sympy.Rational(2, 5)
    yield "lazy end bound", le(125 * x**2 * (1 - 2 * x) ** 2, 2 - 3 * x)
    yield "rich end bound", le(x**2 - 4 * (1 - 2 * x) ** 2, x**2)


RAW_BITS = 96  # precision of the flow of nine parameters


class Raw(NamedTuple):
    """What parameters with n = 3 say about their flow: v.z = sqrt(3) f, c and kappa^2, exactly."""

    vz: fmpq
    c: fmpq
    kappa2: fmpq


def raw(v, U, x) -> Raw:
    """The invariants of exact parameters with sigma = 3^(-1/2)."""
    V, z = fmpq_mat(3, 1, list(v)), U * fmpq_mat(2, 1, list(x))
    vv, zz, vz = ((a.transpose() * b)[0, 0] for a, b in ((V, V), (z, z), (V, z)))
    c = sum(e * e for e in x) / 3
    trace = c * vv + zz / 3
    return Raw(vz, c, trace * trace - 4 * c * vz * vz / 3)


def before_the_turn(v, U, x) -> bool:
    """kappa > 0 and -1/sqrt(3) < f < 1/(2 sqrt(3)) < 2/5."""
    here = raw(v, U, x)
    return bool(here.kappa2 > 0 and here.vz > -1 and 2 * here.vz < 1)


RAW = PAPER.family(
    "raw-parameters",
    v=Arrays(Rationals(-1, 1, denominator=20), (3,)),
    U=Arrays(Rationals(-1, 1, denominator=20), (3, 2)),
    x=Arrays(Rationals(-2, 2, denominator=10), (2,)),
    where=before_the_turn,
    accept=0.2,
    quick=1,
    full=12,
)


@sharpness_turning_point.check("dense Hessian along the flow of raw parameters", family=RAW)
def _raw(v, U, x):
    """n = 3, d = 2, sigma = 3^(-1/2), y = 1."""
    vz, c, kappa2 = raw(v, U, x)
    [root] = turning_points(kappa2 / c)
    with precision(RAW_BITS):
        sigma = (arb(1) / 3).sqrt()
        stops = [nearby(root.ball()) + h for h in FINE]
        times = times_of(sigma * vz, stops, fmpq(1), arb(c).sqrt(), kappa2)

        def field(w):
            vs, Us = w[:3], [w[3:5], w[5:7], w[7:9]]
            z = [Us[i][0] * x[0] + Us[i][1] * x[1] for i in range(3)]
            pull = -sigma * (sigma * (vs[0] * z[0] + vs[1] * z[1] + vs[2] * z[2]) - 1)
            moved = [pull * vs[i] for i in range(3)]
            return [pull * z[i] for i in range(3)] + [moved[i] * x[j] for i in range(3) for j in range(2)]

        w, S = [arb(e) for e in (*v, *U.entries())], []
        for a, b in pairwise([fmpq(0), *times]):
            w = flow(field, w, b - a, order=order_at(RAW_BITS))
            rows = hessian_rows(w[:3], [w[3:5], w[5:7], w[7:9]], [arb(e) for e in x], 1, sigma)
            S.append(verified_eigenvalues(arb_mat(rows))[-1])
    yield "least sharpness of the dense Hessian", lt([S[1], S[2]], [S[0], S[3]])


@sharpness_turning_point.crosscheck(
    "gradient descent with a small step",
    domain={
        "c": Reals(Q(1, 10), Q(316, 100), log=True, digits=6),
        "y": Reals(Q(316, 1000), Q(316, 100), log=True, digits=6),
        "k": Reals(Q(1, 10), 100, log=True, digits=6),
    },
    quick=1,
    full=12,
)
def _descent(c, y, k):
    """eta = eta_c / 1000 from f = 0: the least sharpness lies within y/500 of the turning point."""
    with precision(96):
        point, eta = turning_points(k)[0].ball() * y, Q(1, 1000) / (arb(c).sqrt() * y)
        D, lam = arb(-y), (arb(k) * c).sqrt() * y
        f: list[arb] = []
        S: list[arb] = []
        while not f or f[-1] < Q(7, 10) * y:
            f.append(D + y)
            S.append(ball_sharpness(D, lam, arb(c), arb(y)))
            for _ in range(5):
                D, lam = step(D, lam, eta, c, y)
        moves = side_of_turn(f, point)
        moves = [0 if abs(a - point) < y / 500 else s for a, s in zip(f, moves)]
    yield ordered(S, moves)


sharpness_turning_point.mutant("turning point of the trace, f = 0", turn="turning point of the trace", breaks="trend")
sharpness_turning_point.mutant("turning point y/2", turn="y/2", breaks="trend")
sharpness_turning_point.mutant("turning point 2y/5", turn="2y/5", breaks="trend")
sharpness_turning_point.mutant("4 c in place of 12 c in the equation", turn="12 c replaced by 4 c", breaks="trend")
sharpness_turning_point.mutant("11 c in place of 12 c in the squared equation", constant=11, breaks="squared equation")
sharpness_turning_point.mutant("trend read off the trace", follow="trace", breaks="trend")
