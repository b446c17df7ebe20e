"""The fixed decoder: six attention layers, 23 tokens, constant rational weights, whatever the program and the input.

Scores are -|<q, k>|; hardmax averages over all maximisers. Names of coordinates are those of the statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq

from solvers.machines import JUMPS, OPERATIONS
from solvers.transformers import (
    Attention,
    Exact,
    FeedForward,
    Form,
    Head,
    LanguageModel,
    Part,
    Transformer,
    constant,
    form,
    linear,
    relu,
    total,
)
from theorems.papers.prompting_turing.language import TOKENS

POSITION, INVERSE = "i", "1/(i+1)"
GATED = (*OPERATIONS, "/", "+", "-", "@", "=")
COUNTS = ("mA", "mB", "st", "inst", "out")
RECOVERED = {"mA": "cA", "mB": "cB", "st": "pc", "inst": "ix", "out": "no"}
NEVER_NEGATIVE = ("inst", "out")


@dataclass(frozen=True)
class Design:
    """What may be changed in the construction; the defaults are the construction.

    Attributes:
        recency: reads and the latest `=` break ties by 1/(j+1).
        gated: only tokens after `$` count as executed.
        swapped: `!` and `?` are exchanged.
    """

    recency: bool = True
    gated: bool = True
    swapped: bool = False


TRUE_DESIGN = Design()


def token(t: str) -> Form:
    """The indicator of the current token."""
    return form(f"[{t}]")


def embed(t: str, i: int) -> list[Exact]:
    """Indicators of the token, i and 1/(i+1)."""
    return [*(int(t == s) for s in TOKENS), i, fmpq(1, i + 1) if i else 1]


def head(zero: tuple[tuple[Form | int, Form | int], ...], value: dict[str, Form]) -> Head:
    """A head that attends where sum of (query form) * (key form) is nearest to 0."""
    query, key = zip(*zero)
    return Head(tuple(map(_form, query)), tuple(map(_form, key)), value, score="distance")


def _form(f: Form | int) -> Form:
    return f if isinstance(f, Form) else constant(f)


def names(values: Iterable[str]) -> dict[str, Form]:
    """Every coordinate by its own name."""
    return {n: form(n) for n in values}


@lru_cache(maxsize=16)
def transformer(design: Design = TRUE_DESIGN) -> Transformer:
    """The decoder's layers; each comment is a step of the statement."""
    i, inverse = form(POSITION), form(INVERSE)
    recency = inverse if design.recency else constant(0)
    after = form("aft") if design.gated else constant(1)
    g = {t: form(f"g({t})") for t in GATED}
    instructions = [token(t) for t in (*OPERATIONS, *JUMPS, "#")]
    # 1: has a delimiter occurred? What does the position do, if it is executed?
    delimiter = head(((1, 1 - token("$")),), {"aft": token("$")})
    gates = relu(
        {f"g({t})": token(t) + after - 1 for t in GATED} | {"inst": total(instructions) - after},
    )
    effects = linear(
        {
            **{f"m{T}": g[f"{T}R"] - g[f"{T}L"] for T in "AB"},
            **{f"w{T}": g[f"{T}0"] + g[f"{T}1"] for T in "AB"},
            "st": total(g[t] for t in OPERATIONS) + g["/"] + g["+"] - g["-"],
            "out": token("0") + token("1"),
        }
    )
    # 2: averages of the effects over all positions so far
    uniform = head(((0, 0),), {f"mean {n}": form(n) for n in COUNTS})
    # 3: an average v = count/(i+1) is nearest to j/(i+1) at j = count
    parts = relu({f"mean {n} {s}": s * form(f"mean {n}") for n in COUNTS for s in signs_of(n)})
    counters = [
        head(((form(f"mean {n} {s}"), 1), (inverse, -i)), {RECOVERED[n]: s * i}) for n in COUNTS for s in signs_of(n)
    ]
    keys = linear(
        {
            **{f"k{T}": form(f"c{T}") + (1 - form(f"w{T}")) / 2 for T in "AB"},
            "kI": form("ix") - 1 + (1 - form("inst")) / 2,
        }
    )
    # 4: the latest write to a cell; the instruction at the counter and its position p0
    cells = {
        "valA": ("A", form("cA")),
        "valB": ("B", form("cB")),
        "o0": ("A", form("cA") + 2 * form("no")),
        "o1": ("A", form("cA") + 2 * form("no") + 1),
    }
    reads = [
        head(((4 * c, 1), (1, recency - 4 * form(f"k{T}"))), {f"{r} bit": g[f"{T}1"], f"{r} key": form(f"k{T}")})
        for r, (T, c) in cells.items()
    ]
    fetched = {f"f({t})": token(t) for t in (*OPERATIONS, *JUMPS, "#")} | {"p0": i}
    fetch = head(((form("pc"), 1), (1, -form("kI"))), fetched)
    bits = [only_if_found(r, c) for r, (_, c) in cells.items()]
    # 5: the latest `=`, and the jump it began
    latest = head(((1, 2 * (1 - token("=")) + recency),), {"i_eq": i, "p_eq": form("p0")})
    # 6: the sign of that jump that comes next
    goal = form("p_eq") + 1 + i - form("i_eq")
    target = head(((goal, 1), (1, -i)), {f"target {s}": token(s) for s in "+-@"})
    parts_in_order: list[Part] = [
        Attention((delimiter,)), gates, effects,
        Attention((uniform,)), parts,
        Attention(tuple(counters)), keys,
        Attention((*reads, fetch)), *bits,
        Attention((latest,)),
        Attention((target,)), *outputs(g, swapped=design.swapped),
    ]  # fmt: skip
    return Transformer((*(f"[{t}]" for t in TOKENS), POSITION, INVERSE), tuple(parts_in_order))


