"""Similarities that are learned from pairs of people's answers, each pair in the same cluster or in two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from probsense.analysis.open_answers.questions import Floats, Similarity
from samples import Case

Learned: TypeAlias = Callable[[Case], Similarity]
"""Makes the similarity of a case's answers from its other similarities."""


def logistic(learned_on: Sequence[Case], names: Sequence[str]) -> Learned:
    """Learn the probability that two answers belong together, by a logistic regression on similarities.

    Parameters
    ----------
    learned_on : sequence of Case
        The pairs of people's answers to these questions are the observations.
    names : sequence of str
        The similarities that are the features.
    """
    from sklearn.linear_model import LogisticRegression

    features, same = (np.concatenate(part) for part in zip(*_pairs(learned_on, names), strict=True))
    fitted = LogisticRegression(max_iter=1000).fit(features, same)

    def of(case: Case) -> Similarity:
        def probability(a: Sequence[str], b: Sequence[str]) -> Floats:
            logits = np.stack([case.alike[name](a, b) for name in names], axis=-1) @ fitted.coef_[0]
            return np.asarray(1 / (1 + np.exp(-logits - fitted.intercept_[0])))

        return probability

    return of


def above(learned_on: Sequence[Case], name: str) -> Learned:
    """Learn the threshold with the best F1 score on the pairs, and return 1 above it, else 0.

    Parameters
    ----------
    learned_on : sequence of Case
        As for :func:`logistic`.
    name : str
        The similarity.
    """
    features, same = (np.concatenate(part) for part in zip(*_pairs(learned_on, [name]), strict=True))
    order = np.argsort(-features[:, 0])
    hits = np.cumsum(same[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + same.sum())
    threshold = features[order[int(f1.argmax())], 0]
    return lambda case: lambda a, b: (case.alike[name](a, b) >= threshold).astype(np.float64)


def _pairs(cases: Sequence[Case], names: Sequence[str]) -> Iterator[tuple[Floats, Floats]]:
    """Yield the similarities of all pairs of different answers to a question, and whether they are in one cluster."""
    for case in cases:
        label = {answer: k for k, cluster in enumerate(case.question.clusters) for answer in cluster.answers}
        strings, place = [*label], np.array([*label.values()])
        rows, columns = np.triu_indices(len(strings), 1)
        alike = [case.alike[name](strings, strings)[rows, columns] for name in names]
        yield np.stack(alike, axis=1), (place[rows] == place[columns]).astype(np.float64)
