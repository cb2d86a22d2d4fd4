"""The trials as items, a choice of them, the requests about each, and the answers to it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.distributions import option_views as views
from probsense.core.errors import InputError, brief
from probsense.core.records import (
    Item,
    LabelRequest,
    LabelResponse,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.tasks.base import Answers, Method
from probsense.tasks.shared.orders import Order, Turned, composed, exchanged, listed_order, turned
from probsense.tasks.worldsense.audit import corrections
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.generate.sets import generate as generate_trials
from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.questions.format import DIFFICULTY, FORM, GOLDS
from probsense.tasks.worldsense.questions.trials import FIELDS, SCHEMA, load_trials
from probsense.tasks.worldsense.twins import pairs

NAMED: Final = "named"
"""The key of an item's data with the answer for which each allowed word stands, where that is not itself."""
_NUMBERED: Final = re.compile(r"\(1\) (.+?), \(2\) (.+?), or \(3\) (.+?)(?=\s?[.?](?:\n|$))")
"""Three things to choose from: (1) …, (2) …, or (3) …?"""
CELL: Final = ("problem", "size", "skin", "qskin", "complexity", *DIFFICULTY, FORM)
"""What an item's data say of its trial, beside text and answers."""
COLUMNS: Final[dict[str, Any]] = {
    **{"id": pl.String, "tuple_id": pl.String, **{name: SCHEMA[name] for name in CELL}},
    **{"expected_len": pl.Int64, "gold": pl.String, "corrected": pl.String, "resp": pl.String},
    **{"p_gold": pl.Float64, "margin": pl.Float64, "other": pl.Float64, "twin": pl.String},
}
"""Columns of a run's table: the question, how hard it is and its form (null where that is not known), the answer given
("" for none), the probability of the published gold among the allowed answers (null where texts were sampled), the
score by which the best option leads (null unless options were scored), the probability of everything but the allowed
answers (null where texts were sampled), and the answer to the trial's twin ("" for none, null where it was not
asked)."""


def read_items(folder: Path) -> Iterator[Item]:
    """Yield the trials of a test set, with the labels that the auditor corrects."""
    corrected = corrections(folder).labels
    for row in load_trials(folder).iter_rows(named=True):
        data = {key: row[key] for key in ("text", "expected", *CELL)}
        if row["key"] in corrected:
            data["corrected"] = corrected[row["key"]]
        yield Item(str(row["key"]), row["tuple_id"], row["gold"], data)


def generated_items(design: Design) -> Iterator[Item]:
    """Draw the trials of a fresh set."""
    for records in generate_trials(design):
        for record in records:
            data = {key: record[FIELDS.get(key, key)] for key in ("text", "expected", *CELL)}
            gold = GOLDS[record["goldresp_obfusc"]]
            yield Item(str(record["Key"]), record["tuple_ID"], gold, data)


