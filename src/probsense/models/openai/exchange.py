"""The exchange with a server about one request: posts, what reads their answers, and the response.

It is the same with a server that answers at once and by batch files, which hold the posts as lines of JSON; the answers
are in the lines that come back, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.core.records import (
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Usage
from probsense.models.openai.answers import (
    BLANK_NOTE,
    Text,
    chain_of,
    label_response,
    option_score,
    same_model,
    sample_response,
    server,
    texts,
    tokens_used,
)
from probsense.models.openai.keys import Key
from probsense.models.openai.prices import Price, tokens_usage
from probsense.models.openai.requests import (
    Manner,
    label_post,
    parts,
    sample_post,
    score_post,
    sent_options,
)
from probsense.models.openai.wire import Exhausted, Malformed, Unanswerable


class Post(NamedTuple):
    """What is posted, and what reads the answer.

    Attributes
    ----------
    path : str
        Relative to the base URL.
    body : dict
    read : callable
        Raises :class:`~probsense.models.openai.wire.Malformed` for an answer that lacks something or cannot be true.
    """

    path: str
    body: dict[str, Json]
    read: Callable[[Mapping[str, Any]], Any]


Exchange: TypeAlias = Generator[list[Post], list[tuple[Any, dict[str, Json]]], Response]
"""Yields posts, takes what was read of the answer to each and what the server says of itself, returns the response."""


def exchange(manner: Manner, request: Request, ids: Mapping[int, int] | None = None) -> Exchange:
    """Ask a request, in several rounds where posts depend on earlier answers.

    Parameters
    ----------
    manner : Manner
    request : Request
    ids : Mapping of int to int, optional
        Tokens to ask for by their ids, with the index of the label that each stands for.
    """
    match request:
        case ScoreRequest():
            found = yield [
                Post(*score_post(manner, request, option), partial(option_score, manner, request, option))
                for option in sent_options(request)
            ]
            return ScoreResponse(tuple(score for score, _ in found), found[0][1])
        case LabelRequest():
            read = partial(label_response, manner, request, ids=ids)
            ((response, _),) = yield [Post(*label_post(manner, request, [*(ids or ())]), read)]
            if response.note == BLANK_NOTE:
                with suppress(Exhausted):  # Where nothing can be read after it, the note names the token.
                    ((response, _),) = yield [after_blank(manner, request)]
            assert isinstance(response, LabelResponse)
            return response
        case SampleRequest():
            return (yield from _texts(manner, request))


def after_blank(manner: Manner, request: LabelRequest) -> Post:
    """Ask for labels after a first token of white space."""
    read = partial(label_response, manner, request, after_blank=True)
    return Post(*label_post(manner, request, after_blank=True), read)


def _texts(manner: Manner, request: SampleRequest) -> Exchange:
    """Ask for texts, and again for as many as did not come."""
    came: dict[int, Text] = {}
    said: dict[str, Json] = {}
    wanted = [*parts(manner, request.n)]
    while wanted:
        posts = [Post(*sample_post(manner, request, *part), partial(_read, request)) for part in wanted]
        found = yield posts
        said = said or found[0][1] | ({"seed": posts[0].body["seed"]} if manner.can.seed else {})
        missing = []
        for (first, n), (own, _) in zip(wanted, found, strict=True):
            came |= enumerate(own[:n], first)
            if len(own) < n:
                missing.append((first + len(own), n - len(own)))
        wanted = missing
    whole = [came[number] for number in range(request.n)]
    return sample_response(whole, said, sized=request.thinks or manner.can.reasoning)


def _read(request: SampleRequest, answer: Mapping[str, Any]) -> Sequence[Text]:
    if request.thought is not None and request.thinks:
        return [chain_of(answer, request.thought.start, request.stop[0])]
    return texts(answer, request.stop)


def posts(manner: Manner, request: Request) -> list[Post]:
    """List the posts for a request, for the case that every answer is as it should be."""
    return next(exchange(manner, request))


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
        if before and before.reason == BLANK and isinstance(request, LabelRequest):
            asked = {AFTER: after_blank(self.manner, request)}
        return [
            {"custom_id": f"{key}-{part}", "method": "POST", "url": f"{ROOT}{post.path}", "body": post.body}
            for part, post in asked.items()
        ]

    def part_of(self, line: Mapping[str, Any]) -> tuple[str, int] | None:
        """Return the request key and the part number that a line answers; None if it is not of this format."""
        found = _PART.fullmatch(str(line.get("custom_id")))
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
