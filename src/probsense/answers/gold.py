"""Gathers what the evaluator needs of people's answers: strings, their similarities, and their clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.answers.contrast import contrasted
from probsense.answers.partitions import best_partition, partitions
from probsense.answers.questions import Floats, Question, Similarity
from probsense.answers.settings import ComparisonSettings
from probsense.answers.views import View, at_once, kernel_view, partition_views
from probsense.stats.resampling import redrawn_counts

WRONG = "wrong"
"""Name of the category of answers that belong to no cluster."""


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """Hold people's answers to a question.

    Attributes
    ----------
    strings : tuple of str
        G different strings.
    counts : ndarray of int, shape (G,)
        Number of answers of each string; 0 for a string that a cluster lists but nobody gave.
    similarity : ndarray, shape (G, G)
    views : tuple of View
        Views over which every comparison is a mean.
    shown : View
        View for display: the clusters of one of them, or the automatic clusters that fit best.
    names : tuple of str
        Names of the clusters for display, "wrong" last.
    """

    strings: tuple[str, ...]
    counts: NDArray[np.int64]
    similarity: Floats
    views: tuple[View, ...]
    shown: View
    names: tuple[str, ...]

    def contrasted(self, similarity: Floats, settings: ComparisonSettings) -> Floats:
        """Return contrasted similarities of other strings to these, shape (X, G)."""
        return contrasted(similarity, self.similarity, settings.contrast)[0]

    def present(self, rng: np.random.Generator, draws: int) -> NDArray[np.bool_]:
        """Tell which strings are present, shape (draws, G), after a draw of all answers with replacement."""
        redrawn = redrawn_counts(rng, self.counts, draws)
        return np.asarray((redrawn > 0) | (self.counts == 0))

    def unmatched(
        self, similarity: Floats, present: NDArray[np.bool_], settings: ComparisonSettings
    ) -> Floats:
        """Compute how likely each string belongs to no cluster.

        Parameters
        ----------
        similarity : ndarray, shape (X, G)
            Contrasted similarities.
        present : ndarray of bool, shape (draws, G)
            Strings of people that may be matched.
        settings : ComparisonSettings

        Returns
        -------
        ndarray, shape (draws, X)
        """
        step = at_once(similarity.size)
        parts = [
            np.mean(
                [
                    view.assign(similarity, rows, settings.floor, settings.temperature)[:, :, -1]
                    for view in self.views
                ],
                axis=0,
            )
            for rows in (present[start : start + step] for start in range(0, len(present), step))
        ]
        return np.concatenate([np.zeros((0, len(similarity))), *parts])


def gold(question: Question, similarity: Similarity, settings: ComparisonSettings) -> Gold:
    """Gather people's answers to a question.

    Parameters
    ----------
    question : Question
        If its clusters are used, people's answers outside them are left out.
    similarity : Similarity
    settings : ComparisonSettings
    """
    grouped = settings.clusters == "people" and bool(question.clusters)
    given = [answer for answer, count in question.raw.items() if count]
    if grouped:
        given = [answer for cluster in question.clusters for answer in cluster.answers]
    strings = tuple(dict.fromkeys(given))
    counts = np.array([question.raw.get(string, 0) for string in strings], dtype=np.int64)
    raw = similarity(strings, strings)
    if grouped:
        place = {string: g for g, string in enumerate(strings)}
        members = np.zeros((len(strings), len(question.clusters)), dtype=np.bool_)
        for k, cluster in enumerate(question.clusters):
            members[[place[answer] for answer in cluster.answers], k] = True
        view = View(members)
        names = (*(cluster.id for cluster in question.clusters), WRONG)
        return Gold(strings, counts, raw, (view,), view, names)
    alike = contrasted(raw, raw, settings.contrast)[1]
    if settings.clusters == "none":
        views: tuple[View, ...] = (kernel_view(alike, settings.bandwidth, settings.cut),)
    else:
        views = partition_views(partitions(alike, settings.sizes))
    (shown,) = partition_views([best_partition(alike)])
    names = tuple(strings[int(np.where(member, counts, -1).argmax())] for member in shown.members.T)
    return Gold(strings, counts, raw, views, shown, (*names, WRONG))
