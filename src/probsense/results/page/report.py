"""Pages and files about finished runs and recorded results: ``ps.report``."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from probsense.core.files import writing
from probsense.results.page.items import item_views
from probsense.results.page.render import write_page
from probsense.results.part import by_task, part_of_analysis, parts_of_runs
from probsense.runs.find import given_runs
from probsense.runs.reproduce import recipe
from probsense.runs.run import Run
from probsense.show.charts import leading_charts, task_charts
from probsense.show.render import can_draw, file_bytes
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
        Who answers for the page.
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
    write_page(
        Path(path),
        _title([part.words.title for part in parts]) if title is None else title,
        parts,
        [item_views(own) for own in by_name.values()],
        [*not_asked, *left_out],
        [*filter(None, (author, newest(runs) if date is None else date))],
    )
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
    write_page(path, analysis.title, [part_of_analysis(analysis)])


def write_charts(folder: Path, analysis: Analysis) -> list[Path]:
    """Write every table of an analysis as CSV, and every chart as SVG beside the table that it is drawn from.

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
        files |= {folder / f"{chart.name}.svg": file_bytes(chart, "svg") for chart in charts}
    for path, content in files.items():
        with writing(path) as stream:
            stream.write(content)
    return [*files]
