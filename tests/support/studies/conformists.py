"""People who go with the majority more or less."""

from __future__ import annotations

import numpy as np

from probsense.analysis.agreement.pq_curves import Held, same_answer


def rng(seed: int = 0) -> np.random.Generator:
    """A generator of random numbers."""
    return np.random.default_rng(seed)


def population(people: int, claims: int, seed: int = 1) -> Held:
    """Answers of people who go with the majority more or less, to claims that are more or less clear."""
    draws = rng(seed)
    clear, conform = draws.normal(1.5, 1.5, claims), draws.normal(1, 0.7, people)
    return same_answer((draws.random((people, claims)) < 1 / (1 + np.exp(-np.outer(conform, clear)))) * 1.0)
