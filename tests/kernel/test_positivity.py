"""Inequalities in symbols: textbook ones are proved by certificates, near misses are refuted at exact points."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import sympy
from flint import fmpq
from sympy import Abs, Integer, Max, Rational, cos, exp, log, sin, sqrt

from theorems.kernel import positivity_rules
from theorems.kernel.answer import answer
from theorems.kernel.identities import Disagreement
from theorems.kernel.order import Le, le, lt
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.positivity import Cases, Coefficients, Combination, Discriminant, Minimum, Univariate
from theorems.kernel.symbols import matrix_symbols, symbols

x, y, z = symbols("x y z")
a, b, c = symbols("a b c", nonnegative=True)
p, q = symbols("p q", positive=True)
s, t = symbols("s t", nonnegative=True)
sp = symbols("s", positive=True)
u = symbols("u", nonnegative=True)
m = symbols("m", lower=1, upper=3)
v, w = symbols("v w", lower=0, upper=1)
n = symbols("n", positive=True, integer=True)
a1, a2, a3, b1, b2, b3 = symbols("a1 a2 a3 b1 b2 b3")

MOTZKIN = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1
SCHUR = a * (a - b) * (a - c) + b * (b - a) * (b - c) + c * (c - a) * (c - b)


def ordered(f: Any, g: Any, h: Any) -> Coefficients:
    """The shift for f >= g >= h >= 0."""
    return Coefficients({f: g + s, g: h + t})


EVERY_ORDER = Cases(
    a - b,
    Cases(b - c, ordered(a, b, c), Cases(a - c, ordered(a, c, b), ordered(c, a, b))),
    Cases(a - c, ordered(b, a, c), Cases(b - c, ordered(b, c, a), ordered(c, b, a))),
)

PROVED: dict[str, Le] = {
    "two means": le(2 * x * y, x**2 + y**2),
    "two means by a square": le(4 * x * y, (x + y) ** 2, by=Combination([(1, x - y, ())])),
    "Cauchy-Schwarz by Lagrange": le(
        (a1 * b1 + a2 * b2 + a3 * b3) ** 2,
        (a1**2 + a2**2 + a3**2) * (b1**2 + b2**2 + b3**2),
        by=Combination([(1, a1 * b2 - a2 * b1, ()), (1, a1 * b3 - a3 * b1, ()), (1, a2 * b3 - a3 * b2, ())]),
    ),
    "means of three by orders": le(27 * a * b * c, (a + b + c) ** 3, by=EVERY_ORDER),
    "means of three by a combination": le(
        3 * a * b * c,
        a**3 + b**3 + c**3,
        by=Combination([(Rational(1, 2), f - g, (a + b + c,)) for f, g in ((a, b), (b, c), (c, a))]),
    ),
    "Schur": le(0, SCHUR, by=EVERY_ORDER),
    "Schur, ordered": le(0, SCHUR, given=[a >= b, b >= c], by=ordered(a, b, c)),
    "Schur by a combination": le(
        0, SCHUR, given=[a - b, b - c], by=Combination([(1, a - b, ((a + b - c, Coefficients({a: b + s, b: c + t})),)),
                                                        (1, 1, (c, (a - c, Coefficients({a: b + s, b: c + t})), b - c))]),
    ),
    "Motzkin by five squares": le(
        0,
        MOTZKIN,
        by=Combination(
            [
                (1, y - x**2 * y, ()), (1, x - x * y**2, ()), (1, 1 - x**2 * y**2, ()),
                (Rational(1, 4), x * y**3 - x**3 * y, ()), (Rational(3, 4), x * y**3 + x**3 * y - 2 * x * y, ()),
            ],
            times=1 + x**2 + y**2,
        ),
    ),
    "Motzkin by a multiplier with a zero": le(
        0,
        MOTZKIN,
        by=Combination([(1, x * y * (x**2 + y**2 - 2), (x**2 + y**2 + 1,)), (1, x**2 - y**2, ())], times=(x**2 + y**2) ** 2),
    ),
    "Motzkin by a pole": le(
        0,
        MOTZKIN,
        by=Combination(
            [
                (1, x * y * (x**2 + y**2 - 2) / (x**2 + y**2), (x**2 + y**2 + 1,)),
                (1, (x**2 - y**2) / (x**2 + y**2), ()),
            ]
        ),
    ),
    "Farkas": le(5, 3 * x + 2 * y, given=[x + y - 2, x - 1], by=Combination([(2, 1, (x + y - 2,)), (1, 1, (x - 1,))])),
    "Handelman": le(v * (1 - v), 1 - v + v**2, by=Coefficients({v: (0, 1)})),
    "Polya": le(a * b, a**2 + b**2, by=Coefficients(power=3)),
    "Bernoulli": le(1 + 3 * x, (1 + x) ** 3, given=[x + 1], by=Combination([(1, x, (x + 3,))])),
    "Nesbitt": le(
        Rational(3, 2), p / (q + a + 1) + q / (p + a + 1) + (a + 1) / (p + q),
        by=Combination(
            [(1, p - q, (p + q,)), (1, q - a - 1, (q + a + 1,)), (1, p - a - 1, (p + a + 1,))],
            times=2 * (p + q) * (q + a + 1) * (p + a + 1),
        ),
    ),
    "reciprocals": le(2, p + 1 / p),
    "bounded fraction": le(x / (1 + x**2), Rational(1, 2)),
    "map in an interval": le(
        u * (m - u) ** 2,
        m + 1,
        given=[m + 1 - u],
        by=Combination([(1, 1, (m + 1 - u, (u**2 - (m - 1) * u + 1, Discriminant(u))))]),
    ),
    "sextic by Sturm": le(x**4 - 2 * x**2, 10 * x**6 + 5, by=Univariate(x)),
    "Sturm on an interval": le(x**3, x, given=[x, 1 - x], by=Univariate(x, 0, 1)),
    "Sturm with a pole": le(1 / (x - 2), -Rational(1, 2), given=[x >= 0, x < 2], by=Univariate(x, 0, 2)),
    "Sturm in a root": le(2 * sqrt(p), 1 + p, by=Univariate(sqrt(p))),
    "discriminant": le(x * y, x**2 + y**2, by=Discriminant(x)),
    "discriminant with a factor": le(2 * v * x, v * x**2 + v, by=Discriminant(x, discriminant=Univariate(v))),
    "cases": le(Abs(x + y), Abs(x) + Abs(y), by=Cases(x, Cases(y, Cases(x + y), Cases(x + y)), Cases(y, Cases(x + y)))),
    "positive part": le(Max(x, 0) * 2, x + Abs(x) + x**2, by=Cases(x)),
    "roots": le(sqrt(p * q), (p + q) / 2),
    "cosine": le(cos(x) ** 2, 1),
    "hyperbolic": le(2, exp(x) + exp(-x)),
    "an integer": le(n, n**2),
    "logarithm": le(log(p), p - 1, by=Minimum(p, 1)),
    "logarithm with a parameter": le(log(p) - log(q), p / q - 1, by=Minimum(p, q)),
    "exponential": le(1 + x, exp(x), by=Minimum(x, 0, derivative=Cases(x, Minimum(x, 0), Minimum(x, 0)))),
    "inverse hyperbolic sine": le(sympy.asinh(t), t, by=Minimum(t, 0)),
    "modulo a relation": le(2 * x * y, 1, modulo=[x**2 + y**2 - 1], by=Combination([(1, x - y, ())])),
}  # fmt: skip

STRICT: dict[str, Le] = {
    "positive polynomial": lt(0, x**2 + x * y + y**2 + 1, by=Combination([(1, x + y / 2, ()), (Rational(3, 4), y, ()), (1, 1, ())])),
    "a slack without lower bound": lt(x * y + 1, p * exp(x + 1) + x * y + 1),
    "hypothesis": lt(p * q, p**2, given=[p > q]),
    "no real root": lt(2 * x - 2, x**2, by=Univariate(x)),
    "open interval": lt(p**2, p, given=[p < 1], by=Univariate(p, 0, 1)),
    "discriminant": lt(x * y, x**2 + y**2 + 1, by=Discriminant(x)),
    "open bounds": lt(0, p * (m + 1)),
    "Bernstein": lt(v * (1 - v), 1, by=Coefficients()),
    "an integer": lt(n, n**2 + 1),
    "logarithm": lt(log(p), p, by=Minimum(p, 1)),
    "logarithm at an open end": lt(log(1 + sp), sp, by=Minimum(sp, 0)),
}  # fmt: skip


def decided(comparison: Le, shift: fmpq | None = None) -> Outcome:
    return answer(comparison, Context(proving=True, shift=shift or fmpq(0)))


@pytest.mark.parametrize("name", PROVED)
def test_a_textbook_inequality_is_proved(name: str) -> None:
    o = decided(PROVED[name])
    assert (o.decision, o.evidence, o.reason[:8]) == (Decision.FOR, Evidence.PROVED, "tightest")
    assert o.covered.startswith("all ")
    assert json.loads(json.dumps(o.certificate)) == o.certificate
    assert o.certificate["proof"]["rule"]


@pytest.mark.parametrize("name", STRICT)
def test_a_strict_inequality_is_proved(name: str) -> None:
    o = decided(STRICT[name])
    assert (o.decision, o.evidence) == (Decision.FOR, Evidence.PROVED)


@pytest.mark.parametrize(
    "comparison", [*PROVED.values(), *STRICT.values()], ids=[*PROVED, *("strict " + k for k in STRICT)]
)
def test_a_proved_inequality_moved_by_twice_its_resolution_is_refuted(comparison: Le) -> None:
    r = decided(comparison).resolution
    assert r is not None
    shift = fmpq(1, 10**30) if r == 0 else 2 * fmpq(*r.as_integer_ratio())
    o = decided(comparison, shift)
    assert (o.decision, o.evidence) == (Decision.AGAINST, Evidence.PROVED)


@pytest.mark.parametrize("name", ["two means", "means of three by orders", "Schur", "Motzkin by five squares", "reciprocals",
                                  "map in an interval", "roots", "logarithm", "hyperbolic", "Cauchy-Schwarz by Lagrange"])  # fmt: skip
def test_a_tight_inequality_has_resolution_zero(name: str) -> None:
    assert decided(PROVED[name]).resolution == 0.0


@pytest.mark.parametrize("name", [name for name, old in PROVED.items() if isinstance(old.by, Combination)])
def test_a_combination_proves_no_inequality_that_is_a_millionth_stronger(name: str) -> None:
    old = PROVED[name]
    stronger = Le(old.lhs + Rational(1, 10**6), old.rhs, given=old.given, by=old.by, modulo=old.modulo)
    assert decided(stronger).decision is not Decision.FOR


@pytest.mark.parametrize(
    "wrong",
    [
        le(Rational(201, 100) * x * y, x**2 + y**2),
        le(0, MOTZKIN - Rational(1, 10**6)),
        le(Rational(271, 10) * a * b * c, (a + b + c) ** 3),
        le(x**2, y**2, given=[y - x]),
        le(u * (m - u) ** 2, m + 1),
        le(x**3, x),
        le(exp(x) + exp(-x), 3),
        le(sqrt(p + q), (sqrt(p) + sqrt(q)) * Rational(7, 10)),
        le(Abs(x + y), Abs(x)),
        le(1 / (x - 1), 1 / (x - 2)),
        le(n**2, 50 * n),
        le(log(p), p - Rational(1001, 1000)),
        lt(2 * x * y, x**2 + y**2),
        lt(log(p), p - 1, by=Minimum(p, 1)),
        lt(v * (1 - v), Rational(1, 4)),
        le(2 * x * y, Rational(999, 1000), modulo=[x**2 + y**2 - 1]),
    ],
    ids=str,
)
def test_a_false_inequality_is_refuted_at_an_exact_point(wrong: Le) -> None:
    o = decided(wrong)
    assert (o.decision, o.evidence) == (Decision.AGAINST, Evidence.PROVED)
    assert o.certificate["kind"] == "point"


def test_a_counterexample_holds_in_sympy_too() -> None:
    """Oracle: substitution by sympy."""
    lhs, rhs = Rational(271, 10) * a * b * c, (a + b + c) ** 3
    point = decided(le(lhs, rhs)).certificate["point"]
    at = {symbol: Rational(point[symbol.name]) for symbol in (a, b, c)}
    assert all(value >= 0 for value in at.values())
    assert (lhs - rhs).subs(at) > 0


def test_random_sums_of_squares_are_proved_and_one_coefficient_less_is_not() -> None:
    rng = Random(2)
    for _ in range(15):
        squares = [sympy.Add(*[rng.randint(-3, 3) * f for f in (1, x, y, x * y, x**2)]) for _ in range(3)]
        weights = [Rational(rng.randint(1, 5), rng.randint(1, 5)) for _ in squares]
        total = sympy.expand(sympy.Add(*[k * f**2 for k, f in zip(weights, squares)]))
        terms = [(k, f, ()) for k, f in zip(weights, squares)]
        assert decided(le(0, total, by=Combination(terms))).decision is Decision.FOR
        if squares[0] != 0:
            wrong = [(weights[0] * Rational(99, 100), squares[0], ()), *terms[1:]]
            assert decided(le(0, total, by=Combination(wrong))).decision is Decision.UNDECIDED


def test_the_certificate_of_a_combination_can_be_rechecked_by_another_program() -> None:
    """Oracle: sympy parses the strings and expands."""
    content = decided(PROVED["Motzkin by five squares"]).certificate["proof"]
    parsed = [sympy.sympify(f"({term['coefficient']})*({term['square']})**2") for term in content["terms"]]
    assert (
        sympy.expand(sympy.Add(*parsed) - sympy.sympify(content["times"]["factor"]) * sympy.sympify(content["expr"]))
        == 0
    )


def test_a_certificate_that_does_not_match_says_what_is_left() -> None:
    o = decided(le(2 * x * y, x**2 + y**2, by=Combination([(2, x - y, ())])))
    assert o.decision is Decision.UNDECIDED
    assert "does not match" in o.reason
    assert "-x**2 + 2*x*y - y**2" in o.reason


# The domain and its hypotheses


def test_the_covered_domain_names_hypotheses() -> None:
    assert decided(PROVED["Schur, ordered"]).covered == "all a, b, c >= 0 with a - b >= 0, b - c >= 0"
    assert decided(PROVED["reciprocals"]).covered == "all p > 0"
    assert decided(le(0, x**2 / y**2)).covered == "all real x, y where y is not 0"


def test_contradictory_hypotheses_prove_nothing() -> None:
    for comparison in (
        le(1, 0, given=[p - 1, -p]),
        le(x, x - 1, given=[x - 1, -x]),
        le(x**2 + 1, 0, given=[-(x**2) - 1]),
    ):
        o = decided(comparison)
        assert o.decision is Decision.UNDECIDED
        assert "witness" in o.reason


def test_a_witness_inside_a_thin_domain_makes_its_proof_count() -> None:
    thin = [x - Rational(3141592, 10**6), Rational(3141593, 10**6) - x]
    goal = le(9, x**2, given=thin, by=Univariate(x, Rational(3141592, 10**6)))
    assert decided(goal).decision is Decision.UNDECIDED
    o = decided(le(9, x**2, given=thin, by=goal.by, witness={x: Fraction(31415925, 10**7)}))
    assert o.decision is Decision.FOR
    o = decided(le(10, x**2, given=thin, witness={x: Fraction(31415925, 10**7)}))
    assert o.decision is Decision.AGAINST


def test_hypotheses_that_are_no_open_inequalities_are_refused() -> None:
    for given in ([p > 0], [sympy.Eq(x, y)], [sympy.Ne(x, y)], [x < x - 1]):
        with pytest.raises(KernelError):
            decided(le(x, y, given=given))


def test_a_factor_that_is_no_hypothesis_is_refused() -> None:
    o = decided(le(0, x - y, by=Combination([(1, 1, (x - y,))])))
    assert o.decision is Decision.AGAINST
    o = decided(
        le(
            0,
            (x - y) * (x - y) ** 2 + 10**9,
            given=[x + 500, 500 - y],
            by=Combination([(1, x - y, (x - y,)), (1, 10**4, ())]),
        )
    )
    assert o.decision is not Decision.FOR


@pytest.mark.parametrize("goal", [le(0, x), le(-1, x), le(0, x * y), le(0, x - 1, given=[y - 1])])
def test_no_certificate_proves_what_is_false(goal: Le) -> None:
    for by in (
        None, Coefficients(), Coefficients({x: s}), Coefficients({x: 1 + s}), Coefficients({x: (0, 1)}), Univariate(x),
        Univariate(x, 0), Univariate(x, 0, 1), Discriminant(x), Cases(x), Cases(x, None, Coefficients({x: s})),
        Combination([(1, 1, (x,))]), Combination([(1, x, (1 / x,))]), Combination([(1, sqrt(x), ())]),
        Combination([(1, 1, (x * y,))]), Combination([(1, 1, (Abs(x),))]), Combination([(0, 1, ())]), Combination([]),
        Combination([(1, goal.rhs - goal.lhs, ())], times=goal.rhs - goal.lhs), Minimum(x, 0), Minimum(x, 1),
        Combination([(1, 1, ((x, Coefficients({x: s})),))]), Coefficients(power=5), Coefficients({x: sp}),
    ):  # fmt: skip
        o = answer(Le(goal.lhs, goal.rhs, given=goal.given, by=by), Context(proving=True))
        assert o.decision is Decision.AGAINST


def test_a_certificate_with_a_pole_is_refused_where_hypotheses_thin_the_domain() -> None:
    """On x = 0 (by two hypotheses) 1/x has no value: x**2 - y**2 * x = (...)/x tells nothing there."""
    o = decided(le(0, x**2, given=[x, -x], by=Combination([(1, 1 / x, (x**4,))])))
    assert o.decision is Decision.UNDECIDED
    assert "is not 0" in o.reason


def test_a_multiplier_of_unknown_sign_is_refused() -> None:
    o = decided(le(0, x**2 + 1, by=Combination([(1, x, (y,)), (1, 1, (y,))], times=y)))
    assert o.decision is Decision.UNDECIDED


def test_a_multiplier_that_may_vanish_counts_only_where_its_zeros_are_thin() -> None:
    by = Combination([(1, x, ()), (1, x * y, ())], times=x**2)
    assert decided(le(0, 1 + y**2, by=by)).decision is Decision.FOR
    o = decided(le(0, 1 + y**2, given=[x, -x], by=by))
    assert o.decision is Decision.UNDECIDED
    assert "not shown to be > 0" in o.reason
    assert decided(lt(0, 1 + y**2, by=by)).decision is Decision.UNDECIDED


def test_a_strict_inequality_needs_a_strict_certificate() -> None:
    o = decided(lt(0, x**2 + y**2 + 1, by=Combination([(1, x, ()), (1, y, ()), (1, 1, ())])))
    assert o.decision is Decision.FOR
    weak = Combination([(1, x, ()), (1, y, ()), (1, sqrt(2), ())])
    assert decided(lt(0, x**2 + y**2 + 2, by=weak)).decision is Decision.FOR
    assert decided(lt(0, x**2 + y**2, by=Combination([(1, x, ()), (1, y, ())]))).decision is Decision.AGAINST


@pytest.mark.parametrize(
    "shift",
    [{x: 1 + y}, {x: s + t}, {x: s**2}, {y: s * y}, {x: (x, 1)}, {x: (0, 1, 2)}, {sympy.Symbol("x"): s}, {x: 1 + v},
     {x: y + s, y: x + t}],
)  # fmt: skip
def test_a_shift_that_is_none_is_refused(shift: dict[Any, Any]) -> None:
    with pytest.raises(KernelError):
        decided(le(0, x * x + y * y + x, given=[x, y], by=Coefficients(shift)))


def test_one_new_symbol_may_not_serve_two_shifts() -> None:
    """With x = s and y = s the goal x - y >= 0 would vanish."""
    goal = le(y, x, given=[x, y], by=Coefficients({x: s, y: s}))
    with pytest.raises(KernelError, match="of its own"):
        decided(goal)


def test_a_shift_from_bounds_that_do_not_hold_is_refused() -> None:
    o = decided(le(0, x**3 + 10**12, given=[x + 5], by=Coefficients({x: s})))
    assert o.decision is Decision.UNDECIDED
    assert "does not follow" in o.reason
    o = decided(lt(0, 1 - v + v**9, by=Coefficients({v: (0, 1)})))
    assert o.decision is Decision.UNDECIDED


def test_an_interval_that_does_not_hold_the_domain_is_refused() -> None:
    o = decided(le(0, x**3 + 10**9, given=[x + 3], by=Univariate(x, -2)))
    assert o.decision is Decision.UNDECIDED
    assert "is not known" in o.reason


def test_a_function_that_jumps_has_no_minimum_rule() -> None:
    o = decided(le(0, sympy.floor(t) + t, by=Minimum(t, 0)))
    assert o.decision is Decision.UNDECIDED


# Tricks


@pytest.mark.parametrize(
    "by",
    [
        3, "trust me", True, Combination([(0.5, x, ())]), Combination([(-1, x, ())]), Combination([(sqrt(2), x, ())]),
        Combination([(1, x)]), Combination([(1, sympy.Float(1) * x, ())]), Combination([(1, sympy.Symbol("k"), ())]),
        Combination([(1, x, ((x, 1, 2),))]), Coefficients(power=-1), Coefficients(power=10**6), Coefficients(power=True),
        Minimum(x, x), Minimum(1, 0), Univariate(0.5), Cases(x > 0), Discriminant(sympy.Symbol("x")),
    ],
)  # fmt: skip
def test_what_is_no_exact_certificate_is_refused(by: Any) -> None:
    with pytest.raises(KernelError):
        decided(le(0, x**2 + y**2, by=by))


def test_floats_foreign_symbols_and_relationals_are_refused() -> None:
    for comparison in (
        le(x * sympy.Float("0.5"), x), le(x, 0.5), le(x, sympy.Symbol("k")), le(x, y, given=[sympy.Symbol("k")]),
        le(x, y, given=[x * 0.5]), le(x > y, 1), le(x, sympy.I * x), le(x, sympy.Piecewise((x, x > 0), (0, True))),
    ):  # fmt: skip
        with pytest.raises(KernelError):
            decided(comparison)


def test_outside_of_a_proof_certificates_and_hypotheses_are_refused() -> None:
    for comparison in (le(1, 2, by=Combination([])), le(1, 2, given=[x]), le(1, 2, witness={x: 1})):
        with pytest.raises(KernelError, match="belong in a proof"):
            answer(comparison, Context())


def test_a_certificate_that_contradicts_the_points_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positivity_rules, "prove", lambda *_: {"rule": "believed"})
    with pytest.raises(Disagreement, match="fails at"):
        decided(le(x, 0))


def test_entries_of_a_matrix_are_decided_one_by_one() -> None:
    M = matrix_symbols("M", 2, nonnegative=True)
    assert decided(le(M, 2 * M)).decision is Decision.FOR
    o = decided(le(M, sympy.Matrix([[M[0, 0], M[0, 1]], [M[1, 0] / 2, M[1, 1]]])))
    assert o.decision is Decision.AGAINST
    assert "entry (1, 0)" in o.reason


def test_hundreds_of_symbols() -> None:
    many = symbols("w:120", nonnegative=True)
    assert decided(le(sympy.Add(*[k**2 for k in many]), sympy.Add(*many) ** 2)).decision is Decision.FOR


def test_the_same_question_has_the_same_answer_twice() -> None:
    for comparison in (PROVED["two means"], STRICT["hypothesis"], le(x**3, x)):
        assert decided(comparison) == decided(comparison)


def test_numbers_alone_may_have_a_certificate() -> None:
    assert decided(le(Integer(2) * sqrt(6), 5, by=Combination([(1, sqrt(2) - sqrt(3), ())]))).decision is Decision.FOR


def test_bounds_on_sine_and_cosine() -> None:
    assert (
        decided(
            le(
                sin(x) * cos(y),
                1,
                by=Combination(
                    [(Rational(1, 2), 1, (1 - sin(x), 1 + cos(y))), (Rational(1, 2), 1, (1 + sin(x), 1 - cos(y)))]
                ),
            )
        ).decision
        is Decision.FOR
    )
