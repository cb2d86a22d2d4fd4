"""Pages as their elements and words."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "wbr", "link", "hr", "col"}


class Html(HTMLParser):
    """What stands in a page; fails where elements do not nest.

    Attributes
    ----------
    elements : list of (str, dict)
        Each element with its attributes, in order.
    words : list of str
        The texts between tags, but for styles and scripts.
    """

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        assert self._open == []

    @property
    def tags(self) -> list[str]:
        """The names of all elements."""
        return [tag for tag, _ in self.elements]

    @property
    def text(self) -> str:
        """All words, with plain blanks."""
        return "".join(self.words).replace("\N{NO-BREAK SPACE}", " ")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element of nothing."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Take words."""
        if not self._open or self._open[-1] not in ("style", "script"):
            self.words.append(data)
