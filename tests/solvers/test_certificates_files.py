"""Certificates of every kind under tampering: each leaf changed, each field dropped, easier problems, forged digests.

The documents here carry what a certificate file carries about one certificate (`theorems.certificates` adds what the
claim's run said), read by the same strict reader and decided by the same check.
"""

import copy
import hashlib
import json
import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq

from solvers.certificates import (
    Enclosure,
    InvalidCertificate,
    PolynomialProblem,
    SumOfSquares,
    WeightedSquare,
    check,
    conic_problem,
    nonneg,
    polynomial,
    problem_digest,
    psd,
    schema,
    zero,
)
from solvers.certificates.files import canonical, parse_strict, sha256_of
from solvers.conic import certify, lp

IDENTITY = {"claim": "demo/bound", "part": "upper", "instance": 3, "seed": 7, "family": "programs", "budget": "quick"}
TEXTS, COUNTS = ("claim", "part", "family", "budget", "statement", "problem"), ("instance", "seed")


@dataclass(frozen=True)
class Document:
    """One certificate with its identity, the statement it is said to prove, and the digest of its problem."""

    claim: str
    part: str
    instance: int
    seed: int
    family: str
    budget: str
    statement: str
    problem: str
    certificate: Any


def document(problem, certificate):
    return Document(
        **IDENTITY,
        statement=check(problem, certificate).statement,
        problem=problem_digest(problem),
        certificate=certificate,
    )


def text_of(doc):
    body = {**vars(doc), "kind": schema.kind_of(doc.certificate), "certificate": schema.to_json(doc.certificate)}
    return canonical({**body, "digest": sha256_of(body)}, indent=1)


def read(text):
    data = parse_strict(text)
    schema.expect_fields("the document", data, {*Document.__dataclass_fields__, "kind", "digest"})
    digest = data.pop("digest")
    if digest != sha256_of(data):
        raise ValueError("the digest does not match the content")
    for name in TEXTS:
        schema.text(name, data[name], 500)
    for name in COUNTS:
        schema.integer(name, data[name], 0, 1 << 62)
    kind = data.pop("kind")
    return Document(**{**data, "certificate": schema.read(kind, data["certificate"], "certificate")})


def verified(doc, problem):
    """What the document proves of a problem that was rebuilt; raises `InvalidCertificate` otherwise."""
    if doc.problem != problem_digest(problem):
        raise InvalidCertificate("made for another problem")
    proven = check(problem, doc.certificate)
    if proven.statement != doc.statement:
        raise InvalidCertificate(f"states {doc.statement!r} and proves {proven.statement!r}")
    return proven


def linear(rng):
    """A feasible bounded linear program, unbounded below or infeasible by turns of `rng`."""
    A = [[rng.randint(1, 5) for _ in range(3)] for _ in range(3)]
    return lp([rng.randint(-5, -1) for _ in range(3)], A, [rng.randint(1, 9) for _ in range(3)]).problem


def infeasible(rng):
    a, b = rng.randint(1, 5), rng.randint(1, 5)
    return conic_problem([1, 1], [[a, b], [-a, -b]], [1, -1 - rng.randint(1, 3)], [nonneg(2)])


def unbounded(rng):
    return conic_problem([-rng.randint(1, 5), 0], [[-1, 0], [1, -1]], [rng.randint(0, 3), 0], [nonneg(2)])


def quadratic(rng):
    # irrational multipliers cannot occur: min x^2 + y^2 - c.x over a box
    c = [rng.randint(1, 9) for _ in range(2)]
    return conic_problem([-c[0], -c[1]], [[1, 0], [0, 1], [1, 1]], [1, 2, 2], [nonneg(3)], P=[[2, 1], [1, 2]])


def semidefinite(rng):
    # the smallest eigenvalue of a random symmetric matrix, irrational as a rule: min <C, X>, tr X = 1, X PSD
    C = [rng.randint(-9, 9) * (1 if k in (0, 2, 5) else 2) for k in range(6)]
    minus = [[-int(i == j) for j in range(6)] for i in range(6)]
    return conic_problem(C, [[1, 0, 1, 0, 0, 1], *minus], [1, *[0] * 6], [zero(1), psd(3)])


def balls(rng):
    with ctx.workprec(128):
        return conic_problem(
            [1, 1], [[-arb(rng.randint(2, 10**6)).sqrt(), -1], [-1, 0], [0, -1]], [-1, 0, 0], [nonneg(3)]
        )


