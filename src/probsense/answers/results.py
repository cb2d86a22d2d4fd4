"""What the evaluator finds: figures with replicates, question by question and over all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from probsense.answers.questions import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedEstimate:
    """A figure, and what it might have been.

    Attributes
    ----------
    value : float
        NaN where it cannot be known.
    replicates : ndarray, shape (draws,)
        The same figure with other answers (and, over all, other questions) drawn, moved so that their mean is the
        value.
    """

    value: float
    replicates: Floats

    @property
    def stderr(self) -> float:
        """Standard deviation of the replicates; NaN for fewer than two."""
        return float(self.replicates.std(ddof=1)) if len(self.replicates) > 1 else math.nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Percentile interval of the replicates; NaN for fewer than two.

        Parameters
        ----------
        level : float
            Nominal coverage.
        """
        if len(self.replicates) < 2:
            return math.nan, math.nan
        low, high = np.quantile(self.replicates, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An answer of the model that is more likely to belong to no cluster than to any.

    Attributes
    ----------
    answer : str
    count : int
    nearest : str
        The most similar answer of people; "" where nothing is similar at all.
    similarity : float
        How similar that one is.
    """

    answer: str
    count: int
    nearest: str
    similarity: float


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    """What was found for one question.

    Attributes
    ----------
    id : str
    answers : int
        Number of the model's answers in every comparison.
    people : int
        Number of people's answers in every comparison: one half of them.
    clusters : tuple of str
        Names of the clusters, "wrong" last: ids of those people made, or the most frequent answer of automatic ones.
    people_shares, model_shares : ndarray, shape (len(clusters),)
        Shares of all people's and all of the model's answers in each, without smoothing.
    estimates : Mapping of str to ReplicatedEstimate
        "kl", "js", "total_variation", "hellinger" (and "emd" where asked for): the model against half of the people,
        at the number of answers above. Of ``ComparisonSettings.divergence``: "split_half", the other half of the
        people in the model's place, what no model can be expected to beat; "unrelated", people's answers to other
        questions in its place; "normalised", where the model stands between the two, 0 to 1. "matched" and
        "false_match_rate": the share of the model's answers that found a cluster here, and in other questions, where
        every match is false. What needs other questions is missing where there are none.
    unmatched : tuple of Unmatched
        Most frequent first.
    """

    id: str
    answers: int
    people: int
    clusters: tuple[str, ...]
    people_shares: Floats
    model_shares: Floats
    estimates: Mapping[str, ReplicatedEstimate]
    unmatched: tuple[Unmatched, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What was found for all questions.

    Attributes
    ----------
    questions : tuple of QuestionResult
        In the order of the questions that were given.
    overall : Mapping of str to ReplicatedEstimate
        Means over the questions. "normalised" is made of three such means: that of the model minus that of people,
        relative to that of unrelated answers minus that of people.
    skipped : Mapping of str to str
        Id and reason of questions that could not be compared: without answers of the model, or fewer than two of
        people.
    short : tuple of str
        Ids of questions compared at fewer answers than were asked for.
    """

    questions: tuple[QuestionResult, ...]
    overall: Mapping[str, ReplicatedEstimate]
    skipped: Mapping[str, str]
    short: tuple[str, ...]
