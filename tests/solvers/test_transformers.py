"""Evaluators of one description beside plain Fraction code, beside each other, and beside formulas."""

import random
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.transformers import (
    Attention,
    FeedForward,
    Form,
    Head,
    LayerNorm,
    Transformer,
    Undecided,
    compiled,
    constant,
    form,
    linear,
    parameter_bits,
    parameters,
    relu,
    run,
    run_balls,
    run_floats,
    with_parameter,
)
from solvers.transformers.exact import ExactRun

NAMES = ("x", "y", "z")


def fraction(v):
    return Fraction(int(v.p), int(v.q)) if isinstance(v, fmpq) else Fraction(v)


def value(f, x):
    return fraction(f.constant) + sum(fraction(w) * x[n] for n, w in f.terms)


def plain(transformer, inputs):
    """The definition, in Fractions, without any shortcut."""
    xs = [dict(zip(transformer.inputs, map(fraction, x))) for x in inputs]
    for part in transformer.parts:
        before = [dict(x) for x in xs]
        for i, x in enumerate(xs):
            if isinstance(part, Attention):
                for head in part.heads:
                    seen = before[: i + 1] if part.causal else before
                    scores = [
                        sum(value(q, before[i]) * value(k, b) for q, k in zip(head.query, head.key)) for b in seen
                    ]
                    if head.score == "distance":
                        scores = [-abs(s) for s in scores]
                    best = [j for j, s in enumerate(scores) if s == max(scores)]
                    best = {"average": best, "first": best[:1], "last": best[-1:]}[head.rule]
                    for name, f in head.value.items():
                        x[name] = x.get(name, Fraction(0)) + sum(value(f, seen[j]) for j in best) / len(best)
            else:
                units = before[i]
                for layer in part.layers:
                    units = {n: max(value(f, units), Fraction(0)) for n, f in layer.items()}
                for name, f in part.output.items():
                    x[name] = x.get(name, Fraction(0)) + value(f, units)
    return xs


def random_form(rng, names):
    f = constant(rng.choice([0, 0, 1, fmpq(1, 3)]))
    for n in names:
        if rng.random() < 0.7:
            f = f + rng.randint(-2, 2) * form(n)
    return f


def random_transformer(rng, causal):
    heads = []
    for k in range(4):
        r = rng.randint(0, 2)
        heads.append(
            Head(
                tuple(random_form(rng, NAMES) for _ in range(r)),
                tuple(random_form(rng, NAMES) for _ in range(r)),
                {f"v{k}": random_form(rng, NAMES), "x": random_form(rng, NAMES)},
                rng.choice(["product", "distance"]),
                rng.choice(["average", "first", "last"]),
            )
        )
    network = FeedForward(
        (
            {"a": random_form(rng, ("v0", "v1", "x")), "b": random_form(rng, ("v2", "v3"))},
            {"c": random_form(rng, "ab")},
        ),
        {"y": form("c"), "w": 2 * form("c") - 1},
    )
    last = Head((form("w"), constant(1)), (form("y"), form("v1")), {"out": form("y")}, "distance")
    return Transformer(NAMES, (Attention(tuple(heads), causal), network, Attention((last,), causal)))


def random_inputs(rng, n):
    return [[fmpq(rng.randint(-3, 3), rng.choice([1, 1, 2, 7])) for _ in NAMES] for _ in range(n)]


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_exact_evaluation_is_the_definition_in_fractions(seed, causal):
    rng = random.Random(seed)
    T, inputs = random_transformer(rng, causal), random_inputs(rng, 12)
    program = compiled(T)
    found = run(program, inputs)
    for x, wanted in zip(found, plain(T, inputs)):
        assert {n: fraction(x[k]) for n, k in program.index.items()} == wanted
    if causal:
        one_by_one = ExactRun(program)
        assert [one_by_one.push(x) for x in inputs] == found


def test_scores_that_doubles_cannot_tell_apart_are_compared_exactly():
    tiny = fmpq(1, 3**80)
    head = Head((form("x"),), (form("y"),), {"out": form("z")})
    keys = [1, 1 + tiny, 1 - tiny, 1 + tiny, fmpq(1, 2), 0, 1]
    inputs = [[1, k, j] for j, k in enumerate(keys)]
    program = compiled(Transformer(NAMES, (Attention((head,)),)))
    outs = [x[program.place("out")] for x in run(program, inputs)]
    assert outs == [0, 1, 1, 2, 2, 2, 2]  # from position 3 on the maximisers are 1 and 3


def test_huge_keys_are_compared_exactly():
    head = Head((form("x"),), (form("y"),), {"out": form("z")})
    inputs = [[1, 10**400 + j % 5, j] for j in range(9)]
    program = compiled(Transformer(NAMES, (Attention((head,)),)))
    assert [x[program.place("out")] for x in run(program, inputs)] == [0, 1, 2, 3, 4, 4, 4, 4, 4]


