"""PEPit's problems as exact programs: its model is taken over, its doubles are given their intended rational values.

PEPit (the extra `pepit`) models a worst case and solves it numerically. Here the semidefinite program that it prepares is
read, every coefficient becomes the rational that it was probably meant to be (`solvers.conic.reconstruct`: within 2^-50
relatively), and the program of these rationals is certified. What is proven is about that program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.conic import reconstruct
from solvers.performance.expressions import Scalar
from solvers.performance.model import Performance
from solvers.performance.reduction import aligned, faced
from solvers.performance.result import WorstCase


@dataclass
class Captured:
    """One problem that PEPit solved.

    Attributes:
        model: the same problem with exact data.
        value: PEPit's own number (`None` if it found the problem unbounded).
        seconds: PEPit's time from prepared constraints to its answer.
    """

    model: Performance
    value: float | None
    seconds: float

    @property
    def reduced(self) -> Performance:
        """The model on its smallest face (`solvers.performance.reduction`)."""
        return faced(self.model, rounding=1e-12)

    def worst_case(self) -> WorstCase:
        """The worst case between proven bounds."""
        return self.reduced.worst_case()


@contextmanager
def capturing() -> Iterator[list[Captured]]:
    """All problems that PEPit solves inside the block, in order."""
    from time import perf_counter

    from PEPit.pep import PEP

    found: list[Captured] = []
    original = PEP._solve_with_wrapper

    def solve(self: Any, *args: Any, **kwargs: Any) -> Any:
        model = translated(self)
        started = perf_counter()
        value = original(self, *args, **kwargs)
        found.append(Captured(model, value, perf_counter() - started))
        return value

    PEP._solve_with_wrapper = solve
    try:
        yield found
    finally:
        PEP._solve_with_wrapper = original


def translated(pep: Any) -> Performance:
    """The prepared problem of a PEPit `PEP`, with exact data."""
    from PEPit.expression import Expression
    from PEPit.point import Point

    model = Performance()
    model.vectors, model.numbers = Point.counter, Expression.counter
    for constraint in pep._list_of_prepared_constraints:
        if constraint.activated:
            require = model.require if constraint.equality_or_inequality == "inequality" else model.require_equal
            require(exact(constraint.expression), name=(constraint.get_name() or f"c{len(model.required)}"))
    for matrix in pep._list_of_prepared_psd:
        if matrix.activated:
            model.require_psd([[exact(entry) for entry in row] for row in matrix.matrix_of_expressions])
    model.maximise(exact(pep.objective))
    return aligned(model)


def exact(expression: Any) -> Scalar:
    """A PEPit expression with rational coefficients."""
    if expression.get_is_leaf():
        return Scalar(values={expression.counter: fmpq(1)})
    products: dict[tuple[int, int], fmpq] = {}
    values: dict[int, fmpq] = {}
    constant = fmpq(0)
    sums: dict[tuple[int, int], float] = {}
    for key, weight in expression.decomposition_dict.items():
        if isinstance(key, tuple):
            i, j = sorted((key[0].counter, key[1].counter))
            sums[i, j] = sums.get((i, j), 0.0) + float(weight)
        elif isinstance(key, int):
            constant = reconstruct(float(weight))
        else:
            values[key.counter] = reconstruct(float(weight))
    largest = max((abs(v) for v in sums.values()), default=0.0)
    for pair, value in sums.items():
        if abs(value) > ROUNDING * largest:
            products[pair] = reconstruct(value)
    return Scalar(products, {k: v for k, v in values.items() if v != 0}, constant)


ROUNDING = 1e-15
"""Sums of doubles below this share of the largest coefficient are cancellations."""


def examples() -> list[str]:
    """Names of the modules of PEPit's example library that define a `wc_` function."""
    import pkgutil
    from importlib import import_module
    from importlib.util import find_spec
    from pathlib import Path

    package = import_module("PEPit.examples")
    names = []
    for info in pkgutil.walk_packages(package.__path__, "PEPit.examples."):
        spec = find_spec(info.name)
        if (
            not info.ispkg
            and "template" not in info.name
            and spec is not None
            and spec.origin
            and "\ndef wc_" in Path(spec.origin).read_text()
        ):
            names.append(info.name)
    return sorted(names)


@dataclass(frozen=True)
class Example:
    """One example as its file runs it.

    Attributes:
        module: dotted name.
        name: of its `wc_` function.
        theory: the theoretical value it returns, or `None`.
        value: PEPit's number.
        problems: what PEPit solved, the last one being the answer.
        declared: `tight`, `upper` or `no value`, from the documentation of the function.
    """

    module: str
    name: str
    theory: float | None
    value: float | None
    problems: tuple[Captured, ...]
    declared: str


def run(module: str, *, solver: str | None = None) -> Example:
    """Run an example with the arguments of its own file (and another solver of cvxpy, if given).

    Raises:
        ValueError: if the file has no call of its `wc_` function to read the arguments from.
    """
    import ast
    from importlib import import_module
    from pathlib import Path

    found = import_module(module)
    tree = ast.parse(Path(str(found.__file__)).read_text())
    main = next((n for n in tree.body if isinstance(n, ast.If) and "__main__" in ast.unparse(n.test)), None)
    if main is None:
        raise ValueError(f"{module} has no main block to read its arguments from")
    call = next((c for c in ast.walk(main) if isinstance(c, ast.Call) and ast.unparse(c.func).startswith("wc_")), None)
    if call is None:
        raise ValueError(f"the main block of {module} calls no wc_ function")
    given = {"verbose": -1} | ({} if solver is None else {"wrapper": "cvxpy", "solver": solver})
    call.keywords = [k for k in call.keywords if k.arg not in given]
    call.keywords += [ast.keyword(name, ast.Constant(value)) for name, value in given.items()]
    setup: list[ast.stmt] = [
        s for s in main.body if not any(c is call for c in ast.walk(s)) and isinstance(s, ast.Assign | ast.Import)
    ]
    scope = dict(vars(found))
    exec(compile(ast.fix_missing_locations(ast.Module(setup, [])), str(found.__file__), "exec"), scope)
    function: Callable[..., Any] = scope[ast.unparse(call.func)]
    with capturing() as problems:
        result = eval(compile(ast.fix_missing_locations(ast.Expression(call)), str(found.__file__), "eval"), scope)
    value, theory = (result[0], result[1]) if isinstance(result, tuple) else (result, None)
    return Example(module, function.__name__, number(theory), number(value), tuple(problems), declared(module))


def number(x: Any) -> float | None:
    """A finite double, or `None`."""
    try:
        value = float(x)
    except (TypeError, ValueError):
        return None
    return value if abs(value) < float("inf") else None


EXCEPTIONS = {
    # its documentation gives the guarantee of the exact method (epsilon = 0) only
    "PEPit.examples.unconstrained_convex_minimization.inexact_accelerated_gradient": "no value",
}


def declared(module: str) -> str:
    """What an example's file claims, read without running it: `tight`, `upper`, or `no value` when it returns none."""
    from importlib.util import find_spec
    from pathlib import Path

    if module in EXCEPTIONS:
        return EXCEPTIONS[module]
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}")
    source = Path(spec.origin).read_text()
    values = re.findall(r"^\s+theoretical_tau\s*=\s*(\S+)", source, re.MULTILINE)
    if values and all(v == "None" for v in values):
        return "no value"
    text = source.lower().split("args:")[0]
    return "tight" if "tight" in text and "not tight" not in text else "upper"
