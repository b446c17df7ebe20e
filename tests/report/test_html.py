"""The page as text: everything escaped, formulas converted, plots small, bytes that depend on the seed alone."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from theorems import registry
from theorems.report import html, mathml

from . import pages

Report = Callable[..., "subprocess.CompletedProcess[str]"]
VOID = {"meta", "link", "br", "input"}
OPTIONAL = {"tr", "td", "th", "tbody", "li", "option", "p"}  # HTML lets their end tags be left out


class _Reader(HTMLParser):
    """Elements, ids, links and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.stack and self.stack[-1] != tag and self.stack[-1] in OPTIONAL:
            self.stack.pop()
        assert self.stack.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, name: str) -> list[str]:
        return [a[name] or "" for _, a in self.tags if name in a]


@pytest.fixture(scope="module")
def hostile() -> _Reader:
    return _Reader(html.render(pages.hostile()))


def test_texts_that_try_to_be_markup_stay_text(hostile: _Reader) -> None:
    tags = [t for t, _ in hostile.tags]
    assert tags.count("script") == 2  # the page's own
    assert not {"img", "iframe", "object", "embed"} & set(tags)
    assert "".join(hostile.text).count(pages.SCRIPT) > 10
    assert "<b>bold</b>" in "".join(hostile.text)


def test_no_element_carries_a_handler_a_style_or_a_link_out_of_the_page(hostile: _Reader) -> None:
    for _, attributes in hostile.tags:
        assert not [a for a in attributes if a.startswith("on") or a in ("style", "src", "action", "formaction")]
    assert all(h.startswith(("#", "data:image/svg+xml,")) for h in hostile.all("href"))


def test_elements_are_closed_and_ids_are_unique_and_links_reach_them(hostile: _Reader) -> None:
    assert hostile.stack == []
    ids = hostile.all("id")
    assert len(ids) == len(set(ids))
    assert not [i for i in ids if re.search(r"\s", i)]
    linked = {h[1:] for h in hostile.all("href") if h.startswith("#")}
    named = {i for a in ("aria-labelledby", "aria-describedby") for v in hostile.all(a) for i in v.split()}
    assert linked | named <= set(ids)
    assert html.anchor(f"hostile/{pages.SCRIPT}") in ids


def test_the_policy_admits_the_two_scripts_of_the_page_and_nothing_else(hostile: _Reader) -> None:
    (policy,) = [a["content"] or "" for t, a in hostile.tags if t == "meta" and "http-equiv" in a]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 3


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"$\text{<script>alert(1)</script>}$", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (r"$a < b$ & \$5", "<mo>&lt;</mo>"),
        (r"$\mathbb{E}\,\mathrm{Tr}\,\mathbf{x}$", "<mi>Tr</mi>"),
        (r"$\big\| x \big\|$", "‖"),
        (r"$\begin{aligned} a &= b \end{aligned}$", "<mtable"),
    ],
)
def test_formulas_become_mathml(source: str, shown: str) -> None:
    assert mathml.unconverted(source) == []
    assert shown in mathml.html(source)
    assert "\\" not in mathml.html(source)


@pytest.mark.parametrize("formula", [r"\foo{x} < 1", r"\frac{1}{", r"a & b", r"\left( x", r"x^{\nosuchmacro}"])
def test_a_formula_without_conversion_is_shown_as_its_source(formula: str) -> None:
    shown = mathml.html(f"for ${formula}$ only")
    assert mathml.unconverted(f"${formula}$") == [formula]
    assert '<code class="tex"' in shown
    assert formula.replace("&", "&amp;").replace("<", "&lt;") in shown


@pytest.mark.parametrize("source", [r"\arg\min\{f(x) : x > 0\}", r"\min\Big\{a, b\Big\}", r"\arg\min_x f"])
def test_arguments_of_minima_and_large_braces_are_converted(source: str) -> None:
    found = mathml.formula(source)
    assert found is not None
    assert "min" in found


def test_every_formula_of_the_library_is_converted() -> None:
    found = {}
    for paper in registry.load_library():
        for claim in paper.claims.values():
            texts = [claim.statement, claim.hypotheses, claim.method, claim.not_established, *claim.rests_on]
            bad = [f for text in texts for f in mathml.unconverted(text)]
            found.update({claim.id: bad} if bad else {})
    assert found == {}


def test_only_the_times_block_changes_between_runs_of_the_same_seed() -> None:
    report = pages.large(12)
    slower = [replace(c, seconds=c.seconds * 3) for c in report.run.claims]
    again = replace(report, run=replace(report.run, claims=slower, seconds=99.0, jobs=4))
    block = re.compile(r"<!-- times:.*?<!-- /times -->", re.DOTALL)
    first, second = html.render(report), html.render(again)
    assert first != second
    assert block.sub("", first) == block.sub("", second)
    assert len(block.findall(first)) == 1


def test_serial_and_parallel_runs_of_one_seed_write_the_same_page(report: Report, files: Path) -> None:
    block = re.compile(r"<!-- times:.*?<!-- /times -->", re.DOTALL)
    written = []
    for jobs in ("1", "2"):
        done = report("good.py", "bad.py", "--html", "page.html", "--jobs", jobs, "--seed", "3")
        assert done.returncode == 1, done.stderr
        written.append((files / "page.html").read_text(encoding="utf-8"))
    assert block.sub("", written[0]) == block.sub("", written[1])
    assert str(files) not in written[0]


def test_the_page_of_three_hundred_claims_stays_below_three_megabytes() -> None:
    assert len(html.render(pages.large(300)).encode()) < 3_000_000


def test_colours_of_text_have_the_contrast_that_readers_need() -> None:
    _, style, _, _ = html._parts()
    blocks = re.findall(r"(:root[^{}]*)\{([^{}]*--paper[^{}]*)\}", style)
    assert len(blocks) == 4  # light, dark by the system, dark by choice, print
    for _, block in blocks:
        colours = dict(re.findall(r"--([a-z0-9]+):(#[0-9a-f]{3,6})\b", block))
        for name, colour in colours.items():
            if name not in ("paper", "panel", "rule"):
                for ground in ("paper", "panel"):
                    assert _contrast(colour, colours[ground]) >= 4.5, (name, ground)


def _contrast(a: str, b: str) -> float:
    """The contrast ratio of WCAG 2.1."""
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
