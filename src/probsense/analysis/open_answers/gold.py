"""Gathers what the evaluator needs of people's answers: strings, their similarities, and their clusters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.resampling import redrawn_counts
from probsense.analysis.open_answers.contrast import contrasted
from probsense.analysis.open_answers.partitions import best_partition, partitions
from probsense.analysis.open_answers.questions import Floats, Question, Similarity
from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.analysis.open_answers.similarities import Similarities
from probsense.analysis.open_answers.views import View, at_once, kernel_view, mean_over, partition_views

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
    similarities : Similarities
        S similarities, and V means of them by which answers are compared.
    similarity : ndarray, shape (S, G, G)
        Similarities of the strings as they are.
    views : tuple of View
        Views over which every comparison is a mean, with their weights.
    shown : View
        View for display, by the first mean: the clusters made by people, or the automatic clusters that fit best.
    names : tuple of str
        Names of the clusters for display, "wrong" last.
    """

    strings: tuple[str, ...]
    counts: NDArray[np.int64]
    similarities: Similarities
    similarity: Floats
    views: tuple[View, ...]
    shown: View
    names: tuple[str, ...]

    def alike(self, strings: Sequence[str]) -> Floats:
        """Return the similarities of other strings to these as they are, shape (S, X, G)."""
        return self.similarities.raw(strings, self.strings)

    def contrasted(self, similarity: Floats) -> Floats:
        """Return the means of contrasted similarities of other strings to these, shape (V, X, G)."""
        return self.similarities.contrasted(similarity, self.similarity)[0]

    def alike_at_first(self, strings: Sequence[str]) -> Floats:
        """Return the first of :meth:`contrasted` without computing the others, shape (X, G)."""
        raw = self.similarities.sources[0](strings, self.strings)
        return contrasted(raw, self.similarity[0], self.similarities.contrasts[0])[0]

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
            Contrasted similarities, the first of them.
        present : ndarray of bool, shape (draws, G)
            Strings of people that may be matched.
        settings : ComparisonSettings

        Returns
        -------
        ndarray, shape (draws, X)
        """
        first = [view for view in self.views if view.similarity == 0]
        step = at_once(similarity.size)
        parts = [
            mean_over(
                first,
                [
                    view.assign(similarity, rows, settings.floor, settings.temperature)[:, :, -1]
                    for view in first
                ],
            )
            for rows in (present[start : start + step] for start in range(0, len(present), step))
        ]
        return np.concatenate([np.zeros((0, len(similarity))), *parts])


def gold(
    question: Question,
    similarity: Similarity,
    settings: ComparisonSettings,
    several: Callable[[Question], Similarities] | None = None,
) -> Gold:
    """Gather people's answers to a question.

    Parameters
    ----------
    question : Question
        If its clusters are used, people's answers outside them are left out.
    similarity : Similarity
    settings : ComparisonSettings
    several : callable, optional
        Returns the similarities of a question that has automatic clusters; without it, there is the one above.
    """
    grouped = settings.clusters == "people" and bool(question.clusters)
    given = [answer for answer, count in question.raw.items() if count]
    if grouped:
        given = [answer for cluster in question.clusters for answer in cluster.answers]
    strings = tuple(dict.fromkeys(given))
    counts = np.array([question.raw.get(string, 0) for string in strings], dtype=np.int64)
    similarities = Similarities((similarity,), (settings.contrast,))
    if several is not None and not grouped and settings.clusters != "none":
        similarities = several(question)
    raw = similarities.raw(strings, strings)
    if grouped:
        place = {string: g for g, string in enumerate(strings)}
        members = np.zeros((len(strings), len(question.clusters)), dtype=np.bool_)
        for k, cluster in enumerate(question.clusters):
            members[[place[answer] for answer in cluster.answers], k] = True
        view = View(members)
        names = (*(cluster.id for cluster in question.clusters), WRONG)
        return Gold(strings, counts, similarities, raw, (view,), view, names)
    means = similarities.contrasted(raw, raw)[1]
    views: list[View] = []
    for index, alike in enumerate(means):
        cut = [] if settings.clusters == "none" else partitions(alike, settings.sizes)
        own = [replace(view, weight=1 / len(cut)) for view in partition_views(cut)]
        if similarities.kernel or not cut:
            own.append(kernel_view(alike, settings.bandwidth, settings.cut))
        views += (replace(view, similarity=index) for view in own)
    (shown,) = partition_views([best_partition(means[0])])
    names = tuple(strings[int(np.where(member, counts, -1).argmax())] for member in shown.members.T)
    return Gold(strings, counts, similarities, raw, tuple(views), shown, (*names, WRONG))
