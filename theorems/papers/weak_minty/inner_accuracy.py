r"""What j inner iterations are worth over all Lipschitz operators: the worst ones are complex multiplications."""

from __future__ import annotations

from math import pi, tan

from flint import fmpq

from solvers.performance import Performance, enclose, inner, lipschitz, squared
from theorems import ByBudget, Choices, Q, eq, le, lt, optimum, shared
from theorems.papers.weak_minty.paper import PAPER

ANGLES = 2000


def parts(t: tuple[fmpq, fmpq], j: int) -> tuple[tuple[fmpq, fmpq], tuple[fmpq, fmpq], tuple[fmpq, fmpq]]:
    """(1 - t^j, 1 - t^{j+1}, t^j (1 - t)) as exact complex numbers."""
    power = (Q(1), Q(0))
    for _ in range(j):
        power = (power[0] * t[0] - power[1] * t[1], power[0] * t[1] + power[1] * t[0])
    last = (power[0] * t[0] - power[1] * t[1], power[0] * t[1] + power[1] * t[0])
    return (1 - power[0], -power[1]), (1 - last[0], -last[1]), (power[0] - last[0], power[1] - last[1])


def accuracy(t: tuple[fmpq, fmpq], j: int) -> fmpq:
    """Re (1 - t^j)/(1 - t^{j+1})."""
    a, b, _ = parts(t, j)
    return (a[0] * b[0] + a[1] * b[1]) / (b[0] ** 2 + b[1] ** 2)


def error2(t: tuple[fmpq, fmpq], j: int) -> fmpq:
    """|t^j (1 - t)/(1 - t^{j+1})|^2."""
    _, b, c = parts(t, j)
    return (c[0] ** 2 + c[1] ** 2) / (b[0] ** 2 + b[1] ** 2)


def on_circle(q: fmpq, angle: float) -> tuple[fmpq, fmpq]:
    """A rational point t with |t| = q exactly, near q e^{i angle}, 0 <= angle <= pi."""
    if angle >= pi * 0.9999999:  # branch
        return -q, Q(0)
    k = fmpq(round(tan(angle / 2) * 10**9), 10**9)
    return q * (1 - k * k) / (1 + k * k), q * 2 * k / (1 + k * k)


@shared
def scanned(q: fmpq, j: int, which: str) -> fmpq:
    """The least accuracy, or the largest squared error, found on the circle: an exactly attained value."""
    import numpy as np
    from scipy.optimize import minimize_scalar

    size = int(q.p) / int(q.q)

    def height(angle):
        t = size * np.exp(1j * angle)
        if which == "accuracy":
            return ((1 - t**j) / (1 - t ** (j + 1))).real
        return -np.abs(t**j * (1 - t) / (1 - t ** (j + 1)))

    angles = np.linspace(0, pi, ANGLES + 1)
    best = float(angles[int(np.argmin(height(angles)))])
    step = pi / ANGLES
    near = minimize_scalar(
        height, bounds=(max(0.0, best - step), min(pi, best + step)), method="bounded", options={"xatol": 1e-12}
    )
    f = accuracy if which == "accuracy" else error2
    values = [f(on_circle(q, angle), j) for angle in (best, float(near.x))]
    return min(values) if which == "accuracy" else max(values)


def iterations(q: fmpq, j: int, which: str):
    """gamma = 1, x = z_0 = 0, z_{i+1} = -F(z_i): minimise <F_j, -z_j>, or maximise |z_j + F_j|^2/q^{2j}, with |F_j| = 1."""
    pep = Performance()
    F = pep.operator(lipschitz(q))
    v, steps = pep.vector(), [pep.vector() for _ in range(j)]  # F_l - F_{l-1} = q^l * step l, so that all are of size 1
    values = [v]
    for k in range(j, 0, -1):
        values.insert(0, values[0] - steps[k - 1] * q**k)
    z = pep.centre()
    for value in values[:-1]:
        z = -F.sample(z, value).g
    F.sample(z, v)
    pep.require_equal(squared(v), 1)
    pep.maximise(inner(v, z) if which == "accuracy" else squared(z + v) / q ** (2 * j))
    return pep.program().problem


def worst(q: fmpq, j: int, which: str):
    """A_j(q), or S_j(q)^2/q^{2j}, as the optimum of the exactly interpolable problem."""
    return optimum(iterations(q, j, which), enclose, maximum=which == "error")