def squares(rng):
    a = rng.randint(1, 10**6)  # x^2 - 2 a x + a^2 + 1 >= 1
    return PolynomialProblem(1, polynomial({(2,): 1, (1,): -2 * a, (0,): a * a + 1}), (polynomial({(0,): a, (1,): 1}),))


def prove(problem):
    if isinstance(problem, PolynomialProblem):
        a = -dict(problem.p)[(1,)] / 2
        gram = ((a * a, -a), (-a, fmpq(1)))
        return SumOfSquares(fmpq(1), (WeightedSquare(None, ((0,), (1,)), gram),))
    return certify(problem).certificate


KINDS = [linear, infeasible, unbounded, quadratic, semidefinite, balls, squares]


def rebuild(kind, file):
    """What the verifying command does: the problem from the identity in the file, never from its body."""
    identity = [file.claim, file.part, file.instance, file.seed, file.family, file.budget]
    return kind(random.Random(json.dumps(identity)))


def made(kind):
    problem = rebuild(kind, Document(**IDENTITY, statement="", problem="", certificate=None))
    return problem, document(problem, prove(problem))


def forged(data):
    """The text with a digest recomputed by someone who knows the scheme."""
    body = {name: value for name, value in data.items() if name != "digest"}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return json.dumps({**body, "digest": hashlib.sha256(canonical.encode()).hexdigest()})


def leaves(node, path=()):
    if isinstance(node, dict):
        for name, value in node.items():
            yield from leaves(value, (*path, name))
    elif isinstance(node, list):
        for k, value in enumerate(node):
            yield from leaves(value, (*path, k))
    else:
        yield path


def containers(node, path=()):
    if isinstance(node, dict | list):
        yield path
        for k, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from containers(value, (*path, k))


def at(data, path):
    for step in path:
        data = data[step]
    return data


def changed_values(value):
    """Neighbours of a leaf: other numbers, other types."""
    if isinstance(value, bool) or value is None:
        return [[], "0", 1]
    if isinstance(value, int):
        return [value + 1, value - 1, str(value), float(value), True]
    try:
        number = Fraction(value)
    except ValueError:
        return [value + "x", "", value.upper(), None, 0]
    exact = [number + 1, -number, number * Fraction(10**6 + 1, 10**6), number + Fraction(1, 10**30), Fraction(0)]
    return [*(str(v) for v in exact), value + ".0", " " + value, int(number), None]


def tampered(data):
    """Every single change: leaves replaced, fields and entries dropped, entries repeated, unknown fields added."""
    for path in leaves(data):
        for value in changed_values(at(data, path)):
            if value == at(data, path) and type(value) is type(at(data, path)):
                continue
            other = copy.deepcopy(data)
            at(other, path[:-1])[path[-1]] = value
            yield path, other
    for path in containers(data):
        keys = list(at(data, path)) if isinstance(at(data, path), dict) else range(len(at(data, path)))
        for key in keys:
            other = copy.deepcopy(data)
            del at(other, path)[key]
            yield (*path, key), other
        other = copy.deepcopy(data)
        if isinstance(at(other, path), dict):
            at(other, path)["extra"] = "0"
        elif at(other, path):
            at(other, path).append(at(other, path)[-1])
        else:
            continue
        yield path, other


@pytest.mark.parametrize("kind", KINDS)
def test_file_is_read_back_unchanged_and_verifies(kind):
    problem, file = made(kind)
    text = text_of(file)
    assert read(text) == file
    assert text_of(read(text)) == text
    assert verified(read(text), problem).statement == file.statement
    assert verified(read(text), rebuild(kind, file)).statement == file.statement


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_without_a_new_digest_is_unreadable(kind):
    _, file = made(kind)
    data = json.loads(text_of(file))
    count = 0
    for path, other in tampered(data):
        count += 1
        with pytest.raises(ValueError):
            read(json.dumps(other))
        assert json.dumps(other) != json.dumps(data), path
    assert count > 80


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_with_a_forged_digest_passes_only_if_it_is_again_a_proof(kind):
    problem, file = made(kind)
    rejected, passed = 0, []
    for path, other in tampered(json.loads(text_of(file))):
        try:
            changed = read(forged(other))
            verified(changed, rebuild(kind, changed))
        except (ValueError, InvalidCertificate):
            rejected += 1
            continue
        passed.append((path, changed))
    assert rejected > 80
    for path, changed in passed:
        if path == ("digest",):  # the forger restored it
            assert changed == file
            continue
        # same claim, same instance, same statement: only the body differs, and it is a proof by independent arithmetic
        assert path[0] == "certificate", path
        assert (changed.statement, changed.problem) == (file.statement, file.problem)
        assert proves_independently(problem, changed.certificate), path


