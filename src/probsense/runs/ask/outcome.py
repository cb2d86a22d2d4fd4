"""Holds what became of the requests of a run, as the model answered or as the store remembers."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from probsense.core.records import Failure, Item, Json, Request, Response, SampleResponse, request_key
from probsense.models.prompts.thoughts import UNFINISHED, Thinking
from probsense.runs.ask.chains import AfterChains, Chains
from probsense.runs.ask.rounds import (
    NOT_ASKED,
    Book,
    answered,
    answers_alone,
    is_thought,
    stored_rounds,
    windows,
)
from probsense.runs.store.store import RunRecord, Store
from probsense.show.text import counted
from probsense.tasks.base import Answers, Method, Task

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
    task : Task
    method : Method
    by_item : bool
        Whether the model's answers depend on the item that asks.
    chains : Chains, optional
        How the model thinks before each answer, if it does.

    Attributes
    ----------
    book : Book
        The answers of the last window.
    wanted : int
        The number of requests so far.
    seen : int
        The number of items of all windows that are over.
    """

    def __init__(self, task: Task, method: Method, *, by_item: bool, chains: Chains | None) -> None:
        self._task = task
        self._method: Method = method
        self._earlier = 0
        self._windows = 0
        self.seen = 0
        self._items: list[Item] = []
        self._failures: Counter[str] = Counter()
        self._served: dict[str, Counter[str]] = {}
        self._thinking = Thinking()
        self.wanted = 0
        self.book = Book(by_item=by_item, chains=chains)

    @property
    def answers(self) -> int:
        """Return the number of answers so far."""
        return self._earlier + len(self.book)

    def begin(self) -> Book:
        """Begin a window, and return the book for its answers."""
        self._earlier += len(self.book)
        self._windows += 1
        self.book = Book(by_item=self.book.by_item, chains=self.book.chains)
        return self.book

    def end(self, window: Sequence[Item]) -> None:
        """Count what became of a window that is over."""
        self.seen += len(window)
        found, failures = answered(self._task, window, self._method, self.book), self.book.failures
        self._items += found
        self._failures.update(failure.reason for failure in failures)
        if len(found) < len(window) and not failures:
            self._failures[UNFINISHED] += len(window) - len(
                found
            )  # All texts after their chains are missing.
        self._thinking += self.book.thinking
        for key, counts in served(self.book.values()).items():
            self._served.setdefault(key, Counter()).update(counts)

    def outcome(self, store: Store, model: str, items: Sequence[Item], asked: int) -> Outcome:
        """Return what became of all requests; answers of several windows are read from the store.

        Parameters
        ----------
        store : Store
        model : str
            Fingerprint of the model.
        items : sequence of Item
            All items.
        asked : int
            The number of requests that went to the model.
        """
        answers, chains = self.book.view, self.book.chains
        if self._windows > 1:
            answers = StoredAnswers(
                store, model, self._task, items, self._method, by_item=self.book.by_item, chains=chains
            )
            answers = answers if chains is None else AfterChains(chains, answers)
        said = {key: dict(counts.most_common()) for key, counts in self._served.items()}
        failures = dict(self._failures.most_common())
        return Outcome(answers, self._items, asked, self.wanted - asked, failures, said, self._thinking)


class StoredAnswers(Mapping[Request, Response]):
    """The answers to the requests of a large run, looked up in its store when they are wanted.

    Lookups in the order in which the answers arrived are cheap, because one reads those that follow, too.

    Parameters
    ----------
    store : Store
        Read through a connection of its own.
    model : str
        Fingerprint of the model.
    task, items, method
        What was asked, to go through all requests.
    by_item : bool
        Whether the model's answers depend on the item that asks.
    chains : Chains or None
        How the model thinks before each answer, if it does.
    """

    def __init__(
        self,
        store: Store,
        model: str,
        task: Task,
        items: Sequence[Item],
        method: Method,
        *,
        by_item: bool,
        chains: Chains | None,
    ) -> None:
        self._store = store.reopened()
        weakref.finalize(self, self._store.close)
        self._model = model
        self._task = task
        self._items = items
        self._method: Method = method
        self._by_item = by_item
        self._chains = chains
        self._bodies: dict[str, tuple[str, str]] = {}

    def __getitem__(self, request: Request) -> Response:
        key = request_key(request, by_item=self._by_item)
        if key not in self._bodies:
            if len(self._bodies) > KEPT:
                self._bodies.clear()
            self._bodies |= self._store.following(self._model, key, PAGE)
            if key not in self._bodies:
                raise KeyError(request)
        answer = self._store.response(key, *self._bodies[key])
        if not isinstance(answer, SampleResponse) or is_thought(request):
            return answer
        found = answers_alone(request, answer)
        if isinstance(found, Failure):
            raise KeyError(request)
        return found

    def __iter__(self) -> Iterator[Request]:
        seen: set[str] = set()
        for window in windows(self._items):
            book = Book(by_item=self._by_item, chains=self._chains)
            for part in stored_rounds(self._task, window, self._method, book, self._store, self._model):
                new = [key for key in part.wanted if key not in part.askers and key not in seen]
                seen.update(new)
                yield from (part.wanted[key] for key in new if not book.failed(part.wanted[key]))
                part.enter(dict.fromkeys(list(part.askers), NOT_ASKED), book)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def remember(task: Task, items: Sequence[Item], run: RunRecord, store: Store) -> tuple[Outcome, int]:
    """Look up all requests of a run in its store.

    Returns
    -------
    Outcome
        A request without an answer or a failure counts as failed.
    int
        The number of these requests.
    """
    chains = Chains.of_run(run.options, run.details)
    tally, lacking = Tally(task, run.method, by_item=run.by_item, chains=chains), 0
    for window in windows(items):
        book = tally.begin()
        for part in stored_rounds(task, window, run.method, book, store, run.fingerprint):
            part.enter(store.failures(run.fingerprint, list(part.askers)), book)
            lacking += len(part.askers)
            part.enter(dict.fromkeys(list(part.askers), NOT_ASKED), book)
        tally.end(window)
    tally.wanted = tally.answers
    return tally.outcome(store, run.fingerprint, items, 0), lacking


def served(answers: Iterable[Response]) -> dict[str, dict[str, int]]:
    """Count answers by what the server said of itself, for each name of :data:`SERVED` that it gave."""
    found: dict[str, Counter[str]] = {key: Counter() for key in SERVED}
    for answer in answers:
        for key in SERVED:
            if answer.server and (value := answer.server.get(key)) is not None:
                found[key][str(value)] += 1
    return {key: dict(counts.most_common()) for key, counts in found.items() if counts}


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
