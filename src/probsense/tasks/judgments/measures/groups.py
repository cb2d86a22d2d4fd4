"""Estimates by group: of statements (the two sides of a feature, categories), and of people."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.agreement.groups import FEATURES, Feature, cohens_d, contrast_replicates
from probsense.analysis.agreement.models import population_scores
from probsense.analysis.agreement.people import (
    common_sense_by_answer,
    majority_of_others,
    match,
    published_statement_scores,
    statement_scores,
)
from probsense.analysis.arrays import Bools, Floats
from probsense.analysis.inference.estimate import LEVEL, Estimate, Z
from probsense.analysis.inference.raters import crossed_difference, crossed_share
from probsense.analysis.inference.resampling import intervals
from probsense.analysis.inference.significance import adjust
from probsense.tasks.judgments.measures.estimates import (
    PEOPLE,
    STATEMENTS,
    Settings,
    bare_estimate,
    score_estimates,
)
from probsense.tasks.judgments.measures.published import PUBLISHED, published_known
from probsense.tasks.judgments.people.opinions import Divisions
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.questions.statements import MOST_SAY

CATEGORIES = 30
"""A column of texts with more different values than this is no category."""
FEWEST = 2
"""The fewest statements that make a group."""

COLUMNS: Final = ("characteristic", "group", "who", "n", "mean", "difference", "low", "high", "p")
"""Columns of the table of differences between people."""


class StatementGroups(NamedTuple):
    """Groups of statements.

    Attributes
    ----------
    members : Mapping of str to ndarray of bool, shape (statements,)
        Sides of features, then categories as "category: name".
    features : tuple of Feature
        Features whose sides are both among the members.
    """

    members: Mapping[str, Bools]
    features: tuple[Feature, ...]


def groups_of(study: Study, statements: pl.DataFrame) -> StatementGroups:
    """Find the features and categories of statements: columns of 0 and 1, and columns with few different texts.

    Parameters
    ----------
    study : Study
    statements : DataFrame
        As from :func:`~probsense.tasks.judgments.questions.statements.read_statements`.
    """
    frame = pl.DataFrame({"statement_id": study.ids}).join(
        statements, on="statement_id", how="left", maintain_order="left"
    )
    # What most say is an answer, and no feature of a statement.
    frame = frame.drop("statement_id", "statement", MOST_SAY, strict=False)
    members: dict[str, Bools] = {}
    features = []
    named = {feature.column: feature for feature in FEATURES}
    for name in sorted(frame.columns, key=lambda name: [*named, name].index(name)):
        column = frame[name]
        if column.dtype.is_numeric() and set(column.drop_nulls()) == {0, 1}:
            feature = named.get(name, Feature(name, f"not {name}", name))
            sides = _parts(column, {feature.first: feature.flag, feature.second: 1 - feature.flag})
            if len(sides) == 2:
                members |= sides
                features.append(feature)
    for column in frame:
        if column.dtype == pl.String and 1 < column.n_unique() <= CATEGORIES:
            values = sorted(column.drop_nulls().unique())
            members |= _parts(column, {f"{column.name}: {value}": value for value in values})
    return StatementGroups(members, tuple(features))


def _parts(column: pl.Series, values: Mapping[str, object]) -> dict[str, Bools]:
    """Find the statements that have each value of a column, by the name of the value, if they are enough."""
    found = {name: (column == value).fill_null(False).to_numpy() for name, value in values.items()}
    return {name: members for name, members in found.items() if members.sum() >= FEWEST}


def feature_estimates(study: Study, statements: pl.DataFrame, settings: Settings) -> list[Estimate]:
    """Estimate scores of models by group of statements, and differences between the two sides of features.

    Scores need the majority of people. By the method "published" there are those of the two sides of features, the
    published table. Differences compare how commonsensical statements are within models and, if single people's ratings
    are known, to people.
    """
    groups = groups_of(study, statements)
    found: list[Estimate] = []
    if study.beside_people:
        found += _scores(study, groups.members, settings, STATEMENTS)
        if published_known(study):
            sides = {side: groups.members[side] for f in groups.features for side in (f.first, f.second)}
            found += _scores(study, sides, settings, PUBLISHED)
    if groups.features:
        found += _differences(study, groups, settings)
    if study.persons and groups.members:
        found += _medians(study, groups)
    return [estimate for estimate in found if not math.isnan(estimate.value)]


def _scores(study: Study, groups: Mapping[str, Bools], settings: Settings, method: str) -> Iterator[Estimate]:
    """Score models as individuals; intervals come from drawing statements of the group."""
    answers, key = study.answers, study.key
    if method == PUBLISHED:
        answers, key = study.published_answers, study.published_key
    for feature, group in groups.items():
        q1, q2 = (one[:, group] for one in answers[:2])
        by = {"feature": feature}
        yield from score_estimates(study.models, (q1, q2), key[group], settings, 2, method, by)[0]


def commonsensicality(study: Study) -> tuple[tuple[str, ...], Floats]:
    """Compute how commonsensical statements are to people, if that is known, and within each model.

    Returns
    -------
    tuple of str
        Names: :data:`~probsense.tasks.judgments.measures.estimates.PEOPLE` first, then the models.
    ndarray, shape (names, statements)
    """
    rows = population_scores(*study.shares).commonsensicality
    if not study.persons:
        return study.models, rows
    return (PEOPLE, *study.models), np.vstack([statement_scores(study.people).commonsensicality, rows])


def _differences(study: Study, groups: StatementGroups, settings: Settings) -> Iterator[Estimate]:
    """Estimate the first side less the second, of means and in standard deviations.

    The error of Cohen's d is √((n₁ + n₂)/(n₁n₂) + d²/(2(n₁ + n₂))) (Hedges & Olkin 1985).
    """
    names, values = commonsensicality(study)
    first, second = (
        np.stack([groups.members[side] for side in sides])
        for sides in zip(*((f.first, f.second) for f in groups.features), strict=True)
    )
    drawn = intervals(contrast_replicates(values, first, second, settings.generator(3), draws=settings.draws))
    effect = cohens_d(values, first, second)
    size = [(~np.isnan(values)).astype(np.int64) @ side.T for side in (first, second)]
    for i, name in enumerate(names):
        for k, feature in enumerate(groups.features):
            by = {"model": name, "feature": f"{feature.first} − {feature.second}"}
            n = int(size[0][i, k] + size[1][i, k])
            value, stderr, low, high = (float(x[i, k]) for x in drawn)
            yield Estimate("feature_difference", by, value, stderr, low, high, LEVEL, n, n, STATEMENTS)
            d = float(effect[i, k])
            error = math.sqrt(n / max(size[0][i, k] * size[1][i, k], 1) + d * d / (2 * n)) if n else math.nan
            half = Z * error
            yield Estimate("cohens_d", by, d, error, d - half, d + half, LEVEL, n, n, "large sample")


def _medians(study: Study, groups: StatementGroups) -> Iterator[Estimate]:
    """Compute the median commonsensicality of statements to people, published beside models' scores by feature."""
    values = published_statement_scores(study.people).commonsensicality
    for name, group in groups.members.items():
        known = values[group & ~np.isnan(values)]
        if n := len(known):
            by, median = {"model": PEOPLE, "feature": name}, float(np.median(known))
            yield bare_estimate(
                "group_commonsensicality_median", by, median, n, len(study.persons), PUBLISHED
            )


