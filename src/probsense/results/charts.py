"""Charts to look at, to go on with and for papers: of runs, of published results, or of a table that was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.analysis.comparison.compare import Comparison
from probsense.core.errors import InputError, did_you_mean
from probsense.core.files import STDOUT, writing
from probsense.results.part import Part, part_of_comparison, parts_of_runs
from probsense.results.profile import Profile
from probsense.results.profile_rows import budget_chart, profile_chart, profile_entries
from probsense.runs.find import Given, find_runs, given_runs, told_apart
from probsense.show.chart import WIDE, Chart
from probsense.show.charts import measure_charts, task_charts
from probsense.show.render import FORMATS, check_can_draw, file_bytes
from probsense.tasks.registry import task_names

if TYPE_CHECKING:
    import altair as alt


def chart(
    source: Given | Profile | Comparison,
    name: str,
    *,
    store: Path | str = "probsense.db",
    width: int = WIDE,
) -> alt.TopLevelMixin:
    """Make a chart, as ``probsense figure`` draws it.

    Parameters
    ----------
    source : Run, Profile, Comparison, Path, str, or a sequence of runs
        A run, or several; a profile; a comparison, whose charts show the levels; the name of runs in ``store``,
        or the beginning of a run's id; a store, for all its runs.
    name : str
        Name of the chart: that of a measure ("accuracy"), one of a task's own ("calibration"), or "profile". If
        several tasks have a chart of that name, the name of the task goes first: "winogrande.calibration".
    store : Path or str
        Where runs are found by their names and ids.
    width : int
        Width of the whole chart, in pixels.

    Returns
    -------
    altair chart
        A notebook shows it. Its data are in it.

    Raises
    ------
    InputError
        For a chart that cannot be made from this; the message lists the names.
    ProbSenseError
        Without the packages that charts need.
    """
    check_can_draw()
    import altair as alt

    match source:
        case Profile():
            parts = source.parts()
        case Comparison():
            parts = [part_of_comparison(source)]
        case _:
            parts = parts_of_runs(given_runs(source, store)[0])
    return alt.Chart.from_dict(chart_of_parts(name, parts).spec(width))


def draw_chart(chart: Chart, kind: str, out: Path, width: int = WIDE) -> None:
    """Draw a chart to a file in the format of :func:`kind_of_picture`, whole or not at all."""
    content = file_bytes(chart, kind, width)
    with writing(out) as stream:
        stream.write(content)


def kind_of_picture(out: Path) -> str:
    """Tell the format of a picture by the ending of its file; standard output gets SVG.

    Raises
    ------
    InputError
        For an unknown ending.
    ProbSenseError
        Without the packages that charts need.
    """
    kind = "svg" if out == STDOUT else out.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise InputError(
            f"{out.name} ends in no known format", expected=", ".join(f".{one}" for one in FORMATS)
        )
    check_can_draw()
    return kind


def find_chart(name: str, sources: Sequence[str], store: Path) -> Chart:
    """Find the chart of a name.

    Parameters
    ----------
    name : str
        That of a measure ("accuracy"), or one of a task's own ("calibration"). If several tasks draw the table of that
        name differently, the name of the task goes first: "winogrande.calibration".
    sources : sequence of str
        Names of runs, ids or their beginnings, and stores, for all their finished runs.
    store : Path
        Where runs are found by their names and ids.

    Raises
    ------
    InputError
        For a source that is none, or a chart that cannot be made from it.
    """
    runs, _ = find_runs(sources, [store], _asked(name)[0] or None)
    return chart_of_parts(name, parts_of_runs(told_apart(runs)), ", ".join(sources))


def chart_of_parts(name: str, parts: Sequence[Part], where: str = "") -> Chart:
    """Find the chart of that name among those of some tasks.

    Parameters
    ----------
    name : str
        As :func:`find_chart` takes it.
    parts : sequence of Part
    where : str
        Where they are from, for errors.

    Raises
    ------
    InputError
        If no task has it, or several do.
    """
    task, name = _asked(name)
    charts = {part.name: charts_of(part) for part in parts if task in ("", part.name)}
    if not charts:
        raise InputError(f"no results of {task}", expected=f"of {', '.join(part.name for part in parts)}")
    having = [own for own, found in charts.items() if name in {chart.name for chart in found}]
    if len(having) > 1:
        expected = " or ".join(f"{task}.{name}" for task in having)
        raise InputError(f"{name} of {' and of '.join(having)}", expected=expected)
    entries = [] if task else profile_entries(parts)
    own = [chart for task in having or charts for chart in charts[task]]
    known = {chart.name: chart for chart in [*([profile_chart(entries)] if entries else []), *own]}
    if name not in known:
        raise InputError(
            f"no chart {name!r} can be made from this{did_you_mean(name, known)}",
            path=where or None,
            expected=f"one of {', '.join(known)}" if known else "finished runs",
        )
    return known[name]


def _asked(name: str) -> tuple[str, str]:
    """Tell the task that stands before the name of a chart, "" if there is none, and the name alone."""
    task, dot, rest = name.partition(".")
    return (task, rest) if dot and task in task_names() else ("", name)


def charts_of(part: Part) -> list[Chart]:
    """Make every chart of a task for which there is something to draw, those of measures first."""
    estimates, budgets = part.results.estimates, budget_chart(part)
    return [
        *measure_charts(estimates, part.words),
        *task_charts(estimates, part.results.tables, part.words),
        *([budgets] if budgets else []),
    ]
