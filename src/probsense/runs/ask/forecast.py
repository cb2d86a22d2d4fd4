"""Forecasts what a run would ask and cost, without asking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

from probsense.core.records import (
    Item,
    Json,
    LabelRequest,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    continued,
    request_key,
)
from probsense.models.base import BYTES_A_TOKEN, REASONING, Forecasting, Model, Usage, findings_of
from probsense.runs.ask.formats import control_requests, in_kept_format
from probsense.runs.ask.plan import Plan, check_budget
from probsense.runs.ask.progress import describe_usage
from probsense.runs.ask.rounds import Book, Interview, is_thought
from probsense.runs.ask.thinking import Chain
from probsense.runs.store.store import Store
from probsense.show.text import counted
from probsense.tasks.base import Method

TRIED: Final = 3
"""Questions of a trial."""
ENOUGH: Final = 24
"""Thoughts of a trial: one question is enough that has so many by itself."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of the thoughts that a run has so far, and what the rest of it takes with thoughts as long.

    Attributes
    ----------
    questions : int
        Those that have thoughts in the store.
    texts : int
        These thoughts; behind a server that thinks by itself, texts with their thoughts.
    tokens : float
        The mean over them.
    lacking : int
        How many are still to come.
    used : Usage
        What is still to be asked.
    """

    questions: int
    texts: int
    tokens: float
    lacking: int
    used: Usage

    def __str__(self) -> str:
        asked, thoughts = counted(self.questions, "question"), counted(self.texts, "thought")
        took = f"{asked} took {thoughts} of {self.tokens:,.0f} tokens"
        rest = f"the other {self.lacking:,} are likely to take {self.tokens * self.lacking:,.0f}"
        return f"{took} (mean); {rest}" + (f", cost {self.used.cost:,.4f}" if self.used.cost else "")


@dataclass(frozen=True, slots=True)
class Forecast:
    """Hold what a run would do.

    Attributes
    ----------
    task, model : str
    method : Method
    items : int
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
    thoughts : Lengths or None
        None if the model does not think, or the store has no thoughts of this run.
    control : Usage or None
        What the control questions take that find the prompt format, in the usual format; each further format that is
        tried takes as much again. None if the format is known.
    """

    task: str
    model: str
    method: Method
    items: int
    stored: int
    wanted: int
    used: Usage
    most: Usage | None
    priced: bool
    thoughts: Lengths | None = None
    control: Usage | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the forecast as a JSON object."""
        return asdict(self)

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
        if self.thoughts is not None:
            lines.append(str(self.thoughts))
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
        fitting = in_kept_format(planned, opened)
        model, items, interview = fitting.model, fitting.items(), Interview.planned(fitting, opened)
        book, wanted = interview.unanswered(items)
        every = _further(interview, items, book, branches=branches) if branches or fitting.chains else {}
        thoughts = _lengths(interview, items, model, book, wanted) if wanted and thinks(fitting) else None
        control = _used(planned.model, control_requests(planned, opened)) if wanted else Usage()
    return Forecast(
        planned.task.name,
        model.name,
        planned.method,
        len(items),
        len(book),
        len(wanted),
        _used(model, wanted.values()),
        None if every.keys() <= wanted.keys() else _used(model, every.values()),
        isinstance(model, Forecasting) and model.priced,
        thoughts,
        control if control.requests else None,
    )


def thinks(planned: Plan) -> bool:
    """Tell whether a model thinks before its answers, by chains or behind its server."""
    alone = any(found.name == REASONING for found in findings_of(planned.model))
    return alone or planned.chains is not None


def questions_to_try(planned: Plan, item: Item) -> int:
    """Tell how many questions like this one show how long a model thinks."""
    chains = planned.chains
    requests = planned.task.requests(item, planned.method, {})
    thoughts = sum(
        len(chains.of(request)) if chains else request.n if isinstance(request, SampleRequest) else 1
        for request in requests
    )
    return 1 if thoughts >= ENOUGH else TRIED


def _lengths(
    interview: Interview, items: Sequence[Item], model: Model, book: Book, wanted: Mapping[str, Request]
) -> Lengths | None:
    """Find the lengths of the thoughts in a book, and tell what the rest of the run takes with them."""
    sizes, questions = dict[Request, list[int]](), 0
    for item in items:
        own = _sizes(interview, interview.task.requests(item, interview.method, book.view), book)
        questions += bool(own)
        sizes |= own
    if not sizes:
        return None
    every = [size for own in sizes.values() for size in own]
    tokens = float(np.mean(every))
    if interview.chains is None:
        lacking = sum(one.n for one in wanted.values() if isinstance(one, SampleRequest))
        return Lengths(questions, len(every), tokens, lacking, _used(model, wanted.values(), tokens))
    rest = _further(interview, items, book, branches=False, tokens=round(tokens)).values()
    return Lengths(questions, len(every), tokens, sum(map(is_thought, rest)), _used(model, rest))


def _sizes(interview: Interview, requests: Sequence[Request], book: Book) -> dict[Request, list[int]]:
    """Find the lengths of the thoughts before the answers to requests, by what asked for each."""
    chains = interview.chains
    if chains is None:
        # The book lacks texts that ended within their thoughts.
        keys = {request_key(request, by_item=interview.by_item): request for request in requests}
        found = interview.store.get(interview.model, [*keys])
        answers = {keys[name]: answer for name, answer in found.items()}
        return {r: [*a.sizes] for r, a in answers.items() if isinstance(a, SampleResponse) and a.sizes}
    begun = {
        chains.beginning(request, number): chains.chain(request, number, book)
        for request in requests
        for number in chains.of(request)
    }
    return {asked: [chain.tokens] for asked, chain in begun.items() if isinstance(chain, Chain)}


def _further(
    interview: Interview, items: Sequence[Item], book: Book, *, branches: bool, tokens: int | None = None
) -> dict[str, Request]:
    """Return all requests without an answer that may come, by their keys.

    With branches, these are all that answers may lead to. Chains to come have so many tokens, or the most.
    """
    task, method, chains, view = interview.task, interview.method, interview.chains, book.view
    wanted = dict[Request, None]()
    for item in items:
        now = task.requests(item, method, view)
        if any(request not in view for request in now):
            wanted |= dict.fromkeys(task.most_requests(item, method) if branches else now)
    every = [request for request in wanted if request not in view]
    if chains is not None:
        every = [one for request in every for one in chains.rest(request, book, tokens)]
    return {request_key(request, by_item=interview.by_item): request for request in every}


def _used(model: Model, requests: Iterable[Request], written: float | None = None) -> Usage:
    return model.forecast([*requests], written) if isinstance(model, Forecasting) else guessed(requests)


def guessed(requests: Iterable[Request]) -> Usage:
    """Estimate the usage of a model that makes no forecast: one request for each, tokens by the length of its texts."""
    used = Usage()
    for request in requests:
        match request:
            case ScoreRequest(prefix, options, suffix):
                fed, written = [prefix + option + suffix for option in options], 0
            case LabelRequest(prompt):
                fed, written = [prompt], 0
            case SampleRequest(prompt, n, max_tokens, turns=turns):
                fed, written = [continued(turns, prompt)], n * max_tokens
        if request.thought is not None:
            fed = [text + str(request.thought) for text in fed]
        tokens = sum(-(-len(text.encode()) // BYTES_A_TOKEN) for text in fed)
        used += Usage(requests=1, tokens=tokens, written=written)
    return used
