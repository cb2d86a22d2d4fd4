"""Compares a model, other people, and answers to other questions with the same half of the people.

All are compared at the same number of answers, so that their number cannot pass for their quality. A part of the
answers, drawn with equal probabilities, has the same expectation as if only that many answers had been collected. The
mean of a statistic over many parts is therefore an unbiased estimate for that number of answers (rarefaction:
Sanders 1968, Hurlbert 1971).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import divergence
from probsense.analysis.inference.resampling import times_drawn
from probsense.analysis.open_answers.gold import Gold, at_once, mean_over
from probsense.analysis.open_answers.probeval import laplace
from probsense.analysis.open_answers.questions import Floats
from probsense.analysis.open_answers.settings import ComparisonSettings

Places = NDArray[np.int64]


class RarefiedSample(NamedTuple):
    """Hold the same number n of answers in each of several draws.

    Attributes
    ----------
    strings : ndarray of int, shape (draws, n)
        Index of the string of each answer.
    weights : ndarray, shape (draws, n)
        Weight of each answer; rows sum to n.
    """

    strings: Places
    weights: Floats

    def counts(self, strings: int) -> Floats:
        """Count how often each string is among the answers, shape (draws, strings)."""
        draws = len(self.strings)
        place = self.strings + strings * np.arange(draws)[:, None]
        sums = np.bincount(place.ravel(), self.weights.ravel(), draws * strings)
        return sums.astype(np.float64).reshape(draws, strings)

    def single(self, answers: int, rng: np.random.Generator) -> Places:
        """Draw whole answers, each about as often as its weight says; shape (draws, answers).

        The draw is a systematic sample (Madow & Madow 1944): even steps along the summed weights, from a random start.
        It returns the answers themselves if all weights are equal and the numbers agree.
        """
        draws, n = self.strings.shape
        steps = (np.arange(answers) + rng.random((draws, 1))) * (n / answers)
        place = (steps[:, :, None] >= np.cumsum(self.weights, axis=1)[:, None, :]).sum(axis=2)
        return np.take_along_axis(self.strings, np.minimum(place, n - 1), axis=1)


def instances(counts: NDArray[np.int64]) -> Places:
    """Return each answer that was given, as the index of its string, shape (sum of counts,)."""
    return np.repeat(np.arange(len(counts)), counts)


def shuffled(answers: int, draws: int, rng: np.random.Generator) -> Places:
    """Draw permutations of the answers, shape (draws, answers)."""
    return np.argsort(rng.random((draws, answers)), axis=1)


def weighted_sample(given: Places, picks: Places, times: Floats) -> RarefiedSample:
    """Return the picked answers with their weights.

    Parameters
    ----------
    given : ndarray of int, shape (N,)
        Index of the string of each answer.
    picks : ndarray of int, shape (draws, n)
        Indices of the picked answers.
    times : ndarray, shape (draws, N)
        Weight of each answer. If all picked answers of a draw have the weight 0, each counts once.
    """
    weights = np.take_along_axis(times, picks, axis=1)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    return RarefiedSample(given[picks], weights * (picks.shape[1] / weights.sum(axis=1, keepdims=True)))


def transport(cost: Floats, people: NDArray[np.int64], model: NDArray[np.int64]) -> float:
    """Compute the least mean cost of turning some answers into as many others, one for one.

    Between equally many answers of equal weight, the earth mover's distance is the cost of the best assignment
    (Birkhoff 1946), which the Hungarian method finds exactly and faster than a linear program.

    Parameters
    ----------
    cost : ndarray, shape (U, G)
        Cost of turning each string of the model into each string of people.
    people, model : ndarray of int, shape (n,)
        Columns (people) and rows (model) of the cost.

    Returns
    -------
    float
        Mean cost, in the unit of ``cost``.
    """
    from scipy.optimize import linear_sum_assignment

    matrix = cost[np.ix_(model, people)]
    return float(matrix[linear_sum_assignment(matrix)].mean())


DIVERGENCES: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "kl": divergence.kl,
    "js": divergence.js,
    "total_variation": divergence.total_variation,
    "hellinger": divergence.hellinger,
}
OTHERS = {"people": "split_half", "unrelated": "unrelated"}
"""Names of the divergences of the parties in the model's place."""


class Streams(NamedTuple):
    """Hold random generators: for people's answers and unrelated answers, the same for every model, and for the
    model's.
    """

    people: np.random.Generator
    unrelated: np.random.Generator
    model: np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class GivenAnswers:
    """Hold answers to one question.

    Attributes
    ----------
    similarity : ndarray, shape (V, U, G)
        Contrasted similarities of their strings to people's.
    given : ndarray of int, shape (T,)
        Index of the string of each answer.
    """

    similarity: Floats
    given: NDArray[np.int64]


def numbers(people: int, model: int, settings: ComparisonSettings) -> tuple[int, int]:
    """Return the number of answers of the gold half, and that of each party, in every comparison."""
    return people // 2, min(settings.answers, model, people - people // 2)


