"""Asking: rounds of requests, answered from the store as far as it goes and by the model for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from probsense.errors import ModelError, ProbSenseError
from probsense.models.base import Batch, Model
from probsense.models.registry import fingerprint
from probsense.records import (
    Item,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    request_key,
)
from probsense.run.store import RunRecord, Store
from probsense.tasks.base import Answers, Method, Task

Q = TypeVar("Q", ScoreRequest, LabelRequest, SampleRequest)
A = TypeVar("A", ScoreResponse, LabelResponse, SampleResponse)
Keyed: TypeAlias = Sequence[tuple[str, Response]]
Progress: TypeAlias = Callable[[int, int], None]
"""Is told the number of items that wait for nothing, and the number of all items."""


class Interrupted(ProbSenseError):  # noqa: N818 - not the program's error
    """The user stopped a run; what had arrived is in the store."""


class Book(Mapping[Request, Response]):
    """Answers by request; with ``by_item`` equal words of two items are two requests."""

    def __init__(self, *, by_item: bool = False) -> None:
        self._by_item = by_item
        self._answers: dict[tuple[Request, str], Response] = {}

    def add(self, request: Request, response: Response) -> None:
        """Enter an answer."""
        self._answers[self._entry(request)] = response

    def __getitem__(self, request: Request) -> Response:
        return self._answers[self._entry(request)]

    def __iter__(self) -> Iterator[Request]:
        return (request for request, _ in self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def _entry(self, request: Request) -> tuple[Request, str]:
        return request, request.item if self._by_item else ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All answers to all items, and how many of them the model was asked for and the store had."""

    answers: Answers
    asked: int
    reused: int


@dataclass(frozen=True, slots=True)
class Round:
    """What is wanted at the same time.

    Attributes
    ----------
    wanted : dict of str to Request
        Each request once, by its key.
    askers : dict of str to list of int
        Positions of the items that need each request that has no answer yet.
    lacking : Counter of int
        How many answers each of these items lacks; an item that lacks none is not in it.
    """

    wanted: dict[str, Request]
    askers: dict[str, list[int]]
    lacking: Counter[int]

    def enter(self, answers: Mapping[str, Response], book: Book) -> None:
        """Write answers to requests of this round into the book."""
        for key, response in answers.items():
            book.add(self.wanted[key], response)
            for position in self.askers.pop(key, ()):
                self.lacking[position] -= 1
                if not self.lacking[position]:
                    del self.lacking[position]


def rounds(
    task: Task, items: Sequence[Item], method: Method, book: Book, *, by_item: bool
) -> Iterator[Round]:
    """What the task wants to know: the caller enters all answers of a round before it takes the next.

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
            for request in dict.fromkeys(task.requests(item, method, book)):
                if request in book:
                    continue
                if by_item and request.item != item.id:
                    raise ValueError(f"{task.name}: a request of item {item.id!r} names {request.item!r}")
                key = request_key(request, by_item=by_item)
                part.wanted.setdefault(key, request)
                part.askers.setdefault(key, []).append(position)
                part.lacking[position] += 1
        waiting = sorted(part.lacking)
        if waiting:
            yield part


def execute(
    task: Task, items: Sequence[Item], method: Method, model: Model, store: Store, progress: Progress
) -> Outcome:
    """Get every answer that the task needs.

    A request that the store can answer is not asked again. The others go to the model, all of a kind and
    round in one call, and each batch of answers is in the store before the next is waited for.

    Parameters
    ----------
    task, items, method, model
        What asks, about what, how, and whom.
    store : Store
        Must have a run of this model.
    progress : callable
        See :data:`Progress`.

    Raises
    ------
    Interrupted
        On Ctrl-C, when everything that arrived is stored.
    ModelError
        If an answer is missing, cannot be stored or does not fit its request.
    """
    by_item = model.capabilities.by_item
    model_key = fingerprint(model)
    book = Book(by_item=by_item)
    asked = known = 0
    try:
        for part in rounds(task, items, method, book, by_item=by_item):
            known += len(part.wanted)
            part.enter(store.get(model_key, list(part.wanted)), book)
            progress(len(items) - len(part.lacking), len(items))
            unknown = {key: part.wanted[key] for key in part.askers}
            for batch in _ask(model, unknown):
                try:
                    part.enter(_keep(store, model, model_key, batch), book)
                except KeyboardInterrupt:
                    part.enter(_keep(store, model, model_key, batch), book)
                    raise
                progress(len(items) - len(part.lacking), len(items))
            if part.askers:
                left = f"{len(part.askers)} of {len(unknown)}"
                raise ModelError(f"{model.name} left {left} requests without an answer")
            asked += len(unknown)
    except KeyboardInterrupt:
        raise Interrupted(_resume_line(len(book), known, store)) from None
    return Outcome(book, asked, len(book) - asked)


def recall(task: Task, items: Sequence[Item], run: RunRecord, store: Store) -> Outcome:
    """Get every answer that a task needs from a store alone, as a run left it there.

    Raises
    ------
    ProbSenseError
        If the store lacks an answer.
    """
    book = Book(by_item=run.by_item)
    for part in rounds(task, items, run.method, book, by_item=run.by_item):
        part.enter(store.get(run.fingerprint, list(part.wanted)), book)
        if part.askers:
            raise ProbSenseError(
                f"{store.path}: the run {run.id} lacks {len(part.askers):,} answers; "
                "run its command again to finish it"
            )
    return Outcome(book, 0, len(book))


def _ask(model: Model, wanted: Mapping[str, Request]) -> Iterator[Keyed]:
    """The model's answers, batch by batch, with the keys of the requests."""
    pairs = list(wanted.items())
    yield from _call(model, model.score, [(key, r) for key, r in pairs if isinstance(r, ScoreRequest)])
    yield from _call(model, model.labels, [(key, r) for key, r in pairs if isinstance(r, LabelRequest)])
    yield from _call(model, model.sample, [(key, r) for key, r in pairs if isinstance(r, SampleRequest)])


def _call(
    model: Model, verb: Callable[[Sequence[Q]], Iterator[Batch[A]]], pairs: Sequence[tuple[str, Q]]
) -> Iterator[Keyed]:
    if not pairs:
        return
    for batch in verb([request for _, request in pairs]):
        for index, response in batch:
            if not _fits(pairs[index][1], response):
                raise ModelError(f"{model.name} gave an answer that does not fit the {response.kind} request")
        yield [(pairs[index][0], response) for index, response in batch]


def _fits(request: Request, response: Response) -> bool:
    """Whether the response has the shape that the request asks for."""
    match request, response:
        case ScoreRequest(), ScoreResponse():
            return len(response.options) == len(request.options)
        case LabelRequest(), LabelResponse():
            return set(response.mass) == {name for name, _ in request.labels}
        case SampleRequest(), SampleResponse():
            return len(response.texts) == request.n
        case _:
            return False


def _keep(store: Store, model: Model, model_key: str, batch: Keyed) -> Mapping[str, Response]:
    try:
        return store.put(model_key, batch)
    except ValueError as error:
        raise ModelError(f"{model.name} gave an answer that cannot be stored: {error}") from error


def _resume_line(answered: int, known: int, store: Store) -> str:
    if store.path is None:
        return f"interrupted after {answered:,} of {known:,} answers; nothing is stored"
    return (
        f"interrupted: {answered:,} of {known:,} answers are stored in {store.path}; "
        "run the same command again to go on"
    )
