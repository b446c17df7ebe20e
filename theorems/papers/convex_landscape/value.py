"""The convex program has the value of the training problem, and the excess loss of any network is a sum of brackets."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.certificates.relu import Neuron, network_value
from solvers.enclosures import precision
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.enclosure import approximate
from solvers.relu.exact import of_problem
from solvers.relu.geometry import Geometry
from solvers.relu.working_set import solve
from theorems import Approx, Arrays, Choices, Given, Integers, Q, Rationals, dyadic, eq, le, lt, optimum, symbols
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import (
    BITS,
    balls,
    certificate,
    decided,
    distinct_rows,
    dot,
    dual_optimum,
    features,
    norm,
    problem,
    solved,
    total,
)

CLOSE = Q(1, 10**50)
HALF = Q(1, 2)
NUMERATORS = Integers(-97, 97)


def training_problems(name, sizes, betas, quick, full, **options):
    """A family of training problems with entries k / 32."""
    return PAPER.family(
        name,
        size=Choices(*sizes),
        beta=Choices(*betas),
        bias=Choices(False, True),
        X=Given(lambda size: Arrays(NUMERATORS, size)),
        y=Given(lambda size: Arrays(NUMERATORS, (size[0],))),
        quick=quick,
        full=full,
        **options,
    )


SIZES = ((5, 2), (6, 3), (8, 3), (6, 4))
BETAS = (Q(1, 4), Q(1), Q(2))
VALUES = training_problems("training", SIZES, BETAS, 12, 60, where=decided)


def convex_point(given, cells, cones, weight):
    """Blocks (s, u, active samples) of a good point of the convex program, u in balls.

    Args:
        given: the training problem.
        cells: "all", or "half": every second pair of cells, both signs.
        cones: False: the cones are dropped.
        weight: factor of beta in the program.
    """
    if not cones:
        return _without_cones(given)
    changed = type(given)(given.X, given.y, given.beta * weight)
    if cells == "all":
        found = solved(changed)
        faces, g = found.approximation.faces, found.approximation.g
        nu = found.approximation.nu
    else:
        data = of_problem(changed)
        arranged = solved(given).cells
        geometry = Geometry(data, arranged)
        half = arranged.count // 2
        allowed = [[i % max(half, 1) % 2 == 0 for i in range(arranged.count)]] * 2
        import numpy as np

        near = approximate(geometry, solve(data, arranged, np.array(allowed), geometry), BITS)
        faces, g, nu = near.faces, near.g, near.nu
    from flint import fmpq_mat

    column = fmpq_mat(len(nu), 1, list(nu))
    return [
        (f.s, [v * h for v in balls(f.direction(column).entries())], [sign > 0 for sign in f.rows])
        for f, h in zip(faces, g)
    ]


def _without_cones(given):
    """The gated relaxation by accelerated proximal gradient in doubles, taken as dyadic numbers."""
    import numpy as np

    found = solved(given)
    data = found.geometry.data
    D = found.cells.active.astype(float)
    A = (D[:, :, None] * data.X[None]).transpose(1, 0, 2).reshape(len(data.y), -1)
    d = data.X.shape[1]
    step = 1 / np.linalg.norm(A, 2) ** 2
    v = z = np.zeros(A.shape[1])
    t = 1.0
    for _ in range(300):
        w = (z - step * A.T @ (A @ z - data.y)).reshape(-1, d)
        length = np.linalg.norm(w, axis=1, keepdims=True)
        w = (w * np.maximum(1 - step * data.beta / np.maximum(length, 1e-300), 0)).ravel()
        t, last = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        z, v = w + (last - 1) / t * (w - v), w
    blocks = v.reshape(-1, d)
    return [
        (1, [arb(binary(float(x))) for x in u], [bool(on) for on in mask])
        for u, mask in zip(blocks, found.cells.active)
        if np.abs(u).max() > 0  # branch
    ]


def convex_objective(given, point, weight):
    """The program's objective at blocks, in balls; block and cone signs are those of the blocks."""
    output = [arb(0)] * len(given.y)
    for s, u, active in point:
        image = [s * dot(row, u) if on else arb(0) for row, on in zip(given.X, active)]
        output = [f + z for f, z in zip(output, image)]
    error = [f - t for f, t in zip(output, given.y)]
    return dot(error, error) / 2 + arb(given.beta * weight) * total(norm(u) for _, u, _ in point)


