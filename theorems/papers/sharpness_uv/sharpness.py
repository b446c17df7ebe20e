"""The largest eigenvalue of the loss Hessian over all parameters, in closed form."""

from __future__ import annotations

from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import identity, inertia, trace
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, symbols
from theorems.kernel.positivity import Combination
from theorems.papers.sharpness_uv import PAPER
from theorems.papers.sharpness_uv.model import hessian_rows, radicand

ENTRY = Rationals(-1, 1, denominator=30)
WIDTH = Q(1, 10**12)


def network(v: fmpq_mat, U: fmpq_mat, x: fmpq_mat, sigma: fmpq) -> fmpq:
    """The output sigma v^T U x."""
    return (v.transpose() * U * x)[0, 0] * sigma


def hessian(v: fmpq_mat, U: fmpq_mat, x: fmpq_mat, y: fmpq, sigma: fmpq) -> fmpq_mat:
    """The exact Hessian of (f - y)^2 / 2 in the n (d + 1) parameters."""
    return fmpq_mat(hessian_rows([e for [e] in v.tolist()], U.tolist(), [e for [e] in x.tolist()], y, sigma))


def differenced_hessian(v: fmpq_mat, U: fmpq_mat, x: fmpq_mat, y: fmpq, sigma: fmpq) -> fmpq_mat:
    """The same from values of the loss: it has degree at most 2 in each parameter, so central differences are exact."""
    n, d = v.nrows(), x.nrows()
    size = n * (d + 1)
    start = v.entries() + U.entries()

    def loss(*changes: tuple[int, int]) -> fmpq:
        w = list(start)
        for k, h in changes:
            w[k] += h
        D = network(fmpq_mat(n, 1, w[:n]), fmpq_mat(n, d, w[n:]), x, sigma) - y
        return D * D / 2

    H = fmpq_mat(size, size)
    for k in range(size):
        H[k, k] = loss((k, 1)) - 2 * loss() + loss((k, -1))
        for l in range(k):
            H[k, l] = H[l, k] = sum(s * t * loss((k, s), (l, t)) for s in (1, -1) for t in (1, -1)) / 4
    return H


SCALES = {"interpolating": 0, "small": Q(1, 10), "one": 1, "large": 10}
PARAMETERS = PAPER.family(
    "parameters",
    n=Integers(1, 4),
    sigma=Given(lambda n: Choices(Q(1), Q(1, 2), Q(2, 3)) if n in (2, 3) else Q(1, 2 if n == 4 else 1)),
    d=Integers(1, 3),
    balance=Choices("z = |x| v", "generic", "v = 0", "generic"),
    v=Given(lambda n: Arrays(ENTRY, (n, 1))),
    U=Given(lambda n, d: Arrays(ENTRY, (n, d))),
    x=Given(lambda d: Arrays(Rationals(-2, 2, denominator=10), (d, 1))),
    scale=Choices(Q(1, 10), Q(1), Q(3)),
    target=Choices("one", "large", "interpolating", "small"),
    fraction=Rationals(-1, 1, denominator=30),
    where=lambda x: any(e != 0 for e in x.entries()),
    accept=0.5,
    quick=300,
    full=3000,
)

DIFFERENCED = PAPER.family(
    "small-networks",
    n=Integers(1, 3),
    d=Integers(1, 2),
    sigma=Choices(Q(1), Q(1, 2), Q(2, 3)),
    v=Given(lambda n: Arrays(ENTRY, (n, 1))),
    U=Given(lambda n, d: Arrays(ENTRY, (n, d))),
    x=Given(lambda d: Arrays(ENTRY, (d, 1))),
    y=ENTRY,
    quick=8,
    full=60,
)


