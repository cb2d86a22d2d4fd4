"""Reads one file of raw results: what each line says about a statement, in whatever layout."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from probsense.core.errors import InputError
from probsense.core.files import Place, read_jsonl

Layout: TypeAlias = Literal["masses", "log-probabilities", "texts"]

SLACK = 0.02
"""How far probabilities may lie outside 0 to 1, and their sum from 1, for half precision and two decimals."""

_CUSTOM_ID = re.compile(r"statement_(\d{1,15})_question_(q[123])(?:_request_(\d+))?")
_FORMAT = 'a text, {"yes": …, "no": …, "other": …} or a chat completion with choices'


class RawReply(NamedTuple):
    """An answer about a statement, as a file of raw results has it.

    Attributes
    ----------
    statement : int
    request : str
        Names one of several requests about the statement; "" where there is one.
    layout : str or None
        The kind of the content; None where the request failed.
    content : list
        Masses of yes, no and other; or pairs of token and log-probability, most probable first; or texts.
    """

    statement: int
    request: str
    layout: Layout | None
    content: Sequence[Any]


def read_replies(path: Path, question: str) -> tuple[Layout | None, list[RawReply]]:
    """Read a file of raw results, line by line.

    Parameters
    ----------
    path : Path
        JSON lines.
    question : str
        The question that all lines are about.

    Returns
    -------
    (str or None, list of RawReply)
        The layout that all lines share, None where all requests failed; the replies.

    Raises
    ------
    InputError
        For a file that is empty, a line of no known layout or of another one than an earlier line, a statement that
        comes twice, another question, numbers that are no probabilities.
    """
    layout: Layout | None = None
    replies: list[RawReply] = []
    seen: dict[tuple[int, str], Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        reply = _reply(record, question, place)
        layout = layout or reply.layout
        if reply.layout not in (None, layout):
            raise place.fault(f"holds {reply.layout}", f"{layout}, as the lines before")
        # Only texts can be counted over several requests.
        key = reply.statement, reply.request if reply.layout in (None, "texts") else ""
        first = seen.setdefault(key, place)
        if first is not place:
            raise place.fault(f"statement {reply.statement} again, first on line {first.line}", "each once")
        replies.append(reply)
    if not replies:
        raise InputError("is empty", path=path, expected='one {"id": …, "response": …} per line')
    return layout, replies


def _reply(record: Mapping[str, Any], question: str, place: Place) -> RawReply:
    statement, request = _statement(record, question, place)
    if "response" not in record:
        raise place.fault("field 'response' is missing", _FORMAT)
    body = record["response"]
    if isinstance(body, dict) and "body" in body:
        body = body["body"]
    match body:
        case None | {"error": dict()}:
            return RawReply(statement, request, None, ())
        case str():
            return RawReply(statement, request, "texts", [body])
        case {"yes": yes, "no": no, "other": other}:
            return RawReply(statement, request, "masses", _masses(yes, no, other, place))
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": [_, *_] as tokens}, *_]}}, *_]}:
            return RawReply(
                statement, request, "log-probabilities", [_token(token, place) for token in tokens]
            )
        case {"choices": [_, *_] as choices}:
            texts = [_text(choice, place) for choice in choices]
            return RawReply(statement, request, "texts", [text for text in texts if text is not None])
    raise place.wrong(body, "response", _FORMAT)


def _statement(record: Mapping[str, Any], question: str, place: Place) -> tuple[int, str]:
    """Read the statement, and the number of the request about it."""
    if "custom_id" in record:
        name = record["custom_id"]
        found = _CUSTOM_ID.fullmatch(name) if isinstance(name, str) else None
        if not found:
            raise place.wrong(name, "custom_id", f"such as statement_0_question_{question}")
        if found[2] != question:
            raise place.wrong(name, "custom_id", f"question {question}, as the file's name says")
        return int(found[1]), found[3] or ""
    if "id" not in record:
        raise place.fault("field 'id' is missing", "the number of the statement")
    return place.whole(record["id"], "id", 0, 2**63 - 1, "a whole number from 0"), ""


def _masses(yes: Any, no: Any, other: Any, place: Place) -> list[float]:
    given = {"yes": yes, "no": no, "other": other}
    found = [place.number(mass, name, -SLACK, 1 + SLACK, "a mass") for name, mass in given.items()]
    if abs(sum(found) - 1) > SLACK:
        raise place.fault(f"yes, no and other sum to {sum(found):g}", "1")
    return found


def _token(token: Any, place: Place) -> tuple[str, float]:
    match token:
        case {"token": str() as text, "logprob": logprob}:
            return text, place.number(logprob, "logprob", -math.inf, SLACK, "a log-probability")
    raise place.wrong(token, "a token", '{"token": …, "logprob": …}')


def _text(choice: Any, place: Place) -> str | None:
    match choice:
        case {"message": {"content": (str() | None) as text}}:
            return text
    raise place.wrong(choice, "a choice", '{"message": {"content": …}}')
