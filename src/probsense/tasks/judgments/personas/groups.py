"""Groups of personas beside the same groups of people: how far the answers of groups are from one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.populations import (
    Answering,
    Simulated,
    people_answering,
    personas_answering,
)
from probsense.analysis.agreement.subgroups import PeopleGroups
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.influence import Cells, Spread, crossed_spread, ends, root_mean
from probsense.analysis.inference.quantiles import LEVEL
from probsense.core.records import Json
from probsense.tasks.judgments.measures.estimates import PEOPLE
from probsense.tasks.judgments.people.demographics import DISTINCT, FEWEST, Divisions
from probsense.tasks.judgments.people.study import Study, population
from probsense.tasks.judgments.personas.descriptions import Persona
from probsense.tasks.judgments.questions.wordings import MASSES

CROSSED: Final = "crossed"
"""The method of estimates whose intervals speak for other statements, other personas and other people."""
FEW_VARY: Final = 20
"""With fewer respondents, intervals of how far they vary hold the truth too rarely, and are not given."""
FEWEST_STATEMENTS: Final = 3
"""The fewest statements on which groups are compared."""
_BAND: Final = re.compile(r"(-?\d[\d.e+-]*)–(-?\d[\d.e+-]*)")


class Level(NamedTuple):
    """Hold one group of a characteristic, and whom it is compared with: masks over the personas and over people.

    Attributes
    ----------
    name : str
        The characteristic and the group.
    comparison : str
        The name of the comparison.
    first : bool
        Whether the comparison is not another one's with its sign changed.
    personas, rest : ndarray of bool, shape (personas,)
    people, people_rest : ndarray of bool, shape (people,); None where people's groups are not known
    """

    name: str
    comparison: str
    first: bool
    personas: NDArray[np.bool_]
    rest: NDArray[np.bool_]
    people: NDArray[np.bool_] | None
    people_rest: NDArray[np.bool_] | None


class Groups(NamedTuple):
    """Hold the groups, and what of the two files does not match, as warnings."""

    levels: list[Level]
    warnings: list[str]


def persona_groups(personas: Sequence[Persona], divisions: Divisions | None) -> Groups:
    """Find the groups of personas, and the same groups of people if their divisions are known.

    A group of people has the personas whose value in the column of the same name is its own, in any case, or a number
    within its band. Everybody else whose group is known, of the groups that both have, is compared with it.

    Parameters
    ----------
    personas : sequence of Persona
    divisions : Divisions or None
        Of people; without them every value of a column is a group of its own, if there are 2 to
        :data:`~probsense.tasks.judgments.people.demographics.DISTINCT` of them.
    """
    levels: list[Level] = []
    warnings: list[str] = []
    columns = list(dict.fromkeys(name for one in personas for name in one.groups))
    for column in columns:
        values = [one.groups.get(column) for one in personas]
        if divisions is None:
            names = sorted({value for value in values if value is not None})
            if 2 <= len(names) <= DISTINCT:
                levels += _levels(column, names, values, None)
            continue
        groups = divisions.groups.get(column)
        if groups is None:
            warnings.append(
                f"people have no two groups of {FEWEST} or more by “{column}”, so the personas' are not compared by it"
            )
            continue
        placed = [None if value is None else _group_of(value, groups.names) for value in values]
        lost = sorted({v for v, name in zip(values, placed, strict=True) if v is not None and name is None})
        if lost:
            warnings.append(f"no group of people is {column}: {', '.join(lost)}")
        common = [name for name in groups.names if name in placed]
        if len(common) < 2:
            warnings.append(
                f"personas and people have fewer than two groups by “{column}” in common:"
                " they are not compared by it"
            )
        else:
            levels += _levels(column, common, placed, groups)
    if divisions is not None and not columns:
        warnings.append("the personas have no columns of groups to set beside people's")
    return Groups(levels, warnings)


def _group_of(value: str, names: Sequence[str]) -> str | None:
    """Find the group of a value: by its name, or the band that a number is in."""
    for name in names:
        if name.casefold() == value.casefold():
            return name
    try:
        number = float(value)
    except ValueError:
        return None
    for name in names:
        band = _BAND.fullmatch(name)
        if band and float(band[1]) <= number <= float(band[2]):
            return name
    return None


def _levels(
    column: str, names: Sequence[str], placed: Sequence[str | None], groups: PeopleGroups | None
) -> Iterator[Level]:
    whose = {name: np.array([one == name for one in placed]) for name in names}
    theirs = {} if groups is None else {name: groups.members[groups.names.index(name)] for name in names}
    for i, name in enumerate(names):
        others = [other for other in names if other != name]
        rest = np.any([whose[other] for other in others], axis=0)
        yield Level(
            f"{column}: {name}",
            f"{column}: {name} against {others[0] if len(others) == 1 else 'others'}",
            len(names) > 2 or i == 0,
            whose[name],
            rest,
            theirs.get(name),
            np.any([theirs[other] for other in others], axis=0) if theirs else None,
        )


def simulated(table: pl.DataFrame, personas: Sequence[Persona], study: Study) -> Simulated:
    """Arrange the answers to the first question by persona and statement.

    Where answers were sampled, the variance of the probability of yes is p(1 − p)/(n − 1).

    Parameters
    ----------
    table : DataFrame
        The rows of a run, with a column ``persona``.
    personas : sequence of Persona
    study : Study
        What the population of all personas says.
    """
    place = {one.name: i for i, one in enumerate(personas)}
    mass = {name: np.full((len(personas), len(study.ids), 3), np.nan) for name in ("q1", "q2")}
    texts = np.full((len(personas), len(study.ids)), np.nan)
    for question, own in mass.items():
        part = table.filter(pl.col("question") == question)
        who = part["persona"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
        which = np.searchsorted(study.ids, part["statement_id"].to_numpy())
        own[who, which] = part.select(MASSES).to_numpy()
        if question == "q1":
            texts[who, which] = part["n"].cast(pl.Float64).fill_null(np.inf).to_numpy()
    yes, _ = population(mass["q1"], mass["q2"], study.policy)
    noise = yes * (1 - yes) / np.maximum(texts - 1, 1)
    return Simulated(yes, noise, np.array([one.weight for one in personas]))


def group_differences(
    study: Study, answers: Simulated, model: str, levels: Sequence[Level]
) -> list[Estimate]:
    """Estimate how far the answers of groups are from one another, of personas and of the same groups of people.

    Parameters
    ----------
    study : Study
    answers : Simulated
    model : str
    levels : sequence of Level

    Returns
    -------
    list of Estimate
        By comparison of groups, over the statements: "contrast_size", the root mean square difference of the shares of
        yes less noise, of personas and of people.
    """
    found: list[Estimate] = []
    for level in levels:
        if not level.first:
            continue
        own, rest = (personas_answering(answers.of(who)) for who in (level.personas, level.rest))
        found += _size(own, rest, len(answers.weight), model, level.comparison)
        if study.persons and level.people is not None and level.people_rest is not None:
            theirs, others = (_people(study, who) for who in (level.people, level.people_rest))
            found += _size(theirs, others, study.people.people, PEOPLE, level.comparison)
    return found


def _people(study: Study, members: NDArray[np.bool_]) -> Answering:
    people = study.people
    kept = (people.asked1 > 0) & members[people.person]
    return people_answering(people.q1[kept], people.statement[kept], people.person[kept], people.statements)


def _size(one: Answering, other: Answering, raters: int, who: str, comparison: str) -> list[Estimate]:
    """Estimate how far two groups are apart; ``raters`` is how many respondents of their kind there are in all.

    How far a few respondents vary has no interval.
    """
    a, b = one.share, other.share
    apart = a.value - b.value
    known = np.flatnonzero(~np.isnan(apart))
    if len(known) < FEWEST_STATEMENTS:
        return []
    number = np.full(len(apart), -1)
    number[known] = np.arange(len(known))
    item = number[np.concatenate([a.cells.item, b.cells.item])]
    inside = item >= 0
    rater = np.concatenate([a.cells.rater, b.cells.rater + raters])[inside]
    moved = np.concatenate([a.cells.value, -b.cells.value])[inside]
    cells = Cells(item[inside], rater, moved).times(2 * apart[known])
    found = root_mean((apart**2 - one.noise - other.noise)[known], cells)
    spread = crossed_spread(found)
    if len(np.unique(rater)) < FEW_VARY:
        spread = Spread(np.nan, np.nan)
    low, high = ends(found.value, spread, level=LEVEL)
    by: dict[str, Json] = {"model": who, "people": comparison}
    n = len(known)
    return [Estimate("contrast_size", by, found.value, spread.stderr, low, high, LEVEL, n, n, CROSSED)]
