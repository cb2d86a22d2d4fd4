"""The commonsense profile: where each model stands in every task, beside guessing and beside people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from probsense.analysis.inference.estimate import Estimate
from probsense.results.part import Part
from probsense.show.chart import (
    INK,
    NARROW,
    PAPER,
    WIDE,
    Chart,
    ChartWords,
    Spec,
    labels,
    rows,
    specification,
    strings,
)
from probsense.show.charts import chart_of_table
from probsense.show.estimate_charts import LANE, RIGHT, SHORTCUTS, forest
from probsense.show.key_results import leading_estimates
from probsense.show.marks import Axis
from probsense.show.measure import ABSENT, PERCENT, Measure, both_ends, level
from probsense.show.tables import CHANCE
from probsense.show.text import heading, plain
from probsense.show.words import ILLUSTRATIVE, PEOPLE, ProfileRow, Table, plain_words

if TYPE_CHECKING:
    import polars as pl


GAP = 22
"""What is left between rows, for the names of the bars."""
NUMBERS: Final = ("value", "low", "high", "chance")
"""What charts and lists have of each estimate."""
SHARE: Final = Measure("Share", unit=PERCENT, bounds=(-math.inf, math.inf))
AXIS = Axis("Share or nearness (%)", 0, 1, 100)
LANDMARKS = {"chance": "chance", "shortcut_ceiling": SHORTCUTS, PEOPLE: PEOPLE, ILLUSTRATIVE: ILLUSTRATIVE}
"""What has a bar in each row, and its name there."""


def draw_profile(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each measure, a mark with its interval for each model, and bars at chance, shortcuts and people.

    Parameters
    ----------
    table : DataFrame
        part, model, value, low, high, chance, shortcut_ceiling, people, illustrative (where made-up people
        are): numbers from 0 to 1. The last column may be missing.
    width : int
    """
    import altair as alt
    import polars as pl

    parts = labels(strings(table, "part"), 26 if width > NARROW else 18)
    models = labels(strings(table, "model"))
    crowded = set(table.filter(pl.col("shortcut_ceiling").is_finite())["part"])
    known: list[dict[str, Any]] = [
        {
            "part": parts[part],
            "x": AXIS.at(value),
            "name": name,
            "tip": plain(f"{part}: {name} {value * 100:.3g} %"),
            "align": _align(column, value) if part in crowded else "center",
        }
        for column, name in LANDMARKS.items()
        if column in table.columns
        for part, value in table.select("part", column).unique(maintain_order=True).iter_rows()
        if math.isfinite(value)
    ]
    bars = alt.Chart(rows(known)).encode(
        x=alt.X("x:Q", title=AXIS.title), y=alt.Y("part:N", sort=None, title=None), description="tip:N"
    )
    half = LANE * len(models) / 2
    text = bars.encode(text="name:N")
    marks = forest(table.drop("shortcut_ceiling"), SHARE, parts, models, AXIS, width, GAP)
    drawn = marks + bars.mark_tick(orient="vertical", size=2 * half, thickness=2, color=INK, opacity=0.5)
    above = -half - GAP / 4
    letters: dict[str, Any] = {"align": alt.ExprRef("datum.align"), "dy": above, "fontSize": 10.5}
    # What lies below the letters is kept from running through them.
    drawn += text.mark_text(**letters, stroke=PAPER, strokeWidth=4)
    drawn += text.mark_text(**letters)
    about = f"Where {', '.join(models)} stand in {', '.join(parts)}. Each line is an interval."
    return specification(drawn, about)


def _align(column: str, value: float) -> str:
    """Keep the names of chance and of shortcuts apart, and both within the chart."""
    return "left" if column == "shortcut_ceiling" and value < RIGHT else "right"


