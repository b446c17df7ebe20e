"""Certificate files by mutation: whatever is changed, only a file that is again a true proof may pass."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from solvers.certificates.files import sha256_of
from tests.claim_files import Write, load
from theorems import certificates, registry
from theorems.claim import Paper
from theorems.run.evaluate import Settings
from theorems.run.runner import run_claims
from theorems.verify import INVALID, UNREADABLE, VALID, main, verify

CLAIMS = """
from solvers.certificates import PolynomialProblem, SumOfSquares, WeightedSquare, conic_problem, polynomial, psd, soc

def solve(problem):
    from solvers.conic import certify
    return certify(problem)

@PAPER.bound(quick=3, domain=dict(k=Choices(2, 3, 7)), every=True)
def largest_eigenvalue(k):
    "the least t with t I - A psd, A = [[0, k], [k, 0]], is k; at most k + 1/10"
    problem = conic_problem(c=[1], A=[[-1], [0], [-1]], b=[0, Q(-k), 0], cones=[psd(2)])
    yield "upper", le(optimum(problem, solve), 2 * k + Q(1, 10))
    yield "lower", le(Q(1, 2), optimum(problem, solve))

@PAPER.bound(quick=3, domain=dict(k=Choices(2, 3, 7)), every=True)
def easier(k):
    "the same with half the matrix: a certificate of it proves nothing about the claim above"
    problem = conic_problem(c=[1], A=[[-1], [0], [-1]], b=[0, Q(-k, 2), 0], cones=[psd(2)])
    yield "upper", le(optimum(problem, solve), 2 * k + Q(1, 10))

@PAPER.bound(quick=2, domain=dict(k=Choices(2, 3)), every=True)
def quadratic(k):
    "min x^2 - 2 k x + k^2 + 1 over (1, x) in a cone |x| <= 1 is (k - 1)^2 + 1, for k >= 1"
    problem = conic_problem(c=[-2 * k], A=[[0], [-1]], b=[1, 0], cones=[soc(2)], P=[[2]], offset=k * k + 1)
    yield "value", le((k - 1) ** 2 + 1, optimum(problem, solve))

def complete(problem):
    k = -dict(problem.p)[(1,)] / 2
    return SumOfSquares(problem.p[0][1] - k * k, (WeightedSquare(None, ((0,), (1,)), ((k * k, -k), (-k, Q(1)))),))

@PAPER.bound(quick=2, domain=dict(k=Choices(2, 3)), every=True)
def polynomial_bound(k):
    "x^2 - 2 k x + k^2 + 1 >= 1 by completing the square"
    problem = PolynomialProblem(1, polynomial({(2,): 1, (1,): -2 * k, (0,): k * k + 1}))
    yield "value", le(1, optimum(problem, complete))

@PAPER.identity(evidence="proved")
def square():
    "(x + y)^2 = x^2 + 2 x y + y^2"
@square.proof("expansion")
def _expansion():
    x, y = symbols("x y")
    return eq((x + y) ** 2, x**2 + 2 * x * y + y**2)

@PAPER.bound(quick=50, domain=dict(x=Rationals(-3, 5), n=Integers(0, 40)))
def false(x, n):
    "Bernoulli on the wrong domain"
    return 1 + n * x, (1 + x) ** n
"""


def eigenvalue_proof(k: int) -> Any:
    """min t over [[t, -k], [-k, t]] PSD: both halves once more, with the standard library's rationals."""

    def is_proof(body: dict[str, Any]) -> bool:
        (t,), (p, q, r) = (
            tuple(Fraction(v) for v in body[half][name]) for half, name in (("primal", "x"), ("dual", "y"))
        )
        primal = t >= 0 and t * t >= k * k and t <= Fraction(body["primal"]["bound"])
        dual = p + r == 1 and p >= 0 and r >= 0 and 4 * p * r >= q * q and k * q >= Fraction(body["dual"]["bound"])
        return primal and dual

    return is_proof


