"""Verdicts inside a check, found in its syntax tree.

A check returns the two sides of a comparison and the kernel decides. A comparison of floats inside the check,
turned into an int or a constant, would be an exact integer worth nothing; so would a Fraction made from a float.
Branches of a simulated algorithm and the definition of an event are allowed where they are marked:
a line with the comment `# branch` or `# event`.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorems.claim import Claim

_CLOSE = {"isclose", "allclose", "almosteq", "assert_allclose", "array_equal", "is_close"}
_CASTS = {"int", "Fraction", "fmpq", "Q", "Rational", "rational"}  # a bool or a float the kernel refuses by itself
_MARKS = ("# branch", "# event")
_WORTHLESS = "turns a verdict into a number, which is worth nothing; return the two sides"


def verdicts_inside(claim: Claim) -> list[str]:
    """Places where a function of the claim decides by itself, one line each with file and line."""
    found = []
    for check in claim.checks:
        try:
            source, first = inspect.getsourcelines(check.function)
        except (OSError, TypeError):
            continue  # defined where no source exists (an interactive session): nothing to read
        tree = ast.parse(textwrap.dedent("".join(source)))
        for line, what in _suspects(tree):
            if not any(mark in source[line - 1] for mark in _MARKS):
                found.append(f"{check.place.file}:{first + line - 1}: {claim.id}: {what}")
    return found


def float_comparisons(source: str) -> list[tuple[int, str]]:
    """(line, what) for every unmarked verdict in a module's source text."""
    lines = source.splitlines()
    return [(n, w) for n, w in _suspects(ast.parse(source)) if not any(m in lines[n - 1] for m in _MARKS)]


def _suspects(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in _CLOSE:
                yield (
                    node.lineno,
                    f"{name}(...) is a verdict inside the check; return both sides, e.g. eq(a, b, within=...)",
                )
            if name in _CASTS and any(_ordering(a) for a in node.args):
                yield node.lineno, f"{name}(<comparison>) {_WORTHLESS}"
            if name in ("Fraction", "fmpq", "Q", "Rational") and any(_is_float(a) for a in node.args):
                yield node.lineno, f"{name}(<float>) is a double in disguise; compute with exact numbers from the start"
        elif isinstance(node, (ast.Return, ast.Yield)):
            for side in _sides(node.value):
                if isinstance(side, ast.Call) and _name(side.func) in _CASTS and any(map(_equality, side.args)):
                    yield side.lineno, f"{_name(side.func)}(<comparison>) {_WORTHLESS}"
        elif isinstance(node, ast.Compare) and any(_is_float(x) for x in (node.left, *node.comparators)):
            yield (
                node.lineno,
                "a comparison with a float inside the check; return the two sides (or mark it `# branch` in a simulated "
                "algorithm, `# event` in the definition of an event)",
            )


def _ordering(node: ast.expr) -> bool:
    """An order comparison, or a combination of comparisons; `int(i == j)` alone is Kronecker's delta."""
    if isinstance(node, ast.BoolOp):
        return True
    return isinstance(node, ast.Compare) and not all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops)


def _equality(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and not _ordering(node)


def _sides(node: ast.expr | None) -> list[ast.expr]:
    """The sides that a check returns or yields: elements of the tuple, arguments of the comparison."""
    if isinstance(node, ast.Tuple):
        return [side for element in node.elts for side in _sides(element)]
    if isinstance(node, ast.Call) and _name(node.func) in ("eq", "le", "lt"):
        return list(node.args)
    return [node] if node is not None else []


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_float(node: ast.AST) -> bool:
    """A float literal, or float(...) itself."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    return isinstance(node, ast.Call) and _name(node.func) == "float"
