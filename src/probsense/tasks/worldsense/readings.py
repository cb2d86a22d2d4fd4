"""Weighs readings of one trial: a label is wrong only if two readings say so, and none says otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from probsense.tasks.worldsense.question import ParsedQuestion, ParseFailure


class Reading(NamedTuple):
    """What one source makes of a trial.

    ``source`` names it for users ("the record"), ``answer`` is the answer that the solver gives ("" if none is right).
    """

    source: str
    question: ParsedQuestion
    answer: str


def settled(gold: str, readings: Iterable[Reading]) -> Reading:
    """Return the first reading, if no other contradicts it, and another confirms it where it contradicts the label.

    Parameters
    ----------
    gold : str
        The label.
    readings : iterable of Reading
        One or more.

    Raises
    ------
    ParseFailure
        When two readings give different answers, or when only one reading says that the label is wrong.
    """
    first, *others = readings
    for other in others:
        if other.answer != first.answer:
            raise ParseFailure(
                f"by {first.source} the answer is {_shown(first)}, by {other.source} {_shown(other)}"
            )
    if first.answer != gold and not others:
        raise ParseFailure(
            f"by {first.source} the answer is {_shown(first)}, and no second reading confirms it"
        )
    return first


def _shown(reading: Reading) -> str:
    return reading.answer or "none"


def beyond(question: ParsedQuestion) -> str:
    """Describe what a claim speaks of and the story does not mention; "" where there is no such thing."""
    for claim in question.claims:
        if claim.relation == "foreign":
            return "a comparison that the story does not make"
        for place in claim.args:
            if place >= question.size:
                return repr(question.names[place])
    return ""
