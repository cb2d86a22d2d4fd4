"""The answers of a large run, looked up in its store when they are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from probsense.core.digests import Digests
from probsense.core.records import (
    Failure,
    Item,
    Request,
    Response,
    SampleResponse,
    request_key,
    response_from_json,
)
from probsense.runs.rounds import Book, rounds
from probsense.runs.store import Store
from probsense.tasks.base import Method, Task

PAGE: Final = 500
"""Answers to read at once."""
KEPT: Final = 100_000
"""Answers to keep at least, if there are so many: all of a window, which came in the model's order."""


class StoredAnswers(Mapping[Request, Response]):
    """The answers to the requests of a run; some of them are in memory at a time.

    Lookups in the order in which the answers arrived are cheap, because one reads those that follow, too.

    Parameters
    ----------
    store : Store
        Open as long as answers are read.
    model : str
        Fingerprint of the model.
    by_item : bool
        Whether its answers depend on the item that asks.
    task, items, method
        What was asked, to go through all requests.
    """

    def __init__(
        self, store: Store, model: str, task: Task, items: Sequence[Item], method: Method, *, by_item: bool
    ) -> None:
        self._store = store
        self._model = model
        self._by_item = by_item
        self._task = task
        self._items = items
        self._method: Method = method
        self._recent: dict[str, tuple[str, str]] = {}
        self._earlier: dict[str, tuple[str, str]] = {}
        self._last: tuple[str, Response] = "", SampleResponse(())
        self._number: int | None = None

    def __getitem__(self, request: Request) -> Response:
        key = request_key(request, by_item=self._by_item)
        if key == self._last[0]:
            return self._last[1]
        found = self._recent.get(key) or self._earlier.get(key)
        if found is None:
            page = self._store.following(self._model, key, PAGE)
            if key not in page:
                raise KeyError(request)
            if len(self._recent) > KEPT:
                self._earlier, self._recent = self._recent, {}
            self._recent |= page
            found = page[key]
        self._last = key, response_from_json(*found)
        return self._last[1]

    def __iter__(self) -> Iterator[Request]:
        seen, items = Digests(), iter(self._items)
        while page := list(islice(items, PAGE)):
            book = Book(by_item=self._by_item)
            for part in rounds(self._task, page, self._method, book, by_item=self._by_item):
                found = self._store.get(self._model, [*part.wanted])
                part.enter(found, book)
                yield from (part.wanted[key] for key in found if seen.add(int(key[:16], 16)))
                part.enter(dict.fromkeys(list(part.askers), Failure("no answer", 0)), book)

    def __len__(self) -> int:
        if self._number is None:
            self._number = sum(1 for _ in self)
        return self._number
