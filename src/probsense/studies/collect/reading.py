"""Reads a page of a study as a participant does: what it says, what it asks, and which form it sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Final

from probsense.studies.collect.fields import Field, FieldKind

_VOID: Final = frozenset(("meta", "link", "input", "br"))


@dataclass(slots=True)
class Read:
    """A page as it is read.

    Attributes
    ----------
    heading, text : str
        The text is the statement, question or situation; "" for none.
    fields : list of Field
        In the order of the page; ``needed`` and bounds are not known.
    faults : dict of str to str
        What the page says is wrong, by the name of the field.
    given : dict of str to str
        What the page shows as answered, by the name of the field.
    action : str
        Where the form goes; "" for no form.
    hidden : dict of str to str
        What the form sends along, its first button among it.
    """

    heading: str = ""
    text: str = ""
    fields: list[Field] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    action: str = ""
    hidden: dict[str, str] = field(default_factory=dict)


def read_page(html: str) -> Read:
    """Read a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


class _Reader(HTMLParser):
    """Collects the words of each element that matters, and notes them where the element ends."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Read()
        self._open: list[tuple[str, str, list[str]]] = []
        self._label, self._button = "", False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a form and its controls; begin to collect words."""
        own = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.page.action = own["action"]
        elif tag == "input":
            self._input(own)
        elif tag == "select":
            self.page.fields.append(Field(own["name"], self._label, "choice"))
        elif tag == "option" and own["value"]:
            self._add_option(own["value"], chosen="selected" in own)
        elif tag == "button" and not self._button:
            self._button = True
            self.page.hidden[own["name"]] = own["value"]
        if tag not in _VOID:
            part, name = _part(tag, own)
            collected: list[str] = [] if part or not self._open else self._open[-1][2]
            self._open.append((part, name, collected))

    def handle_data(self, data: str) -> None:
        """Collect words."""
        if self._open:
            self._open[-1][2].append(data)

    def handle_endtag(self, tag: str) -> None:
        """Note the words of an element."""
        part, name, collected = self._open.pop()
        words = " ".join("".join(collected).split())
        match part:
            case "heading":
                self.page.heading = words
            case "text":
                self.page.text = words
            case "label":
                self._label = words
            case "fault":
                self.page.faults[name] = words
            case "option":
                last = self.page.fields[-1]
                self.page.fields[-1] = replace(
                    last, options=(*last.options[:-1], (last.options[-1][0], words))
                )

    def _input(self, own: Mapping[str, str]) -> None:
        name, value, kind = own["name"], own.get("value", ""), own["type"]
        if kind == "hidden":
            self.page.hidden[name] = value
        elif kind == "radio":
            if name not in [one.name for one in self.page.fields]:
                self.page.fields.append(Field(name, self._label, "choice"))
            self._add_option(value, chosen="checked" in own)
        else:
            as_field: FieldKind = "number" if own.get("class") == "number" else "text"
            self.page.fields.append(Field(name, self._label, as_field))
            if value:
                self.page.given[name] = value

    def _add_option(self, value: str, *, chosen: bool) -> None:
        last = self.page.fields[-1]
        self.page.fields[-1] = replace(last, options=(*last.options, (value, "")))
        if chosen:
            self.page.given[last.name] = value


def _part(tag: str, own: Mapping[str, str]) -> tuple[str, str]:
    """Tell what the words of an element are, and for which field; "" where they belong to what is around."""
    kind = own.get("class", "")
    if tag == "p" and kind == "fault":
        return "fault", own["id"].removeprefix("fault-")
    if kind in ("visually-hidden", "errors"):
        return "aside", ""
    if tag == "blockquote" or kind == "asked":
        return "text", ""
    if tag == "option":
        return ("option" if own["value"] else "aside"), ""
    if kind == "option":
        return "option", ""
    return {"h1": "heading", "legend": "label", "label": "label"}.get(tag, ""), ""
