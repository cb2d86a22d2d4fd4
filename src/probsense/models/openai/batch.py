"""Batch files: what is asked as lines of JSON, and the answers in the lines that come back, in any order.

The same bodies are written and the same answers read as with a server that is asked at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from probsense.models.openai.bodies import Manner, label_post, posts
from probsense.models.openai.faults import Malformed
from probsense.models.openai.names import same_model
from probsense.models.openai.parse import BLANK_NOTE, label_response, option_score, server, texts
from probsense.records import (
    Failure,
    Json,
    LabelRequest,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)

ROOT: Final = "/v1/"
"""Batch endpoints name routes from here, whatever the base URL."""
AFTER: Final = 1
"""Number of the part of a label request that reads after a first token of white space."""
BLANK: Final = "white space comes first; what comes after it has to be asked for"

_PART = re.compile(r"([0-9a-f]{32})-(\d{1,6})")


def lines(manner: Manner, key: str, request: Request, *, after_blank: bool = False) -> list[dict[str, Json]]:
    """The lines that ask a request: as many as there are requests to a server.

    Parameters
    ----------
    manner : Manner
    key : str
        Of the request; it comes back with the answers.
    request : Request
    after_blank : bool
        For labels: whether the token after one of white space is asked for.
    """
    if after_blank and isinstance(request, LabelRequest):
        asked = {AFTER: label_post(manner, request, after_blank=True)}
    else:
        asked = dict(enumerate(posts(manner, request)))
    return [
        {"custom_id": f"{key}-{part}", "method": "POST", "url": f"{ROOT}{path}", "body": body}
        for part, (path, body) in asked.items()
    ]


def part_of(custom_id: object) -> tuple[str, int] | None:
    """Key of the request and number of the part that an id names; None if it is none of ours."""
    found = _PART.fullmatch(custom_id) if isinstance(custom_id, str) else None
    return None if found is None else (found[1], int(found[2]))


def answer_in(line: Mapping[str, Any], model: str) -> dict[str, Any] | Failure:
    """The server's answer in a line that came back, or why there is none.

    Parameters
    ----------
    line : Mapping
    model : str
        That was asked for; the answer of another is none.
    """
    match line:
        case {"response": {"status_code": 200, "body": dict(body)}}:
            served = body.get("model")
            if isinstance(served, str) and not same_model(served, model, model):
                return Failure(f"another model answered, {served[:60]!r}", 1)
            return body
        case {"response": {"status_code": int(status), "body": {"error": {"message": str(said)}}}}:
            return Failure(f"HTTP {status}: {_one_line(said)}", 1)
        case {"response": {"status_code": int(status)}}:
            return Failure(f"HTTP {status}", 1)
        case {"error": {"message": str(said)}} | {"error": {"code": str(said)}}:
            return Failure(_one_line(said), 1)
    return Failure("the line has no answer", 1)


def is_whole(manner: Manner, request: Request, answers: Mapping[int, Any]) -> bool:
    """Whether all parts of a request came back."""
    if isinstance(request, LabelRequest):
        return bool(answers)
    return answers.keys() >= set(range(len(posts(manner, request))))


def response_in(manner: Manner, request: Request, answers: Mapping[int, dict[str, Any]]) -> Response:
    """The response that the answers to all parts of a request make.

    Raises
    ------
    Malformed
        If an answer lacks something or cannot be true, or what is wanted stands after a token of white space.
    InputError, Unanswerable
        As :func:`probsense.models.openai.parse.option_score` does.
    """
    match request:
        case ScoreRequest():
            options = [
                option_score(manner, request, one, answers[i]) for i, one in enumerate(request.options)
            ]
            return ScoreResponse(tuple(options), server(answers[0]))
        case LabelRequest():
            after = AFTER in answers
            found = label_response(manner, request, answers[AFTER if after else 0], after_blank=after)
            if found.note == BLANK_NOTE:
                raise Malformed(BLANK)
            return found
        case SampleRequest():
            written: list[str] = []
            for part, (_, body) in enumerate(posts(manner, request)):
                wanted, came = int(str(body.get("n", 1))), texts(answers[part], request.stop)
                if len(came) < wanted:
                    raise Malformed(f"{len(came)} of {wanted} texts came back")
                written += came[:wanted]
            first = posts(manner, request)[0][1]
            said = server(answers[0]) | ({"seed": first["seed"]} if "seed" in first else {})
            return SampleResponse(tuple(written), said)


def _one_line(said: str) -> str:
    return " ".join(said.split())[:300] or "no reason is given"
