"""Questions that name yes and no in another order."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.wordings import Wording
from probsense.tasks.shared.orders import Order, listed_order, turned

TURN: Final = "turn"
"""The key of an item's data with the order in which its question names yes and no, if not in that of the wording."""


def named_order(wording: Wording, question: str) -> Order:
    """Return whether a question names yes (0) or no (1) in each place.

    Raises
    ------
    InputError
        If it does not name both side by side.
    """
    order = listed_order(wording.questions[question], (wording.yes, wording.no))
    if order is None:
        raise InputError(
            f"the wording of {question} names no order of {wording.yes[0]} and {wording.no[0]}",
            expected=f"“{wording.yes[0]} or {wording.no[0]}” in all questions, or no conditions of order",
        )
    return order


def turned_wording(wording: Wording, turn: Order) -> Wording:
    """Name yes and no in another order."""
    answers = wording.yes, wording.no
    return replace(
        wording, questions={name: turned(text, answers, turn) for name, text in wording.questions.items()}
    )
