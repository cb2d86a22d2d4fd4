"""Resamples people and statements: split halves of people, with the ceiling of a correlation, and bootstraps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from probsense.analysis.agreement.models import (
    individual_scores,
    population_scores,
    published_population_scores,
    share_beaten,
)
from probsense.analysis.agreement.people import (
    People,
    Scores,
    counted,
    majority,
    scores_in_place_of_persons,
    scores_of_persons,
    unbiased_consensus,
)
from probsense.analysis.arrays import Floats, mean_known, ratio
from probsense.analysis.inference.correlations import cross_correlations, paired_correlations
from probsense.analysis.inference.estimate import Z
from probsense.analysis.inference.resampling import (
    REPLICATE_CELLS,
    Intervals,
    Replicates,
    batches,
    gathered,
    intervals,
    times_drawn,
    times_in_parts,
    transformed,
)

DRAWS = 1000
"""Number of draws, and of the published splits."""
SEED = 100
"""The seed of the published splits."""

SPLITS = 100
"""Number of splits over which each draw of a bootstrap takes a mean."""


def published_split_half(people: People, *, draws: int = DRAWS, seed: int = SEED) -> Floats:
    """Correlate the commonsensicality of statements between random halves of the people, as published.

    In each draw ``numpy.random.RandomState(seed)`` chooses half of the people without replacement. Within a half, a
    share without answers is ½, and a tie is a "yes". The publication reports the mean and the quantiles .025 and .975.

    Parameters
    ----------
    people : People
    draws, seed : int

    Returns
    -------
    ndarray, shape (draws,)
    """
    found, once = [], np.ones((1, people.statements))
    for both in _shares_of_halves(people, np.random.RandomState(seed), draws):
        first, second = (
            published_population_scores(*(np.where(np.isnan(share), 0.5, share) for share in half))
            for half in both
        )
        found += [*paired_correlations(first.commonsensicality, second.commonsensicality, once)]
    return np.concatenate(found)


def split_half_bootstrap(
    people: People, rng: np.random.Generator, *, splits: int = SPLITS, draws: int = DRAWS
) -> Replicates:
    """Estimate the mean correlation between random halves of the people, with statements drawn with replacement.

    People are not drawn, because fewer different people would be less reliable. The error therefore leaves out what
    people have in common over all statements.

    Parameters
    ----------
    people : People
    rng : numpy.random.Generator
    splits : int
        Number of random halves, the same in every draw, over which the mean is taken.
    draws : int

    Returns
    -------
    Replicates
        Estimate of shape ().
    """
    used = counted(people).astype(np.float64)
    halves = [
        [population_scores(*half).commonsensicality for half in both]
        for both in _shares_of_halves(people, rng, splits)
    ]
    first, second = (np.concatenate(side) for side in zip(*halves, strict=True))
    return Replicates.of(
        mean_known(paired_correlations(first, second, used * times))
        for times in times_in_parts(rng, people.statements, draws)
    )


def noise_ceiling(r: Floats) -> Floats:
    """Compute the correlation that people's true values would have with their observed values, √reliability.

    The reliability of all people together is 2r / (1 + r) (Spearman 1910; Brown 1910). A correlation divided by the
    ceiling estimates the correlation with people's values without error (Spearman 1904). This is approximate, because
    commonsensicality is not a mean of answers: the result was 4 to 7 % too high in simulations with 20 raters per
    statement. The ceiling is NaN where the halves do not correlate.

    Parameters
    ----------
    r : ndarray
        Correlation of halves: the mean over splits.
    """
    return np.sqrt(np.where(r > 0, ratio(2 * r, 1 + r), np.nan))


def ceiling_interval(ceiling: Replicates, statements: int) -> Intervals:
    """Compute an interval for the correlation that people's observed values have with their true values.

    The true correlation differs from the ceiling for two reasons: the ceiling is estimated from statements that were
    drawn (the bootstrap error s), and the correlation of these very statements varies around its expectation, as any
    correlation of n pairs does. On the scale of artanh the variances are (s / (1 − c²))² and 1/(n − 3) (Fisher 1921),
    and they add up. The bootstrap error alone gave intervals that held the correlation 76 to 90 times out of 100.

    Parameters
    ----------
    ceiling : Replicates
        The :func:`noise_ceiling` of shape () with its bootstrap over statements.
    statements : int
        Number of statements that count.

    Returns
    -------
    Intervals
        NaN where the ceiling is unknown or 1, and for three statements or fewer.
    """
    bootstrap = intervals(ceiling)
    # A correlation of 1, or of three statements, has no error on the scale of artanh.
    value = np.where((bootstrap.value < 1) & (statements > 3), bootstrap.value, np.nan)
    room = 1 - value**2
    error = np.sqrt((bootstrap.stderr / room) ** 2 + 1 / max(statements - 3, 1))
    ends = np.tanh(np.arctanh(value) + np.multiply.outer([-1, 1], Z * error))
    return Intervals(bootstrap.value, error * room, *ends)


def half_drawn(people: int, rng: np.random.Generator | np.random.RandomState, draws: int) -> Floats:
    """Mark with 1 one half of the people, drawn without replacement, and with 0 the other; shape (people, draws).

    The first half of a permutation is what ``RandomState.choice(people, people // 2, replace=False)`` returns.
    """
    drawn = np.zeros((people, draws))
    for draw in range(draws):
        drawn[rng.permutation(people)[: people // 2], draw] = 1
    return drawn


def stacked(people: People) -> Any:
    """Build a sparse matrix that sums over people, shape (4 · statements, people): yes and asked, of both questions."""
    from scipy.sparse import vstack

    parts = (people.yes1, people.asked1, people.yes2, people.asked2)
    return vstack([people.matrix(values).T for values in parts], format="csr")


def shares(sums: Floats) -> tuple[Floats, Floats]:
    """Compute the shares of "yes" to both questions, shape (draws, statements), from transposed sums of
    :func:`stacked`.
    """
    yes1, asked1, yes2, asked2 = np.split(sums, 4, axis=1)
    return ratio(yes1, asked1), ratio(yes2, asked2)


def _shares_of_halves(
    people: People, rng: np.random.Generator | np.random.RandomState, draws: int
) -> Iterator[Any]:
    matrix = stacked(people)
    everyone = matrix @ np.ones(people.people)
    for some in batches(draws, max(people.statements, people.people), REPLICATE_CELLS):
        half = (matrix @ half_drawn(people.people, rng, some)).T
        yield shares(half), shares(everyone - half)


class ModelAnswers(NamedTuple):
    """Hold the answers of models; all arrays have the shape (models, statements), with NaN where there is none.

    Attributes
    ----------
    q1, q2 : ndarray
        Answers as individuals: 1 yes, 0 no, 0.5 a tie.
    p1, p2 : ndarray
        Probabilities of "yes", as populations.
    """

    q1: Floats
    q2: Floats
    p1: Floats
    p2: Floats


class TwoWay(NamedTuple):
    """Hold estimates with replicates, by name.

    Attributes
    ----------
    models : Mapping of str to Replicates, shape (models,)
        "consensus", "awareness", "commonsensicality"; "win_rate", the share of people whom a model beats on their own
        statements, both scored by the majority of all others; "percentile", the share of people with a lower score,
        whatever they rated; "group_r", the correlation with people's commonsensicality of statements, and
        "group_r_of_ceiling", divided by the ceiling. Each person rated few statements, so people's scores differ more
        than they would over all statements. This draws extreme percentiles towards the middle; win rates avoid it.
    people : Mapping of str to Replicates, shape ()
        Means over statements of "consensus", "awareness", "commonsensicality" and, unbiased and squared,
        "consensus_squared"; "person_score", the mean over people; "ceiling".
    """

    models: Mapping[str, Replicates]
    people: Mapping[str, Replicates]


def two_way_bootstrap(
    people: People, answers: ModelAnswers, rng: np.random.Generator, *, draws: int = DRAWS
) -> TwoWay:
    """Draw statements and people independently with replacement, and compute every estimate in each draw.

    The weight of an answer is the number of times that its statement was drawn, times the number of times that its
    person was drawn (the pigeonhole bootstrap of Owen 2007, Annals of Applied Statistics 1(2)). The method
    overestimates standard errors somewhat, because the part that is peculiar to a single answer varies with both
    draws: in simulations with 400 statements and 200 people the errors were 1.1 to 1.3 times the true ones, and 95 %
    intervals held the truth 94 to 99 times out of 100. Copies of a person count as one person, and no copy votes in
    the majority of the others.

    Parameters
    ----------
    people : People
    answers : ModelAnswers
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    TwoWay
        The values are those of :func:`estimates` where everything comes once. The error of the ceiling comes from
        :func:`~probsense.analysis.agreement.bootstrap.split_half_bootstrap`. The division of r by the ceiling takes
        the ceiling as known, because its error is far smaller than that of r.
    """
    once = np.ones((1, people.people)), np.ones((1, people.statements))
    drawn = (
        (times_drawn(rng, people.people, some), times_drawn(rng, people.statements, some))
        for some in batches(draws, max(people.statements, people.people), REPLICATE_CELLS)
    )
    parts = [estimates(people, answers, *times) for times in chain([once], drawn)]
    models, persons = (gathered(kind) for kind in zip(*parts, strict=True))
    halves = split_half_bootstrap(people, rng, draws=draws)
    persons["ceiling"] = transformed(halves, noise_ceiling)
    models["group_r_of_ceiling"] = transformed(models["group_r"], lambda r: r / noise_ceiling(halves.value))
    return TwoWay(models, persons)


def statement_bootstrap(
    q1: Floats, q2: Floats, key: Floats, rng: np.random.Generator, *, draws: int = DRAWS
) -> dict[str, Replicates]:
    """Draw statements alone, for data that have the majority of people but not what each person said.

    Parameters
    ----------
    q1, q2, key
        As for :func:`~probsense.analysis.agreement.models.individual_scores`.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    dict of str to Replicates, shape (models,)
        "consensus", "awareness" and "commonsensicality".
    """
    drawn = times_in_parts(rng, len(key), draws)
    return gathered([_named(individual_scores(q1, q2, key, times)) for times in drawn])


_Values = dict[str, Floats]


def estimates(
    people: People, answers: ModelAnswers, persons: Floats, statements: Floats
) -> tuple[_Values, _Values]:
    """Compute the estimates of :class:`TwoWay` that need no halves, if persons and statements come several times.

    Parameters
    ----------
    people : People
    answers : ModelAnswers
    persons : ndarray, shape (draws, people)
        How often each person comes.
    statements : ndarray, shape (draws, statements)

    Returns
    -------
    dict of str to ndarray, shape (draws, models)
    dict of str to ndarray, shape (draws,)
    """
    everyone = (stacked(people) @ persons.T).T.copy()
    # If no rater of a statement was drawn, its shares are NaN and the statement does not count.
    weights = statements * counted(people)
    first, second = shares(everyone)
    individuals = individual_scores(answers.q1, answers.q2, majority(first), weights)
    within = population_scores(first, second)
    wins = [
        _wins(people, answers, everyone[d].reshape(4, -1), persons[d], weights[d], score)
        for d, score in enumerate(individuals.commonsensicality)
    ]
    squared = unbiased_consensus(within.consensus, np.split(everyone, 4, axis=1)[1])
    return {
        **_named(individuals),
        "win_rate": np.stack([rate for rate, _, _ in wins]),
        "percentile": np.stack([place for _, place, _ in wins]),
        "group_r": cross_correlations(
            within.commonsensicality, population_scores(answers.p1, answers.p2).commonsensicality, weights
        ),
    }, {
        **{name: mean_known(value, weights) for name, value in _named(within).items()},
        "consensus_squared": mean_known(squared, weights),
        "person_score": np.array([mean for _, _, mean in wins]),
    }


def _named(scores: Scores) -> dict[str, Floats]:
    return {name: getattr(scores, name) for name in ("consensus", "awareness", "commonsensicality")}


def _wins(
    people: People, answers: ModelAnswers, sums: Floats, persons: Floats, statements: Floats, scores: Floats
) -> tuple[Floats, Floats, float]:
    """Compute win rates and percentiles of models, and the mean score of people, in one draw."""
    drawn = people.where((persons[people.person] > 0) & (statements[people.statement] > 0))
    votes, weight = persons[drawn.person], statements[drawn.statement]
    yes, asked = sums[0, drawn.statement], sums[1, drawn.statement]
    key = majority(ratio(yes - votes * drawn.yes1, asked - votes * drawn.asked1))
    own = scores_of_persons(drawn, key, weight).commonsensicality
    models = scores_in_place_of_persons(
        drawn, answers.q1, answers.q2, key, weight * drawn.asked1, weight * drawn.asked2
    ).commonsensicality
    return (
        share_beaten(models, own, persons),
        share_beaten(scores[None], own, persons),
        float(mean_known(own, persons)),
    )
