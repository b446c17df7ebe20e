"""Greedy decoding with a step limit: a transformer writes its own chain of thought, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solvers.transformers.compiled import Program, compiled
from solvers.transformers.description import Transformer
from solvers.transformers.exact import ExactRun, to_float
from solvers.transformers.floats import run_floats
from solvers.transformers.forms import Exact

LOGIT_TIE = 1e-6  # logits nearer than this are tied in doubles


@dataclass(frozen=True)
class LanguageModel:
    """A transformer between tokens and logits.

    Attributes:
        transformer: its inputs are those that `embed` supplies.
        embed: (token, position from 0) -> input vector; token embedding and positional encoding.
        logits: token -> the coordinate that holds its logit.
        stop: generation ends after one of these tokens.
    """

    transformer: Transformer
    embed: Callable[[str, int], Sequence[Exact]]
    logits: Mapping[str, str]
    stop: Collection[str]

    @cached_property
    def program(self) -> Program:
        """The compiled transformer."""
        return compiled(self.transformer)

    @cached_property
    def _places(self) -> list[tuple[str, int]]:
        return [(token, self.program.place(name)) for token, name in self.logits.items()]


@dataclass(frozen=True)
class Decoded:
    """What greedy decoding emitted.

    Attributes:
        tokens: the generated tokens, the stopping one included.
        ended: "stop"; "limit" when the step limit was met; "tie" when two logits were largest (the chain ends there).
        logits: for each generated position, the sorted nonzero logits.
    """

    tokens: tuple[str, ...]
    ended: str
    logits: tuple[tuple[Exact, ...], ...]


def decode(model: LanguageModel, prompt: Sequence[str], limit: int) -> Decoded:
    """Greedy decoding in exact arithmetic, with remembered keys and values.

    Args:
        model: a causal hardmax model.
        prompt: at least one token.
        limit: most tokens to generate.
    """
    if not prompt:
        raise ValueError("decoding starts after at least one token")
    run = ExactRun(model.program)
    for i, token in enumerate(prompt):
        x = run.push(model.embed(token, i))
    tokens: list[str] = []
    seen: list[tuple[Exact, ...]] = []
    while len(tokens) < limit:
        values = [(x[k], token) for token, k in model._places]
        best = max(v for v, _ in values)
        winners = [token for v, token in values if v == best]
        seen.append(tuple(sorted(v for v, _ in values if v != 0)))
        if len(winners) > 1:
            return Decoded(tuple(tokens), "tie", tuple(seen))
        tokens.append(winners[0])
        if winners[0] in model.stop:
            return Decoded(tuple(tokens), "stop", tuple(seen))
        x = run.push(model.embed(winners[0], len(prompt) + len(tokens) - 1))
    return Decoded(tuple(tokens), "limit", tuple(seen))


def predictions(
    model: LanguageModel, prompt: Sequence[str], expected: Sequence[str], *, places: int | None = None
) -> tuple[tuple[str, ...], float]:
    """The tokens that greedy decoding in doubles prefers along an expected continuation, and the smallest hardmax gap.

    All positions are evaluated at once: decoding emits `expected` exactly when these tokens are equal to it.

    Args:
        model: a causal hardmax model.
        prompt, expected: tokens.
        places: fixed-point arithmetic with so many binary places (see `floats`); None: doubles.

    Returns:
        One token for each of `expected` ("tie" where several logits are largest), and the gap.
    """
    tokens = [*prompt, *expected[:-1]]
    inputs = np.array([[to_float(v) for v in model.embed(t, i)] for i, t in enumerate(tokens)])
    result = run_floats(model.program, inputs, places=places)
    names = [token for token, _ in model._places]
    logits = result.streams[len(prompt) - 1 :, [k for _, k in model._places]]
    tie = LOGIT_TIE if places is None else 0
    top = logits >= logits.max(axis=1, keepdims=True) - tie
    return tuple("tie" if row.sum() > 1 else names[int(row.argmax())] for row in top), result.gap
