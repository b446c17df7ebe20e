"""A small transformer trained by SignGD with rational weights: softmax in balls, every sign of a gradient decided."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

from theorems.seeds import Words

Patch = dict[int, fmpq]  # coordinate -> entry


ONE = fmpq(1)


@dataclass(frozen=True)
class Small:
    """A small instance.

    Attributes:
        n, s, width: samples, support sizes, neurons (of queries, keys and each value matrix).
        scale: factor on the initial queries and keys.
        norm: the l1 norm of every xi_i (None: as drawn).
        overlap: whether the supports are all the same (against the hypothesis).
    """

    n: int = 4
    s: int = 3
    width: int = 3
    scale: fmpq = ONE
    norm: fmpq | None = None
    overlap: bool = False


@dataclass
class Model:
    """Data and current weights, all rational (under GD the step is rounded to 10^-6)."""

    y: list[int]
    xi: list[Patch]
    Q: list[list[fmpq]]
    K: list[list[fmpq]]
    plus: list[list[fmpq]]
    minus: list[list[fmpq]]

    def l1(self, i: int) -> fmpq:
        """||xi_i||_1."""
        return sum((abs(v) for v in self.xi[i].values()), fmpq(0))

    def values(self, i: int) -> tuple[fmpq, fmpq]:
        """Labelled values v1_i, v2_i."""
        vbar = [sum(p, fmpq(0)) - sum(m, fmpq(0)) for p, m in zip(zip(*self.plus), zip(*self.minus))]
        width = len(self.plus)
        return vbar[0] / width, self.y[i] * sum((vbar[c] * v for c, v in self.xi[i].items()), fmpq(0)) / width


def initial(small: Small, seed: int) -> Model:
    """Random rational data and weights."""
    words = Words(seed, "small transformer")
    D = 1 + small.s * (1 if small.overlap else small.n)

    def entries(scale: fmpq) -> list[list[fmpq]]:
        return [[scale * fmpq(words.between(-99, 99), 20000) for _ in range(D)] for _ in range(small.width)]

    xi = []
    for i in range(small.n):
        first = 1 if small.overlap else 1 + i * small.s
        patch = {first + c: fmpq((1 - 2 * words.below(2)) * words.between(1, 60), 20) for c in range(small.s)}
        total = sum((abs(v) for v in patch.values()), fmpq(0))
        xi.append(patch if small.norm is None else {c: v * small.norm / total for c, v in patch.items()})
    one = fmpq(1)
    y = [1 - 2 * (i % 2) for i in range(small.n)]
    return Model(y, xi, entries(small.scale), entries(small.scale), entries(one), entries(one))


def value_directions(model: Model) -> list[int]:
    """D: 1 at mu, y_i sgn(xi_i[c]) on the support of xi_i."""
    D = [1] + [0] * (len(model.plus[0]) - 1)
    for y, patch in zip(model.y, model.xi):
        for c, v in patch.items():
            D[c] = y * (1 if v > 0 else -1)
    return D


def step(model: Model, eta: fmpq, rule: str = "sign") -> list[int]:
    """One step in place; returns the signs of the step of the positive value weights (all rows share them)."""
    n, D = len(model.y), len(model.plus[0])
    GQ = [[arb(0)] * D for _ in model.Q]
    GK = [[arb(0)] * D for _ in model.K]
    GV = [arb(0)] * D
    width = len(model.plus)
    vbar = [(sum(p, fmpq(0)) - sum(m, fmpq(0))) / width for p, m in zip(zip(*model.plus), zip(*model.minus))]
    for y, patch in zip(model.y, model.xi):
        x: list[Patch] = [{0: fmpq(y)}, patch]
        q = [[sum((row[c] * v for c, v in p.items()), fmpq(0)) for row in model.Q] for p in x]
        k = [[sum((row[c] * v for c, v in p.items()), fmpq(0)) for row in model.K] for p in x]
        v = [sum((vbar[c] * e for c, e in p.items()), fmpq(0)) for p in x]
        gap = [sum((a * (k2 - k1) for a, k1, k2 in zip(q[l], k[0], k[1])), fmpq(0)) for l in (0, 1)]
        S1, S2 = [1 / (1 + arb(g).exp()) for g in gap], [1 / (1 + (-arb(g)).exp()) for g in gap]
        f = sum(((S1[l] * v[0] + S2[l] * v[1]) for l in (0, 1)), arb(0))
        slope = -y / (1 + (y * f).exp()) / n
        for c, e in x[0].items():
            GV[c] += slope * (S1[0] + S1[1]) * e / width
        for c, e in x[1].items():
            GV[c] += slope * (S2[0] + S2[1]) * e / width
        g = [slope * S1[l] * S2[l] * (v[1] - v[0]) for l in (0, 1)]
        for h in range(len(model.Q)):
            for l in (0, 1):
                for c, e in x[l].items():
                    GQ[h][c] += g[l] * (k[1][h] - k[0][h]) * e
            both = g[0] * q[0][h] + g[1] * q[1][h]
            for j, sign in ((0, -1), (1, 1)):
                for c, e in x[j].items():
                    GK[h][c] += sign * both * e
    for W, G in ((model.Q, GQ), (model.K, GK)):
        for h, row in enumerate(G):
            W[h] = [w - eta * decided(u) for w, u in zip(W[h], row)]
    signs = [-decided(u) for u in GV]
    moves = signs if rule == "sign" else [fmpq(int((-u * 10**6).mid().floor().unique_fmpz()), 10**6) for u in GV]
    for r in range(width):
        model.plus[r] = [w + eta * a for w, a in zip(model.plus[r], moves)]
        model.minus[r] = [w - eta * a for w, a in zip(model.minus[r], moves)]
    return signs


def decided(u: arb) -> int:
    """The sign of a ball; 0 only for an exact 0."""
    if u > 0:
        return 1
    if u < 0:
        return -1
    if u.is_zero():
        return 0
    raise ArithmeticError(f"the sign of the gradient {u} is not decided; raise the precision")
