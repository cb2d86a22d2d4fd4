"""Puts our requests to a model of lm-evaluation-harness, which knows log-likelihoods of texts and generated ones."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.core.errors import ModelError, brief
from probsense.core.records import (
    Failure,
    LabelRequest,
    OptionScore,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    TokenLogprobs,
    Turn,
    opened,
    opened_turns,
)
from probsense.models.next_token.label_mass import score_requests, spelled_mass

IMPOSSIBLE: Final = -sys.float_info.max
"""Stands for a log-likelihood of −∞, which JSON does not know."""
Prompt: TypeAlias = Callable[[Sequence[Turn], str], str]
"""Puts a conversation and what is said last into the text that the model reads."""


class Piece(NamedTuple):
    """A request of the harness: its kind, and the arguments of that kind."""

    kind: str
    arguments: tuple[Any, ...]


def pieces(request: Request, prompt: Prompt, *, reply: bool = False) -> list[Piece]:
    """Return the requests of the harness that together answer one of ours.

    Parameters
    ----------
    request : Request
    prompt : callable
        As in :data:`Prompt`.
    reply : bool
        Whether options and labels are the beginning of a reply, so that no blank separates them from the prompt.
    """
    match request:
        case ScoreRequest(prefix, options, suffix):
            before = prompt((), opened(request.system, prefix))
            pairs = [
                pair
                for option in _told(options, reply)
                for pair in ((before, option), (before + option, suffix))
                if pair[1]
            ]
            return [Piece("loglikelihood", pair) for pair in pairs]
        case LabelRequest():
            return pieces(score_requests([request])[0], prompt, reply=reply)
        case SampleRequest():
            drawn = request.temperature > 0
            arguments = {
                "until": [*request.stop],
                "max_gen_toks": request.max_tokens,
                "do_sample": drawn,
                **({"temperature": request.temperature, "top_p": request.top_p} if drawn else {}),
            }
            text = prompt(*opened_turns(request.system, request.turns, request.prompt))
            return [Piece("generate_until", (text, arguments))] * request.n


def response(request: Request, results: Iterator[Any], *, reply: bool = False) -> Response:
    """Take the answer to a request from the results of its :func:`pieces`, in their order.

    The harness gives the log-likelihoods of whole texts, and not those of their tokens.
    """
    match request:
        case ScoreRequest(_, options, suffix):
            return ScoreResponse(
                tuple(
                    OptionScore(_scored(option, results), _scored(suffix, results))
                    for option in _told(options, reply)
                )
            )
        case LabelRequest():
            asked = score_requests([request])[0]
            scored = response(asked, results, reply=reply)
            assert isinstance(scored, ScoreResponse)
            # Mass is not counted twice for spellings of the same tokens, which only their texts tell apart here.
            spelled = [
                OptionScore(replace(score.option, tokens=(text,)), score.suffix)
                for text, score in zip(_told(asked.options, reply), scored.options, strict=True)
            ]
            ((_, found),) = next(spelled_mass([[(0, ScoreResponse((*spelled,)))]], [request]))
            assert not isinstance(found, Failure)
            return found
        case SampleRequest():
            return SampleResponse(tuple(islice(results, request.n)))


def _told(options: Sequence[str], reply: bool) -> list[str]:
    return [option.removeprefix(" ") if reply else option for option in options]


def _scored(text: str, results: Iterator[Any]) -> TokenLogprobs:
    if not text:
        return TokenLogprobs.of_sum(text, None)
    found = float(next(results)[0])
    if math.isnan(found):
        raise ModelError(f"{brief(text)} has a log-likelihood of nan")
    return TokenLogprobs.of_sum(text, max(found, IMPOSSIBLE))
