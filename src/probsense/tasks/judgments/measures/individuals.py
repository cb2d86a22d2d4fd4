"""Models as individuals among people: scores, percentile and wins; the same for people and for simple rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from probsense.analysis.agreement.bootstrap import ModelAnswers, TwoWay, ceiling_interval, two_way_bootstrap
from probsense.analysis.agreement.models import MAJORITY, baseline_answers, random_person_scores
from probsense.analysis.agreement.people import counted, raters
from probsense.analysis.agreement.truth import FEWEST, Corrected, corrected_score, individual_ceiling
from probsense.analysis.arrays import Floats, Ints, ratio
from probsense.analysis.inference.estimate import LEVEL, Estimate, t_quantile
from probsense.analysis.inference.resampling import Replicates, differences, intervals
from probsense.tasks.judgments.measures.estimates import (
    BASELINE,
    PEOPLE,
    SCORES,
    STATEMENTS,
    TWO_WAY,
    Settings,
    bare_estimate,
    estimates_of,
    score_estimates,
)
from probsense.tasks.judgments.people.study import Study

CORRECTED = "corrected"
INDIVIDUAL_SCORES = ("commonsensicality", "consensus", "awareness")
"""The geometric mean of the other two, and these."""
ENOUGH_STATEMENTS, ENOUGH_RATERS = 40, 5
"""With fewer statements, or fewer raters of each on average, the coverage of intervals is unknown, and with fewer
statements, intervals of the difference of two win rates hold the truth too rarely."""
COMPARED = ("commonsensicality", "win_rate", "group_r")
"""Measures by which every model is compared with every other."""


def corrected_estimates(study: Study, rule: str) -> Iterator[Estimate]:
    """Estimate the ceiling of individual scores, and the score that each model would have against it.

    Parameters
    ----------
    study : Study
    rule : str
        The name of the rule that always knows the majority of everybody.
    """
    used = counted(study.people)
    if used.sum() < FEWEST:
        return
    counts, yes = raters(study.people)[used], study.people.by_statement(study.people.yes1)[used]
    ceiling = individual_ceiling(yes, counts)
    for name in INDIVIDUAL_SCORES:
        yield _estimate(name, rule, Corrected(ceiling.value, ceiling.influence), study)
    for i, model in enumerate(study.models):
        first, second = (corrected_score(one[i, used], yes, counts, ceiling) for one in study.answers[:2])
        both = math.sqrt(first.value * second.value)
        moved = second.value * first.influence + first.value * second.influence
        scores = Corrected(both, ratio(moved, np.asarray(2 * both))), first, second
        for name, score in zip(INDIVIDUAL_SCORES, scores, strict=True):
            if not math.isnan(score.value):
                yield _estimate(f"{name}_corrected", model, score, study)


def is_covered(study: Study) -> bool:
    """Whether there are enough statements, and raters of each, for intervals of corrected scores."""
    counts = raters(study.people)[counted(study.people)]
    return len(counts) >= ENOUGH_STATEMENTS and counts.mean() >= ENOUGH_RATERS


def _estimate(measure: str, rater: str, score: Corrected, study: Study) -> Estimate:
    """Make an estimate with the interval of its log odds, which stays between 0 and 1.

    A score of 0 or 1 has no log odds, and an interval without width, until the bounds give it one.
    """
    from scipy.special import expit, logit

    n = int((score.influence != 0).sum())
    value, why = score.value, ""
    stderr = low = high = math.nan
    if not is_covered(study):
        why = "too few statements" if n < ENOUGH_STATEMENTS else "too few people"
    elif n > 1:
        stderr = math.sqrt(n / (n - 1) * float(score.influence @ score.influence))
        low = high = value
        if 0 < value < 1:
            half = t_quantile(n - 1) * stderr / (value * (1 - value))
            low, high = (float(expit(logit(value) + side * half)) for side in (-1, 1))
    ends, people = (stderr, low, high), len(study.persons)
    by = {"model": rater}
    return Estimate(measure, by, value, *ends, LEVEL, n, people, CORRECTED, no_interval=why)


def against_majority(study: Study, settings: Settings) -> list[Estimate]:
    """Measure models as individuals by what most people say."""
    answers, names = with_baselines(study)
    estimates, drawn = score_estimates(names, answers[:2], study.key, settings, 0, STATEMENTS)
    n = _judged_by_both(answers, study.key)
    return [*estimates, *_differences(study, drawn, n, n, STATEMENTS)]


def against_people(study: Study, settings: Settings) -> list[Estimate]:
    """Measure models as individuals among people and as populations beside them; people themselves; simple rules.

    All intervals come from one bootstrap over statements and people, except those of corrected scores.
    """
    answers, names = with_baselines(study)
    found = two_way_bootstrap(study.people, answers, settings.generator(0), draws=settings.draws)
    n, people = _judged_by_both(answers, study.key), np.full(len(names), len(study.persons))
    individual = ("commonsensicality", "percentile", "win_rate", "consensus", "awareness")
    # Simple rules are no populations.
    populations = dict.fromkeys(("group_r", "group_r_of_ceiling"), study.models)
    estimates = [
        estimate
        for measure, rated in {**dict.fromkeys(individual, names), **populations}.items()
        for estimate in estimates_of(measure, rated, found.models[measure], n, people, TWO_WAY)
    ]
    estimates += _random_person(study)
    estimates += corrected_estimates(study, f"{BASELINE}true majority")
    estimates += _of_people(study, found)
    return estimates + list(_differences(study, found.models, n, people, TWO_WAY))


def with_baselines(study: Study) -> tuple[ModelAnswers, tuple[str, ...]]:
    """Return the answers of models, then those of simple rules, and the names of all of them.

    Where the majority is all that is known of people, the rule that answers like it is right by definition.
    """
    rules = dict(baseline_answers(study.key))
    if not study.persons:
        del rules[MAJORITY]
    more = np.array([*rules.values()])
    answers = ModelAnswers(*(np.concatenate([own, more]) for own in study.answers))
    return answers, (*study.models, *(BASELINE + name for name in rules))


def _random_person(study: Study) -> Iterator[Estimate]:
    """Estimate the expected score of someone who answers each statement as a random one of its raters did."""
    scores, who = random_person_scores(study.people), {"model": f"{BASELINE}random person"}
    for name in reversed(SCORES):
        value = float(getattr(scores, name))
        if not math.isnan(value):
            yield bare_estimate(name, who, value, len(study.ids), len(study.persons), TWO_WAY)


def _of_people(study: Study, found: TwoWay) -> Iterator[Estimate]:
    """Measure people by the same measures, and how high anything can correlate with them."""
    called = {"person_score": "commonsensicality", **{name: f"group_{name}" for name in SCORES}}
    n, people = int((~np.isnan(study.key)).sum()), len(study.persons)
    for name, drawn in found.people.items():
        if name == "ceiling":
            # It is known if halves of the people correlate at all.
            value, stderr, low, high = (float(x) for x in ceiling_interval(drawn, n))
            if not math.isnan(value):
                yield Estimate(name, {"model": PEOPLE}, value, stderr, low, high, LEVEL, n, people, TWO_WAY)
            continue
        rater = Replicates(drawn.value[None], drawn.draws[:, None])
        sizes = np.array([n]), np.array([people])
        yield from estimates_of(called.get(name, name), [PEOPLE], rater, *sizes, TWO_WAY)


def _differences(
    study: Study, found: Mapping[str, Replicates], n: Ints, clusters: Ints, method: str
) -> Iterator[Estimate]:
    """Estimate the difference between any two models, paired: the same draws measure both.

    Intervals take Student's t with one degree of freedom less than there are statements or people, whichever are fewer.
    The difference of win rates has none where there are few statements.
    """
    for name in COMPARED:
        if name not in found:
            continue
        apart = intervals(differences(found[name]))
        for i, k in combinations(range(len(study.models)), 2):
            value, stderr = float(apart.value[i, k]), float(apart.stderr[i, k])
            if math.isnan(value):
                continue
            observed, groups = int(min(n[i], n[k])), int(min(clusters[i], clusters[k]))
            if name == "win_rate" and observed < ENOUGH_STATEMENTS:
                stderr = math.nan
            half = t_quantile(min(observed, groups) - 1) * stderr
            by = {"model": study.models[i], "versus": study.models[k]}
            ends = value - half, value + half
            yield Estimate(f"{name}_difference", by, value, stderr, *ends, LEVEL, observed, groups, method)


def _judged_by_both(answers: ModelAnswers, key: Floats) -> Ints:
    """Count, for each model and baseline, the statements that it and enough people judged."""
    return np.asarray((~np.isnan(answers.q1) & ~np.isnan(key)).sum(axis=1))
