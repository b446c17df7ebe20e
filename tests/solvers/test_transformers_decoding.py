"""Greedy decoding: a counter that writes its own chain of thought, with limits and ties."""

import pytest
from flint import fmpq

from solvers.transformers import Attention, Head, LanguageModel, Transformer, decode, form, predictions, relu

TOKENS = ("a", "b", ".")


def embed(token, i):
    return [*(int(token == t) for t in TOKENS), i, fmpq(1, i + 1)]


def copier(stop=(".",), *, ambiguous=False):
    """After k letters a it writes k letters b and a point: the means of the letters are compared."""
    mean = Head((), (), {"A": form("a"), "B": form("b")})
    more = form("A") - form("B")
    logits = relu({"to b": more * 1000, "to .": form("inverse") - more, "to a": form("a") * (1000 if ambiguous else 0)})
    names = {"b": "to b", ".": "to ."} | ({"a": "to a"} if ambiguous else {})
    return LanguageModel(Transformer((*TOKENS, "i", "inverse"), (Attention((mean,)), logits)), embed, names, stop)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_a_copying_decoder_writes_as_many_letters_as_it_read(k):
    done = decode(copier(), "a" * k, 50)
    assert (done.tokens, done.ended) == (("b",) * k + (".",), "stop")
    assert len(done.logits) == k + 1
    assert predictions(copier(), "a" * k, done.tokens)[0] == done.tokens


def test_decoding_ends_at_its_limit():
    done = decode(copier(), "aaaa", 2)
    assert (done.tokens, done.ended) == (("b", "b"), "limit")


def test_two_largest_logits_are_a_tie_and_end_the_chain():
    done = decode(copier(ambiguous=True), "aa", 9)
    assert (done.tokens, done.ended) == ((), "tie")


def test_an_empty_prompt_is_refused():
    with pytest.raises(ValueError, match="at least one token"):
        decode(copier(), "", 3)
