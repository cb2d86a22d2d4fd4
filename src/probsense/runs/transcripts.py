"""What each item of a run was asked, and what was answered, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import polars as pl

from probsense.analysis.distributions.mixture import shares
from probsense.analysis.distributions.option_views import NEAR_TIE, log_softmax, scores
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    continued,
    opened,
)
from probsense.runs.ask.rounds import Outcome
from probsense.runs.ask.thinking import AfterChains
from probsense.tasks.base import Method, Task, words_of
from probsense.tasks.shared.options import option_answers

ELSE: Final = "anything else"
"""What all answers but the labels are called."""

WORDS: Final = {
    "prompt": pl.String(),
    "choices": pl.List(pl.String),
    "probabilities": pl.List(pl.Float64),
    "texts": pl.List(pl.String),
    "gold_text": pl.String(),
    "answer_text": pl.String(),
}
"""Columns of words: the question; the options, the labels and :data:`ELSE`, or the different texts that were written,
and the probability of each; all texts that were written; the right answer and the one that counts, null where there is
none."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered.

    The answer, a tie and the shares are read from one distribution: that on which the estimates rest.

    Attributes
    ----------
    given : str
        The answer that counts; "" where it is none of those that are allowed.
    shares : tuple of (str, float)
        The probability of each option or label, or how often each answer was given, as a share; answers in texts come
        in the order of their shares.
    rest : float or None
        The probability of everything else; with it, the shares sum to 1. None where options were scored: their shares
        are those among them.
    outside : float or None
        The probability of everything but the options, where that is known and options were scored.
    tied : tuple of str
        Answers that share the first place, if there are several; the first of them counts.
    texts : tuple of str
        The texts that were written; where the model thought first, each chain with what was answered after it.
    request : ScoreRequest or None
        What was asked, if options were scored,
    scores : tuple of OptionScore
        and one for each option.
    """

    given: str
    shares: tuple[tuple[str, float], ...]
    rest: float | None = None
    outside: float | None = None
    tied: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    request: ScoreRequest | None = None
    scores: tuple[OptionScore, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """An item with its question, the right answer, and the reply.

    Attributes
    ----------
    item : Item
    row : Mapping
        What the table of the task has of the item, as far as it matters here; empty where it has nothing.
    prompt : str
    gold : str
        "" where no answer is right.
    reply : Reply or None
        None where there is no answer.
    """

    item: Item
    row: Mapping[str, Any]
    prompt: str
    gold: str
    reply: Reply | None


def transcripts(
    task: Task, method: Method, outcome: Outcome, items: Sequence[Item], table: pl.DataFrame | None
) -> Iterator[Transcript]:
    """Yield items of a run with their questions and answers, in order.

    Parameters
    ----------
    task : Task
    method : Method
    outcome : Outcome
    items : sequence of Item
        Those that are wanted.
    table : DataFrame or None
        What the task measured of each item.
    """
    answered, answers = {item.id for item in outcome.items}, outcome.answers
    known = pl.DataFrame({"id": []}) if table is None else _rows_of(items, table, words_of(task).item_group)
    # A million rows as mappings would take a gigabyte.
    rows = dict(zip(known["id"], known.iter_rows(), strict=True))
    for item in items:
        row = dict(zip(known.columns, rows.get(item.id, ()), strict=False))
        requests = task.requests(item, method, answers)
        # A task that chooses its questions by the answers knows the right answer only of what it asked.
        right = item.gold or str(row.get("gold") or "")
        gold = _option(int(right), item) if right.isdecimal() else right
        reply = None
        if item.id in answered:
            replied = [answers[request] for request in requests]
            taken = row.get("resp")
            given = _option(taken, item) if isinstance(taken, int) else taken
            joined = task.joined(item, method, answers)
            if joined is None:
                reply = _reply(replied, requests, task, given, row.get("other"), item)
            else:
                given = "" if given is None and "resp" in row else given
                texts = tuple(text for text, _ in _written(requests, replied))
                reply = replace(_first(given, *joined), texts=texts)
            if isinstance(answers, AfterChains):
                reply = replace(reply, texts=(*_told(answers, requests),))
        yield Transcript(item, row, prompt_of(requests[0]), gold, reply)


def _rows_of(items: Sequence[Item], table: pl.DataFrame, group: str) -> pl.DataFrame:
    """Return the rows of a table about items, as far as they matter here."""
    needed = table.select(name for name in table.columns if name in {"id", "resp", "gold", "other", group})
    return needed.filter(pl.col("id").is_in([item.id for item in items]))


def with_texts(table: pl.DataFrame, items: Iterable[Transcript]) -> pl.DataFrame:
    """Add the columns of :data:`WORDS` to the table of a run's items."""
    found = [
        {
            "id": one.item.id,
            "prompt": one.prompt,
            "choices": [name for name, _ in _choices(reply)],
            "probabilities": [share for _, share in _choices(reply)],
            "texts": [*reply.texts],
            "gold_text": one.gold or None,
            "answer_text": reply.given or None,
        }
        for one in items
        if (reply := one.reply) is not None
    ]
    words = pl.DataFrame(found, schema={"id": table.schema["id"], **WORDS})
    return table.join(words, on="id", how="left", maintain_order="left")


