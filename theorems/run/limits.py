"""What is refused from the declared parameters, before a check starts.

A check that asks C code for more than there is can end its process, and a number of thousands of digits can keep it busy for ever. So
every family is looked at first: numbers that are too long, arrays that are too large, integers that would be absurd as
sizes, grids that nobody can walk. A family that declares `cost=` is judged by that instead of by the size of its integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from theorems.domains import Arrays, Choices, DomainError, Dyadics, Given, Integers, Rationals, Reals
from theorems.family import QUICK, Family, Instance

LARGEST_BITS = 1 << 14  # of a numerator or denominator: about 4,900 digits
LARGEST_SIZE = 10**8  # of an integer parameter, which may be a size, where no cost is declared ...
NO_SIZE = 10**11  # ... and from here on nobody means a size (seeds, angles, moduli): the guards from outside remain
LARGEST_ARRAY = 10**6  # entries
LONGEST_WALK = 10**10  # points of a grid
LARGEST_COST = {QUICK: 10**9, "full": 10**11}  # elementary operations an instance


class Refused(Exception):
    """A check that is not started: the declared parameters ask for more than can be afforded."""


def check_family(family: Family, instances: int | None = None) -> None:
    """Refuse a family (at its budget) from what it declares.

    Args:
        family: the family.
        instances: the run's number of instances, if given.

    Raises:
        Refused: with the parameter, what it may ask for, and the limit.
    """
    reason = _refusal(family, instances)
    if reason:
        raise Refused(reason)


def refusal(family: Family, instances: int | None = None) -> str:
    """Why a family is refused; empty when it is not."""
    return _refusal(family, instances)


def check_instance(family: Family, values: Instance) -> None:
    """Refuse an instance by its declared cost, and by its values where their domains were not known beforehand.

    Raises:
        Refused: with the reason.
    """
    if family.cost is not None:
        cost = family.cost(**{n: values[n] for n in _needs(family)})
        limit = LARGEST_COST[family.budget]
        if cost > limit:
            at = ", ".join(f"{n} = {_short(values[n])}" for n in _needs(family))
            raise Refused(
                f"cost: about {_power(cost)} operations at {at}, more than {_power(limit)} at the budget {family.budget!r}"
            )
    for name, domain in family.params.items():
        if isinstance(domain, Given):
            reason = next(_of_value(family, name, values[name]), "")
            if reason:
                raise Refused(reason)


def check_costs(family: Family, values: Mapping[str, Any], rows: int) -> None:
    """Refuse a batch of instances by its declared cost, which may be a column.

    Raises:
        Refused: with the reason.
    """
    if family.cost is None:
        return
    from theorems.kernel.columns import column

    limit = LARGEST_COST[family.budget]
    cost = column(family.cost(**{n: values[n] for n in _needs(family)}), rows)
    if (cost > limit).any():
        raise Refused(f"cost: more than {_power(limit)} operations an instance at the budget {family.budget!r}")


@lru_cache(maxsize=4096)
def _parameters(function: Any) -> tuple[str, ...]:
    import inspect

    return tuple(inspect.signature(function).parameters)


def _needs(family: Family) -> tuple[str, ...]:
    return _parameters(family.cost)


def _refusal(family: Family, instances: int | None) -> str:
    for name, domain in family.params.items():
        reason = next(_of_domain(family, name, domain), "")
        if reason:
            return reason
    try:
        count = family.count(instances)
    except DomainError as error:
        return str(error)
    if family.grid and count > LONGEST_WALK:
        return f"size: the grid of {family.id} has {_power(count)} points, more than {_power(LONGEST_WALK)}; sample it instead"
    return ""


def _of_domain(family: Family, name: str, domain: Any, *, entry: bool = False) -> Iterator[str]:
    """Reasons to refuse a parameter's domain."""
    if isinstance(domain, Given):
        return
    if isinstance(domain, Integers):
        yield from _too_long(name, domain.low, domain.high)
        if not entry:
            yield from _too_large(family, name, domain.low, domain.high)
    elif isinstance(domain, Rationals):
        yield from _too_long(name, domain.low, domain.high, domain.denominator)
    elif isinstance(domain, Reals):
        yield from _too_long(name, domain.low, domain.high)
        if domain.digits * 3.33 > LARGEST_BITS:
            yield f"size: {name} may have {domain.digits} digits, more than {int(LARGEST_BITS / 3.33)}"
    elif isinstance(domain, Dyadics):
        yield from _too_long(name, domain.low, domain.high)
        if domain.bits > LARGEST_BITS:
            yield f"size: {name} may have {domain.bits} bits, more than {LARGEST_BITS}"
    elif isinstance(domain, Arrays):
        if domain._length() > LARGEST_ARRAY:
            shape = " x ".join(map(str, domain.shape))
            yield f"size: {name} has {shape} entries, more than {_power(LARGEST_ARRAY)}"
        yield from _of_domain(family, name, domain.entry, entry=True)
    elif isinstance(domain, Choices):
        for option in domain.options:
            yield from _of_value(family, name, option, entry=entry)
    elif not hasattr(domain, "sample"):
        yield from _of_value(family, name, domain)


