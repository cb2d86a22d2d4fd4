"""Cultural consensus: the key, how competent people and models are, and people's corrected scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.competence import Persons, Respondent, everybody, persons, respondent
from probsense.analysis.agreement.pooled.condorcet import Draws
from probsense.analysis.agreement.pooled.model import Shares
from probsense.analysis.agreement.statements import raters
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.judgments.measures.estimates import LEVEL, PEOPLE, bare_estimate
from probsense.tasks.judgments.measures.individuals import INDIVIDUAL_SCORES
from probsense.tasks.judgments.people.study import AmongPeople

POOLED = "pooled"
CERTAIN = 0.95
"""A key is certain if it has at least this probability."""
SCORED = ("competence", *INDIVIDUAL_SCORES)
OF_THE_KEY = ("competence", "guesses_yes", "competence_percentile", "key_certain")
"""Measures that need to know the key, or who guesses."""
_Sizes = tuple[float, int, int, str]
_ENDS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


class Culture(NamedTuple):
    """What cultural consensus tells.

    Attributes
    ----------
    estimates : list of Estimate
    persons : DataFrame
        One row for each person: person, answers; and for each of :data:`SCORED` the value and the ends "_low" and
        "_high" of its interval; guesses_yes.
    competence : DataFrame
        Competence of people and models: kind ("person", "model"), name, score, low, high.
    key : ndarray, shape (statements,)
        The probability that the key is yes.
    difficulty : ndarray, shape (statements,)
        The expected difficulty of each statement, in log odds.
    """

    estimates: list[Estimate]
    persons: pl.DataFrame
    competence: pl.DataFrame
    key: NDArray[np.float64]
    difficulty: NDArray[np.float64]


def consensus(
    study: AmongPeople,
    shares: Shares,
    draws: Draws,
    pooled: Mapping[tuple[str, str], Estimate],
    rng: np.random.Generator,
) -> Culture:
    """Estimate the key, people's competence and scores, and where models stand among people.

    Parameters
    ----------
    study : AmongPeople
        Somebody answered the first question.
    shares : Shares
        Everybody's shares of yes to that question.
    draws : Draws
        From the answers to it.
    pooled : Mapping
        Pooled scores of models, by measure and model.
    rng : numpy.random.Generator

    Returns
    -------
    Culture
    """
    counted = raters(study.people) > 0
    found = persons(study.people, shares, draws, counted, rng)
    models = {
        model: one
        for model, own in zip(study.models, study.answers.q1, strict=True)
        if (one := respondent(own, draws, counted, rng)) is not None
    }
    rated = study.people.by_person(study.people.asked1) > 0
    share = everybody(rated, len(draws.state), rng)
    sizes = (LEVEL, int(counted.sum()), len(study.persons), POOLED)
    certain = np.maximum(draws.yes, 1 - draws.yes)[counted] >= CERTAIN
    estimates = [
        *_of_everybody(found, share, sizes),
        *_of_models(models, found, share, pooled, sizes, rng),
        bare_estimate("key_certain", {"model": PEOPLE}, float(certain.mean()), *sizes[1:]),
    ]
    return Culture(
        estimates,
        _persons(study, found),
        _competence(study, found, models),
        draws.yes,
        draws.mass.reshape(len(draws.mass), 2, -1).sum(axis=1) @ draws.difficulty,
    )


def _of_everybody(found: Persons, share: NDArray[np.float64], sizes: _Sizes) -> Iterator[Estimate]:
    """Estimate the means of everybody, of whom each person stands for a share."""
    named = {"competence": found.competence, "guesses_yes": found.guessing}
    for name, scores in {
        **named,
        **{f"{score}_pooled": getattr(found, score) for score in INDIVIDUAL_SCORES},
    }.items():
        yield from _estimate(name, PEOPLE, (share * scores).sum(axis=1), sizes)


def _of_models(
    models: Mapping[str, Respondent],
    found: Persons,
    share: NDArray[np.float64],
    pooled: Mapping[tuple[str, str], Estimate],
    sizes: _Sizes,
    rng: np.random.Generator,
) -> Iterator[Estimate]:
    """Estimate models' competence and guessing, and the shares of everybody with less competence and common sense."""
    aware = not np.isnan(found.awareness).any()
    for model, own in models.items():
        yield from _estimate("competence", model, own.competence, sizes)
        yield from _estimate("guesses_yes", model, own.guessing, sizes)
        below = (share * (found.competence < own.competence[:, None])).sum(axis=1)
        yield from _estimate("competence_percentile", model, below, sizes)
        score = pooled.get(("commonsensicality_pooled", model))
        if aware and score is not None and 0 < score.value < 1 and score.low < score.high:
            drawn = _drawn(score, len(share), rng)
            below = (share * (found.commonsensicality < drawn[:, None])).sum(axis=1)
            yield from _estimate("percentile_pooled", model, below, sizes)


def _drawn(score: Estimate, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw from the distribution of a score whose log odds are normally distributed."""
    from scipy.special import expit, logit

    spread = score.stderr / (score.value * (1 - score.value))
    return np.asarray(expit(logit(score.value) + spread * rng.normal(size=draws)))


def _estimate(measure: str, rater: str, drawn: NDArray[np.float64], sizes: _Sizes) -> Iterator[Estimate]:
    """Make an estimate from draws, if the value is known."""
    if not np.isnan(drawn).any():
        low, high = np.quantile(drawn, _ENDS).tolist()
        yield Estimate(measure, {"model": rater}, float(drawn.mean()), float(drawn.std()), low, high, *sizes)


def _persons(study: AmongPeople, found: Persons) -> pl.DataFrame:
    columns: dict[str, Sequence[object] | NDArray[np.float64]] = {
        "person": study.persons,
        "answers": study.people.by_person(study.people.asked1).astype(np.int64),
    }
    for name in SCORED:
        drawn = getattr(found, name)
        low, high = np.quantile(drawn, _ENDS, axis=0)
        columns |= {name: drawn.mean(axis=0), f"{name}_low": low, f"{name}_high": high}
    columns["guesses_yes"] = found.guessing.mean(axis=0)
    return pl.DataFrame(columns).filter(pl.col("answers") > 0).with_columns(pl.col(pl.Float64).fill_nan(None))


def _competence(study: AmongPeople, found: Persons, models: Mapping[str, Respondent]) -> pl.DataFrame:
    rated = study.people.by_person(study.people.asked1) > 0
    people = zip(np.array(study.persons)[rated].tolist(), found.competence.T[rated], strict=True)
    rows = [
        (kind, name, float(drawn.mean()), *np.quantile(drawn, _ENDS).tolist())
        for kind, name, drawn in (
            *(("person", name, drawn) for name, drawn in people),
            *(("model", name, one.competence) for name, one in models.items()),
        )
    ]
    return pl.DataFrame(rows, schema=["kind", "name", "score", "low", "high"], orient="row")