def signs_of(count: str) -> tuple[int, ...]:
    """The signs that a count can have."""
    return (1,) if count in NEVER_NEGATIVE else (1, -1)


def only_if_found(r: str, cell: Form) -> FeedForward:
    """relu(bit - min(1, 2 |cell - key|)): the bit that was found, or 0 where the cell was never written."""
    miss = cell - form(f"{r} key")
    return FeedForward(
        (
            {"over": miss, "under": -miss, "bit": form(f"{r} bit")},
            {"near": 1 - 2 * form("over") - 2 * form("under"), "bit": form("bit")},
            {"value": form("bit") - 1 + form("near")},
        ),
        {r: form("value")},
    )


def outputs(g: dict[str, Form], *, swapped: bool) -> tuple[FeedForward, ...]:
    """Whether the jump is satisfied, and the logits."""
    f = {t: form(f"f({t})") for t in (*OPERATIONS, *JUMPS, "#")}
    if swapped:
        f |= {"A!": f["A?"], "A?": f["A!"], "B!": f["B?"], "B?": f["B!"]}
    met: dict[str, Form] = {}
    for T in "AB":
        met |= {f"met {T}?": f[f"{T}?"] + form(f"val{T}") - 1, f"met {T}!": f[f"{T}!"] - form(f"val{T}")}
    sat, con = total(map(form, met)), total(f[t] for t in JUMPS)
    rec = total(g[t] for t in (*OPERATIONS, "/", "@")) + token("$")
    go, om = g["="] + g["+"] + g["-"], token(":") + token("0") + token("1")
    o0, o1 = form("o0"), form("o1")
    logits = {
        **{t: f[t] + rec - 1 for t in OPERATIONS},
        "=": sat + rec - 1,
        "/": con - sat + rec - 1,
        ":": f["#"] + rec - 1,
        **{s: form(f"target {s}") + go - 1 for s in "+-@"},
        "0": om + o0 - o1 - 1,
        "1": om + o0 + o1 - 2,
        "$": om - o0,
    }
    return relu(met), relu({f"logit {t}": form_ for t, form_ in logits.items()})


def emitted() -> tuple[str, ...]:
    """The tokens that can be generated."""
    return (*OPERATIONS, "=", "/", ":", "+", "-", "@", "0", "1", "$")


@lru_cache(maxsize=16)
def model(design: Design = TRUE_DESIGN) -> LanguageModel:
    """The decoder as a language model."""
    return model_of(transformer(design))


def model_of(layers: Transformer) -> LanguageModel:
    """A language model around (possibly altered) layers."""
    return LanguageModel(layers, embed, {t: f"logit {t}" for t in emitted()}, ("$",))