def network_loss(given, point):
    """The training loss in balls of the network w = u / sqrt|u|, a = s sqrt|u|."""
    output, penalty = [arb(0)] * len(given.y), arb(0)
    for s, u, active in point:
        root = norm(u).sqrt()
        w = [v / root for v in u]
        # on a kink the pre-activation is a ball about 0: the sample is inactive there
        image = [s * root * dot(row, w) if on else arb(0) for row, on in zip(given.X, active)]
        output = [f + z for f, z in zip(output, image)]
        penalty += dot(w, w) + root * root
    error = [f - t for f, t in zip(output, given.y)]
    return dot(error, error) / 2 + arb(given.beta) * penalty / 2


def trained(given, width, seed, starts=2):
    """The exact loss of the best of some L-BFGS runs at a width (a network with dyadic weights)."""
    import numpy as np
    from scipy.optimize import minimize

    data = of_problem(given)
    _n, d = data.X.shape
    rng = np.random.default_rng(seed)

    def loss(theta):
        W, a = theta[: width * d].reshape(width, d), theta[width * d :]
        Z = data.X @ W.T
        H = np.maximum(Z, 0)
        r = H @ a - data.y
        dW = ((Z > 0) * r[:, None] * a).T @ data.X + data.beta * W
        return r @ r / 2 + data.beta / 2 * theta @ theta, np.concatenate([dW.ravel(), H.T @ r + data.beta * a])

    runs = [minimize(loss, rng.normal(size=width * (d + 1)), jac=True, method="L-BFGS-B") for _ in range(starts)]
    best = min(runs, key=lambda run: run.fun).x
    weights = [binary(float(v)) for v in best]
    return network_value(
        given,
        [Neuron(tuple(weights[j * d : (j + 1) * d]), weights[width * d + j]) for j in range(width)],
    )


@PAPER.identity(
    source="convex reformulation (Pilanci and Ergen 2020), used throughout the paper",
    fidelity="paper",
    evidence="certified",
    family=VALUES,
    method="the value between an exactly feasible dual point (all cells listed, each bound by exact multipliers) and a network with dyadic "
    "weights; networks found by training are evaluated exactly on their binary weights",
    hypotheses="the optimal set is certified (structure of type zero, I, II or R)",
    not_established="n <= 8, d <= 5; trained networks are local minima, so they show nothing about networks that training does not find",
    rests_on=(
        "balanced rescaling |a| |w| <= (|w|^2 + a^2) / 2, merging of neurons of one cell and sign, and u -> (u / sqrt|u|, sqrt|u|)",
    ),
)
def convex_reformulation_value(X, y, beta, bias, *, cells="all", cones=True, weight=1, below=0):
    r"""$\min_\theta \frac12\|f_\theta - y\|^2 + \frac\beta2\sum_j(\|w_j\|^2 + a_j^2)$ over networks of width $m$ equals $p^*$ iff $m \ge m^*$, and exceeds
    $p^*$ for $m < m^*$; a network that attains $p^*$ is read off the convex program, and no network is below $p^*$.
    """
    given = problem(X, y, beta, bias)
    solution = solved(given)
    value = optimum(given, certificate)
    yield "width of the enclosure", le(dyadic(solution.upper - solution.lower), dyadic(solution.upper / 10**60))
    with precision(BITS):
        point = convex_point(given, cells, cones, weight)
        yield "value of the convex program", eq(convex_objective(given, point, weight), value, within=CLOSE)
        yield "network read off the program", eq(network_loss(given, point), value, within=CLOSE)
    m = solution.m_star
    for width in (m, m + 2):
        if width:
            yield (
                "no trained network is below",
                le(value, dyadic(trained(given, width - below, m) if width > below else _null(given))),
            )
    if m:
        yield "narrower networks miss the value", lt(value, dyadic(trained(given, m - 1, m) if m > 1 else _null(given)))
        if below:
            yield (
                "narrower networks reach the value",
                le(dyadic(trained(given, m - 1, m) if m > 1 else _null(given)), value),
            )


