"""Models beside everybody, by a crossed logistic model that pools what few people say of each statement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from probsense.analysis.agreement.pooled.condorcet import CHAINS, R_HAT, Draws, condorcet_draws
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.culture import one_culture
from probsense.analysis.agreement.pooled.model import Shares, Spread, first_answers
from probsense.analysis.agreement.pooled.nuts import sampled_shares
from probsense.analysis.agreement.pooled.respondent import (
    Correlation,
    Known,
    agreement_with_majority,
    commonsensicality_of_everybody,
    correlation_with_everybody,
    reliability,
)
from probsense.analysis.agreement.populations import population_scores
from probsense.analysis.agreement.statements import raters, yes_share
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.judgments.measures.consensus import OF_THE_KEY, POOLED, consensus
from probsense.tasks.judgments.measures.estimates import LEVEL, PEOPLE, Pooled, bare_estimate
from probsense.tasks.judgments.measures.individuals import both_scores, score_estimate
from probsense.tasks.judgments.people.study import AmongPeople
from probsense.tasks.results import Results

DEPART = 0.05
"""With a smaller p-value of one culture, a note warns the reader."""
SPARSE, FEW = 0.5, 30
"""People's answers are sparse if they fill less than this share of the cells, and statements have fewer raters."""


def check_pooled(pooled: Pooled | None, humans: object) -> None:
    """Refuse to pool people's answers where these are not given.

    Raises
    ------
    InputError
    """
    if pooled is not None and not humans:
        raise InputError("pooled without single people's ratings", expected="--humans with their ratings")


def pool(study: AmongPeople, rng: np.random.Generator, how: Pooled = "fast") -> Results:
    """Estimate everybody's shares and the key of their culture, and set models and people beside them.

    Parameters
    ----------
    study : AmongPeople
    rng : numpy.random.Generator
    how : Pooled

    Returns
    -------
    Results
        Empty if nobody answered the first question.
    """
    if "q1" in study.unanswered:
        return Results()
    first, notes = _shares(study, how, rng, second=False)
    second = None
    if "q2" not in study.unanswered:
        second, more = _shares(study, how, rng, second=True)
        notes += more
    one = one_culture(study.people, first, rng)
    if one.p < DEPART:
        notes.append(
            "people seem to be of more than one culture: pooled results are of the majority of all of them, and their"
            " intervals may be too narrow"
        )
    told = {} if math.isnan(one.p) else {"one_culture_p": one.p}
    if not told:
        notes.append("people's answers are too few and too alike to tell whether they are of one culture")
    models = [*model_estimates(study, first, second)]
    estimates = [
        *models,
        *_of_people(study, first, second),
        *_alone(told, study),
    ]
    table = _table(study, first)
    draws = condorcet_draws(first_answers(study.people), rng)
    culture = consensus(study, first, draws, {(e.measure, str(e.by["model"])): e for e in models}, rng)
    notes.append(_on_chains(draws))
    if not draws.mixed:
        scores = [e for e in culture.estimates if e.measure not in OF_THE_KEY]
        persons = culture.persons.drop(column for column in culture.persons.columns if _is_of_the_key(column))
        return Results([*estimates, *scores], notes=notes, tables={"shares": table, "persons": persons})
    return Results(
        [*estimates, *culture.estimates],
        notes=notes,
        tables={
            "shares": table.with_columns(key=culture.key, difficulty=culture.difficulty),
            "persons": culture.persons,
            "culture": culture.competence,
        },
    )


def _shares(
    study: AmongPeople, how: Pooled, rng: np.random.Generator, *, second: bool
) -> tuple[Shares, list[str]]:
    """Estimate everybody's shares of yes to a question, and note how chains have mixed."""
    if how == "fast":
        return pooled_shares(study.people, second=second), []
    shares, convergence = sampled_shares(study.people, second=second, seed=int(rng.integers(2**31)))
    return shares, [f"pooled by sampling, {'q2' if second else 'q1'}: {convergence}"]


