"""Pages and files about finished runs and recorded results: ``ps.report``."""

from __future__ import annotations

import json
import re
import webbrowser
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

from probsense.core.files import writing
from probsense.results.page.items import ItemViews, item_views
from probsense.results.page.parts import draw, page_part
from probsense.results.part import Part, asked_words, by_task, once_by_task, part_of_analysis, parts_of_runs
from probsense.results.profile_rows import meanings, profile_chart, profile_entries, profile_table
from probsense.results.summary import profile_results
from probsense.runs.find import given_runs
from probsense.runs.reproduce import recipe
from probsense.runs.run import Run
from probsense.show.charts import leading_charts, task_charts
from probsense.show.render import MISSING, can_draw, file_bytes
from probsense.show.tables import OVERALL
from probsense.show.text import plain, unbroken
from probsense.tasks.base import Analysis

NAMED: Final = 3
"""Tasks that the title of a page names at most."""


def report(
    path: Path | str,
    *sources: Run | Path | str,
    title: str | None = None,
    author: str = "",
    date: str | None = None,
    open: bool = False,
    store: Path | str = "probsense.db",
    not_asked: Sequence[str] = (),
) -> Path:
    """Write one self-contained page about runs, whole or not at all.

    Parameters
    ----------
    path : Path or str
        The HTML file.
    *sources : Run, Path or str
        Runs of any models and tasks; names of runs in ``store``, or beginnings of their ids; stores, for all their
        runs. Without any, all runs of ``store``.
    title : str, optional
        What stands at the top; if it is not given, the names of up to three tasks, or else “Commonsense profile”.
    author : str
        Author of the page.
    date : str, optional
        The day of the page, in any words. If it is not given, it is that of the newest run, so that the same runs make
        the same page on every day.
    open : bool
        Whether to show the page in the browser.
    store : Path or str
        Where runs are found by their names and ids.
    not_asked : sequence of str
        What was to be asked and has no run, with the reason: a line for each.

    Returns
    -------
    Path
        That of the file.

    Raises
    ------
    InputError
        For a name that is none, and if there is no run.
    """
    runs, left_out = given_runs(sources or (store,), store)
    by_name = by_task(runs)
    parts = [
        replace(part, recipes=[recipe(run) for run in by_name[part.name]]) for part in parts_of_runs(runs)
    ]
    page = render_page(
        _title([part.words.title for part in parts]) if title is None else title,
        parts,
        [item_views(own) for own in by_name.values()],
        [*not_asked, *left_out],
        [*filter(None, (author, newest(runs) if date is None else date))],
    )
    write_page(Path(path), page)
    if open:
        webbrowser.open(Path(path).resolve().as_uri())
    return Path(path)


def _title(tasks: Sequence[str]) -> str:
    return f"ProbSense: {', '.join(tasks)}" if len(tasks) <= NAMED else "Commonsense profile"


def newest(runs: Sequence[Run]) -> str:
    """Return the day on which the newest run ended, as “22 November 2026”; "" if none has."""
    ended = max((run.record.finished or "" for run in runs), default="")
    return f"{(day := datetime.fromisoformat(ended)).day} {day:%B %Y}" if ended else ""


def report_analysis(path: Path, analysis: Analysis) -> None:
    """Write one page about recorded results, whole or not at all."""
    write_page(path, render_page(analysis.title, [part_of_analysis(analysis)]))


def write_charts(folder: Path, analysis: Analysis) -> list[Path]:
    """Write every table of an analysis as CSV, and every chart as SVG and PDF beside its table.

    Without the packages for charts, only the tables are written; ``probsense figure`` draws them later.

    Parameters
    ----------
    folder : Path
        Made if missing.
    analysis : Analysis

    Returns
    -------
    list of Path
        The files.
    """
    measured, words = analysis.results, analysis.words
    charts = [
        *leading_charts(measured.estimates, words),
        *task_charts(measured.estimates, measured.tables, words),
    ]
    tables = {**{chart.name: chart.table for chart in charts}, **measured.tables}
    files = {folder / f"{name}.csv": table.write_csv().encode() for name, table in tables.items()}
    if can_draw():
        drawn = [(chart, kind) for chart in charts for kind in ("svg", "pdf")]
        files |= {folder / f"{chart.name}.{kind}": file_bytes(chart, kind) for chart, kind in drawn}
    for path, content in files.items():
        with writing(path) as stream:
            stream.write(content)
    return [*files]


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
        Author and day of the page, where the page says so.

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


def write_page(path: Path, page: str) -> None:
    """Write a page, whole or not at all."""
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
class Packed:
    """The block of a page, and what is in it.

    Attributes
    ----------
    block : str
        Text that is safe in a page: base 64 of zlib of JSON.
    sets : sequence of ItemViews
        The items that are there.
    files : sequence of str
        The names of the files.
    tokens : bool
        Whether options have their tokens.
    """

    block: str
    sets: Sequence[ItemViews]
    files: Sequence[str]
    tokens: bool = True


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
            return Packed(block, kept, [*files], tokens)
        if not tokens:
            share *= SPARE * max(room - len(without), 0) / (len(block) - len(without))
        tokens = False
    return Packed(without if files else "", [], [*files])


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
