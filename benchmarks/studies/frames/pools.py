"""The pool of labelled answers, which supplies evaluators with samples of known quality."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.divergence import kl, laplace
from probsense.analysis.open_answers.gold import WRONG
from probsense.analysis.open_answers.probeval import human_gold
from probsense.analysis.open_answers.questions import Counts, Floats, Question
from probsense.core.errors import InputError

GOLD_SAMPLE = 50
"""How many of people's answers the published pool has, before each cluster's share is rounded up."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Answers to one question, each with its true cluster.

    Attributes
    ----------
    strings : tuple of str
        U different answers.
    counts : ndarray of int, shape (U,)
        How often each answer is there.
    labels : ndarray of int, shape (U,)
        The cluster of each answer; K for "wrong".
    clusters : tuple of str
        Names of the K clusters in alphabetic order and, last, "wrong".
    people : ndarray, shape (K + 1,)
        People's distribution, smoothed (P_G).
    """

    strings: tuple[str, ...]
    counts: NDArray[np.int64]
    labels: NDArray[np.int64]
    clusters: tuple[str, ...]
    people: Floats

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of answers in each cluster, shape (K + 1,)."""
        return np.bincount(self.labels, self.counts, len(self.clusters)).astype(np.int64)

    @property
    def pooled(self) -> Floats:
        """The distribution of the pool over the clusters, smoothed (P_H), shape (K + 1,)."""
        return laplace(self.sizes)


def published_pool(question: Question, answers: Counts, labels: Mapping[str, str]) -> Pool:
    """Pool the labelled answers of a model and a sample of people's.

    Each cluster gives min(size, ⌈50 · its share⌉) of people's answers, in alphabetic order, each as often as people
    gave it. A string that both gave has the label of the model's answer.

    Quirks: the random numbers begin anew for each cluster, with the seed 1; people's answers, the standard for
    scores, are themselves among the scored ones; and a string in two clusters may be drawn from both, but has the
    label of the one that gives it first.

    Parameters
    ----------
    question : Question
        It has clusters made by people.
    answers : Counts
        Answers of the model.
    labels : Mapping of str to str
        For each of them, the id of its cluster or "wrong".

    Returns
    -------
    Pool

    Raises
    ------
    InputError
        For a question without clusters, an answer without a label, and a label that is no cluster.
    """
    # Random numbers are given to categories in the order of their names.
    gold = human_gold(replace(question, clusters=tuple(sorted(question.clusters, key=lambda c: c.id))))
    clusters = (*gold.clusters, WRONG)
    place = {name: k for k, name in enumerate(clusters)}
    counts: dict[str, int] = {}
    label: dict[str, int] = {}
    for answer, count in answers.items():
        name = labels.get(answer)
        if name not in place:
            raise InputError(
                f"answer {answer!a} to {question.id!a} is labelled {name!a}", expected="a cluster or 'wrong'"
            )
        counts[answer], label[answer] = count, place[name]
    given = [sorted(np.repeat(gold.strings, gold.counts * member).tolist()) for member in gold.groups.T]
    total = max(sum(map(len, given)), 1)
    for k, instances in enumerate(given):
        drawn = min(len(instances), math.ceil(GOLD_SAMPLE * (len(instances) / total)))
        for answer in random.Random(1).sample(instances, drawn):
            counts[answer] = counts.get(answer, 0) + 1
            label.setdefault(answer, k)
    return Pool(
        tuple(counts),
        np.array(list(counts.values()), dtype=np.int64),
        np.array([label[answer] for answer in counts], dtype=np.int64),
        clusters,
        gold.people,
    )


def gold_kl(pool: Pool, counts: NDArray[np.int64]) -> Floats:
    """Compute KL(people ‖ sample) with the true labels, which an evaluator should find.

    Parameters
    ----------
    pool : Pool
    counts : ndarray of int, shape (S, U)
        How often each answer of the pool is in each sample.

    Returns
    -------
    ndarray, shape (S,)
        Nats, with the sample smoothed by 1.
    """
    return kl(pool.people, laplace(counts @ np.eye(len(pool.clusters))[pool.labels]))
