"""Lipschitz activations: neither the network nor the differential equation, forwards or backwards, loses or invents a state."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq, fmpq_mat

from theorems import ByBudget, Choices, Combination, Given, Integers, Minimum, Q, eq, le, symbols
from theorems.papers.neural_ode.networks import ACTIVATIONS, minus, norm, normal, operator_bound, root, solution, states
from theorems.papers.neural_ode.paper import PAPER
from theorems.seeds import Words


def matrix(seed: int, n: int) -> fmpq_mat:
    """0.6 N(0, 1)/sqrt n, n x n."""
    return normal(Words(seed, "matrix"), n, n, Q(3, 5) / root(n))


def start(seed: int, n: int) -> tuple[fmpq, ...]:
    """N(0, I)."""
    return tuple(normal(Words(seed, "start"), 1, n).entries())


def beside(seed: int, a: tuple[fmpq, ...]) -> tuple[fmpq, ...]:
    """a + 0.1 N(0, I)."""
    return tuple(x + y for x, y in zip(a, normal(Words(seed, "beside"), 1, len(a), Q(1, 10)).entries()))


SEED = Integers(0, 10**8)
NETWORKS = PAPER.family(
    "networks",
    phi=Choices("tanh", "softplus", "sin", "identity"),
    L=Choices(4, 16, 64),
    n=Integers(2, 6),
    seed=SEED,
    A=Given(matrix),
    a=Given(start),
    b=Given(beside),
    quick=24,
    full=300,
)
ONE = Q(1)
SCALAR = PAPER.family(  # A = 1: where an activation that is not Lipschitz fails
    "one-neuron",
    phi=Choices("tanh", "softplus", "sin"),
    L=Choices(16),
    A=Choices(fmpq_mat(1, 1, [ONE])),
    pair=Choices((Q(3), Q(31, 10)), (Q(1, 10**4), Q(0)), (Q(1, 10**8), Q(0)), (Q(1, 10**12), Q(0))),
    a=Given(lambda pair: (pair[0],)),
    b=Given(lambda pair: (pair[1],)),
    every=True,
)
EXTREME = PAPER.family(
    "equality",
    rho=Choices(Q(3, 5), Q(-3, 5)),
    L=Choices(4, 16, 64),
    n=Integers(2, 6),
    a=Given(lambda n: tuple(Q(k + 1, n) for k in range(n))),
    b=Given(lambda n: tuple(Q((k * k) % 5, 7) for k in range(n))),
    every=True,
)
FLOWS = PAPER.family(
    "flows",
    phi=Choices("identity", "tanh", "softplus", "sin"),
    n=ByBudget(quick=Choices(2, 3), full=Integers(2, 6)),
    seed=SEED,
    A=Given(lambda phi, seed, n: fmpq_mat([[Q(3, 5) * (i == j) for i in range(n)] for j in range(n)])
            if phi == "identity" else matrix(seed, n)),
    a=Given(start),
    b=Given(beside),
    quick=4,
    full=40,
)  # fmt: skip


@PAPER.bound(
    source="abstract: smoothness makes the forward and the backward equation uniquely solvable for all time; constants derived",
    fidelity="derived",
    evidence="certified",
    family=(NETWORKS, SCALAR),
    part="network",
    method="the recursion and both sides in balls, the operator norm replaced by an upper bound (which weakens both sides); equality "
    "in exact rationals; the differential equation by validated Taylor steps; one step for all matrices by a positivity certificate",
    hypotheses="phi is Lipschitz with constant Lambda = 1; T = 1; kappa T/L < 1 for the lower bound of the network",
    not_established="uniqueness itself is the theorem of Picard and Lindelof, seen here through its moduli of continuity",
)
def forward_backward_stability(phi, L, A, a, b, *, share=1):
    r"""Let $\varphi$ be $\Lambda$-Lipschitz, $A = (\sigma_w/\sqrt n) W$ and $\kappa = \Lambda \|A\|_{op}$. The network $h^{l+1} = h^l + \frac TL A\varphi(h^l)$
    satisfies for all starting points $a, b$, if $\kappa T/L < 1$ (the upper bound always),
    $$(1 - \kappa T/L)^L \|a - b\| \le \|h^L(a) - h^L(b)\| \le (1 + \kappa T/L)^L \|a - b\| \le e^{\kappa T} \|a - b\|,$$
    with equality on the right for $A = \rho I$, $\varphi(x) = x$, and on the left for $A = -\rho I$. Hence $\dot h = A \varphi(h)$ has a unique
    solution on $[0, T]$ from every $h_0$, with $e^{-\kappa T}\|a - b\| \le \|h_T(a) - h_T(b)\| \le e^{\kappa T}\|a - b\|$, and the equation solved
    backwards from $h_T$ returns to $h_0$.
    """
    activation = ACTIVATIONS[phi]

    def sides():
        B, kappa = arb_mat(A), operator_bound(A) * share
        ends = [states(B, activation, x, L)[-1] for x in (a, b)]
        before, after = norm(minus(a, b)), norm(minus(*ends))
        lower = 1 - kappa / L
        below = lower**L * before if lower > 0 else arb(0)
        upper = (1 + kappa / L) ** L * before
        return [below, after, upper], [after, upper, kappa.exp() * before]

    yield "network", le(sides)


@forward_backward_stability.check("equality", family=EXTREME)
def _equality(rho, L, n, a, b, *, share=1):
    factor = (1 + rho / L) ** L  # h^L = factor * h^0 for A = rho I and phi(x) = x
    before = sum((x - y) ** 2 for x, y in zip(a, b))
    after = sum((factor * x - factor * y) ** 2 for x, y in zip(a, b))
    kappa = abs(rho) * share
    yield "equality", le([(1 - kappa / L) ** (2 * L) * before, after], [after, (1 + kappa / L) ** (2 * L) * before])


@forward_backward_stability.check("differential equation", family=FLOWS)
def _flow(phi, A, a, b, *, share=1, euler=False):
    activation = ACTIVATIONS[phi]

    def moduli():
        B, kappa = arb_mat(A), operator_bound(A) * share
        before = norm(minus(a, b))
        after = norm(minus(solution(B, activation, a), solution(B, activation, b)))
        return [(-kappa).exp() * before, after], [after, kappa.exp() * before]

    def returned():
        B = arb_mat(A)
        if euler:
            return states(-B, activation, states(B, activation, a, 64)[-1], 64)[-1], list(a)
        return solution(B, activation, solution(B, activation, a), -1), list(a)

    yield "moduli of the flow", le(moduli, within=Q(1, 10**8))
    yield "backwards to the start", eq(returned, within=Q(1, 10**8))


@forward_backward_stability.proof(
    "one step",
    covers="all matrices, states, steps c >= 0 and Lipschitz constants",
    rests_on=(
        "with D = a - b and E = phi(a) - phi(b): |A E| <= kappa |D|, and -|D| |A E| <= <D, A E> <= |D| |A E|",
        "L steps multiply; as L grows, (1 - kappa T/L)^L and (1 + kappa T/L)^L tend to exp(-kappa T) and exp(kappa T)",
    ),
)
def _one_step(*, share=1):
    # d = |D|, e = |A E|, x = <D, A E>; the squared norm of D + c A E is d^2 + 2 c x + c^2 e^2
    c, d, e, k = symbols("c d e kappa", nonnegative=True)
    x = symbols("x")
    after = d**2 + 2 * c * x + c**2 * e**2
    rate = k * share
    inner, slack = d * e - x, k * d - e
    up = Combination([(2, 1, (c, inner)), (2, 1, (c, d, slack)), (1, 1, (c, c, slack, k * d + e))])
    yield "one step: upper", le(after, (1 + c * rate) ** 2 * d**2, given=[inner, slack], by=up)
    inner = d * e + x
    meets = {c: Q(1, 2), d: 1, e: 1, k: 1, x: -1}  # A reverses D
    down = Combination([(2, 1, (c, inner)), (2, 1, (c, slack, d, 1 - c * k)), (1, 1, (c, c, slack, slack))])
    yield (
        "one step: lower",
        le((1 - c * rate) ** 2 * d**2, after, given=[inner, slack, 1 - c * k], by=down, witness=meets),
    )


@forward_backward_stability.proof("compounding", covers="all kappa T/L >= 0")
def _compounding(*, excess=0):
    import sympy

    x = symbols("x", nonnegative=True)
    return le(1 + x + excess * x, sympy.exp(x), by=Minimum(x, 0))


forward_backward_stability.mutant(
    "phi(x) = x^2, which is not Lipschitz", domain={"phi": Choices("square")}, on="one-neuron", breaks="network"
)
forward_backward_stability.mutant(
    "phi(x) = sgn(x) sqrt|x|, which is not Lipschitz at 0",
    domain={"phi": Choices("signed root")}, on="one-neuron", breaks="network",
)  # fmt: skip
forward_backward_stability.mutant("0.9 kappa in place of kappa", share=Q(9, 10), on="equality", breaks="equality")
forward_backward_stability.mutant("0.99 kappa in place of kappa", share=Q(99, 100), on="equality", breaks="equality")
forward_backward_stability.mutant(
    "0.99 kappa along the flow", share=Q(99, 100), on="flows", breaks="moduli of the flow"
)
forward_backward_stability.mutant("0.99 kappa in one step upwards", share=Q(99, 100), breaks="one step: upper")
forward_backward_stability.mutant("0.99 kappa in one step downwards", share=Q(99, 100), breaks="one step: lower")
forward_backward_stability.mutant(
    "64 Euler steps forwards are undone by 64 Euler steps backwards", euler=True, breaks="backwards to the start"
)
forward_backward_stability.mutant("e^x >= 1 + 1.01 x", excess=Q(1, 100), breaks="compounding")
