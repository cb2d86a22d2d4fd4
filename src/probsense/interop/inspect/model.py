"""Our models inside inspect (``inspect eval … --model probsense/hf:NAME``), and those of inspect for our requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby
from typing import Any, ClassVar, Final

import anyio
from inspect_ai import model as inspect_model
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import collect

from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.records import (
    Failure,
    LabelRequest,
    PromptForm,
    Request,
    Response,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    Turn,
)
from probsense.models.base import Capabilities, Model, Usage, in_form
from probsense.models.next_token.label_mass import top_tokens_response
from probsense.models.prompts.thoughts import split
from probsense.models.registry import load_model
from probsense.runs.ask.execute import ask

PATIENCE: Final = 0.05
"""Seconds that a request waits for others to be asked with it."""
AT_ONCE: Final = 256
"""Samples that inspect works on at the same time, so that their requests share beginnings."""
TOKENS: Final = 512
"""Tokens of a text where the user names no limit."""
TOP: Final = 20
"""The most probable tokens that inspect lets one ask for."""


class ProbSenseAPI(ModelAPI):  # type: ignore[misc]
    """A model of ProbSense by its specification, such as ``hf:NAME``; ``-M`` gives its options.

    Other tasks have it generate texts. Our own tasks also ask it for the probabilities of options and labels.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        try:
            self._model = load_model(model_name, **options)
        except ProbSenseError as error:
            raise PrerequisiteError(str(error)) from None
        self._askers: dict[PromptForm, Gathering] = {}

    def asker(self, form: PromptForm) -> Gathering:
        """Return what answers our requests, with prompts of this form."""
        if form not in self._askers:
            self._askers[form] = Gathering(in_form(self._model, form))
        return self._askers[form]

    def max_connections(self) -> int:
        """Return how many samples are worked on at once."""
        return AT_ONCE

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Write texts, the most probable one unless a temperature is named."""
        if tools:
            raise InputError(
                f"tools for {self.model_name}, which calls none", expected="a task without tools"
            )
        asker = self.asker("question")
        (response,) = await asker.ask([text_request(input, config)])
        assert isinstance(response, SampleResponse)
        cut = response.cut or (False,) * len(response.texts)
        answers = [split(text).answer or "" for text in response.texts]
        outputs = [
            ModelOutput.from_content(self.model_name, text, "max_tokens" if short else "stop")
            for text, short in zip(answers, cut, strict=True)
        ]
        choices = [output.choices[0] for output in outputs]
        return ModelOutput(model=self.model_name, choices=choices, usage=asker.take_usage())


def text_request(messages: Sequence[ChatMessage], config: GenerateConfig) -> SampleRequest:
    """Make the request for what inspect wants to be written.

    What the system says comes before the first thing that the user says. Messages of one side in a row are one.
    """
    sides = groupby(messages, lambda one: one.role == "assistant")
    said = [(own, "\n\n".join(one.text for one in side)) for own, side in sides]
    texts = [text for i, (own, text) in enumerate(said) if i or not own]
    if len(texts) % 2 == 0:
        raise InputError(
            "a conversation that ends with the model's own words", expected="a question at its end"
        )
    turns = [*zip(texts[::2], texts[1::2], strict=False)]
    return SampleRequest(
        texts[-1],
        n=config.num_choices or 1,
        max_tokens=config.max_tokens or TOKENS,
        temperature=config.temperature or 0.0,
        top_p=1.0 if config.top_p is None else config.top_p,
        stop=tuple(config.stop_seqs or ()),
        seed=config.seed or 0,
        turns=tuple(turns),
    )


@dataclass
class Gathering:
    """A model whose requests from many samples are answered together.

    Attributes
    ----------
    model : Model
    """

    model: Model
    _waiting: dict[str, Request] = field(default_factory=dict)
    _answers: dict[str, Response | Failure] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)
    _lock: anyio.Lock = field(default_factory=anyio.Lock)
    _told: Usage = field(default_factory=Usage)

    @property
    def capabilities(self) -> Capabilities:
        """Return what the model can answer."""
        return self.model.capabilities

    async def ask(self, requests: Sequence[Request]) -> Sequence[Response]:
        """Answer requests together with those of others that come at about the same time.

        Raises
        ------
        ModelError
            If one has no answer.
        """
        own = {str(next(self._numbers)): request for request in requests}
        self._waiting |= own
        await anyio.sleep(PATIENCE)
        async with self._lock:
            # Whoever held the lock before may have asked these, too.
            together, self._waiting = self._waiting, {}
            if together:
                await anyio.to_thread.run_sync(partial(self._answer, together))
        found: list[Response] = []
        for key in own:
            answer = self._answers.pop(key, Failure("it gave no answer", 1))
            if isinstance(answer, Failure):
                raise ModelError(f"{self.model.name}: {answer.reason}")
            found.append(answer)
        return found

    def _answer(self, together: Mapping[str, Request]) -> None:
        for batch in ask(self.model, together):
            self._answers.update(batch)

    def take_usage(self) -> ModelUsage:
        """Return the tokens that went through the network since the last call."""
        now = self.model.usage
        since, self._told = now.since(self._told), now
        return ModelUsage(input_tokens=since.tokens, total_tokens=since.tokens)


@modelapi(name="probsense")  # type: ignore[untyped-decorator]
def probsense() -> type[ModelAPI]:
    """Return the class of our models, for the registry of inspect."""
    return ProbSenseAPI


@dataclass
class Generating:
    """A model of inspect that generates texts, with the probabilities of first words where its provider has them.

    Attributes
    ----------
    model : Model of inspect
    """

    model: inspect_model.Model
    capabilities: ClassVar = Capabilities(labels="topk", sample=True, chat=True)

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
                raise ModelError(f"{self.model} gives no log-probabilities of options")

    async def _texts(self, request: SampleRequest) -> SampleResponse:
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p if request.top_p < 1 else None,
            stop_seqs=[*request.stop] or None,
        )
        messages = _messages(request.turns, request.prompt, request.system)
        outputs = await collect(*(self.model.generate(messages, config=config) for _ in range(request.n)))
        return SampleResponse(
            tuple(output.completion for output in outputs),
            cut=tuple(output.stop_reason == "max_tokens" for output in outputs),
        )

    async def _labels(self, request: LabelRequest) -> Response:
        config = GenerateConfig(max_tokens=1, temperature=0.0, logprobs=True, top_logprobs=TOP)
        output = await self.model.generate(_messages((), request.prompt, request.system), config=config)
        logprobs = output.choices[0].logprobs if output.choices else None
        top = logprobs.content[0].top_logprobs if logprobs and logprobs.content else None
        if not top:
            raise ModelError(f"{self.model} gives no probabilities of first words: ask by -T method=sample")
        tokens = [(one.token, one.logprob) for one in sorted(top, key=lambda one: -one.logprob)]
        return top_tokens_response(request, tokens)


def _messages(turns: Sequence[Turn], prompt: str, system: str) -> list[ChatMessage]:
    found: list[ChatMessage] = [inspect_model.ChatMessageSystem(content=system)] if system else []
    for said, reply in turns:
        found += (
            inspect_model.ChatMessageUser(content=said),
            inspect_model.ChatMessageAssistant(content=reply),
        )
    return [*found, inspect_model.ChatMessageUser(content=prompt)]


def asker(model: inspect_model.Model, form: PromptForm) -> Gathering | Generating:
    """Return who answers for a model of inspect: our own model behind it, or else the texts that it generates."""
    return model.api.asker(form) if isinstance(model.api, ProbSenseAPI) else Generating(model)
