"""Pages that are made from the program: a directive whose content is Markdown, and how tables are written in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx import addnodes


class Page(Directive):
    """A directive that stands for lines of Markdown."""

    def lines(self) -> Iterator[str]:
        """Write the lines."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Parse the lines where the directive stands, anew in every build."""
        document = self.state.document
        document.settings.env.note_reread()
        before = {*document.findall(nodes.table)}
        found = nodes.Element()
        self.state.nested_parse(StringList([*self.lines()]), self.content_offset, found, match_titles=True)
        # What stands below a heading of its own is in the document already.
        self._index(
            [
                *found.findall(nodes.table),
                *(one for one in document.findall(nodes.table) if one not in before),
            ]
        )
        return found.children

    def names(self, cells: Sequence[str]) -> Iterable[str]:
        """List by what names the search finds a row of a table: the flags in its first cell."""
        return re.findall(r"--[a-z][\w-]*", cells[0])

    def _index(self, tables: Iterable[nodes.table]) -> None:
        """Make every row a place that the search leads to; of several rows of one name, the first."""
        seen: set[str] = set()
        for table in tables:
            entries = []
            for row in table.findall(nodes.row):
                names = [name for name in self.names([cell.astext() for cell in row]) if name not in seen]
                seen.update(names)
                if names:
                    row["ids"] = [f"{self.name}-{nodes.make_id(names[0])}"]
                    entries += [("single", name, row["ids"][0], "main", None) for name in names]
            table.parent.insert(table.parent.index(table), addnodes.index(entries=entries))


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
    return re.sub(r"--[a-z-]+", r"`\g<0>`", plain).replace(" %", "\N{NO-BREAK SPACE}%")