def balanced(
    items: Sequence[Item], limit: int | None, seed: int, *, by_depth: bool = False
) -> Sequence[Item]:
    """Choose at most ``limit`` items: whole clusters, spread evenly over problems and their cells.

    Problems take turns, and within a problem its cells (size x skin x question wording x complexity) do; which
    cluster of a cell comes first is drawn. The items keep their order.

    Parameters
    ----------
    items : sequence of Item
    limit : int or None
        Number of items; None for all.
    seed : int
    by_depth : bool
        Whether the depth of inference is a part of the cell, too.

    Raises
    ------
    InputError
        If not even one cluster fits.
    """
    if limit is None:
        return items
    clusters: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        clusters[item.cluster].append(item)
    fields = ("size", "skin", "qskin", "complexity", *(["depth"] if by_depth else []))
    cells: dict[str, dict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for cluster, members in clusters.items():
        data = members[0].data
        cell = tuple(str(data[key]) for key in fields)
        cells[data["problem"]][cell].append(cluster)
    draws = Draws(np.random.default_rng([seed, 3]))
    queues = []
    for by_cell in cells.values():
        equal = _equal([*by_cell.values()])
        queues.append(_in_turn([draws.sample(own, len(own)) for own in draws.sample(equal, len(equal))]))
    chosen: set[str] = set()
    left = limit
    for cluster in _in_turn(queues):
        left -= len(clusters[cluster])
        if left < 0:
            break
        chosen.add(cluster)
    if not chosen:
        raise InputError(f"a limit of {limit}", expected="room for at least one whole tuple (3)")
    return [item for cluster in clusters if cluster in chosen for item in clusters[cluster]]


def _equal(cells: Sequence[list[str]]) -> list[list[str]]:
    """Divide cells that hold several times as much as the least: where a size has few complexities, they hold more."""
    least = min(map(len, cells))
    return [cell[i :: len(cell) // least] for cell in cells for i in range(len(cell) // least)]


def _in_turn(queues: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield one cluster of each queue, then another of each, and so on."""
    return filter(None, chain.from_iterable(zip_longest(*queues)))


_DENIAL = re.compile(r"\b(?:not|never|neither|cannot|can't|isn't)\b", re.IGNORECASE)


class Given(NamedTuple):
    """An answer to a trial.

    Attributes
    ----------
    resp : str
        The allowed answer that was given; "" for none.
    p_gold : float or None
        The probability of the right one among the allowed answers; None where texts were sampled, or none of them has
        any.
    margin, other : float or None
        The score by which the best option leads, if options were scored; and the probability of everything but the
        allowed answers, unless texts were sampled.
    """

    resp: str
    p_gold: float | None = None
    margin: float | None = None
    other: float | None = None


def requests_of(item: Item, method: Method, answers: Answers) -> Sequence[Request]:
    """Make one request, and a second one where the text of the first answer is no allowed answer."""
    text, allowed = item.data["text"], tuple(item.data["expected"])
    if method == "options":
        # A prompt may end in white space, and the answer then joins it as it is.
        join = "" if text[-1:].isspace() else " "
        return [ScoreRequest(text, tuple(join + answer for answer in allowed), item=item.id)]
    if method == "labels":
        named = item.data.get(NAMED, allowed)
        labels = tuple((name, (word,)) for name, word in zip(named, allowed, strict=True))
        return [LabelRequest(text, labels, item=item.id)]
    first = SampleRequest(text, item=item.id)
    reply = answers.get(first)
    if not isinstance(reply, SampleResponse) or answer_in(item, reply.texts[0]):
        return [first]
    return most_requests_of(item, method)


def most_requests_of(item: Item, method: Method) -> Sequence[Request]:
    """Count the second request for a text, too, which lists the allowed answers."""
    if method != "sample":
        return requests_of(item, method, {})
    again = "Your answer must be exactly one of these: {}.\n".format(", ".join(item.data["expected"]))
    texts = (item.data["text"], f"{item.data['text'].rstrip()}\n{again}")
    return [SampleRequest(text, item=item.id) for text in texts]


def answer_to(item: Item, method: Method, answers: Answers, rule: str) -> Given:
    """Read the answer to a trial.

    Parameters
    ----------
    item : Item
    method : Method
    answers : Mapping of Request to Response
    rule : str
        Score that picks the answer among options.

    Raises
    ------
    KeyError
        While the answer is not there.
    """
    allowed = item.data["expected"]
    match answers[requests_of(item, method, answers)[-1]]:
        case ScoreResponse() as scored:
            scores = views.scores(scored, rule)
            p_gold = float(np.exp(views.log_softmax(scores))[allowed.index(item.gold)])
            return Given(allowed[int(scores.argmax())], p_gold, views.lead(scores), _elsewhere(scored))
        case LabelResponse(mass=mass, other=other):
            total = sum(mass.values())
            if total == 0:
                return Given("", other=other)
            return Given(max(allowed, key=mass.__getitem__), mass[item.gold] / total, other=other)
        case SampleResponse(texts=texts):
            return Given(answer_in(item, texts[0]))


def answer_table(items: Sequence[Item], method: Method, answers: Answers, rule: str) -> pl.DataFrame:
    """Make a table with a row for each trial, with :data:`COLUMNS`, of trials and their twins."""

    def rows() -> Iterator[tuple[object, ...]]:
        for item, twin in pairs(items):
            cell = (item.data.get(key) for key in CELL)
            labels = (len(item.data["expected"]), item.gold, item.data.get("corrected"))
            again = None if twin is None else answer_to(twin, method, answers, rule).resp
            yield (item.id, item.cluster, *cell, *labels, *answer_to(item, method, answers, rule), again)

    return pl.DataFrame(rows(), schema=COLUMNS, orient="row")


def _elsewhere(scored: ScoreResponse) -> float:
    """Compute the probability that no option begins the answer; no option begins with another one."""
    return max(0.0, 1.0 - math.fsum(math.exp(math.fsum(own.option.logprobs)) for own in scored.options))


def answer_in(item: Item, text: str) -> str:
    """Read the allowed answer to a trial that a text gives; "" if it gives none.

    A text gives an answer if the answer is the whole text, punctuation and case aside. It also does if its words hold
    only one allowed answer, and it denies nothing ("not possible"); before a number alone, for the reasons behind one
    may deny something ("3, because it cannot be decided").
    """
    words = re.findall(r"\w+", text.upper())
    found = {answer for answer in item.data["expected"] if answer.upper() in words}
    if len(found) != 1:
        return ""
    (answer,) = found
    said = text.partition(answer)[0] if answer.isdecimal() else text
    return "" if len(words) > 1 and _DENIAL.search(said) else answer


def turned_item(item: Item, turn: Order) -> Turned:
    """Write a trial in another order of its answers.

    Words such as TRUE and FALSE change places, with what the text says of each ("POSSIBLE if …"). The numbers 1, 2 and
    3 stay, and what they stand for changes places.

    Parameters
    ----------
    item : Item
    turn : tuple of int
        For each place, the place whose answer comes there.

    Raises
    ------
    InputError
        If the text lists its answers nowhere.
    """
    text, allowed = item.data["text"], tuple(item.data["expected"])
    numbers = allowed[0].isdecimal()
    part = "{} if (.+?)" if numbers else "({} if .+?)"
    said = re.compile(", ".join(part.format(re.escape(word)) for word in allowed) + r"(?=\.(?:\n|$))")
    for pattern in (said, _NUMBERED) if numbers else (said,):
        if match := pattern.search(text):
            named = tuple(allowed[source] for source in turn) if numbers else allowed
            return _turned(item, exchanged(text, [match], turn), turn, named)
    words = tuple((word,) for word in allowed)
    order = None if numbers else listed_order(text, words)
    if order is None:
        raise InputError(
            f"a question that names no order of its answers: {brief(text[-80:])}",
            expected="no conditions of order",
        )
    return _turned(item, turned(text, words, turn), composed(order, turn), allowed)


def _turned(item: Item, text: str, order: Order, named: tuple[str, ...]) -> Turned:
    return Turned(replace(item, data={**item.data, "text": text, NAMED: named}), order, named)
