"""Imagines what everybody answers to questions with options, and models at a distance from that, for plans of studies.

Everybody's shares of the options are drawn from a symmetrical Dirichlet distribution. A model's log odds are those of
everybody with normal noise, whose spread follows from how far the model is from people. Recorded answers of models to
surveys are spread over questions in the same way: the standard deviation of their distances is about half of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from probsense.analysis.human_choices import floors
from probsense.analysis.human_choices.distributions import Bools, Distributions, Floats, uniform
from probsense.analysis.human_choices.measures import squared, total_variation
from probsense.core.errors import InputError

Distance: TypeAlias = Literal["squared_corrected", "total_variation", "normalised"]
"""What sets a model and everybody apart: the squared distance, which the corrected one estimates; the total
variation; and the latter as a share of that of equal shares."""

MOST_SPREAD: Final = 30.0
"""With this spread, nearly all of a model's answers are one option."""
STEPS: Final = 40
"""Of a bisection."""
LEAST_EVEN, MOST_EVEN = 0.01, 100.0


class Everybody(NamedTuple):
    """Hold everybody's shares of the options of questions.

    Attributes
    ----------
    shares : ndarray, shape (questions, K)
        0 for options that a question does not have.
    exists : ndarray of bool, shape (questions, K)
    """

    shares: Floats
    exists: Bools

    def model(self, spread: float, noise: Floats) -> Floats:
        """Return the shares of a model whose log odds are everybody's and ``spread`` times the noise."""
        odds = np.where(self.exists, np.log(np.maximum(self.shares, 1e-12)) + spread * noise, -np.inf)
        found = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def distance(self, name: Distance, shares: Floats) -> float:
        """Return the mean distance of a model from everybody."""
        exact = np.full(len(self.shares), np.inf)
        pair = Distributions(self.shares, shares, self.exists, exact, exact)
        if name == "squared_corrected":
            return float(squared(pair).mean())
        apart = float(total_variation(pair).mean())
        return apart / self.far if name == "normalised" else apart

    @property
    def far(self) -> float:
        """The mean total variation between everybody and equal shares."""
        return float(np.abs(self.shares - uniform(self.exists)).sum(axis=1).mean() / 2)

    def spread(self, name: Distance, value: float, noise: Floats) -> float:
        """Find the spread with which a model has a distance, by bisection.

        Raises
        ------
        InputError
            If no model has it.
        """
        low, high = 0.0, MOST_SPREAD
        most = self.distance(name, self.model(high, noise))
        if not 0 <= value <= most:
            raise InputError(
                f"a model at a distance of {value:.3g}",
                expected=f"between 0, where it has everybody's shares, and {most:.3f}",
            )
        for _ in range(STEPS):
            middle = (low + high) / 2
            if self.distance(name, self.model(middle, noise)) < value:
                low = middle
            else:
                high = middle
        return (low + high) / 2


def draw_everybody(
    options: Sequence[int], evenness: float, questions: int, rng: np.random.Generator
) -> Everybody:
    """Draw everybody's shares.

    Parameters
    ----------
    options : sequence of int
        Numbers of options, of which one is drawn for each question.
    evenness : float
        Of the Dirichlet distribution: at 1 all distributions are equally likely, and below that, few options have most.
    questions : int
    rng : numpy.random.Generator
    """
    exists = np.arange(max(options)) < rng.choice(options, size=questions)[:, None]
    weights = np.where(exists, rng.gamma(evenness, size=exists.shape) + 1e-12, 0.0)
    return Everybody(weights / weights.sum(axis=1, keepdims=True), exists)


def evenness_of(people: Distributions) -> float:
    """Estimate the evenness of everybody's answers from those of some, by moments.

    Two people agree with the probability Σ p², which a symmetrical Dirichlet distribution of k options and evenness a
    makes (a + 1)/(k·a + 1) on average.

    Parameters
    ----------
    people : Distributions
        At least two people answered each question.

    Returns
    -------
    float
        From :data:`LEAST_EVEN` to :data:`MOST_EVEN`.
    """
    agree, options = floors.expected_agreement(people), people.exists.sum(axis=1)
    low, high = LEAST_EVEN, MOST_EVEN
    for _ in range(STEPS):
        middle = float(np.sqrt(low * high))
        if ((middle + 1) / (options * middle + 1)).mean() > agree.mean():
            low = middle
        else:
            high = middle
    return float(np.sqrt(low * high))
