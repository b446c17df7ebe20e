"""Decoding in exact arithmetic beside the same description in plain Fractions and in doubles, in one run.

Run with `pytest benchmarks/bench_transformers.py`; `extra_info` holds tokens per second of all three and their ratios. The model is a
running counter: means over the past, recovered exactly by a nearest-neighbour head, as in prompted computation.
"""

import time
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from solvers.transformers import Attention, Head, Transformer, compiled, constant, form, linear, relu
from solvers.transformers.exact import ExactRun

INPUTS = ("up", "i", "1/(i+1)")


def counter(layers=3):
    """Layers that average a coordinate, recover the count, and step on."""
    parts, source = [], "up"
    for k in range(layers):
        i, inverse = form("i"), form("1/(i+1)")
        parts.append(Attention((Head((), (), {f"mean {k}": form(source)}),)))
        query, key = (form(f"mean {k}"), inverse), (constant(1), -i)
        parts.append(Attention((Head(query, key, {f"count {k}": i}, "distance"),)))
        parts.append(relu({f"odd {k}": 1 - form(f"count {k}"), f"even {k}": form(f"count {k}") - 2}))
        parts.append(linear({f"next {k}": form("up") * 1}))
        source = f"next {k}"
    return Transformer(INPUTS, tuple(parts))


def inputs(T):
    return [(int(i % 3 == 0), i, fmpq(1, i + 1)) for i in range(T)]


def exact_run(transformer, xs):
    run = ExactRun(compiled(transformer))
    return [run.push(x) for x in xs][-1]


def incremental(transformer, xs, number):
    """Plain code for one position after another: every score computed, in numbers of one type."""
    program = compiled(transformer)

    def affine(row, x):
        return sum((number(w) * x[i] for i, w in row[1]), number(row[0]))

    memories = {}
    for values in xs:
        x = [number(v) for v in values] + [number(0)] * (program.width - len(INPUTS))
        for p, part in enumerate(program.parts):
            if not hasattr(part, "heads"):
                units = x
                for rows in part.layers:
                    units = [max(affine(r, units), number(0)) for r in rows]
                for place, r in zip(part.output.places, part.output.rows):
                    x[place] += affine(r, units)
                continue
            for h, head in enumerate(part.heads):
                memory = memories.setdefault((p, h), [])
                memory.append(([affine(r, x) for r in head.key], [affine(r, x) for r in head.value.rows]))
                query = [affine(r, x) for r in head.query]
                scores = [sum((a * b for a, b in zip(query, k)), number(0)) for k, _ in memory]
                if head.score == "distance":
                    scores = [-abs(s) for s in scores]
                top = max(scores)
                best = [v for s, (_, v) in zip(scores, memory) if s == top]
                for place, column in zip(head.value.places, zip(*best)):
                    x[place] += sum(column) / number(len(best))
    return x


def fraction(v):
    return Fraction(int(v.p), int(v.q)) if isinstance(v, fmpq) else Fraction(v)


def float_run(transformer, xs):
    """NumPy, one position after another, with remembered keys and values."""
    program, T = compiled(transformer), len(xs)

    def dense(rows):
        W = np.zeros((len(rows), program.width))
        for k, (_, terms) in enumerate(rows):
            for i, w in terms:
                W[k, i] = float(fraction(w))
        return W, np.array([float(fraction(r[0])) for r in rows])

    parts = []
    for part in program.parts:
        if hasattr(part, "heads"):
            parts.append(
                [
                    (h, *dense(h.query), *dense(h.key), *dense(h.value.rows), np.zeros((T, len(h.key))),
                     np.zeros((T, len(h.value.rows))))
                    for h in part.heads
                ]
            )  # fmt: skip
        else:
            parts.append((part, [dense(rows) for rows in part.layers]))
    x = np.zeros(program.width)
    for i, values in enumerate(xs):
        x = np.zeros(program.width)
        x[: len(INPUTS)] = [float(fraction(v)) for v in values]
        for part in parts:
            if isinstance(part, list):
                for h, Wq, bq, Wk, bk, Wv, bv, K, V in part:
                    K[i], V[i] = Wk @ x + bk, Wv @ x + bv
                    scores = K[: i + 1] @ (Wq @ x + bq)
                    scores = -np.abs(scores) if h.score == "distance" else scores
                    x[list(h.value.places)] += V[: i + 1][scores >= scores.max() - 1e-9].mean(axis=0)
            else:
                network, layers = part
                units = x
                for W, b in layers:
                    units = np.maximum(W[:, : len(units)] @ units + b, 0)
                for place, (constant_, terms) in zip(network.output.places, network.output.rows):
                    x[place] += float(fraction(constant_)) + sum(float(fraction(w)) * units[k] for k, w in terms)
    return x


@pytest.mark.parametrize("T", [100, 400])
def test_exact_decoding_beside_fractions_and_doubles(benchmark, T):
    transformer, xs = counter(), inputs(T)
    times, results = {}, {}
    for name, f in (
        ("fractions", lambda: incremental(transformer, xs, fraction)),
        ("doubles", lambda: float_run(transformer, xs)),
    ):
        start = time.perf_counter()
        results[name] = f()
        times[name] = time.perf_counter() - start
    ours = benchmark.pedantic(lambda: exact_run(transformer, xs), rounds=3)
    assert [fraction(v) for v in ours] == results["fractions"]
    assert np.allclose([float(fraction(v)) for v in ours], results["doubles"])
    seconds = benchmark.stats.stats.median
    benchmark.extra_info["tokens_per_second"] = round(T / seconds)
    benchmark.extra_info["times_faster_than_fractions"] = round(times["fractions"] / seconds, 1)
    benchmark.extra_info["times_faster_than_doubles"] = round(times["doubles"] / seconds, 2)


def test_exact_decoding_of_thousands_of_positions(benchmark):
    transformer, xs = counter(), inputs(4000)
    ours = benchmark.pedantic(lambda: exact_run(transformer, xs), rounds=1)
    assert ours[compiled(transformer).place("count 2")] == len([x for x in xs if x[0]])
    benchmark.extra_info["tokens_per_second"] = round(len(xs) / benchmark.stats.stats.median)
