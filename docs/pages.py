"""Pages that are made from the program: a directive whose content is Markdown, and how tables are written in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList


class Page(Directive):
    """A directive that stands for lines of Markdown."""

    def lines(self) -> Iterator[str]:
        """Write the lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse the lines where the directive stands, anew in every build."""
        self.state.document.settings.env.note_reread()
        found = nodes.Element()
        self.state.nested_parse(StringList([*self.lines()]), self.content_offset, found, match_titles=True)
        return found.children


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write a table, with an empty line after it; nothing without rows."""
    written = [f"| {' | '.join(row)} |" for row in rows]
    if written:
        yield from (f"| {' | '.join(head)} |", "|---" * len(head) + "|", *written, "")


def code(text: str) -> str:
    """Mark a text as code, fit for the cell of a table."""
    return f"`{text}`".replace("|", r"\|")


def escaped(text: str) -> str:
    """Make a text fit for Markdown, with flags as code."""
    plain = "".join(f"\\{char}" if char in "|*_<[`" else char for char in text)
    return re.sub(r"--[a-z-]+", r"`\g<0>`", plain)
