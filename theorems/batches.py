"""Batches of a family: whole columns of instances at once, the same on every machine.

Instance k of a family with `vectorize=True` is row k mod 4096 of batch k // 4096; a batch depends on the root seed, the
family and its own number alone. Rows are raw Philox words turned into exact numbers by integer arithmetic, corners first
as in any family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import fmpq

from theorems.domains import Choices, DomainError, Dyadics, Integers, Rationals, Reals
from theorems.kernel.columns import WORD, Column, Whole, whole
from theorems.kernel.outcome import KernelError
from theorems.seeds import key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from theorems.family import Family

    Ints = NDArray[np.int64]

BATCH = 4096
CORNER_EVERY = 4


@dataclass(frozen=True)
class Batch:
    """Consecutive instances of a family.

    Attributes:
        start: index of the first.
        values: parameter -> column, or the value itself where the domain has only one.
        rows: of the instances that satisfy the hypotheses, the place in the batch.
        rejected: candidates that the hypotheses rejected, row by row.
    """

    start: int
    values: dict[str, Any]
    rows: Ints
    rejected: Ints


def check_domain(where: str, name: str, domain: Any) -> None:
    """Refuse a domain that has no columns.

    Raises:
        DomainError: with what would be accepted.
    """
    if isinstance(domain, (Integers, Rationals, Dyadics)) or (isinstance(domain, Reals) and not domain.log):
        ends = _range(domain) if isinstance(domain, Dyadics) else domain
        if any(max(abs(int(fmpq(e).p)), int(fmpq(e).q)) >= WORD >> 2 for e in (ends.low, ends.high)):
            raise DomainError(f"{where}: {name} ({domain}): vectorize=True takes numbers below 2^60")
        return
    if isinstance(domain, Choices) and (len(domain.options) == 1 or all(_number(o) for o in domain.options)):
        return
    raise DomainError(
        f"{where}: {name} ({domain}) has no columns; with vectorize=True a parameter is drawn from Integers, Rationals, "
        "Dyadics, Reals without log, Choices of numbers, or is constant"
    )


def _number(value: Any) -> bool:
    return isinstance(value, (int, fmpq)) and not isinstance(value, bool)


def sampled(family: Family, seed: int, number: int) -> Batch:
    """Batch `number` of a sampled family, all 4096 rows.

    Raises:
        Unsatisfiable: when some row met no candidate that satisfies the hypotheses.
    """
    import numpy as np

    from theorems.family import Unsatisfiable

    attempts = max(20, round(20 / family.accept)) if family.where is not None else 1
    open_ = np.arange(BATCH)
    found: dict[str, tuple[Ints, Ints]] = {}
    rejected = np.zeros(BATCH, dtype=np.int64)
    for attempt in range(attempts):
        drawn = {n: _drawn(family, n, d, seed, number, attempt) for n, d in family._domains.items()}
        if attempt == 0:
            found = {n: (p.copy(), q.copy()) for n, (p, q) in drawn.items()}
        else:
            for n, (p, q) in drawn.items():
                found[n][0][open_], found[n][1][open_] = p[open_], q[open_]
        passed = _passed(family, {n: (p[open_], q[open_]) for n, (p, q) in drawn.items()}, len(open_))
        open_ = open_[~passed]
        if not len(open_):
            break
        rejected[open_] += 1
    else:
        raise Unsatisfiable(
            f"family {family.id}: none of {attempts} candidates for instance {number * BATCH + int(open_[0])} satisfied the "
            f"hypotheses (declared acceptance {family.accept:g}); correct the hypotheses, narrow the domain, or declare a smaller accept="
        )
    return Batch(number * BATCH, _columns(family, found), np.arange(BATCH), rejected)


def walked(family: Family, start: int, stop: int) -> Batch:
    """The points `start` to `stop` of a family's grid."""
    import numpy as np

    index = np.arange(start, stop, dtype=np.int64)
    found: dict[str, tuple[Ints, Ints]] = {}
    for name, domain in reversed(family._domains.items()):
        index, place = np.divmod(index, np.int64(domain.size()))
        found[name] = _placed(domain, place)
    found = {name: found[name] for name in family.params}
    passed = _passed(family, found, stop - start)
    return Batch(start, _columns(family, found), np.flatnonzero(passed), np.zeros(stop - start, dtype=np.int64))


def _passed(family: Family, found: dict[str, tuple[Ints, Ints]], rows: int) -> Any:
    """Which rows satisfy the hypotheses."""
    import numpy as np

    if family.where is None:
        return np.ones(rows, dtype=bool)
    values = _columns(family, found)
    try:
        verdict = family.satisfied_columns(values)
    except KernelError:  # written for numbers (`and`, `if`): row by row then
        names = list(values)
        numbers = [[scalar(family, n, values[n], r) for n in names] for r in range(rows)]
        verdict = np.array([family.satisfied(dict(zip(names, row))) is True for row in numbers], dtype=bool)
    return np.broadcast_to(np.asarray(verdict, dtype=bool), (rows,))


