"""One file of raw results: what each line says about a statement, in whichever layout."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from probsense.errors import InputError
from probsense.files import read_jsonl

Layout: TypeAlias = Literal["masses", "log-probabilities", "texts"]

SLACK = 0.02
"""How far probabilities may lie outside 0 to 1, and their sum from 1: half precision and two decimals do."""

_CUSTOM_ID = re.compile(r"statement_(\d{1,15})_question_(q[123])(?:_request_(\d+))?")
_FORMAT = 'a text, {"yes": …, "no": …, "other": …} or a chat completion with choices'


class Reply(NamedTuple):
    """An answer about a statement.

    Attributes
    ----------
    statement : int
    request : str
        Which of several requests about it; "" where there is one.
    layout : str or None
        What the content is; None where the request failed.
    content : list
        Masses of yes, no and other; or pairs of token and log-probability, most probable first; or texts.
    """

    statement: int
    request: str
    layout: Layout | None
    content: Sequence[Any]


def read_replies(path: Path, question: str) -> tuple[Layout | None, list[Reply]]:
    """Read a file of raw results, line by line.

    Parameters
    ----------
    path : Path
        JSON lines.
    question : str
        Of which all lines are.

    Returns
    -------
    (str or None, list of Reply)
        The layout that all lines share, None where all requests failed; the replies.

    Raises
    ------
    InputError
        For a file that is empty, a line of no known layout or of another one than an earlier line, a statement that
        comes twice, another question, numbers that are no probabilities.
    """
    layout: Layout | None = None
    replies: list[Reply] = []
    lines: dict[tuple[int, str], int] = {}
    for line, record in read_jsonl(path):
        try:
            reply = _reply(record, question)
            layout = layout or reply.layout
            if reply.layout not in (None, layout):
                raise InputError(f"holds {reply.layout}", expected=f"{layout}, as the lines before")
            # Only texts can be counted over several requests.
            key = reply.statement, reply.request if reply.layout in (None, "texts") else ""
            first = lines.setdefault(key, line)
            if first != line:
                raise InputError(
                    f"statement {reply.statement} again, first on line {first}", expected="each once"
                )
        except InputError as error:
            raise InputError(str(error), path=path, line=line) from None
        replies.append(reply)
    if not replies:
        raise InputError("is empty", path=path, expected='one {"id": …, "response": …} per line')
    return layout, replies


def _reply(record: Mapping[str, Any], question: str) -> Reply:
    statement, request = _statement(record, question)
    if "response" not in record:
        raise InputError("field 'response' is missing", expected=_FORMAT)
    body = record["response"]
    if isinstance(body, dict) and "body" in body:
        body = body["body"]
    match body:
        case None | {"error": dict()}:
            return Reply(statement, request, None, ())
        case str():
            return Reply(statement, request, "texts", [body])
        case {"yes": yes, "no": no, "other": other}:
            return Reply(statement, request, "masses", _masses(yes, no, other))
        case {"choices": [{"logprobs": {"content": [{"top_logprobs": [_, *_] as tokens}, *_]}}, *_]}:
            return Reply(statement, request, "log-probabilities", [_token(token) for token in tokens])
        case {"choices": [_, *_] as choices}:
            texts = [_text(choice) for choice in choices]
            return Reply(statement, request, "texts", [text for text in texts if text is not None])
    raise InputError(f"response is {ascii(body)[:60]}", expected=_FORMAT)


def _statement(record: Mapping[str, Any], question: str) -> tuple[int, str]:
    """The statement, and the number of the request about it."""
    if "custom_id" in record:
        name = record["custom_id"]
        found = _CUSTOM_ID.fullmatch(name) if isinstance(name, str) else None
        if not found:
            raise InputError(
                f"custom_id is {ascii(name)[:60]}", expected=f"such as statement_0_question_{question}"
            )
        if found[2] != question:
            raise InputError(f"custom_id is {name}", expected=f"question {question}, as the file's name says")
        return int(found[1]), found[3] or ""
    if "id" not in record:
        raise InputError("field 'id' is missing", expected="the number of the statement")
    number = record["id"]
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**63:
        raise InputError(f"id is {ascii(number)[:60]}", expected="a whole number from 0")
    return number, ""


def _masses(*masses: Any) -> list[float]:
    found = [_number(mass, "a mass", -SLACK, 1 + SLACK) for mass in masses]
    if abs(sum(found) - 1) > SLACK:
        raise InputError(f"yes, no and other sum to {sum(found):g}", expected="1")
    return found


def _token(token: Any) -> tuple[str, float]:
    match token:
        case {"token": str() as text, "logprob": logprob}:
            return text, _number(logprob, "a log-probability", -math.inf, SLACK)
    raise InputError(f"a token is {ascii(token)[:60]}", expected='{"token": …, "logprob": …}')


def _text(choice: Any) -> str | None:
    match choice:
        case {"message": {"content": (str() | None) as text}}:
            return text
    raise InputError(f"a choice is {ascii(choice)[:60]}", expected='{"message": {"content": …}}')


def _number(value: Any, what: str, low: float, high: float) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"{ascii(value)[:60]} found", expected=what)
    return float(value)
