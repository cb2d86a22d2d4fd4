"""Forecasts what a run would ask and cost, without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Self

from probsense.core.records import Item, Request, ScoreRequest, request_key
from probsense.models.base import BYTES_A_TOKEN, REASONING, Forecasting, Model, Usage, findings_of, size
from probsense.runs.ask.plan import Plan, check_budget, in_kept_format
from probsense.runs.ask.progress import describe_usage
from probsense.runs.ask.rounds import Book, Interview
from probsense.runs.store.store import Store
from probsense.show.text import counted
from probsense.tasks.base import Method


@dataclass(frozen=True, slots=True)
class Tried:
    """What some questions of a run took, and what the others are likely to take.

    Attributes
    ----------
    questions : int
        Those that have been answered.
    took : Usage
    lacking : int
        How many are still to be asked.
    used : Usage
        What these are likely to take: as much as the others did.
    """

    questions: int
    took: Usage
    lacking: int
    used: Usage

    @classmethod
    def of(cls, questions: int, took: Usage, lacking: int) -> Self:
        """Estimate what the questions take that are still to be asked."""
        share = lacking / questions
        likely = (round(n * share) if isinstance(n, int) else n * share for n in astuple(took))
        return cls(questions, took, lacking, Usage(*likely))

    def __str__(self) -> str:
        took = f"{counted(self.questions, 'question')} took {describe_usage(self.took)}"
        return f"{took}; the other {self.lacking:,} are likely to take {describe_usage(self.used)}"


@dataclass(frozen=True, slots=True)
class Forecast:
    """Hold what a run would do.

    Attributes
    ----------
    task, model : str
    method : Method
    items, answered : int
        All items, and those that have all their answers in the store.
    stored : int
        Requests that the store can answer.
    wanted : int
        Requests to ask now, without those that follow from the answers.
    used : Usage
        The most that answers to these would cost; the number of input tokens is an estimate.
    most : Usage or None
        The most that the run may cost if the task asks further requests; None if it does not.
    priced : bool
        Whether the model's prices are known.
    tried : Tried or None
        None unless some questions were asked to tell what the others take.
    control : Usage or None
        What the control questions take that find the prompt format, in the usual format; each further format that is
        tried takes as much again. None if the format is known.
    """

    task: str
    model: str
    method: Method
    items: int
    answered: int
    stored: int
    wanted: int
    used: Usage
    most: Usage | None
    priced: bool
    tried: Tried | None = None
    control: Usage | None = None

    def __str__(self) -> str:
        lines = [
            f"{self.task}, {self.model}: {self.items:,} items by the method {self.method}",
            f"to be asked: {self.wanted:,} requests ({self.stored:,} are answered in the store)",
        ]
        if self.control is not None:
            lines.append(
                f"before that, control questions to find the prompt format: {describe_usage(self.control)}, and as much"
                " again for each further format that is tried"
            )
        if self.wanted:
            lines.append(f"at most: {describe_usage(self.used)}")
        if self.most is not None:
            lines.append(f"at most, with all follow-up requests: {describe_usage(self.most)}")
        if self.tried is not None:
            lines.append(str(self.tried))
        if self.wanted:
            lines.append(
                "input tokens are estimated from the length of texts; written tokens are the maximum"
            )
        if not self.priced:
            lines.append("the prices are not known, so there is no cost")
        return "\n".join(lines)


def forecast(planned: Plan, *, store: Path | str | None = None, max_cost: float | None = None) -> Forecast:
    """Forecast what a run would ask and cost, without asking the model or changing the store.

    Parameters
    ----------
    planned : Plan
        As from :func:`~probsense.runs.ask.plan.plan`.
    store : Path or str or None
        The store that the run would use; it need not exist.
    max_cost : float, optional
        The budget that the run would have.

    Raises
    ------
    InputError
        For a file that is not a store, and a budget without known prices.
    """
    check_budget(planned.model, max_cost)
    there = store if store is not None and Path(store).exists() else None
    branches = planned.task.brings("most_requests")
    with Store.open(there) as opened:
        fitting, questions = in_kept_format(planned, opened)
        model, items, interview = fitting.model, fitting.items, Interview.planned(fitting, opened)
        book, wanted = interview.unanswered(items)
        every = _further(interview, items, book, branches=branches) if branches or fitting.chains else {}
    control = _used(planned.model, questions) if wanted and questions else None
    return Forecast(
        planned.task.name,
        model.name,
        planned.method,
        len(items),
        len(interview.answered(items, book)),
        len(book),
        len(wanted),
        _used(model, wanted.values()),
        None if every.keys() <= wanted.keys() else _used(model, every.values()),
        isinstance(model, Forecasting) and model.priced,
        control=control,
    )


def thinks(planned: Plan) -> bool:
    """Tell whether a model thinks before its answers, by chains or behind its server."""
    alone = any(found.name == REASONING for found in findings_of(planned.model))
    return alone or planned.chains is not None


def _further(
    interview: Interview, items: Sequence[Item], book: Book, *, branches: bool
) -> dict[str, Request]:
    """Return all requests without an answer that may come, by their keys.

    With branches, these are all that answers may lead to. Chains to come have the most tokens.
    """
    task, method, chains, view = interview.task, interview.method, interview.chains, book.view
    wanted = dict[Request, None]()
    for item in items:
        now = task.requests(item, method, view)
        if any(request not in view for request in now):
            wanted |= dict.fromkeys(task.most_requests(item, method) if branches else now)
    every = [request for request in wanted if request not in view]
    if chains is not None:
        every = [one for request in every for one in chains.rest(request, book)]
    return {request_key(request, by_item=interview.by_item): request for request in every}


def _used(model: Model, requests: Iterable[Request]) -> Usage:
    return model.forecast([*requests]) if isinstance(model, Forecasting) else guessed(requests)


def guessed(requests: Iterable[Request]) -> Usage:
    """Estimate the usage of a model that makes no forecast: one request for each, tokens by the length of its texts."""
    used = Usage()
    for request in requests:
        begin, more = size(request)
        ends = [""]
        if isinstance(request, ScoreRequest):
            ends, more = [option + request.suffix for option in request.options], 0
        tokens = sum(-(-len((begin + end).encode()) // BYTES_A_TOKEN) for end in ends)
        used += Usage(requests=1, tokens=tokens, written=more)
    return used
