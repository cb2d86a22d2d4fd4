"""The plan of a study: the sizes that do what is wanted, what studies of other sizes do, in words, a table, a curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from probsense.core.options import checked_seed
from probsense.core.records import Json
from probsense.core.shown import Shown
from probsense.results.notebook import Cell
from probsense.show.chart import Chart
from probsense.show.measure import ABSENT, Measure
from probsense.show.render import can_draw
from probsense.show.tables import Table
from probsense.show.text import counted
from probsense.studies.planning.chains import WithChains, chains_table
from probsense.studies.planning.curve import curve
from probsense.studies.planning.goals import MODELS, POWER, check_goals, unit_of_difference
from probsense.studies.planning.search import rounded, size_of_power, size_of_width
from probsense.studies.planning.simulated import STUDIES, Mean, Simulated
from probsense.tasks.shared.planning import Planned

if TYPE_CHECKING:
    import polars as pl

TIMES = (0.25, 0.5, 1.0, 2.0)
"""The sizes of a table, as multiples of those that were looked for."""
STEPS = 14
"""About how many sizes of a setting are simulated, for the progress bar."""


class Point(NamedTuple):
    """Studies of one size: what they take, and what they come to.

    Attributes
    ----------
    size : int
    counts : Mapping of str to int
        What else they take, by its name in print.
    half_width : Mean
        Of the 95 % interval.
    power : Mean or None
        None if no difference is looked for.
    """

    size: int
    counts: Mapping[str, int]
    half_width: Mean
    power: Mean | None


class Found(NamedTuple):
    """What was found for one way to lay the study out.

    Attributes
    ----------
    given : Mapping of str to int
        What is fixed, by its name in print.
    unit : str
        What sizes count, in the singular.
    for_width, for_difference : int or None
        The sizes that were looked for; None where none was.
    points : sequence of Point
        By rising size.
    """

    given: Mapping[str, int]
    unit: str
    for_width: int | None
    for_difference: int | None
    points: Sequence[Point]

    @property
    def label(self) -> str:
        """What is fixed, in words: "10 raters"; "" if nothing is."""
        return laid_out(self.given)


def laid_out(given: Mapping[str, int]) -> str:
    """Say in words what is fixed: "10 raters"; "" if nothing is."""
    return ", ".join(_counted(number, name) for name, number in given.items())


@dataclass(frozen=True, repr=False)
class Plan(Shown):
    """How large a study must be.

    A notebook shows its sentence and its table.

    Attributes
    ----------
    task : str
    planned : Planned
        What was assumed.
    width, difference : float or None
        What was wanted: the width of an interval from end to end, and a difference between models.
    power : float
        The probability with which the difference is to be found.
    models : int
        How many models are compared at once.
    studies, seed : int
        How many studies were simulated for the power at a size, and the seed of all draws.
    found : sequence of Found
        One for each way to lay the study out.
    chains : sequence of WithChains
        The same interval with other numbers of chains of thought; empty without a pilot that thought.
    """

    task: str
    planned: Planned
    width: float | None
    difference: float | None
    power: float
    models: int
    studies: int
    seed: int
    found: Sequence[Found]
    chains: Sequence[WithChains] = ()

    def __str__(self) -> str:
        """Say in one sentence for each way to lay the study out how large it must be."""
        return "\n".join(self._sentence(found) for found in self.found)

    def _sentence(self, found: Found) -> str:
        measure, parts = self.planned.measure, list[str]()
        if found.for_width is not None:
            half = next(one.half_width.value for one in found.points if one.size == found.for_width)
            give = "gives" if found.for_width == 1 else "give"
            value = f"{measure.number(self.planned.value)}{measure.unit.suffix}"
            parts.append(
                f"{counted(found.for_width, found.unit)} {give} an interval of ± {_difference(measure, half)}"
                f" around {_article(self.planned.called or _lower(measure.title))} near {value}"
            )
        if found.for_difference is not None and self.difference is not None:
            compared = self.planned.compared or measure
            size = f"{found.for_difference:,}" if parts else counted(found.for_difference, found.unit)
            show = "shows" if found.for_difference == 1 else "show"
            of = "" if compared is measure else f" in {_lower(compared.title)}"
            among = f" among {self.models} models" if self.models > MODELS else ""
            parts.append(
                f"{size} {show} a difference of {_difference(compared, self.difference)}{of} with"
                f" {100 * self.power:g} % power{among}"
            )
        within = f"with {found.label}, " if found.given else ""
        return f"{self.planned.title}: {within}{'; '.join(parts)}"

    def table(self) -> pl.DataFrame:
        """Return a table with one row for each size that was simulated.

        Columns are those of what is fixed and of what a study takes, ``size``, ``half_width`` and ``power`` with
        ``half_width_error`` and ``power_error`` (one standard error of the simulation), ``studies`` (simulated for the
        power, or else for the width), and ``for_width`` and ``for_difference`` (whether the size is the one that was
        looked for).
        """
        import polars as pl

        return pl.DataFrame(
            [
                {
                    **found.given,
                    "size": point.size,
                    **point.counts,
                    **_mean("half_width", point.half_width),
                    **_mean("power", point.power),
                    "studies": (point.power or point.half_width).studies,
                    "for_width": point.size == found.for_width,
                    "for_difference": point.size == found.for_difference,
                }
                for found in self.found
                for point in found.points
            ]
        )

    def short_table(self) -> Table:
        """Return the table in print."""
        measure = self.planned.measure
        compared = self.planned.compared or measure
        powers = self.difference is not None
        first = self.found[0]
        further = [*first.points[0].counts]
        unit = unit_of_difference(measure).strip()
        rows = [
            (
                *(f"{number:,}" for number in found.given.values()),
                f"{point.size:,}{' ←' * (point.size in (found.for_width, found.for_difference))}",
                *(f"{point.counts[name]:,}" for name in further),
                _with_error(point.half_width, measure.unit.scale, measure.unit.digits),
                *([_with_error(point.power, 100, 1)] if powers else []),
            )
            for found in self.found
            for point in found.points
        ]
        columns = (
            *(name[:1].upper() + name[1:] for name in first.given),
            f"{first.unit[:1].upper()}{first.unit[1:]}s",
            *(name[:1].upper() + name[1:] for name in further),
            f"Interval ±{f' in {unit}' * bool(unit)} (error)",
            *(["Power in % (error)"] if powers else []),
        )
        title = "Half-width of the 95 % interval"
        if self.difference is not None:
            title += f", and power for a difference of {_difference(compared, self.difference)}"
        return Table(
            f"{title}, with the error of the simulation; ← what was looked for",
            columns,
            tuple(rows),
            heads=len(first.given) + 1,
        )

    def tables(self) -> list[Table]:
        """Return all tables in print."""
        further = [chains_table(self.chains, self.planned.measure)] if self.chains else []
        return [self.short_table(), *further]

    def chart(self) -> Chart:
        """Return the chart of widths and powers by size."""
        return curve(self)

    def cell(self) -> Cell:
        """Say what it looks like in a notebook and at a prompt."""
        sentence, *further = str(self).splitlines()
        return Cell(
            sentence,
            "; ".join(further),
            tables=self.tables(),
            notes=self.planned.notes,
            calls=[
                ("plan.table()", "as a frame"),
                *([('ps.chart(plan, "plan")', "a chart")] if can_draw() else []),
                ("plan.to_json()", "all"),
            ],
        )

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``probsense plan --json`` prints."""
        return {
            "schema": 1,
            "task": self.task,
            "measure": self.planned.measure.title,
            "value": self.planned.value,
            "assumed": dict(self.planned.assumed),
            "width": self.width,
            "difference": self.difference,
            "power": self.power,
            "models": self.models,
            "studies": self.studies,
            "seed": self.seed,
            "sentences": [*str(self).splitlines()],
            "found": [
                {
                    "given": dict(found.given),
                    "unit": found.unit,
                    "for_width": found.for_width,
                    "for_difference": found.for_difference,
                    "points": [_point(point) for point in found.points],
                }
                for found in self.found
            ],
            **(
                {"chains": [one._asdict() | {"cost": one.cost} for one in self.chains]} if self.chains else {}
            ),
            "notes": [*self.planned.notes],
        }


