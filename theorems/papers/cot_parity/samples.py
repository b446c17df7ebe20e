"""How many samples one gradient step needs: about n log n with the chain, exponentially many without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import ceil, comb, exp, log
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from solvers.boolean_cube import krawtchouk, points
from theorems import ByBudget, Choices, Q, eq, prob_ge, prob_le, slope
from theorems.papers.cot_parity.chain import gradient, parity
from theorems.papers.cot_parity.paper import PAPER

CONSTANTS = {"quadratic": 6, "ReLU": 12}
Signs = NDArray[np.float32]
CHUNK = 1 << 15
STEPS, WARM_UP = 4, 4


def random_signs(rng: np.random.Generator, N: int, n: int) -> Signs:
    """Uniform +-1, shape (N, n); sums of up to 2^24 of them are exact in single precision."""
    return (
        1
        - 2
        * np.unpackbits(rng.integers(0, 256, size=-(-N * n // 8), dtype=np.uint8))[: N * n]
        .reshape(N, n)
        .astype(np.int8)
    ).astype(np.float32)


def samples(rule: str, n: int, k: int, ffn: str) -> int:
    """The number of samples that a rule prescribes, m = n + k - 2."""
    m = n + k - 2
    return ceil({"C m log(km)": CONSTANTS[ffn] * m, "m/2": m / (2 * log(k * m)), "12 log(km)": 12}[rule] * log(k * m))


def chain_found(ffn: str, n: int, k: int, N: int, rng: np.random.Generator) -> bool:
    """Whether the empirical gradient of N examples puts the two parents on top at all steps; the secret is 0..k-1."""
    x = random_signs(rng, N, n)
    chain = np.cumprod(x[:, :k], axis=1)[:, 1:]  # c_2 .. c_k, the targets
    u = np.concatenate([x, chain[:, :-1]], axis=1)
    t = x.sum(axis=1, keepdims=True) + np.concatenate(
        [np.zeros((N, 1), np.float32), chain[:, :-1].cumsum(axis=1)], axis=1
    )
    scores = (chain * (t if ffn == "quadratic" else np.sign(t))).T @ u
    for i in range(2, k + 1):
        top = np.argpartition(-scores[i - 2, : n + i - 2], 1)[:2]
        if {int(j) for j in top} != {0 if i == 2 else n + i - 3, i - 1}:
            return False
    return True


SIZES = ByBudget(quick=Choices(8, 16, 32), full=Choices(8, 16, 32, 64, 128))
TRIALS = ByBudget(quick=Choices(20), full=Choices(40))
EXPONENT = Q(13, 10)


@PAPER.rate(
    source="abstract: polynomially many samples suffice with chain of thought",
    fidelity="derived",
    evidence="empirical",
    domain={"n": SIZES, "ffn": Choices("quadratic", "ReLU"), "trials": TRIALS},
    every=True,
    part="success",
    method="simulated examples, all steps at once (teacher forcing), exact binomial bounds; the exponent is the slope of mean thresholds with a t "
    "interval (hence empirical)",
    hypotheses="k = n/2, the secret is the first k coordinates (others by symmetry); one gradient step from uniform attention",
    not_established="the constants 6 and 12 are not the least ones; sizes above 128",
)
def cot_sample_complexity(n, ffn, trials, *, rule="C m log(km)") -> Iterator[Any]:
    r"""Let $k = n/2$, $m = n + k - 2$. From $N \ge C m \log(km)$ i.i.d. examples with the chain, $C = 6$ (output $s^2$) or $12$ ($|s|$), the one-step
    empirical gradient ranks the two parents on top at all steps $i = 2, \dots, k$ with probability at least $0.9$. The number of samples with
    success probability $1/2$ grows like $n^a$, $a \in [1, 1.6]$.
    """
    k = n // 2
    N = samples(rule, n, k, ffn)
    yield "success", prob_ge(lambda rng: chain_found(ffn, n, k, N, rng), Q(9, 10), fixed=trials, within=Q(6, 10))


@cot_sample_complexity.check(
    "threshold",
    domain={
        "sizes": ByBudget(quick=Choices((24, 48, 96)), full=Choices((24, 48, 96, 192))),
        "repeats": ByBudget(quick=Choices(24), full=Choices(60)),
    },
    every=True,
)
def _threshold(sizes, repeats, *, exponent=EXPONENT):
    yield (
        "exponent",
        slope(list(sizes), None, exponent, draw=staircase, repeats=repeats, within=Q(3, 10), drift=None),
    )


def staircase(n: int, rng: np.random.Generator) -> float:
    """The N with success probability about 1/2: the geometric mean of a walk that goes down at successes and up at failures.

    Steps of a factor 1.25 from 20n, fresh samples (squared output) at each; the first four are left out.
    """
    size = int(n)
    N, total = 20.0 * size, 0.0
    for step in range(STEPS + WARM_UP):
        N *= 0.8 if chain_found("quadratic", size, size // 2, int(N), rng) else 1.25
        total += log(N) if step >= WARM_UP else 0.0
    return exp(total / STEPS)


cot_sample_complexity.mutant("m/2 samples", rule="m/2", breaks="success")
cot_sample_complexity.mutant("12 log(km) samples", rule="12 log(km)", breaks="success")
cot_sample_complexity.mutant("n^2 samples", exponent=Q(2), breaks="exponent")


@lru_cache(maxsize=1024)
def majority(n: int, level: int) -> fmpq:
    r"""$|E[\chi_L\, \mathrm{sgn}(\sum x)]|$ for $|L|$ = level, n odd."""
    total = sum((1 if 2 * t < n else -1) * comb(n, t) * krawtchouk(n, level, t) for t in range(n + 1))
    return abs(fmpq(total, 2**n * comb(n, level)))


def gamma(n: int, k: int, *, difference: bool = False) -> fmpq:
    """Gam = M(k - 1) + M(k + 1)."""
    return majority(n, k - 1) + (-1 if difference else 1) * majority(n, k + 1)


def parity_found(n: int, k: int, N: int, sign: int, rng: np.random.Generator) -> bool:
    """Whether the k largest entries of sign * g from N samples are the secret 0..k-1."""
    scores = np.zeros(n)
    for start in range(0, N, CHUNK):
        x = random_signs(rng, min(CHUNK, N - start), n)
        scores += (x[:, :k].prod(axis=1) * np.sign(x.sum(axis=1))) @ x
    top = np.argsort(-sign * scores, kind="stable")[:k]
    return {int(j) for j in top} == set(range(k))


@PAPER.rate(
    source="abstract: exponentially many samples without chain of thought",
    fidelity="derived",
    evidence="statistical",
    domain={
        "size": ByBudget(
            quick=Choices((15, 2), (15, 4), (21, 2)), full=Choices((15, 2), (15, 4), (15, 6), (21, 2), (21, 4))
        ),
        "trials": ByBudget(quick=Choices(40), full=Choices(60)),
    },
    every=True,
    tests=2,
    part="few samples",
    method="the gap by enumeration of all inputs in rationals; success rates of simulated learners with exact binomial bounds; the exponent of exact "
    "rationals",
    hypotheses="k even, n odd, output |s|; the secret is the first k coordinates (others by symmetry)",
    not_established="more gradient steps, other feed-forward parts (see `statistical-query-separation` for all learners of one kind)",
)
def nocot_sample_complexity_exponential(
    size, trials, *, upper="16/Gam^2", lower="1.5/Gam^2", signed=True
) -> Iterator[Any]:
    r"""Without the chain, with output $|s|$, $k$ even and $n$ odd, let $M(l) = |E[\chi_L \mathrm{sgn}(\sum x)]|$, $|L| = l$, and
    $\Gamma = M(k-1) + M(k+1)$. The one-step gradient satisfies $\sigma_k (g_j - g_l) = \Gamma/n$ for all $j \in S$, $l \notin S$, $\sigma_k = (-1)^{(k-2)/2}$.
    Selecting the $k$ largest entries of $\sigma_k g$ from $N$ samples finds $S$ with probability below $1/2$ at $N = 1.5/\Gamma^2$ and above $1/2$ at
    $N = 16/\Gamma^2$; at $k = 2 \lfloor n/4 \rfloor$, $\log_2 \Gamma^{-2}$ grows linearly in $n$ with slope in $[1, 1.07]$.
    """
    n, k = size
    sign = (-1) ** ((k - 2) // 2) if signed else 1
    yield "few samples", prob_le(success(n, k, lower, sign), Q(1, 2), fixed=trials, within=Q(8, 10))
    yield "many samples", prob_ge(success(n, k, upper, sign), Q(1, 2), fixed=trials, within=Q(8, 10))


def success(n: int, k: int, rule: str, sign: int) -> Callable[[Any], bool]:
    """The event that the learner finds the secret from the number of samples that a rule prescribes."""
    N = {
        "1.5/Gam^2": Q(3, 2) / gamma(n, k) ** 2,
        "16/Gam^2": 16 / gamma(n, k) ** 2,
        "16/Gam": 16 / gamma(n, k),
        "1.5/(difference)^2": Q(3, 2) / (gamma(n, k, difference=True) ** 2),
    }[rule]
    count = int(N.p) // int(N.q) + 1
    return lambda rng: parity_found(n, k, count, sign, rng)


@nocot_sample_complexity_exponential.check(
    "gap",
    domain={"size": ByBudget(quick=Choices((9, 2), (9, 4), (7, 4)), full=Choices((9, 2), (9, 4), (7, 4), (11, 6)))},
    every=True,
)
def _gap(size, *, difference=False):
    n, k = size
    x = points(n)
    g = gradient(x, parity(x, range(k)), "ReLU")
    sign = (-1) ** ((k - 2) // 2)
    gaps = [sign * (g[j] - g[l]) for j in range(k) for l in range(k, n)]
    yield "gap", eq(gaps, [gamma(n, k, difference=difference) / n] * len(gaps))


SIZES_OF_RATE = tuple(range(25, 82, 8))
ABOUT_ONE = Q(1035, 1000)


@nocot_sample_complexity_exponential.check(
    "growth", domain={"sizes": ByBudget(quick=Choices(SIZES_OF_RATE[:5]), full=Choices(SIZES_OF_RATE))}, every=True
)
def _growth(sizes, *, bits_per_coordinate=ABOUT_ONE, power=None):
    inverse = [1 / gamma(n, 2 * (n // 4)) ** 2 for n in sizes]
    if power is None:
        yield (
            "exponent",
            slope(
                list(sizes),
                lambda: [arb(v).log() / arb(2).log() for v in inverse],
                bits_per_coordinate,
                within=Q(35, 1000),
                axes="linear",
            ),
        )
    else:
        yield "exponent", slope(list(sizes), inverse, power, within=Q(2), spread=2, drift=None)


nocot_sample_complexity_exponential.mutant("the difference of the two levels", difference=True, breaks="gap")
nocot_sample_complexity_exponential.mutant("the sign sigma_k dropped", signed=False, breaks="many samples")
nocot_sample_complexity_exponential.mutant("16/Gam samples", upper="16/Gam", breaks="many samples")
nocot_sample_complexity_exponential.mutant("n^21 samples", power=Q(21), breaks="exponent")
nocot_sample_complexity_exponential.mutant("2^{n/2} samples", bits_per_coordinate=Q(1, 2), breaks="exponent")
nocot_sample_complexity_exponential.mutant("2^{1.1 n} samples", bits_per_coordinate=Q(11, 10), breaks="exponent")
