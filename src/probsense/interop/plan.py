"""Plans studies from pilots: how many items an interval of a width, or a test of some power, takes: ``ps.plan``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from probsense.analysis.comparison.aligned import Aligned, align
from probsense.analysis.comparison.compare import one_task
from probsense.analysis.comparison.scores import chosen_measures, named
from probsense.core.errors import InputError
from probsense.core.names import is_id
from probsense.core.records import Json
from probsense.interop.compare import Source, read_sources
from probsense.runs.find import is_name
from probsense.show.chart import Chart
from probsense.show.measure import PERCENT, Measure
from probsense.show.shapes.marks import DASHED
from probsense.show.tables import Table
from probsense.show.text import joined, plain
from probsense.show.theme import Spec, by_model, labels, rows, specification, strings
from probsense.studies.plan import PEOPLE, POWER, Beyond, Goal, Pilot, shown_sizes
from probsense.tasks.registry import words_named

PILOTS: Final = "pilots.json"
"""The pilots that come with the package (``benchmarks/studies/pilots.py``)."""
POINTS: Final = 60
"""Points of a curve of the chart."""
TALL: Final = 300
MEANING: Final = (
    "The large mark of each line is the pilot, the diamond what is needed; the dashed line is the goal."
)


@dataclass(frozen=True, eq=False)
class StudyPlan:
    """Hold how many items a study needs.

    Attributes
    ----------
    task, measure : str
    goal : Goal
    pilots : tuple of Pilot
        One for each model, or each pair of models for a difference.
    needed : tuple of int or None
        Clusters that each needs; None where no number of clusters is enough.
    notes : list of str
        Notes for the reader.
    """

    task: str
    measure: str
    goal: Goal
    pilots: tuple[Pilot, ...]
    needed: tuple[int | None, ...]
    notes: list[str]

    @property
    def style(self) -> Measure:
        """Return how the measure is shown."""
        return words_named(self.task).measure(self.measure)

    @property
    def each(self) -> list[tuple[Pilot, int | None]]:
        """Pair each pilot with the clusters that it needs."""
        return list(zip(self.pilots, self.needed, strict=True))

    @property
    def _most(self) -> int | None:
        """Return the clusters that suffice for all; None if no number does."""
        return None if None in self.needed else max(filter(None, self.needed))

    def sizes(self) -> dict[float, int]:
        """List sizes of studies in clusters by multiples of the pilot."""
        return shown_sizes(self.pilots[0].clusters, self._most)

    def table(self) -> pl.DataFrame:
        """Return a row for each model or pair and size: its clusters and items, and the width or the power there.

        The last row of each is what is needed.
        """
        value = "width" if self.goal.difference is None else "power"
        return pl.DataFrame(
            [
                {
                    "model": one.model,
                    "versus": one.versus or None,
                    "clusters": size,
                    "items": one.items_in(size),
                    value: self.goal.at(one, size),
                    "needed": size == needed,
                }
                for one, needed in self.each
                for size in dict.fromkeys((*self.sizes().values(), *filter(None, [needed])))
            ],
            schema_overrides={"versus": pl.String},
        )

    @property
    def sentence(self) -> str:
        """Say how much to ask; of several models, for the one that needs most."""
        pilot, most = max(self.each, key=lambda one: one[1] or math.inf)
        whose = f" of {plain(pilot.name)}" if len(self.pilots) > 1 else ""
        if self.goal.width is not None:
            what = f"For an interval {_size(self.goal.width, self.style)} wide{whose}"
        else:
            apart = _size(self.goal.difference or 0, self.style)
            what = f"To find a difference of {apart} in {100 * self.goal.power:g} % of studies{whose}"
        if most is None:
            return ": ".join(filter(None, (f"{what}, no number of items is enough", _end(self, pilot)))) + "."
        unlike = f" in {most:,} clusters" if pilot.items != pilot.clusters else ""
        return f"{what}, ask about {pilot.items_in(most):,} items{unlike} (the pilot asked {pilot.items:,})."

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``plan --json`` prints."""
        shown = self.table().drop("needed").rows_by_key(["model", "versus"], named=True)
        return {
            "schema": 1,
            "task": self.task,
            "measure": self.measure,
            "goal": asdict(self.goal),
            "plans": [
                {
                    **asdict(one),
                    "beyond": [part._asdict() for part in one.beyond],
                    "stderr": one.stderr(one.clusters),
                    "needed_clusters": count,
                    "needed_items": None if count is None else one.items_in(count),
                    "sizes": list(shown[one.model, one.versus or None]),
                }
                for one, count in self.each
            ],
            "sentence": self.sentence,
            "notes": list(self.notes),
        }

    def chart(self) -> Chart:
        """Make the chart: the width or the power by clusters, a line for each model or pair."""
        ends = [*self.sizes().values(), *filter(None, self.needed)]
        line = np.unique(np.geomspace(min(ends), max(ends), POINTS).round())
        drawn = [
            {"model": one.name, "mark": mark, "clusters": float(size), "value": self.goal.at(one, size)}
            for one, needed in self.each
            for mark, sizes in (
                ("line", line),
                ("pilot", [one.clusters]),
                ("needed", [needed] if needed else []),
            )
            for size in sizes
        ]
        width, scale = self.goal.width, self.style.unit.scale
        scale, goal = (100, self.goal.power) if width is None else (scale, width)
        draw = partial(_draw, title=self.title, scale=scale, goal=goal)
        return Chart("plan", self.title, MEANING, pl.DataFrame(drawn), draw)

    @property
    def title(self) -> str:
        """Say what the table and the chart have."""
        shown = self.style.title
        if self.goal.difference is None:
            unit = _unit(self.style).strip()
            return f"{shown}: width of the 95 % interval" + (f" in {unit}" if unit else "")
        return f"{shown}: power in % to find a difference of {_size(self.goal.difference, self.style)}"