def test_softmax_in_balls_is_the_formula():
    head = Head((form("x"),), (form("y"),), {"out": form("z")}, rule="softmax")
    program = compiled(Transformer(NAMES, (Attention((head,), causal=False),)))
    out = run_balls(program, [[2, 0, 5], [0, 1, 7]])[0][program.place("out")]
    assert out.overlaps((5 + 7 * arb(2).exp()) / (1 + arb(2).exp()))
    assert out.rad() < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_doubles_lie_near_the_balls(seed):
    rng = random.Random(seed)
    heads = tuple(
        Head((random_form(rng, NAMES),), (random_form(rng, NAMES),), {f"h{k}": form(NAMES[k])}, rule="softmax")
        for k in range(3)
    )
    norm = LayerNorm(("h0", "h1", "h2"), ("n0", "n1", "n2"), fmpq(1, 100))
    T = Transformer(NAMES, (Attention(heads), norm, relu({"u": form("n0") - form("n1")}), linear({"x": form("u")})))
    inputs = random_inputs(rng, 6)
    program = compiled(T)
    balls = run_balls(program, inputs)
    floats = run_floats(program, np.array([[float(fraction(v)) for v in x] for x in inputs])).streams
    assert np.allclose(floats, [[float(b.mid()) for b in x] for x in balls], atol=1e-9)


def test_hardmax_in_balls_is_exact_on_ties_and_refuses_what_it_cannot_decide():
    head = Head((form("x"),), (form("y"),), {"out": form("z")})
    program = compiled(Transformer(NAMES, (Attention((head,), causal=False),)))
    outs = run_balls(program, [[1, 2, 5], [1, 2, 7], [1, 0, 0]])
    assert outs[0][program.place("out")] == 6
    third = arb(1) / 3
    with pytest.raises(Undecided, match="precision"):
        run_balls(program, [[1, third, 5], [1, fmpq(1, 3), 7]])


def test_exact_layer_norm_divides_by_rational_roots_only():
    norm = Transformer(NAMES, (LayerNorm(NAMES, ("a", "b", "c")),))
    program = compiled(norm)
    with pytest.raises(ValueError, match="balls"):
        run(program, [[0, 1, 2]])
    two = compiled(Transformer(("x", "y"), (LayerNorm(("x", "y"), ("a", "b")),)))
    assert run(two, [[3, 7]])[0][2:] == [-1, 1]


def test_softmax_has_no_exact_values():
    head = Head((), (), {"out": form("x")}, rule="softmax")
    with pytest.raises(ValueError, match="irrational"):
        run(compiled(Transformer(("x",), (Attention((head,)),))), [[1]])


def test_fixed_point_arithmetic_rounds_to_the_grid_and_refuses_numbers_that_leave_it():
    mean = Head((), (), {"mean": form("x")})
    program = compiled(Transformer(("x",), (Attention((mean,)),)))
    values = run_floats(program, np.array([[1.0], [0.0], [0.0]]), places=4).streams[:, 1]
    assert values.tolist() == [1.0, 0.5, 5 / 16]  # 1/3 on the grid of sixteenths
    with pytest.raises(ArithmeticError, match="50 bits"):
        run_floats(program, np.array([[2.0**47]]), places=4)


def test_the_gap_of_a_hardmax_is_the_distance_to_the_best_loser():
    head = Head((constant(1),), (form("x"),), {"out": form("x")})
    program = compiled(Transformer(("x",), (Attention((head,), causal=False),)))
    assert run_floats(program, np.array([[3.0], [2.5], [3.0], [-1.0]])).gap == 0.5


def test_parameters_are_the_nonzero_weights_and_biases():
    T = Transformer(NAMES, (linear({"u": 2 * form("x") - 3, "v": form("y") - form("y")}), relu({"w": form("u") / 3})))
    assert parameters(T) == [2, -3, fmpq(1, 3), 1]
    assert parameter_bits(T) == 3 + 3 + (1 + 1 + 2) + 2
    assert parameters(with_parameter(T, 1, lambda w: 5 * w)) == [2, -15, fmpq(1, 3), 1]
    with pytest.raises(IndexError):
        with_parameter(T, 4, lambda w: w)


def test_forms_refuse_floats_and_parts_refuse_unknown_coordinates():
    with pytest.raises(TypeError, match="exact"):
        form("x") * 0.5
    with pytest.raises(ValueError, match="no coordinate"):
        compiled(Transformer(NAMES, (linear({"u": form("nowhere")}),)))
    with pytest.raises(ValueError, match="accepted"):
        Head((), (), {}, rule="median")
    assert form("x") - form("x") == Form()
