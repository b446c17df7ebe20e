"""Polynomials in letters that do not commute: identities between matrices of every size at once.

A polynomial is a sum of words with coefficients from any commutative ring. Letters stand for matrices (a transpose is a
letter of its own); a rewriting rule replaces a factor of a word, so that an identity which holds modulo relations such as
R^T R = 1 is one whose two sides are rewritten to the same polynomial. An identity of polynomials in free letters holds
for all matrices of matching shapes, whatever the shapes are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Word: TypeAlias = tuple[str, ...]
MOST_REWRITINGS = 100_000


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of words.

    Attributes:
        terms: word (a tuple of letters, () for 1) -> coefficient that is not 0.
    """

    terms: Mapping[Word, Any]

    def __add__(self, other: Any) -> Polynomial:
        total = dict(self.terms)
        for word, c in polynomial(other).terms.items():
            total[word] = total[word] + c if word in total else c
        return Polynomial({w: c for w, c in total.items() if c != 0})

    def __mul__(self, other: Any) -> Polynomial:
        """The product; what is no polynomial is a scalar."""
        total: dict[Word, Any] = {}
        for u, a in self.terms.items():
            for v, b in polynomial(other).terms.items():
                total[u + v] = total[u + v] + a * b if u + v in total else a * b
        return Polynomial({w: c for w, c in total.items() if c != 0})

    def __rmul__(self, scalar: Any) -> Polynomial:
        return polynomial(scalar).__mul__(self)

    def __radd__(self, scalar: Any) -> Polynomial:
        return self.__add__(scalar)

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Any) -> Polynomial:
        return self + -polynomial(other)

    def __rsub__(self, scalar: Any) -> Polynomial:
        return polynomial(scalar) - self

    def coefficients(self) -> list[Any]:
        """The coefficients in the order of length and letters of their words; [0] for the polynomial 0."""
        return [self.terms[w] for w in sorted(self.terms, key=lambda w: (len(w), w))] or [0]


def polynomial(value: Any) -> Polynomial:
    """A polynomial as it is, anything else as a multiple of 1."""
    if isinstance(value, Polynomial):
        return value
    return Polynomial({} if value == 0 else {(): value})


def letters(names: str) -> tuple[Polynomial, ...]:
    """One letter for each name (separated by spaces)."""
    return tuple(Polynomial({(name,): 1}) for name in names.split())


def transposed(p: Polynomial, partner: Mapping[str, str]) -> Polynomial:
    """The transpose: words reversed, letters exchanged with their partners.

    Args:
        p: a polynomial.
        partner: letter -> its transpose, for one letter of each pair; letters not named are symmetric.
    """
    both = {**partner, **{b: a for a, b in partner.items()}}
    return Polynomial({tuple(both.get(x, x) for x in reversed(w)): c for w, c in p.terms.items()})


def derivative(p: Polynomial, of: Mapping[str, Polynomial]) -> Polynomial:
    """The derivation (product rule) with these derivatives of letters; letters not named are constant."""
    total = Polynomial({})
    for w, c in p.terms.items():
        for i, x in enumerate(w):
            if x in of:
                total = total + Polynomial({w[:i]: c}) * of[x] * Polynomial({w[i + 1 :]: 1})
    return total


def rewritten(p: Polynomial, rules: Mapping[Word, Any]) -> Polynomial:
    """Rewrite factors of words by rules until none applies (the leftmost occurrence of the first rule that fits).

    Args:
        p: a polynomial.
        rules: word -> polynomial or scalar that is equal to it.

    Raises:
        ValueError: if the rules do not come to an end within `MOST_REWRITINGS` steps.
    """
    done = Polynomial({})
    waiting = list(p.terms.items())
    for _ in range(MOST_REWRITINGS):
        if not waiting:
            return done
        w, c = waiting.pop()
        found = _occurrence(w, rules)
        if found is None:
            done = done + Polynomial({w: c})
            continue
        at, factor = found
        replaced = Polynomial({w[:at]: c}) * rules[factor] * Polynomial({w[at + len(factor) :]: 1})
        waiting.extend(replaced.terms.items())
    raise ValueError(f"rewritten: the rules for {', '.join(' '.join(r) for r in rules)} go on for ever")


def _occurrence(w: Word, rules: Mapping[Word, Any]) -> tuple[int, Word] | None:
    for factor in rules:
        for at in range(len(w) - len(factor) + 1):
            if w[at : at + len(factor)] == factor:
                return at, factor
    return None