def plan(
    *sources: Source,
    width: float | None = None,
    difference: float | None = None,
    power: float = POWER,
    people: Sequence[Source] = (),
    raters: int | None = None,
    measure: str | None = None,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    task: str | None = None,
    **options: Any,
) -> StudyPlan:
    """Plan a study from a pilot: how many items it takes for an interval of a width, or to find a difference.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        As for :func:`compare`, one or several of one task; or the name of a task alone, for pilots of two small models.
    width : float, optional
        Wanted width of the 95 % interval of each mean from end to end, in the unit of the measure: .05 is 5 points.
    difference : float, optional
        True difference of two models that a two-sided t test at 5 % is to find; of three or more, for every two.
    power : float
        Probability of finding it.
    people : sequence of sources
        Answers of people, as further sources.
    raters : int, optional
        How many people will answer, if not as many as in the pilot.
    measure : str, optional
        By default, the first that all have.
    store, task, **options
        As for :func:`compare`.

    Returns
    -------
    StudyPlan

    Raises
    ------
    InputError
        For something that is not a source, an unknown measure, a goal that no study could have, and a pilot that tells
        no error.
    """
    goal = Goal(width, difference, power)
    goal.check(math.inf)
    stores = [Path(one) for one in ([store] if isinstance(store, Path | str) else store)]
    if name := _task_alone([*sources, *people], stores):
        known = _kept()[name]
        task, measure, notes = name, _only(measure, known["measure"]), [known["note"]]
        pilots = [_pilot_of(one) for one in known["means" if difference is None else "differences"]]
    else:
        task, measure, pilots, notes = _pilots(
            [*sources, *people], stores, task, measure, options, pairs=difference is not None
        )
    low, high = words_named(task).bounds(measure)
    goal.check(high - low)
    if raters is not None:
        pilots = [_with_people(one, raters) for one in pilots]
    found = StudyPlan(task, measure, goal, tuple(pilots), tuple(map(goal.needed, pilots)), notes)
    return replace(found, notes=[*(note for one in pilots for note in _limits(found, one)), *notes])


