"""Complete blocks of people and claims in ratings that are not complete."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.agreement.people import People
from probsense.agreement.pq.curve import pq_curve, shared_claims
from probsense.agreement.pq.definitions import AnswerMatrix
from probsense.errors import InputError

EFFORT = 1e9
"""Where the search for a block stops; the block is a choice, not a figure, and need not be the largest."""


class CompleteBlock(NamedTuple):
    """People and claims, all of whom have answered all of which.

    ``people`` and ``claims`` are indices in increasing order; no block has more than ``cells_bound`` answers.
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
    """The complete block with the most answers, as far as it is found.

    People and claims of a block are no random sample: those with many answers are preferred, and nothing is known
    of the rest. Where everybody was asked about other claims (in the published ratings, 50 of 4,407 at random)
    blocks are tiny, and a curve says next to nothing.

    Parameters
    ----------
    answered : ndarray of bool, shape (people, claims)
        Who has answered what; for a definition with two questions, both of them.
    rng : numpy.random.Generator
    min_people, min_claims : int
        What the block must have at the least.
    effort : float
        Where the search stops, in additions.

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
    """Answers to both questions, each as an array of shape (people, statements) with NaN where there is none."""
    q1, q2 = np.full((2, people.people, people.statements), np.nan)
    q1[people.person, people.statement] = people.q1
    q2[people.person, people.statement] = people.q2
    return q1, q2
