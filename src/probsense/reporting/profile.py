"""The commonsense profile: where each model stands in every instrument, beside guessing and beside people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from probsense.report.charts.figure import Figure
from probsense.report.charts.profile import profile_chart
from probsense.report.findings import in_first_view, overall_figures
from probsense.report.groups import PUBLISHED
from probsense.report.tables import ABSENT, Table, grid, kinds
from probsense.report.words import plain
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.measures import BASELINE


@dataclass(frozen=True, slots=True)
class Kind:
    """A measure that stands for an instrument.

    Attributes
    ----------
    measure : str
    title, meaning : str
        What it is called in the profile, where space is short, and what it is.
    people, chance : float
        Where people and guessing are, if that holds whatever was asked.
    flipped : bool
        Whether the profile shows 1 less the figure, so that more is better.
    """

    measure: str
    title: str
    meaning: str
    people: float = math.nan
    chance: float = math.nan
    flipped: bool = False


KINDS: Final[Sequence[Kind]] = (
    Kind("accuracy", "accuracy", "the share of questions answered rightly"),
    Kind(
        "commonsensicality",
        "score",
        "common sense as an individual: agreeing with most people, and knowing what most people think",
    ),
    Kind("win_rate", "wins", "the share of people whom the model beats in that score", people=0.5),
    Kind(
        "normalised",
        "nearness",
        "how near the distribution of answers is to people’s: 100 is people from people, 0 answers to other"
        " questions",
        people=1.0,
        chance=0.0,
        flipped=True,
    ),
)
"""One or two for each instrument, all on a scale from 0 to 1."""

TITLES: Final[Mapping[str, str]] = {"worldsense": "WorldSense"}


def title_of(name: str) -> str:
    """What an instrument is called in print."""
    return TITLES.get(name, plain(name).capitalize())


@dataclass(frozen=True, slots=True)
class Place:
    """The figure of one model in one row of the profile."""

    row: str
    kind: Kind
    model: str
    figure: Estimate


def profiles(parts: Iterable[tuple[str, Sequence[Estimate]]]) -> list[Place]:
    """Every figure of the profile.

    Parameters
    ----------
    parts : iterable of (str, sequence of Estimate)
        The name of an instrument and its figures.
    """
    return [place for name, estimates in parts for kind in KINDS for place in _places(name, estimates, kind)]


def _places(name: str, estimates: Sequence[Estimate], kind: Kind) -> Iterable[Place]:
    chosen = [e for e in estimates if e.measure == kind.measure and "versus" not in e.by]
    chosen = [e for e in chosen if not e.method.startswith(PUBLISHED)] or chosen
    if not chosen:
        return
    arranged = grid(in_first_view(chosen), *kinds(chosen)[0])
    names = arranged.names()
    overall = dict(overall_figures(arranged))
    for subject in arranged.subjects:
        estimate = overall.get(subject)
        if estimate and not math.isnan(estimate.value) and not subject[-1].startswith(BASELINE):
            figure = replace(estimate, chance=estimate.chance if math.isnan(kind.chance) else kind.chance)
            row = f"{title_of(name)}: {kind.title}"
            yield Place(row, kind, names[subject], _flipped(figure) if kind.flipped else figure)


def _flipped(e: Estimate) -> Estimate:
    return replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low)


def meanings(places: Sequence[Place]) -> list[tuple[str, str]]:
    """What each row of the profile is."""
    return [*dict.fromkeys((place.row, place.kind.meaning) for place in places)]


def profile_table(places: Sequence[Place]) -> Table:
    """A row for each instrument's measure; a column for guessing, for people, and for each model with its interval."""
    rows: dict[str, dict[str, Place]] = {}
    for place in places:
        rows.setdefault(place.row, {})[place.model] = place
    models = [*dict.fromkeys(place.model for place in places)]
    levels = dict.fromkeys(f"{place.figure.level * 100:g} %" for place in places)
    return Table(
        f"Commonsense profile in % ({'/'.join(levels)} intervals in brackets)",
        ("Instrument", "Chance", "People", *models),
        tuple(
            (
                row,
                _landmark({place.figure.chance for place in own.values()}),
                _landmark({place.kind.people for place in own.values()}),
                *(_cell(own[model]) if model in own else ABSENT for model in models),
            )
            for row, own in rows.items()
        ),
    )


def _landmark(values: set[float]) -> str:
    known = {value for value in values if not math.isnan(value)}
    return f"{known.pop() * 100:.3g}" if len(known) == 1 else ABSENT


def _cell(place: Place) -> str:
    e = place.figure
    if math.isnan(e.low) or math.isnan(e.high):
        return f"{e.value * 100:.1f} (?)"
    return f"{e.value * 100:.1f} ({e.low * 100:.1f} to {e.high * 100:.1f})"


def profile_figure(places: Sequence[Place]) -> Figure:
    """The table as a chart: a row for each measure, a mark with its interval for each model."""
    import polars as pl

    numbers = ("value", "low", "high", "chance")
    rows = [
        (
            place.row,
            place.model,
            *(getattr(place.figure, name) for name in numbers),
            place.kind.people,
        )
        for place in places
    ]
    schema = {"part": pl.String, "model": pl.String, **dict.fromkeys((*numbers, "people"), pl.Float64)}
    return Figure(
        "profile",
        "Commonsense profile",
        "Where each model stands in every instrument. Lines are intervals; bars mark what guessing gets and where"
        " people are, as far as that is known.",
        pl.DataFrame(rows, schema=schema, orient="row"),
        profile_chart,
    )
