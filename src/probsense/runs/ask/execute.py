"""Answers rounds of requests from the store, and asks the model for the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

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
from probsense.models.base import Model
from probsense.runs.ask.plan import Plan
from probsense.runs.ask.progress import Progress
from probsense.runs.ask.rounds import Interview, Outcome, Round, outcome_of
from probsense.runs.store.rows import Answer
from probsense.runs.store.store import Store

Keyed: TypeAlias = Sequence[tuple[str, Answer]]
"""Answers with the keys of their requests."""
GROWTH: Final = 8
"""Largest factor between one part and the next, since the cost of a few requests says little about the others."""


class Interrupted(ProbSenseError):  # noqa: N818 - not the program's error
    """Tell that the user stopped a run; the answers that had arrived are in the store."""


def execute(
    planned: Plan,
    items: Sequence[Item],
    store: Store,
    progress: Progress,
    max_cost: float | None = None,
    run: str = "",
) -> Outcome:
    """Get every answer that the task needs and the model gives.

    A request that the store can answer is not asked again. The others go to the model, all of one kind and round in one
    call, and the store keeps each batch of answers before the next one comes. It keeps failures, too, but the next call
    asks failed requests again.

    Parameters
    ----------
    planned : Plan
    items : sequence of Item
        Those that are asked about.
    store : Store
        Must have a run of this model.
    progress : callable
        Is told about how many items wait for nothing, and the number of all items.
    max_cost : float, optional
        What the model may cost after it was loaded; beyond that, requests fail without being asked.
    run : str
        The id of the run that is charged: the store keeps what answers took with each batch.

    Raises
    ------
    Interrupted
        On Ctrl-C, after everything that arrived is stored.
    ModelError
        If the model leaves a request without answer or failure, or an answer cannot be stored or does not fit.
    """
    model, interview = planned.model, Interview.planned(planned, store)
    book = interview.book()
    charged, wanted, asked = model.usage, 0, 0

    def tell(part: Round) -> None:
        # The items that wait are taken to wait for the unknown answers alike.
        if part.unknown:
            waiting = math.ceil(part.waiting * len(part.unknown) / len(part.wanted))
            progress(len(items) - waiting, len(items))

    def keep(batch: Keyed) -> Mapping[str, Answer]:
        """Store a batch of answers, and what the model has used since the last one.

        An answer that another process stored first takes the place of the model's.
        """
        nonlocal charged
        used = model.usage
        try:
            kept = store.put(interview.model, batch, {run: used.since(charged)} if run else {})
        except ValueError as error:
            raise ModelError(f"{model.name} gave an answer that cannot be stored: {error}") from error
        charged = used
        return kept

    try:
        for part in interview.rounds(items, book):
            tell(part)
            wanted += len(part.wanted)
            unknown = {**part.unknown}
            for batch in ask(model, unknown, max_cost):
                try:
                    part.enter(keep(batch), book)
                except KeyboardInterrupt:
                    part.enter(keep(batch), book)
                    raise
                tell(part)
            if part.unknown:
                left = f"{len(part.unknown)} of {len(unknown)}"
                raise ModelError(f"{model.name} left {left} requests without an answer")
            asked += len(unknown)
        progress(len(items), len(items))
    except KeyboardInterrupt:
        arrived = f"{len(book):,} of {wanted:,} answers"
        if store.path is None:
            raise Interrupted(f"interrupted after {arrived}; nothing is stored") from None
        said = f"{arrived} are stored in {store.path}; run the same command again to resume"
        raise Interrupted(f"interrupted: {said}") from None
    finally:
        keep(())  # what was asked in vain
    return outcome_of(interview, items, book, asked, wanted - asked)


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
        for verb, kind in (("score", ScoreRequest), ("labels", LabelRequest), ("sample", SampleRequest)):
            # A model has those verbs alone that its capabilities name.
            if own := [(key, request) for key, request in pairs if isinstance(request, kind)]:
                for batch in getattr(model, verb)([request for _, request in own]):
                    found = ((*own[index], answer) for index, answer in batch)
                    yield [(key, fitting(request, answer)) for key, request, answer in found]

    def fitting(request: Request, answer: Answer) -> Answer:
        if not isinstance(answer, Failure) and not _fits(request, answer):
            raise ModelError(f"{model.name} gave an answer that does not fit the {answer.kind} request")
        return answer

    pairs = list(wanted.items())
    return ask_all(pairs) if max_cost is None else within(max_cost, lambda: model.usage.cost, ask_all, pairs)


def _fits(request: Request, response: Response) -> bool:
    """Tell whether the response has the shape that the request asks for, and known numbers for all options."""
    match request, response:
        case ScoreRequest(), ScoreResponse():
            known = all(
                score.option.logprobs
                and all(map(math.isfinite, score.option.logprobs + score.suffix.logprobs))
                for score in response.options
            )
            return known and len(response.options) == len(request.options)
        case LabelRequest(), LabelResponse():
            return set(response.mass) == {name for name, _ in request.labels}
        case SampleRequest(), SampleResponse():
            return len(response.texts) == request.n
        case _:
            return False


def within(
    budget: float,
    spent: Callable[[], float],
    ask: Callable[[Sequence[tuple[str, Request]]], Iterator[Keyed]],
    pairs: Sequence[tuple[str, Request]],
) -> Iterator[Keyed]:
    """Ask until a budget is spent; the remaining requests fail.

    Every part is asked to its end, so no answer that was paid for is lost. The first part is one request. Each further
    part has at most half of the requests that the rest of the budget would pay for at the mean cost so far.

    Parameters
    ----------
    budget : float
        Above 0.
    spent : callable
        Returns how much of it is spent.
    ask : callable
        Takes requests with their keys and yields batches of answers with them.
    pairs : sequence of (str, Request)
        The requests, with their keys.
    """
    start, done, size = spent(), 0, 1
    while done < len(pairs):
        if spent() >= budget:
            failure = Failure(f"the budget of {budget:g} was spent; --max-cost sets a higher one", 0)
            yield [(key, failure) for key, _ in pairs[done:]]
            return
        yield from ask(pairs[done : done + size])
        done += len(pairs[done : done + size])
        mean = (spent() - start) / done
        affordable = int((budget - spent()) / mean / 2) if mean > 0 else len(pairs)
        size = min(GROWTH * size, max(1, affordable))
