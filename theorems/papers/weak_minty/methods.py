"""EC-PPA in balls: the test of the inner loop is decided, or the run stops with an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from flint import acb, arb, ctx, fmpq

from solvers.enclosures import precision

Blocks = list[acb]
T = TypeVar("T")
INNER_LIMIT = 2000
STEP_BITS = (200, 600, 2400)


class Undecided(ArithmeticError):
    """A test of the algorithm cannot be decided at the working precision."""


@dataclass
class Run:
    """A run of K outer steps (x* = 0).

    Attributes:
        x2: |x_k|^2 for k = 0..K.
        v2: |F(z_k)|^2 for k < K.
        alpha: the K step lengths before relaxation.
        inner: the K numbers of inner iterations.
        last: the blocks of x_K (not for rotations).
    """

    x2: list[arb] = field(default_factory=list)
    v2: list[arb] = field(default_factory=list)
    alpha: list[arb] = field(default_factory=list)
    inner: list[int] = field(default_factory=list)
    last: Blocks = field(default_factory=list)


@dataclass(frozen=True)
class Steps:
    """Outer steps from exact points, one after another: |x|^2 before and after, |F(z)|^2, and the numbers of inner iterations."""

    before: tuple[arb, ...]
    after: tuple[arb, ...]
    v2: tuple[arb, ...]
    inner: tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """The method's parameters.

    Attributes:
        gamma, lam: step of the resolvent, relaxation.
        sigma: tolerance of outer step k = 1, 2, ...
        rho: weak Minty modulus (a rational or a ball).
        corrected: whether the half-space step is taken, or x - lam (1 + rho/gamma)(x - z) with the same inexact z.
        inner: number of inner iterations in place of the tolerance, if positive.
    """

    gamma: fmpq
    sigma: Callable[[int], fmpq]
    rho: fmpq | arb
    lam: fmpq
    corrected: bool = True
    inner: int = 0

    def stops(self, k: int, count: int, error2: Callable[[], arb], v2: Callable[[], arb]) -> bool:
        """Whether the inner loop of outer step k stops after `count` iterations."""
        if count > INNER_LIMIT:
            raise ArithmeticError(f"no inner iterate passed the test within {INNER_LIMIT} iterations")
        if self.inner:
            return count == self.inner
        room = (self.sigma(k) * self.gamma) ** 2 * v2() - error2()
        if not (room >= 0 or room < 0):
            raise Undecided(f"the inner test is undecided after {count} iterations; raise the precision")
        return bool(room >= 0)

    def step(self, product: arb, v2: arb) -> arb:
        """alpha, from <v, x - z> and |v|^2."""
        gap = product / v2 + self.rho
        if not (gap > 0 or gap <= 0):
            raise Undecided("the sign of alpha is undecided; raise the precision")
        return gap if gap > 0 else arb(0)


def square(x: Blocks) -> arb:
    """|x|^2."""
    return sum((z.real * z.real + z.imag * z.imag for z in x), arb(0))


def product(x: Blocks, y: Blocks) -> arb:
    """<x, y>."""
    return sum((a.real * b.real + a.imag * b.imag for a, b in zip(x, y)), arb(0))


def running_minimum(values: Sequence[arb]) -> list[arb]:
    """The least of the first K values, for K = 1, 2, ..."""
    best = [values[0]]
    for v in values[1:]:
        best.append(best[-1].min(v))
    return best


def ec_ppa(F: Callable[[Blocks], Blocks], start: Blocks, rules: Rules, steps: int) -> Run:
    """EC-PPA for an operator given as a function of planar blocks; raises `Undecided`."""
    x = start
    run = Run([square(x)])
    for k in range(1, steps + 1):
        z, count = x, 0
        v = F(z)
        while not rules.stops(k, count, lambda: square(_residual(x, z, v, rules.gamma)), lambda: square(v)):  # noqa: B023
            z = [a - rules.gamma * c for a, c in zip(x, v)]
            v = F(z)
            count += 1
        v2 = square(v)
        alpha = rules.step(product(v, [a - b for a, b in zip(x, z)]), v2)
        x = [a - rules.lam * alpha * b for a, b in zip(x, v)]
        _note(run, square(x), v2, alpha, count)
    run.last = x
    return run


def single_steps(
    make: Callable[[], Callable[[Blocks], Blocks]], start: Sequence[fmpq], rules: Rules, steps: int
) -> Steps:
    """Steps of `ec_ppa`, each from the midpoint of where the last one ended, so that no error is carried along.

    Args:
        make: the operator, at the precision at which it is made.
        start: real and rational, one for each block.
    """
    made: dict[int, Callable[[Blocks], Blocks]] = {}
    x: Blocks = [acb(r) for r in start]

    def once() -> Run:
        if ctx.prec not in made:
            made[ctx.prec] = make()
        return ec_ppa(made[ctx.prec], x, rules, 1)

    runs = []
    for _ in range(steps):
        runs.append(decided(once, STEP_BITS))
        x = [acb(z.real.mid(), z.imag.mid()) for z in runs[-1].last]
    return Steps(
        tuple(r.x2[0] for r in runs),
        tuple(r.x2[1] for r in runs),
        tuple(r.v2[0] for r in runs),
        tuple(r.inner[0] for r in runs),
    )


def _residual(x: Blocks, z: Blocks, v: Blocks, gamma: fmpq) -> Blocks:
    return [a - b - gamma * c for a, b, c in zip(x, z, v)]


def _note(run: Run, x2: arb, v2: arb, alpha: arb, count: int) -> None:
    run.x2.append(x2)
    run.v2.append(v2)
    run.alpha.append(alpha)
    run.inner.append(count)


def rotating(parts: Sequence[tuple[object, object]], rules: Rules, steps: int) -> Run:
    """EC-PPA from (1, 0) in each block for z -> s e^{i theta} z, given pairs (s, cos theta); raises `Undecided`.

    With p_0 = 1, p_{j+1} = 1 - gamma w p_j one has z_j = p_j x, so that only |x|^2 of each block matters.
    """
    w = [acb(s * arb(c), s * (1 - arb(c) * arb(c)).sqrt()) for s, c in parts]
    known: list[tuple[Blocks, list[arb], list[arb], list[arb]]] = []
    size = [arb(1)] * len(w)
    run = Run([sum(size, arb(0))])
    for k in range(1, steps + 1):
        count = 0
        while True:
            if count == len(known):
                known.append(_weights(w, known[-1][0] if known else None, rules.gamma))
            p, errors, values, products = known[count]
            if rules.stops(k, count, lambda: _dot(errors, size), lambda: _dot(values, size)):  # noqa: B023
                break
            count += 1
        v2 = _dot(values, size)
        alpha = rules.step(_dot(products, size), v2)
        if rules.corrected:
            factor = [1 - rules.lam * alpha * a * b for a, b in zip(w, p)]
        else:
            factor = [1 - rules.lam * (1 + arb(rules.rho) / arb(rules.gamma)) * (1 - b) for b in p]
        size = [r * square([f]) for r, f in zip(size, factor)]
        _note(run, sum(size, arb(0)), v2, alpha, count)
    return run


def _weights(w: Blocks, last: Blocks | None, gamma: fmpq) -> tuple[Blocks, list[arb], list[arb], list[arb]]:
    """p_j, and |x - z_j - gamma v_j|^2, |v_j|^2, <v_j, x - z_j> for each block, divided by its |x|^2."""
    p = [acb(1)] * len(w) if last is None else [1 - gamma * a * b for a, b in zip(w, last)]
    v = [a * b for a, b in zip(w, p)]
    errors = [square([1 - b - gamma * c]) for b, c in zip(p, v)]
    return p, errors, [square([c]) for c in v], [product([c], [1 - b]) for b, c in zip(p, v)]


def _dot(a: Sequence[arb], b: Sequence[arb]) -> arb:
    return sum((s * t for s, t in zip(a, b)), arb(0))


def decided(run: Callable[[], T], bits: Sequence[int] = (400, 1000, 2500)) -> T:
    """The result at the first precision at which every test of the run is decided."""
    for prec in bits[:-1]:
        try:
            with precision(prec):
                return run()
        except Undecided:
            continue
    with precision(bits[-1]):
        return run()


def always(sigma: fmpq) -> Callable[[int], fmpq]:
    """The same tolerance at every step."""
    return lambda k: sigma
