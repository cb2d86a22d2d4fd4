"""Studies of one culture, or of two, drawn from the model of cultural consensus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.condorcet import chance_of_yes
from probsense.analysis.agreement.pooled.model import Answers


class Study(NamedTuple):
    """Answers, and what is true of people and statements."""

    answers: Answers
    ability: NDArray[np.float64]
    guessing: NDArray[np.float64]
    key: NDArray[np.bool_]
    difficulty: NDArray[np.float64]


def study(
    rng: np.random.Generator, people: int, statements: int, raters: int, *, opposed: float = 0.0
) -> Study:
    """Draw a study; two fifths of the people have the other key on a share of the statements."""
    ability, guessing = 0.8 + 0.8 * rng.normal(size=people), 0.3 + 0.6 * rng.normal(size=people)
    key, difficulty = rng.random(statements) < 0.6, rng.normal(size=statements)
    other = key ^ (rng.random(statements) < opposed)
    asked = rng.random((people, statements)).argsort(axis=0).argsort(axis=0) < raters
    person, statement = np.nonzero(asked)
    own = np.where(person < 0.4 * people, other[statement], key[statement])
    chance = chance_of_yes(own, difficulty[statement], ability[person], guessing[person])
    yes = (rng.random(len(person)) < chance).astype(np.float64)
    return Study(Answers(statement, person, yes, statements, people), ability, guessing, key, difficulty)
