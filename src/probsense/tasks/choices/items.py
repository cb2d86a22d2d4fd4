"""Questions as items, and people's counts as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.human_choices.estimates import Answers
from probsense.core.records import Item
from probsense.tasks.choices.data.question import Question

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


def padded(items: Sequence[Item], values: Sequence[Sequence[float] | Floats]) -> Floats:
    """Arrange a value for each option, shape (questions, options): NaN for none, and scales in their order."""
    found = np.full((len(items), max(len(own) for own in values)), np.nan)
    for row, (item, own) in enumerate(zip(items, values, strict=True)):
        order = item.data["order"]
        found[row, : len(own)] = np.asarray(own)[np.argsort(order)] if order else own
    return found