def _null(given):
    """The loss of the zero network."""
    return network_value(given, [])


convex_reformulation_value.mutant("cone constraints dropped", cones=False, breaks="value of the convex program")
convex_reformulation_value.mutant("half of the cells", cells="half", breaks="value of the convex program")
convex_reformulation_value.mutant(
    "beta / 2 in the program", weight=Q(1, 2), breaks="value of the convex program", anywhere=True
)
convex_reformulation_value.mutant("width m* - 1 reaches the value", below=1, breaks="narrower networks reach the value")


SMALL = training_problems("training-small", ((5, 2), (6, 2)), BETAS, 1, 12, where=distinct_rows)


@convex_reformulation_value.crosscheck("conic solver on all cells", family=SMALL)
def _conic(X, y, beta, bias, *, weight=1):
    import cvxpy as cp

    given = problem(X, y, beta, bias)
    solution = solved(given)
    data = solution.geometry.data
    terms, norms, constraints = 0, 0, []
    for D in solution.cells.active:
        for s in (1, -1):
            u = cp.Variable(data.X.shape[1])
            terms = terms + s * cp.multiply(D, data.X @ u)
            norms = norms + cp.norm(u)
            constraints.append(cp.multiply(2 * D - 1, data.X @ u) >= 0)
    program = cp.Problem(
        cp.Minimize(cp.sum_squares(terms - data.y) / 2 + float(weight) * data.beta * norms), constraints
    )
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    yield "conic value", eq(Approx(float(program.value), 5e-8), Approx(solution.value, 1e-12), within=Q(1, 10**6))


NETWORKS = training_problems("training-with-network", SIZES, BETAS, 30, 400, where=decided)
EXCESS = PAPER.family(
    "networks",
    size=Choices(*SIZES),
    beta=Choices(*BETAS),
    bias=Choices(False, True),
    X=Given(lambda size: Arrays(NUMERATORS, size)),
    y=Given(lambda size: Arrays(NUMERATORS, (size[0],))),
    m=Choices("rounded optimum", 1, 2, 5),
    theta=Given(lambda m, size: Arrays(Rationals(-3, 3, denominator=16), (5, size[1] + 2))),
    where=decided,
    quick=40,
    full=1500,
)


def network(given, m, theta):
    """A random network of m neurons, or the optimal network rounded to 3 decimals: pairs (w, a)."""
    if m != "rounded optimum":
        d = len(given.X[0])
        return [(row[:d], row[-1]) for row in theta.tolist()[:m]]
    return [([_round(v) for v in neuron.w], _round(neuron.a)) for neuron in solved(given).network]


def _round(v):
    return fmpq((v * 1000 + fmpq(1, 2)).floor(), 1000)


