"""Defines categories in which two distributions of answers are compared, and spreads answers over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.matching import membership
from probsense.analysis.open_answers.questions import Floats

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

    def assign(
        self, similarity: Floats, present: NDArray[np.bool_], floor: float, temperature: float
    ) -> Floats:
        """Spread answers over the clusters and "wrong", by a softmax of their highest similarity to each.

        Parameters
        ----------
        similarity : ndarray, shape (X, G)
            Similarities from −1 to 1.
        present : ndarray of bool, shape (draws, G)
            Strings of people that may be matched in each draw.
        floor : float
            Similarity at which a match is as likely as none: the score of "wrong".
        temperature : float
            Difference of similarity that makes one e times as likely as the other.

        Returns
        -------
        ndarray, shape (draws, X, K + 1)
            Assignment; 0 for a cluster without a present string.
        """
        sharp = self._sharp(similarity, present, floor, temperature)
        return sharp if self.blur is None else np.asarray(sharp @ self.blur)

    def _sharp(
        self, similarity: Floats, present: NDArray[np.bool_], floor: float, temperature: float
    ) -> Floats:
        """Assign without blur."""
        clusters, columns = np.nonzero(self.members.T)
        kinds, starts = np.unique(clusters, return_index=True)
        # The exponential is monotonic, so it can be computed once, before the maximum over present strings.
        odds = np.exp((similarity.T[columns] - floor) / temperature)
        weights = np.zeros((self.members.shape[1] + 1, len(present), len(similarity)))
        weights[-1] = 1
        if len(columns):
            there = odds[:, None, :] * present.T[columns, :, None]
            weights[kinds] = np.maximum.reduceat(there, starts, axis=0)
        weights /= weights.sum(axis=0)
        return np.moveaxis(weights, 0, 2)

    def sums(
        self,
        counts: Floats,
        similarity: Floats,
        present: NDArray[np.bool_],
        floor: float,
        temperature: float,
    ) -> Floats:
        """Count answers in the clusters and "wrong", each spread as by :meth:`assign`.

        Parameters
        ----------
        counts : ndarray, shape (draws, X)
            How often each answer was given.
        similarity, present, floor, temperature
            As for :meth:`assign`.

        Returns
        -------
        ndarray, shape (draws, K + 1)
        """
        if (self.members.sum(axis=0) == 1).all():
            # No maximum is needed over one string, so that products of matrices do it, several times as fast.
            columns = np.nonzero(self.members.T)[1]
            odds, there = np.exp((similarity[:, columns] - floor) / temperature), present[:, columns]
            wrong = counts / (1 + there @ odds.T)
            found = np.column_stack([wrong @ odds * there, wrong.sum(axis=1)])
        else:
            found = np.einsum("dx,dxk->dk", counts, self._sharp(similarity, present, floor, temperature))
        return found if self.blur is None else np.asarray(found @ self.blur)


def at_once(similarities: int) -> int:
    """Return how many draws to assign together, given the number of similarities that each of them takes."""
    return max(CELLS // max(similarities, 1), 1)


def mean_over(views: Sequence[View], values: Sequence[Floats]) -> Floats:
    """Average an array for each view with the weights of the views."""
    return np.asarray(np.average(values, axis=0, weights=[view.weight for view in views]))


def partition_views(partitions: Sequence[NDArray[np.int64] | NDArray[np.bool_]]) -> tuple[View, ...]:
    """Make a view of each partition of people's strings, given as in
    :func:`~probsense.analysis.open_answers.matching.membership`."""
    return tuple(View(membership(labels)) for labels in partitions)


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
