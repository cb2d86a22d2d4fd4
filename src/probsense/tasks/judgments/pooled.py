"""Models beside everybody, by a crossed logistic model that pools what few people say of each statement."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from probsense.agreement.pooled.crossed import pooled_shares
from probsense.agreement.pooled.culture import one_culture
from probsense.agreement.pooled.respondent import (
    agreement_of_everybody,
    agreement_with_majority,
    correlation_with_shares,
)
from probsense.agreement.pooled.sampled import sampled_shares
from probsense.agreement.pooled.shares import Shares, Spread
from probsense.agreement.statements import raters, yes_share
from probsense.errors import InputError
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.corrected import LEVEL, SCORES, both_scores, score_estimate
from probsense.tasks.judgments.judged import AmongPeople
from probsense.tasks.judgments.settings import Pooled

POOLED = "pooled"
DEPART = 0.05
"""With a smaller p-value of one culture, a note warns the reader."""
SPARSE, FEW = 0.5, 30
"""People's answers are sparse if they fill less than this share of the cells, and statements have fewer raters."""


class Pool(NamedTuple):
    """Estimates, the table of shares that a chart is drawn from, and notes."""

    estimates: list[Estimate]
    shares: pl.DataFrame
    notes: list[str]


def check_pooled(pooled: Pooled | None, humans: object) -> None:
    """Refuse to pool people's answers where these are not given.

    Raises
    ------
    InputError
    """
    if pooled is not None and not humans:
        raise InputError("pooled without single people's ratings", expected="--humans with their ratings")


def pool(judged: AmongPeople, people: str, rng: np.random.Generator, how: Pooled = "fast") -> Pool | None:
    """Estimate everybody's shares, and set models beside them.

    Parameters
    ----------
    judged : AmongPeople
    people : str
        What people are called among the raters.
    rng : numpy.random.Generator
    how : Pooled

    Returns
    -------
    Pool or None
        None if nobody answered the first question.
    """
    if "q1" in judged.unanswered:
        return None
    notes = []
    if how == "fast":
        shares = pooled_shares(judged.people)
    else:
        shares, convergence = sampled_shares(
            judged.people, discriminating=how == "nuts-2pl", seed=int(rng.integers(2**31))
        )
        notes.append(f"pooled by sampling: {convergence}")
    culture = one_culture(judged.people, shares, rng)
    if culture.p < DEPART:
        notes.append(
            "people seem to be of more than one culture: pooled results are of the majority of all of them, and their"
            " intervals may be too narrow"
        )
    estimates = [*_of_models(judged, shares), *_of_people(judged, shares, people, culture.p)]
    return Pool(estimates, _table(judged, shares), notes)


def is_sparse(judged: AmongPeople) -> bool:
    """Whether people answered so little that their answers should be pooled."""
    counts = raters(judged.people)
    rated = counts[counts > 0]
    return len(rated) > 0 and rated.mean() < min(FEW, SPARSE * len(judged.persons))


def _of_models(judged: AmongPeople, shares: Shares) -> Iterator[Estimate]:
    counted = raters(judged.people) > 0
    people = len(judged.persons)
    for i, model in enumerate(judged.models):
        first, second = (
            agreement_with_majority(answers[i], shares, counted)
            for answers in (judged.answers.q1, judged.answers.q2)
        )
        for name, score in zip(SCORES, both_scores(first, second), strict=True):
            if not math.isnan(score.value):
                n = int((score.influence != 0).sum())
                yield score_estimate(f"{name}_pooled", model, score, n, people, POOLED)
        probability = judged.shares[0][i]
        found = correlation_with_shares(probability, shares, counted, level=LEVEL)
        if not math.isnan(found.value):
            n = int((counted & ~np.isnan(probability)).sum())
            yield Estimate("share_r", {"model": model}, *found, LEVEL, n, people, POOLED)


def _of_people(judged: AmongPeople, shares: Shares, people: str, one: float) -> Iterator[Estimate]:
    counted = raters(judged.people) > 0
    who, sizes = {"model": people}, (LEVEL, int(counted.sum()), len(judged.persons), POOLED)
    for name, value in (
        ("consensus_pooled", agreement_of_everybody(shares, counted)),
        ("one_culture_p", one),
    ):
        yield Estimate(name, who, value, math.nan, math.nan, math.nan, *sizes)
    spreads: dict[str, Spread] = {"person_spread": shares.people, "statement_spread": shares.statements}
    for name, spread in spreads.items():
        yield Estimate(name, who, spread.value, math.nan, spread.low, spread.high, *sizes)


def _table(judged: AmongPeople, shares: Shares) -> pl.DataFrame:
    """Tabulate statements: statement_id, raters, yes (their share), share (everybody's), low, high, majority.

    The last is the probability that most of everybody say yes.
    """
    low, high = shares.interval(level=LEVEL)
    return pl.DataFrame(
        {
            "statement_id": [str(number) for number in judged.ids.tolist()],
            "raters": raters(judged.people).astype(np.int64),
            "yes": yes_share(judged.people),
            "share": shares.mean,
            "low": low,
            "high": high,
            "majority": shares.majority,
        }
    ).with_columns(pl.col("yes").fill_nan(None))
