"""What each item of a run was asked, and what was answered, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from probsense.prob.options import distribution
from probsense.records import (
    Item,
    LabelResponse,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    continued,
)
from probsense.tasks.options import option_answers

if TYPE_CHECKING:
    from probsense.run.evaluate import Run

WORDS: Final = {
    "prompt": pl.String(),
    "choices": pl.List(pl.String),
    "probabilities": pl.List(pl.Float64),
    "texts": pl.List(pl.String),
    "gold_text": pl.String(),
    "answer_text": pl.String(),
}
"""Columns of words: the question; the options, the labels or the different texts that were written, and the probability
of each; all texts that were written; the right answer and the one that counts, null where there is none."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What was answered.

    Attributes
    ----------
    given : str
        The answer that counts; "" where it is none of those that were allowed.
    shares : tuple of (str, float)
        The probability of each option or label, or how often each text was written, as a share; texts come in the order
        of their shares.
    texts : tuple of str
        The texts that were written.
    scores : tuple of OptionScore
        One for each option, if options were scored.
    """

    given: str
    shares: tuple[tuple[str, float], ...]
    texts: tuple[str, ...] = ()
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


def transcripts(run: Run) -> Iterator[Transcript]:
    """Yield the items of a run with their questions and answers, in order."""
    table, rows = run.measured.table, {}
    if table is not None:
        needed = table.select(
            name for name in table.columns if name in {"id", "resp", "gold", run.words.item_group}
        )
        rows = {row["id"]: row for row in needed.iter_rows(named=True)}
    answered = {item.id for item in run.outcome.items}
    answers = run.outcome.answers
    for item in run.items:
        row = rows.get(item.id, {})
        requests = run.task.requests(item, run.method, answers)
        # A task that chooses its questions by the answers knows the right answer only of what it asked.
        right = item.gold or str(row.get("gold") or "")
        gold = _option(int(right), item) if right.isdecimal() else right
        reply = None
        if item.id in answered:
            reply = _reply([answers[request] for request in requests], requests, run.task, row, item)
        yield Transcript(item, row, prompt_of(requests[0]), gold, reply)


def with_texts(table: pl.DataFrame, run: Run) -> pl.DataFrame:
    """Add the columns of :data:`WORDS` to the table of a run's items."""
    found = [
        {
            "id": one.item.id,
            "prompt": one.prompt,
            "choices": [name for name, _ in reply.shares],
            "probabilities": [share for _, share in reply.shares],
            "texts": [*reply.texts],
            "gold_text": one.gold or None,
            "answer_text": reply.given or None,
        }
        for one in transcripts(run)
        if (reply := one.reply) is not None
    ]
    words = pl.DataFrame(found, schema={"id": table.schema["id"], **WORDS})
    return table.join(words, on="id", how="left", maintain_order="left")


def prompt_of(request: Request) -> str:
    """Return what a request asks as one text, with […] where an option stands before more text."""
    match request:
        case ScoreRequest(prefix=prefix, suffix=suffix):
            return f"{prefix} […]{suffix}" if suffix.strip() else prefix
        case SampleRequest(prompt, turns=turns):
            return continued(turns, prompt)
        case _:
            return request.prompt


def _option(number: int, item: Item) -> str:
    """Name an option that is given by its number."""
    options: Sequence[str] = item.data.get("options", ())
    return str(options[number]).strip() if number < len(options) else str(number)


def _reply(
    responses: Sequence[Response],
    requests: Sequence[Request],
    task: object,
    row: Mapping[str, Any],
    item: Item,
) -> Reply:
    """Put an answer in words; if the table says which answer the task took from it, that is the one given."""
    taken = row.get("resp")
    given = _option(taken, item) if isinstance(taken, int) else taken
    match requests[0], responses[0]:
        case ScoreRequest() as request, ScoreResponse() as response:
            _, neutral = option_answers(requests, dict(zip(requests, responses, strict=True)))
            # A task that compares options says by which view; one that does not takes them whole.
            rule = getattr(task, "rule", "full" if request.suffix else "sum")
            found = distribution(response, rule, getattr(task, "temperature", 1.0), neutral).tolist()
            shares = (*zip(map(str.strip, request.options), found, strict=True),)
            return Reply(_given(given, shares), shares, scores=(*response.options,))
        case _, LabelResponse(mass=mass, other=other):
            labels = (*mass.items(),)
            return Reply(_given(given, labels), (*labels, ("anything else", other)))
        case SampleRequest(), _:
            texts = [text for found in responses if isinstance(found, SampleResponse) for text in found.texts]
            counts = Counter(text.strip() for text in texts).most_common()
            shares = tuple((text, count / len(texts)) for text, count in counts)
            return Reply(_given(given, shares), shares, (*texts,))
        case request, response:
            raise TypeError(f"{response!r} is no answer to {request!r}")


def _given(taken: str | None, shares: Sequence[tuple[str, float]]) -> str:
    """Return the answer that the task took, or the most probable one if it says none."""
    return max(shares, key=lambda pair: pair[1])[0] if taken is None else taken
