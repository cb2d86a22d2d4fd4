"""Language models of Hugging Face, from a folder or the hub: ``hf:FOLDER``, ``hf:OWNER/NAME``."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from typing import Any, TypeVar

import numpy as np

from probsense.core.errors import InputError, ModelError
from probsense.core.extras import install
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
    Turn,
    continued,
    opened,
    opened_turns,
)
from probsense.models import seq2seq, spelled
from probsense.models.align import AlignedTokens, Encoder, Ids, align, encode, encoder
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.findings import PROMPTS, Finding
from probsense.models.fit import fit_options, fit_prompt
from probsense.models.hf_architecture import network_architecture
from probsense.models.hf_cached import choose_writer
from probsense.models.hf_files import locate
from probsense.models.hf_labels import LabelReader, label_mass
from probsense.models.hf_read import SPREAD, check_causal, one_line, pick_device, read_model
from probsense.models.hf_sample import sample
from probsense.models.hf_score import score
from probsense.models.hf_write import Writer
from probsense.models.prompt_formats import (
    CHAT,
    FORMATS,
    GENERAL,
    PLAIN,
    PromptFormat,
    choose_format,
    joined_system,
)
from probsense.models.reading import NOTHING, Need, Runner
from probsense.models.seq2seq import whole_prompts, writer
from probsense.models.trie.probe import PLAIN_TOKENS, budget, choose_reader

DTYPES = ("auto", "float32", "float16", "bfloat16", "float64")
WINDOW = 2**21
"""How many characters are tokenised and fed together: many share prefixes, and few enough fit into memory."""

Q = TypeVar("Q", bound=Request)
A = TypeVar("A")


@dataclass(frozen=True)
class HuggingFaceModel:
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
    details : Mapping
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
    adapts : bool
        Whether the format follows the form of the prompts, because there is a template and the user chose nothing.
    network : Finding or None
        The family and the size of the network, if they are known.
    """

    name: str
    details: Mapping[str, Json]
    runner: Runner
    encoder: Encoder
    writer: Encoder | None
    format: PromptFormat
    system_prompt: str | None
    choose_writer: Callable[[], Writer]
    adapts: bool = False
    network: Finding | None = None

    @property
    def capabilities(self) -> Capabilities:
        """All three verbs, all exact."""
        chat = self.format.chat
        return Capabilities(score=True, labels="exact", sample=True, chat=chat, system_prompt=chat)

    @property
    def usage(self) -> Usage:
        """The resources that its answers have used since it was loaded."""
        return self.runner.usage

    @property
    def findings(self) -> Sequence[Finding]:
        """The family and the size of the network, and what stands around prompts, if there is a chat template."""
        known = [] if self.network is None else [self.network]
        if _template(self.encoder.tokenizer) is None:
            return known
        how = "through the chat template" if self.format.chat else "in plain text, without the chat template"
        named = "" if self.format in (CHAT, PLAIN) else f" (prompt format {self.format.name})"
        about: dict[str, Json] = {"prompt_format": self.format.name}
        without = ""
        if self.format.chat and not self._takes_system:
            without = "; it takes no system message, so that a description of the answerer begins the user's"
            about["system_message"] = False
        return [*known, Finding(PROMPTS, None, f"asked {how}{named}{without}", about)]

    def for_form(self, form: PromptForm) -> HuggingFaceModel:
        """Return the model with the same network: plain for texts to continue, with its template for questions."""
        chosen = PLAIN if form == "completion" else CHAT
        if not self.adapts or chosen is self.format:
            return self
        return self._in(chosen, adapts=True)

    @property
    def prompt_formats(self) -> Mapping[str, str]:
        """The general formats, after the model's own; those with a chat need a template, and a system prompt a chat."""
        no_template = "" if _template(self.encoder.tokenizer) is not None else "there is no chat template"
        no_system = "" if self.system_prompt is None else "a system prompt needs the chat template"
        names = dict.fromkeys((self.format.name, *GENERAL))
        return {name: no_template if FORMATS[name].chat else no_system for name in names}

    def in_prompt_format(self, name: str) -> HuggingFaceModel:
        """Return the model with the same network in another format, which it keeps for prompts of any form."""
        return self._in(FORMATS[name], adapts=False)

    def _in(self, chosen: PromptFormat, *, adapts: bool) -> HuggingFaceModel:
        details = {**self.details, **_format_details(self.encoder, chosen, self.system_prompt)}
        return replace(self, format=chosen, details=details, adapts=adapts)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Yield the exact token log-probabilities of every option and suffix."""

        def ask(part: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
            asked = [self._formatted(request) for request in part]
            if self.writer:
                sources = self._prompts(asked, [request.prefix for request in asked], [0] * len(asked))
            else:
                sources = [NOTHING] * len(asked)
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
            return self._score_tokens(needs, aligned, asked)

        return self._in_windows(requests, _size_of_options, ask)

    def split(self, requests: Sequence[ScoreRequest]) -> list[list[AlignedTokens]]:
        """Tokenise each option of each request as it is fed or predicted, and find its joins."""
        return self._split([self._formatted(request) for request in requests])

    def _split(self, asked: Sequence[ScoreRequest]) -> list[list[AlignedTokens]]:
        if self.writer:
            return align(self.writer, [replace(request, prefix="") for request in asked])
        return align(self.encoder, asked, special=not self.format.chat)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Yield the exact mass of every label at the end of the prompt (or after a blank, if that comes next)."""
        in_tokens = {labels: self._label_reader.reads(labels) for labels in {r.labels for r in requests}}
        for whole in (True, False):
            places = [i for i, request in enumerate(requests) if in_tokens[request.labels] is whole]
            part = [requests[i] for i in places]
            found = self._token_labels(part) if whole else self._spelled_labels(part)
            for batch in found:
                yield [(places[index], response) for index, response in batch]

    def _spelled_labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        return spelled.label_mass(self.score(spelled.score_requests(requests)), requests)

    def _token_labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        def ask(part: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
            prompts = self._prompts(part, self._texts(part), [1] * len(part))
            needs = [
                Need(self.writer.head, 0, ids) if self.writer else Need(ids, len(ids) - 1) for ids in prompts
            ]
            return self._mass_of_tokens(needs, part)

        return self._in_windows(requests, _size_of_prompt, ask)

    # Another network answers these two, and writes, in its own way.
    def _score_tokens(
        self,
        needs: Sequence[Need],
        aligned: Sequence[Sequence[AlignedTokens]],
        asked: Sequence[ScoreRequest],
    ) -> Iterator[Batch[ScoreResponse]]:
        return score(self.runner, self.encoder.tokenizer, needs, aligned, asked)

    def _mass_of_tokens(
        self, needs: Sequence[Need], asked: Sequence[LabelRequest]
    ) -> Iterator[Batch[LabelResponse]]:
        return label_mass(self.runner, self._label_reader, needs, asked)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Yield texts that depend on their own request alone, whatever else is asked."""

        def ask(part: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
            prompts = self._prompts(part, self._texts(part), [request.max_tokens for request in part])
            return sample(self.runner, self.choose_writer(), self.encoder.tokenizer, prompts, part)

        return self._in_windows(requests, _size_of_prompt, ask)

    @cached_property
    def _label_reader(self) -> LabelReader:
        return LabelReader(self.encoder.tokenizer, self.runner.vocabulary)

    @property
    def _head(self) -> int:
        return 0 if self.format.chat else len((self.writer or self.encoder).head)

    def _texts(self, requests: Sequence[LabelRequest] | Sequence[SampleRequest]) -> list[str]:
        return [
            self._rendered(r.prompt, r.system, r.turns if isinstance(r, SampleRequest) else ())
            for r in requests
        ]

    def _prompts(self, requests: Sequence[Request], texts: Sequence[str], rooms: Sequence[int]) -> list[Ids]:
        """Tokenise the prompts and leave room for some more tokens after each (a decoder has room of its own)."""
        if self.writer:
            prompts, head = whole_prompts(self.encoder, texts, special=not self.format.chat), 0
        else:
            prompts, head = encode(self.encoder, texts, special=not self.format.chat), self._head
        return [
            fit_prompt(self.runner, ids, 0 if self.writer else room, head, request.item)
            for ids, room, request in zip(prompts, rooms, requests, strict=True)
        ]

    def _in_windows(
        self,
        requests: Sequence[Q],
        size: Callable[[Q], tuple[str, int]],
        ask: Callable[[Sequence[Q]], Iterator[Batch[A]]],
    ) -> Iterator[Batch[A]]:
        """Ask for one part of the requests after the other; yield batches under the caller's indices, none empty.

        ``size`` gives the beginning of a request and its number of characters. The requests are sorted by their
        beginnings, so that those that begin alike come together.
        """
        begin, lengths = zip(*map(size, requests), strict=True) if requests else ((), ())
        order = sorted(range(len(requests)), key=lambda i: begin[i])
        windows = np.cumsum([lengths[i] for i in order]) // WINDOW
        for _, group in groupby(zip(order, windows, strict=True), key=lambda pair: pair[1]):
            part = [i for i, _ in group]
            started = time.perf_counter()
            for batch in ask([requests[i] for i in part]):
                self.runner.count(Usage(seconds=time.perf_counter() - started))
                if batch:
                    yield [(part[index], response) for index, response in batch]
                started = time.perf_counter()

    def _formatted(self, request: ScoreRequest) -> ScoreRequest:
        if self.format is PLAIN and not request.system:
            return request
        options = request.options
        if self.format.begins_text:
            options = tuple(option.removeprefix(" ") for option in options)
        prefix = self._rendered(request.prefix, request.system)
        return replace(request, prefix=prefix, options=options, system="")

    @cached_property
    def _takes_system(self) -> bool:
        return takes_system(self.encoder.tokenizer, self.format)

    def _rendered(self, prompt: str, system: str, turns: Sequence[Turn] = ()) -> str:
        own = self.system_prompt
        if system and self.format.chat and self._takes_system:
            own = joined_system(own, system)
        elif system and self.format.chat:
            turns, prompt = opened_turns(system, turns, prompt)
        text = render(self.encoder.tokenizer, prompt, own, self.format, turns)
        return text if self.format.chat else opened(system, text)


def load(
    argument: str,
    *,
    dtype: str = "auto",
    device: str = "auto",
    revision: str | None = None,
    gguf_file: str | None = None,
    batch_tokens: int | None = None,
    truncate: str | None = None,
    chat: bool | None = None,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
    trust_remote_code: bool = False,
) -> HuggingFaceModel:
    """Load a language model from safetensors, or from a GGUF file that is dequantised.

    Parameters
    ----------
    argument : str
        A folder as ``save_pretrained`` writes it, a GGUF file, or a name on the hub.
    dtype : str
        Type of the weights: float32, float16, bfloat16, float64, or auto, which is float32 on a CPU and as stored
        elsewhere.
    device : str
        Where it runs: cpu, cuda, cuda:1, mps; auto takes cuda, else mps, else cpu; balanced or sequential spread the
        layers over all accelerators (which needs the package accelerate).
    revision : str, optional
        Branch, tag or commit on the hub.
    gguf_file : str, optional
        Take the weights from this GGUF file of the folder or the hub's repository, dequantised.
    batch_tokens : int, optional
        Tokens in a batch; results do not depend on it beyond rounding.
    truncate : {"left"}, optional
        Drop the beginning (left) of texts that are longer than the model takes, and count them; by default they are
        refused.
    chat : bool, optional
        Use the chat template of the tokenizer; by default for questions, not for texts to continue.
    system_prompt : str, optional
        System prompt of the chat template.
    prompt_format : str, optional
        What stands around a prompt: chat, chat-answer, plain, question-answer, gemma, olmo, falcon or gpt-5; says
        whether the chat template is used.
    trust_remote_code : bool
        Run code that comes with the model.

    Raises
    ------
    InputError
        For an unknown dtype or device, a folder without a model, options that exclude each other.
    ModelError
        Without PyTorch and transformers, or if the model cannot be had or loaded, or is neither causal nor an
        encoder–decoder.
    """
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(f"{argument} needs torch and transformers: {install('hf')}") from None
    if dtype not in DTYPES:
        raise InputError(f"no such dtype: {dtype!r}", expected="one of " + ", ".join(DTYPES))
    if truncate not in (None, "left"):
        raise InputError(f"truncate {truncate!r}", expected="left, or nothing")
    if batch_tokens is not None and batch_tokens < 1:
        raise InputError(f"batch_tokens {batch_tokens}", expected="at least 1")
    place = pick_device(device)
    source = locate(argument, revision, gguf_file)
    if dtype == "auto" and place.type == "cpu":
        dtype = "float32"
    spread = device if device in SPREAD else None
    network, tokenizer = read_model(source, dtype, place, spread, trust_remote_code)
    config = network.config.get_text_config()
    context = getattr(config, "max_position_embeddings", None)
    known = encoder(tokenizer)
    numeric: dict[str, Json] = {
        "backend": "hf",
        **source.identity,
        "dtype": str(network.dtype).removeprefix("torch."),
        "attention": getattr(network.config, "_attn_implementation", None),
        "trust_remote_code": trust_remote_code,
        "versions": versions(torch.__version__, transformers.__version__),
    }
    if network.config.is_encoder_decoder:
        writes, read, tokens = writer(known, network), seq2seq.read, budget(network, PLAIN_TOKENS)
    else:
        writes = None
        check_causal(network, config.vocab_size)
        read, tokens = choose_reader(network, config.vocab_size, {**numeric, "device": place.type})
    runner = Runner(network, config.vocab_size, context, batch_tokens or tokens, read, truncate is not None)
    return local_model(
        f"hf:{argument}",
        numeric,
        runner,
        known,
        writes,
        cache(lambda: choose_writer(network, config.vocab_size)),
        network_architecture(network),
        chat=chat,
        system_prompt=system_prompt,
        prompt_format=prompt_format,
    )


def local_model(
    name: str,
    numeric: Mapping[str, Json],
    runner: Runner,
    known: Encoder,
    writes: Encoder | None,
    choose_writer: Callable[[], Writer],
    network: Finding | None,
    *,
    chat: bool | None,
    system_prompt: str | None,
    prompt_format: str | None,
    kind: type[HuggingFaceModel] = HuggingFaceModel,
) -> HuggingFaceModel:
    """Make a model of a network and a tokenizer, in the prompt format that its user chose.

    Parameters
    ----------
    name, runner, known, writes, choose_writer, network
        As the model has them.
    numeric : mapping
        Details that do not depend on the prompt format.
    chat, system_prompt, prompt_format
        As for :func:`load`.
    kind : type
        How the network is asked.

    Raises
    ------
    InputError
        For an unknown prompt format, or options that exclude each other.
    ModelError
        If the chat template fails.
    """
    template = _template(known.tokenizer)
    chosen = choose_format(prompt_format, chat, template=template is not None)
    if chosen.chat and template is None:
        raise InputError(
            "the tokenizer has no chat template", path=name.partition(":")[2], expected="chat off"
        )
    if system_prompt is not None and not chosen.chat:
        raise InputError("a system prompt needs a chat template", path=name.partition(":")[2])
    render(known.tokenizer, "a", system_prompt, chosen)
    details: dict[str, Json] = {
        **numeric,
        "scorer": runner.read.__module__.removeprefix("probsense.models."),
        **_format_details(known, chosen, system_prompt),
    }
    adapts = template is not None and chat is None and prompt_format is None and system_prompt is None
    return kind(name, details, runner, known, writes, chosen, system_prompt, choose_writer, adapts, network)


def _template(tokenizer: Any) -> object:
    return getattr(tokenizer, "chat_template", None)


def _format_details(known: Encoder, chosen: PromptFormat, system_prompt: str | None) -> dict[str, Json]:
    """Collect what a format changes of the details."""
    tokenizer = known.tokenizer
    template = hashlib.sha256(str(_template(tokenizer)).encode()).hexdigest()
    return {
        "head": list(tokenizer.convert_ids_to_tokens(list(() if chosen.chat else known.head))),
        "chat": chosen.chat,
        "prompt_format": chosen.name,
        "template": template if chosen.chat else None,
        "system_prompt": system_prompt,
    }


def render(
    tokenizer: Any,
    prompt: str,
    system_prompt: str | None,
    prompt_format: PromptFormat = CHAT,
    turns: Sequence[Turn] = (),
) -> str:
    """Render the prompt and the turns before it in its format, up to where the answer begins.

    Raises
    ------
    ModelError
        If the template does not take it (many refuse a system prompt).
    """
    if not prompt_format.chat:
        return prompt_format.in_text(prompt, turns)
    from jinja2 import TemplateError

    system: list[dict[str, Json]] = (
        [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
    )
    try:
        text = tokenizer.apply_chat_template(
            [*system, *prompt_format.messages(prompt, turns)],
            tokenize=False,
            add_generation_prompt=prompt_format.generation_prompt,
            enable_thinking=False,
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise ModelError(f"the chat template fails: {one_line(error)}") from None
    return str(text) + prompt_format.answer


def takes_system(tokenizer: Any, prompt_format: PromptFormat) -> bool:
    """Tell whether a chat template takes a system message: some refuse it, and some leave it out without a word."""
    mark = "The one who answers."
    try:
        return mark in render(tokenizer, "a", mark, prompt_format)
    except ModelError:
        return False


def _size_of_options(request: ScoreRequest) -> tuple[str, int]:
    longest = len(request.system) + len(request.prefix) + len(request.suffix)
    return opened(request.system, request.prefix), sum(longest + len(option) for option in request.options)


def _size_of_prompt(request: LabelRequest | SampleRequest) -> tuple[str, int]:
    said = continued(request.turns, request.prompt) if isinstance(request, SampleRequest) else request.prompt
    text = opened(request.system, said)
    return text, len(text)


def versions(torch_version: str, transformers_version: str) -> dict[str, Json]:
    """Collect the versions of the libraries whose arithmetic or tokens a model's numbers depend on."""
    import tokenizers

    return {
        "torch": torch_version,
        "transformers": transformers_version,
        "tokenizers": str(tokenizers.__version__),
    }
