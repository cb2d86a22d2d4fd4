"""The page: one self-contained file about runs or recorded results, of one task or several."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from probsense.files import writing
from probsense.reporting.items import ItemViews
from probsense.reporting.packing import pack_files, pack_items
from probsense.reporting.page_parts import draw, page_part
from probsense.reporting.part import Part
from probsense.reporting.profile import left_out, meanings, profile_chart, profile_entries, profile_table
from probsense.show.render import MISSING, can_draw
from probsense.show.tables import OVERALL
from probsense.show.text import plain

LIMIT = 5_000_000
"""The largest number of bytes of a page."""
FILE = 400_000
"""The largest number of them that one file for download may take."""

_TEMPLATES = files("probsense.reporting") / "templates"


def render_page(
    title: str, parts: Sequence[Part], items: Sequence[ItemViews] = (), not_asked: Sequence[str] = ()
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
    script = _joined("page.js", "address.js", "answers.js", "items.js")
    content = {
        "title": plain(title),
        "overall": OVERALL,
        "style": Markup(_joined("page.css", "items.css")),
        "script": Markup(script),
        "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
        "parts": shown,
        "warnings": [warning for part in shown for warning in part.warnings],
        "missing": "" if can_draw() else f"{MISSING}: pip install 'probsense[report]'",
        "profile": drawn,
        "profile_table": profile_table(parts),
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
    title: str,
    parts: Sequence[Part],
    items: Sequence[ItemViews] = (),
    not_asked: Sequence[str] = (),
) -> None:
    """Write the page that :func:`render_page` renders, whole or not at all."""
    page = render_page(title, parts, items, not_asked)
    with writing(path) as stream:
        stream.write(page.encode())


def _joined(*names: str) -> str:
    """Put styles or scripts together into one text."""
    return "\n".join((_TEMPLATES / name).read_text() for name in names)


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template("report.html.jinja")


def _breakable(text: str) -> Markup:
    """Mark the places inside a long name where a line may break."""
    return Markup("<wbr>").join(re.split(r"(?<=[.:/_])(?=.)", text))
