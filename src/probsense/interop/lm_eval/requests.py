"""Puts our requests to a model of lm-evaluation-harness, which knows log-likelihoods of texts and generated ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.core.errors import ModelError
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
    Turn,
    opened,
    opened_turns,
)
from probsense.models.lm_eval import pairs, response_of
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
        case ScoreRequest():
            before = prompt((), opened(request.system, request.prefix))
            asked = replace(_told(request, reply), prefix=before, system="")
            return [Piece("loglikelihood", pair) for pair in pairs(asked)]
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
        case ScoreRequest():
            found = response_of(
                _told(request, reply), (max(float(value), IMPOSSIBLE) for value, _ in results)
            )
            if isinstance(found, Failure):
                raise ModelError(found.reason)
            return found
        case LabelRequest():
            asked = score_requests([request])[0]
            scored = response(asked, results, reply=reply)
            assert isinstance(scored, ScoreResponse)
            # Mass is not counted twice for spellings of the same tokens, which only their texts tell apart here.
            spelled = [
                OptionScore(replace(score.option, tokens=(text,)), score.suffix)
                for text, score in zip(_told(asked, reply).options, scored.options, strict=True)
            ]
            ((_, mass),) = next(spelled_mass([[(0, ScoreResponse((*spelled,)))]], [request]))
            assert not isinstance(mass, Failure)
            return mass
        case SampleRequest():
            return SampleResponse(tuple(islice(results, request.n)))


def _told(request: ScoreRequest, reply: bool) -> ScoreRequest:
    """Return the request with its options as the model is to write them."""
    return replace(
        request, options=tuple(option.removeprefix(" ") if reply else option for option in request.options)
    )