def quadratic_proof(body: dict[str, Any]) -> bool:
    """min x^2 - 4 x + 5 over |x| <= 1: the optimum is 2, and no proof can say otherwise."""
    (x,), (w,), (s, y) = (
        tuple(Fraction(v) for v in body[half][name]) for half, name in (("primal", "x"), ("dual", "w"), ("dual", "y"))
    )
    primal = abs(x) <= 1 and x * x - 4 * x + 5 <= Fraction(body["primal"]["bound"])
    dual = 2 * w - y - 4 == 0 and s >= abs(y) and 5 - s - w * w >= Fraction(body["dual"]["bound"])
    return primal and dual


def square_proof(body: dict[str, Any]) -> bool:
    """x^2 - 4 x + 5 - bound = z^T G z with G PSD, compared at more points than the degree."""
    bound, squares = Fraction(body["bound"]), body["squares"]
    grams = [[[Fraction(v) for v in row] for row in square["gram"]] for square in squares]
    bases = [[exponents[0] for exponents in square["monomials"]] for square in squares]
    if body["multipliers"] or any(square["weight"] is not None or len(square["gram"]) > 2 for square in squares):
        return False
    for g in grams:
        if min(g[i][i] for i in range(len(g))) < 0 or (len(g) == 2 and g[0][0] * g[1][1] < g[0][1] * g[1][0]):
            return False
    return all(
        x * x - 4 * x + 5 - bound
        == sum(
            g[i][j] * Fraction(x) ** (z[i] + z[j])
            for g, z in zip(grams, bases, strict=True)
            for i in range(len(z))
            for j in range(len(z))
        )
        for x in range(-6, 7)
    )


PROOFS = {
    "largest-eigenvalue upper 1": eigenvalue_proof(3),
    "largest-eigenvalue lower 0": eigenvalue_proof(2),
    "quadratic value 0": quadratic_proof,
    "polynomial-bound value 0": square_proof,
}
MUTATED = (*PROOFS, "square expansion 0")


@pytest.fixture
def made(write: Write, tmp_path: Path) -> tuple[Paper, dict[str, Path]]:
    path = write(CLAIMS)
    paper = load(path)
    settings = Settings(certificates=True)
    run = run_claims([(str(path), c) for c in paper.claims.values()], settings, executor="serial")
    files = {}
    for result in run.claims:
        for file in certificates.files_of(result, settings):
            target = tmp_path / certificates.name_of(file)
            target.write_text(certificates.to_text(file))
            files[f"{result.id.split('/')[1]} {file.part} {file.instance}"] = target
    return paper, files


def test_every_written_file_is_valid(made: tuple[Paper, dict[str, Path]]) -> None:
    _, files = made
    assert {name.split()[0] for name in files} == {
        *("largest-eigenvalue", "easier", "quadratic", "polynomial-bound", "square", "false")
    }
    for path in files.values():
        status, message = verify(path)
        assert status == VALID, message


def resealed(data: dict[str, Any]) -> str:
    """The text with the digest recomputed, as an attacker would."""
    body = {k: v for k, v in data.items() if k != "digest"}
    return json.dumps({**body, "digest": sha256_of(body)})


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for k, v in items:
        yield (*path, k)
        yield from leaves(v, (*path, k))


def replaced(data: Any, path: tuple[Any, ...], change: Any) -> Any:
    changed = copy.deepcopy(data)
    at = changed
    for k in path[:-1]:
        at = at[k]
    if change is None:
        del at[path[-1]]
    else:
        at[path[-1]] = change(at[path[-1]])
    return changed


def nudged(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool) or value is None:
        return "1"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        try:
            p, _, q = value.partition("/")
            moved = fmpq(int(p), int(q or 1)) + fmpq(1, 1000)
            return str(moved)
        except ValueError:
            return value + "x"
    return [*value, "0"] if isinstance(value, list) else {**value, "more": "1"}


@pytest.mark.parametrize(
    "change", [nudged, None, lambda v: "0", lambda v: []], ids=["nudged", "dropped", "zeroed", "emptied"]
)
def test_tampered_files_never_pass_unless_they_prove_the_same_again(
    change: Any, made: tuple[Paper, dict[str, Path]], tmp_path: Path
) -> None:
    _, files = made
    tried = passed = 0
    for name in MUTATED:
        original = json.loads(files[name].read_text())
        for path in leaves(original):
            if path[0] == "digest":
                continue
            data = replaced(original, path, change)
            if data == original:
                continue
            plain = tmp_path / "plain.json"
            plain.write_text(json.dumps(data))
            assert verify(plain)[0] == UNREADABLE  # the digest no longer matches
            plain.write_text(resealed(data))
            status, _ = verify(plain)
            tried += 1
            if status == VALID:
                passed += 1
                assert proves_the_same(original, data), path
                for program in data["programs"]:
                    assert PROOFS[name](program["certificate"]), (name, path)
    assert tried > 80
    assert passed < tried / 4