def prompt_of(request: Request) -> str:
    """Return what a request asks as one text, with […] where an option stands before more text."""
    match request:
        case ScoreRequest(prefix=prefix, suffix=suffix):
            text = f"{prefix} […]{suffix}" if suffix.strip() else prefix
        case SampleRequest(prompt, turns=turns):
            text = continued(turns, prompt)
        case _:
            text = request.prompt
    return opened(request.system, text)


def _option(number: int, item: Item) -> str:
    """Name an option that is given by its number."""
    options: Sequence[str] = item.data.get("options", ())
    return str(options[number]).strip() if number < len(options) else str(number)


def _choices(reply: Reply) -> Sequence[tuple[str, float]]:
    """List the options, the labels and anything else, or the different texts, each with its probability."""
    if reply.texts:
        return _shares(Counter(text.strip() for text in reply.texts))
    return reply.shares if reply.rest is None else (*reply.shares, (ELSE, reply.rest))


def _reply(
    responses: Sequence[Response],
    requests: Sequence[Request],
    task: Task,
    given: str | None,
    outside: float | None,
    item: Item,
) -> Reply:
    """Put an answer in words; the one given is that which the task took from it, if the table says which."""
    match requests[0], responses[0]:
        case ScoreRequest() as request, ScoreResponse() as response:
            _, neutral = option_answers(requests, dict(zip(requests, responses, strict=True)))
            # A task that compares options says by which view; one that does not takes them whole.
            rule = getattr(task, "rule", "full" if request.suffix else "sum")
            values = scores(response, rule, neutral)
            found = np.exp(log_softmax(values, getattr(task, "temperature", 1.0))).tolist()
            names = _names(request.options, task, item)
            first = [
                name for name, value in zip(names, values, strict=True) if values.max() - value < NEAR_TIE
            ]
            return Reply(
                first[0] if given is None else given,
                (*zip(names, found, strict=True),),
                outside=outside,
                tied=(*first,) if len(first) > 1 else (),
                request=request,
                scores=(*response.options,),
            )
        case _, LabelResponse(mass=mass, other=other):
            return _first(given, (*mass.items(),), other)
        case SampleRequest(), _:
            texts = [text for text, _ in _written(requests, responses)]
            if given is not None:  # The task took one answer from all texts.
                only = [(given, 1.0)] if given else []
                return Reply(given, (*only,), rest=1.0 - len(only), texts=(*texts,))
            # A request in other words asks again, because the first answer was none.
            last = [
                text for text, prompt in _written(requests, responses) if prompt == prompt_of(requests[-1])
            ]
            answers = Counter(task.answer_in(item, text) for text in last)
            shares = _shares(answers)
            named = tuple(pair for pair in shares if pair[0])
            return replace(_first(None, named, dict(shares).get("", 0.0)), texts=(*texts,))
        case request, response:
            raise TypeError(f"{response!r} is no answer to {request!r}")


def _told(view: AfterChains, requests: Sequence[Request]) -> Iterator[str]:
    """Tell each chain of thought, and what was answered after it."""
    for request in requests:
        for chain, answer in view.parts(request):
            if isinstance(answer, SampleResponse):
                after = [*answer.texts] or ["…"]
            else:
                found = zip(_answers_of(request), shares(answer), strict=False)
                after = [f"{name} {100 * share:.0f} %" for name, share in found]
            end = "" if chain.closed else " …"
            yield f"{chain.text.strip()}{end} → {', '.join(after)}"


def _answers_of(request: Request) -> list[str]:
    """Name the answers between which a request has probability to share out."""
    match request:
        case ScoreRequest(options=options):
            return [option.strip() for option in options]
        case LabelRequest(labels=labels):
            return [*(name for name, _ in labels), ELSE]
    return []


def _written(requests: Sequence[Request], responses: Sequence[Response]) -> list[tuple[str, str]]:
    """List the texts that were written, each with what was asked."""
    pairs = zip(requests, responses, strict=True)
    return [
        (text, prompt_of(request))
        for request, found in pairs
        if isinstance(found, SampleResponse)
        for text in found.texts
    ]


def _first(given: str | None, shares: tuple[tuple[str, float], ...], rest: float) -> Reply:
    """Take the most probable answer if the task says none: no answer where everything else is more probable."""
    most = max((share for _, share in shares), default=0.0)
    first = tuple(name for name, share in shares if share > 0 and most - share < NEAR_TIE * most)
    if given is None:
        given = first[0] if first and most >= rest else ""
    return Reply(given, shares, rest, tied=first if len(first) > 1 else ())


def _shares(counts: Counter[str]) -> tuple[tuple[str, float], ...]:
    return tuple((text, count / counts.total()) for text, count in counts.most_common())


def _names(options: Sequence[str], task: Task, item: Item) -> list[str]:
    """Name options as the answers in texts are, if that keeps them apart."""
    names = [option.strip() for option in options]
    answers = [task.answer_in(item, name) for name in names]
    return answers if all(answers) and len({*answers}) == len(names) else names
