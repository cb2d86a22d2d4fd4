"""Groups of personas beside the same groups of people: what tells groups apart, and how near each group is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.distances import DISTANCES, between_halves, from_half
from probsense.analysis.agreement.populations import (
    Answering,
    Valued,
    people_answering,
    personas_answering,
)
from probsense.analysis.agreement.subgroups import PeopleGroups
from probsense.analysis.distributions.halves import halves
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.influence import Cells, ceiling, correlation, root_mean, slope
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.significance import adjust
from probsense.tasks.judgments.measures.estimates import LEVEL, PEOPLE, Z
from probsense.tasks.judgments.people.demographics import DISTINCT, FEWEST, Divisions
from probsense.tasks.judgments.people.study import AmongPeople, Study
from probsense.tasks.judgments.personas.answers import PersonaAnswers, both_known, estimate
from probsense.tasks.judgments.personas.descriptions import Persona

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


class _Contrast(NamedTuple):
    """Hold what tells a group from the others, statement by statement."""

    value: Valued
    noise: NDArray[np.float64]


def _contrast(one: Answering, other: Answering, raters: int) -> _Contrast:
    """Subtract the shares of one group from another's; ``raters`` tells the two kinds apart."""
    a, b = one.share, other.share
    cells = Cells(
        np.concatenate([a.cells.item, b.cells.item]),
        np.concatenate([a.cells.rater, b.cells.rater + raters]),
        np.concatenate([a.cells.value, -b.cells.value]),
    )
    return _Contrast(Valued(a.value - b.value, cells), one.noise + other.noise)


def _people(study: AmongPeople, members: NDArray[np.bool_]) -> Answering:
    people = study.people
    kept = (people.asked1 > 0) & members[people.person]
    return people_answering(people.q1[kept], people.statement[kept], people.person[kept], people.statements)


