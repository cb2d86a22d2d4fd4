"""Groups of personas beside the same groups of people: how far the answers of groups are from one another."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.groups import (
    Answering,
    PeopleGroups,
    contrast_size,
    people_answering,
    personas_answering,
)
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.analysis.inference.raters import crossed_interval
from probsense.core.records import Json
from probsense.show.text import joined
from probsense.show.words import PEOPLE
from probsense.tasks.conditions.facets import PERSONA, Level
from probsense.tasks.conditions.measures import Floats, Seen
from probsense.tasks.results import Results

CROSSED: Final = "crossed"
"""The method of estimates whose intervals speak for other questions, other personas and other people."""
FEW_VARY: Final = 20
"""With fewer respondents, intervals of how far they vary hold the truth too rarely, and are not given."""
FEWEST: Final = 3
"""The fewest questions on which groups are compared."""
FEW: Final = 5
"""With fewer personas of a group than this, a warning says so."""
DISTINCT: Final = 12
"""A column with more different values than this makes no groups of personas."""
_BAND: Final = re.compile(r"(-?\d[\d.e+-]*)–(-?\d[\d.e+-]*)")


class PeopleInGroups(NamedTuple):
    """Hold what single people answered to some questions, and who they are.

    Attributes
    ----------
    question, person : ndarray of int, shape (answers,)
        Indices from 0.
    yes : ndarray, shape (answers,)
        1 for the answer that is right or, if none is, stands first; 0 for another.
    groups : Mapping of str to PeopleGroups
        By characteristic.
    notes : sequence of str
        What there is to say of the groups.
    """

    question: NDArray[np.int64]
    person: NDArray[np.int64]
    yes: NDArray[np.float64]
    groups: Mapping[str, PeopleGroups]
    notes: Sequence[str]

    def answering(self, members: NDArray[np.bool_], questions: int) -> Answering:
        """Measure the answers of some people."""
        kept = members[self.person]
        return people_answering(self.yes[kept], self.question[kept], self.person[kept], questions)


def persona_results(
    seen: Sequence[Seen | None], people: PeopleInGroups | None, by: Mapping[str, Json], named: str = ""
) -> Results:
    """Measure how far groups of personas are from one another, beside the same groups of people.

    A group of people has the personas whose value in the column of the same name is its own, in any case, or a number
    within its band. Everybody else whose group is known, of the groups that both have, is compared with it. Without
    people, every value of a column is a group, if there are 2 to :data:`DISTINCT` of them.

    Parameters
    ----------
    seen : sequence of Seen or None
        The questions; None for one that has no shares.
    people : PeopleInGroups or None
    by : Mapping
        What the estimates describe.
    named : str
        What stands before the names of comparisons, where questions are a part of all.

    Returns
    -------
    Results
        "contrast_size", the root mean square difference of the shares less noise, by comparison (``people``) of
        personas and of people; warnings of groups that do not match or are small.
    """
    known = [one for one in seen if one and len(one.shares)]
    if not known:
        return Results()
    personas = list({one[PERSONA].name: one[PERSONA] for one in known[0].levels}.values())
    yes, noise = _simulated(seen, personas)
    weight = np.array([one.weight for one in personas])
    columns = list(dict.fromkeys(name for one in personas for name in one.groups))
    estimates, warnings, small = list[Estimate](), list[str](), dict[str, int]()
    for column in columns:
        theirs = None if people is None else people.groups.get(column)
        placed, names, said = _placed(column, personas, theirs, people is None)
        warnings += said
        small |= {f"{column}: {name}": placed.count(name) for name in names if placed.count(name) < FEW}
        for name in names if len(names) > 2 else names[:1]:
            others = [other for other in names if other != name]
            versus = others[0] if len(others) == 1 else "others"
            about = {**by, "people": f"{named}{column}: {name} against {versus}"}
            masks = [np.isin(np.array(placed, dtype=object), group) for group in ([name], others)]
            ours = [personas_answering(yes[one], noise[one], weight[one]) for one in masks]
            estimates += _size(ours, about)
            if people and theirs:
                inside = [np.isin(theirs.names, group) for group in ([name], others)]
                both = [people.answering(np.any(theirs.members[own], axis=0), len(seen)) for own in inside]
                estimates += _size(both, {**about, "model": PEOPLE})
    if small:
        few = joined([f"{name} ({count})" for name, count in small.items()])
        groups = f"fewer than {FEW} personas of a group: {few}"
        warnings.insert(0, f"{groups}; its figures may be those of single descriptions")
    return Results(estimates, notes=[*people.notes] if people else [], warnings=warnings)


def _simulated(seen: Sequence[Seen | None], personas: Sequence[Level]) -> tuple[Floats, Floats]:
    """Arrange answers by persona and question; the variance of a share p of n texts is p(1 − p)/(n − 1)."""
    yes, noise = (np.full((len(personas), len(seen)), np.nan) for _ in range(2))
    place = {one.name: row for row, one in enumerate(personas)}
    for column, one in enumerate(seen):
        if not one or not len(one.shares):
            continue
        p = one.watched
        chance = p * (1 - p) / np.maximum(np.asarray(one.texts) - 1, 1)
        own = np.array([place[levels[PERSONA].name] for levels in one.levels])
        count = np.bincount(own)
        yes[:, column] = np.bincount(own, p) / count
        noise[:, column] = np.bincount(own, chance) / count**2
    return yes, noise


def _placed(
    column: str, personas: Sequence[Level], people: PeopleGroups | None, alone: bool
) -> tuple[list[str | None], list[str], list[str]]:
    """Put personas into groups: the group of each, the groups to compare, and warnings of what does not match."""
    values = [one.groups.get(column) for one in personas]
    if alone:
        names = sorted({value for value in values if value is not None})
        return values, names if 2 <= len(names) <= DISTINCT else [], []
    if people is None:
        said = f"people have no two groups by “{column}”, so the personas' are not compared by it"
        return values, [], [said]
    placed = [None if value is None else _group_of(value, people.names) for value in values]
    lost = sorted({v for v, name in zip(values, placed, strict=True) if v is not None and name is None})
    warnings = [f"no group of people is {column}: {', '.join(lost)}"] if lost else []
    names = [name for name in people.names if name in placed]
    if len(names) < 2:
        few = f"personas and people have fewer than two groups by “{column}” in common"
        warnings.append(f"{few}: they are not compared by it")
        names = []
    return placed, names, warnings


def _group_of(value: str, names: Sequence[str]) -> str | None:
    """Find the group of a value: by its name, or the band that a number is in."""
    for name in names:
        if name.casefold() == value.casefold():
            return name
    bands = [(name, band) for name in names if (band := _BAND.fullmatch(name))]
    with suppress(ValueError):
        return next((name for name, band in bands if float(band[1]) <= float(value) <= float(band[2])), None)
    return None


def _size(groups: Sequence[Answering], by: Mapping[str, Json]) -> Iterator[Estimate]:
    """Estimate how far two groups are apart. How far a few respondents vary has no interval."""
    found = contrast_size(*groups)
    n, raters = len(found.items), found.raters
    if n < FEWEST or raters is None:
        return
    vary = len(np.unique(raters.rater)) >= FEW_VARY
    interval = crossed_interval(found) if vary else (math.nan, math.nan, math.nan)
    yield Estimate("contrast_size", by, found.value, *interval, LEVEL, n, n, CROSSED)
