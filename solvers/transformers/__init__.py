"""Transformers that are constructed rather than trained: described once, evaluated exactly, in balls or in doubles.

from solvers.transformers import Attention, Head, Transformer, compiled, form, run

x = form("x")
mean = Transformer(("x",), (Attention((Head((), (), {"mean": x}),), causal=False),))
run(compiled(mean), [[1], [2], [6]])  # every position: x, 3
"""

from solvers.transformers.balls import Undecided, run_balls
from solvers.transformers.compiled import Program, compiled
from solvers.transformers.decoding import Decoded, LanguageModel, decode, predictions
from solvers.transformers.description import (
    Attention,
    FeedForward,
    Head,
    LayerNorm,
    Part,
    Transformer,
    linear,
    parameter_bits,
    parameters,
    relu,
    with_parameter,
)
from solvers.transformers.exact import ExactRun, network, run
from solvers.transformers.floats import Evaluated, run_floats
from solvers.transformers.forms import Exact, Form, bits, constant, exact, form, total

__all__ = [
    "Attention",
    "Decoded",
    "Evaluated",
    "Exact",
    "ExactRun",
    "FeedForward",
    "Form",
    "Head",
    "LanguageModel",
    "LayerNorm",
    "Part",
    "Program",
    "Transformer",
    "Undecided",
    "bits",
    "compiled",
    "constant",
    "decode",
    "exact",
    "form",
    "linear",
    "network",
    "parameter_bits",
    "parameters",
    "predictions",
    "relu",
    "run",
    "run_balls",
    "run_floats",
    "total",
    "with_parameter",
]