@PAPER.identity(
    source="'interpolation' of the title; the method selects the accuracy that it needs",
    fidelity="derived",
    evidence="certified",
    domain={
        "q": Choices(Q(9, 10), Q(1, 2), Q(3, 4), Q(1, 4)),
        "j": ByBudget(quick=Choices(2, 1, 3, 4, 5), full=Choices(2, 1, 3, 4, 5, 6, 7)),
    },
    every=True,
    method="both sides over all Lipschitz operators by exactly checked multipliers and Gram matrices (pairwise Lipschitz inequalities "
    "interpolate: Kirszbraun-Valentine); the complex scan at rational points of the circle, which are attained",
    hypotheses="0 < q = gamma L < 1",
    not_established="the identity to within 1e-6 (j <= 3) or 1e-4 at the values of q listed; at q = 1/4 and j = 7 (full) the program is scaled "
    "too badly to be enclosed from below, and stays undecided",
    undecided=0.05,
)
def inner_accuracy_interpolation(q, j, *, off=0, circle="complex", power=False):
    r"""Let $z_0 = x$, $z_{i+1} = x - \gamma F(z_i)$, $q = \gamma L < 1$. Over all $L$-Lipschitz $F$ the infimum of
    $\langle F(z_j), x - z_j\rangle/(\gamma|F(z_j)|^2)$ is $A_j(q) := \min_{|t| = q}\mathrm{Re}\frac{1 - t^j}{1 - t^{j+1}}$ and the supremum of
    $|x - z_j - \gamma F(z_j)|/(\gamma|F(z_j)|)$ is $S_j(q) := \max_{|t| = q}\big|\frac{t^j(1 - t)}{1 - t^{j+1}}\big|$. In particular
    $A_1 = 1/(1 + q)$, $S_1 = q/(1 - q)$, and $A_2 = (1 - q)/(1 - q + q^2)$ as long as $t = -q$ is the minimiser ($q \le 0.83$), not at $q = 0.9$.
    $A_j \to 1$ and $S_j \to 0$ geometrically, but not monotonically in $j$: a fixed small $j$ can be worse than extragradient.
    """
    within = Q(1, 10**6) if j <= 3 else Q(1, 10**4)
    value = (
        scanned(q, j + off, "accuracy")
        if circle == "complex"
        else accuracy((-q if circle == "negative" else q, Q(0)), j)
    )
    yield "accuracy", eq(worst(q, j, "accuracy"), value, within=within)
    yield "error", eq(worst(q, j, "error"), Q(1) if power else scanned(q, j, "error") / q ** (2 * j), within=within)


@inner_accuracy_interpolation.check(
    "closed forms", domain={"q": Choices(Q(9, 10), Q(1, 2), Q(3, 4), Q(1, 4))}, every=True
)
def _closed_forms(q, *, second="alternating"):
    yield "A_1", eq(worst(q, 1, "accuracy"), 1 / (1 + q), within=Q(1, 10**6))
    yield "S_1", eq(worst(q, 1, "error"), 1 / (1 - q) ** 2, within=Q(1, 10**4))
    formula = (1 - q) / (1 - q + q * q) if second == "alternating" else (1 + q) / (1 + q + q * q)
    if q == Q(9, 10):
        yield "A_2 beyond", lt(worst(q, 2, "accuracy"), formula)
    else:
        yield "A_2", eq(worst(q, 2, "accuracy"), formula, within=Q(1, 10**6))


@inner_accuracy_interpolation.check("order in j", domain={"q": Choices(Q(3, 4), Q(9, 10))}, every=True)
def _order(q, *, increasing=False):
    one, two = worst(q, 1, "accuracy"), worst(q, 2, "accuracy")
    yield "two inner steps are worse than one", lt(one, two) if increasing else lt(two, one)


@inner_accuracy_interpolation.check(
    "limits", domain={"q": Choices(Q(1, 4), Q(1, 2), Q(3, 4)), "j": Choices(4, 5)}, every=True
)
def _limits(q, j, *, rate=1):
    # |A_j - 1| and S_j are at most q^j (1 + q)/(1 - q^{j+1})
    bound = rate * 2 / (1 - q ** (j + 1))
    yield "A_j near 1", le(1 - bound * q**j, worst(q, j, "accuracy"))
    yield "S_j near 0", le(worst(q, j, "error"), bound * bound)


inner_accuracy_interpolation.mutant(
    "real positive t only: A_2 = (1 + q)/(1 + q + q^2)", second="positive", breaks="A_2"
)
inner_accuracy_interpolation.mutant(
    "A_j increases with j", increasing=True, breaks="two inner steps are worse than one"
)
inner_accuracy_interpolation.mutant("S_j = q^j", power=True, breaks="error")
inner_accuracy_interpolation.mutant("t = -q for every q and j", circle="negative", breaks="accuracy")
inner_accuracy_interpolation.mutant("j off by one", off=1, breaks="accuracy")
inner_accuracy_interpolation.mutant(
    "the bound on 1 - A_j and S_j divided by 16", rate=Q(1, 16), breaks=("A_j near 1", "S_j near 0")
)