@PAPER.identity(
    source="sharpness of the UV model, as recalled",
    fidelity="recalled",
    evidence="certified",
    family=PARAMETERS,
    part="whole Hessian",
    method="the active 2 x 2 block and the order of the eigenvalues by polynomial identities and sign certificates; the whole Hessian "
    "at rational parameters by the exact inertia of s I - H at both ends of an interval of width 1e-12 around the formula",
    not_established="n <= 4, d <= 3 in the comparison with the whole Hessian; the proved part covers all n and d through the "
    "hand-made block decomposition",
)
def sharpness_formula(sigma, d, balance, v, U, x, scale, target, fraction, *, cross=8, square=4, only_trace=False):
    r"""The largest eigenvalue of the Hessian of $\frac12 (f - y)^2$ over all $n(d + 1)$ parameters is
    $$\lambda_{\max} = \tfrac12 \Big(\lambda + \sqrt{\lambda^2 + 8cfD + 4cD^2}\Big), \qquad \mathrm{tr}\,H = \lambda,$$
    and $\lambda_{\max} = \lambda$ at zero loss.
    """
    v = v * scale
    if balance == "v = 0":
        v = v * 0
    elif (
        balance == "z = |x| v"
    ):  # the edge-of-stability manifold B = 0, with x = (3, 4, 0) / 5 or so of rational length
        x = fmpq_mat(d, 1, [Q(3, 5), Q(4, 5), Q(0)][:d] if d > 1 else [1])
        U = v * x.transpose()
    f = network(v, U, x, sigma)
    y = f if target == "interpolating" else fraction * SCALES[target]
    H = hessian(v, U, x, y, sigma)
    D, lam, c = f - y, trace_of_kernel(v, U, x, sigma), sigma * sigma * (x.transpose() * x)[0, 0]
    yield "trace", eq(trace(H), lam)
    with precision(128):
        top = arb(lam) if only_trace else (lam + arb(radicand(D, lam, c, y, cross=cross, square=square)).sqrt()) / 2
        middle = fmpq(int((top * 10**14).mid().floor().unique_fmpz()), 10**14)
    one = identity(H.nrows())
    above = inertia(one * (middle + WIDTH / 2) - H)
    below = inertia(one * (middle - WIDTH / 2) - H)
    yield "nothing above the formula", eq((above.zero, above.negative), (0, 0))
    yield "something at the formula", le(1, below.negative)


def trace_of_kernel(v: fmpq_mat, U: fmpq_mat, x: fmpq_mat, sigma: fmpq) -> fmpq:
    """lambda = sigma^2 (|x|^2 |v|^2 + |U x|^2)."""
    z = U * x
    x2, v2, z2 = ((a.transpose() * a)[0, 0] for a in (x, v, z))
    return sigma * sigma * (x2 * v2 + z2)


@sharpness_formula.crosscheck("Hessian by exact differences of the loss", family=DIFFERENCED)
def _differences(sigma, v, U, x, y):
    yield eq(hessian(v, U, x, y, sigma), differenced_hessian(v, U, x, y, sigma))


@sharpness_formula.proof(
    "active block",
    rests_on=(
        "P = Hess f satisfies P^3 = c P and grad f = P w for the parameters w = (v, U), with f = w.Pw / 2: so grad f lies in the "
        "eigenspaces of P for +-sqrt(c), with squared lengths A and B there",
        "H = grad f grad f^T + D P acts on the span of the two components of grad f as the block, and as +-sqrt(c) D or 0 on its "
        "complement",
    ),
)
def _active_block(*, cross=8, square=4):
    A, B = symbols("A B", nonnegative=True)
    q = symbols("q", positive=True)  # q = sqrt(c)
    D, r, t = symbols("D r t")
    lam, f = A + B, (A - B) / (2 * q)
    y = f - D
    square_of_r = radicand(D, lam, q**2, y, cross=cross, square=square)
    # the block is ((A + qD, -sqrt(AB)), (-sqrt(AB), B - qD))
    characteristic = (A + q * D - t) * (B - q * D - t) - A * B
    yield (
        "eigenvalues of the block",
        eq(characteristic, (t - (lam + r) / 2) * (t - (lam - r) / 2), modulo=(r**2 - square_of_r,)),
    )
    yield "trace of the block", eq((A + q * D) + (B - q * D), lam)
    yield "real square root", le(0, square_of_r, by=Combination([(1, A - B + 2 * q * D, ()), (4, 1, (A, B))]))
    yield "zero loss", eq(radicand(0, lam, q**2, f, cross=cross, square=square), lam**2)
    # lambda + r >= 2 q |D|: trivial where 2 q |D| <= lambda, else by squaring; E = |D|
    E = symbols("E", nonnegative=True)
    for name, s, part in (("+", 1, A), ("-", -1, B)):
        here = radicand(s * E, lam, q**2, f - s * E, cross=cross, square=square)
        yield f"not below {name}sqrt(c) D", le((2 * q * E - lam) ** 2, here, by=Combination([(8, 1, (q, E, part))]))


sharpness_formula.mutant(
    "lambda_max = lambda", only_trace=True, breaks=("nothing above the formula", "something at the formula")
)
sharpness_formula.mutant("term 8 c f D dropped", cross=0, breaks="eigenvalues of the block")
sharpness_formula.mutant(
    "term 8 c f D dropped, against the whole Hessian",
    cross=0,
    on="parameters",
    breaks=("nothing above the formula", "something at the formula"),
)
sharpness_formula.mutant("3 c D^2 in place of 4 c D^2", square=3, on="parameters")
