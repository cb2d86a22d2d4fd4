"""The page: one self-contained file about runs or recorded results, of one task or several."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from probsense.core.files import writing
from probsense.results.items import ItemViews
from probsense.results.packing import pack_files, pack_items
from probsense.results.page_parts import draw, page_part
from probsense.results.part import Part
from probsense.results.profile import (
    PROFILE_MEANING,
    left_out,
    meanings,
    profile_chart,
    profile_entries,
    profile_table,
)
from probsense.show.render import MISSING, can_draw
from probsense.show.tables import OVERALL
from probsense.show.text import plain, unbroken

LIMIT = 5_000_000
"""The largest number of bytes of a page."""
FILE = 400_000
"""The largest number of them that one file for download may take."""

_TEMPLATES = files("probsense.results") / "templates"


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above everything else.

    Attributes
    ----------
    title : str
    author, date : str
        Who answers for the page, and its day; "" if the page does not say so.
    """

    title: str
    author: str = ""
    date: str = ""


def render_page(
    heading: Heading, parts: Sequence[Part], items: Sequence[ItemViews] = (), not_asked: Sequence[str] = ()
) -> str:
    """Render the page.

    Parameters
    ----------
    heading : Heading
    parts : sequence of Part
        One for each task.
    items : sequence of ItemViews
        What the reader may look at one by one. The page leaves out what it has no room for, and says so.
    not_asked : sequence of str
        What was to be asked and has no answers, with the reason: a line for each.

    Returns
    -------
    str
        HTML that needs nothing else. Every string in it is escaped, and no script runs in it but its own.
    """
    shown = [page_part(part) for part in parts]
    entries = profile_entries(parts)
    drawn = draw(profile_chart(entries)) if entries else None
    numbers = {name: content for part in shown for name, content in part.files().items()}
    if drawn:
        numbers[drawn.file] = drawn.numbers
    script = _joined(
        "page.js", "tables.js", "folds.js", "models.js", "values.js", "address.js", "answers.js", "items.js"
    )
    content = {
        "title": plain(heading.title),
        "byline": [plain(each) for each in (heading.author, heading.date) if each],
        "overall": OVERALL,
        "style": Markup(_joined("page.css", "tables.css", "items.css", "print.css")),
        "script": Markup(script),
        "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
        "parts": shown,
        "models": [*dict.fromkeys(model for part in shown for model in part.models)],
        "missing": "" if can_draw() else f"{MISSING}: pip install 'probsense[report]'",
        "profile": drawn,
        "profile_table": profile_table(parts),
        "profile_meaning": PROFILE_MEANING,
        "profile_words": meanings(entries),
        "left_out": [*not_asked, *left_out(parts)],
        "not_asked": not_asked,
        "glossary": [*dict.fromkeys(entry for part in shown for entry in part.glossary)],
        "files": pack_files(numbers, FILE),
    }
    page = _template()
    room = LIMIT - len(page.render(content, blocks=[]).encode())
    return page.render(content, blocks=pack_items(items, room))


def write_page(
    path: Path,
    heading: Heading,
    parts: Sequence[Part],
    items: Sequence[ItemViews] = (),
    not_asked: Sequence[str] = (),
) -> None:
    """Write the page that :func:`render_page` renders, whole or not at all."""
    page = render_page(heading, parts, items, not_asked)
    with writing(path) as stream:
        stream.write(page.encode())


def _joined(*names: str) -> str:
    """Put styles or scripts together into one text."""
    return "\n".join((_TEMPLATES / name).read_text() for name in names)


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.results"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_tied,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template("report.html.jinja")


def _tied(value: object) -> object:
    """Keep numbers and their per cent on one line; markup stays as it is."""
    return unbroken(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(text: str) -> Markup:
    """Mark the places inside a long name where a line may break."""
    return Markup("<wbr>").join(unbroken(piece) for piece in re.split(r"(?<=[.:/_])(?=.)", text))
