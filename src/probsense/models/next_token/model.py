"""A language model with its tokenizer, as all backends have it that compute in this process."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, TypeVar

from probsense.core.errors import InputError
from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    PromptForm,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    Thought,
    Turn,
    opened,
    opened_turns,
)
from probsense.models.base import BEGINNING, PROMPTS, Batch, Capabilities, Finding, Usage, as_published, size
from probsense.models.next_token.alignment import AlignedTokens, Encoder, Ids, align, encode, whole_prompts
from probsense.models.next_token.label_mass import (
    MANNER,
    ROOM,
    Found,
    LabelReader,
    mass_past_openings,
    read_mass,
    score_requests,
    spelled_mass,
)
from probsense.models.next_token.reading import NOTHING, Need, Runner, divide, fit_options, fit_prompt, score
from probsense.models.next_token.texts import Writer, sample
from probsense.models.next_token.trial import Verdict, kept_verdict
from probsense.models.prompts.formats import (
    CHAT,
    FORMATS,
    GENERAL,
    PLAIN,
    PUBLISHED,
    PromptFormat,
    choose_format,
    joined_system,
    opens_thought,
    render,
    takes_system,
)
from probsense.models.prompts.thinking import SAID, UNCHANGED, Manner, Sampling, find_manner, in_thinking

_SIMPLE = "Is snow white? Answer with one word, yes or no."
LIKELY = math.log(0.5)
"""A model whose first word opens a thought with more than this log-probability thinks before it answers."""
CLOSED = "closed"
"""What became of a thought that the template opens, in fingerprints."""
WINDOW = 2**21
"""How many characters are tokenised and fed together: many share prefixes, and few enough fit into memory."""

Q = TypeVar("Q", bound=Request)
A = TypeVar("A")


@dataclass(frozen=True)
class LanguageModel:
    """A language model with its tokenizer; satisfies :class:`probsense.models.base.Model`.

    In a chat every prompt or prefix is the message of a user (after the system prompt, if there is one). The
    tokenizer's chat template renders it, with thinking switched off in templates that know it, and an option stands
    at the beginning of the answer. An option loses one leading blank there, unless the format has begun the answer:
    the blank separates words of plain text, and an answer does not begin with one. Unless the user chose, a model
    with a template takes questions as a chat, and texts to continue as they are.

    An encoder–decoder model reads the prompt or prefix with its encoder; its decoder writes option and suffix.

    Attributes
    ----------
    name : str
    numeric : Mapping
        Details that do not depend on the prompt format.
    runner : Runner
        The network, and how much it takes at once.
    encoder : Encoder
        The tokenizer.
    writer : Encoder or None
        The tokenizer as it serves the decoder of an encoder–decoder model; None for a causal model.
    format : PromptFormat
        The text around prompts.
    system_prompt : str or None
    choose_writer : callable
        Gives the way in which the network writes texts; to find it may take a trial, so it is found when needed.
    label_reader : callable
        Gives the classes of the tokens, which take a second of a large vocabulary, so they are found when needed.
    adapts : bool
        Whether the format follows the form of the prompts, as far as there is a template.
    sampling : Sampling
        The settings with which it draws texts, as it came with them.
    settled : bool
        Whether somebody said how the model is to be asked; to be asked as most published runs asked is a wish, too.
    thinking : Manner or None
        How it thinks first, if it is to.
    score_tokens, read_mass : callable
        How the network says what options and labels have; both take what :func:`.reading.score` and
        :func:`.label_mass.read_mass` do.
    """

    name: str
    numeric: Mapping[str, Json]
    runner: Runner
    encoder: Encoder
    writer: Encoder | None
    format: PromptFormat
    system_prompt: str | None
    choose_writer: Callable[[], Writer]
    label_reader: Callable[[], LabelReader]
    adapts: bool = False
    sampling: Sampling = UNCHANGED
    settled: bool = False
    thinking: Manner | None = None
    score_tokens: Callable[..., Iterator[Batch[ScoreResponse]]] = score
    read_mass: Callable[..., Iterator[Found]] = read_mass

    @cached_property
    def details(self) -> Mapping[str, Json]:
        """Everything that can change a number."""
        tokenizer, chat, thinking = self.encoder.tokenizer, self.format.chat, self.thinking
        template = hashlib.sha256(str(_template(tokenizer)).encode()).hexdigest()
        return {
            **self.numeric,
            "labels": MANNER,
            "head": list(tokenizer.convert_ids_to_tokens(list(() if chat else self.encoder.head))),
            "chat": chat,
            "prompt_format": self.format.name,
            "template": template if chat else None,
            "system_prompt": self.system_prompt,
            **({"beginning": self.encoder.beginning} if self.encoder.chosen else {}),
            **({"thought": CLOSED} if thinking is None and opens_thought(tokenizer, self.format) else {}),
            **({} if thinking is None else {"thinking": thinking.to_json()}),
        }

    @property
    def capabilities(self) -> Capabilities:
        """All three verbs, all exact."""
        chat = self.format.chat
        return Capabilities(
            score=True, labels="exact", sample=True, chat=chat, system_prompt=chat, thought="begun"
        )

    @property
    def beginning(self) -> str:
        """The token after which the first one of a text is scored that has nothing before it; "" in a chat."""
        return "" if self.format.chat or self.writer else self.encoder.beginning

    @property
    def usage(self) -> Usage:
        """The resources that its answers have used since it was loaded."""
        return self.runner.usage

    @property
    def findings(self) -> Sequence[Finding]:
        """What stands before a text, and around prompts if there is a chat template."""
        known = []
        if token := self.beginning:
            what = f"the first token of a text with nothing before it is scored after {token!r}"
            known.append(Finding(BEGINNING, None, what, {"token": token}))
        if self.settled and self.adapts:
            known.append(as_published())
        if not self._has_template:
            return known
        how = "through the chat template" if self.format.chat else "in plain text, without the chat template"
        named = "" if self.format in (CHAT, PLAIN) else f" (prompt format {self.format.name})"
        about: dict[str, Json] = {"prompt_format": self.format.name}
        without = ""
        if self.format.chat and not self._takes_system:
            without = "; it takes no system message, so that a description of the answerer begins the user's"
            about["system_message"] = False
        if "thought" in self.details:
            without += "; the thought with which the template begins an answer is closed at once"
            about["thought"] = self.details["thought"]
        known.append(Finding(PROMPTS, None, f"asked {how}{named}{without}", about))
        if manner := self.manner:
            about = {"verdict": manner.verdict, **manner.to_json()}
            known.append(Finding("thinking", None, SAID[manner.verdict], about))
        return known

    def for_form(self, form: PromptForm) -> LanguageModel:
        """Return the model with the same network: plain for texts to continue, with its template for questions."""
        chosen = PLAIN if form == "completion" or not self._has_template else CHAT
        if not self.adapts or chosen is self.format:
            return self
        return replace(self, format=chosen, thinking=None)

    @property
    def prompt_format(self) -> str:
        """The name of its format."""
        return self.format.name

    def prompt_formats(self) -> list[str]:
        """List the general formats after the own one; a chat needs a template, and a system prompt needs a chat."""
        had = {True: self._has_template, False: self.system_prompt is None}
        return [name for name in dict.fromkeys((self.format.name, *GENERAL)) if had[FORMATS[name].chat]]

    def in_prompt_format(self, name: str) -> LanguageModel:
        """Return the model with the same network in another format, which it keeps for prompts of any form."""
        return replace(self, format=FORMATS[name], adapts=False, thinking=None, settled=True)

    @property
    def _has_template(self) -> bool:
        return _template(self.encoder.tokenizer) is not None

    @cached_property
    def manner(self) -> Manner | None:
        """How it thinks; None if nothing shows that it can.

        Where a template has markers of thoughts and no switch, the model's first word decides whether it always thinks.
        """
        found = find_manner(self.encoder.tokenizer, self.sampling)
        if found is None or found.verdict != "unclear":
            return found
        asked = ScoreRequest(_SIMPLE, (found.start.rstrip(),))
        model = replace(self, format=CHAT, adapts=False, thinking=None)

        def opens() -> Verdict:
            (((_, answer),),) = model.score([asked])
            return Verdict(
                isinstance(answer, ScoreResponse) and sum(answer.options[0].option.logprobs) > LIKELY
            )

        identity = {**model.details, "opens": asked.options[0]}
        always = kept_verdict(identity, opens).passed
        return replace(found, verdict="always" if always else "off unless asked")

    def in_thinking(self, manner: Manner) -> LanguageModel:
        """Return the model with the same network as it answers after thoughts: by its template, if it has one."""
        chosen = self.for_form("question").format
        name = f"{self.name} (thinking)"
        return replace(self, name=name, format=chosen, adapts=False, thinking=manner)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the exact token log-probabilities of every option and suffix."""

        def ask(part: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
            asked = [self._formatted(request) for request in part]
            sources = self._prompts(asked, [0] * len(asked)) if self.writer else [NOTHING] * len(asked)
            aligned = [
                fit_options(self.runner, entries, self._head, request.item)
                for entries, request in zip(self._split(asked), asked, strict=True)
            ]
            # The token before predicts each token, so the last one is not fed.
            needs = [
                Need(entry.ids[:-1], entry.option - 1, source)
                for entries, source in zip(aligned, sources, strict=True)
                for entry in entries
            ]
            return self.score_tokens(self.runner, self.encoder.tokenizer, needs, aligned, asked)

        return self._in_windows(requests, ask)

    def split(self, requests: Sequence[ScoreRequest]) -> list[list[AlignedTokens]]:
        """Tokenise each option of each request as it is fed or predicted, and find its joins."""
        return self._split([self._formatted(request) for request in requests])

    def _split(self, asked: Sequence[ScoreRequest]) -> list[list[AlignedTokens]]:
        if self.writer:
            return align(self.writer, [replace(request, prefix="") for request in asked])
        return align(self.encoder, asked, special=not self.format.chat)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Yield the exact mass of every label as the first word after the prompt (past blanks and opening marks)."""
        reader = self.label_reader()
        in_tokens = {labels: reader.reads(labels) for labels in {r.labels for r in requests}}
        for whole in (True, False):
            places = [i for i, request in enumerate(requests) if in_tokens[request.labels] is whole]
            part = [requests[i] for i in places]
            spelled = spelled_mass(self.score(score_requests(part)), part)
            for batch in self._token_labels(part) if whole else spelled:
                yield [(places[index], response) for index, response in batch]

    def _token_labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        def ask(part: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
            prompts = self._prompts(part, [ROOM] * len(part))
            needs = [
                Need(self.writer.head, 0, ids) if self.writer else Need(ids, len(ids) - 1) for ids in prompts
            ]
            reader = self.label_reader()
            return mass_past_openings(partial(self.read_mass, self.runner, reader), reader, needs, part)

        return self._in_windows(requests, ask)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield texts that depend on their own request alone, whatever else is asked."""

        def ask(part: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
            prompts = self._prompts(part, [request.max_tokens for request in part])
            return sample(self.runner, self.choose_writer(), self.encoder.tokenizer, prompts, part)

        return self._in_windows(requests, ask)

    @property
    def _head(self) -> int:
        return 0 if self.format.chat else len((self.writer or self.encoder).head)

    def _prompts(self, requests: Sequence[Request], rooms: Sequence[int]) -> list[Ids]:
        """Tokenise the prompts and leave room for some more tokens after each (a decoder has room of its own)."""
        texts = [
            one.prefix
            if isinstance(one, ScoreRequest)
            else self._rendered(one.prompt, one.system, one.thought, getattr(one, "turns", ()))
            for one in requests
        ]
        if self.writer:
            prompts, head = whole_prompts(self.encoder, texts, special=not self.format.chat), 0
        else:
            prompts, head = encode(self.encoder, texts, special=not self.format.chat), self._head
        return [
            fit_prompt(self.runner, ids, 0 if self.writer else room, head, request.item)
            for ids, room, request in zip(prompts, rooms, requests, strict=True)
        ]

    def _in_windows(
        self, requests: Sequence[Q], ask: Callable[[Sequence[Q]], Iterator[Batch[A]]]
    ) -> Iterator[Batch[A]]:
        """Ask for one part of the requests after the other; yield batches under the caller's indices, none empty.

        The requests are sorted by their beginnings, so that those that begin alike come together.
        """
        sizes = [size(request) for request in requests]
        order = sorted(range(len(requests)), key=lambda i: sizes[i][0])
        for part in divide(order, (len(sizes[i][0]) + sizes[i][1] for i in order), WINDOW):
            started = time.perf_counter()
            for batch in ask([requests[i] for i in part]):
                self.runner.count(Usage(seconds=time.perf_counter() - started))
                if batch:
                    yield [(part[index], response) for index, response in batch]
                started = time.perf_counter()

    def _formatted(self, request: ScoreRequest) -> ScoreRequest:
        if self.format is PLAIN and not request.system and request.thought is None:
            return request
        options = request.options
        if self.format.begins_text or (request.thought and request.thought.end[-1:].isspace()):
            options = tuple(option.removeprefix(" ") for option in options)
        prefix = self._rendered(request.prefix, request.system, request.thought)
        return replace(request, prefix=prefix, options=options, system="", thought=None)

    @cached_property
    def _takes_system(self) -> bool:
        return takes_system(self.encoder.tokenizer, self.format)

    def _rendered(
        self, prompt: str, system: str, thought: Thought | None = None, turns: Sequence[Turn] = ()
    ) -> str:
        own, system = self.system_prompt, joined_system(self.format.system, system) or ""
        if system and self.format.chat and self._takes_system:
            own = joined_system(own, system)
        elif system and self.format.chat:
            turns, prompt = opened_turns(system, turns, prompt)
        if thought is None:
            text = render(self.encoder.tokenizer, prompt, own, self.format, turns)
        else:
            text = in_thinking(self.encoder.tokenizer, prompt, own, self.format, turns) + str(thought)
            text += self.format.answer if self.format.chat and thought.end else ""
        return text if self.format.chat else opened(system, text)


def local_model(
    name: str,
    numeric: Mapping[str, Json],
    runner: Runner,
    known: Encoder,
    choose_writer: Callable[[], Writer],
    *,
    system_prompt: str | None,
    prompt_format: str | None,
    writes: Encoder | None = None,
    sampling: Sampling = UNCHANGED,
) -> LanguageModel:
    """Make a model of a network and a tokenizer, in the prompt format that its user chose.

    Parameters
    ----------
    name, runner, known, choose_writer, writes
        As the model has them.
    numeric : mapping
        Details that do not depend on the prompt format.
    system_prompt, prompt_format
        As for :func:`load`.
    sampling : Sampling
        The settings with which it draws texts, as it came with them.

    Raises
    ------
    InputError
        For an unknown prompt format, or options that exclude each other.
    ModelError
        If the chat template fails.
    """
    template = _template(known.tokenizer)
    chosen = choose_format(prompt_format, template=template is not None)
    if chosen.chat and template is None:
        raise InputError(
            "the tokenizer has no chat template", path=name.partition(":")[2], expected="prompt_format plain"
        )
    if system_prompt is not None and not chosen.chat:
        raise InputError("a system prompt needs a chat template", path=name.partition(":")[2])
    render(known.tokenizer, "a", system_prompt, chosen)
    return LanguageModel(
        name,
        numeric,
        runner,
        known,
        writes,
        chosen,
        system_prompt,
        choose_writer,
        cache(lambda: LabelReader(known.tokenizer, runner.vocabulary)),
        adapts=prompt_format in (None, PUBLISHED) and system_prompt is None,
        sampling=sampling,
        settled=prompt_format is not None or system_prompt is not None,
    )


def _template(tokenizer: Any) -> object:
    return getattr(tokenizer, "chat_template", None)
