"""Individual scores against the majority of everybody: their ceiling, and the corrected scores of models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from probsense.analysis.agreement.scores import ratio
from probsense.analysis.agreement.statements import MINIMUM_RATERS, raters
from probsense.analysis.agreement.truth import FEWEST, Corrected, corrected_score, individual_ceiling
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_quantile
from probsense.tasks.judgments.judged import AmongPeople

CORRECTED = "corrected"
TRUE_MAJORITY = "true majority"
SCORES = ("commonsensicality", "consensus", "awareness")
LEVEL = 0.95
ENOUGH_STATEMENTS, ENOUGH_RATERS = 40, 5
"""With fewer statements, or fewer raters of each on average, the coverage of intervals is unknown."""


def corrected_estimates(judged: AmongPeople, rule: str) -> Iterator[Estimate]:
    """Estimate the ceiling of individual scores, and the score that each model would have against it.

    Parameters
    ----------
    judged : AmongPeople
    rule : str
        The name of the rule that always knows the majority of everybody.
    """
    counts = raters(judged.people)
    used = counts >= MINIMUM_RATERS
    if used.sum() < FEWEST:
        return
    counts, yes = counts[used], judged.people.by_statement(judged.people.yes1)[used]
    ceiling = individual_ceiling(yes, counts)
    covered = is_covered(judged)
    for name in SCORES:
        yield _estimate(name, rule, Corrected(ceiling.value, ceiling.influence), judged, covered=covered)
    for i, model in enumerate(judged.models):
        first, second = (
            corrected_score(answers[i, used], yes, counts, ceiling)
            for answers in (judged.answers.q1, judged.answers.q2)
        )
        for name, score in zip(SCORES, both_scores(first, second), strict=True):
            if not math.isnan(score.value):
                yield _estimate(f"{name}_corrected", model, score, judged, covered=covered)


def both_scores(first: Corrected, second: Corrected) -> tuple[Corrected, Corrected, Corrected]:
    """Return the scores of :data:`SCORES`: the geometric mean of consensus and awareness, and both of these."""
    both = math.sqrt(first.value * second.value)
    by_both = ratio(second.value * first.influence + first.value * second.influence, np.asarray(2 * both))
    return Corrected(both, by_both), first, second


def is_covered(judged: AmongPeople) -> bool:
    """Whether there are enough statements, and raters of each, for intervals of corrected scores."""
    counts = raters(judged.people)
    counts = counts[counts >= MINIMUM_RATERS]
    return len(counts) >= ENOUGH_STATEMENTS and counts.mean() >= ENOUGH_RATERS


def corrected_notes(judged: AmongPeople) -> list[str]:
    """Note why corrected scores have no interval."""
    if is_covered(judged):
        return []
    return [
        "corrected scores have no interval: with fewer than"
        f" {ENOUGH_STATEMENTS} statements or {ENOUGH_RATERS} raters a statement, their coverage is unknown"
    ]


def _estimate(measure: str, rater: str, score: Corrected, judged: AmongPeople, *, covered: bool) -> Estimate:
    n = int((score.influence != 0).sum())
    found = score_estimate(measure, rater, score, n, len(judged.persons), CORRECTED)
    return found if covered else replace(found, stderr=math.nan, low=math.nan, high=math.nan)


def score_estimate(measure: str, rater: str, score: Corrected, n: int, people: int, method: str) -> Estimate:
    """Make an estimate with the interval of its log odds, which stays between 0 and 1.

    A score of 0 or 1 has no log odds, and an interval without width, until the bounds give it one.

    Parameters
    ----------
    measure, rater : str
    score : Corrected
    n, people : int
        Numbers of statements and of people; a single statement has no interval.
    method : str
    """
    from scipy.special import expit, logit

    value = score.value
    stderr = low = high = math.nan
    if n > 1:
        stderr = math.sqrt(n / (n - 1) * float(score.influence @ score.influence))
        low = high = value
        if 0 < value < 1:
            half = t_quantile(n - 1, LEVEL) * stderr / (value * (1 - value))
            low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    return Estimate(measure, {"model": rater}, value, stderr, low, high, LEVEL, n, people, method)
