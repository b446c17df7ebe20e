"""`python -m theorems.verify FILE...`: re-check certificate files in exact arithmetic, without any solver.

Each file names a claim, an instance and a seed. The instance and its problem are rebuilt from the claim, the
certificate is checked against that problem, and everything that can be recomputed is recomputed and compared.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from solvers.certificates import InvalidCertificate
from theorems import certificates, registry
from theorems.claim import Claim, ClaimError

VALID, INVALID, UNREADABLE = 0, 1, 2

EPILOG = """\
exit status: 0 every file is valid, 1 some are invalid, 2 some cannot be read or name an unknown claim

examples:
  python -m theorems.report decoding_game --certificates certificates/
  python -m theorems.verify certificates/*.json
  python -m theorems.verify mine.json --claims my_claims.py
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; returns the exit status."""
    if sys.flags.optimize >= 2:
        print(
            "theorems.verify: python -OO removes docstrings, and a claim's statement is its docstring", file=sys.stderr
        )
        return UNREADABLE
    parser = argparse.ArgumentParser(
        prog="python -m theorems.verify",
        description=__doc__.split(":", 1)[1].strip() if __doc__ else "",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="certificate files (JSON)")
    parser.add_argument(
        "--claims", action="append", default=[], metavar="FILE", help="your own claim file(s), loaded first"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print failures and the last line only")
    options = parser.parse_args(argv)
    try:
        for path in options.claims:
            registry.load_file(path)
    except ClaimError as error:
        print(f"theorems.verify: {error}", file=sys.stderr)
        return UNREADABLE
    worst, counts = VALID, {VALID: 0, INVALID: 0, UNREADABLE: 0}
    for name in options.files:
        status, message = verify(Path(name))
        counts[status] += 1
        worst = max(worst, status)
        if status != VALID or not options.quiet:
            word = {VALID: "valid", INVALID: "INVALID", UNREADABLE: "unreadable"}[status]
            print(f"{word}  {name}: {message}", file=sys.stdout if status == VALID else sys.stderr)
    total = len(options.files)
    print(
        f"{total} file{'s' if total != 1 else ''}: {counts[VALID]} valid, {counts[INVALID]} invalid, {counts[UNREADABLE]} unreadable"
    )
    return worst


def verify(path: Path) -> tuple[int, str]:
    """(status, message) for one file; whatever it contains, nothing of it is evaluated."""
    if path.is_dir():
        return UNREADABLE, f"a folder; name its files, {path}/*.json"
    try:
        size = os.path.getsize(path)
        if size > 4 * certificates.LONGEST:
            return UNREADABLE, f"{size} bytes; at most {4 * certificates.LONGEST} are read"
        file = certificates.from_text(path.read_text(encoding="utf-8"))
    except OSError as error:
        return UNREADABLE, error.strerror or _line(error)
    except json.JSONDecodeError as error:
        return UNREADABLE, f"no certificate file, which is JSON: {_line(error)}"
    except ValueError as error:
        return UNREADABLE, _line(error)
    try:
        claim = _claim(file.claim)
    except (KeyError, ClaimError, ImportError) as error:
        return UNREADABLE, f"{_line(error)} (a claim of your own: add --claims FILE.py)"
    try:
        return VALID, certificates.recheck(file, claim)
    except InvalidCertificate as error:
        return INVALID, _line(error)
    except Exception as error:  # the claim's own code broke on what the file asks for: the file proves nothing
        return INVALID, f"the claim cannot be repeated: {type(error).__name__}: {_line(error)}"


def _claim(claim_id: str) -> Claim:
    key = claim_id.split("/", 1)[0]
    if claim_id not in registry.claims() and key in registry.library_keys():
        registry.load_paper(key)
    return registry.find(claim_id)


def _line(error: BaseException) -> str:
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    lines = text.strip().splitlines()
    return lines[0] if lines else type(error).__name__


if __name__ == "__main__":
    raise SystemExit(main())
