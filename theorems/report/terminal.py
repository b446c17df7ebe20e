"""Where text goes, and how lines with styles become coloured or plain text."""

from __future__ import annotations

import io
import os
import shutil
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Line = tuple[str, str]  # text, style


@dataclass(frozen=True)
class Look:
    """`pretty` on a terminal, `colour` where escape codes are welcome, `width` to fit (0: any)."""

    pretty: bool = False
    colour: bool = False
    width: int = 0


def look_of(stream: object) -> Look:
    """How to write to a stream: fitted and coloured on a terminal (unless NO_COLOR is set), plain elsewhere."""
    if not getattr(stream, "isatty", lambda: False)():
        return Look()
    colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(pretty=True, colour=colour, width=shutil.get_terminal_size((100, 24)).columns)


def console_for(look: Look) -> tuple[Any, io.StringIO]:
    """A rich console that writes into a buffer, so that only one place writes to the terminal."""
    from rich.console import Console

    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=look.colour,
        color_system="auto" if look.colour else None,
        width=look.width or 100,
        highlight=False,
        markup=False,
        emoji=False,
    )
    return console, buffer


def painted(lines: Iterable[Line], look: Look) -> str:
    """Lines as text; on a terminal they are coloured, and wrapped under their own indentation."""
    if not look.pretty:
        return "".join(f"{text}\n" for text, _ in lines)
    from rich.text import Text

    console, buffer = console_for(look)
    for text, style in lines:
        for piece in wrapped(text, look.width):
            console.print(Text(piece, style), soft_wrap=True)
    return buffer.getvalue()


def wrapped(text: str, width: int) -> list[str]:
    """One line folded to a width, later lines indented a little deeper; commands (`$ ...`) stay whole for copying."""
    indent = " " * (len(text) - len(text.lstrip()))
    if len(text) <= width or text.lstrip().startswith("$ "):
        return [text]
    return textwrap.wrap(text, width, subsequent_indent=indent + "    ", break_on_hyphens=False)
