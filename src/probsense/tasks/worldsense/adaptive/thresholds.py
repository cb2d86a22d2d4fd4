"""What adaptive series amount to: the size and the depth at which a model falls to three quarters right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.staircase import Curve, Threshold, curve, dispersion, posterior, threshold
from probsense.core.records import Item, Json
from probsense.tasks.base import Answers, Method
from probsense.tasks.results import Results
from probsense.tasks.worldsense.adaptive.series import Adaptive, Course, Series, Trial
from probsense.tasks.worldsense.questions.asking import answer_to

LEVEL = 0.95
METHOD = "QUEST+"
TABLE = "accuracy_by_difficulty"
"""The name of the chart, and of the table that it is drawn from."""

TEXTS = ("model", "problem", "dial")
NUMBERS = ("level", "value", "low", "high", "right", "tuples")
"""The columns of that table."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a series found.

    Attributes
    ----------
    course : Course
    threshold : Threshold
    curve : Curve
        Probability of a right answer at each level.
    """

    course: Course
    threshold: Threshold
    curve: Curve


COLUMNS = {
    **dict.fromkeys(("id", "tuple_id", "series", "problem"), pl.String),
    **dict.fromkeys(("size", "depth"), pl.Int64),
    **dict.fromkeys(("skin", "qskin", "gold", "resp"), pl.String),
    **dict.fromkeys(("p_gold", "margin", "other"), pl.Float64),
}
"""Columns of the table of an adaptive run: as those of other runs, with the name of the series."""


def measure_thresholds(
    questions: Adaptive, items: Sequence[Item], method: Method, answers: Answers, by: Mapping[str, Json]
) -> Results:
    """Measure the threshold of each series; the table has a row for each trial that was asked and answered."""
    courses = questions.courses(method, answers)
    found = [one for one in map(find, courses) if one]
    asked = {trial.asked.item: (course.series, trial) for course in courses for trial in course.chosen}
    rows = [_row(*asked[item.id], method, answers, questions.rule) for item in items]
    trials = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    covered: dict[str, Json] = {
        "asked": sum(course.series.trials for course in courses),
        "answered": trials.height,
        "valid": trials.filter(pl.col("resp") != "").height,
        "tuples": sum(len(course.entered) for course in courses),
    }
    return Results(
        estimates(found, by),
        [covered],
        [*notes(found)],
        trials,
        {TABLE: table(found, by["model"])},
    )


def _row(series: Series, trial: Trial, method: Method, answers: Answers, rule: str) -> tuple[object, ...]:
    given = answer_to(trial.asked, method, answers, rule)
    cell = trial.cell
    where = trial.asked.item, trial.tuple_id, series.name, cell.problem, cell.size, cell.depth
    said = trial.gold, given.resp, given.shares.get(trial.gold), given.margin, given.other
    return (*where, cell.skin.name, cell.qskin, *said)


def find(course: Course) -> Found | None:
    """Sum up a series; None if none of its tuples was answered."""
    if not course.entered:
        return None
    observers = course.observers
    # Siblings go together, and so do questions in one skin.
    spread = max(
        dispersion(observers, course.entered, groups) for groups in (range(len(course.entered)), course.skins)
    )
    weights = posterior(observers, course.tally, spread)
    return Found(course, threshold(observers, weights, LEVEL), curve(observers, weights, LEVEL))


def estimates(found: Sequence[Found], by: Mapping[str, Json]) -> list[Estimate]:
    """Estimate the threshold of each series.

    Where it most likely lies outside of the levels that could be asked, it has no value and no end on that side.
    """
    return [
        Estimate(
            measure=f"{one.course.series.dial}_at_75",
            by={**by, "problem": one.course.series.problem},
            value=nan if side(one) else one.threshold.value,
            stderr=nan,
            low=nan if side(one) == "below" else one.threshold.low,
            high=nan if side(one) == "above" else one.threshold.high,
            level=LEVEL,
            n=one.course.closed,
            clusters=len(one.course.entered),
            method=METHOD,
        )
        for one in found
    ]


def side(found: Found) -> str:
    """Say where a threshold lies if it most likely is outside of the levels: "below" or "above"; else ""."""
    if found.threshold.below > 0.5:
        return "below"
    return "above" if found.threshold.above > 0.5 else ""


def notes(found: Sequence[Found]) -> Iterator[str]:
    """Say in words which thresholds lie outside of the levels, and which series ended early."""
    for one in found:
        series, known = one.course.series, one.threshold
        levels = series.levels
        if side(one) == "below":
            yield (
                f"{series.problem}: less than 75 % are right already at {series.dial} {levels[0]}, the smallest"
                f" asked (probability {known.below:.2f}), so no {series.dial} is given"
            )
        elif side(one) == "above":
            yield (
                f"{series.problem}: more than 75 % are right even at {series.dial} {levels[-1]}, the largest"
                f" asked (probability {known.above:.2f}), so no {series.dial} is given"
            )
        if one.course.closed < series.trials:
            yield f"{series.name} ended after {one.course.closed:,} of {series.trials:,} questions, as answers failed"


def table(found: Sequence[Found], model: Json) -> pl.DataFrame:
    """Arrange the fitted curves: a row for each series and level, with what was asked there.

    Returns
    -------
    DataFrame
        model, problem, dial, level, value (mean probability of a right answer), low, high, right (share of right
        answers, by their weights; null where nothing was asked), tuples.
    """
    rows = []
    for one in found:
        series, tally = one.course.series, one.course.tally
        asked = (tally.right + tally.wrong).tolist()
        for x, level in enumerate(series.levels):
            right = float(tally.right[x]) / asked[x] if asked[x] else None
            tuples = sum(answers.level == x for answers in one.course.entered)
            ends = (float(values[x]) for values in one.curve)
            rows.append((str(model), series.problem, series.dial, level, *ends, right, tuples))
    schema = {**dict.fromkeys(TEXTS, pl.String), **dict.fromkeys(NUMBERS, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")