def proves_independently(problem, certificate):
    """The conditions of each certificate once more, with `fractions` and other algorithms than the checker's."""
    if isinstance(certificate, SumOfSquares):
        return sum_of_squares_independently(problem, certificate)
    if not problem.is_exact:
        return ball_enclosure_independently(problem, certificate)
    m, n = problem.shape
    A = [[Fraction(0)] * n for _ in range(m)]
    for i, row in enumerate(problem.rows):
        for j, value in row:
            A[i][j] = as_fraction(value)
    b, c = [as_fraction(v) for v in problem.b], [as_fraction(v) for v in problem.c]
    P = [[Fraction(0)] * n for _ in range(n)]
    for i, row in enumerate(problem.P or ()):
        for j, value in row:
            P[i][j] = as_fraction(value)

    def times(M, x):
        return [sum(u * v for u, v in zip(row, x)) for row in M]

    def dual_feasible(w, y, constant):
        image = [sum(A[i][j] * y[i] for i in range(m)) for j in range(n)]
        return all(p + a + k == 0 for p, a, k in zip(times(P, w), image, constant)) and in_cones(problem, y, dual=True)

    if hasattr(certificate, "direction"):
        d = [as_fraction(v) for v in certificate.direction]
        falls = sum(u * v for u, v in zip(c, d)) < 0
        point = [as_fraction(v) for v in certificate.x]
        return (
            falls
            and in_cones(problem, [-v for v in times(A, d)], dual=False)
            and in_cones(problem, [u - v for u, v in zip(b, times(A, point))], dual=False)
        )
    if hasattr(certificate, "y"):
        y = [as_fraction(v) for v in certificate.y]
        return dual_feasible([Fraction(0)] * n, y, [Fraction(0)] * n) and sum(u * v for u, v in zip(b, y)) < 0
    assert isinstance(certificate, Enclosure)
    x = [as_fraction(v) for v in certificate.primal.x]
    y = [as_fraction(v) for v in certificate.dual.y]
    w = [as_fraction(v) for v in certificate.dual.w or (fmpq(0),) * n]
    upper = sum(u * v for u, v in zip(c, x)) + sum(u * v for u, v in zip(x, times(P, x))) / 2
    lower = -sum(u * v for u, v in zip(b, y)) - sum(u * v for u, v in zip(w, times(P, w))) / 2
    return (
        in_cones(problem, [u - v for u, v in zip(b, times(A, x))], dual=False)
        and dual_feasible(w, y, c)
        and upper <= as_fraction(certificate.primal.bound)
        and lower >= as_fraction(certificate.dual.bound)
    )


def as_fraction(value):
    return Fraction(int(value.p), int(value.q))


def in_cones(problem, values, dual):
    """Cones of the test problems: zero, nonneg, and PSD of order 3 by all principal minors."""
    at = 0
    for cone in problem.cones:
        part = values[at : at + cone.rows]
        at += cone.rows
        if cone.kind == "zero":
            if not dual and any(part):
                return False
        elif cone.kind == "nonneg":
            if min(part) < 0:
                return False
        else:
            a, s, d, t, u, f = part
            if dual:
                s, t, u = s / 2, t / 2, u / 2
            two = [a * d - s * s, a * f - t * t, d * f - u * u]
            three = a * (d * f - u * u) - s * (s * f - u * t) + t * (s * u - d * t)
            if min(a, d, f, *two, three) < 0:
                return False
    return True


def ball_enclosure_independently(problem, certificate):
    """min x + y with r x + y >= 1, x, y >= 0 for r = sqrt(integer) > 1: the optimum is 1/r; 500 bits decide."""
    squared = round(float(problem.rows[0][0][1] ** 2))
    with ctx.workprec(500):
        optimum = 1 / arb(squared).sqrt()
        return bool(certificate.dual.bound <= optimum) and bool(optimum <= certificate.primal.bound)


