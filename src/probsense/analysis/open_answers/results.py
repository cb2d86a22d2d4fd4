"""Holds the results of the evaluator, question by question and over all questions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from probsense.analysis.open_answers.questions import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedEstimate:
    """Hold an estimate with its bootstrap replicates.

    Attributes
    ----------
    value : float
        Estimate; NaN where it cannot be known.
    replicates : ndarray, shape (draws,)
        The same estimate with other answers (and, over all questions, other questions) drawn, shifted to the value.
    """

    value: float
    replicates: Floats

    @property
    def stderr(self) -> float:
        """Return the standard deviation of the replicates; NaN for fewer than two."""
        return float(self.replicates.std(ddof=1)) if len(self.replicates) > 1 else math.nan

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of the replicates; NaN for fewer than two.

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
    """Hold an answer of the model that is more likely to belong to no cluster than to any.

    Attributes
    ----------
    answer : str
    count : int
    nearest : str
        Most similar answer of people; "" where no answer is similar at all.
    similarity : float
        Similarity of that answer.
    """

    answer: str
    count: int
    nearest: str
    similarity: float


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    """Hold the results for one question.

    Attributes
    ----------
    id : str
    answers : int
        Number of the model's answers in every comparison.
    people : int
        Number of people's answers in every comparison, which is half of them.
    clusters : tuple of str
        Names of the clusters, "wrong" last: ids of people's clusters, or the most frequent answers of automatic ones.
    people_shares, model_shares : ndarray, shape (len(clusters),)
        Shares of all people's and all of the model's answers in each cluster, without smoothing.
    estimates : Mapping of str to ReplicatedEstimate
        - "kl", "js", "total_variation", "hellinger" (and "emd" if requested): the divergence of the model from half of
          the people, at the number of answers above.
        - "split_half": ``ComparisonSettings.divergence`` with the other half of the people in the model's place,
          which no model can be expected to beat.
        - "unrelated": the same with people's answers to other questions in the model's place.
        - "normalised": where the model stands between the two, from 0 to 1.
        - "matched" and "false_match_rate": the shares of the model's answers that find a cluster here, and in other
          questions, where every match is false.

        Estimates that need other questions are missing if there are none.
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
    """Hold the results for all questions.

    Attributes
    ----------
    questions : tuple of QuestionResult
        In the order of the questions that were given.
    overall : Mapping of str to ReplicatedEstimate
        Means over the questions. "normalised" relates two differences of such means: that of the model minus that of
        people, to that of unrelated answers minus that of people.
    skipped : Mapping of str to str
        Reason by the id of each question that was not compared, for lack of answers of the model or of people.
    short : tuple of str
        Ids of questions compared at fewer answers than requested.
    """

    questions: tuple[QuestionResult, ...]
    overall: Mapping[str, ReplicatedEstimate]
    skipped: Mapping[str, str]
    short: tuple[str, ...]