def _counts(
    study: AmongPeople, members: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count the members who say yes and those who answer, by statement."""
    inside = members[study.people.person]
    yes, n = (study.people.by_statement(inside * one) for one in (study.people.yes1, study.people.asked1))
    return yes, n


def group_differences(
    study: Study, answers: PersonaAnswers, model: str, levels: Sequence[Level], statements: pl.DataFrame
) -> tuple[list[Estimate], pl.DataFrame]:
    """Estimate how far groups of personas differ as the same groups of people do.

    Parameters
    ----------
    study : Study
    answers : PersonaAnswers
    model : str
    levels : sequence of Level
    statements : DataFrame
        Columns statement_id and statement.

    Returns
    -------
    list of Estimate
        By comparison of groups, over the statements: "contrast_size" (root mean square difference of the shares of yes,
        less noise; of personas and of people), "contrast_r" (correlation of personas' differences with people's), its
        "contrast_ceiling", "contrast_slope" (by how much personas' differences grow with people's true ones). By group:
        "subgroup_brier" (mean squared distance from the shares of half of the group's people; that of the other half is
        the row of people), "subgroup_r" (correlation with the group's shares) and its "subgroup_ceiling".
    DataFrame
        model, people (the comparison), statement_id, statement, difference (of people), people_low, people_high,
        personas (their difference), value (personas less people), p, p_adjusted (over all statements and comparisons),
        r, ceiling.
    """
    found: list[Estimate] = []
    rows: list[pl.DataFrame] = []
    for level in levels:
        own, rest = (personas_answering(answers.simulated.of(who)) for who in (level.personas, level.rest))
        ours = _contrast(own, rest, len(answers.personas))
        if level.first:
            found += _size(ours, model, level.comparison)
        if not isinstance(study, AmongPeople) or level.people is None or level.people_rest is None:
            continue
        found += _nearness(study, answers, model, level, level.people)
        if level.first:
            theirs = _contrast(
                _people(study, level.people), _people(study, level.people_rest), study.people.people
            )
            compared = _compared(ours, theirs, model, level.comparison)
            found += [*_size(theirs, PEOPLE, level.comparison), *compared]
            counts = [_counts(study, side) for side in (level.people, level.people_rest)]
            rows.append(_rows(study.ids, level.comparison, ours, theirs, counts, model, compared))
    if not rows:
        return found, pl.DataFrame()
    table = pl.concat(rows).with_columns(
        p_adjusted=pl.Series(adjust(pl.concat(rows)["p"].to_numpy(), "benjamini-hochberg"))
    )
    texts = statements.select("statement_id", "statement")
    table = table.join(texts, on="statement_id", how="left", maintain_order="left")
    return found, table.sort(pl.col("value").abs(), descending=True, maintain_order=True)


def _size(contrast: _Contrast, who: str, name: str) -> list[Estimate]:
    square = contrast.value.value**2 - contrast.noise
    (value,), (cells,), kept = both_known(Valued(square, contrast.value.cells))
    if len(kept) < FEWEST_STATEMENTS:
        return []
    moved = cells.times(2 * contrast.value.value[kept])
    return estimate("contrast_size", {"model": who, "people": name}, root_mean(value, moved))


def _compared(ours: _Contrast, theirs: _Contrast, model: str, name: str) -> list[Estimate]:
    (x, y), (of_x, of_y), kept = both_known(ours.value, theirs.value)
    if len(kept) < FEWEST_STATEMENTS:
        return []
    by, noise = {"model": model, "people": name}, theirs.noise[kept]
    return [
        *estimate("contrast_r", by, correlation(x, y, of_x, of_y), scale="artanh"),
        *estimate("contrast_slope", by, slope(x, y, noise, of_x, of_y)),
        *estimate("contrast_ceiling", {"model": PEOPLE, "people": name}, ceiling(y, noise, of_y)),
    ]


def _nearness(
    study: AmongPeople, answers: PersonaAnswers, model: str, level: Level, members: NDArray[np.bool_]
) -> list[Estimate]:
    """Set the answers of a group's personas beside the group's people."""
    own, group = personas_answering(answers.simulated.of(level.personas)).share, _people(study, members)
    (x, y), (of_x, of_y), kept = both_known(own, group.share)
    if len(kept) < FEWEST_STATEMENTS:
        return []
    by = {"model": model, "people": level.name}
    yes, n = _counts(study, members)
    ways = halves(yes[kept], n[kept])
    distances = {
        model: from_half(DISTANCES["brier"], ways, x),
        PEOPLE: between_halves(DISTANCES["brier"], ways),
    }
    return [
        *(
            mean_estimate("subgroup_brier", {**by, "model": who}, values, np.arange(len(kept)), level=LEVEL)
            for who, values in distances.items()
        ),
        *estimate("subgroup_r", by, correlation(x, y, of_x, of_y), scale="artanh"),
        *estimate("subgroup_ceiling", {**by, "model": PEOPLE}, ceiling(y, group.noise[kept], of_y)),
    ]


def _rows(
    ids: NDArray[np.int64],
    name: str,
    ours: _Contrast,
    theirs: _Contrast,
    counts: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]],
    model: str,
    estimates: Sequence[Estimate],
) -> pl.DataFrame:
    """Tabulate the statements of a comparison; the p-value is that of a normal difference with a pseudo-count.

    A yes and a no are added to each group of people, so that groups that agree are not taken to be certain (Agresti &
    Caffo 2000, The American Statistician 54(4)).
    """
    from scipy.special import ndtr

    (x, y), _, kept = both_known(ours.value, theirs.value)
    (one, one_n), (other, other_n) = (((yes[kept] + 1) / (n[kept] + 2), n[kept] + 2) for yes, n in counts)
    middle, variance = one - other, one * (1 - one) / one_n + other * (1 - other) / other_n
    half = Z * np.sqrt(variance)
    values: Mapping[str, float] = {e.measure: e.value for e in estimates}
    return pl.DataFrame(
        {
            "model": [model] * len(kept),
            "people": [name] * len(kept),
            "statement_id": ids[kept],
            "difference": y,
            "people_low": np.clip(np.minimum(middle - half, y), -1, 1),
            "people_high": np.clip(np.maximum(middle + half, y), -1, 1),
            "personas": x,
            "value": x - y,
            "p": 2 * ndtr(-np.abs(x - middle) / np.sqrt(variance + ours.noise[kept])),
            "r": [values.get("contrast_r")] * len(kept),
            "ceiling": [values.get("contrast_ceiling")] * len(kept),
        },
        schema_overrides={"r": pl.Float64, "ceiling": pl.Float64},
    )
