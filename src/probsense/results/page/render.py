"""Renders templates, and with them the page: one self-contained file about runs or recorded results."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

from probsense.core.files import writing
from probsense.results.page.items import ItemViews
from probsense.results.page.parts import draw, page_part
from probsense.results.part import Part, asked_words, once_by_task
from probsense.results.profile_rows import (
    meanings,
    profile_chart,
    profile_entries,
    profile_table,
)
from probsense.results.summary import profile_results
from probsense.show.render import MISSING, can_draw
from probsense.show.tables import OVERALL
from probsense.show.text import plain, unbroken

LIMIT = 5_000_000
"""The largest number of bytes of a page."""


REPORT: Final = "report.html.jinja"
STYLES: Final = ("page.css", "tables.css", "report.css")
SCRIPTS: Final = ("page.js", "tables.js", "sections.js", "values.js", "answers.js", "items.js")


def render(template: str, **content: Any) -> str:
    """Render a template, such as the report, which has its style and its script in it; every string is escaped."""
    return _environment().get_template(template).render(**_fixed(), **content)


@cache
def _environment() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.results.page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_tied,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["breakable"] = _breakable
    return found


@cache
def _fixed() -> dict[str, str]:
    script = _joined(SCRIPTS)
    return {
        "css": Markup(_joined(STYLES)),
        "script": Markup(script),
        "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
        "overall": OVERALL,
    }


def _joined(names: Sequence[str]) -> str:
    """Put styles or scripts together into one text."""
    folder = files("probsense.results.page") / "templates"
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def render_page(
    title: str,
    parts: Sequence[Part],
    items: Sequence[ItemViews] = (),
    not_asked: Sequence[str] = (),
    byline: Sequence[str] = (),
) -> str:
    """Render the page.

    Parameters
    ----------
    title : str
    parts : sequence of Part
        One for each task.
    items : sequence of ItemViews
        What the reader may look at one by one. The page leaves out what it has no room for, and says so.
    not_asked : sequence of str
        What was to be asked and has no answers, with the reason: a line for each.
    byline : sequence of str
        Who answers for the page, and its day, as far as the page says so.

    Returns
    -------
    str
        HTML that needs nothing else. Every string in it is escaped, and no script runs in it but its own.
    """
    shown = [page_part(part) for part in parts]
    entries = profile_entries(parts)
    drawn = draw(profile_chart(entries)) if entries else None
    numbers = {name: content for part in shown for name, content in part.files.items()}
    if drawn:
        numbers[drawn.file] = drawn.numbers
    content = {
        "title": plain(title),
        "byline": [*map(plain, byline)],
        "asked": asked_words(parts),
        "parts": shown,
        "found": profile_results(parts),
        "voiding": once_by_task((part.name, one) for part in shown for one in part.voiding),
        "models": [*dict.fromkeys(model for part in shown for model in part.models)],
        "missing": "" if can_draw() else f"{MISSING}: pip install 'probsense[report]'",
        "profile": drawn,
        "profile_table": profile_table(parts),
        "profile_words": meanings(entries),
        "not_asked": not_asked,
        "glossary": [*dict.fromkeys(entry for part in shown for entry in part.glossary)],
    }
    few = pack([], numbers, 0)
    room = LIMIT - len(render(REPORT, packed=few, **content).encode()) + len(few.block)
    return render(REPORT, packed=pack(items, numbers, room), **content)


def write_page(
    path: Path,
    title: str,
    parts: Sequence[Part],
    items: Sequence[ItemViews] = (),
    not_asked: Sequence[str] = (),
    byline: Sequence[str] = (),
) -> None:
    """Write the page that :func:`render_page` renders, whole or not at all."""
    page = render_page(title, parts, items, not_asked, byline)
    with writing(path) as stream:
        stream.write(page.encode())


def _tied(value: object) -> object:
    """Keep numbers and their per cent on one line; markup stays as it is."""
    return unbroken(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(text: str) -> Markup:
    """Mark the places inside a long name where a line may break."""
    return Markup("<wbr>").join(unbroken(piece) for piece in re.split(r"(?<=[.:/_])(?=.)", text))


FILE: Final = 400_000
"""The largest number of bytes of the block that one file for download may take."""
SPARE: Final = 0.97
"""The share of the items fitting by their mean size that is tried next."""


@dataclass(frozen=True, slots=True)
class PackedSet:
    """What the page says of the items of one task in its block: ``kept`` of ``total`` are there.

    ``scored`` tells whether options have tokens, and ``tokens`` whether the block has them.
    """

    name: str
    task: str
    total: int
    kept: int
    scored: bool
    tokens: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """The block, as text that is safe in a page: base 64 of zlib of JSON; what is in it, and the names of its files."""

    block: str
    sets: Sequence[PackedSet]
    files: Sequence[str]


def pack(sets: Sequence[ItemViews], files: Mapping[str, str], room: int) -> Packed:
    """Pack files, and as many items as there is room for, evenly spread if not all; the tokens of options if they fit.

    Parameters
    ----------
    sets : sequence of ItemViews
    files : Mapping of str to str
        Texts by name. Those that would take more than :data:`FILE` bytes are left out, the others always find room.
    room : int
        Bytes that the block may take.
    """
    files = {name: text for name, text in files.items() if len(packed(text)) <= FILE}
    without = packed({"files": files, "sets": []})
    tokens, share = True, 1.0
    while any(int(len(own.asked) * share) for own in sets):
        kept = [own.spread(share) for own in sets]
        block = packed({"files": files, "sets": [_set(own, tokens=tokens) for own in kept]})
        if len(block) <= room:
            told = [_told(whole, own, tokens=tokens) for whole, own in zip(sets, kept, strict=True)]
            return Packed(block, told, [*files])
        if not tokens:
            share *= SPARE * max(room - len(without), 0) / (len(block) - len(without))
        tokens = False
    return Packed(without if files else "", [], [*files])


def _told(whole: ItemViews, own: ItemViews, *, tokens: bool) -> PackedSet:
    scored = any(reply and "tokens" in reply for item in own.asked for reply in item["replies"])
    total = whole.left_out + len(whole.asked)
    return PackedSet(own.name, own.task, total, len(own.asked), scored, scored and tokens)


def packed(value: object) -> str:
    """Pack a value into text that is safe in a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()


def _set(own: ItemViews, *, tokens: bool) -> dict[str, Any]:
    """Arrange the items of a task, with the tokens of options or without."""
    asked = own.asked
    if not tokens:
        asked = [{**item, "replies": [*map(_without_tokens, item["replies"])]} for item in asked]
    return {"runs": own.runs, "asked": asked}


def _without_tokens(reply: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if reply is None else {name: value for name, value in reply.items() if name != "tokens"}