@PAPER.identity(
    source="equivalent to strong duality of the convex program",
    fidelity="derived",
    evidence="certified",
    family=EXCESS,
    method="the convex analogue is a polynomial identity (proof); for networks both sides in balls around the certified dual optimum",
    hypotheses="the optimal set is certified, which gives the dual optimum in balls",
    not_established="networks of at most 5 neurons, n <= 8, d <= 5",
)
def excess_loss_identity(X, y, beta, bias, m, theta, *, sign=1, half=HALF, balance=1, one_sided=False):
    r"""For every network, with $f^* = y - \nu^*$:
    $$\mathrm{loss}(\theta) - p^* = \tfrac12\|f_\theta - f^*\|^2 + \sum_j |a_j| \big(\beta\|w_j\| - \mathrm{sgn}(a_j)\, \nu^{*\top}(Xw_j)_+\big)
    + \tfrac\beta2 \sum_j (\|w_j\| - |a_j|)^2,$$ and every bracket is $\ge 0$.
    """
    given = problem(X, y, beta, bias)
    neurons = network(given, m, theta)
    with precision(BITS):
        nu, target, p = dual_optimum(given)
        if one_sided:
            p = _one_sided_value(given)
        outputs = [features(given.X, w) for w, _ in neurons]
        f = [sum((a * h[k] for (_, a), h in zip(neurons, outputs)), fmpq(0)) for k in range(len(given.y))]
        lengths = [norm(balls(w)) for w, _ in neurons]
        gap = [u - v for u, v in zip(f, target)]
        brackets = [
            arb(given.beta) * r - (sign if a > 0 else -sign) * dot(nu, h)
            for (_, a), h, r in zip(neurons, outputs, lengths)
        ]
        spread = [(r - abs(a)) * (r - abs(a)) for (_, a), r in zip(neurons, lengths)]
        right = half * dot(gap, gap) + total(abs(a) * b for (_, a), b in zip(neurons, brackets))
        right += arb(given.beta) / 2 * balance * total(spread)
        loss = network_value(given, [Neuron(tuple(w), a) for w, a in neurons])
        yield "identity", eq(loss - p, right, within=CLOSE)
        for b in brackets:
            yield "brackets", le(0, b, within=CLOSE)
        yield "the optimum has no excess", le(0, arb(solved(given).upper) - p, within=CLOSE)


def _one_sided_value(given):
    """The value of the program with positive output weights only."""
    import numpy as np

    found = solved(given)
    allowed = np.array([[True] * found.cells.count, [False] * found.cells.count])
    near = approximate(found.geometry, solve(found.geometry.data, found.cells, allowed, found.geometry), BITS)
    nu = balls(near.nu)
    return dot(nu, nu) / 2 + arb(given.beta) ** 2 * total(near.g)


excess_loss_identity.mutant("sign of nu", sign=-1, breaks="identity", anywhere=True)
excess_loss_identity.mutant("fit term without 1/2", half=Q(1), breaks="identity", anywhere=True)
excess_loss_identity.mutant("balance term dropped", balance=0, breaks="identity", anywhere=True)
excess_loss_identity.mutant("dual constraint on one side only", one_sided=True, breaks="the optimum has no excess")


@excess_loss_identity.proof(
    "convex analogue",
    covers="one block of each sign and three samples; more blocks and samples only add equal terms",
    rests_on=("both sides are sums over samples and over blocks of the terms that are proven",),
)
def _convex_analogue(*, half=HALF):
    y = symbols("y1 y2 y3")
    nu = symbols("n1 n2 n3")
    a = symbols("a1 a2 a3")  # D_i X u_i
    b = symbols("b1 b2 b3")  # D_i X v_i
    U, V, beta = symbols("U V beta", nonnegative=True)
    f = [s - t for s, t in zip(a, b)]
    primal = sum((t - v) ** 2 for t, v in zip(y, f)) * Q(1, 2) + beta * (U + V)
    dual = sum(v * (t - v * Q(1, 2)) for v, t in zip(nu, y))
    residual = sum((t - g - v) ** 2 for t, g, v in zip(y, f, nu)) * half
    brackets = beta * U - sum(v * s for v, s in zip(nu, a)) + beta * V + sum(v * s for v, s in zip(nu, b))
    yield eq(primal - dual, residual + brackets)


@excess_loss_identity.proof("balance of a neuron")
def _balance(*, balance=1):
    w, a, beta = symbols("w a beta", nonnegative=True)
    yield eq(beta * (w**2 + a**2) * Q(1, 2), beta * a * w + balance * beta * (w - a) ** 2 * Q(1, 2))
