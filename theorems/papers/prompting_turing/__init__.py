r"""One Transformer computes every computable function: the program is in the prompt, the computation in the chain of thought.

A two-tape Post-Turing machine has two-way infinite binary tapes A and B and a program of moves, writes, conditional relative
jumps and halts. The decoder is fixed; its chain of thought is the sequence of executed operations, a jump written in unary.
"""

from theorems.papers.prompting_turing.equivalence import prompted_transformer_equals_2ptm
from theorems.papers.prompting_turing.multitape import multitape_tlogt
from theorems.papers.prompting_turing.paper import PAPER
from theorems.papers.prompting_turing.precision import precision_logarithmic
from theorems.papers.prompting_turing.simulation import cot_length_linear, tm_to_2ptm

__all__ = [
    "PAPER",
    "cot_length_linear",
    "multitape_tlogt",
    "precision_logarithmic",
    "prompted_transformer_equals_2ptm",
    "tm_to_2ptm",
]
