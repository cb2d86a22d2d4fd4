"""Pages and files about finished runs and recorded results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probsense.files import writing
from probsense.reporting.given import Given, given_runs
from probsense.reporting.items import item_views
from probsense.reporting.page import write_page
from probsense.reporting.part import by_task, part_of_analysis, parts_of_runs
from probsense.reporting.written import Written
from probsense.show.charts import leading_charts, task_charts
from probsense.show.render import can_draw, file_bytes
from probsense.tasks.base import Analysis


def report(
    source: Given,
    path: Path | str = "report.html",
    *,
    title: str | None = None,
    store: Path | str = "probsense.db",
    not_asked: Sequence[str] = (),
) -> Written:
    """Write one self-contained page about runs, whole or not at all.

    Parameters
    ----------
    source : Run, Path, str, or a sequence of these
        A run, or several, of any models and tasks; the name of runs in ``store``, or the beginning of a run's id; a
        store, for all its runs.
    path : Path or str
        The HTML file.
    title : str, optional
        The title of the page; by default, the names of the tasks.
    store : Path or str
        Where runs are found by their names and ids.
    not_asked : sequence of str
        What was to be asked and has no run, with the reason: a line for each.

    Returns
    -------
    Path
        That of the file; a notebook shows it as a link.

    Raises
    ------
    InputError
        For a name that is none, and if there is no run.
    """
    runs, left_out = given_runs(source, store)
    parts = parts_of_runs(runs)
    named = title or f"ProbSense: {', '.join(part.words.title for part in parts)}"
    items = [item_views(own) for own in by_task(runs).values()]
    write_page(Path(path), named, parts, items, [*not_asked, *left_out])
    return Written(path)


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
    measured, words = analysis.measured, analysis.words
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
