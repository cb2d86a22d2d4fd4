"""Asks rounds of requests: the store answers what it can, and the model the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from probsense.core.errors import ModelError, ProbSenseError
from probsense.core.records import (
    Failure,
    Item,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Model
from probsense.models.registry import fingerprint
from probsense.runs.budget import within
from probsense.runs.gathered import Gathered, Outcome, remember
from probsense.runs.rounds import Answer, Round, rounds
from probsense.runs.store import RunRecord, Store
from probsense.runs.windows import Window, windows
from probsense.tasks.base import Method, Task

Q = TypeVar("Q", ScoreRequest, LabelRequest, SampleRequest)
A = TypeVar("A", ScoreResponse, LabelResponse, SampleResponse)
Keyed: TypeAlias = Sequence[tuple[str, Answer]]
Progress: TypeAlias = Callable[[int, int], None]
"""Function that is told the number of items that wait for nothing, and the number of all items."""


class Interrupted(ProbSenseError):  # noqa: N818 - not the program's error
    """Tell that the user stopped a run; the answers that had arrived are in the store."""


def execute(
    task: Task,
    items: Sequence[Item],
    method: Method,
    model: Model,
    store: Store,
    progress: Progress,
    max_cost: float | None = None,
    run: str | None = None,
) -> Outcome:
    """Get every answer that the task needs and the model gives.

    A request that the store can answer is not asked again. The others go to the model, all of one kind and round in one
    call, and the store keeps each batch of answers before the next one comes. It keeps failures, too, but the next call
    asks failed requests again. Many items are asked in windows, one after the other.

    Parameters
    ----------
    task, items, method, model
        The task, the items it asks about, how it asks, and the model.
    store : Store
        Must have a run of this model.
    progress : callable
        As in :data:`Progress`.
    max_cost : float, optional
        What the model may cost after it was loaded; beyond that, requests fail without being asked.
    run : str, optional
        The id of the run, if these are all of its items: then the windows that are answered are recorded, and the next
        call does not look them up.

    Raises
    ------
    Interrupted
        On Ctrl-C, after everything that arrived is stored.
    ModelError
        If the model leaves a request without answer or failure, or an answer cannot be stored or does not fit.
    """
    by_item = model.capabilities.by_item
    model_key = fingerprint(model)
    gathered = Gathered(task, items, method, model_key, by_item=by_item)
    asked = known = 0

    try:
        for window in windows(items, store.finished_windows(run) if run else {}):
            book = gathered.begin(window)
            if window.finished is not None:
                known += window.finished.requests
                continue

            def tell(part: Round, window: Window = window) -> None:
                # An item that waits for nothing may ask on in the next round.
                if part.lacking:
                    progress(window.stop - len(part.lacking), len(items))

            for part in rounds(task, window.items, method, book, by_item=by_item):
                known += len(part.wanted)
                part.enter(store.get(model_key, list(part.wanted)), book)
                tell(part)
                unknown = {key: part.wanted[key] for key in part.askers}
                for batch in ask(model, unknown, max_cost):
                    try:
                        part.enter(_keep(store, model, model_key, batch), book)
                    except KeyboardInterrupt:
                        part.enter(_keep(store, model, model_key, batch), book)
                        raise
                    tell(part)
                if part.askers:
                    left = f"{len(part.askers)} of {len(unknown)}"
                    raise ModelError(f"{model.name} left {left} requests without an answer")
                asked += len(unknown)
            finished = gathered.end()
            if run and finished and not window.whole(items):
                store.finish_window(run, window.start, finished)
        progress(len(items), len(items))
    except KeyboardInterrupt:
        raise Interrupted(_resume_line(gathered.answers, known, store)) from None
    return gathered.outcome(store, asked, known - asked)


def recall(task: Task, items: Sequence[Item], run: RunRecord, store: Store) -> Outcome:
    """Get every answer that a task needs from the store alone, as a run left it there.

    Raises
    ------
    ProbSenseError
        If the store has neither an answer to a request nor a failure.
    """
    found = remember(task, items, run, store)
    if found.lacking:
        raise ProbSenseError(
            f"{store.path}: the run {run.id} lacks {found.lacking:,} answers; "
            "run its command again to finish it"
        )
    return found.outcome


def ask(model: Model, wanted: Mapping[str, Request], max_cost: float | None = None) -> Iterator[Keyed]:
    """Yield the model's answers, batch by batch, with the keys of the requests.

    Parameters
    ----------
    model : Model
    wanted : Mapping of str to Request
        Requests by their keys.
    max_cost : float, optional
        As for :func:`execute`.

    Raises
    ------
    ModelError
        If an answer does not fit its request.
    """

    def ask_all(pairs: Sequence[tuple[str, Request]]) -> Iterator[Keyed]:
        yield from _call(model, model.score, [(key, r) for key, r in pairs if isinstance(r, ScoreRequest)])
        yield from _call(model, model.labels, [(key, r) for key, r in pairs if isinstance(r, LabelRequest)])
        yield from _call(model, model.sample, [(key, r) for key, r in pairs if isinstance(r, SampleRequest)])

    pairs = list(wanted.items())
    return ask_all(pairs) if max_cost is None else within(max_cost, lambda: model.usage.cost, ask_all, pairs)


def _call(
    model: Model, verb: Callable[[Sequence[Q]], Iterator[Batch[A]]], pairs: Sequence[tuple[str, Q]]
) -> Iterator[Keyed]:
    if not pairs:
        return
    for batch in verb([request for _, request in pairs]):
        for index, response in batch:
            if not isinstance(response, Failure) and not _fits(pairs[index][1], response):
                raise ModelError(f"{model.name} gave an answer that does not fit the {response.kind} request")
        yield [(pairs[index][0], response) for index, response in batch]


def _fits(request: Request, response: Response) -> bool:
    """Tell whether the response has the shape that the request asks for."""
    match request, response:
        case ScoreRequest(), ScoreResponse():
            return len(response.options) == len(request.options)
        case LabelRequest(), LabelResponse():
            return set(response.mass) == {name for name, _ in request.labels}
        case SampleRequest(), SampleResponse():
            return len(response.texts) == request.n
        case _:
            return False


def _keep(store: Store, model: Model, model_key: str, batch: Keyed) -> Mapping[str, Answer]:
    """Store a batch; an answer that another process stored first takes its place."""
    answers = [(key, answer) for key, answer in batch if not isinstance(answer, Failure)]
    failures = {key: answer for key, answer in batch if isinstance(answer, Failure)}
    try:
        kept = store.put(model_key, answers)
    except ValueError as error:
        raise ModelError(f"{model.name} gave an answer that cannot be stored: {error}") from error
    return {**failures, **kept, **store.put_failures(model_key, failures)} if failures else kept


def _resume_line(answered: int, known: int, store: Store) -> str:
    if store.path is None:
        return f"interrupted after {answered:,} of {known:,} answers; nothing is stored"
    return (
        f"interrupted: {answered:,} of {known:,} answers are stored in {store.path}; "
        "run the same command again to resume"
    )