def compare(
    gold: Gold, model: GivenAnswers, unrelated: GivenAnswers, streams: Streams, settings: ComparisonSettings
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Compute the divergences of a model, of other people and of unrelated answers from half of the people.

    Parameters
    ----------
    gold : Gold
    model, unrelated : GivenAnswers
        The unrelated answers may be empty.
    streams : Streams
    settings : ComparisonSettings

    Returns
    -------
    tuple of dict
        Value and replicates, shape (settings.draws,), of every divergence of the model by its name, and of
        "split_half" and, if there are unrelated answers, "unrelated".
    """
    people = GivenAnswers(gold.contrasted(gold.similarity), instances(gold.counts))
    parties = {"model": model, "people": people}
    if len(unrelated.given):
        parties["unrelated"] = unrelated
    step = at_once(max(own.similarity[0].size for own in parties.values()))

    def divergences(times: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return one value for each row of weights of people's and the model's answers."""
        parts = []
        for start in range(0, len(times["model"]), step):
            rows = {name: own[start : start + step] for name, own in times.items()}
            half, others = _draw(parties, rows, streams, settings)
            parts.append(_by_clusters(gold, parties, half, others, settings))
            if settings.divergence == "emd":
                parts[-1] |= _by_transport(parties, half, others, streams)
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}

    sizes = {"people": len(people.given), "model": len(model.given)}
    value = divergences({name: np.ones((settings.splits, size)) for name, size in sizes.items()})
    weights = {
        name: times_drawn(getattr(streams, name), size, settings.draws) for name, size in sizes.items()
    }
    repeated = divergences(
        {name: np.repeat(times, settings.repeats, axis=0) for name, times in weights.items()}
    )
    return (
        {name: float(found.mean()) for name, found in value.items()},
        {name: _means(found.reshape(-1, settings.repeats)) for name, found in repeated.items()},
    )


def _means(repeated: Floats) -> Floats:
    """Average each row, and shrink the means towards their common mean until the rows' own noise does not widen their
    spread.
    """
    means, repeats = repeated.mean(axis=1), repeated.shape[1]
    if len(means) < 2 or repeats < 2:
        return np.asarray(means)
    noise, spread = repeated.var(axis=1, ddof=1).mean() / repeats, means.var(ddof=1)
    kept = max(1 - noise / spread, 0.0) if spread > 0 else 0.0
    return np.asarray(means.mean() + (means - means.mean()) * np.sqrt(kept))


def _draw(
    parties: Mapping[str, GivenAnswers],
    times: Mapping[str, Floats],
    streams: Streams,
    settings: ComparisonSettings,
) -> tuple[RarefiedSample, dict[str, RarefiedSample]]:
    """Draw a half of the people, and the same number of answers of each party; people's come from the other half."""
    people, model, draws = parties["people"].given, parties["model"].given, len(times["model"])
    half, answers = numbers(len(people), len(model), settings)
    order = shuffled(len(people), draws, streams.people)
    found = {
        "model": weighted_sample(
            model, shuffled(len(model), draws, streams.model)[:, :answers], times["model"]
        ),
        "people": weighted_sample(people, order[:, half : half + answers], times["people"]),
    }
    if "unrelated" in parties:
        given = parties["unrelated"].given
        picks = streams.unrelated.integers(len(given), size=(draws, answers))
        found["unrelated"] = weighted_sample(given, picks, np.ones((draws, len(given))))
    return weighted_sample(people, order[:, :half], times["people"]), found


def _by_clusters(
    gold: Gold,
    parties: Mapping[str, GivenAnswers],
    half: RarefiedSample,
    others: Mapping[str, RarefiedSample],
    settings: ComparisonSettings,
) -> dict[str, Floats]:
    counts = half.counts(len(gold.strings))
    # A string that a cluster lists but nobody gave belongs to neither half, so it is always present.
    present = (counts > 0) | (gold.counts == 0)
    given = {name: own.counts(parties[name].similarity.shape[1]) for name, own in others.items()}
    found: dict[str, list[Floats]] = {}
    for view in gold.views:
        p = laplace(counts @ view.people(), settings.smoothing)
        for name, own in given.items():
            alike = parties[name].similarity[view.similarity]
            sums = view.sums(own, alike, present, settings.floor, settings.temperature)
            q = laplace(sums, settings.smoothing)
            if name == "model":
                for measure, distance in DIVERGENCES.items():
                    found.setdefault(measure, []).append(distance(p, q))
            elif settings.divergence in DIVERGENCES:
                found.setdefault(OTHERS[name], []).append(DIVERGENCES[settings.divergence](p, q))
    return {name: mean_over(gold.views, values) for name, values in found.items()}


def _by_transport(
    parties: Mapping[str, GivenAnswers],
    half: RarefiedSample,
    others: Mapping[str, RarefiedSample],
    streams: Streams,
) -> dict[str, Floats]:
    answers = min(half.strings.shape[1], others["model"].strings.shape[1])
    gold = half.single(answers, streams.people)
    found = {}
    for name, own in others.items():
        cost = 1 - np.maximum(parties[name].similarity[0], 0.0)
        strings = own.single(answers, getattr(streams, name))
        pairs = zip(gold, strings, strict=True)
        found[OTHERS.get(name, "emd")] = np.array([transport(cost, *pair) for pair in pairs])
    return found
