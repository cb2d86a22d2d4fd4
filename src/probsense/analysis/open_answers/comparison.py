"""Compares a model, other people, and answers to other questions with the same half of the people.

All are compared at the same number of answers (:mod:`rarefaction`), so that their number cannot pass for their quality.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions import divergence
from probsense.analysis.distributions.divergence import laplace
from probsense.analysis.open_answers.gold import Gold, at_once, mean_over
from probsense.analysis.open_answers.questions import Floats
from probsense.analysis.open_answers.rarefaction import counted, draw_parts, draw_times, instances
from probsense.analysis.open_answers.settings import ComparisonSettings

DIVERGENCES: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "kl": divergence.kl,
    "js": divergence.js,
    "total_variation": divergence.total_variation,
    "hellinger": divergence.hellinger,
}
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
    drawn = {"model": model, "people": people}
    parties = drawn | ({"unrelated": unrelated} if len(unrelated.given) else {})
    step = at_once(max(own.similarity[0].size for own in parties.values()))

    def divergences(draws: int, times: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return one value for each draw, where people's and the model's answers come so many ``times``, or once."""
        parts = []
        for start in range(0, draws, step):
            some = min(step, draws - start)
            rows = {name: own[start : start + some] for name, own in times.items()}
            half, others = _draw(gold, parties, some, rows, streams, settings)
            parts.append(_by_clusters(gold, parties, half, others, settings))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}

    value = divergences(settings.splits, {})
    times = {
        name: np.repeat(draw_times(own.given, settings.draws, streams[name]), settings.repeats, axis=0)
        for name, own in (("people", people), ("model", model))
    }
    repeated = divergences(settings.draws * settings.repeats, times)
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
    gold: Gold,
    parties: Mapping[str, GivenAnswers],
    draws: int,
    times: Mapping[str, Floats],
    streams: Mapping[str, np.random.Generator],
    settings: ComparisonSettings,
) -> tuple[Floats, dict[str, Floats]]:
    """Draw a half of the people, and the same number of answers of each party; people's come from the other half.

    Returns
    -------
    ndarray, shape (draws, G)
        How often the half has each string of people.
    dict of str to ndarray
        How often the answers of each party have each of its strings.
    """
    strings = {name: own.similarity.shape[1] for name, own in parties.items()}
    people, model = parties["people"].given, parties["model"].given
    half, answers = numbers(len(people), len(model), settings)
    sizes, many = (half, answers), len(gold.strings)
    first, others = draw_parts(people, sizes, draws, times.get("people"), many, streams["people"])
    (own,) = draw_parts(model, (answers,), draws, times.get("model"), strings["model"], streams["model"])
    found = {"model": own, "people": others}
    if "unrelated" in parties:
        given = parties["unrelated"].given
        picks = streams["unrelated"].integers(len(given), size=(draws, answers))
        found["unrelated"] = counted(given[picks], np.ones(picks.shape), strings["unrelated"])
    return first, found


def _by_clusters(
    gold: Gold,
    parties: Mapping[str, GivenAnswers],
    half: Floats,
    others: Mapping[str, Floats],
    settings: ComparisonSettings,
) -> dict[str, Floats]:
    # A string that a cluster lists but nobody gave belongs to neither half, so it is always present.
    present = (half > 0) | (gold.counts == 0)
    found: dict[str, list[Floats]] = {}
    for view in gold.views:
        p = laplace(half @ view.people(), settings.smoothing)
        for name, own in others.items():
            alike = parties[name].similarity[view.similarity]
            sums = view.sums(own, alike, present, settings)
            q = laplace(sums, settings.smoothing)
            if name == "model":
                for measure, distance in DIVERGENCES.items():
                    found.setdefault(measure, []).append(distance(p, q))
            else:
                found.setdefault(OTHERS[name], []).append(DIVERGENCES[settings.divergence](p, q))
    return {name: mean_over(gold.views, values) for name, values in found.items()}
