r"""Memorising N labelled sequences takes about sqrt(N) parameters, and about sqrt(nN) when every position has a label.

Tokens are integers (finitely many separated real tokens can be mapped to integers first). A feed-forward network names the tokens, one
averaging head sums the names, and a second network of constant width looks the label up.
"""

from theorems.papers.transformer_memorization.counting import bit_budget, counting_lower_bound
from theorems.papers.transformer_memorization.next_token import next_token_memorization, next_token_rate
from theorems.papers.transformer_memorization.paper import PAPER
from theorems.papers.transformer_memorization.seq2seq import seq2seq_memorization
from theorems.papers.transformer_memorization.tokens import bondy_distinguishing_tokens, sequence_id_averaging

__all__ = [
    "PAPER",
    "bit_budget",
    "bondy_distinguishing_tokens",
    "counting_lower_bound",
    "next_token_memorization",
    "next_token_rate",
    "seq2seq_memorization",
    "sequence_id_averaging",
]
