"""Computes the measures of ProtoQA: ranked answers matched one to one with clusters, as a share of the best possible.

References
----------
Boratko et al. (2020), ProtoQA: A Question Answering Dataset for Prototypical Common-Sense Reasoning (EMNLP), section 4,
and their evaluator, after which functions named ``published_`` go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.probeval import cluster_scores, human_gold, published_answer
from probsense.analysis.open_answers.questions import Floats, Question, Similarity

ClusterScores: TypeAlias = Callable[[Sequence[str]], Floats]
"""Function that scores n processed answers against the clusters of a question: shape (n, K), from 0 to 1."""

Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Limits:
    """Define where a list of answers ends.

    Attributes
    ----------
    answers : int, optional
        Largest number of answers.
    incorrect : int, optional
        Number of answers that fit no cluster after which the list ends; the last of them still has its place.
    """

    answers: int | None = None
    incorrect: int | None = None


MEASURES: Mapping[str, Limits] = {
    "max_answers": Limits(),
    **{f"max_answers@{k}": Limits(answers=k) for k in (1, 3, 5, 10)},
    **{f"max_incorrect@{k}": Limits(incorrect=k) for k in (1, 3, 5)},
}
"""The published measures by name; the one without limits is published as both Max Answers and Max Incorrect."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Hold the scores of all answers that any list to a question may contain, each computed once.

    Attributes
    ----------
    weights : ndarray, shape (K,)
        Weight of each cluster.
    scores : ndarray, shape (answers, K)
    row : Mapping of str to int
        Row of a processed answer in ``scores``.
    oracle : ndarray of int, shape (K,)
        Rows of one member of each cluster, in falling order of weight.
    """

    weights: Floats
    scores: Floats
    row: Mapping[str, int]
    oracle: Indices


def by_similarity(question: Question, similarity: Similarity, *, hard: bool = True) -> ClusterScores:
    """Score an answer and a cluster by the most similar string of the cluster.

    Strings of clusters are processed like answers: lower case, 50 characters, stripped. A string in several clusters
    counts for each of them.

    Parameters
    ----------
    question : Question
    similarity : Similarity
    hard : bool
        Whether to round scores: above .5 to 1, else to 0.

    Returns
    -------
    ClusterScores

    Raises
    ------
    InputError
        If the question has no clusters.
    """
    clusters = (replace(c, answers=tuple(map(published_answer, c.answers))) for c in question.clusters)
    return published_by_similarity(replace(question, clusters=tuple(clusters)), similarity, hard=hard)


def published_by_similarity(
    question: Question, similarity: Similarity, *, hard: bool = True
) -> ClusterScores:
    """Score as :func:`by_similarity` does, but process only the answers, as released.

    Quirk: a string of a cluster that has capitals or over 50 characters never equals the same answer exactly.
    """
    gold = human_gold(question)

    def score(answers: Sequence[str]) -> Floats:
        scores = cluster_scores(similarity(answers, gold.strings), gold.groups)
        return np.rint(scores) if hard else scores  # .5 becomes 0

    return score


def board(
    question: Question, answers: Iterable[str], score: ClusterScores, weights: Sequence[float] | None = None
) -> Board:
    """Score all answers of the data, and those of the oracle.

    Parameters
    ----------
    question : Question
        It has clusters, as ``score`` demands.
    answers : iterable of str
        Answers that any list to be scored may contain; repeats cost nothing.
    score : ClusterScores
    weights : sequence of float, optional
        Weight of each cluster; its count by default. The published validation study takes the count + 1.

    Returns
    -------
    Board
    """
    worth = np.array([c.count for c in question.clusters] if weights is None else weights, dtype=np.float64)
    best = [published_answer(question.clusters[k].answers[0]) for k in np.argsort(-worth, kind="stable")]
    row = {a: i for i, a in enumerate(dict.fromkeys([*best, *map(published_answer, answers)]))}
    return Board(
        weights=worth, scores=score(list(row)), row=row, oracle=np.array([row[answer] for answer in best])
    )


def measure(board: Board, ranked: Sequence[str], limits: Limits) -> float:
    """Score ranked answers, as a share of what one member of each cluster scores under the same limits.

    Parameters
    ----------
    board : Board
        Board that knows the answers.
    ranked : sequence of str
        Answers, best first. A repeated answer takes a place each time, and may match another cluster each time.
    limits : Limits

    Returns
    -------
    float
        Share from 0 to 1; 0 where even the oracle scores nothing.
    """
    rows = np.array([board.row[published_answer(answer)] for answer in ranked], dtype=np.intp)
    best = _reward(board, board.oracle, limits)
    return _reward(board, rows, limits) / best if best else 0.0


def measures(board: Board, ranked: Sequence[str]) -> dict[str, float]:
    """Compute every :func:`measure` by its name."""
    return {name: measure(board, ranked, limits) for name, limits in MEASURES.items()}


def _reward(board: Board, rows: Indices, limits: Limits) -> float:
    """Add up what answers earn within limits, matched with clusters for the highest reward (Hungarian method)."""
    from scipy.optimize import linear_sum_assignment

    rows = rows[: limits.answers]
    if limits.incorrect is not None:
        wrong = np.flatnonzero(~board.scores[rows].any(axis=1))
        if len(wrong) >= limits.incorrect:
            rows = rows[: wrong[limits.incorrect - 1] + 1]
    rewards = board.scores[rows] * board.weights
    return float(rewards[linear_sum_assignment(rewards, maximize=True)].sum())
