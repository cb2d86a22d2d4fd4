"""A model behind an OpenAI-compatible server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from probsense.analysis.distributions.label_mass import Labels
from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    Failure,
    Json,
    LabelRequest,
    LabelResponse,
    PromptForm,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import (
    BYTES_A_TOKEN,
    Batch,
    Capabilities,
    Finding,
    Meter,
    Usage,
)
from probsense.models.openai import answers
from probsense.models.openai.client import START, Client, all_of, stream
from probsense.models.openai.examination import find_label_ids
from probsense.models.openai.exchange import OpenAIBatch, Post, exchange, posts
from probsense.models.openai.prices import Price, tokens_usage
from probsense.models.openai.requests import Manner, details, size
from probsense.models.openai.wire import Exhausted, Malformed, Refused, Unanswerable
from probsense.models.prompts.formats import CHAT, FORMATS, GENERAL, unservable
from probsense.models.prompts.thinking import Manner as Thinking


@dataclass
class OpenAIModel:
    """Asks a server, many requests at a time; satisfies :class:`probsense.models.base.Model`.

    Every answer is checked before it counts. A request whose tries are all spent is a failure; a fault that no try
    can mend (a wrong key, no such model) ends the run with :class:`~probsense.core.errors.ModelError`.

    Attributes
    ----------
    name : str
    client : Client
    asking : Manner
        How requests are written.
    findings : sequence of Finding
        The findings of the examination at loading.
    price : Price or None
    completing : callable or None
        Makes the model that continues texts; None if this one does.
    settled : bool
        Whether somebody said how the model is to be asked.
    thinking : Manner or None
        How it thinks first, if it is to.
    """

    name: str
    client: Client
    asking: Manner
    findings: Sequence[Finding] = ()
    price: Price | None = None
    completing: Callable[[], OpenAIModel] | None = None
    settled: bool = False
    thinking: Thinking | None = None
    _meter: Meter = field(default_factory=Meter)
    _answered: set[str] = field(default_factory=set)
    _label_ids: dict[Labels, dict[int, int]] = field(default_factory=dict)
    _served: str | None = None

    @property
    def details(self) -> Mapping[str, Json]:
        """Everything that can change a number."""
        own = details(self.client.base_url, self.asking)
        return own if self.thinking is None else {**own, "thinking": self.thinking.to_json()}

    @property
    def manner(self) -> Thinking | None:
        """How the model thinks, where its server goes on after a thought and its tokens tell the marks."""
        if self.asking.can.marks is None:
            return None
        start, end, between = self.asking.can.marks
        return Thinking(f"{start}\n", end + between, end, "on unless told")

    def in_thinking(self, manner: Thinking) -> OpenAIModel:
        """Return the model with the same client as it answers after thoughts that are given to it."""
        can = self.asking.can
        if can.reasoning:
            can = replace(can, top_logprobs=can.continues, label_ids=None, reasoning=False, temperature=False)
        shape = self.asking.format
        if can.route == "chat":
            # Options go by completions, which do not know the chat in which the thought was drawn.
            shape, can = CHAT, replace(can, echo=False, prompt_logprobs=False)
        asking = replace(self.asking, can=can, format=shape, reasoning_effort=None)
        return self.asked_as(asking, name=f"{self.name} (thinking)", thinking=manner)

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that the endpoint showed."""
        can = self.asking.can
        chat = can.route == "chat"
        thought: Literal["begun", "closed"] | None = "closed" if chat else "begun"
        return Capabilities(
            score=can.echo or can.prompt_logprobs,
            labels="exact" if can.label_ids else "topk" if can.top_logprobs > 1 else None,
            sample=True,
            chat=chat,
            system_prompt=chat,
            thought=thought if (can.continues if chat else not can.reasoning) else None,
        )

    @property
    def usage(self) -> Usage:
        """The usage that the server counted since it was loaded."""
        return replace(self._meter.used, requests=self.client.requests)

    @property
    def priced(self) -> bool:
        """Whether prices are known."""
        return self.price is not None

    @property
    def batch_lines(self) -> OpenAIBatch:
        """The format of batch files, which cannot ask for tokens by their ids."""
        if self.asking.can.label_ids:
            raise InputError(
                f"{self.name} gives the log-probabilities of tokens by their ids, which have to be asked for at once",
                expected="abilities without them",
            )
        return OpenAIBatch(self.asking, self.price, self.client.key)

    def for_form(self, form: PromptForm) -> OpenAIModel:
        """Return the model with the same client: by completions for texts to continue, by chat for questions."""
        return self.completing() if form == "completion" and self.completing else self

    @property
    def prompt_format(self) -> str:
        """The name of its format."""
        return self.asking.format.name

    def prompt_formats(self) -> list[str]:
        """List the general formats after the model's own: those of a chat go by chat, the others by completions."""
        routes = {self.asking.format.chat, self.for_form("completion").asking.format.chat}
        names = dict.fromkeys((self.asking.format.name, *GENERAL))
        return [name for name in names if FORMATS[name].chat in routes and not unservable(FORMATS[name])]

    def in_prompt_format(self, name: str) -> OpenAIModel:
        """Return the model with the same client in another format, by the route that it needs."""
        wished = FORMATS[name]
        model = self if wished.chat == self.asking.format.chat else self.for_form("completion")
        manner = replace(model.asking, format=wished)
        return model.asked_as(manner, settled=True)

    def asked_as(self, asking: Manner, **more: Any) -> OpenAIModel:
        """Return the model with the same client, asked in another manner."""
        own = {"completing": None, "thinking": None, "_answered": set()} | more
        return replace(self, asking=asking, **own)

    def forecast(self, requests: Sequence[Request]) -> Usage:
        """Estimate the most that answers would cost, with the tokens to read guessed from the texts' lengths."""
        used = Usage()
        for request in requests:
            for post in posts(self.asking, request):
                used += tokens_usage(*_estimated(post), self.price) + Usage(requests=1)
        return used

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the log-probabilities of the tokens of every option and suffix, each option by a request of its own."""
        if not self.capabilities.score:
            raise ModelError(f"{self.name} does not give the log-probabilities of prompts")
        return self._answers(requests)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Yield the mass of every label among the most probable next tokens."""
        if self.capabilities.labels is None:
            raise ModelError(f"{self.name} does not give the log-probabilities of alternatives")
        return self._answers(requests)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield the texts that the server writes."""
        return self._answers(requests)

    def _answers(self, requests: Sequence[Request]) -> Iterator[Batch[Any]]:
        """Answer many requests at a time; yield each as soon as it is there."""

        async def produce(emit: Callable[[tuple[int, Any]], None]) -> None:
            waiting = iter(enumerate(requests))
            refused: list[tuple[int, Refused]] = []

            async def work() -> None:
                for index, request in waiting:
                    try:
                        emit((index, await self._answer(request)))
                        self._answered.add(request.kind)
                    except Exhausted as error:
                        emit((index, Failure(error.reason, error.tries)))
                    except Unanswerable as error:
                        emit((index, Failure(str(error), 1)))
                    except Refused as error:
                        refused.append((index, error))
                        # Where the server answers others of the kind, it refuses the words of this one.
                        known = request.kind in self._answered
                        if not error.about_this_request or (len(refused) >= START and not known):
                            raise

            async with self.client:
                if self.asking.can.label_ids:
                    asked = {one.labels for one in requests if isinstance(one, LabelRequest)}
                    for labels in asked - self._label_ids.keys():
                        self._label_ids[labels] = await find_label_ids(self.client, self.asking.model, labels)
                await all_of(work() for _ in range(min(self.client.concurrency, len(requests))))
            for place, refusal in refused:
                if requests[0].kind not in self._answered:
                    raise refusal
                emit((place, Failure(refusal.reason, 1)))

        started = time.perf_counter()
        for batch in stream(produce):
            now = time.perf_counter()
            self._meter.used += Usage(seconds=now - started)
            started = now
            yield batch

    async def _answer(self, request: Request) -> Any:
        steps = exchange(self.asking, request, self._label_ids.get(getattr(request, "labels", ())))
        wanted = next(steps)
        while True:
            try:
                try:
                    found = await all_of(map(self._ask, wanted))
                except Exhausted as error:
                    wanted = steps.throw(error)
                else:
                    wanted = steps.send(found)
            except StopIteration as end:
                return end.value

    async def _ask(self, post: Post) -> tuple[Any, dict[str, Json]]:
        """Return what is read of the answer to a post, and what the server says of itself."""

        def checked(answer: dict[str, Any]) -> tuple[Any, dict[str, Json]]:
            counted = isinstance(answer.get("usage"), dict)
            tokens = answers.tokens_used(answer) if counted else _estimated(post)
            self._meter.used += tokens_usage(*tokens, self.price)
            served = answer.get("model")
            if isinstance(served, str):
                self._served = self._served or served
                if not answers.same_model(served, self.asking.model, self._served):
                    raise Malformed(f"another model answered, {served[:60]!r}")
            return post.read(answer), answers.server(answer)

        return await self.client.ask(post.path, post.body, checked)


def _estimated(post: Post) -> tuple[int, int]:
    """Estimate the tokens that a post reads from the lengths of its texts, and give the most that are written."""
    sent, most = size(post.body)
    return -(-sent // BYTES_A_TOKEN), most
