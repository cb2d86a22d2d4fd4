"""Holds what became of the requests of a run, as the model answered or as the store remembers."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from probsense.core.records import Failure, Item, Json, Request, Response, SampleResponse, request_key
from probsense.models.prompts.thoughts import UNFINISHED, Thinking
from probsense.runs.ask.rounds import Book, Interview, answers_alone, is_thought, windows
from probsense.runs.ask.thinking import AfterChains
from probsense.runs.store.store import Store
from probsense.show.text import counted
from probsense.tasks.base import Answers

SERVED: Final = ("model", "system_fingerprint")
"""What a server says of itself with its answers, which should be the same in all answers of a run."""
PAGE: Final = 500
"""Answers to read at once."""
KEPT: Final = 200_000
"""Answers to keep in memory at most; those of a window came in the model's order, not in that of the items."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what became of all requests.

    Attributes
    ----------
    answers : Answers
        In memory, or read from the store for a run of several windows.
    items : sequence of Item
        The items that have their answers.
    asked, reused : int
        The number of requests that went to the model, and of those that the store could answer. A request of several
        windows counts in each.
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


class Tally:
    """Count what became of the requests of a run, window by window.

    Parameters
    ----------
    interview : Interview

    Attributes
    ----------
    book : Book
        The answers of the last window.
    wanted : int
        The number of requests so far.
    seen : int
        The number of items of all windows that are over.
    """

    def __init__(self, interview: Interview) -> None:
        self._interview = interview
        self._earlier = 0
        self._windows = 0
        self.seen = 0
        self._items: list[Item] = []
        self._failures: Counter[str] = Counter()
        self._served: dict[str, Counter[str]] = {key: Counter() for key in SERVED}
        self._thinking = Thinking()
        self.wanted = 0
        self.book = interview.book()

    @property
    def answers(self) -> int:
        """Return the number of answers so far."""
        return self._earlier + len(self.book)

    def begin(self) -> Book:
        """Begin a window, and return the book for its answers."""
        self._earlier += len(self.book)
        self._windows += 1
        self.book = self._interview.book()
        return self.book

    def end(self, window: Sequence[Item]) -> None:
        """Count what became of a window that is over."""
        self.seen += len(window)
        found, failures = self._interview.answered(window, self.book), self.book.failures
        self._items += found
        self._failures.update(failure.reason for failure in failures)
        if len(found) < len(window) and not failures:  # All texts after their chains are missing.
            self._failures[UNFINISHED] += len(window) - len(found)
        self._thinking += self.book.thinking
        servers = [answer.server for answer in self.book.values() if answer.server]
        for key, counts in self._served.items():
            counts.update(str(one[key]) for one in servers if one.get(key) is not None)

    def outcome(self, items: Sequence[Item], asked: int) -> Outcome:
        """Return what became of all requests; answers of several windows are read from the store.

        Parameters
        ----------
        items : sequence of Item
            All items.
        asked : int
            The number of requests that went to the model.
        """
        answers, chains = self.book.view, self.book.chains
        if self._windows > 1:
            answers = StoredAnswers(self._interview, items)
            answers = answers if chains is None else AfterChains(chains, answers)
        said = {key: dict(counts.most_common()) for key, counts in self._served.items() if counts}
        failures = dict(self._failures.most_common())
        return Outcome(answers, self._items, asked, self.wanted - asked, failures, said, self._thinking)


class StoredAnswers(Mapping[Request, Response]):
    """The answers to the requests of a large run, looked up in its store when they are wanted.

    Lookups in the order in which the answers arrived are cheap, because one reads those that follow, too.

    Parameters
    ----------
    interview : Interview
        Its store is read through a connection of its own.
    items : sequence of Item
        What was asked, to go through all requests.
    """

    def __init__(self, interview: Interview, items: Sequence[Item]) -> None:
        self._interview = replace(interview, store=Store.open(interview.store.path, create=False))
        weakref.finalize(self, self._interview.store.close)
        self._items = items
        self._bodies: dict[str, tuple[str, str]] = {}

    def __getitem__(self, request: Request) -> Response:
        store = self._interview.store
        key = request_key(request, by_item=self._interview.by_item)
        if key not in self._bodies:
            if len(self._bodies) > KEPT:
                self._bodies.clear()
            self._bodies |= store.following(self._interview.model, key, PAGE)
            if key not in self._bodies:
                raise KeyError(request)
        answer = store.response(key, *self._bodies[key])
        if not isinstance(answer, SampleResponse) or is_thought(request):
            return answer
        found = answers_alone(request, answer)
        if isinstance(found, Failure):
            raise KeyError(request)
        return found

    def __iter__(self) -> Iterator[Request]:
        seen: set[str] = set()
        for window in windows(self._items):
            book = self._interview.book()
            for part in self._interview.stored_rounds(window, book):
                new = [key for key in part.wanted if key not in part.askers and key not in seen]
                seen.update(new)
                yield from (part.wanted[key] for key in new if not book.failed(part.wanted[key]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def remember(interview: Interview, items: Sequence[Item]) -> tuple[Outcome, int]:
    """Look up all requests of a run in its store.

    Returns
    -------
    Outcome
        A request without an answer or a failure counts as failed.
    int
        The number of these requests.
    """
    tally, lacking = Tally(interview), 0
    for window in windows(items):
        book = tally.begin()
        for part in interview.stored_rounds(window, book):
            part.enter(interview.store.failures(interview.model, list(part.askers)), book)
            lacking += len(part.askers)
        tally.end(window)
    tally.wanted = tally.answers
    return tally.outcome(items, 0), lacking


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