def _columns(family: Family, found: dict[str, tuple[Ints, Ints]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, (p, q) in found.items():
        domain = family._domains[name]
        if isinstance(domain, Choices) and len(domain.options) == 1:
            values[name] = domain.options[0]
        else:
            values[name] = Column(whole(p), None if (q == 1).all() else whole(q))
    return values


def scalar(family: Family, name: str, value: Any, row: int) -> Any:
    """The number that an unbatched check would receive in a row."""
    if not isinstance(value, Column):
        return value
    x = value.at(row)
    domain = family._domains[name]
    if isinstance(domain, Integers):
        return int(x.p)
    if isinstance(domain, Choices):
        return next(o for o in domain.options if o == x)
    return x


def _words(*labels: Any) -> Iterator[NDArray[np.uint64]]:
    """Independent arrays of raw words."""
    from numpy.random import Philox

    root, *rest = labels
    source = Philox(key=key(root, *rest))
    while True:
        yield source.random_raw(BATCH)


def _below(words: NDArray[np.uint64], n: Any) -> Ints:
    """Integers in [0, n), n < 2^62: uniform up to n / 2^64."""
    import numpy as np

    return (words % np.asarray(n, dtype=np.uint64)).astype(np.int64)


def _drawn(family: Family, name: str, domain: Any, seed: int, number: int, attempt: int) -> tuple[Ints, Ints]:
    """Candidates of one parameter as numerators and denominators."""
    import numpy as np

    words = _words(seed, "batch", family.id, number, attempt, name)
    p, q = _sampler(domain)(words)
    corners = list(domain.corners())
    if not corners or not all(_number(c) for c in corners):
        return p, q
    k = np.arange(BATCH) + (number * BATCH if number < 1 << 40 else 0)
    diagonal = family._diagonal
    mixed = (k >= diagonal) & ((k - diagonal) % CORNER_EVERY == CORNER_EVERY - 1)
    choice = next(words)
    use = mixed & (choice & np.uint64(1) == 0)
    place = _below(choice >> np.uint64(1), len(corners))
    if attempt == 0 and number == 0:
        use = use | (k < diagonal)
        place = np.where(k < diagonal, k % len(corners), place)
    exact = [fmpq(c) for c in corners]
    tops, bottoms = (np.array([int(getattr(c, part)) for c in exact], dtype=np.int64) for part in "pq")
    return np.where(use, tops[place], p), np.where(use, bottoms[place], q)


def _range(domain: Dyadics) -> Integers:
    return domain._range()


def _sampler(domain: Any) -> Callable[[Iterator[NDArray[np.uint64]]], tuple[Ints, Ints]]:
    import numpy as np

    def ones() -> Ints:
        return np.ones(BATCH, dtype=np.int64)

    def integers(words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
        return domain.low + _below(next(words), domain.size()), ones()

    def dyadics(words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
        return _dyadic(_range(domain).low + _below(next(words), domain.size()), domain)

    def choices(words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
        return _placed(domain, _below(next(words), len(domain.options)))

    def rationals(words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
        return _rationals(domain, words)

    def reals(words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
        n = 10**domain.digits
        step = (domain.high - domain.low) / n
        m = Column(Whole(_below(next(words), n + 1), n))
        return _reduced(m * step + domain.low)

    kinds = {Integers: integers, Dyadics: dyadics, Rationals: rationals, Reals: reals}
    return kinds.get(type(domain), choices)


def _reduced(x: Column) -> tuple[Ints, Ints]:
    import numpy as np

    q = x.q.entries if x.q is not None else np.ones(len(x), dtype=np.int64)
    divisor = np.gcd(x.p.entries, q)
    p, q = x.p.entries // divisor, q // divisor
    if max(int(abs(p).max()), int(q.max())) >= WORD:
        raise DomainError("vectorize=True takes numbers below 2^62")
    return p.astype(np.int64), q.astype(np.int64)


def _dyadic(n: Ints, domain: Dyadics) -> tuple[Ints, Ints]:
    return _reduced(Column(whole(n)) / (1 << domain.bits))


def _placed(domain: Any, place: Ints) -> tuple[Ints, Ints]:
    """The values of a finite domain at some places of its order."""
    import numpy as np

    if isinstance(domain, Integers):
        return domain.low + place, np.ones(len(place), dtype=np.int64)
    if isinstance(domain, Dyadics):
        return _dyadic(_range(domain).low + place, domain)
    options = list(domain.values())
    exact = [fmpq(o) if _number(o) else fmpq(0) for o in options]
    tops, bottoms = (np.array([int(getattr(o, part)) for o in exact], dtype=np.int64) for part in "pq")
    return tops[place], bottoms[place]


def _rationals(domain: Rationals, words: Iterator[NDArray[np.uint64]]) -> tuple[Ints, Ints]:
    """Numerators and denominators, small denominators often, as the domain itself samples."""
    import numpy as np

    coin, below, above = next(words), next(words), next(words)
    top = np.where(coin & np.uint64(1) == 0, min(12, domain.denominator), domain.denominator)
    d = 1 + _below(below, top)
    first, last, d = _numerators(domain, d)
    empty = first > last
    if empty.any():
        d = np.where(empty, domain.denominator, d)
        first, last, d = _numerators(domain, d)
        if (first > last).any():
            raise DomainError(
                f"{domain} is too narrow for the denominator {domain.denominator}; declare a larger denominator="
            )
    p = first + _below(above, last - first + 1)
    return _reduced(Column(whole(p), whole(d)))


def _numerators(domain: Rationals, d: Ints) -> tuple[Ints, Ints, Ints]:
    """First and last numerator over each denominator."""
    (a, b), (c, e) = ((int(x.p), int(x.q)) for x in (domain.low, domain.high))
    if max(abs(a), abs(c)) * domain.denominator >= WORD:
        raise DomainError(f"{domain}: vectorize=True takes numerators below 2^62; declare a smaller denominator=")
    first, last = -(-(a * d) // b), (c * d) // e
    if domain.open in ("left", "both"):
        first = first + (first * b == a * d)
    if domain.open in ("right", "both"):
        last = last - (last * e == c * d)
    return first, last, d