def _on_chains(draws: Draws) -> str:
    """Say how the chains of cultural consensus have mixed, and what follows if they have not."""
    said = f"cultural consensus: {CHAINS} chains, {len(draws.state):,} draws, R-hat at most {draws.r_hat:.3f}"
    if draws.mixed:
        return said
    return (
        f"{said}, above {R_HAT}: people's answers do not tell which of several keys they share, so keys and competence"
        " are left out; people's corrected scores rest on everybody's shares and stay"
    )


def _is_of_the_key(column: str) -> bool:
    return column.removesuffix("_low").removesuffix("_high") in OF_THE_KEY


def is_sparse(study: AmongPeople) -> bool:
    """Whether people answered so little that their answers should be pooled."""
    counts = raters(study.people)
    rated = counts[counts > 0]
    return len(rated) > 0 and rated.mean() < min(FEW, SPARSE * len(study.persons))


def model_estimates(study: AmongPeople, first: Shares, second: Shares | None) -> Iterator[Estimate]:
    """Estimate models' agreement with most of everybody, and the correlations of their values with everybody's.

    Parameters
    ----------
    study : AmongPeople
    first, second : Shares
        Everybody's shares of yes to both questions; the second one is None if nobody answered it.
    """
    counted = raters(study.people) > 0
    people = len(study.persons)
    known = {"share_r": (study.shares[0], Known(first.mean, first.variance))}
    if second is not None:
        values = population_scores(*study.shares).commonsensicality
        known["group_r_pooled"] = (values, commonsensicality_of_everybody(first, second))
    for i, model in enumerate(study.models):
        scores = (
            agreement_with_majority(answers[i], first, counted)
            for answers in (study.answers.q1, study.answers.q2)
        )
        for name, score in both_scores(*scores).items():
            if not math.isnan(score.value):
                n = int((score.influence != 0).sum())
                yield score_estimate(f"{name}_pooled", model, score, n, people, POOLED)
        for name, (own, theirs) in known.items():
            n = int((counted & ~np.isnan(own[i])).sum())
            found = correlation_with_everybody(own[i], theirs, counted, level=LEVEL)
            yield from _correlation(name, model, found, n, people)


def _of_people(study: AmongPeople, first: Shares, second: Shares | None) -> Iterator[Estimate]:
    counted = raters(study.people) > 0
    n, persons = int(counted.sum()), len(study.persons)
    if second is not None:
        found = reliability(commonsensicality_of_everybody(first, second), counted, level=LEVEL)
        yield from _correlation("reliability_pooled", PEOPLE, found, n, persons)
    spreads: dict[str, Spread] = {"person_spread": first.people, "statement_spread": first.statements}
    for name, spread in spreads.items():
        ends = (spread.low, spread.high, LEVEL, n, persons, POOLED)
        yield Estimate(name, {"model": PEOPLE}, spread.value, math.nan, *ends)


def _alone(values: Mapping[str, float], study: AmongPeople) -> Iterator[Estimate]:
    """Give values that have no interval."""
    n = int((raters(study.people) > 0).sum())
    for name, value in values.items():
        yield bare_estimate(name, {"model": PEOPLE}, value, n, len(study.persons), POOLED)


def _correlation(measure: str, rater: str, found: Correlation, n: int, people: int) -> Iterator[Estimate]:
    """Make an estimate of a correlation, if it is known."""
    if not math.isnan(found.value):
        yield Estimate(measure, {"model": rater}, *found, LEVEL, n, people, POOLED)


def _table(study: AmongPeople, shares: Shares) -> pl.DataFrame:
    """Tabulate statements: statement_id, raters, yes (their share), share (everybody's), low, high, majority.

    Majority is the probability that most of everybody say yes. Cultural consensus adds the probability of yes in the
    key, and the difficulty.
    """
    low, high = shares.interval(level=LEVEL)
    return pl.DataFrame(
        {
            "statement_id": [str(number) for number in study.ids.tolist()],
            "raters": raters(study.people).astype(np.int64),
            "yes": yes_share(study.people),
            "share": shares.mean,
            "low": low,
            "high": high,
            "majority": shares.majority,
        }
    ).with_columns(pl.col("yes").fill_nan(None))
