r"""Statements as HTML: prose escaped, formulas as MathML, and what cannot be converted shown as its LaTeX source.

The converter's output is not trusted: it is parsed, reduced to the elements and attributes named here, and written
again, so that a formula such as `\text{<script>}` stays text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape
from xml.etree import ElementTree as ET


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$(.+?)(?<!\\)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_ITEM = re.compile(r"^\s*(?:[-*]|\(?(?:[ivx]+|[a-z]|\d+)\))\s+")
_TEXT = re.compile(r"\\(?:text|textrm|textbf|textit|mbox|hbox)\s*\{[^{}]*\}")
_REWRITTEN = (
    (re.compile(r"\\(?:\||Vert(?![A-Za-z]))"), "‖"),
    (re.compile(r"\\[bB]igg?[lmr]?\s*(?=\\[{}])"), ""),
    (re.compile(r"\\arg(?![A-Za-z])"), r"\\operatorname{arg}"),
    (re.compile(r"\\not\s*="), r"\\ne "),
    (re.compile(r"\\not\s*\\in(?![A-Za-z])"), r"\\notin "),
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{align*}"),
)
_ELEMENTS = _words("""math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover munderover
mmultiscripts mprescripts mtable mtr mtd""")
_ATTRIBUTES = _words("""display displaystyle scriptlevel stretchy accent accentunder minsize maxsize movablelimits lspace rspace width
height depth linethickness columnalign columnspacing rowspacing symmetric largeop""")
_GROUPS = _words("math mrow mstyle msqrt mtd mpadded mphantom")  # children stand side by side
_HIDDEN = {"<": "\ue000", ">": "\ue001", "&": "\ue002", "$": "\ue003"}  # in text, past a converter that copies it
_SHOWN = str.maketrans({v: k for k, v in _HIDDEN.items()})
_ALPHABETS = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "fraktur": "FRAKTUR",
    "sans-serif": "SANS-SERIF",
    "monospace": "MONOSPACE",
}


def html(text: str) -> str:
    """A docstring as HTML: paragraphs, list items on lines of their own, formulas as MathML.

    Args:
        text: prose with LaTeX between `$...$`, `$$...$$`, `\\(...\\)` or `\\[...\\]`.

    Returns:
        Safe HTML; a formula that cannot be converted is a `<code class="tex">` with its source.
    """
    marked, formulas = _lifted(text)
    paragraphs = [p for p in re.split(r"\n\s*\n", marked.strip()) if p.strip()]
    return "".join(f"<p>{_filled(_reflowed(p), formulas)}</p>" for p in paragraphs)


def inline(text: str) -> str:
    """The same without paragraphs, for a phrase."""
    marked, formulas = _lifted(text)
    return _filled(" ".join(marked.split()), formulas)


def unconverted(text: str) -> list[str]:
    """The formulas of a text that would be shown as their source."""
    return [source for source, _ in _lifted(text)[1] if formula(source) is None]


def _lifted(text: str) -> tuple[str, list[tuple[str, bool]]]:
    """The text with a mark for each formula, and the formulas with whether they are displayed."""
    found: list[tuple[str, bool]] = []

    def lift(match: re.Match[str]) -> str:
        display = match.group(1) is not None or match.group(4) is not None
        found.append((next(g for g in match.groups() if g is not None), display))
        return f"\ue010{len(found) - 1}\ue011"

    clean = re.sub("[\ue000-\ue0ff]", "\ufffd", text)
    return _FORMULA.sub(lift, clean), found


def _reflowed(paragraph: str) -> str:
    lines: list[str] = []
    for line in paragraph.splitlines():
        if lines and not _ITEM.match(line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return "\n".join(lines)


def _filled(marked: str, formulas: list[tuple[str, bool]]) -> str:
    safe = escape(marked.replace(r"\$", "$").replace(r"\%", "%"))
    safe = re.sub(r"(`+)([^`]+)\1", r"<code>\2</code>", safe).replace("\n", "<br>")

    def fill(match: re.Match[str]) -> str:
        source, display = formulas[int(match.group(1))]
        converted = formula(source, display)
        if converted is None:
            return f'<code class="tex" title="LaTeX source: it has no conversion">{escape(source.strip())}</code>'
        return converted

    return re.sub("\ue010(\\d+)\ue011", fill, safe)


@lru_cache(maxsize=20_000)
def formula(source: str, display: bool = False) -> str | None:
    """One formula (without its dollars) as MathML; None where the converter does not know something in it."""
    from latex2mathml.converter import convert

    for pattern, better in _REWRITTEN:
        source = pattern.sub(better, source)
    source = _TEXT.sub(lambda m: re.sub("[<>&$]", lambda c: _HIDDEN[c.group()], m.group()), source)
    try:
        root = ET.fromstring(convert(source, display="block" if display else "inline"))
    except (
        Exception
    ) as error:  # the converter raises many kinds, some of them bare IndexErrors, for what it cannot read
        del error
        return None
    if any("\\" in (e.text or "") for e in root.iter()):
        return None
    clean = _cleaned(root)
    return None if clean is None else ET.tostring(clean, encoding="unicode", short_empty_elements=False)


def _cleaned(element: ET.Element) -> ET.Element | None:
    """A copy with known elements and attributes only; None where an element is unknown."""
    tag = element.tag.rpartition("}")[2]
    if tag not in _ELEMENTS:
        return None
    copy = ET.Element(tag, {k: v for k, v in element.attrib.items() if k in _ATTRIBUTES and '"' not in v})
    for name, value in (("display", "inline"), ("stretchy", "true")):  # what is so without being said
        if copy.get(name) == value:
            del copy.attrib[name]
    text = (element.text or "").translate(_SHOWN)
    variant = element.get("mathvariant", "")
    if variant == "normal" and tag == "mi":
        copy.set("mathvariant", "normal")
    copy.text = "".join(_letter(_ALPHABETS[variant], c) for c in text) if variant in _ALPHABETS else text or None
    for child in element:
        kept = _cleaned(child)
        if kept is None:
            return None
        if _is_roman(kept) and len(copy) and _is_roman(copy[-1]) and tag in _GROUPS:
            copy[-1].text = (copy[-1].text or "") + (kept.text or "")
        else:
            copy.append(kept)
    for child in copy:
        if _is_roman(child) and len(child.text or "") > 1:
            del child.attrib["mathvariant"]  # several letters are upright anyway
    if tag == "mrow" and not copy.attrib and len(copy) == 1:
        return copy[0]
    if tag in _GROUPS and len(copy) == 1 and copy[0].tag == "mrow" and not copy[0].attrib:
        copy[:] = list(copy[0])  # their children stand in a row anyway
    if tag in _GROUPS and not any(len(child) for child in copy):
        for child in copy:
            child.attrib.pop("stretchy", None)  # nothing here is tall
    return copy


def _is_roman(element: ET.Element) -> bool:
    return element.tag == "mi" and element.get("mathvariant") == "normal"


def _letter(alphabet: str, character: str) -> str:
    """The character in a mathematical alphabet, where Unicode has it."""
    try:
        words = unicodedata.name(character).split()
    except ValueError:
        return character
    kind = {"LATIN": "", "GREEK": "", "DIGIT": "DIGIT "}.get(words[0])
    if kind is None:
        return character
    size = {"CAPITAL": "CAPITAL ", "SMALL": "SMALL "}.get(words[1] if len(words) > 1 else "", "")
    for prefix in (f"MATHEMATICAL {alphabet} ", f"{alphabet} "):
        try:
            return unicodedata.lookup(f"{prefix}{kind}{size}{words[-1]}")
        except KeyError:
            continue
    return character