def sum_of_squares_independently(problem, proof):
    """Evaluation at more points than the degree, and 2 x 2 (or smaller) Gram matrices by their minors."""
    for square in proof.squares:
        gram = square.gram
        minors = [gram[i][i] for i in range(len(gram))]
        if len(gram) == 2:
            minors.append(gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0])
        if len(gram) > 2 or min(minors) < 0:
            return False

    def value(q, x):
        return sum((coefficient * fmpq(x) ** exponents[0] for exponents, coefficient in q), fmpq(0))

    for x in range(-12, 13):
        total = value(problem.p, x) - proof.bound
        for square in proof.squares:
            z = [fmpq(x) ** e for (e,) in square.monomials]
            form = sum(z[i] * g * z[j] for i, row in enumerate(square.gram) for j, g in enumerate(row))
            total -= form * (1 if square.weight is None else value(problem.inequalities[square.weight], x))
        if total != 0:
            return False
    return True


def test_certificate_of_an_easier_problem_is_rejected_twice():
    # min x + y over x + y >= 1, against the harder claim x + y >= 2: by the digest, and by the conditions themselves
    easy = conic_problem([1, 1], [[-1, -1]], [-1], [nonneg(1)])
    hard = conic_problem([1, 1], [[-1, -1]], [-2], [nonneg(1)])
    proof = certify(easy).certificate
    file = document(easy, proof)
    with pytest.raises(InvalidCertificate, match="not in cone"):
        document(hard, proof)
    assert verified(file, easy).lower == 1
    with pytest.raises(InvalidCertificate, match="made for another problem"):
        verified(file, hard)
    relabelled = Document(**IDENTITY, statement="1 <= optimum <= 1", problem=problem_digest(hard), certificate=proof)
    with pytest.raises(InvalidCertificate, match="not in cone"):
        verified(relabelled, hard)


def test_statement_must_be_the_one_proven():
    problem, file = made(linear)
    stronger = Document(**{**vars(file), "statement": "0 <= optimum <= 0"})
    with pytest.raises(InvalidCertificate, match="states"):
        verified(stronger, problem)


def test_text_that_is_not_strict_json_is_refused():
    _, file = made(linear)
    text = text_of(file)
    repeated = text.replace('"instance": 3', '"instance": 3, "instance": 3')
    point = text.replace('"instance": 3', '"instance": 3e0')
    endless = text.replace('"instance": 3', '"instance": ' + "9" * 5000)
    for other in ("", "null", "[]", "{}", "NaN", "{" * 10, "[" * 100_000, text[:-3], repeated, point, endless):
        assert other != text
        with pytest.raises(ValueError):
            read(other)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("kind", "__import__", "unknown kind '__import__'"),
        ("kind", "primal-point", "missing fields"),
        ("kind", ["enclosure"], "unknown kind"),
        ("kind", None, "unknown kind"),
        ("instance", -3, "an integer from 0"),
        ("instance", True, "an integer from 0"),
        ("seed", "7", "an integer from 0"),
        ("claim", "x" * 501, "at most 500 characters"),
        ("certificate", "0", "expected an object"),
        ("certificate", [], "expected an object"),
    ],
)
def test_nonsense_with_a_matching_digest_is_refused_by_name(field, value, reason):
    _, file = made(linear)
    with pytest.raises(ValueError, match=reason):
        read(forged({**json.loads(text_of(file)), field: value}))


def test_sizes_are_limited():
    _, file = made(linear)
    data = json.loads(text_of(file))
    data["certificate"]["primal"]["x"][0] = "1" + "0" * 20_000
    with pytest.raises(ValueError, match="digits"):
        read(forged(data))
    data["certificate"]["primal"]["x"] = ["0"] * 1_000_001
    with pytest.raises(ValueError, match="1000001 entries"):
        read(forged(data))


def test_digest_does_not_depend_on_layout_and_identifies_the_problem():
    problem, file = made(quadratic)
    text = text_of(file)
    assert read(json.dumps(json.loads(text), indent=7)) == file
    other = quadratic(random.Random(1))
    assert problem_digest(problem) != problem_digest(other)
    assert problem_digest(problem) == problem_digest(rebuild(quadratic, file))
    assert problem_digest(balls(random.Random(1))) == ""
