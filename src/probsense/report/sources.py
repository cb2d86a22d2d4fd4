"""Where a chart for a paper comes from: runs, published results, or a table that was written beside the chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.errors import InputError, did_you_mean
from probsense.files import writing
from probsense.report.charts.figure import Figure
from probsense.report.charts.render import FORMATS, check_can_draw, file_bytes
from probsense.report.charts.theme import WIDE
from probsense.report.figures import Chart, chart_of, measure_figures, run_figures, task_figures

if TYPE_CHECKING:
    import polars as pl

    from probsense.run.evaluate import Run

UNKNOWN = {"part", "frame", "low", "high", "chance", "r", "ceiling"}
"""Columns that may be empty: figures of everything have no part, and intervals may be unknown."""


def write_figure(
    name: str, sources: Sequence[str], out: Path, *, store: Path = Path("probsense.db"), width: int = WIDE
) -> None:
    """Draw one chart to a file, whole or not at all.

    Parameters
    ----------
    name : str
        Of the chart: that of a measure ("accuracy", …), of a table of :data:`~probsense.report.figures.TABLES`, …
    sources : sequence of str
        Ids of runs or their beginnings, stores (all their finished runs); or one folder of published WorldSense
        results, one table in CSV, or one folder of such tables.
    out : Path
        Its ending is the format: .pdf, .svg or .png.
    store : Path
        Where runs are found by their ids.
    width : int
        Of the whole chart, in pixels of 1/72 inch.

    Raises
    ------
    InputError
        For an unknown ending, a source that is none, or a chart that cannot be made from it.
    ProbSenseError
        Without the packages that charts need.
    """
    kind = out.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InputError(
            f"{out.name} ends in no known format", expected=", ".join(f".{one}" for one in FORMATS)
        )
    check_can_draw()
    content = file_bytes(find_figure(name, sources, store), kind, width)
    with writing(out) as stream:
        stream.write(content)


def find_figure(name: str, sources: Sequence[str], store: Path) -> Figure:
    """The chart of that name from these sources, as :func:`write_figure` takes them."""
    if len(sources) == 1:
        path = Path(sources[0])
        if path.is_dir() and (path / f"{name}.csv").is_file():
            path = path / f"{name}.csv"
        if path.suffix == ".csv":
            return _from_table(name, path)
        if path.is_dir():
            return _named(name, _published(path), str(path))
    runs = [run for source in sources for run in _runs(source, store)]
    tasks = dict.fromkeys(run.record.task for run in runs)
    by_task = {task: _of_runs([run for run in runs if run.record.task == task]) for task in tasks}
    having = [task for task, figures in by_task.items() if name in {figure.name for figure in figures}]
    if len(having) > 1:
        raise InputError(f"{name} of {' and of '.join(having)}", expected="runs of one task: give their ids")
    return _named(name, [figure for own in by_task.values() for figure in own], ", ".join(sources))


def _named(name: str, figures: Sequence[Figure], where: str) -> Figure:
    known = {figure.name: figure for figure in figures}
    if name not in known:
        raise InputError(
            f"no chart {name!r} can be made from this{did_you_mean(name, known)}",
            path=where,
            expected=f"one of {', '.join(known)}" if known else "finished runs",
        )
    return known[name]


def _of_runs(runs: Sequence[Run]) -> list[Figure]:
    return [*measure_figures([estimate for run in runs for estimate in run.summary()]), *run_figures(runs)]


def _runs(source: str, store: Path) -> list[Run]:
    from probsense.run.evaluate import load_run
    from probsense.run.store import Store

    path = Path(source)
    if path.is_dir():
        raise InputError("a folder cannot stand beside other sources", path=path, expected="runs or stores")
    if not path.exists():
        return [load_run(store, source)]
    with Store.open(path, create=False) as opened:
        finished = [record.id for record in opened.runs() if record.finished]
    return [load_run(path, run) for run in finished]


def _published(folder: Path) -> list[Figure]:
    from probsense.tasks.worldsense.analyse import analyse

    analysis = analyse(folder)
    return [*measure_figures(analysis.estimates), *task_figures(analysis.tables, analysis.estimates)]


def _from_table(name: str, path: Path) -> Figure:
    chart = chart_of(name)
    if chart is None:
        raise InputError(f"no chart is called {name!r}", expected="the name with which the table was written")
    return chart.figure(name, _read_table(path, chart))


def _read_table(path: Path, chart: Chart) -> pl.DataFrame:
    """A table as it was written: texts are texts though they look like numbers, and what is empty is unknown."""
    from probsense.files.tables import read_table

    table = read_table(path)
    table.columns(*chart.texts, *chart.numbers, expected="the table of this chart")
    numbers = table.frame.with_columns(table.numbers(column).alias(column) for column in chart.numbers)
    for columns, expected in ((chart.texts, "a text"), (chart.numbers, "a number")):
        for column in columns:
            if column not in UNKNOWN:
                table.refuse(numbers[column].is_null(), column, expected)
    return numbers
