"""Repeats the published validation study: does an evaluator rank samples of answers as their true labels do?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pools import Pool, gold_kl
from probsense.analysis.inference.correlations import spearman
from probsense.analysis.open_answers.questions import Counts, Floats
from probsense.core.errors import InputError
from strategies import ORDERED, STRATEGIES, draw, published_draw

Evaluator: TypeAlias = Callable[[str, Sequence[Counts]], Floats]
"""Maps the id of a question and S samples of answers to scores of shape (S,); the lower, the closer to people."""


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """Samples of answers to one question.

    Attributes
    ----------
    samples : tuple of Counts
    gold : ndarray, shape (S,)
        The score that an evaluator should find for each: KL with the true labels.
    """

    samples: tuple[Counts, ...]
    gold: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How well scores agree with the true ones, by Spearman's correlation.

    Attributes
    ----------
    questions : Mapping of str to float
        The correlation over the samples of each question; NaN where one of the two does not vary.
    pooled : float
        The correlation over the samples of all questions together.
    """

    questions: Mapping[str, float]
    pooled: float

    @property
    def mean(self) -> float:
        """The mean over the questions; NaN if any is, as published for ProbEval."""
        return float(np.mean(list(self.questions.values())))

    @property
    def published_protoqa_mean(self) -> float:
        """The mean over the questions. Quirk: a missing correlation counts as 0, as published for ProtoQA."""
        return float(np.mean(np.nan_to_num(list(self.questions.values()))))


def sample_answers(
    pools: Mapping[str, Pool], strategy: str, *, answers: int | None = None, samples: int = 50, seed: int = 0
) -> dict[str, Sampled]:
    """Draw samples of answers to each question.

    Parameters
    ----------
    pools : Mapping of str to Pool
        By the id of the question.
    strategy : str
        One of ``STRATEGIES``.
    answers : int, optional
        Number of answers in each sample, drawn with replacement. By default, as published, samples are drawn without
        replacement and as large as the pool allows, so that their number betrays their quality.
    samples : int
        Samples of each question.
    seed : int
        The same seed gives the same samples.

    Returns
    -------
    dict of str to Sampled

    Raises
    ------
    InputError
        For an unknown strategy.
    """
    if strategy not in STRATEGIES:
        raise InputError(f"no such strategy: {strategy!r}", expected="one of " + ", ".join(STRATEGIES))
    state, generator = np.random.RandomState(seed), np.random.default_rng(seed)
    found = {}
    for id_, pool in pools.items():
        counts = np.zeros((samples, len(pool.strings)), dtype=np.int64)
        for row in counts:
            target = STRATEGIES[strategy](state, pool.people, pool.pooled)
            if answers is None:
                row[:] = published_draw(pool, target, generator, strategy in ORDERED)
            else:
                row[:] = draw(pool, target, answers, generator)[0]
        found[id_] = Sampled(tuple(_answers(pool, row) for row in counts), gold_kl(pool, counts))
    return found


def agreement(sampled: Mapping[str, Sampled], evaluator: Evaluator) -> Agreement:
    """Correlate an evaluator's scores with the true ones (Spearman).

    Parameters
    ----------
    sampled : Mapping of str to Sampled
        By the id of the question.
    evaluator : Evaluator

    Returns
    -------
    Agreement
    """
    scores = {id_: evaluator(id_, one.samples) for id_, one in sampled.items()}
    return Agreement(
        {id_: spearman(scores[id_], one.gold).value for id_, one in sampled.items()},
        spearman(
            np.concatenate(list(scores.values())), np.concatenate([one.gold for one in sampled.values()])
        ).value,
    )


def _answers(pool: Pool, row: NDArray[np.int64]) -> dict[str, int]:
    return {pool.strings[i]: int(row[i]) for i in np.flatnonzero(row)}