PROFILE_MEANING: Final = (
    "Where each model stands in every task. Lines are intervals; bars mark what guessing gets, what shortcuts reach and"
    " where people are, as far as that is known. An arrow with a number is a value that lies beyond the axis."
)


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """The estimate of one model in one row of the profile.

    Attributes
    ----------
    task : str
    row : ProfileRow
    model : str
    estimate : Estimate
    people : str
        What the mark is called that shows where people stand: see :class:`~probsense.show.words.Words`.
    """

    task: str
    row: ProfileRow
    model: str
    estimate: Estimate
    people: str = PEOPLE

    @property
    def name(self) -> str:
        """Name of the row: the task and the measure."""
        return f"{self.task}: {self.row.title}"

    @property
    def landmarks(self) -> dict[str, float]:
        """What the estimate is compared with, by the names of :data:`LANDMARKS`; NaN where it is not known."""
        known = {name: getattr(self.estimate, name) for name in ("chance", "shortcut_ceiling")}
        places = {who: self.row.people if self.people == who else math.nan for who in (PEOPLE, ILLUSTRATIVE)}
        return known | places


def profile_entries(parts: Iterable[Part]) -> list[ProfileEntry]:
    """Collect every entry of the profile: one or two measures for each task."""
    return [entry for part in parts for row in part.words.profile for entry in _entries(part, row)]


def _entries(part: Part, row: ProfileRow) -> Iterable[ProfileEntry]:
    words = part.words
    arranged, overall = leading_estimates(part.results.estimates, row.measure, words)
    asked = Counter(subject[-1] for subject in arranged.subjects)
    names = {
        subject: name if asked[subject[-1]] > 1 else plain(subject[-1])
        for subject, name in arranged.names().items()
    }
    for subject in arranged.subjects:
        found = overall.get(subject)
        if found and not math.isnan(found.value) and words.is_model(subject[-1]):
            estimate = replace(found, chance=found.chance if math.isnan(row.chance) else row.chance)
            if row.flipped:
                value, low, high = 1 - estimate.value, 1 - estimate.high, 1 - estimate.low
                estimate = replace(estimate, value=value, low=low, high=high)
            yield ProfileEntry(words.title, row, names[subject], estimate, words.people)


def left_out(parts: Iterable[Part]) -> list[str]:
    """Say which models have no entry of a task in the profile, though they were asked, and why."""
    models: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        for model, why in without_entry(part).items():
            models.setdefault((part.words.title, why), []).append(model)
    return [
        f"{task} of {', '.join(who)} is not in the profile: {why}." for (task, why), who in models.items()
    ]


def without_entry(part: Part) -> Mapping[str, str]:
    """Say why models of a task that were asked have no entry in the profile."""
    if not part.words.profile:
        return {}
    words, shown = part.words, {entry.estimate.by.get("model") for entry in profile_entries([part])}
    asked = [row.get("model") for row in part.results.coverage]
    asked += [e.by.get("model") for e in part.results.estimates]
    without = [
        model for model in dict.fromkeys(asked) if model and model not in shown and words.is_model(model)
    ]
    needed = "” or “".join(dict.fromkeys(row.title for row in words.profile))
    return {
        plain(model): part.results.withheld.get(str(model), f"there is no “{needed}” over all")
        for model in without
    }


def meanings(entries: Sequence[ProfileEntry]) -> list[tuple[str, str]]:
    """Explain each row of the profile."""
    return [*dict.fromkeys((entry.name, entry.row.meaning) for entry in entries)]


Rows: TypeAlias = Mapping[str, Mapping[str, ProfileEntry]]
"""Entries by the name of their row, and by the model."""


def profile_rows(parts: Iterable[Part]) -> Rows:
    """Arrange the entries by row and model; a task without an entry of any model has an empty row."""
    rows: dict[str, dict[str, ProfileEntry]] = {}
    for part in parts:
        own = profile_entries([part])
        for row in () if own else part.words.profile[:1]:
            rows[f"{part.words.title}: {row.title}"] = {}
        for entry in own:
            rows.setdefault(entry.name, {})[entry.model] = entry
    return rows


def landmarks(rows: Rows) -> Mapping[str, Sequence[str]]:
    """Write what results are compared with, as far as it is known: columns by heading, with a cell for each row.

    People of tasks whose data have made them up have a column of their own.
    """

    columns = {
        heading(name): [_landmark({entry.landmarks[name] for entry in own.values()}) for own in rows.values()]
        for name in LANDMARKS
    }
    return {name: cells for name, cells in columns.items() if {*cells} - {ABSENT}}


