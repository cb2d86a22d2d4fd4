"""Batch files: the requests as lines of JSON, and the answers in the lines that come back, in any order.

Bodies and answers are the same as with a server that answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from probsense.core.records import (
    Failure,
    Json,
    LabelRequest,
    Request,
    Response,
    SampleRequest,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Price, Usage, tokens_usage
from probsense.models.openai.answers import (
    BLANK_NOTE,
    Text,
    label_response,
    option_score,
    same_model,
    sample_response,
    server,
    texts,
    tokens_used,
)
from probsense.models.openai.keys import Key
from probsense.models.openai.requests import Manner, label_post, posts, sent_options
from probsense.models.openai.wire import Malformed, Unanswerable

ROOT: Final = "/v1/"
"""Batch endpoints name their routes from this path, whatever the base URL."""
AFTER: Final = 1
"""The number of the part of a label request that reads after a first token of white space."""
BLANK: Final = "white space comes first; what comes after it has to be asked for"

_PART = re.compile(r"([0-9a-f]{32})-(\d{1,6})")


@dataclass(frozen=True, slots=True)
class OpenAIBatch:
    """The lines of batch files: those that ask, and those that come back.

    Attributes
    ----------
    manner : Manner
        How requests are written.
    price : Price or None
    key : Key or None
        No answer has it, should the server repeat it.
    """

    manner: Manner
    price: Price | None = None
    key: Key | None = None

    def ask(self, key: str, request: Request, before: Failure | None = None) -> list[dict[str, Json]]:
        """Return the lines that ask a request; "url" is the route of each.

        Parameters
        ----------
        key : str
            Names the request; it comes back with the answers.
        request : Request
        before : Failure, optional
            Why an earlier batch failed: after white space, the line asks for the token behind it.
        """
        if before is not None and before.reason == BLANK and isinstance(request, LabelRequest):
            asked = {AFTER: label_post(self.manner, request, after_blank=True)}
        else:
            asked = dict(enumerate(posts(self.manner, request)))
        return [
            {"custom_id": f"{key}-{part}", "method": "POST", "url": f"{ROOT}{path}", "body": body}
            for part, (path, body) in asked.items()
        ]

    def part_of(self, line: Mapping[str, Any]) -> tuple[str, int] | None:
        """Return the request key and the part number that a line answers; None if it is not of this format."""
        name = line.get("custom_id")
        found = _PART.fullmatch(name) if isinstance(name, str) else None
        return None if found is None else (found[1], int(found[2]))

    def answer(self, line: Mapping[str, Any]) -> tuple[dict[str, Any] | Failure, Usage]:
        """Read the server's answer in a line that came back; refuse the answer of another model."""
        found = self._body(self.key.hide(line) if self.key else line)
        if isinstance(found, Failure):
            return found, Usage()
        return found, Usage(requests=1) + tokens_usage(*tokens_used(found), self.price)

    def _body(self, line: Mapping[str, Any]) -> dict[str, Any] | Failure:
        match line:
            case {"response": {"status_code": 200, "body": dict(body)}}:
                served, model = body.get("model"), self.manner.model
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

    def response(self, request: Request, answers: Mapping[int, dict[str, Any]]) -> Response | Failure | None:
        """Join the answers to all parts into a response; a failure if one cannot be true, None as long as one lacks."""
        parts = {0} if isinstance(request, LabelRequest) else set(range(len(posts(self.manner, request))))
        if not (parts <= answers.keys() or (AFTER in answers and isinstance(request, LabelRequest))):
            return None
        try:
            return self._response(request, answers)
        except (Malformed, Unanswerable) as error:
            return Failure(str(error), 1)

    def _response(self, request: Request, answers: Mapping[int, dict[str, Any]]) -> Response:
        match request:
            case ScoreRequest():
                options = [
                    option_score(self.manner, request, one, answers[i])
                    for i, one in enumerate(sent_options(request))
                ]
                return ScoreResponse(tuple(options), server(answers[0]))
            case LabelRequest():
                after = AFTER in answers
                found = label_response(
                    self.manner, request, answers[AFTER if after else 0], after_blank=after
                )
                if found.note == BLANK_NOTE:
                    raise Malformed(BLANK)
                return found
            case SampleRequest():
                written: list[Text] = []
                for part, (_, body) in enumerate(posts(self.manner, request)):
                    wanted, came = int(str(body.get("n", 1))), texts(answers[part], request.stop)
                    if len(came) < wanted:
                        raise Malformed(f"{len(came)} of {wanted} texts came back")
                    written += came[:wanted]
                first = posts(self.manner, request)[0][1]
                said = server(answers[0]) | ({"seed": first["seed"]} if "seed" in first else {})
                return sample_response(written, said, sized=self.manner.can.reasoning)


def _one_line(said: str) -> str:
    return " ".join(said.split())[:300] or "no reason is given"
