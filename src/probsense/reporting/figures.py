"""Every chart there is, by name, and which of them can be made from some figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probsense.answers.bound import EPSILON, LEVEL
from probsense.report.charts.figure import Figure
from probsense.report.charts.frames import PANELS, bound_chart, distributions_chart, forest_chart
from probsense.report.charts.judgments import features_chart, individuals_chart, pq_chart, statements_chart
from probsense.report.charts.measures import (
    calibration_chart,
    measure_chart,
    measure_table,
    sizes_chart,
    sizes_table,
)
from probsense.report.charts.theme import Spec
from probsense.report.findings import in_first_view
from probsense.report.tables import kinds
from probsense.report.words import MEASURES, measure_of
from probsense.stats.estimate import Estimate

if TYPE_CHECKING:
    import polars as pl

    from probsense.run.evaluate import Run


@dataclass(frozen=True, slots=True)
class Chart:
    """A kind of chart.

    Attributes
    ----------
    title, meaning : str
        What it is called, and what it shows.
    draw : callable
        From its table and a width to a specification.
    texts, numbers : tuple of str
        The columns that its table must have.
    """

    title: str
    meaning: str
    draw: Callable[[pl.DataFrame, int], Spec]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]

    def figure(self, name: str, table: pl.DataFrame) -> Figure:
        """The chart of a table."""
        return Figure(name, self.title, self.meaning, table, self.draw)


_ESTIMATES = ("measure", "by", "model", "part"), ("value", "low", "high", "chance")
_ENDS = ("value", "low", "high")

TABLES: Mapping[str, Chart] = {
    "individuals": Chart(
        "Models among people",
        "Common sense of each model as an individual, with its interval; above, how many people have how much.",
        individuals_chart,
        ("kind", "name"),
        ("score", "low", "high"),
    ),
    "statements": Chart(
        "Statement by statement",
        "How commonsensical each statement is to people (to the right) and within a model (upwards), for the models"
        " that correlate best with people. The correlation cannot be higher than the ceiling, since people’s values"
        " come from a few answers each.",
        statements_chart,
        ("model",),
        ("people", "value", "r", "low", "high", "ceiling"),
    ),
    "features": Chart(
        "Features of statements",
        "By how much statements on one side of a feature are more commonsensical than on the other.",
        features_chart,
        ("model", "feature"),
        _ENDS,
    ),
    "pq": Chart(
        "What groups share",
        "The largest share of statements on which some group of so many raters gives the same answers: the pq curve,"
        " with its interval.",
        pq_chart,
        ("population",),
        ("raters", "p", "q", "q_bound", "low", "high"),
    ),
    "distributions": Chart(
        "What people and models answer",
        f"Shares of answers in each cluster, for up to {PANELS} frames: from where the model is nearest to people, to"
        " where it is farthest. A cluster is called by its most frequent answer.",
        distributions_chart,
        ("model", "frame", "text", "cluster"),
        ("share",),
    ),
    "forest": Chart(
        "Frame by frame",
        "Each frame with its interval, the mean of all first; the nearest to people are at the top.",
        forest_chart,
        ("model", "measure", "frame"),
        _ENDS,
    ),
    "bound": Chart(
        "How much so many answers can tell",
        f"A bound on how often a sample of answers is {EPSILON:g} nats or more from what it is drawn from, by the"
        f" number of clusters, whatever the distribution. Below the dashed line that is at most {LEVEL:.0%}"
        " of samples.",
        bound_chart,
        (),
        ("categories", "answers", "probability", "given"),
    ),
}
"""Charts of the tables that tasks make, by the name of the table."""

CALIBRATION = Chart(
    "Calibration",
    "How much more often answers are right than they are sure, by how sure they are: below the line they are too sure,"
    " above it not sure enough. A hollow mark has too few answers for an interval.",
    calibration_chart,
    *_ESTIMATES,
)
BY_SIZE, BY_SKIN = "_by_size", "_by_skin"
"""How the names of charts by size and by skin end, after the measure."""
LEADING = ("accuracy", "bias")
"""Measures that a page begins with, and that there are charts by size and by skin of."""


def measure_kind(measure: str) -> Chart:
    """The chart of a measure by part."""
    style = measure_of(measure)
    return Chart(style.title, style.meaning, measure_chart, *_ESTIMATES)


def sizes_kind(measure: str) -> Chart:
    """The chart of a measure by size."""
    style = measure_of(measure)
    meaning = (
        f"Each problem with each number of entities. The dashed line is {style.landmark_name or 'chance'}."
    )
    texts, numbers = _ESTIMATES
    return Chart(f"{style.title} by size", meaning, sizes_chart, texts, (*numbers, "size"))


def skins_kind(measure: str) -> Chart:
    """The chart of a measure by skin."""
    style = measure_of(measure)
    meaning = "The same problems in the words of each skin: what holds in one world only is no reasoning."
    return Chart(f"{style.title} by skin", meaning, measure_chart, *_ESTIMATES)


def chart_of(name: str) -> Chart | None:
    """The chart of that name, if there is one: of a table, a measure, one by size or by skin, or "calibration"."""
    if name in TABLES:
        return TABLES[name]
    if name == "calibration":
        return CALIBRATION
    for ending, kind in {BY_SIZE: sizes_kind, BY_SKIN: skins_kind, "": measure_kind}.items():
        if name.endswith(ending) and (measure := name.removesuffix(ending)) in MEASURES:
            return kind(measure)
    return None


def task_figures(tables: Mapping[str, pl.DataFrame], estimates: Sequence[Estimate]) -> list[Figure]:
    """What a page shows beside its tables: every chart for which there is a table, by size, by skin, and calibration.

    Parameters
    ----------
    tables : Mapping of str to DataFrame
        By name, as of an :class:`~probsense.tasks.analysis.Analysis`.
    estimates : sequence of Estimate
        Of the same answers.
    """
    found = [chart.figure(name, tables[name]) for name, chart in TABLES.items() if name in tables]
    for measure, method in _first_methods(estimates).items():
        if measure in LEADING and not (table := sizes_table(drawn(estimates), measure, method)).is_empty():
            found.append(sizes_kind(measure).figure(f"{measure}{BY_SIZE}", table))
        skins = [e for e in estimates if e.measure == measure and "skin" in e.by]
        if measure in LEADING and skins:
            table = measure_table(skins, measure, skins[0].method)
            found.append(skins_kind(measure).figure(f"{measure}{BY_SKIN}", table))
        if measure == "calibration_gap":
            found.append(CALIBRATION.figure("calibration", measure_table(estimates, measure, method)))
    return found


def run_figures(runs: Sequence[Run]) -> list[Figure]:
    """What a page shows of runs of one task beside its tables; all models are in the same charts."""
    import polars as pl

    from probsense.tasks.frames.task import Frames
    from probsense.tasks.judgments.task import Judgments

    parts = [
        run.task.tables(run.table(), run.model, run.summary())
        for run in runs
        if isinstance(run.task, Judgments | Frames)
    ]
    names = dict.fromkeys(name for part in parts for name in part)
    tables = {
        name: pl.concat([part[name] for part in parts if name in part]).unique(maintain_order=True)
        for name in names
    }
    return task_figures(tables, [estimate for run in runs for estimate in run.summary()])


def leading_figures(estimates: Sequence[Estimate]) -> list[Figure]:
    """Accuracy and bias by part."""
    return [figure for figure in measure_figures(estimates) if figure.name in LEADING]


def measure_figures(estimates: Sequence[Estimate]) -> list[Figure]:
    """A chart by part of every measure that has a highest value, by the method that comes first; not by frame."""
    found = []
    estimates = [estimate for estimate in estimates if "frame" not in estimate.by]
    for measure, method in _first_methods(estimates).items():
        if measure in MEASURES and MEASURES[measure].bounds[1] < float("inf"):
            table = measure_table(drawn(estimates), measure, method)
            if not table.is_empty():
                found.append(measure_kind(measure).figure(measure, table))
    return found


def _first_methods(estimates: Sequence[Estimate]) -> dict[str, str]:
    found: dict[str, str] = {}
    for measure, method in kinds(estimates):
        found.setdefault(measure, method)
    return found


def drawn(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """Problems and views would be too much for one chart."""
    return in_first_view(estimates) if any("problem" in e.by for e in estimates) else estimates
