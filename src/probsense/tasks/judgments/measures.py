"""What the answers amount to: models by themselves, as individuals among people, and as populations beside them.

"consensus", "awareness", "commonsensicality", "percentile" and "win_rate" measure individuals; measures whose names
begin with "group_" measure populations. Raters that are no models are called :data:`PEOPLE`, or begin with
:data:`BASELINE`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.bootstrap import (
    ModelAnswers,
    TwoWay,
    statement_bootstrap,
    two_way_bootstrap,
)
from probsense.analysis.agreement.individuals import MAJORITY, baseline_answers, random_person_scores
from probsense.analysis.agreement.populations import population_scores
from probsense.analysis.agreement.scores import Scores, majority
from probsense.analysis.agreement.splithalf import (
    ceiling_interval,
    halves_interval,
    halves_without_some,
    spearman_brown,
)
from probsense.analysis.distributions.label_mass import split_other
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.analysis.inference.quantiles import t_quantile
from probsense.analysis.inference.resampling import Replicates, differences, intervals, share_intervals
from probsense.core.records import Json
from probsense.tasks.judgments.corrected import TRUE_MAJORITY, corrected_estimates
from probsense.tasks.judgments.judged import AgainstMajority, AmongPeople, BesidePeople, Judged
from probsense.tasks.judgments.questions import QUESTIONS
from probsense.tasks.judgments.settings import Settings

PEOPLE = "people"
BASELINE = "baseline: "
TWO_WAY, STATEMENTS = "two-way bootstrap", "statement bootstrap"
LEVEL = 0.95
Z = 1.959963984540054
"""The normal quantile that belongs to :data:`LEVEL`."""

OF_PEOPLE = ("percentile", "win_rate")
"""Measures that are shares of people, with score intervals."""
SCORES = ("consensus", "awareness", "commonsensicality")
HALVES: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "split_half": np.asarray,
    "reliability": spearman_brown,
}
"""What follows from the correlation of halves of the people."""
COMPARED = ("commonsensicality", "win_rate", "group_r")
"""Measures by which every model is compared with every other."""


def own_estimates(judged: Judged) -> list[Estimate]:
    """Estimate what models say, whatever people do.

    By question these are the mean mass of yes and of other answers, how often the answer is yes (a tie counts half)
    and how often "other" comes before both yes and no. For models as populations they are the means over
    statements of consensus, awareness and commonsensicality.
    """
    found = []
    for i, model in enumerate(judged.models):
        for question in QUESTIONS:
            mass = judged.mass[question][i]
            by = {"model": model, "question": question}
            found += _means("yes_mass", by, mass[:, 0])
            found += _means("other_mass", by, mass[:, 2])
            found += _shares("yes_rate", by, majority(split_other(mass)[:, 0]))
            found += _shares("other_rate", by, judged.other_first(question)[i])
    scores = population_scores(*judged.shares)
    for name in SCORES:
        for i, model in enumerate(judged.models):
            found += _means(f"group_{name}", {"model": model}, getattr(scores, name)[i])
    return found


def _means(measure: str, by: Mapping[str, Json], values: NDArray[np.float64]) -> list[Estimate]:
    """Estimate the mean over statements, if any is known."""
    known = values[~np.isnan(values)]
    return [mean_estimate(measure, by, known, np.arange(len(known)))] if len(known) else []


def _shares(measure: str, by: Mapping[str, Json], values: NDArray[np.float64]) -> list[Estimate]:
    """Estimate the share of statements, if any is known; one may count half."""
    known = values[~np.isnan(values)]
    return [proportion_estimate(measure, by, known, np.arange(len(known)))] if len(known) else []


def against_majority(judged: AgainstMajority, settings: Settings) -> list[Estimate]:
    """Measure models as individuals by what most people say."""
    answers, names = with_baselines(judged)
    found = statement_bootstrap(
        answers.q1, answers.q2, judged.key, settings.generator(0), draws=settings.draws
    )
    n = _judged_by_both(answers, judged.key)
    estimates = [
        estimate
        for name in reversed(SCORES)
        for estimate in estimates_of(name, names, found[name], n, n, STATEMENTS)
    ]
    return estimates + list(_differences(judged, found, n, n, STATEMENTS))


def against_people(judged: AmongPeople, settings: Settings) -> list[Estimate]:
    """Measure models as individuals among people and as populations beside them; people themselves; simple rules.

    All intervals come from one bootstrap over statements and people, except those of corrected scores.
    """
    answers, names = with_baselines(judged)
    found = two_way_bootstrap(judged.people, answers, settings.generator(0), draws=settings.draws)
    n, people = _judged_by_both(answers, judged.key), np.full(len(names), len(judged.persons))
    individual = ("commonsensicality", "percentile", "win_rate", "consensus", "awareness")
    estimates = [
        estimate
        for name in individual
        for estimate in estimates_of(name, names, found.models[name], n, people, TWO_WAY)
    ]
    # Simple rules are no populations.
    for name in ("group_r", "group_r_of_ceiling"):
        estimates += estimates_of(name, judged.models, found.models[name], n, people, TWO_WAY)
    estimates += _random_person(judged)
    estimates += corrected_estimates(judged, f"{BASELINE}{TRUE_MAJORITY}")
    estimates += _of_people(judged, found, settings)
    return estimates + list(_differences(judged, found.models, n, people, TWO_WAY))


def with_baselines(judged: BesidePeople) -> tuple[ModelAnswers, tuple[str, ...]]:
    """Return the answers of models, then those of simple rules, and the names of all of them.

    Where the majority is all that is known of people, the rule that answers like it is right by definition.
    """
    rules = dict(baseline_answers(judged.key))
    if not isinstance(judged, AmongPeople):
        del rules[MAJORITY]
    more = np.array([*rules.values()])
    answers = ModelAnswers(*(np.concatenate([own, more]) for own in judged.answers))
    return answers, (*judged.models, *(BASELINE + name for name in rules))


def _random_person(judged: AmongPeople) -> list[Estimate]:
    """Estimate the expected score of someone who answers each statement as a random one of its raters did."""
    scores: Scores = random_person_scores(judged.people)
    who = {"model": f"{BASELINE}random person"}
    unknown = (math.nan, math.nan, math.nan, LEVEL)
    values = {name: float(getattr(scores, name)) for name in reversed(SCORES)}
    return [
        Estimate(name, who, value, *unknown, len(judged.ids), len(judged.persons), TWO_WAY)
        for name, value in values.items()
        if not math.isnan(value)
    ]


def _of_people(judged: AmongPeople, found: TwoWay, settings: Settings) -> Iterator[Estimate]:
    """Measure people by the same measures, and how far halves of them agree."""
    without = halves_without_some(judged.people, settings.generator(6))
    called = {"person_score": "commonsensicality", **{name: f"group_{name}" for name in SCORES}}
    n = int((~np.isnan(judged.key)).sum())
    for name, replicates in found.people.items():
        if name in (*HALVES, "ceiling"):
            yield from _of_halves(judged, name, replicates, without, n)
            continue
        yield from estimates_of(
            called.get(name, name),
            [PEOPLE],
            Replicates(replicates.value[None], replicates.draws[:, None]),
            np.array([n]),
            np.array([len(judged.persons)]),
            TWO_WAY,
        )


def _of_halves(
    judged: AmongPeople, name: str, replicates: Replicates, without: NDArray[np.float64], n: int
) -> Iterator[Estimate]:
    """Estimate how far halves of the people agree, or what follows from it, if their halves correlate at all."""
    people = len(judged.persons)
    if name == "ceiling":
        found = ceiling_interval(replicates, n, level=LEVEL)
    else:
        found = halves_interval(replicates, HALVES[name](without), min(n, people), level=LEVEL)
    value, stderr, low, high = (float(x) for x in (found.value, found.stderr, found.low, found.high))
    if not math.isnan(value):
        yield Estimate(name, {"model": PEOPLE}, value, stderr, low, high, LEVEL, n, people, TWO_WAY)


def _differences(
    judged: Judged,
    found: Mapping[str, Replicates],
    n: NDArray[np.int64],
    clusters: NDArray[np.int64],
    method: str,
) -> Iterator[Estimate]:
    """Estimate the difference between any two models, paired: the same draws measure both.

    Intervals take Student's t with one degree of freedom less than there are statements or people, whichever are fewer.
    """
    count = len(judged.models)
    for name in COMPARED:
        if name not in found:
            continue
        apart = intervals(differences(found[name]), level=LEVEL)
        for i in range(count):
            for k in range(i + 1, count):
                value, stderr = float(apart.value[i, k]), float(apart.stderr[i, k])
                if not math.isnan(value):
                    observed, groups = int(min(n[i], n[k])), int(min(clusters[i], clusters[k]))
                    half = t_quantile(min(observed, groups) - 1, LEVEL) * stderr
                    by = {"model": judged.models[i], "versus": judged.models[k]}
                    ends = value - half, value + half
                    yield Estimate(
                        f"{name}_difference", by, value, stderr, *ends, LEVEL, observed, groups, method
                    )


def estimates_of(
    measure: str,
    names: Sequence[str],
    replicates: Replicates,
    n: NDArray[np.int64],
    clusters: NDArray[np.int64],
    method: str,
    by: Mapping[str, Json] | None = None,
) -> Iterator[Estimate]:
    """Make an estimate for each rater whose value is known.

    Parameters
    ----------
    measure : str
    names : sequence of str
        The raters.
    replicates : Replicates
        Their values, and what came out of each draw.
    n, clusters : ndarray of int, shape (raters,)
        Observations, and independent groups of them.
    method : str
    by : Mapping, optional
        Which part of the data the estimates describe.
    """
    if measure in OF_PEOPLE:
        found = share_intervals(replicates, int(min(*n, *clusters)), level=LEVEL)
    else:
        found = intervals(replicates, level=LEVEL)
    for i, name in enumerate(names):
        if not math.isnan(found.value[i]):
            ends = float(found.stderr[i]), float(found.low[i]), float(found.high[i])
            yield Estimate(
                measure,
                {"model": name, **(by or {})},
                float(found.value[i]),
                *ends,
                LEVEL,
                int(n[i]),
                int(clusters[i]),
                method,
            )


def _judged_by_both(answers: ModelAnswers, key: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count, for each model and baseline, the statements that it and enough people judged."""
    return np.asarray((~np.isnan(answers.q1) & ~np.isnan(key)).sum(axis=1))
