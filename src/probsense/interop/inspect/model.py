"""Our models as models of inspect: ``inspect eval … --model probsense/hf:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import anyio
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.records import Failure, PromptForm, Request, Response, SampleRequest, SampleResponse, Turn
from probsense.models.base import Capabilities, Model, Usage, in_form
from probsense.models.prompts.thoughts import split
from probsense.models.registry import load_model
from probsense.runs.ask.execute import ask

PATIENCE: Final = 0.05
"""Seconds that a request waits for others to be asked with it."""
AT_ONCE: Final = 256
"""Samples that inspect works on at the same time, so that their requests share beginnings."""
TOKENS: Final = 512
"""Tokens of a text where the user names no limit."""


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
        request = text_request(input, config)
        asker = self.asker("question")
        (response,) = await asker.ask([request])
        assert isinstance(response, SampleResponse)
        answers = [split(text).answer or "" for text in response.texts]
        outputs = [ModelOutput.from_content(self.model_name, text) for text in answers]
        if response.cut:
            for output, cut in zip(outputs, response.cut, strict=True):
                output.choices[0].stop_reason = "max_tokens" if cut else "stop"
        return ModelOutput(
            model=self.model_name, choices=[output.choices[0] for output in outputs], usage=asker.take_usage()
        )


def text_request(messages: Sequence[ChatMessage], config: GenerateConfig) -> SampleRequest:
    """Make the request for what inspect wants to be written.

    What the system says comes before the first thing that the user says. Messages of one side in a row are one.
    """
    said: list[tuple[str, str]] = []
    for message in messages:
        side = "assistant" if message.role == "assistant" else "user"
        if said and said[-1][0] == side:
            said[-1] = (side, f"{said[-1][1]}\n\n{message.text}")
        else:
            said.append((side, message.text))
    texts = [text for _, text in (said[1:] if said and said[0][0] == "assistant" else said)]
    if len(texts) % 2 == 0:
        raise InputError(
            "a conversation that ends with the model's own words", expected="a question at its end"
        )
    turns: list[Turn] = [(texts[i], texts[i + 1]) for i in range(0, len(texts) - 1, 2)]
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


@dataclass(slots=True)
class _Waiting:
    request: Request
    answer: Response | Failure | None = None


@dataclass
class Gathering:
    """A model whose requests from many samples are answered together.

    Attributes
    ----------
    model : Model
    usual : str or None
        The best method of a task that the model can answer is the usual one.
    """

    model: Model
    usual: str | None = None
    _waiting: list[_Waiting] = field(default_factory=list)
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
        own = [_Waiting(request) for request in requests]
        self._waiting += own
        await anyio.sleep(PATIENCE)
        async with self._lock:
            # Whoever held the lock before may have asked these, too.
            together, self._waiting = self._waiting, []
            if together:
                await anyio.to_thread.run_sync(partial(self._answer, together))
        found = []
        for one in own:
            if one.answer is None or isinstance(one.answer, Failure):
                why = "it gave no answer" if one.answer is None else one.answer.reason
                raise ModelError(f"{self.model.name}: {why}")
            found.append(one.answer)
        return found

    def _answer(self, together: Sequence[_Waiting]) -> None:
        numbered = {str(i): one for i, one in enumerate(together)}
        for batch in ask(self.model, {key: one.request for key, one in numbered.items()}):
            for key, answer in batch:
                numbered[key].answer = answer

    def take_usage(self) -> ModelUsage:
        """Return the tokens that went through the network since the last call."""
        now = self.model.usage
        since, self._told = now.since(self._told), now
        return ModelUsage(input_tokens=since.tokens, total_tokens=since.tokens)
