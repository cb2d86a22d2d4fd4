"""Asks a model of inspect our requests, one sample at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
)
from inspect_ai.util import collect

from probsense.core.errors import ModelError
from probsense.core.records import (
    LabelRequest,
    PromptForm,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    Turn,
)
from probsense.interop.inspect.model import Gathering, ProbSenseAPI
from probsense.models.base import Capabilities
from probsense.models.next_token.label_mass import top_tokens_response

TOP: Final = 20
"""The most probable tokens that inspect lets one ask for."""


def asker(model: Model, form: PromptForm) -> Gathering | Generating:
    """Return who answers for a model of inspect: our own model behind it, or else the texts that it generates."""
    return model.api.asker(form) if isinstance(model.api, ProbSenseAPI) else Generating(model)


class Generating:
    """A model of inspect that generates texts, with the probabilities of first words where its provider has them.

    Attributes
    ----------
    usual : str
        The method to ask by where the user chose none.
    """

    capabilities = Capabilities(labels="topk", sample=True, chat=True)
    usual = "sample"

    def __init__(self, model: Model) -> None:
        self._model = model

    async def ask(self, requests: Sequence[Request]) -> Sequence[Response]:
        """Answer the requests, in their order."""
        return [await self._answer(request) for request in requests]

    async def _answer(self, request: Request) -> Response:
        match request:
            case SampleRequest():
                return await self._texts(request)
            case LabelRequest():
                return await self._labels(request)
            case ScoreRequest():
                raise ModelError(f"{self._model} gives no log-probabilities of options")

    async def _texts(self, request: SampleRequest) -> SampleResponse:
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p if request.top_p < 1 else None,
            stop_seqs=[*request.stop] or None,
        )
        messages = _messages(request.turns, request.prompt, request.system)
        outputs = await collect(*(self._model.generate(messages, config=config) for _ in range(request.n)))
        return SampleResponse(
            tuple(output.completion for output in outputs),
            cut=tuple(output.stop_reason == "max_tokens" for output in outputs),
        )

    async def _labels(self, request: LabelRequest) -> Response:
        config = GenerateConfig(max_tokens=1, temperature=0.0, logprobs=True, top_logprobs=TOP)
        output = await self._model.generate(_messages((), request.prompt, request.system), config=config)
        logprobs = output.choices[0].logprobs if output.choices else None
        top = logprobs.content[0].top_logprobs if logprobs and logprobs.content else None
        if not top:
            raise ModelError(f"{self._model} gives no probabilities of first words: ask by -T method=sample")
        tokens = [(one.token, one.logprob) for one in sorted(top, key=lambda one: -one.logprob)]
        return top_tokens_response(request, tokens)


def _messages(turns: Sequence[Turn], prompt: str, system: str) -> list[ChatMessage]:
    found: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
    for said, reply in turns:
        found += ChatMessageUser(content=said), ChatMessageAssistant(content=reply)
    return [*found, ChatMessageUser(content=prompt)]
