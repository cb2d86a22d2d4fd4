"""Plans studies from pilots: how many items an interval of a width, or a test of some power, takes: ``ps.plan``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import combinations
from math import inf, sqrt
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from probsense.analysis.comparison.aligned import Aligned, align
from probsense.analysis.comparison.compare import one_task
from probsense.analysis.comparison.scores import chosen_measures, named
from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.interop.compare import Source, read_sources
from probsense.runs.find import is_name
from probsense.show.chart import Chart, Spec, by_model, labels, rows, specification, strings
from probsense.show.marks import DASHED
from probsense.show.measure import PERCENT, Measure
from probsense.show.text import joined, plain
from probsense.show.words import Table
from probsense.studies.plan import PEOPLE, POWER, Beyond, Goal, Pilot, shown_sizes
from probsense.tasks.registry import words_named

PILOTS: Final = "pilots.json"
"""The pilots that come with the package (``benchmarks/studies/pilots.py``)."""
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
    def shown(self) -> Measure:
        """Return how what a study reaches is shown: a width as the measure, a power in per cent."""
        return self.style if self.goal.difference is None else Measure("", unit=PERCENT)

    @property
    def each(self) -> list[tuple[Pilot, int | None]]:
        """Pair each pilot with the clusters that it needs."""
        return list(zip(self.pilots, self.needed, strict=True))

    def sizes(self) -> dict[float, int]:
        """List sizes of studies in clusters by multiples of the pilot up to what all need."""
        most = None if None in self.needed else max(filter(None, self.needed))
        return shown_sizes(self.pilots[0].clusters, most)

    def table(self) -> pl.DataFrame:
        """Return a row for each model or pair and size: its clusters and items, and the width or the power there.

        The last row of each is what is needed.
        """
        return pl.DataFrame(
            [
                {
                    "model": one.model,
                    "versus": one.versus or None,
                    "clusters": size,
                    "items": one.items_in(size),
                    self.goal.name: self.goal.at(one, size),
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
        pilot, most = max(self.each, key=lambda one: one[1] or inf)
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
                    "beyond": [asdict(part) for part in one.beyond],
                    "stderr": one.stderr(one.clusters),
                    "needed_clusters": count,
                    "needed_items": None if count is None else one.items_in(count),
                    "sizes": shown[one.model, one.versus or None],
                }
                for one, count in self.each
            ],
            "sentence": self.sentence,
            "notes": self.notes,
        }

    def chart(self) -> Chart:
        """Make the chart: the width or the power by clusters, a line for each model or pair."""
        mark = pl.when("needed").then(pl.lit("needed"))
        drawn = self.table().select(
            pl.concat_str("model", "versus", separator=" − ", ignore_nulls=True).alias("model"),
            mark.when(pl.col("clusters") == self.pilots[0].clusters).then(pl.lit("pilot")).alias("mark"),
            "clusters",
            value=pl.col(self.goal.name) * self.shown.unit.scale,
        )
        goal = getattr(self.goal, self.goal.name) * self.shown.unit.scale
        return Chart("plan", self.title, MEANING, drawn, partial(_draw, self.title, goal))

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
    stores = [Path(one) for one in ([store] if isinstance(store, Path | str) else store)]
    sources = (*sources, *people)
    if not sources:
        raise InputError("nothing to plan from", expected="a run, results, people's answers or a task's name")
    pairs = difference is not None
    kept = json.loads((files("probsense.studies") / PILOTS).read_text("utf-8"))
    match sources:
        case [str(name)] if name in kept and not (Path(name).exists() or is_name(name, stores)):
            task, measure, pilots, notes = _kept_pilots(name, kept[name], measure, pairs)
        case _:
            task, measure, pilots, notes = _pilots(sources, stores, task, measure, options, pairs)
    low, high = words_named(task).bounds(measure)
    goal.check(high - low)
    if raters is not None:
        pilots = [_with_people(one, raters) for one in pilots]
    found = StudyPlan(task, measure, goal, tuple(pilots), tuple(map(goal.needed, pilots)), notes)
    return replace(found, notes=[*(note for one in pilots for note in _limits(found, one)), *notes])


def plan_table(found: StudyPlan) -> Table:
    """Make the table of a plan: a row for each size, a column for each model or pair."""
    first, sizes = found.pilots[0], found.sizes()
    asked = [f"{first.items_in(size):,} ({_times(multiple)})" for multiple, size in sizes.items()]
    names, columns = ["Items asked"], [[*asked, "Items needed", "Clusters needed"]]
    for one, count in found.each:
        reached = [found.shown.number(found.goal.at(one, size)) for size in sizes.values()]
        needed = ["no number"] * 2 if count is None else [f"{one.items_in(count):,}", f"{count:,}"]
        names.append(plain(one.name))
        columns.append([*reached, *needed])
    return Table(found.title, tuple(names), tuple(zip(*columns, strict=True)), footing=2)


def _times(multiple: float) -> str:
    return "the pilot" if multiple == 1 else f"1/{1 / multiple:g}" if multiple < 1 else f"× {multiple:g}"


def _size(value: float, style: Measure) -> str:
    """Print a width or a difference: "5 points"."""
    return f"{value * style.unit.scale:g}{_unit(style)}"


def _unit(style: Measure) -> str:
    """Return the unit of widths and differences, with a blank before it."""
    return " points" if style.unit.suffix == PERCENT.suffix else style.unit.suffix


def _kept_pilots(
    task: str, kept: Mapping[str, Any], measure: str | None, pairs: bool
) -> tuple[str, str, list[Pilot], list[str]]:
    """Return the task, the measure, the pilot of each model or pair, and notes, as they come with the package."""
    if measure not in (None, own := kept["measure"]):
        raise InputError(
            f"no pilot is kept by the measure {measure!r}", expected=f"{own}, or a run of your own"
        )
    pilots = msgspec.convert(kept["differences" if pairs else "means"], list[Pilot])
    return task, own, pilots, [kept["note"]]


def _pilots(
    sources: Sequence[Source],
    stores: Sequence[Path],
    task: str | None,
    measure: str | None,
    options: Mapping[str, Any],
    pairs: bool,
) -> tuple[str, str, list[Pilot], list[str]]:
    """Read pilots, and return the same."""
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
    rough = 196 * sqrt(2 / pilot.freedom(pilot.clusters))
    notes = [f"{pilot.name}: {end}, however many items are asked"] if end else []
    return [*notes, f"{pilot.name}: the number needed is known to about ± {rough:.0f} %"]


def _end(found: StudyPlan, pilot: Pilot) -> str:
    """Say what a study with any number of items cannot reach; "" if it can reach everything."""
    if not any(one.variance for one in pilot.beyond):
        return ""
    units = joined([f"{one.units:,} {one.kind}" for one in pilot.beyond])
    end = found.goal.at(pilot, inf)
    if found.goal.difference is not None:
        return f"with {units}, the power stays below {100 * end:.0f} %"
    return f"with {units}, the interval stays {_size(float(f'{end:.2g}'), found.style)} wide"


def _draw(title: str, goal: float, table: pl.DataFrame, width: int) -> Spec:
    """Draw a line for each model, with its pilot and what is needed marked, and a dashed line at the goal."""
    import altair as alt

    names = labels(strings(table, "model"))
    hue, _ = by_model(names.values(), width)
    base = alt.Chart(rows(table.with_columns(pl.col("model").replace(names)).to_dicts())).encode(
        x=alt.X("clusters:Q", title="Clusters of items", scale=alt.Scale(type="log", nice=False)),
        y=alt.Y("value:Q", title=title),
        color=hue,
    )
    pilot, needed = (base.transform_filter(f"datum.mark === '{mark}'") for mark in ("pilot", "needed"))
    drawn = alt.layer(
        alt.Chart(rows([{"goal": goal}])).mark_rule(**DASHED).encode(y="goal:Q"),
        base.mark_line(interpolate="monotone"),
        pilot.mark_point(filled=True, size=120),
        needed.mark_point(filled=True, size=120, shape="diamond"),
    ).properties(width=width - 80, height=TALL)
    return specification(drawn, f"{title} by clusters of items, for {', '.join(names.values())}. {MEANING}")
