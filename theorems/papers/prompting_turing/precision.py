"""How many binary places the decoder needs: about twice the logarithm of the number of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from solvers.transformers import predictions
from theorems import ByBudget, Choices, Q, eq, lt, shared, slope, word
from theorems.papers.prompting_turing.decoder import model
from theorems.papers.prompting_turing.language import input_block, parsed, prompt, trace
from theorems.papers.prompting_turing.paper import PAPER
from theorems.papers.prompting_turing.programs import PARITY, interpreted

MOST_PLACES = 30
CENTRE = Q(19, 10)  # of the fitted exponents
AFTER = 3  # successes in a row that make the least working precision


def parity_input(n: int) -> tuple[int, ...]:
    """Ones and zeros: 1, 0, 0, 1, 0, 0, ..."""
    return tuple(int(i % 3 == 0) for i in range(n))


def run_of(n: int) -> tuple[list[str], list[str]]:
    """Prompt with input, and trace, of the parity program."""
    x = parity_input(n)
    return prompt(parsed(PARITY)) + input_block(x), trace(interpreted(PARITY, x))


def length(n: int) -> int:
    """All tokens of the run, T."""
    start, required = run_of(n)
    return len(start) + len(required)


@shared
def emitted(n: int, places: int) -> tuple[str, ...]:
    """The tokens that decoding with so many binary places prefers along the trace."""
    start, required = run_of(n)
    return predictions(model(), start, required, places=places)[0]


@shared
def least_places(n: int) -> int:
    """The least p such that p, p + 1 and p + 2 binary places decode the whole trace."""
    required = tuple(run_of(n)[1])
    good = 0
    for p in range(4, MOST_PLACES):
        good = good + 1 if emitted(n, p) == required else 0
        if good == AFTER:
            return p - AFTER + 1
    raise ArithmeticError(f"no {AFTER} successes in a row up to {MOST_PLACES} places")


def sufficient(T: int) -> int:
    """ceil(2 log2 T) + 3."""
    return (T * T - 1).bit_length() + 3


@PAPER.rate(
    source="complexity theorem: O(log(n + t(n))) bits of precision",
    fidelity="derived",
    evidence="certified",
    domain={"sizes": ByBudget(quick=Choices((0, 1, 2, 4)), full=Choices((0, 1, 2, 4, 8, 16, 24)))},
    every=True,
    method="fixed-point arithmetic, every stored coordinate, average and score rounded; doubles hold it exactly below 50 bits, which "
    "is enforced. The exponent is the least-squares slope of p* on log2 T",
    hypotheses="the parity program on inputs 1 0 0 1 0 0 ... of the lengths `sizes`; p* is the least p such that p, p + 1, p + 2 "
    "binary places decode the whole trace",
    not_established="other programs; more than a thousand tokens; that the sufficient precision is needed (p* is about 4 below it)",
)
def precision_logarithmic(sizes, *, exponent=CENTRE, places="ceil(2 log2 T) + 3", least="log2 T") -> Iterator[Any]:
    r"""Round every stored activation, average and score of the decoder to multiples of $2^{-p}$. Decoding is correct for
    $p \ge \lceil 2 \log_2 T \rceil + 3$, $T$ the total number of tokens; the least working precision satisfies $\log_2 T < p^*$ and
    $p^* = s \log_2 T + O(1)$ with a fitted $s \in [1.4, 2.4]$.
    """
    for n in sizes:
        T = length(n)
        p = {"floor(log2 T)": T.bit_length() - 1, "11": 11}.get(places, sufficient(T))
        yield "enough places", eq(word(emitted(n, p)), word(run_of(n)[1]))
        factor = {"log2 T": 1, "2 log2 T": T}[least]
        yield "places needed", lt(factor * T, 2 ** least_places(n))
    lengths = [length(n) for n in sizes]
    powers = [2 ** least_places(n) for n in sizes]
    yield "exponent", slope(lengths, powers, exponent, within=Q(1, 2), spread=2, drift=None)


precision_logarithmic.mutant("floor(log2 T) places", places="floor(log2 T)", breaks="enough places")
precision_logarithmic.mutant("11 places at every length", places="11", breaks="enough places")
precision_logarithmic.mutant("2 log2 T places are needed", least="2 log2 T", breaks="places needed")
precision_logarithmic.mutant("one log2 T", exponent=Q(1), breaks="exponent")
precision_logarithmic.mutant("half a log2 T", exponent=Q(1, 2), breaks="exponent")
precision_logarithmic.mutant("four log2 T", exponent=Q(4), breaks="exponent")
