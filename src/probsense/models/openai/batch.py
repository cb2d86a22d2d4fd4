"""Batch files: the requests as lines of JSON, and the answers in the lines that come back, in any order.

Bodies and answers are the same as with a server that answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from probsense.core.records import Failure, Json, LabelRequest, LabelResponse, Request, Response
from probsense.models.base import Price, Usage, tokens_usage
from probsense.models.openai.answers import same_model, server, tokens_used
from probsense.models.openai.exchange import after_blank, exchange, posts
from probsense.models.openai.keys import Key
from probsense.models.openai.requests import Manner
from probsense.models.openai.wire import Malformed, Unanswerable

ROOT: Final = "/v1/"
"""Batch endpoints name their routes from this path, whatever the base URL."""
AFTER: Final = 1
"""The number of the part of a label request that reads after a first token of white space."""
BLANK: Final = "white space comes first; what comes after it has to be asked for"
FEWER: Final = "fewer texts came back than were asked for"

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
        asked = dict(enumerate(posts(self.manner, request)))
        if before is not None and before.reason == BLANK and isinstance(request, LabelRequest):
            asked = {AFTER: after_blank(self.manner, request)}
        return [
            {"custom_id": f"{key}-{part}", "method": "POST", "url": f"{ROOT}{post.path}", "body": post.body}
            for part, post in asked.items()
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
        try:
            if isinstance(request, LabelRequest) and AFTER in answers:
                read: LabelResponse = after_blank(self.manner, request).read(answers[AFTER])
                return read
            steps = exchange(self.manner, request)
            asked = next(steps)
            if not answers.keys() >= {*range(len(asked))}:
                return None
            steps.send([(post.read(answers[i]), server(answers[i])) for i, post in enumerate(asked)])
        except StopIteration as end:
            response: Response = end.value
            return response
        except (Malformed, Unanswerable) as error:
            return Failure(str(error), 1)
        # The exchange would go on.
        return Failure(BLANK if isinstance(request, LabelRequest) else FEWER, 1)


def _one_line(said: str) -> str:
    return " ".join(said.split())[:300] or "no reason is given"
