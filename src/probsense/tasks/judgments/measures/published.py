"""The same measures by the published calculations, to the last digit (method "published").

Nguyen, Watts & Whiting 2026 count a person's own vote in the majority that the person is measured by, ties as a "yes",
and a model's refusals half as a "yes". They give no intervals; those here are of the simplest kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from probsense.analysis.agreement.bootstrap import published_split_half
from probsense.analysis.agreement.models import (
    fits,
    published_leads,
    published_population_scores,
    published_scores_with_model,
)
from probsense.analysis.agreement.people import published_person_scores, published_statement_scores
from probsense.analysis.arrays import Floats
from probsense.analysis.comparison.regression import FOLDS, folds, out_of_sample_r2, regression
from probsense.analysis.inference.correlations import (
    correlation_p_value,
    fisher_interval,
    paired_correlations,
)
from probsense.analysis.inference.estimate import LEVEL, Estimate, Z
from probsense.analysis.inference.means import mean_of_known
from probsense.analysis.inference.resampling import gathered, times_in_parts
from probsense.analysis.inference.significance import adjust
from probsense.tasks.judgments.measures.estimates import (
    PEOPLE,
    SCORES,
    Settings,
    bare_estimate,
    estimates_of,
    score_estimates,
)
from probsense.tasks.judgments.people.study import Study

PUBLISHED = "published"
OWN_VOTE = "published, own vote"
ALL_MODELS = "all models"


def published(study: Study, settings: Settings) -> list[Estimate]:
    """Compute everything published that the data allow.

    The majority is enough to score models as individuals. Win rates, and the measures of populations and of people,
    need single people's ratings. There is nothing without a published majority (:func:`published_known`), and no split
    half or win rate if nobody answered the second question.
    """
    if not published_known(study):
        return []
    answers = study.published_answers
    found, _ = score_estimates(study.models, answers[:2], study.published_key, settings, 1, PUBLISHED)
    if study.persons:
        own = published_scores_with_model(answers.q1, answers.q2, study.people)
        for name in reversed(SCORES):
            found += _bare(name, study.models, getattr(own, name), len(study.ids), OWN_VOTE)
        found += [*_populations(study, settings), *_people(study)]
        if not study.unanswered:
            found += [*_win_rates(study), _split_half(study)]
    return [estimate for estimate in found if not math.isnan(estimate.value)]


def published_known(study: Study) -> bool:
    """Whether there is a majority by the published calculation, which takes every missing answer for a "no".

    There is none if nobody answered the first question.
    """
    return not (study.persons and "q1" in study.unanswered)


def _win_rates(study: Study) -> Iterator[Estimate]:
    """Compute win rates; the interval is that of a share of independent people."""
    answers, n = study.published_answers, len(study.persons)
    rates = (published_leads(answers.q1, answers.q2, study.people) > 0).mean(axis=0)
    both = np.asarray((~np.isnan(answers.q1 + answers.q2)).any(axis=1))
    for model, rate, complete in zip(study.models, rates.tolist(), both.tolist(), strict=True):
        if not complete:
            continue
        stderr = math.sqrt(rate * (1 - rate) / n)
        ends = max(rate - Z * stderr, 0.0), min(rate + Z * stderr, 1.0)
        yield Estimate("win_rate", {"model": model}, rate, stderr, *ends, LEVEL, n, n, PUBLISHED)


def _populations(study: Study, settings: Settings) -> Iterator[Estimate]:
    """Compare how commonsensical statements are within models and to people: correlation, differences, prediction.

    The correlation has its p-values, and R², RMSE and MAE are those of the values as they are.
    """
    people = published_statement_scores(study.people).commonsensicality
    answers = study.published_answers
    models = published_population_scores(answers.p1, answers.p2).commonsensicality
    (r,) = paired_correlations(people[None], models, np.ones((1, len(people))))
    n = (~np.isnan(people + models)).sum(axis=1)
    for model, own, count in zip(study.models, r.tolist(), n.tolist(), strict=True):
        ends = fisher_interval(own, count)
        yield Estimate("group_r", {"model": model}, own, math.nan, *ends, LEVEL, count, count, PUBLISHED)
    p = correlation_p_value(r, n)
    for name, values in {"group_p": p, "group_p_bonferroni": adjust(p, "bonferroni")}.items():
        yield from _bare(name, study.models, values, len(people), PUBLISHED)
    drawn = times_in_parts(settings.generator(5), len(people), settings.draws)
    for name, fitted in gathered([fits(people, models, times) for times in drawn]).items():
        yield from estimates_of(f"group_{name}", study.models, fitted, n, n, PUBLISHED)
    known = ~np.isnan(people) & ~np.isnan(models).any(axis=0)
    if known.sum() >= 2 * FOLDS:
        yield from _predictions(study, people[known], models[:, known])


def _predictions(study: Study, people: Floats, models: Floats) -> Iterator[Estimate]:
    """Compute R² on statements that were left out; the standard error is that of a mean over folds."""
    fold, n = folds(len(people)), len(people)
    by_fold = dict(zip(study.models, out_of_sample_r2(people, models, fold), strict=True))
    if len(study.models) + 1 < n // 2:
        joint_r2, by_fold[ALL_MODELS] = regression(people, models, fold)
        yield bare_estimate("group_regression_r2", {"model": ALL_MODELS}, joint_r2, n, n, PUBLISHED)
    for model, r2 in by_fold.items():
        mean, stderr = float(r2.mean()), float(r2.std() / math.sqrt(len(r2)))
        ends = mean - Z * stderr, mean + Z * stderr
        by = {"model": model}
        yield Estimate("group_fold_r2", by, mean, stderr, *ends, LEVEL, n, len(r2), PUBLISHED)


def _people(study: Study) -> Iterator[Estimate]:
    """Compute means over statements and over people, where people gave the answers that they rest on."""
    statements, persons = published_statement_scores(study.people), published_person_scores(study.people)
    means = {f"group_{name}": getattr(statements, name) for name in SCORES}
    means |= {name: getattr(persons, name) for name in reversed(SCORES)}
    for measure, values in means.items():
        for mean in mean_of_known(measure, {"model": PEOPLE}, values):
            yield replace(mean, method=PUBLISHED)


def _split_half(study: Study) -> Estimate:
    """Compute the mean correlation of halves of the people, with quantiles of its draws."""
    halves = published_split_half(study.people)
    low, high = np.quantile(halves, [0.025, 0.975]).tolist()
    ends = float(halves.std(ddof=1)), low, high
    by, people = {"model": PEOPLE}, len(study.persons)
    return Estimate("split_half", by, float(halves.mean()), *ends, LEVEL, len(study.ids), people, PUBLISHED)


def _bare(measure: str, models: Sequence[str], values: Floats, n: int, method: str) -> Iterator[Estimate]:
    """Make estimates of what was published without an interval."""
    for model, value in zip(models, values.tolist(), strict=True):
        yield bare_estimate(measure, {"model": model}, value, n, n, method)
