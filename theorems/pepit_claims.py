"""PEPit's example library as claims: for each example, its theoretical value against the certified worst case.

Whether a value is claimed to be tight or an upper bound is declared in `solvers.performance.pepit_table`, from the example's documentation.
Needs the extra `pepit`. `python -m theorems.report --pepit [GLOB]` runs them and prints the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvers.conic import Certified, reconstruct
from solvers.performance import enclose
from solvers.performance.pepit import PREFIX, Example, examples, run
from solvers.performance.pepit_roots import PROOFS, ends
from solvers.performance.pepit_table import declared
from theorems import Choices, Paper, Q, dyadic, le, optimum, shared

PAPER = Paper(
    key="pepit",
    title="Examples of PEPit: worst-case rates of first-order methods",
    authors=("the authors of the methods, as cited in the examples",),
    venue="documentation of PEPit",
)

ENCLOSED = "PEPit's own semidefinite program with rational data, enclosed by exact multipliers and an exact Gram matrix"
PROVED = "PEPit's own semidefinite program with {}; multipliers in closed form, a rational Gram matrix"

WITHIN = Q(1, 10**6)  # of a tight value, relatively
ATTAINED = Q(1, 10**8)  # an upper bound that is attained is certified to within this share of it
FIVE_DIGITS = Q(1, 10**5)
ONE = Q(1)
NONE = Q(0)
LARGEST = 1000  # variables of the semidefinite program


@shared
def example(module: str) -> Example:
    """The example, run once."""
    return run(module)


@shared
def program(module: str) -> Any:
    """The semidefinite program that answers the example."""
    return example(module).problems[-1].model.program().problem


def certified(problem: Any) -> Certified:
    """The optimum between proven bounds (those of minus the worst case); none if the program is too large."""
    n = problem.shape[1]
    if n > LARGEST:
        return Certified("inconclusive", None, None, None, problem, f"{n} variables; up to {LARGEST} are certified")
    return enclose(problem)


def worst(module: str) -> Any:
    """The certified optimum of the program."""
    return optimum(program(module), certified, maximum=True)


def has_roots(module: str) -> bool:
    """Whether the example has a proof in closed form, its square roots other than doubles."""
    return module.removeprefix(PREFIX) in PROOFS


@shared
def rooted(module: str) -> tuple[Any, Any]:
    """The ends for an example with roots."""
    return ends(module.removeprefix(PREFIX))


def bounds(module: str) -> tuple[Any, Any, str]:
    """The certified ends of the worst case (`None`: there is none), and what is missing or weak."""
    if has_roots(module):
        return (*rooted(module), f"multipliers in closed form, with {PROOFS[module.removeprefix(PREFIX)].roots}")
    found = certified(program(module))
    low, high = (None if end is None else -end for end in (found.upper, found.lower))
    return low, high, found.reason


def below(module: str) -> Any:
    """What the kernel compares where the worst case is to be at least something."""
    return dyadic(rooted(module)[0]) if has_roots(module) else worst(module)


def above(module: str) -> Any:
    """What the kernel compares where the worst case is to be at most something."""
    return dyadic(rooted(module)[1]) if has_roots(module) else worst(module)


def theory(module: str) -> Any:
    """The theoretical value as the rational that the double was meant to be."""
    value = example(module).theory
    if value is None:
        raise ValueError(f"{module} returned no theoretical value")
    return reconstruct(value)


def tight(module: str, *, shift: Any = NONE) -> Any:
    """Both sides to within 1e-6 of the value, moved by a share `shift` of it."""
    size = size_of(theory(module))
    value = theory(module) + shift * size
    yield "no worse", le(above(module), dyadic(value + WITHIN * size))
    yield "no better", le(dyadic(value - WITHIN * size), below(module))


def size_of(value: Any) -> Any:
    """What relative means: the modulus, or 1 for the value 0."""
    return abs(value) if value != 0 else ONE


def upper(module: str, *, undercut: Any = NONE) -> Any:
    """The worst case is at most the theoretical value, to within 1e-8 of it; or (undercut) at most less than its certified lower end."""
    bound = theory(module)
    if undercut != 0:
        least = bounds(module)[0]
        if least is None:
            raise ValueError("no certified lower end to undercut")
        bound = least - undercut * size_of(least)
    yield "no worse", le(below(module) if undercut != 0 else above(module), dyadic(bound + ATTAINED * size_of(bound)))


def _declare(module: str) -> None:
    (kind, why), path = declared(module), module.removeprefix(PREFIX)
    if kind == "no value":
        return
    check: Callable[..., Any] = {"tight": _tight, "upper": _upper}[kind](path)
    declare = PAPER.identity if kind == "tight" else PAPER.bound
    claim = declare(
        name=path,
        source=f"{module} says {why}",
        fidelity="recalled",
        evidence="certified",
        domain={"module": Choices(module)},
        every=True,
        part="worst case",
        method=PROVED.format(PROOFS[path].roots) if has_roots(module) else ENCLOSED,
        hypotheses="the parameters of the example's own file",
        not_established="other parameters; classes whose interpolation conditions are only necessary",
    )(check)
    if kind == "tight":
        claim.mutant("value lowered by 1e-5", shift=-FIVE_DIGITS)
        claim.mutant("value raised by 1e-5", shift=FIVE_DIGITS)
    else:
        claim.mutant("undercuts the certified lower end by 1e-5", undercut=FIVE_DIGITS)
        claim.mutant("undercuts the certified lower end by 5 %", undercut=Q(1, 20))


def _tight(path: str) -> Callable[..., Any]:
    def check(module, *, shift=NONE):  # type: ignore[no-untyped-def]
        return tight(module, shift=shift)

    check.__doc__ = f"The worst case of PEPit's example `{path}` equals the theoretical value of its documentation."
    check.__name__ = path.replace(".", "_")
    return check


def _upper(path: str) -> Callable[..., Any]:
    def check(module, *, undercut=NONE):  # type: ignore[no-untyped-def]
        return upper(module, undercut=undercut)

    check.__doc__ = f"The worst case of PEPit's example `{path}` is at most the theoretical value of its documentation."
    check.__name__ = path.replace(".", "_")
    return check


MODULES = examples()
for _module in MODULES:
    _declare(_module)

__all__ = ["MODULES", "PAPER", "bounds", "certified", "example", "program", "worst"]