def proves_the_same(original: dict[str, Any], data: dict[str, Any]) -> bool:
    """Only the body of a certificate was changed, or the seed of a grid (whose instances do not depend on it)."""
    ours, theirs = copy.deepcopy(original), copy.deepcopy(data)
    for d in (ours, theirs):
        for name in ("digest", "seed", "instances"):
            d.pop(name)
        for program in d["programs"]:
            program.pop("certificate")
    return ours == theirs


def test_a_certificate_of_an_easier_problem_is_rejected(made: tuple[Paper, dict[str, Path]], tmp_path: Path) -> None:
    _, files = made
    hard = json.loads(files["largest-eigenvalue upper 1"].read_text())
    easy = json.loads(files["easier upper 1"].read_text())
    for take in (("programs",), ("programs", "lhs", "margin", "resolution")):
        forged = tmp_path / "forged.json"
        forged.write_text(resealed({**hard, **{name: easy[name] for name in take}}))
        assert verify(forged)[0] == INVALID
    other = json.loads(files["largest-eigenvalue upper 2"].read_text())
    forged.write_text(resealed({**other, "instance": 1}))
    assert verify(forged)[0] == INVALID
    forged.write_text(resealed({**hard, "claim": easy["claim"]}))
    assert verify(forged)[0] == INVALID


def test_a_counterexample_of_another_seed_is_rejected(made: tuple[Paper, dict[str, Path]], tmp_path: Path) -> None:
    _, files = made
    name = next(n for n in files if n.startswith("false"))
    data = json.loads(files[name].read_text())
    forged = tmp_path / "forged.json"
    forged.write_text(resealed({**data, "seed": data["seed"] + 1}))
    assert verify(forged)[0] == INVALID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "1" * 10**5,
        '{"a": NaN}',
        '{"a": 1, "a": 2}',
        "[" * 100_000,
        '{"schema": 1}',
        "\x00\xff",
        "é" * 99,
    ],
    ids=range(11),
)
def test_nonsense_is_unreadable_and_nothing_of_it_is_evaluated(text: str, tmp_path: Path) -> None:
    path = tmp_path / "nonsense.json"
    path.write_text(text)
    status, message = verify(path)
    assert status == UNREADABLE
    assert message
    assert "\n" not in message


def test_missing_files_binary_files_and_unknown_claims(tmp_path: Path, made: tuple[Paper, dict[str, Path]]) -> None:
    assert verify(tmp_path / "nowhere.json") == (UNREADABLE, "No such file or directory")
    (tmp_path / "claims.py").write_text("from theorems import Paper\n")
    status, message = verify(tmp_path / "claims.py")
    assert status == UNREADABLE
    assert message.startswith("no certificate file, which is JSON: ")
    binary = tmp_path / "binary.json"
    binary.write_bytes(bytes(range(256)))
    assert verify(binary)[0] == UNREADABLE
    _, files = made
    data = json.loads(files["square expansion 0"].read_text())
    unknown = tmp_path / "unknown.json"
    unknown.write_text(resealed({**data, "claim": "nobody/knows"}))
    assert verify(unknown)[0] == UNREADABLE


