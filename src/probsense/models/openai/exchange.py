"""The exchange with a server about one request: posts, what reads their answers, and the response.

It is the same with a server that answers at once and by batch files.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    Request,
    Response,
    SampleRequest,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.openai.answers import (
    BLANK_NOTE,
    Text,
    chain_of,
    label_response,
    option_score,
    sample_response,
    texts,
)
from probsense.models.openai.requests import (
    Manner,
    label_post,
    parts,
    sample_post,
    score_post,
    sent_options,
)
from probsense.models.openai.wire import Exhausted


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
    came: dict[int, Sequence[Text]] = {}
    said: dict[str, Json] = {}
    wanted = [*parts(manner, request.n)]
    while wanted:
        posts = [Post(*sample_post(manner, request, *part), partial(_read, request)) for part in wanted]
        found = yield posts
        said = said or found[0][1] | {name: posts[0].body[name] for name in ("seed",) if manner.can.seed}
        came |= {first: own[:n] for (first, n), (own, _) in zip(wanted, found, strict=True)}
        wanted = [(first + len(came[first]), n - len(came[first])) for first, n in wanted]
        wanted = [(first, n) for first, n in wanted if n]
    whole = [text for first in sorted(came) for text in came[first]]
    return sample_response(whole, said, sized=request.thinks or manner.can.reasoning)


def _read(request: SampleRequest, answer: Mapping[str, Any]) -> Sequence[Text]:
    if request.thought is not None and request.thinks:
        return [chain_of(answer, request.thought.start, request.stop[0])]
    return texts(answer, request.stop)


def posts(manner: Manner, request: Request) -> list[Post]:
    """List the posts for a request, for the case that every answer is as it should be."""
    return next(exchange(manner, request))
