"""Charts to look at and to go on with: ``ps.chart``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probsense.comparison.compare import Comparison
from probsense.reporting.given import Given, given_runs
from probsense.reporting.part import Part, part_of_comparison, parts_of_runs
from probsense.reporting.profiled import Profile
from probsense.reporting.sources import chart_of_parts
from probsense.show.render import check_can_draw
from probsense.show.theme import WIDE

if TYPE_CHECKING:
    import altair as alt


def chart(
    source: Given | Profile | Comparison, name: str, *, store: Path | str = "probsense.db", width: int = WIDE
) -> alt.TopLevelMixin:
    """Make a chart, as ``probsense figure`` draws it.

    Parameters
    ----------
    source : Run, Profile, Comparison, Path, str, or a sequence of runs
        A run, or several; a profile; a comparison, whose charts show the levels; the name of runs in ``store``, or the
        beginning of a run's id; a store, for all its runs.
    name : str
        Name of the chart: that of a measure ("accuracy"), one of a task's own ("calibration"), or "profile". If several
        tasks have a chart of that name, the name of the task goes first: "winogrande.calibration".
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

    return alt.Chart.from_dict(chart_of_parts(name, _parts(source, store)).spec(width))


def _parts(source: Given | Profile | Comparison, store: Path | str) -> list[Part]:
    match source:
        case Profile():
            return source.parts()
        case Comparison():
            return [part_of_comparison(source)]
        case _:
            return parts_of_runs(given_runs(source, store)[0])
