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
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats
from probsense.analysis.open_answers.rarefaction import counted, draw_parts, draw_times, instances

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
    if len(means) < 2 or repeats < 2:
        return np.asarray(means)
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
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}

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