def _of_value(family: Family, name: str, value: Any, *, entry: bool = False) -> Iterator[str]:
    """Reasons to refuse a value."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, fmpz)):
        yield from _too_long(name, value)
        if not entry:
            yield from _too_large(family, name, value)
    elif isinstance(value, (fmpq, Fraction)):
        yield from _too_long(name, value)
    elif isinstance(value, (fmpq_mat, fmpz_mat)):
        if value.nrows() * value.ncols() > LARGEST_ARRAY:
            yield f"size: {name} has {value.nrows()} x {value.ncols()} entries, more than {_power(LARGEST_ARRAY)}"
        for e in value.entries():
            yield from _too_long(name, e)
    elif isinstance(value, (tuple, list)):
        if len(value) > LARGEST_ARRAY:
            yield f"size: {name} has {len(value)} entries, more than {_power(LARGEST_ARRAY)}"
        for e in value:
            yield from _of_value(family, name, e, entry=True)


def _too_long(name: str, *numbers: Any) -> Iterator[str]:
    for x in numbers:
        bits = max(_bits(x.numerator), _bits(x.denominator)) if isinstance(x, Fraction) else _length(x)
        if bits > LARGEST_BITS:
            digits = int(bits * 0.30103)
            yield f"size: {name} may have about {digits} digits, more than {int(LARGEST_BITS * 0.30103)}"


def _length(x: Any) -> int:
    return max(_bits(int(x.p)), _bits(int(x.q))) if isinstance(x, fmpq) else _bits(int(x))


def _bits(n: int) -> int:
    return abs(n).bit_length()


def _too_large(family: Family, name: str, *numbers: Any) -> Iterator[str]:
    largest = max(abs(int(x)) for x in numbers)
    if family.cost is None and LARGEST_SIZE < largest < NO_SIZE:
        yield (
            f"size: {name} may be {_power(largest)}, more than {_power(LARGEST_SIZE)}; if {name} is a number and no size, "
            f"declare what an instance costs, e.g. cost=lambda {name}: 1"
        )


def _power(n: Any) -> str:
    """A large integer in words: exactly where it is a power of ten or short, else its order of magnitude."""
    try:
        n = int(n)
    except (OverflowError, ValueError):
        return "infinitely many"
    if n < 10**6:
        return str(n)
    if n.bit_length() > 4096:
        return f"about 2^{n.bit_length() - 1}"
    text = str(n)
    return f"10^{len(text) - 1}" if text.rstrip("0") == "1" else f"{text[0]}.{text[1]}e{len(text) - 1}"


def _short(value: Any) -> str:
    text = _power(value) if isinstance(value, int) and abs(value) >= 10**6 else str(value)
    return text if len(text) <= 40 else f"{text[:30]}..."