def test_exit_status_is_the_worst(
    made: tuple[Paper, dict[str, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, files = made
    good = str(files["square expansion 0"])
    data = json.loads(Path(good).read_text())
    bad = tmp_path / "bad.json"
    bad.write_text(resealed({**data, "decision": "against"}))
    assert main([good]) == VALID
    assert main([good, str(bad)]) == INVALID
    assert main([good, str(bad), str(tmp_path / "none.json")]) == UNREADABLE
    assert "1 valid, 1 invalid, 1 unreadable" in capsys.readouterr().out


def test_the_command_says_by_its_exit_status_what_it_found(made: tuple[Paper, dict[str, Path]], tmp_path: Path) -> None:
    paper, files = made
    good = files["quadratic value 0"]
    data = json.loads(good.read_text())
    invalid, unreadable = tmp_path / "invalid.json", tmp_path / "unreadable.json"
    invalid.write_text(resealed({**data, "margin": "7.0"}))
    unreadable.write_text(good.read_text().replace('"instance": 0', '"instance": 1'))
    options = ["-m", "theorems.verify", "--claims", str(good.parent / f"{paper.key}.py")]
    for flags, paths, status in (([], [good], 0), (["-O"], [good, invalid], 1), ([], [unreadable, invalid], 2)):
        command = [sys.executable, *flags, *options, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, (paths, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
    with pytest.raises(SystemExit) as usage:
        main([])
    assert usage.value.code == 2


def test_a_file_without_its_certificates_calls_no_solver(
    made: tuple[Paper, dict[str, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called(problem: object) -> None:
        raise RuntimeError("a solver was called")

    monkeypatch.setattr("solvers.conic.certify", called)
    _, files = made
    bare = tmp_path / "bare.json"
    for name in ("largest-eigenvalue upper 1", "quadratic value 0"):
        bare.write_text(resealed({**json.loads(files[name].read_text()), "programs": []}))
        status, message = verify(bare)
        assert status == INVALID
        assert "more certificates than the file holds" in message


def test_nested_content_is_unreadable_at_every_depth(made: tuple[Paper, dict[str, Path]], tmp_path: Path) -> None:
    _, files = made
    text = files["square expansion 0"].read_text()
    path = tmp_path / "deep.json"
    for depth in (41, 300, 900, *range(930, 1000, 2), 5000, 100_000):
        path.write_text(text.replace('"programs": []', f'"programs": {"[" * depth}{"]" * depth}'))
        assert path.read_text() != text
        assert verify(path)[0] == UNREADABLE


def test_random_damage_never_crashes_the_verifier(made: tuple[Paper, dict[str, Path]], tmp_path: Path) -> None:
    _, files = made
    rng = random.Random(3)
    path = tmp_path / "damaged.json"
    for name in ("largest-eigenvalue upper 1", "false"):
        whole = next(p for n, p in files.items() if n.startswith(name)).read_bytes()
        for _ in range(150):
            damaged = bytearray(whole)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(damaged))
                damaged[at : at + rng.randint(0, 3)] = bytes(
                    rng.choice(b'0123456789"[]{},:-/eE\\ \xff') for _ in range(2)
                )
            path.write_bytes(damaged)
            status, message = verify(path)
            assert status == UNREADABLE  # the digest, at the latest
            assert "\n" not in message


def test_verification_loads_no_solver(made: tuple[Paper, dict[str, Path]]) -> None:
    paper, files = made
    claim_file = files["square expansion 0"].parent / f"{paper.key}.py"
    code = f"""
import sys
from theorems.verify import main
status = main([{str(files["largest-eigenvalue upper 1"])!r}, "--claims", {str(claim_file)!r}])
print("STATUS", status, [m for m in ("cvxpy", "clarabel", "highspy", "scipy", "sympy", "hypothesis") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "STATUS 0 []" in done.stdout, (done.stdout, done.stderr)


def test_the_file_shown_in_the_documentation_is_the_one_that_its_claim_gives(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "certificates.md").read_text(encoding="utf-8")
    program, shown = (page.split(f"```{language}\n")[1].split("```")[0] for language in ("python", "json"))
    path = tmp_path / "simplex_claims.py"
    path.write_text(program)
    paper = load(path)
    try:
        settings = Settings(certificates=True)
        run = run_claims([(str(path), c) for c in paper.claims.values()], settings, executor="serial")
        texts = [certificates.to_text(f) for f in certificates.files_of(run.claims[0], settings)]
        assert json.loads(shown) in [json.loads(text) for text in texts]
        copy_of_the_page = tmp_path / "shown.json"
        copy_of_the_page.write_text(shown)
        assert verify(copy_of_the_page)[0] == VALID
    finally:
        registry._PAPERS.pop(paper.key, None)
