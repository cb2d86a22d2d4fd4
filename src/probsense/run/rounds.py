"""Rounds of requests: what a task wants to know at the same time, and the book of what became known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from probsense.records import Failure, Item, Request, Response, request_key
from probsense.tasks.base import Growing, Method, Task

Answer: TypeAlias = Response | Failure
"""What became of a request."""


class Book(Mapping[Request, Response]):
    """Answers by request, and the requests that failed; with ``by_item`` equal words of two items are two requests."""

    def __init__(self, *, by_item: bool = False) -> None:
        self._by_item = by_item
        self._answers: dict[tuple[Request, str], Response] = {}
        self._failures: dict[tuple[Request, str], Failure] = {}

    def add(self, request: Request, answer: Answer) -> None:
        """Enter what became of a request."""
        if isinstance(answer, Failure):
            self._failures[self._entry(request)] = answer
        else:
            self._answers[self._entry(request)] = answer

    def failed(self, request: Request) -> bool:
        """Whether it was asked in vain."""
        return self._entry(request) in self._failures

    @property
    def failures(self) -> Sequence[Failure]:
        """Of all requests that were asked in vain."""
        return tuple(self._failures.values())

    def __getitem__(self, request: Request) -> Response:
        return self._answers[self._entry(request)]

    def __iter__(self) -> Iterator[Request]:
        return (request for request, _ in self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def _entry(self, request: Request) -> tuple[Request, str]:
        return request, request.item if self._by_item else ""


@dataclass(frozen=True, slots=True)
class Round:
    """What is wanted at the same time.

    Attributes
    ----------
    wanted : dict of str to Request
        Each request once, by its key.
    askers : dict of str to list of int
        Positions of the items that wait for each request.
    lacking : Counter of int
        For how many requests each of these items waits; an item that waits for none is not in it.
    """

    wanted: dict[str, Request]
    askers: dict[str, list[int]]
    lacking: Counter[int]

    def enter(self, answers: Mapping[str, Answer], book: Book) -> None:
        """Write what became of requests of this round into the book."""
        for key, answer in answers.items():
            book.add(self.wanted[key], answer)
            for position in self.askers.pop(key, ()):
                self.lacking[position] -= 1
                if not self.lacking[position]:
                    del self.lacking[position]


def rounds(
    task: Task, items: Sequence[Item], method: Method, book: Book, *, by_item: bool
) -> Iterator[Round]:
    """What the task wants to know: the caller enters all answers of a round before it takes the next.

    Of an item with a request that failed nothing more is wanted.

    Parameters
    ----------
    task : Task
    items : sequence of Item
    method : Method
    book : Book
        The answers so far.
    by_item : bool
        Whether the item that asks belongs to the key of a request.
    """
    waiting: Sequence[int] = range(len(items))
    while waiting:
        part = Round({}, {}, Counter())
        for position in waiting:
            item = items[position]
            unknown = [r for r in dict.fromkeys(task.requests(item, method, book)) if r not in book]
            if any(map(book.failed, unknown)):
                continue
            for request in unknown:
                if by_item and request.item != item.id:
                    raise ValueError(f"{task.name}: a request of item {item.id!r} names {request.item!r}")
                key = request_key(request, by_item=by_item)
                part.wanted.setdefault(key, request)
                part.askers.setdefault(key, []).append(position)
                part.lacking[position] += 1
        waiting = sorted(part.lacking)
        if waiting:
            yield part


def answered(task: Task, items: Sequence[Item], method: Method, book: Book) -> Sequence[Item]:
    """Those of the items that have all their answers, or enough of them for a :class:`Growing` task."""
    if not book.failures:
        return items

    def is_answered(item: Item) -> bool:
        return all(request in book for request in task.requests(item, method, book)) or (
            isinstance(task, Growing) and task.suffices(item, method, book)
        )

    return [item for item in items if is_answered(item)]
