"""The pictures of docs/relu.md and docs/worst_cases.md: run `python docs/pictures.py` to draw them again."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from pathlib import Path

from flint import fmpq

from solvers.performance import Performance, smooth_strongly_convex, squared
from solvers.relu import dual_constraint, staircase, train
from theorems.claim import Record
from theorems.curves import curve
from theorems.report.figures import draw

FOLDER = Path(__file__).parent / "img"
STYLE = (
    "svg{background:#fff}path,circle{fill:none}text{font-family:sans-serif;fill:#575d68}.tick{font-size:10.5px}"
    ".label{font-size:11px;font-weight:600}.end{text-anchor:end}.mid{text-anchor:middle}.grid{stroke:#d5d9df;stroke-width:.6}"
    ".axis{stroke:#575d68}.dots{stroke-width:5;stroke-linecap:round}.series{stroke-width:1.5}.s0{stroke:#0b57a4}"
    ".s1{stroke:#14692f}.s2{stroke:#b3181f}.ring{stroke:#b3181f;stroke-width:1.6}.claimed{stroke:#b3181f;stroke-dasharray:6 3}"
)


def pictures() -> Iterator[tuple[str, str]]:
    """(file name, SVG) of each picture."""
    for name, title, rows in (
        ("relu-circle.svg", "The dual constraint over the circle of directions", list(circle())),
        ("relu-staircase.svg", "Components and isolated points of the optimal networks by width", list(stairs())),
        ("worst-cases.svg", "Worst distance to the minimiser after three steps", list(worst_cases())),
    ):
        text = draw(title, [r.row for r in rows], name.removesuffix(".svg"))
        start, rest = text.split(">", 1)
        yield name, f'{start} xmlns="http://www.w3.org/2000/svg"><style>{STYLE}</style>{rest}\n'


def circle() -> Iterator[Record]:
    """The one-dimensional data of the page, with bias."""
    solution = train([[-2], [-1], [0], [1], [2], [3]], [2, 0, -1, 0, 1, 3], "1/4", bias=True)
    seen = dual_constraint(solution)
    turns = [v / pi for v in seen.angles.tolist()]
    yield curve("circle", turns, seen.values, series="ν·(Xu)₊", axes=("angle / π", "dual constraint"))
    yield curve("circle", [0], [seen.beta], series="± β", mark="across")
    yield curve("circle", [0], [-seen.beta], series="± β", mark="across")
    places = [t / pi for t, _ in seen.tight]
    yield curve("circle", places, [s * seen.beta for _, s in seen.tight], series="tight", mark="rings")


def stairs() -> Iterator[Record]:
    """The four samples on the axes."""
    solution = train([[1, 0], [0, 1], [-1, 0], [0, -1]], ["33/10", "44/10", "33/10", "44/10"], "1/2")
    steps = staircase(solution, range(1, 7))
    widths = [s.width for s in steps]
    components = [s.components for s in steps]
    yield curve("stairs", widths, components, series="components", axes=("width m", "of the optimal networks"))
    yield curve("stairs", widths, components, series="components", mark="dots")
    yield curve("stairs", widths, [s.isolated for s in steps], series="isolated points", mark="rings")


def worst_cases() -> Iterator[Record]:
    """The method of the page, without momentum and with momentum 1/4, and theory's curve for the former."""
    sizes = [fmpq(k, 10) for k in range(1, 21)]
    fine = [fmpq(k, 22) for k in range(2, 45)]  # holds the kink 20/11
    axes = ("step size γ", "|x₃ − x*|²")
    theory = [max(1 - g / 10, g - 1) ** 6 for g in fine]
    yield curve("worst cases", fine, theory, series="theory", axes=axes)
    for momentum, name in ((fmpq(0), "gradient descent"), (fmpq(1, 4), "momentum 1/4")):
        yield curve("worst cases", sizes, [worst(g, momentum) for g in sizes], series=name, mark="dots")


def worst(gamma: fmpq, momentum: fmpq) -> fmpq:
    """The upper end of the enclosure; its width is below what can be seen."""
    pep = Performance()
    f = pep.function(smooth_strongly_convex(fmpq(1, 10), 1))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    last = x
    for _ in range(3):
        x, last = x - gamma * f(x).g + momentum * (x - last), x
    pep.maximise(squared(x - best.x))
    found = pep.worst_case()
    if found.upper is None or found.width is None or found.width > fmpq(1, 10**6):
        raise ArithmeticError(f"no narrow enclosure at gamma = {gamma}: {found.reason}")
    return found.upper


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pictures():
        (FOLDER / name).write_text(text, encoding="utf-8")