def plan_table(found: StudyPlan) -> Table:
    """Make the table of a plan: a row for each size, a column for each model or pair."""
    by_width = found.goal.difference is None
    style = found.style if by_width else Measure("", unit=PERCENT)
    sizes = found.sizes()
    first = found.pilots[0]
    heads = [f"{first.items_in(size):,} ({_times(multiple)})" for multiple, size in sizes.items()]
    cells = [[style.number(found.goal.at(one, size)) for one in found.pilots] for size in sizes.values()]
    for name, counts in (
        ("Items needed", [count and one.items_in(count) for one, count in found.each]),
        ("Clusters needed", found.needed),
    ):
        heads.append(name)
        cells.append(["no number" if count is None else f"{count:,}" for count in counts])
    return Table(
        found.title,
        ("Items asked", *(plain(one.name) for one in found.pilots)),
        tuple((head, *row) for head, row in zip(heads, cells, strict=True)),
        footing=2,
    )


def _times(multiple: float) -> str:
    return "the pilot" if multiple == 1 else f"1/{1 / multiple:g}" if multiple < 1 else f"× {multiple:g}"


def _size(value: float, style: Measure) -> str:
    """Print a width or a difference: "5 points"."""
    return f"{value * style.unit.scale:g}{_unit(style)}"


def _unit(style: Measure) -> str:
    """Return the unit of widths and differences, with a blank before it."""
    return " points" if style.unit.suffix == PERCENT.suffix else style.unit.suffix


def _task_alone(sources: Sequence[Source], stores: Sequence[Path]) -> str:
    """Return the task that is named in place of a pilot; "" if there is a pilot."""
    match sources:
        case [str(name)] if name in _kept() and not (
            Path(name).exists() or is_id(name) or is_name(name, stores)
        ):
            return name
        case []:
            raise InputError(
                "nothing to plan from", expected="a run, results, people's answers or a task's name"
            )
    return ""


def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((files("probsense.studies") / PILOTS).read_text("utf-8"))
    return found


def _pilot_of(known: Mapping[str, Any]) -> Pilot:
    return Pilot(**{**known, "beyond": tuple(Beyond(**one) for one in known["beyond"])})


def _only(wanted: str | None, known: str) -> str:
    if wanted not in (None, known):
        raise InputError(
            f"no pilot is kept by the measure {wanted!r}", expected=f"{known}, or a run of your own"
        )
    return known


def _pilots(
    sources: Sequence[Source],
    stores: Sequence[Path],
    task: str | None,
    measure: str | None,
    options: Mapping[str, Any],
    *,
    pairs: bool,
) -> tuple[str, str, list[Pilot], list[str]]:
    """Read pilots: the task, the measure, the pilot of each model or pair, and notes."""
    read, notes = read_sources(sources, stores, task, options)
    if pairs and len(read) < 2:
        raise InputError(
            "a difference, and the results of one model",
            expected="those of two on the same items, or --width",
        )
    task, read = one_task(read), named(read)
    [measure] = chosen_measures(read, [] if measure is None else [measure])
    aligned = align(read, measure, intersection=True)
    if any(aligned.left_out):
        notes = [*notes, f"the pilot is the {aligned.items.height:,} items that all have answered"]
    places = combinations(range(len(read)), 2) if pairs else ((i,) for i in range(len(read)))
    return task, measure, [_pilot(aligned, who) for who in places], notes


