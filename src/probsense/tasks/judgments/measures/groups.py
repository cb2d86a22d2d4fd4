"""Agreement of models with groups of people, and the common sense of each group."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.agreement.scores import match
from probsense.analysis.agreement.statements import common_sense_by_answer, majority_of_others
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.raters import crossed_difference, crossed_share
from probsense.analysis.inference.significance import adjust
from probsense.tasks.judgments.measures.estimates import PEOPLE, Floats
from probsense.tasks.judgments.people.demographics import Divisions
from probsense.tasks.judgments.people.study import Study

COLUMNS: Final = ("characteristic", "group", "who", "n", "mean", "difference", "low", "high", "p")
"""Columns of the table of differences between people."""


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
