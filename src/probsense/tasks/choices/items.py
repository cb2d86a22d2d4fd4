"""Questions as items, and people's counts as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.human_choices.estimates import Answers
from probsense.core.records import Item
from probsense.tasks.choices.data import Question

Floats: TypeAlias = NDArray[np.float64]


def item_of(question: Question) -> Item:
    """Make an item of a question; it holds everything that asking and measuring need."""
    return Item(
        question.key,
        question.cluster,
        "" if question.gold is None else str(question.gold),
        {
            "text": question.text,
            "context": question.context,
            "options": [*question.options],
            "counts": [*question.counts],
            "people": question.people,
            "group": question.group,
            "order": [*question.order],
            "data": question.data,
            "raters": [[who, option] for who, option in question.raters],
        },
    )


def answers_of(items: Sequence[Item]) -> Answers | None:
    """Arrange who chose what, with the options of a scale in its order; None if it is not known of all questions."""
    if not all(item.data["raters"] for item in items):
        return None
    places = [np.argsort(np.argsort(item.data["order"])).tolist() for item in items]
    rows = [
        (row, places[row][option] if places[row] else option, who)
        for row, item in enumerate(items)
        for who, option in item.data["raters"]
    ]
    question, option, who = zip(*rows, strict=True)
    _, rater = np.unique(np.array(who, dtype=np.str_), return_inverse=True)
    return Answers(np.array(question), np.array(option), rater)


class People(NamedTuple):
    """What people answered.

    Attributes
    ----------
    shares : ndarray, shape (questions, options)
        NaN where a question has no such option. The options of a scale stand in its order.
    counts : ndarray, shape (questions,)
        How many people answered; NaN where that is not known.
    ordered : ndarray of bool, shape (questions,)
        Whether the options form a scale.
    """

    shares: Floats
    counts: Floats
    ordered: NDArray[np.bool_]


def people_of(items: Sequence[Item]) -> People:
    """Arrange people's answers to some items."""
    given = padded(items, [item.data["counts"] for item in items])
    counts = [np.nan if item.data["people"] is None else item.data["people"] for item in items]
    ordered = [bool(item.data["order"]) for item in items]
    people = np.array(counts, dtype=np.float64)
    # Shares are taken as they were published, rounded as they are.
    total = np.where(np.isnan(people), 1.0, np.nansum(given, axis=1))
    return People(given / total[:, None], people, np.array(ordered))


def padded(items: Sequence[Item], values: Sequence[Sequence[float] | Floats]) -> Floats:
    """Arrange a value for each option, shape (questions, options): NaN for none, and scales in their order."""
    found = np.full((len(items), max(len(own) for own in values)), np.nan)
    for row, (item, own) in enumerate(zip(items, values, strict=True)):
        order = item.data["order"]
        found[row, : len(own)] = np.asarray(own)[np.argsort(order)] if order else own
    return found
