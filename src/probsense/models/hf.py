"""Causal language models of Hugging Face, from a folder or the hub: ``hf:FOLDER``, ``hf:OWNER/NAME``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from probsense.errors import InputError, ModelError
from probsense.models.align import Encoder, encode, encoder
from probsense.models.base import Batch, Capabilities
from probsense.models.hf_batches import Runner
from probsense.models.hf_files import locate
from probsense.models.hf_labels import LabelReader, label_mass
from probsense.models.hf_read import check_causal, one_line, pick_device, read_model
from probsense.models.hf_sample import sample
from probsense.models.hf_score import score
from probsense.records import (
    Json,
    LabelRequest,
    LabelResponse,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)

DTYPES = ("auto", "float32", "float16", "bfloat16", "float64")
WINDOW = 4096
"""Requests that are tokenised, sorted and batched together: enough to fill batches, little enough to keep."""

Q = TypeVar("Q", bound=Request)
A = TypeVar("A")


@dataclass(frozen=True)
class HuggingFaceModel:
    """A causal language model with its tokenizer; satisfies :class:`probsense.models.base.Model`.

    In chat mode every prompt or prefix is the message of a user (after the system prompt, if there is one),
    rendered by the tokenizer's chat template, with thinking switched off in templates that know it; what is
    asked stands at the beginning of the answer. An option loses one leading blank there: it separates words
    of plain text, and an answer does not begin with one.

    Attributes
    ----------
    name : str
    details : Mapping
    runner : Runner
        The network, and how much it is given at once.
    encoder : Encoder
        The tokenizer.
    chat : bool
    system_prompt : str or None
    """

    name: str
    details: Mapping[str, Json]
    runner: Runner
    encoder: Encoder
    chat: bool
    system_prompt: str | None

    @property
    def capabilities(self) -> Capabilities:
        """All three verbs, exactly."""
        return Capabilities(score=True, labels="exact", sample=True, chat=self.chat, system_prompt=self.chat)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Exact token log-probabilities of every option and suffix."""

        def ask(part: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
            asked = [self._in_chat(request) for request in part] if self.chat else part
            return score(self.runner, self.encoder, asked, special=not self.chat)

        return _in_windows(requests, ask)

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Exact mass of every label at the end of the prompt (or after a blank, if that comes next)."""

        def ask(part: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
            return label_mass(self.runner, self._label_reader, self._prompts(part), part)

        return _in_windows(requests, ask)

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Texts, the same for a request whatever else is asked."""

        def ask(part: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
            return sample(self.runner, self.encoder.tokenizer, self._prompts(part), part)

        return _in_windows(requests, ask)

    @cached_property
    def _label_reader(self) -> LabelReader:
        return LabelReader(self.encoder.tokenizer, self.runner.vocabulary)

    def _prompts(self, requests: Sequence[LabelRequest] | Sequence[SampleRequest]) -> list[tuple[int, ...]]:
        texts = [self._rendered(r.prompt) if self.chat else r.prompt for r in requests]
        return encode(self.encoder, texts, special=not self.chat)

    def _in_chat(self, request: ScoreRequest) -> ScoreRequest:
        options = tuple(option.removeprefix(" ") for option in request.options)
        return replace(request, prefix=self._rendered(request.prefix), options=options)

    def _rendered(self, prompt: str) -> str:
        return render(self.encoder.tokenizer, prompt, self.system_prompt)


def load(
    argument: str,
    *,
    dtype: str = "auto",
    device: str = "auto",
    revision: str | None = None,
    batch_tokens: int = 8192,
    chat: bool | None = None,
    system_prompt: str | None = None,
    trust_remote_code: bool = False,
) -> HuggingFaceModel:
    """Load a causal language model; its weights must be safetensors.

    Parameters
    ----------
    argument : str
        A folder as ``save_pretrained`` writes it, or a name on the hub.
    dtype : str
        One of ``DTYPES``; "auto" is float32 on a CPU, and as stored elsewhere.
    device : str
        "auto" (cuda, else mps, else cpu) or a name of PyTorch's.
    revision : str, optional
        Branch, tag or commit on the hub.
    batch_tokens : int
        Positions in a forward pass; results do not depend on it beyond rounding.
    chat : bool, optional
        Whether prompts go through the tokenizer's chat template; by default, if it has one.
    system_prompt : str, optional
        For chat mode.
    trust_remote_code : bool
        Whether code that comes with the model may be run.

    Raises
    ------
    InputError
        For an unknown dtype or device, a folder without a model, options that exclude each other.
    ModelError
        Without PyTorch and transformers, or if the model cannot be had or loaded, or is not causal.
    """
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(f"{argument} needs torch and transformers: pip install 'probsense[hf]'") from None
    if dtype not in DTYPES:
        raise InputError(f"no such dtype: {dtype!r}", expected="one of " + ", ".join(DTYPES))
    if batch_tokens < 1:
        raise InputError(f"batch_tokens {batch_tokens}", expected="at least 1")
    place = pick_device(device)
    folder, identity = locate(argument, revision)
    if dtype == "auto" and place.type == "cpu":
        dtype = "float32"
    network, tokenizer = read_model(folder, dtype, place, trust_remote_code)
    template = getattr(tokenizer, "chat_template", None)
    chat = template is not None if chat is None else chat
    if chat and template is None:
        raise InputError("the tokenizer has no chat template", path=argument, expected="chat off")
    if system_prompt is not None and not chat:
        raise InputError("a system prompt needs a chat template", path=argument)
    config = network.config.get_text_config()
    runner = Runner(
        network, config.vocab_size, getattr(config, "max_position_embeddings", None), batch_tokens
    )
    check_causal(runner)
    if chat:
        render(tokenizer, "a", system_prompt)
    known = encoder(tokenizer)
    details: dict[str, Json] = {
        "backend": "hf",
        **identity,
        "dtype": str(network.dtype).removeprefix("torch."),
        "attention": getattr(network.config, "_attn_implementation", None),
        "head": list(tokenizer.convert_ids_to_tokens(list(() if chat else known.head))),
        "chat": chat,
        "template": hashlib.sha256(str(template).encode()).hexdigest() if chat else None,
        "system_prompt": system_prompt,
        "trust_remote_code": trust_remote_code,
        "versions": _versions(torch.__version__, transformers.__version__),
    }
    return HuggingFaceModel(f"hf:{argument}", details, runner, known, chat, system_prompt)


def render(tokenizer: Any, prompt: str, system_prompt: str | None) -> str:
    """The prompt as a chat's text, up to where the answer begins.

    Raises
    ------
    ModelError
        If the template does not take it (many refuse a system prompt).
    """
    from jinja2 import TemplateError

    messages = [] if system_prompt is None else [{"role": "system", "content": system_prompt}]
    messages.append({"role": "user", "content": prompt})
    try:
        return str(
            tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        )
    except (TemplateError, ValueError, TypeError) as error:
        raise ModelError(f"the chat template fails: {one_line(error)}") from None


def _in_windows(
    requests: Sequence[Q], ask: Callable[[Sequence[Q]], Iterator[Batch[A]]]
) -> Iterator[Batch[A]]:
    """Ask for one part of the requests after the other; batches under the caller's indices, no empty ones."""
    for start in range(0, len(requests), WINDOW):
        for batch in ask(requests[start : start + WINDOW]):
            if batch:
                yield [(start + index, response) for index, response in batch]


def _versions(torch_version: str, transformers_version: str) -> dict[str, Json]:
    import tokenizers

    return {
        "torch": torch_version,
        "transformers": transformers_version,
        "tokenizers": str(tokenizers.__version__),
    }
