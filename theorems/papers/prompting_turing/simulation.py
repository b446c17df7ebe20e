"""Two-tape Post-Turing programs are as good as two-tape Turing machines, and the chain of thought is linear in the time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from solvers.machines import Post, PostRun, TuringMachine, run_post, run_turing
from solvers.transformers import decode
from theorems import ByBudget, Choices, Integers, Q, curve, eq, le, shared, slope, word
from theorems.papers.prompting_turing.decoder import model
from theorems.papers.prompting_turing.equivalence import BY_HAND, RANDOM_RUNS, thought
from theorems.papers.prompting_turing.language import input_block, parsed, prompt, trace
from theorems.papers.prompting_turing.paper import PAPER
from theorems.papers.prompting_turing.programs import interpreted, maximal_jumps
from theorems.papers.prompting_turing.turing import (
    compiled,
    complement,
    dropping,
    halts_soon,
    palindromes,
    random_machine,
    zigzag,
)

OVERHEAD = 26
LINEAR = Q(1)
LONG = 3_000_000


def generated(run: PostRun) -> int:
    """The length of the trace: one token an operation or a jump not taken, |k| + 2 a jump taken, and the output."""
    return sum(abs(e) + 2 if isinstance(e, int) else 1 for e in run.events) + len(run.output) + 2


def largest_offset(program: Post) -> int:
    """The largest |k| of a jump, 0 where there is none."""
    return max((abs(i[1]) for i in program if isinstance(i, tuple)), default=0)


@PAPER.bound(
    source="complexity theorem: O(t(n)) chain-of-thought steps for functions computable in time t on two tapes",
    fidelity="derived",
    evidence="certified",
    family=(
        BY_HAND,
        RANDOM_RUNS,
        PAPER.family(
            "maximal-jumps",
            program=Choices(*(maximal_jumps(m, r) for m, r in ((9, 1), (3, 20), (12, 9)))),
            x=Choices(()),
            every=True,
        ),
    ),
    method="tokens emitted by the exact decoder, counted; for compiled machines the length of the interpreter's trace (equal to "
    "it by `prompted-transformer-equals-2ptm`)",
    not_established="compiled machines are not decoded here (their traces have up to 10^5 tokens)",
)
def cot_length_linear(program, x, *, per_step="kmax + 2") -> Iterator[Any]:
    r"""A run of $t$ executed instructions (the halt included) of a program whose largest jump offset is $k_{\max}$ (0 without jumps)
    makes the decoder generate at most $(k_{\max} + 2) t + |\mathrm{out}| + 2$ tokens: a constant of the program times $t$. For a two-tape
    Turing machine, compiled, $26 (k_{\max} + 2) t_{TM} + |\mathrm{out}| + 2$ tokens suffice, and their number grows like
    $t_{TM}^{1 \pm 0.1}$ on palindromes.
    """
    run = interpreted(program, x)
    tokens = len(thought(program, x).tokens)
    factor = largest_offset(parsed(program)) + 2 if per_step == "kmax + 2" else 1
    yield "program", le(tokens, factor * run.steps + len(run.output) + 2)


@shared
def palindrome_run(n: int) -> tuple[int, PostRun]:
    """Steps of the machine, and the run of the compiled program, on the alternating palindrome of odd or even length n."""
    x = tuple(min(i, n - 1 - i) % 2 for i in range(n))
    return run_turing(palindromes(), x, LONG).steps, run_post(compiled(palindromes()), x, LONG)


@cot_length_linear.check(
    "palindromes",
    domain={"sizes": ByBudget(quick=Choices((8, 16, 32, 64)), full=Choices((8, 16, 32, 64, 128, 256, 512)))},
    every=True,
)
def _palindromes(sizes, *, per_step="kmax + 2", exponent=LINEAR):
    runs = [palindrome_run(n) for n in sizes]
    factor = largest_offset(compiled(palindromes())) + 2 if per_step == "kmax + 2" else 1
    tokens = [generated(run) for _, run in runs]
    steps = [t for t, _ in runs]
    bounds = [OVERHEAD * factor * t + len(run.output) + 2 for t, run in runs]
    yield "machine", le(tokens, bounds)
    yield "exponent", slope(steps, tokens, exponent, within=Q(1, 10))
    axes = ("steps of the Turing machine", "tokens")
    yield curve("Length of the chain of thought on palindromes", steps, tokens, series="generated", axes=axes)


cot_length_linear.mutant("a jump costs one token", per_step="1", breaks="program")
cot_length_linear.mutant("a jump costs one token, on a compiled machine", per_step="1", breaks="machine")
cot_length_linear.mutant("tokens grow like the root of the time", exponent=Q(1, 2), breaks="exponent")
cot_length_linear.mutant("tokens grow like t^1.15", exponent=Q(23, 20), breaks="exponent")

RANDOM_MACHINES = PAPER.family(
    "random-machines",
    seed=Integers(0, 2**40),
    x=Choices(*(x for n in range(7) for x in itertools.product((0, 1), repeat=n))),
    where=halts_soon,
    quick=60,
    full=1000,
)
NAMED = {"palindromes": palindromes, "zigzag": zigzag, "complement": complement, "dropping": dropping}
NAMED_MACHINES = PAPER.family(
    "zigzag-and-palindromes",
    which=Choices("zigzag", "palindromes"),
    x=Choices((1,) * 4, (1,) * 10, (1,) * 20, (1,) * 40, (1, 0), (1, 0, 0, 1), ()),
    every=True,
)


@PAPER.construction(
    source="lemma: two-tape Post-Turing machines are Turing complete and nearly as efficient as two-tape Turing machines",
    fidelity="derived",
    evidence="certified",
    family=NAMED_MACHINES,
    part="named machines",
    method="two interpreters written from the definitions of the two machines; random machines of 1 to 4 states, and a zigzag "
    "whose overhead tends to 26",
    hypotheses="machines over {blank, 0, 1} that halt (random ones within 3 to 200 steps)",
    not_established="machines with more than five states; only machines of one and two states are decoded by the transformer",
)
def tm_to_2ptm(which, x, *, cells_per_move=2, overhead=OVERHEAD) -> Iterator[Any]:
    r"""Every two-tape Turing machine over $\{\text{blank}, 0, 1\}$ (a step reads both cells, writes both, moves each head by $-1$, 0 or 1;
    output from the head of A rightwards up to the first blank) is compiled to a two-tape Post-Turing program with the same output on
    every input that executes at most $26\, t_{TM}$ instructions.
    """
    yield from compared(NAMED[which](), x, cells_per_move, overhead)


def compared(machine: TuringMachine, x: tuple[int, ...], cells_per_move: int, overhead: int) -> Iterator[Any]:
    """The machine's output and time against those of its program."""
    direct = run_turing(machine, x, LONG)
    program = run_post(compiled(machine, cells_per_move=cells_per_move), x, overhead * direct.steps + 1000)
    yield "output", eq(word([program.ended, *program.output]), word(["halt", *direct.output]))
    yield "overhead", le(program.steps, overhead * direct.steps)


