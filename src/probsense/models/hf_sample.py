"""Samples texts from a causal language model, the same for a request in whatever batch it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probsense.errors import InputError
from probsense.models.align import Ids
from probsense.models.base import Batch, Usage
from probsense.models.hf_batches import in_batches, padded
from probsense.models.reading import Need, Runner
from probsense.records import SampleRequest, SampleResponse, request_key

if TYPE_CHECKING:
    from torch import Tensor


def sample(
    runner: Runner, tokenizer: Any, prompts: Sequence[Ids], requests: Sequence[SampleRequest]
) -> Iterator[Batch[SampleResponse]]:
    """Yield texts after each prompt; at temperature 0 the most probable one, n times.

    Sampling uses the Gumbel-max trick: the argmax of log p + Gumbel noise is a draw from p (Maddison, Tarlow & Minka
    2014, arXiv 1411.0030). The noise of a draw comes from a generator of its own, seeded by the content of the
    request (its seed is part of it) and the number of the draw, so that no draw depends on its neighbours.

    Parameters
    ----------
    runner : Runner
    tokenizer : Any
    prompts : sequence of ndarray of int
        Tokens of the requests' prompts.
    requests : sequence of SampleRequest

    Raises
    ------
    InputError
        If a request asks for something impossible, or is longer than the model takes.
    """
    for request in requests:
        _check(request)
    draws = [(i, d) for i, r in enumerate(requests) for d in range(r.n if r.temperature else 1)]
    texts: dict[int, dict[int, tuple[str, bool]]] = {i: {} for i in range(len(requests))}
    for how in dict.fromkeys(_settings(request) for request in requests):
        group = [(i, d) for i, d in draws if _settings(requests[i]) == how]
        whole = [np.pad(prompts[i], (0, how.max_tokens)) for i, _ in group]
        needs = [Need(ids, len(ids) - 1) for ids in whole]

        def run(
            batch: list[int], how: _Settings = how, group: list[tuple[int, int]] = group
        ) -> list[tuple[str, bool]]:
            chosen = [group[k] for k in batch]
            noise = [_noise(requests[i], d) for i, d in chosen] if how.temperature else []
            return _generate(runner, tokenizer, [prompts[i] for i, _ in chosen], noise, how)

        for batch, found in in_batches(runner, needs, run):
            ready: Batch[SampleResponse] = []
            for k, text in zip(batch, found, strict=True):
                i, d = group[k]
                texts[i][d] = text
                n = requests[i].n
                if len(texts[i]) == (n if how.temperature else 1):
                    drawn = texts.pop(i)
                    written, cut = zip(*(drawn.get(d, drawn[0]) for d in range(n)), strict=True)
                    ready.append((i, SampleResponse(written, cut=cut)))
            yield ready


@dataclass(frozen=True, slots=True)
class _Settings:
    """The settings that the draws of one batch share."""

    max_tokens: int
    temperature: float
    top_p: float
    stop: tuple[str, ...]


def _settings(request: SampleRequest) -> _Settings:
    return _Settings(request.max_tokens, request.temperature, request.top_p, request.stop)


def _check(request: SampleRequest) -> None:
    if request.n < 1 or request.max_tokens < 1:
        raise InputError(f"n = {request.n}, max_tokens = {request.max_tokens}", expected="both at least 1")
    if not 0 <= request.temperature < float("inf"):
        raise InputError(f"temperature {request.temperature:g}", expected="a finite number, at least 0")
    if not 0 < request.top_p <= 1:
        raise InputError(f"top_p {request.top_p:g}", expected="above 0, at most 1")
    if "" in request.stop:
        raise InputError("an empty stop string", expected="stop strings of at least one character")


def _noise(request: SampleRequest, draw: int) -> np.random.Generator:
    return np.random.default_rng([int(request_key(request), 16), draw])


def _generate(
    runner: Runner,
    tokenizer: Any,
    prompts: Sequence[Ids],
    noise: Sequence[np.random.Generator],
    how: _Settings,
) -> list[tuple[str, bool]]:
    """Write one text for each prompt, up to the first stop string and without special tokens.

    Beside each text stands whether it ended only because it had as many tokens as it may have.
    """
    import torch

    network = runner.network
    reads = network.config.is_encoder_decoder
    tokens, mask = padded(prompts, left=not reads)
    # The answer of an encoder–decoder begins with the token that starts the decoder.
    start = 1 if reads else tokens.shape[1]
    ends = set(np.atleast_1d(network.generation_config.eos_token_id or []).tolist())

    def own(row: Tensor) -> list[int]:
        ids = row[start:].tolist()
        return ids[: next((k for k, token in enumerate(ids) if token in ends), len(ids))]

    def text(row: Tensor) -> str:
        return str(tokenizer.decode(own(row), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def stopped(rows: Tensor, _scores: Any, **_: Any) -> Tensor:
        return torch.tensor([any(stop in text(row) for stop in how.stop) for row in rows], device=rows.device)

    device = runner.device
    with torch.inference_mode():
        rows = network.generate(
            input_ids=tokens.to(device),
            attention_mask=mask.to(device),
            do_sample=False,
            max_new_tokens=how.max_tokens,
            logits_processor=_processors(how, noise),
            stopping_criteria=[stopped] if how.stop else [],
        )
    fed = sum(map(len, prompts)) + len(prompts) * (rows.shape[1] - start)
    runner.count(Usage(tokens=fed, naive=fed))
    return [_ended(text(row), how.stop, full=len(own(row)) == how.max_tokens) for row in rows]


def _processors(how: _Settings, noise: Sequence[np.random.Generator]) -> list[Any]:
    """Make the processors for temperature, nucleus and noise, in this order; none for the most probable text."""
    from transformers import TemperatureLogitsWarper, TopPLogitsWarper

    if how.temperature == 0:
        return []
    nucleus = [TopPLogitsWarper(how.top_p)] if how.top_p < 1 else []
    return [TemperatureLogitsWarper(float(how.temperature)), *nucleus, _GumbelNoise(noise)]


@dataclass(frozen=True, slots=True, eq=False)
class _GumbelNoise:
    sources: Sequence[np.random.Generator]

    def __call__(self, _ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        noise = np.stack([source.gumbel(size=scores.shape[-1]) for source in self.sources])
        return scores + torch.from_numpy(noise).to(device=scores.device, dtype=scores.dtype)


def _ended(text: str, stops: Sequence[str], *, full: bool) -> tuple[str, bool]:
    """End a text at its first stop string; without one, a text of all the tokens it may have is cut."""
    found = [text.find(stop) for stop in stops if stop in text]
    return text[: min(found, default=len(text))], full and not found
