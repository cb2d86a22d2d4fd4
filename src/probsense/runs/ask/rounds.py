"""Collects the requests of a task in rounds, and their answers in a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from probsense.core.records import (
    Failure,
    Item,
    Json,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    request_key,
)
from probsense.models.prompts.thoughts import UNFINISHED, Thinking, without_thoughts
from probsense.models.registry import fingerprint
from probsense.runs.ask.plan import Plan, task_of
from probsense.runs.ask.thinking import AfterChains, Chains
from probsense.runs.store.rows import DAMAGE, RUN, Answer, RunRecord
from probsense.runs.store.store import Store
from probsense.show.text import counted
from probsense.tasks.base import Answers, Method, Task

NOT_ASKED: Final = Failure("not asked yet", 0)
"""What stands for an answer that nobody has."""


class Book(Mapping[Request, Response]):
    """Keep answers by request, and failed requests.

    Parameters
    ----------
    by_item : bool
        Whether equal requests of two items are two requests.
    chains : Chains, optional
        How the model thinks before each answer, if it does: the book then has the answers after each chain.

    Attributes
    ----------
    view : Answers
        The answers as the task sees them: after chains, their means.
    """

    def __init__(self, *, by_item: bool = False, chains: Chains | None = None) -> None:
        self.by_item = by_item
        self.chains = chains
        self.view: Answers = self if chains is None else AfterChains(chains, self)
        self.thinking = Thinking()
        self._answers: dict[tuple[Request, str], Response] = {}
        self._failures: dict[tuple[Request, str], Failure] = {}

    def add(self, request: Request, answer: Answer) -> None:
        """Enter the answer to a request, without what the model wrote for itself, or its failure."""
        thought = isinstance(request, SampleRequest) and request.thinks
        if isinstance(answer, SampleResponse) and not thought:
            found = without_thoughts(answer)
            if isinstance(found, Failure) and request.thought is not None:
                # One of several texts that the task asks for ended within another thought: it is missing.
                none = None if answer.cut is None else ()
                found = SampleResponse((), answer.server, none, (), len(answer.texts))
            answer = found
            self.thinking += Thinking.of(answer, request)
        if isinstance(answer, Failure):
            self._failures[self._entry(request)] = answer
        else:
            self._answers[self._entry(request)] = answer

    def lacking(self, request: Request) -> list[Request]:
        """List what has to be asked next for a request of the task."""
        if self.chains is not None:
            return self.chains.lacking(request, self)
        return [] if request in self else [request]

    def failed(self, request: Request) -> bool:
        """Tell whether a request failed."""
        return self._entry(request) in self._failures

    @property
    def failures(self) -> Sequence[Failure]:
        """Return the failures of all failed requests."""
        return tuple(self._failures.values())

    def __getitem__(self, request: Request) -> Response:
        return self._answers[self._entry(request)]

    def __iter__(self) -> Iterator[Request]:
        return (request for request, _ in self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def _entry(self, request: Request) -> tuple[Request, str]:
        return request, request.item if self.by_item else ""


class Round(NamedTuple):
    """Hold the requests that can be asked at the same time.

    Attributes
    ----------
    wanted : dict of str to Request
        Each request once, by its key.
    unknown : dict of str to Request
        Those of them that have no answer yet.
    waiting : int
        The number of items that wait for some of them.
    """

    wanted: dict[str, Request]
    unknown: dict[str, Request]
    waiting: int

    def enter(self, answers: Mapping[str, Answer], book: Book) -> None:
        """Enter answers to requests of this round, or their failures, into the book."""
        for key, answer in answers.items():
            book.add(self.wanted[key], answer)
            self.unknown.pop(key, None)


@dataclass(frozen=True, slots=True)
class Interview:
    """A task as it asks one model, and the store that keeps the answers.

    Attributes
    ----------
    task : Task
    method : Method
    store : Store
    model : str
        Fingerprint of the model.
    by_item : bool
        Whether the model's answers depend on the item that asks, so that the key of a request includes that.
    chains : Chains or None
        How the model thinks before each answer, if it does.
    """

    task: Task
    method: Method
    store: Store
    model: str
    by_item: bool = False
    chains: Chains | None = None

    @classmethod
    def planned(cls, plan: Plan, store: Store) -> Self:
        """Make the interview of a plan."""
        by_item = plan.model.capabilities.by_item
        return cls(plan.task, plan.method, store, fingerprint(plan.model), by_item, plan.chains)

    @classmethod
    def recorded(cls, run: RunRecord, store: Store) -> Self:
        """Make the interview of a run in a store.

        Raises
        ------
        InputError
            For a task, an option or a file that is not there any more, and for a damaged row.
        """
        task = task_of(run.task, run.options)
        try:
            chains = Chains.of_run(run.options, run.details)
        except DAMAGE as error:
            raise RUN.damaged(store.path, run.id, str(error)) from None
        return cls(task, run.method, store, run.fingerprint, run.by_item, chains)

    def book(self) -> Book:
        """Return an empty book for the answers."""
        return Book(by_item=self.by_item, chains=self.chains)

    def rounds(self, items: Sequence[Item], book: Book) -> Iterator[Round]:
        """Yield the requests about items in rounds, after the answers of the store are entered into the book.

        The caller enters the other answers of a round before it takes the next. An item with a failed request asks
        nothing more. Where the model thinks first, chains of thought come before what is asked after them.
        """
        task, method, by_item = self.task, self.method, self.by_item
        waiting = items
        while waiting:
            wanted, still = dict[str, Request](), list[Item]()
            for item in waiting:
                asked = task.requests(item, method, book.view)
                unknown = [*dict.fromkeys(one for request in asked for one in book.lacking(request))]
                if not unknown or any(map(book.failed, unknown)):
                    continue
                still.append(item)
                for request in unknown:
                    if by_item and request.item != item.id:
                        raise ValueError(f"{task.name}: a request of item {item.id!r} names {request.item!r}")
                    wanted.setdefault(request_key(request, by_item=by_item), request)
            waiting = still
            if wanted:
                part = Round(wanted, {**wanted}, len(waiting))
                part.enter(self.store.get(self.model, [*wanted]), book)
                yield part

    def stored_rounds(self, items: Sequence[Item], book: Book) -> Iterator[Round]:
        """Yield the requests about items in rounds, as far as the store has answers: the model is not asked."""
        for part in self.rounds(items, book):
            yield part
            part.enter(dict.fromkeys([*part.unknown], NOT_ASKED), book)

    def unanswered(self, items: Sequence[Item]) -> tuple[Book, dict[str, Request]]:
        """Return the answers that the store has, and the requests to ask next, by their keys."""
        book, wanted = self.book(), dict[str, Request]()
        for part in self.stored_rounds(items, book):
            wanted |= part.unknown
        return book, wanted

    def answered(self, items: Sequence[Item], book: Book) -> Sequence[Item]:
        """List the items that have all their answers in a book."""
        if not (book.failures or book.thinking.unfinished):
            return items
        view = book.view
        return [
            item
            for item in items
            if all(request in view for request in self.task.requests(item, self.method, view))
        ]


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
        part.enter(interview.store.failures(interview.model, [*part.unknown]), book)
        lacking += len(part.unknown)
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
