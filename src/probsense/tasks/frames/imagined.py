"""Frames as plans imagine them: what people answer, what models answer, and how far the two are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.evaluator import evaluate
from probsense.analysis.open_answers.questions import Cluster, Counts, Floats, Question
from probsense.analysis.open_answers.results import QuestionResult
from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Imagined:
    """How answers to frames are distributed.

    Each frame has clusters of answers that mean the same, one string each, so that matching makes no mistakes. People's
    shares are those of a known frame, drawn at random, or else Dirichlet distributed. A share of a model's answers
    comes from another such distribution, and the rest from people's.

    Attributes
    ----------
    clusters : int
    evenness : float
        Concentration of the Dirichlet distribution: at 1, all shares are equally likely, and below that, few answers
        have most.
    shared : float
        How much of the other distribution is common to models.
    known : tuple of tuple of float
        People's shares of clusters in frames of a pilot; without any, they are drawn.

    Raises
    ------
    InputError
        For a number that is impossible.
    """

    clusters: int
    evenness: float
    shared: float
    known: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= self.clusters <= 200:
            raise InputError(f"{self.clusters} clusters", expected="2 to 200")
        if not 0.01 <= self.evenness <= 100:
            raise InputError(f"an evenness of {self.evenness:g}", expected=".01 to 100")
        if not 0 <= self.shared <= 1:
            raise InputError(f"models that share {self.shared:g}", expected="from 0 to 1")

    def evaluated(
        self,
        frames: int,
        people: int,
        samples: int,
        apart: Floats,
        settings: ComparisonSettings,
        rng: np.random.Generator,
    ) -> list[Sequence[QuestionResult]]:
        """Draw frames and answers, and evaluate each model as a run is evaluated.

        Parameters
        ----------
        frames : int
        people, samples : int
            Answers of people and of each model to a frame.
        apart : ndarray, shape (models,)
            Share of each model's answers that come from another distribution than people's.
        settings : ComparisonSettings
        rng : numpy.random.Generator

        Returns
        -------
        list of sequence of QuestionResult
            For each model, its frames.
        """
        questions, predictions = [], [dict[str, Counts]() for _ in apart]
        for number in range(frames):
            name, shares = f"{number}", self._shares(rng)
            strings = [f"{number} {k}" for k in range(len(shares))]
            given = _counts(rng.multinomial(people, shares), strings)
            clusters = tuple(Cluster(string, count, (string,)) for string, count in given.items())
            questions.append(Question(name, name, given, clusters))
            common = self._other(len(shares), rng)
            for own, share in zip(predictions, apart, strict=True):
                other = self.shared * common + (1 - self.shared) * self._other(len(shares), rng)
                mixed = (1 - share) * shares + share * other
                own[name] = _counts(rng.multinomial(samples, mixed / mixed.sum()), strings)
        return [evaluate(questions, own, _same, settings).questions for own in predictions]

    def _shares(self, rng: np.random.Generator) -> Floats:
        if self.known:
            return np.array(self.known[int(rng.integers(len(self.known)))])
        return self._other(self.clusters, rng)

    def _other(self, clusters: int, rng: np.random.Generator) -> Floats:
        drawn = rng.dirichlet(np.full(clusters, self.evenness))
        return np.asarray(drawn / drawn.sum())


def _counts(counts: NDArray[np.int64], strings: Sequence[str]) -> dict[str, int]:
    return {string: int(count) for string, count in zip(strings, counts, strict=True) if count}


def _same(first: Sequence[str], second: Sequence[str]) -> Floats:
    """Compare strings: 1 if they are equal, else 0."""
    equal = np.asarray(first)[:, None] == np.asarray(second)[None, :]
    return np.asarray(equal, dtype=np.float64)
