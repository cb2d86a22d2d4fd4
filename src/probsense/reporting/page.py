"""The page: one self-contained file about runs or recorded answers, of one instrument or several."""

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
from probsense.report.charts.render import MISSING, can_draw
from probsense.report.instrument import Part, draw, instrument
from probsense.report.packing import pack_files, pack_questions
from probsense.report.profile import meanings, profile_figure, profile_table, profiles
from probsense.report.questions import Questions
from probsense.report.tables import OVERALL
from probsense.report.words import plain

LIMIT = 5_000_000
"""Bytes that a page may have."""
FILE = 400_000
"""Bytes that one file for download may take of them."""

_TEMPLATES = files("probsense.report") / "templates"


def render_report(title: str, parts: Sequence[Part], questions: Sequence[Questions] = ()) -> str:
    """Render the page.

    Parameters
    ----------
    title : str
    parts : sequence of Part
        One for each instrument.
    questions : sequence of Questions
        What the reader may look at one by one. What there is no room for is left out, and the page says so.

    Returns
    -------
    str
        HTML that needs nothing else. Every string in it is escaped, and no script runs in it but its own.
    """
    shown = [instrument(part) for part in parts]
    places = profiles([(part.name, part.estimates) for part in parts])
    profile = draw(profile_figure(places)) if places else None
    numbers = {name: content for part in shown for name, content in part.files().items()}
    if profile:
        numbers[profile.file] = profile.numbers
    script = (_TEMPLATES / "page.js").read_text()
    content = {
        "title": plain(title),
        "overall": OVERALL,
        "style": Markup((_TEMPLATES / "page.css").read_text()),
        "script": Markup(script),
        "script_hash": b64encode(sha256(script.encode()).digest()).decode(),
        "parts": shown,
        "warnings": [warning for part in shown for warning in part.warnings],
        "missing": "" if can_draw() else MISSING,
        "profile": profile,
        "profile_table": profile_table(places),
        "profile_words": meanings(places),
        "glossary": [*dict.fromkeys(entry for part in shown for entry in part.glossary)],
        "files": pack_files(numbers, FILE),
    }
    page = _template()
    room = LIMIT - len(page.render(content, blocks=[]).encode())
    return page.render(content, blocks=pack_questions(questions, room))


def write_report(path: Path, title: str, parts: Sequence[Part], questions: Sequence[Questions] = ()) -> None:
    """Write the page of :func:`render_report` to a file, whole or not at all."""
    page = render_report(title, parts, questions)
    with writing(path) as stream:
        stream.write(page.encode())


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("probsense.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template("report.html.jinja")


def _breakable(text: str) -> Markup:
    """The text, with places inside a long name where a line may break."""
    return Markup("<wbr>").join(re.split(r"(?<=[.:/_])(?=.)", text))