def make_plan(
    task: str,
    planned: Planned,
    *,
    width: float | None = None,
    difference: float | None = None,
    power: float = POWER,
    models: int = MODELS,
    studies: int = STUDIES,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Plan:
    """Find how large a study must be, and simulate the sizes around that.

    Parameters
    ----------
    task : str
        Name of the task.
    planned : Planned
    width : float, optional
        Of the 95 % interval, from end to end, in the measure's own unit.
    difference : float, optional
        Between the first model and each other one.
    power : float
        Probability of finding the difference at the level of 5 %, adjusted for all pairs of models.
    models : int
        How many models are compared at once.
    studies : int
        How many studies to simulate for the power at a size; intervals take a tenth, or 16 where they are slow.
    seed : int
    progress : callable
        Called with how many sizes were simulated, and about how many there are.

    Raises
    ------
    InputError
        For neither a width nor a difference, values that make no sense, and if no size does what is wanted.
    """
    check_goals(planned, width, difference, power, models, studies)
    checked_seed(seed)
    done, total = 0, STEPS * len(planned.settings)

    def tell() -> None:
        nonlocal done
        done += 1
        progress(min(done, total - 1), total)

    found = []
    for number, (given, study) in enumerate(planned.settings):
        simulated = Simulated(study, difference, models, studies, (seed, number), tell)
        sizes: list[int | None] = [None, None]
        if width is not None:
            sizes[0] = size_of_width(simulated, width / 2, planned.measure)
        if difference is not None:
            sizes[1] = size_of_power(simulated, power)
        shown = {rounded(size * times) for size in sizes if size is not None for times in TIMES}
        shown |= {size for size in sizes if size is not None}
        points = [
            Point(
                size,
                study.counts(size),
                simulated.half_width(size, rough=study.slow and size not in sizes),
                None if difference is None else simulated.power(size),
            )
            for size in sorted(shown)
            if study.least <= size <= study.most
        ]
        found.append(Found(given, study.unit, sizes[0], sizes[1], points))
    progress(total, total)
    return Plan(task, planned, width, difference, power, models, studies, seed, found)


def _difference(measure: Measure, value: float) -> str:
    return f"{measure.number(value)}{unit_of_difference(measure)}"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _counted(number: int, name: str) -> str:
    """Write a number with a name in the plural: "1 rater", "10 raters"."""
    return f"{number:,} {name.removesuffix('s') if number == 1 else name}"


def _with_error(mean: Mean | None, scale: float, digits: int) -> str:
    if mean is None:
        return ABSENT
    error = "?" if math.isnan(mean.error) else f"{mean.error * scale:.{digits + 1}f}"
    return f"{mean.value * scale:.{digits}f} ({error})"


def _mean(name: str, mean: Mean | None) -> dict[str, float | None]:
    value, error = (None, None) if mean is None else (mean.value, mean.error)
    return {name: value, f"{name}_error": error}


def _point(point: Point) -> dict[str, Json]:
    return {
        "size": point.size,
        "counts": dict(point.counts),
        **_mean("half_width", point.half_width),
        **_mean("power", point.power),
    }
