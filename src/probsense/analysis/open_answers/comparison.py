"""Compares a model, other people, and answers to other questions with the same half of the people.

All are compared at the same number of answers, so that their number cannot pass for their quality. A part of the
answers, drawn with equal probabilities, has the same expectation as if only that many answers had been collected. The
mean of a statistic over many parts is therefore an unbiased estimate for that number of answers (rarefaction: Sanders
1968, Hurlbert 1971).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import divergence
from probsense.analysis.distributions.divergence import laplace
from probsense.analysis.inference.resampling import redrawn_counts, times_drawn
from probsense.analysis.open_answers.gold import Gold, at_once, mean_over
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats

DIVERGENCES: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "kl": divergence.kl,
    "js": divergence.js,
    "total_variation": divergence.total_variation,
    "hellinger": divergence.hellinger,
}
Places: TypeAlias = NDArray[np.int64]

SINGLE: Final = 5_000
"""Up to so many answers, each is drawn by itself; of more, how many of each string. Both have the same distribution."""

OTHERS = {"people": "split_half", "unrelated": "unrelated"}
"""Names of the divergences of the parties in the model's place."""


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
    gold: Gold,
    model: GivenAnswers,
    unrelated: GivenAnswers,
    streams: Mapping[str, np.random.Generator],
    settings: ComparisonSettings,
) -> tuple[dict[str, float], dict[str, Floats]]:
    """Compute the divergences of a model, of other people and of unrelated answers from half of the people.

    Parameters
    ----------
    gold : Gold
    model, unrelated : GivenAnswers
        The unrelated answers may be empty.
    streams : Mapping of str to numpy.random.Generator
        "people" and "unrelated", which are the same for every model, and "model".
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
    among = _Parties(gold, parties, streams, settings)
    value = among.divergences(settings.splits, {})
    times = {
        name: np.repeat(
            draw_times(parties[name].given, settings.draws, streams[name]), settings.repeats, axis=0
        )
        for name in ("people", "model")
    }
    repeated = among.divergences(settings.draws * settings.repeats, times)
    return (
        {name: float(found.mean()) for name, found in value.items()},
        {name: _means(found.reshape(-1, settings.repeats)) for name, found in repeated.items()},
    )


def _means(repeated: Floats) -> Floats:
    """Average each row, and shrink the means towards their common mean until the rows' own noise does not widen their
    spread.
    """
    means, repeats = repeated.mean(axis=1), repeated.shape[1]
    noise, spread = repeated.var(axis=1, ddof=1).mean() / repeats, means.var(ddof=1)
    kept = max(1 - noise / spread, 0.0) if spread > 0 else 0.0
    return np.asarray(means.mean() + (means - means.mean()) * np.sqrt(kept))


@dataclass(frozen=True, slots=True, eq=False)
class _Parties:
    """Hold whose answers are compared with half of the people's, how these are drawn, and how compared."""

    gold: Gold
    answers: Mapping[str, GivenAnswers]
    streams: Mapping[str, np.random.Generator]
    settings: ComparisonSettings

    def divergences(self, draws: int, times: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return one value for each draw, where people's and the model's answers come so many ``times``, or once."""
        step = at_once(max(own.similarity[0].size for own in self.answers.values()))
        parts = []
        for start in range(0, draws, step):
            some = min(step, draws - start)
            rows = {name: own[start : start + some] for name, own in times.items()}
            parts.append(self._by_clusters(*self._draw(some, rows)))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _draw(self, draws: int, times: Mapping[str, Floats]) -> tuple[Floats, dict[str, Floats]]:
        """Draw a half of the people, and the same number of answers of each party; people's come from the other half.

        Returns
        -------
        ndarray, shape (draws, G)
            How often the half has each string of people.
        dict of str to ndarray
            How often the answers of each party have each of its strings.
        """
        strings = {name: own.similarity.shape[1] for name, own in self.answers.items()}
        given = {name: own.given for name, own in self.answers.items()}
        half, answers = numbers(len(given["people"]), len(given["model"]), self.settings)

        def parts(name: str, *sizes: int) -> list[Floats]:
            return draw_parts(given[name], sizes, draws, times.get(name), strings[name], self.streams[name])

        first, others = parts("people", half, answers)
        (own,) = parts("model", answers)
        found = {"model": own, "people": others}
        if "unrelated" in given:
            picks = self.streams["unrelated"].integers(len(given["unrelated"]), size=(draws, answers))
            once = np.ones(picks.shape)
            found["unrelated"] = counted(given["unrelated"][picks], once, strings["unrelated"])
        return first, found

    def _by_clusters(self, half: Floats, others: Mapping[str, Floats]) -> dict[str, Floats]:
        """Compare each party with the half, over the clusters of each view."""
        gold, settings = self.gold, self.settings
        # A string that a cluster lists but nobody gave belongs to neither half, so it is always present.
        present = (half > 0) | (gold.counts == 0)
        found: dict[str, list[Floats]] = {}
        for view in gold.views:
            p = laplace(half @ view.people(), settings.smoothing)
            for name, own in others.items():
                alike = self.answers[name].similarity[view.similarity]
                q = laplace(view.sums(own, alike, present, settings), settings.smoothing)
                if name == "model":
                    for measure, distance in DIVERGENCES.items():
                        found.setdefault(measure, []).append(distance(p, q))
                else:
                    found.setdefault(OTHERS[name], []).append(DIVERGENCES[settings.divergence](p, q))
        return {name: mean_over(gold.views, values) for name, values in found.items()}


def counted(given: Places, weights: Floats, strings: int) -> Floats:
    """Count how often each string is among some answers.

    Parameters
    ----------
    given : ndarray of int, shape (draws, answers)
        Index of the string of each answer.
    weights : ndarray, shape (draws, answers)
        How often each answer counts.
    strings : int
        Number of strings.

    Returns
    -------
    ndarray, shape (draws, strings)
    """
    draws = len(given)
    place = given + strings * np.arange(draws)[:, None]
    sums = np.bincount(place.ravel(), weights.ravel(), draws * strings)
    return sums.astype(np.float64).reshape(draws, strings)


def instances(counts: NDArray[np.int64]) -> Places:
    """Return each answer that was given, as the index of its string, shape (sum of counts,)."""
    return np.repeat(np.arange(len(counts)), counts)


def draw_times(given: Places, draws: int, rng: np.random.Generator) -> Floats:
    """Draw as many answers as there are, with replacement, and count how often each comes.

    Parameters
    ----------
    given : ndarray of int, shape (answers,)
        Index of the string of each answer.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, answers), or (draws, strings) of more than :data:`SINGLE` answers
    """
    if len(given) <= SINGLE:
        return times_drawn(rng, len(given), draws)
    return redrawn_counts(rng, np.bincount(given), draws).astype(np.float64)


def draw_parts(
    given: Places,
    sizes: Sequence[int],
    draws: int,
    times: Floats | None,
    strings: int,
    rng: np.random.Generator,
) -> list[Floats]:
    """Draw parts of the answers, without replacement and apart from one another, and count their strings.

    Parameters
    ----------
    given : ndarray of int, shape (answers,)
        Index of the string of each answer.
    sizes : sequence of int
        The number of answers in each part.
    draws : int
    times : ndarray, as :func:`draw_times` returns it, or None
        The weights of the answers; 1 if None. Where all answers of a part have the weight 0, each counts once.
    strings : int
        Number of strings.
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray, shape (draws, strings)
        For each part how often it has each string; rows sum to its size.
    """
    if len(given) > SINGLE:
        return [*_parts_of_counts(np.bincount(given), sizes, draws, times, strings, rng)]
    order = np.argsort(rng.random((draws, len(given))), axis=1)
    weights = np.ones((draws, len(given))) if times is None else times
    starts = np.cumsum([0, *sizes])
    picks = [order[:, start : start + size] for start, size in zip(starts, sizes, strict=False)]
    return [
        counted(given[own], _scaled(np.take_along_axis(weights, own, axis=1), np.ones(own.shape)), strings)
        for own in picks
    ]


def _parts_of_counts(
    counts: NDArray[np.int64],
    sizes: Sequence[int],
    draws: int,
    times: Floats | None,
    strings: int,
    rng: np.random.Generator,
) -> Iterator[Floats]:
    """Draw the counts of strings in each part: hypergeometric; and the times of its answers: binomial, given those of
    all answers of the string.
    """
    left = np.tile(counts, (draws, 1))
    times_left = None if times is None else times.astype(np.int64)
    for size in sizes:
        part = np.stack([rng.multivariate_hypergeometric(row, size) for row in left])
        weights = part
        if times_left is not None:
            weights = rng.binomial(times_left, part / np.maximum(left, 1))
            times_left -= weights
        left -= part
        yield np.pad(_scaled(weights, part), ((0, 0), (0, strings - len(counts))))


def _scaled(weights: NDArray[Any], once: NDArray[Any]) -> Floats:
    """Scale the weights of each row to the sum of ``once``, which takes their place where all are 0."""
    some = np.where(weights.any(axis=1, keepdims=True), weights, once)
    return np.asarray(some * (once.sum(axis=1, keepdims=True) / some.sum(axis=1, keepdims=True)))
