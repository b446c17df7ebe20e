"""The table of PEPit's examples: what is declared, what is certified, and on which side PEPit's own number lies."""

from __future__ import annotations

import fnmatch
import sys
import warnings
from pathlib import Path
from typing import Any

from theorems import registry
from theorems.report.arguments import UsageError

STATUS = {"holds": 0, "refuted": 1, "error": 4, "inconclusive": 3}
HEAD = ("example", "declared", "theory", "certified from", "to", "PEPit", "side", "verdict", "mutants")


def main(glob: str, seed: int = 0) -> int:
    """Run the examples that a glob selects, print the table, and return the exit status.

    Args:
        glob: over `package.module` or the bare name of the `wc_` function's module (`wc_gradient_descent`).
        seed: root seed of the run.
    """
    try:
        import PEPit  # noqa: F401
    except ImportError:
        raise UsageError("--pepit needs PEPit: pip install 'theorems[pepit]'") from None
    warnings.filterwarnings("ignore")
    from solvers.performance.pepit import declared
    from theorems.run.evaluate import Settings
    from theorems.run.runner import run_claims

    file = str(Path(__file__).parent.parent / "pepit_claims.py")
    (paper,) = registry.load_file(file)
    claims = sys.modules[paper.module]
    chosen = [m for m in claims.MODULES if _named(m.removeprefix(claims.PREFIX), glob)]
    if not chosen:
        raise UsageError(f"no example of PEPit matches {glob!r}; try --pepit '*gradient_descent*'")
    rows, worst = [HEAD], 0
    for module in chosen:
        path = module.removeprefix(claims.PREFIX)
        kind = declared(module)
        verdict, mutants = "", ""
        claim = claims.PAPER.claims.get(f"pepit/{path}")
        if claim is not None:
            result = run_claims([(file, claim)], Settings(seed=seed), executor="serial").claims[0]
            verdict = str(result.verdict) + (f": {result.reason[:60]}" if result.reason else "")
            mutants = f"{sum(m.killed for m in result.mutants)}/{len(result.mutants)}"
            worst = _worse(worst, STATUS.get(str(result.verdict), 4))
        rows.append((path, kind, *_numbers(claims, module), verdict, mutants))
        print("  ".join(rows[-1]), flush=True) if len(chosen) > 20 else None
    widths = [max(len(r[i]) for r in rows) for i in range(len(HEAD))]
    for row in rows:
        print("  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip())
    return worst


def _named(path: str, glob: str) -> bool:
    bare = "wc_" + path.rsplit(".", 1)[-1]
    return fnmatch.fnmatchcase(path, glob) or fnmatch.fnmatchcase(bare, glob)


def _worse(a: int, b: int) -> int:
    order = (0, 3, 4, 1)
    return max(a, b, key=order.index)


def _numbers(claims: Any, module: str) -> tuple[str, str, str, str, str]:
    """Theory, both certified ends, PEPit's number, and whether that is on the safe side."""
    from solvers.performance import enclose

    try:
        found = claims.example(module)
        program = claims.program(module)
        if program.shape[1] > claims.LARGEST:
            return _text(found.theory), "-", f"- ({program.shape[1]} variables)", _text(found.value), "?"
        certified = enclose(program)
    except Exception as error:  # an example that PEPit itself cannot run is a row of the table
        return "", "-", f"- ({type(error).__name__})", "", "?"
    low = None if certified.upper is None else -certified.upper
    high = None if certified.lower is None else -certified.lower
    side = "?"
    if found.value is not None:
        from solvers.conic import reconstruct

        value = reconstruct(found.value)
        side = (
            "below" if low is not None and value < low else "safe" if high is not None and value >= high else "within"
        )
    return _text(found.theory), _rational(low), _rational(high), _text(found.value), side


def _text(x: float | None) -> str:
    return "-" if x is None else f"{x:.9g}"


def _rational(x: Any) -> str:
    return "-" if x is None else f"{int(x.p) / int(x.q):.9g}"
