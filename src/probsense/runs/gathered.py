"""Gathers what became of the requests of a run, window by window, from the model or from the store alone."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from probsense.core.records import Failure, Item
from probsense.runs.rounds import Book, answered, rounds
from probsense.runs.served import served
from probsense.runs.store import Finished, RunRecord, Store
from probsense.runs.stored_answers import StoredAnswers
from probsense.runs.stored_items import Without
from probsense.runs.windows import Window, windows
from probsense.tasks.base import Answers, Method, Task


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold what became of all requests.

    Answers and items of a large run are read from its store, which stays open: to go through them in order is cheap.

    Attributes
    ----------
    answers : Answers
    items : sequence of Item
        The items that have their answers.
    asked, reused : int
        The number of requests that went to the model, and of those that the store could answer. A request of several
        windows counts in each.
    failures : Mapping of str to int
        Number of failed requests by reason, the most frequent first.
    served : Mapping
        What :func:`~probsense.runs.served.served` finds in the answers.
    """

    answers: Answers
    items: Sequence[Item]
    asked: int
    reused: int
    failures: Mapping[str, int]
    served: Mapping[str, Mapping[str, int]]


class Gathered:
    """Gather what became of the requests of a run; only the answers of the last window are in memory.

    Parameters
    ----------
    task, items, method
        What is asked.
    model : str
        Fingerprint of the model.
    by_item : bool
        Whether its answers depend on the item that asks.

    Attributes
    ----------
    book : Book
        The answers of the last window.
    """

    def __init__(
        self, task: Task, items: Sequence[Item], method: Method, model: str, *, by_item: bool
    ) -> None:
        self._task = task
        self._items = items
        self._method: Method = method
        self._model = model
        self._by_item = by_item
        self._window = Window(0, 0, ())
        self._answers = 0
        self._failures: Counter[str] = Counter()
        self._served: dict[str, Counter[str]] = {}
        self._missing = array("Q")
        self.book = Book(by_item=by_item)

    @property
    def answers(self) -> int:
        """Return the number of answers so far."""
        return self._answers + len(self.book)

    def begin(self, window: Window) -> Book:
        """Begin a window, and return the book for its answers."""
        self._answers += len(self.book)
        self._window = window
        self.book = Book(by_item=self._by_item)
        if window.finished is not None:
            self._answers += window.finished.requests
            self._add_served(window.finished.served)
        return self.book

    def end(self) -> Finished | None:
        """Count what became of a window that is over; return what is known of it if it has all answers."""
        said = served(self.book.values())
        self._add_served(said)
        self._failures.update(failure.reason for failure in self.book.failures)
        if self.book.failures:
            there = {item.id for item in answered(self._task, self._window.items, self._method, self.book)}
            places = enumerate(self._window.items, self._window.start)
            self._missing.extend(place for place, item in places if item.id not in there)
            return None
        return Finished(self._window.stop, len(self.book), said)

    def _add_served(self, said: Mapping[str, Mapping[str, int]]) -> None:
        for name, counts in said.items():
            self._served.setdefault(name, Counter()).update(counts)

    def outcome(self, store: Store, asked: int, reused: int) -> Outcome:
        """Return what became of all requests."""
        items = Without(self._items, self._missing) if self._missing else self._items
        answers: Answers = self.book
        if self._window.whole(self._items):
            items = items if items is self._items else list(items)
        else:
            answers = StoredAnswers(
                store, self._model, self._task, self._items, self._method, by_item=self._by_item
            )
        failures = dict(self._failures.most_common())
        said = {name: dict(counts.most_common()) for name, counts in self._served.items()}
        return Outcome(answers, items, asked, reused, failures, said)


@dataclass(frozen=True, slots=True)
class Remembered:
    """Hold what a store knows of a run.

    Attributes
    ----------
    outcome : Outcome
        A request without an answer or a failure counts as failed.
    lacking : int
        Number of these requests.
    """

    outcome: Outcome
    lacking: int


def remember(task: Task, items: Sequence[Item], run: RunRecord, store: Store) -> Remembered:
    """Look up all requests of a run in its store, but for those of windows that are known to be answered."""
    gathered = Gathered(task, items, run.method, run.fingerprint, by_item=run.by_item)
    lacking = 0
    for window in windows(items, store.finished_windows(run.id)):
        book = gathered.begin(window)
        if window.finished is None:
            for _, unknown in _stored_rounds(task, window, run, store, book):
                lacking += unknown
            gathered.end()
    return Remembered(gathered.outcome(store, 0, gathered.answers), lacking)


def remembered_keys(task: Task, items: Sequence[Item], run: RunRecord, store: Store) -> Iterator[set[str]]:
    """Yield the keys of all requests that the stored answers of a run lead to, in parts."""
    for window in windows(items, {}):
        book = Book(by_item=run.by_item)
        for keys, _ in _stored_rounds(task, window, run, store, book):
            yield keys


def _stored_rounds(
    task: Task, window: Window, run: RunRecord, store: Store, book: Book
) -> Iterator[tuple[set[str], int]]:
    """Fill the book from the store; yield the keys of each round, and how many have no answer and no failure."""
    for part in rounds(task, window.items, run.method, book, by_item=run.by_item):
        part.enter(store.get(run.fingerprint, list(part.wanted)), book)
        part.enter(store.failures(run.fingerprint, list(part.askers)), book)
        lacking = list(part.askers)
        part.enter(dict.fromkeys(lacking, Failure("not asked yet", 0)), book)
        yield set(part.wanted), len(lacking)