def _pilot(aligned: Aligned, who: tuple[int, ...]) -> Pilot:
    """Take the error of a mean, or of a mean difference, apart: over items, over settings, over people."""
    values = aligned.values[who[0]] - (aligned.values[who[1]] if who[1:] else 0)
    no_people = replace(aligned, ratings={})
    unset = aligned.items.with_columns(pl.lit(None, pl.String).alias(name) for name in ("setting", "form"))
    over_items = replace(no_people, items=unset).mean("", {}, values)
    both = no_people.mean("", {}, values)
    beyond = []
    if both.settings:
        more = both.stderr**2 - over_items.stderr**2
        beyond.append(Beyond("settings", max(more, 0.0), both.settings))
    for i in who:
        if (rated := aligned.ratings.get(i)) is not None:
            more = aligned.mean("", {}, values, [i]).stderr ** 2 - both.stderr**2
            each = rated.height / rated["item"].n_unique()
            beyond.append(Beyond(PEOPLE, max(more, 0.0), rated["rater"].n_unique(), each))
    variance = over_items.stderr**2
    if not who[1:] and aligned.level(who[0]).method == "clustered Wilson":
        # Its interval counts no more observations than there are items.
        share = float(values.mean())
        variance = max(variance, share * (1 - share) / len(values))
    model, versus = [*(aligned.models[i] for i in who), ""][:2]
    return Pilot(model, versus, over_items.clusters, len(values), variance, tuple(beyond))


def _with_people(pilot: Pilot, people: int) -> Pilot:
    if people < 2:
        raise InputError(f"--raters {people}", expected="2 or more")
    if not any(one.kind == PEOPLE for one in pilot.beyond):
        raise InputError(
            f"{pilot.name} has no answers of people", expected="people's answers, or no --raters"
        )
    return pilot.with_people(people)


def _limits(found: StudyPlan, pilot: Pilot) -> list[str]:
    """Say what more items cannot change, and how rough the pilot is."""
    end = _end(found, pilot)
    rough = 196 * math.sqrt(2 / pilot.freedom(pilot.clusters))
    notes = [f"{pilot.name}: {end}, however many items are asked"] if end else []
    return [
        *notes,
        f"{pilot.name}: the number needed is known to about ± {rough:.0f} %",
    ]


def _end(found: StudyPlan, pilot: Pilot) -> str:
    """Say what a study with any number of items cannot reach; "" if it can reach everything."""
    if not any(one.variance for one in pilot.beyond):
        return ""
    units = joined([f"{one.units:,} {one.kind}" for one in pilot.beyond])
    end = found.goal.at(pilot, math.inf)
    if found.goal.difference is not None:
        return f"with {units}, the power stays below {100 * end:.0f} %"
    return f"with {units}, the interval stays {_size(float(f'{end:.2g}'), found.style)} wide"


def _draw(table: pl.DataFrame, width: int, *, title: str, scale: float, goal: float) -> Spec:
    """Draw a line for each model, with its pilot and what is needed marked.

    Parameters
    ----------
    table : DataFrame
        model, mark ("line", "pilot" or "needed"), clusters, value.
    width : int
        Of the whole chart, in pixels.
    title : str
        Of the axis of values.
    scale : float
        Between a value and its printed form.
    goal : float
        Where the dashed line is.
    """
    import altair as alt

    names = labels(strings(table, "model"))
    hue, _ = by_model([*names.values()], width)
    records = [
        {**row, "model": names[row["model"]], "value": scale * row["value"]}
        for row in table.iter_rows(named=True)
    ]
    base = alt.Chart(rows(records)).encode(
        x=alt.X("clusters:Q", title="Clusters of items", scale=alt.Scale(type="log", nice=False)),
        y=alt.Y("value:Q", title=title),
        color=hue,
    )
    only = {mark: base.transform_filter(f"datum.mark === '{mark}'") for mark in ("line", "pilot", "needed")}
    drawn = alt.layer(
        alt.Chart(rows([{"goal": scale * goal}])).mark_rule(**DASHED).encode(y="goal:Q"),
        only["line"].mark_line(),
        only["pilot"].mark_point(filled=True, size=120),
        only["needed"].mark_point(filled=True, size=120, shape="diamond"),
    ).properties(width=width - 80, height=TALL)
    return specification(drawn, f"{title} by clusters of items, for {', '.join(names.values())}. {MEANING}")
