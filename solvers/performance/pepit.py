"""PEPit's problems as exact programs: its model is taken over, its doubles are given their intended rational values.

PEPit (the extra `pepit`) models a worst case and solves it numerically. Here the semidefinite program that it prepares is
read with exact coefficients (`solvers.performance.exact_floats`): every literal is the rational that it was meant to be, a root its
double. What is proven is about the program of these rationals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.performance.exact_floats import exact_expressions, exact_roots, exactly, rational, root
from solvers.performance.expressions import Scalar
from solvers.performance.model import Performance


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


@contextmanager
def capturing(shorten: bool = True) -> Iterator[list[Captured]]:
    """All problems that PEPit solves inside the block, in order, their long coefficients shortened if asked for."""
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
        with exact_expressions(shorten):
            yield found
    finally:
        PEP._solve_with_wrapper = original


def translated(pep: Any) -> Performance:
    """The prepared problem of a PEPit `PEP`, with exact data; constraints of the same name are numbered: `name`, `name (2)`, ..."""
    from PEPit.expression import Expression
    from PEPit.point import Point

    model = Performance()
    model.vectors, model.numbers = Point.counter, Expression.counter
    seen: Counter[str] = Counter()
    for constraint in pep._list_of_prepared_constraints:
        if constraint.activated:
            require = model.require if constraint.equality_or_inequality == "inequality" else model.require_equal
            name = constraint.get_name() or f"c{len(model.required)}"
            seen[name] += 1
            require(exact(constraint.expression), name=name if seen[name] == 1 else f"{name} ({seen[name]})")
    for matrix in pep._list_of_prepared_psd:
        if matrix.activated:
            model.require_psd([[exact(entry) for entry in row] for row in matrix.matrix_of_expressions])
    model.maximise(exact(pep.objective))
    return model


def exact(expression: Any) -> Scalar:
    """A PEPit expression with rational coefficients."""
    if expression.get_is_leaf():
        return Scalar(values={expression.counter: fmpq(1)})
    products: dict[tuple[int, int], fmpq] = {}
    values: dict[int, fmpq] = {}
    constant = fmpq(0)
    for key, weight in expression.decomposition_dict.items():
        if isinstance(key, tuple):
            i, j = sorted((key[0].counter, key[1].counter))
            products[i, j] = products.get((i, j), fmpq(0)) + rational(weight)
        elif isinstance(key, int):
            constant = rational(weight)
        else:
            values[key.counter] = rational(weight)
    return Scalar({k: v for k, v in products.items() if v != 0}, {k: v for k, v in values.items() if v != 0}, constant)


PREFIX = "PEPit.examples."


def examples() -> list[str]:
    """Names of the modules of PEPit's example library that define a `wc_` function."""
    import pkgutil
    from importlib import import_module
    from importlib.util import find_spec
    from pathlib import Path

    package = import_module("PEPit.examples")
    names = []
    for info in pkgutil.walk_packages(package.__path__, PREFIX):
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
    """

    module: str
    name: str
    theory: float | None
    value: float | None
    problems: tuple[Captured, ...]


def run(module: str, *, solver: str | None = None, sqrt: Callable[[Any], Any] = root) -> Example:
    """Run an example with the arguments of its own file (and another solver of cvxpy, if given).

    Args:
        module: dotted name.
        solver: as cvxpy spells it.
        sqrt: what square roots are: `root`, `field_root` or `root_below` of `exact_floats`.

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
    call.keywords = [
        ast.keyword(k.arg, ast.Call(ast.Name("exactly", ast.Load()), [k.value], []))
        for k in call.keywords
        if k.arg not in given
    ]
    call.keywords += [ast.keyword(name, ast.Constant(value)) for name, value in given.items()]
    setup: list[ast.stmt] = [
        s for s in main.body if not any(c is call for c in ast.walk(s)) and isinstance(s, ast.Assign | ast.Import)
    ]
    scope = dict(vars(found)) | {"exactly": exactly}
    exec(compile(ast.fix_missing_locations(ast.Module(setup, [])), str(found.__file__), "exec"), scope)
    function: Callable[..., Any] = scope[ast.unparse(call.func)]
    with capturing(shorten=sqrt is root) as problems, exact_roots(found, sqrt):
        result = eval(compile(ast.fix_missing_locations(ast.Expression(call)), str(found.__file__), "eval"), scope)
    value, theory = (result[0], result[1]) if isinstance(result, tuple) else (result, None)
    return Example(module, function.__name__, number(theory), number(value), tuple(problems))


def number(x: Any) -> float | None:
    """A finite double, or `None`."""
    try:
        value = float(x)
    except (TypeError, ValueError):
        return None
    return value if abs(value) < float("inf") else None