@tm_to_2ptm.check("random machines", family=RANDOM_MACHINES)
def _random_machines(seed, x, *, cells_per_move=2, overhead=OVERHEAD):
    yield from compared(random_machine(seed), x, cells_per_move, overhead)


@tm_to_2ptm.check(
    "decoded",
    domain={
        "which": ByBudget(quick=Choices("dropping"), full=Choices("dropping", "complement")),
        "x": ByBudget(quick=Choices((0, 1)), full=Choices((0, 1), (1,), (1, 1, 0, 1))),
    },
    every=True,
)
def _decoded(which, x, *, cells_per_move=2):
    """From the rules of a small machine to the transformer's output."""
    program = compiled(NAMED[which](), cells_per_move=cells_per_move)
    required = trace(run_post(program, x, LONG))
    decoded = decode(model(), prompt(program) + input_block(x), len(required) + 8)
    yield "decoded trace", eq(word(decoded.tokens), word(required))
    output = run_turing(NAMED[which](), x, LONG).output
    yield "decoded output", eq(word(decoded.tokens[-2 - len(output) :]), word([":", *map(str, output), "$"]))


tm_to_2ptm.mutant("a move of one cell", cells_per_move=1, breaks="output")
tm_to_2ptm.mutant("a move of one cell, decoded", cells_per_move=1, breaks="decoded output", on="decoded")
tm_to_2ptm.mutant("24 for 26", overhead=24, breaks="overhead", on="zigzag-and-palindromes")
tm_to_2ptm.mutant("13 for 26, on random machines", overhead=13, breaks="overhead", on="random-machines")