def group_estimates(
    study: Study, divisions: Divisions, silent: Collection[str] = ()
) -> tuple[list[Estimate], pl.DataFrame]:
    """Estimate how often each model gives the same first answer as a group of people, and the group's common sense.

    Statements and people are both drawn from more of them. Agreement is with single people, because the majority of a
    small group is noisier than that of a large one.

    Parameters
    ----------
    study : Study
    divisions : Divisions
    silent : collection of str
        Models that are left out.

    Returns
    -------
    list of Estimate
        "agreement" of models by group of people, and "commonsensicality" of people: means over people.
    DataFrame
        characteristic, group, who, n, mean, difference (from all other people), low, high, p, p_holm: corrected for
        all models, groups and characteristics, where the two groups of a characteristic with two values are one test.
    """
    people = study.people
    raters = [
        (model, "agreement", match(answers[people.statement], people.q1))
        for model, answers in zip(study.models, study.answers.q1, strict=True)
        if model not in silent
    ]
    raters.append((PEOPLE, "commonsensicality", _common_sense(study)))
    estimates: list[Estimate] = []
    rows = []
    for characteristic, groups in divisions.groups.items():
        for who, measure, values in raters:
            known = ~np.isnan(values)
            value, statement, person = values[known], people.statement[known], people.person[known]
            # A person's value is the mean over the person's answers.
            weight = 1 / np.bincount(person)[person]
            grouped = groups.members[:, person]
            among = np.asarray(grouped.any(axis=0))
            for group, inside in zip(groups.names, grouped, strict=True):
                if not inside.any():
                    continue
                by = {"model": who, "people": f"{characteristic}: {group}"}
                mean = crossed_share(
                    measure, by, value[inside], statement[inside], person[inside], weight[inside]
                )
                estimates.append(replace(mean, n=len(np.unique(person[inside]))))
                apart = crossed_difference(
                    inside[among], value[among], statement[among], person[among], weight[among]
                )
                figures = mean.value, apart.value, apart.low, apart.high, apart.p
                rows.append((characteristic, group, who, estimates[-1].n, *figures))
    return estimates, _corrected(pl.DataFrame(rows, schema=COLUMNS, orient="row")) if rows else pl.DataFrame()


def _corrected(table: pl.DataFrame) -> pl.DataFrame:
    """Add p-values corrected by Holm's method for all characteristics together.

    The differences of two groups are one test, which counts once: each is the other with its sign changed.
    """
    whose = "characteristic", "who"
    again = (pl.len().over(whose) == 2) & (pl.int_range(pl.len()).over(whose) == 1)
    once = table.select(pl.when(again).then(math.nan).otherwise("p")).to_series()
    holm = pl.lit(pl.Series(adjust(once.to_numpy(), "holm")))
    return table.with_columns(p_holm=pl.when(again).then(holm.shift(1)).otherwise(holm))


def _common_sense(study: Study) -> Floats:
    """Divide each person's common sense among the answers that count, shape (answers,)."""
    people, key = study.people, majority_of_others(study.people)
    right1, right2 = (match(answers, key) for answers in (people.q1, people.q2))
    values = common_sense_by_answer(right1, right2, people.person, people.people)
    return np.where(np.isnan(key), np.nan, values)
