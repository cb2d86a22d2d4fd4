"""Charts to look at and to go on with: ``ps.chart``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from probsense.analysis.comparison.compare import Comparison
from probsense.core.errors import InputError
from probsense.results.given import Given, given_runs
from probsense.results.part import Part, part_of_comparison, parts_of_runs
from probsense.results.profiled import Profile
from probsense.results.sources import chart_of_parts
from probsense.show.chart import Chart
from probsense.show.render import check_can_draw
from probsense.show.theme import WIDE

if TYPE_CHECKING:
    import altair as alt


@runtime_checkable
class HasChart(Protocol):
    """A result of a layer above this one that has a chart, such as a plan."""

    def chart(self) -> Chart:
        """Return its chart."""


def chart(
    source: Given | Profile | Comparison | HasChart,
    name: str,
    *,
    store: Path | str = "probsense.db",
    width: int = WIDE,
) -> alt.TopLevelMixin:
    """Make a chart, as ``probsense figure`` draws it.

    Parameters
    ----------
    source : Run, Profile, Comparison, Plan, Path, str, or a sequence of runs
        A run, or several; a profile; a comparison, whose charts show the levels; a plan; the name of runs in ``store``,
        or the beginning of a run's id; a store, for all its runs.
    name : str
        Name of the chart: that of a measure ("accuracy"), one of a task's own ("calibration"), "profile" or "plan". If
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

    if isinstance(source, HasChart):
        drawn = source.chart()
        if name != drawn.name:
            raise InputError(f"a {type(source).__name__.lower()} has no chart {name!r}", expected=drawn.name)
    else:
        drawn = chart_of_parts(name, _parts(source, store))
    return alt.Chart.from_dict(drawn.spec(width))


def _parts(source: Given | Profile | Comparison, store: Path | str) -> list[Part]:
    match source:
        case Profile():
            return source.parts()
        case Comparison():
            return [part_of_comparison(source)]
        case _:
            return parts_of_runs(given_runs(source, store)[0])