def profile_table(parts: Sequence[Part]) -> Table:
    """Make a table with a row for each measure and a column for each model with its interval, and for guessing.

    Where a shortcut ceiling is known, or where people stand, it has a column, too. A task without an entry of any model
    has a row without figures.
    """
    rows = profile_rows(parts)
    return arranged(rows, {CHANCE: [ABSENT] * len(rows), **landmarks(rows)}, interval_cell)


def arranged(rows: Rows, places: Mapping[str, Sequence[str]], cell: Callable[[Estimate], str]) -> Table:
    """Make a table with a row for each measure, and a column for each model and for each of some places."""
    models = [*dict.fromkeys(model for own in rows.values() for model in own)]
    levels = dict.fromkeys(level(entry.estimate) for own in rows.values() for entry in own.values())
    return Table(
        f"Commonsense profile in % (with the ends of the {'/'.join(levels)} interval)",
        ("Task", *models, *places),
        tuple(
            (
                name,
                *(cell(own[model].estimate) if model in own else ABSENT for model in models),
                *(cells[i] for cells in places.values()),
            )
            for i, (name, own) in enumerate(rows.items())
        ),
    )


def _landmark(values: set[float]) -> str:
    known = {value for value in values if not math.isnan(value)}
    return f"{known.pop() * 100:.3g}" if len(known) == 1 else ABSENT


def interval_cell(e: Estimate) -> str:
    """Write a share in per cent with the ends of its interval."""
    return both_ends(e, SHARE)


def profile_chart(entries: Sequence[ProfileEntry]) -> Chart:
    """Make the chart of the profile: a row for each measure, a mark with its interval for each model."""
    import polars as pl

    numbers = ("value", "low", "high")
    rows = [
        {"part": entry.name, "model": entry.model}
        | {name: getattr(entry.estimate, name) for name in numbers}
        | entry.landmarks
        for entry in entries
    ]
    columns = dict.fromkeys((*numbers, *LANDMARKS), pl.Float64)
    table = pl.DataFrame(rows, schema={"part": pl.String, "model": pl.String, **columns})
    return Chart(
        "profile",
        "Commonsense profile",
        PROFILE_MEANING,
        table.drop(ILLUSTRATIVE) if table[ILLUSTRATIVE].is_nan().all() else table,
        draw_profile,
    )


CURVE: Final = ChartWords(
    title="What thinking changes, by budget",
    meaning=(
        "What the same chains of thought lead to when they are cut earlier and closed. The points of a model share"
        " their chains, so that differences between them are more certain than the intervals of each."
    ),
    kind="series",
    about="The measures that stand for the task by the most tokens of a thought, for {models}.",
    measure="accuracy",
    by="budget",
    lines=True,
    across="Tokens of a thought at most",
    up="Share or nearness (%)",
)


def budget_chart(part: Part) -> Chart | None:
    """Make the chart of a task; None unless some model was asked with several budgets.

    Parameters
    ----------
    part : Part
        Its rows: a model with a budget, and a measure that stands for the task in the profile, on its scale.
    """
    import polars as pl

    budgets = {str(facts["model"]): how for facts in part.facts if (how := _budget(facts)) is not None}
    names = {model: _without_budget(model) for model in budgets}
    points = Counter(names.values())
    found = [
        (names[e.model], e.row.title, budgets[e.model], *(getattr(e.estimate, name) for name in NUMBERS))
        for e in profile_entries([part])
        if points[names.get(e.model, "")] > 1
    ]
    schema = {"model": pl.String, "part": pl.String}
    columns = dict.fromkeys(("budget", *NUMBERS), pl.Float64)
    table = pl.DataFrame(found, schema={**schema, **columns}, orient="row")
    if table.is_empty():
        return None
    return chart_of_table(
        "thinking_budget", table.sort("model", "part", "budget"), CURVE, plain_words(part.name)
    )


def _budget(facts: Mapping[str, Any]) -> float | None:
    match facts.get("thinking"):
        case {"budgets": [*_, int(budget)]}:
            return float(budget)
    return None


def _without_budget(model: str) -> str:
    """Return the name of a model without the budget that tells its runs apart."""
    name, bracket, how = model.rpartition(" [")
    return name if bracket and how.endswith(" tokens]") else model
