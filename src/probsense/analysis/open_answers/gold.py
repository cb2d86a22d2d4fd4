"""Prepares people's answers for a comparison: strings, their similarities, and the clusters over which answers
spread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.resampling import redrawn_counts
from probsense.analysis.open_answers.clusters import best_partition, cluster_members, membership, partitions
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats, Question, Similarity
from probsense.analysis.open_answers.similarity import Similarities, contrasted

CELLS = 1 << 20
"""Number of similarities that are in memory at the same time."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Hold clusters of people's strings, sharp or blurred.

    Attributes
    ----------
    members : ndarray of bool, shape (G, K)
        Membership of people's strings in clusters.
    blur : ndarray, shape (K + 1, K + 1), optional
        Weights that spread the mass of one category over similar ones; rows sum to 1.
    similarity : int
        Index of the similarity by which answers are assigned, where there are several.
    weight : float
        Weight in a mean over views.
    """

    members: NDArray[np.bool_]
    blur: Floats | None = None
    similarity: int = 0
    weight: float = 1.0

    def people(self) -> Floats:
        """Assign people's own strings, shape (G, K + 1): a string in several clusters is shared evenly, and a string
        in none is wrong.
        """
        inside = self.members.sum(axis=1, keepdims=True)
        sharp = np.column_stack([self.members / np.maximum(inside, 1), inside == 0])
        return sharp if self.blur is None else sharp @ self.blur

    def assign(self, similarity: Floats, present: NDArray[np.bool_], settings: ComparisonSettings) -> Floats:
        """Spread answers over the clusters and "wrong", by a softmax of their highest similarity to each.

        Parameters
        ----------
        similarity : ndarray, shape (X, G)
            Similarities from −1 to 1.
        present : ndarray of bool, shape (draws, G)
            Strings of people that may be matched in each draw.
        settings : ComparisonSettings
            Its floor is the score of "wrong".

        Returns
        -------
        ndarray, shape (draws, X, K + 1)
            Assignment; 0 for a cluster without a present string.
        """
        sharp = self._sharp(similarity, present, settings)
        return sharp if self.blur is None else np.asarray(sharp @ self.blur)

    def _sharp(self, similarity: Floats, present: NDArray[np.bool_], settings: ComparisonSettings) -> Floats:
        """Assign without blur."""
        clusters, columns = np.nonzero(self.members.T)
        kinds, starts = np.unique(clusters, return_index=True)
        # The exponential is monotonic, so it can be computed once, before the maximum over present strings.
        odds = np.exp((similarity.T[columns] - settings.floor) / settings.temperature)
        weights = np.zeros((self.members.shape[1] + 1, len(present), len(similarity)))
        weights[-1] = 1
        if len(columns):
            there = odds[:, None, :] * present.T[columns, :, None]
            weights[kinds] = np.maximum.reduceat(there, starts, axis=0)
        weights /= weights.sum(axis=0)
        return np.moveaxis(weights, 0, 2)

    def sums(
        self, counts: Floats, similarity: Floats, present: NDArray[np.bool_], settings: ComparisonSettings
    ) -> Floats:
        """Count answers in the clusters and "wrong", each spread as by :meth:`assign`.

        Parameters
        ----------
        counts : ndarray, shape (draws, X)
            How often each answer was given.
        similarity, present, settings
            As for :meth:`assign`.

        Returns
        -------
        ndarray, shape (draws, K + 1)
        """
        if (self.members.sum(axis=0) == 1).all():
            # No maximum is needed over one string, so that products of matrices do it, several times as fast.
            columns = np.nonzero(self.members.T)[1]
            odds = np.exp((similarity[:, columns] - settings.floor) / settings.temperature)
            there = present[:, columns]
            wrong = counts / (1 + there @ odds.T)
            found = np.column_stack([wrong @ odds * there, wrong.sum(axis=1)])
        else:
            found = np.einsum("dx,dxk->dk", counts, self._sharp(similarity, present, settings))
        return found if self.blur is None else np.asarray(found @ self.blur)


def at_once(similarities: int) -> int:
    """Return how many draws to assign together, given the number of similarities that each of them takes."""
    return max(CELLS // max(similarities, 1), 1)


def mean_over(views: Sequence[View], values: Sequence[Floats]) -> Floats:
    """Average an array for each view with the weights of the views."""
    return np.asarray(np.average(values, axis=0, weights=[view.weight for view in views]))


def kernel_view(similarity: Floats, bandwidth: float, cut: float) -> View:
    """Make a view without clusters: each string of people is a category, blurred over similar strings.

    Strings that are more similar than ``cut`` have the weight exp(similarity/bandwidth), normalised for each string;
    "wrong" is not blurred.

    Parameters
    ----------
    similarity : ndarray, shape (G, G)
        Similarities of people's strings.
    bandwidth, cut : float
    """
    strings = len(similarity)
    blur = np.eye(strings + 1)
    near = np.where(similarity > cut, np.exp((similarity - 1) / bandwidth), 0.0)
    np.fill_diagonal(near, 1.0)
    blur[:strings, :strings] = near / near.sum(axis=1, keepdims=True)
    return View(np.eye(strings, dtype=np.bool_), blur)


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

    @property
    def everyone(self) -> NDArray[np.bool_]:
        """All strings as present ones, shape (1, G)."""
        return np.ones((1, len(self.strings)), dtype=np.bool_)

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
        parts = []
        for start in range(0, len(present), step):
            rows = present[start : start + step]
            parts.append(
                mean_over(first, [view.assign(similarity, rows, settings)[:, :, -1] for view in first])
            )
        return np.concatenate(parts)


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
        view = View(cluster_members(strings, question.clusters))
        names = (*(cluster.id for cluster in question.clusters), WRONG)
        return Gold(strings, counts, similarities, raw, (view,), view, names)
    means = similarities.contrasted(raw, raw)[1]
    views: list[View] = []
    for index, alike in enumerate(means):
        cut = [] if settings.clusters == "none" else partitions(alike, settings.sizes)
        own = [View(membership(labels), weight=1 / len(cut)) for labels in cut]
        if similarities.kernel or not cut:
            own.append(kernel_view(alike, settings.bandwidth, settings.cut))
        views += (replace(view, similarity=index) for view in own)
    shown = View(membership(best_partition(means[0])))
    names = tuple(strings[int(np.where(member, counts, -1).argmax())] for member in shown.members.T)
    return Gold(strings, counts, similarities, raw, tuple(views), shown, (*names, WRONG))
