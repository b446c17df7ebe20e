"""Constraints added and deleted: when the optimal value notices."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from theorems import Arrays, Booleans, Choices, Given, Integers, Q, eq, le, lt
from theorems.papers.explainable_or.models import Program, covering, dot, program, programs
from theorems.papers.explainable_or.paper import PAPER

ONE = Q(1)

ADDED = PAPER.family(
    "added rows",
    n=Choices(2, 3),
    A=Given(lambda n: Arrays(Integers(0, 4), (2, n))),
    b=Arrays(Integers(1, 12), (2,)),
    drawn=Given(lambda n: Arrays(Integers(1, 8), (n,))),
    equal=Booleans(),
    c=Given(lambda equal, drawn: tuple(drawn[0] if equal else v for v in drawn)),
    row=Given(lambda n: Arrays(Integers(0, 5), (n,))),
    place=Choices("middle", "drawn", "top", "above", "bottom"),
    r=Integers(1, 20),
    where=lambda A, row: covering(A) and any(v != 0 for v in row),
    accept=0.3,
    quick=60,
    full=600,
)


def right_hand_side(model: Program, row: Any, place: str, r: int) -> fmpq:
    """r as drawn, or placed by the row's values on the optimal face: their middle, top, bottom, or a little above the top."""
    values = [dot(row, x) for x in model.solutions]
    return {
        "middle": (min(values) + max(values)) / 2,
        "drawn": fmpq(r),
        "top": max(values),
        "above": max(values) + fmpq(1, 1000),
        "bottom": min(values),
    }[place]


@PAPER.bound(
    source="what-if queries on constraints; complementary slackness",
    fidelity="derived",
    evidence="certified",
    family=ADDED,
    method="optimal faces through all their vertices, in exact rationals; hard instances have an optimal edge (equal costs) and a "
    "right-hand side between, at, or 1/1000 above the values of the new row on it",
    hypotheses="covering programs",
)
def constraint_what_if(A, b, c, row, place, r, *, whole_face=True, slack=ONE):
    r"""(i) Adding a row $g \cdot x \ge r$ never decreases $v$, and leaves it unchanged if and only if the maximum of $g \cdot x$ over the optimal face is at
    least $r$. (ii) In a linear program, deleting a row that is strictly slack at an optimal point leaves $v$ unchanged.
    """
    model = program(A, b, c)
    g = [fmpq(int(v)) for v in row]
    right = right_hand_side(model, g, place, r)
    after = model.with_row(g, right).value
    yield "never less", le(model.value, after)
    seen = [dot(g, x) for x in (model.solutions if whole_face else model.solutions[:1])]
    if slack * max(seen) >= right:
        yield "unchanged", eq(after, model.value)
    else:
        yield "more", lt(model.value, after)


@constraint_what_if.check(
    "deleted rows",
    family=programs(
        "slack rows",
        (2, 3),
        where=lambda A, b, c: covering(A) and bool(removable(program(A, b, c))),
        accept=0.2,
        quick=40,
        full=400,
    ),
)
def _deleted(A, b, c, *, integer=False, priced=False):
    """Every row that is strictly slack at some optimal point is deleted."""
    model = program(A, b, c)
    if integer:
        slack = slack_rows(model, [model.integer_solution[1]])
    elif priced:
        slack = [i for i in range(len(model.b)) if min(y[i] for y in model.shadow_prices) > 0]
    else:
        slack = removable(model)
    for i in slack:
        rest = model.without(i)
        yield eq(rest.integer_value, model.integer_value) if integer else eq(rest.value, model.value)


def slack_rows(model: Program, points: Any) -> list[int]:
    """Rows that are strictly slack at one of the points."""
    surpluses = [model.surplus(x) for x in points]
    return [i for i in range(len(model.b)) if max(s[i] for s in surpluses) > 0]


def removable(model: Program) -> list[int]:
    """Rows strictly slack at an optimal vertex: the same rows as at some point of the optimal face."""
    return slack_rows(model, model.solutions)


constraint_what_if.mutant("one optimal vertex in place of the face", whole_face=False, breaks="more")
constraint_what_if.mutant("unchanged up to 1 % above the maximum", slack=Q(101, 100), breaks="unchanged")
constraint_what_if.mutant("deletion from integer programs", integer=True, breaks="deleted rows")
constraint_what_if.mutant("deletion of rows with a price", priced=True, breaks="deleted rows")
