"""Copies of a small network: a wide class contains k F, so its least empirical risk decays like e^{-kc}."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.shallow_hull import best_margin
from solvers.shallow_relu import ShallowNetwork, replicated
from theorems import Arrays, Choices, Given, Integers, Q, eq, le, shared
from theorems.papers.expressive_generalization.paper import PAPER, both_labels, copies, distinct, hull, loss, on_grid

POINTS = 15


def network(n: int, W0: int, entries: tuple[int, ...]) -> ShallowNetwork:
    """A network with parameters entries/10: W0 times (a, w, b), then c_0."""
    values = [Q(e, 10) for e in entries]
    rows = [values[i * (n + 2) : (i + 1) * (n + 2)] for i in range(W0)]
    return ShallowNetwork(tuple((tuple(r[1:-1]), r[-1]) for r in rows), tuple(r[0] for r in rows), values[-1])


def copied(F: ShallowNetwork, W: int, bias: str, more: int) -> tuple[int, ShallowNetwork]:
    """k and the network meant to be k F; `bias` says where the offset goes."""
    if bias == "copied":
        k = copies(W, F.width) + more
        return k, replicated(F, k, max(W, k * (F.width + 1)))
    k = W // F.width
    offset = k * F.offset
    if bias == "clipped":
        offset = max(min(offset, fmpq(1)), fmpq(-1))
    zero = ((fmpq(0),) * len(F.neurons[0][0]), fmpq(0))
    spare = W - k * F.width
    return k, ShallowNetwork(F.neurons * k + (zero,) * spare, F.outputs * k + (fmpq(0),) * spare, offset)


@PAPER.construction(
    source="step of the proof of the generalization theorem: k copies of the expressing network; (b) for the relaxed class",
    fidelity="paper",
    evidence="certified",
    part="(a)",
    domain={
        "n": Integers(1, 4),
        "W0": Integers(1, 6),
        "W": Given(lambda W0: Integers(W0 + 1, 60)),
        "entries": Given(lambda n, W0: Arrays(Integers(-10, 10), (W0 * (n + 2) + 1,))),
        "places": Given(lambda n: Arrays(Integers(0, 20), (POINTS * n,))),
    },
    quick=200,
    full=3000,
    method="(a) exact evaluation of both networks at 15 points, labels y = sign F; (b) exact linear programs",
    hypotheses="rational parameters (multiples of 1/10) and points; (b) n = 1, distinct points, both labels present, for "
    "$R_W = \\{\\sum_j \\alpha_j \\phi_j + c_0 : \\sum_j |\\alpha_j| \\le W, |c_0| \\le 1\\} \\supseteq H_W(1)$ with $\\phi_j$ the extreme "
    "neurons of the box at the points",
    not_established="(b) for $H_W$ itself, whose elements of width exactly W form no convex set",
)
def replication_construction(n, W0, W, entries, places, *, bias="copied", more=0, sharper=1):
    r"""$H_W(n)$: $F(x) = \sum_{i \le W} a_i\,\mathrm{relu}(w_i \cdot x + b_i) + c_0$, all parameters in $[-1, 1]$, $x \in [0,1]^n$. Let $W \ge W_0 + 1$
    and $k = \lfloor W/(W_0+1) \rfloor$. (a) If $F \in H_{W_0}(n)$ then $kF \in H_W(n)$: $k$ copies of the $W_0$ neurons, in each copy one constant
    neuron $\mathrm{relu}(0 \cdot x + 1)$ with output weight $c_0$, zero neurons, output bias 0. Hence if $y_i F(x_i) \ge c > 0$ on a sample, the
    least empirical cross-entropy risk over $H_W(n)$ is at most $\ln(1 + e^{-kc}) \le e^{-kc}$. (b) The largest margin
    $\gamma(W) = \max_{F \in R_W} \min_i y_i F(x_i)$ over the relaxed class satisfies $\gamma(W) \ge k\,\gamma(W_0)$.
    """
    F = network(n, W0, entries)
    points = [tuple(Q(e, 20) for e in places[i * n : (i + 1) * n]) for i in range(POINTS)]
    k, G = copied(F, W, bias, more)
    before, after = F.values(points), G.values(points)
    yield "(a) the function is k F", eq(after, [k * v for v in before])
    yield "(a) parameters in [-1, 1]", le(G.largest_parameter, 1)
    yield "(a) width W", eq(G.width, W)
    margins = [abs(v) for v in before if v != 0]
    if margins:
        c = min(margins)

        def risks():
            mean = sum((loss(abs(v)) for v in after if v != 0), arb(0)) / len(margins)
            return [mean, loss(k * c)], [loss(sharper * k * c), (-arb(k * c)).exp()]

        yield "(a) risk", le(risks, within=Q(1, 10**15))


@shared
def margin(points: tuple[fmpq, ...], labels: tuple[int, ...], W: int) -> fmpq:
    """gamma(W)."""
    return best_margin(hull(points), labels, W)


SEPARATED = PAPER.family(
    "labelled-points",
    m=Integers(2, 7),
    places=Given(lambda m: Arrays(Integers(0, 40), (m,))),
    labels=Given(lambda m: Arrays(Choices(-1, 1), (m,))),
    W0=Integers(2, 8),
    W=Given(lambda W0: Integers(W0 + 1, 60)),
    where=lambda places, labels: distinct(places) and both_labels(labels),
    quick=190,
    full=3000,
)
ONE_MORE = PAPER.family(
    "one-neuron-more",  # gamma(W0 + 1)/gamma(W0) <= 1 + 1/W0, since gamma is concave and gamma(0) = 0
    places=Choices((0, 40), (0, 13, 27, 40)),
    labels=Given(lambda places: Choices(tuple((-1) ** i for i in range(len(places))))),
    W0=Choices(40),
    W=Choices(41, 82, 60),
    every=True,
)


SATURATED = PAPER.family(
    "saturated-offset",  # the offset carries a part of gamma(8) that does not grow with W: gamma(56) < 7 gamma(8)
    places=Choices((0, 20, 40)),
    labels=Choices((1, -1, 1)),
    W0=Choices(8),
    W=Choices(56, 16),
    every=True,
)


@replication_construction.check("(b)", family=(ONE_MORE, SATURATED, SEPARATED))
def _margins(places, labels, W0, W, *, kept=1, gain=1, plus=0):
    points = on_grid(places, 40)
    k = W // (W0 + kept) + plus
    yield "(b) largest margin", le(gain * k * margin(points, labels, W0), margin(points, labels, W))


replication_construction.mutant(
    "output bias not copied but clipped to [-1, 1]", bias="clipped", breaks="(a) the function is k F"
)
replication_construction.mutant("output bias not copied but scaled", bias="scaled", breaks="(a) parameters in [-1, 1]")
replication_construction.mutant("one more copy", more=1, breaks="(a) width W")
replication_construction.mutant("risk at 1.01 times the exponent", sharper=Q(101, 100), breaks="(a) risk")
replication_construction.mutant("k + 2 in place of k", plus=2, breaks="(b) largest margin")
replication_construction.mutant(
    "k = floor(W/W0), offsets for nothing", kept=0, on="saturated-offset", breaks="(b) largest margin"
)
replication_construction.mutant("margins 5 % larger", gain=Q(21, 20), breaks="(b) largest margin")
