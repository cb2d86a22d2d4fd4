"""Finds complete blocks of people and claims in incomplete ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pq.curve import pq_curve, shared_claims
from probsense.analysis.agreement.pq.definitions import AnswerMatrix
from probsense.core.errors import InputError

EFFORT = 1e9
"""Effort at which the search for a block stops; a smaller block than the largest is valid, too."""


class CompleteBlock(NamedTuple):
    """Hold people and claims such that each of these people has answered each of these claims.

    ``people`` and ``claims`` are indices in increasing order. No block has more than ``cells_bound`` answers.
    """

    people: NDArray[np.int64]
    claims: NDArray[np.int64]
    cells_bound: int


def complete_block(
    answered: NDArray[np.bool_],
    rng: np.random.Generator,
    *,
    min_people: int = 2,
    min_claims: int = 2,
    effort: float = EFFORT,
) -> CompleteBlock:
    """Find a complete block with as many answers as possible.

    The people and claims of a block are not a random sample: the search prefers those with many answers. If each person
    rated other claims, blocks are tiny and their curves carry little information. In the published ratings each person
    rated 50 of 4,407 claims at random.

    Parameters
    ----------
    answered : ndarray of bool, shape (people, claims)
        Who has answered what; for a definition with two questions, who has answered both.
    rng : numpy.random.Generator
    min_people, min_claims : int
        Smallest numbers that the block must have.
    effort : float
        Number of additions at which the search stops.

    Raises
    ------
    InputError
        If no block of that size is found.
    """
    curve = pq_curve(answered[None], rng, effort=effort)
    sizes = np.arange(1, len(curve.shared) + 1)
    allowed = (curve.group.sum(axis=1) >= min_people) & (curve.shared >= min_claims)
    if not allowed.any():
        raise InputError(
            f"no {min_people} people who have all answered {min_claims} claims",
            expected="ratings with a complete block, or a smaller one",
        )
    best = int(np.where(allowed, curve.shared * curve.group.sum(axis=1), 0).argmax())
    group = curve.group[best]
    claims = np.flatnonzero(shared_claims(answered[None], group))
    possible = (sizes >= min_people) & (curve.bound >= min_claims)
    return CompleteBlock(np.flatnonzero(group), claims, int((sizes * curve.bound)[possible].max()))


def answer_matrices(people: People) -> tuple[AnswerMatrix, AnswerMatrix]:
    """Return the answers to both questions, each as an array of shape (people, statements), NaN where there is none."""
    q1, q2 = np.full((2, people.people, people.statements), np.nan)
    q1[people.person, people.statement] = people.q1
    q2[people.person, people.statement] = people.q2
    return q1, q2
