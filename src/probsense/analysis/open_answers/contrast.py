"""Removes from the similarity of answers to one question what all answers to it have in common."""

from __future__ import annotations

import numpy as np

from probsense.analysis.open_answers.questions import Floats

SMALLEST = 1e-9
"""Squared length below which a string is similar to nothing."""


def contrasted(similarity: Floats, gold: Floats, strength: float) -> tuple[Floats, Floats]:
    """Compute the cosine after a part of the mean of people's answers is subtracted from every vector.

    Answers to one question resemble each other by its subject alone: all vegetables are similar, although people may
    distinguish them. With vectors x and the mean m of the G strings of people, the result is the cosine of x − c m and
    y − c m. It follows from similarities alone, like the centred kernel of kernel PCA (Schölkopf et al. 1998), so
    similarities without vectors can use it, too. A mean of few strings is close to each of them; therefore
    c = strength · (1 − 1/G).

    Parameters
    ----------
    similarity : ndarray, shape (U, G)
        Similarity of answers and people's strings, 1 for equal ones.
    gold : ndarray, shape (G, G)
        Similarity of people's strings.
    strength : float
        From 0, which changes nothing, to below 1.

    Returns
    -------
    tuple of ndarray
        Both similarities after the subtraction: at most 1, and below 0 where strings are less similar than an average
        pair of answers.
    """
    part = strength * (1 - 1 / max(len(gold), 1))
    common = gold.mean() if gold.size else 0.0
    of_gold, of_answers = gold.mean(axis=1), similarity.mean(axis=1)
    length = np.sqrt(np.maximum(np.diag(gold) - 2 * part * of_gold + part**2 * common, SMALLEST))
    others = np.sqrt(np.maximum(1 - 2 * part * of_answers + part**2 * common, SMALLEST))

    def moved(raw: Floats, rows: Floats, lengths: Floats) -> Floats:
        inner = raw - part * rows[:, None] - part * of_gold + part**2 * common
        return np.asarray(np.minimum(inner / (lengths[:, None] * length), 1.0))

    return moved(similarity, of_answers, others), moved(gold, of_gold, length)
