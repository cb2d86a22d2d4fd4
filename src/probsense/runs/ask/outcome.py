"""Holds what became of the requests of a run, as the model answered or as the store remembers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from probsense.core.records import Item, Json
from probsense.models.prompts.thoughts import UNFINISHED, Thinking
from probsense.runs.ask.rounds import Book, Interview
from probsense.show.text import counted
from probsense.tasks.base import Answers

SERVED: Final = ("model", "system_fingerprint")
"""What a server says of itself with its answers, which should be the same in all answers of a run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what became of all requests.

    Attributes
    ----------
    answers : Answers
    items : sequence of Item
        The items that have their answers.
    asked, reused : int
        The number of requests that went to the model, and of those that the store could answer.
    failures : Mapping of str to int
        Number of failed requests by reason, the most frequent first.
    served : Mapping
        For each name of :data:`SERVED` that the server gave: the number of answers by what it said.
    thinking : Thinking
    """

    answers: Answers
    items: Sequence[Item]
    asked: int
    reused: int
    failures: Mapping[str, int]
    served: Mapping[str, Mapping[str, int]]
    thinking: Thinking


def outcome_of(interview: Interview, items: Sequence[Item], book: Book, asked: int, reused: int) -> Outcome:
    """Count what became of the requests about items, whose answers are in a book.

    Parameters
    ----------
    interview : Interview
    items : sequence of Item
        All items.
    book : Book
    asked, reused : int
        As for :class:`Outcome`.
    """
    found = interview.answered(items, book)
    failures = Counter(failure.reason for failure in book.failures)
    if len(found) < len(items) and not failures:  # All texts after their chains are missing.
        failures[UNFINISHED] = len(items) - len(found)
    servers = [answer.server for answer in book.values() if answer.server]
    served = {key: Counter(str(one[key]) for one in servers if one.get(key) is not None) for key in SERVED}
    said = {key: dict(counts.most_common()) for key, counts in served.items() if counts}
    return Outcome(book.view, found, asked, reused, dict(failures.most_common()), said, book.thinking)


def remember(interview: Interview, items: Sequence[Item]) -> tuple[Outcome, int]:
    """Look up all requests of a run in its store.

    Returns
    -------
    Outcome
        A request without an answer or a failure counts as failed.
    int
        The number of these requests.
    """
    book, lacking = interview.book(), 0
    for part in interview.stored_rounds(items, book):
        part.enter(interview.store.failures(interview.model, list(part.askers)), book)
        lacking += len(part.askers)
    return outcome_of(interview, items, book, 0, len(book)), lacking


def served_facts(found: Mapping[str, Mapping[str, int]]) -> dict[str, Json]:
    """Return what the server said of itself, for the facts of a report."""
    return {f"served {key.replace('_', ' ')}": ", ".join(values) for key, values in found.items()}


def thinking_notes(found: Thinking) -> tuple[list[str], list[str]]:
    """Warn of texts without an answer, and note that thoughts are no part of answers."""
    warnings = [f"{counted(found.unfinished, 'text')} ended within a thought and gave no answer"]
    notes = [f"thoughts before {counted(found.answers, 'answer')} are no part of them"]
    return warnings if found.unfinished else [], notes if found.answers else []


def served_notes(found: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Note what changed between answers."""
    return [
        f"the server's {key} changed in mid-run: "
        + ", ".join(f"{value} ({count:,} answers)" for value, count in values.items())
        for key, values in found.items()
        if len(values) > 1
    ]
