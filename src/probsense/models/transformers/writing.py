"""Lets a network write texts after prompts: side by side from prompts that it read once, or each by itself."""

from __future__ import annotations

import copy
import inspect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import DynamicCache

from probsense.core.records import SampleRequest
from probsense.models.base import Usage
from probsense.models.next_token.alignment import Ids, common_prefix
from probsense.models.next_token.reading import Runner, next_token_logits
from probsense.models.next_token.texts import Draw, Stopped, Written, draw_texts, draw_tokens
from probsense.models.transformers.batches import Size, equal, in_batches, padded

KEPT = 4
"""How many positions in memory cost as much as one in a forward pass."""
SHARED = 8
"""The shortest common beginning of prompts that is worth a forward pass of its own."""


def write_together(
    runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped
) -> Iterator[Written]:
    """Read each distinct prompt once, and the beginning that the prompts of a batch share once; write side by side.

    A text that has ended leaves its batch.
    """
    groups = equal([draw.prompt for draw in draws])
    prompts = [draws[group[0]].prompt for group in groups]

    def read(batch: list[int]) -> Begun:
        return begin(runner, [prompts[k] for k in batch])

    for batch, begun in in_batches(runner, [Size(len(ids), len(ids) - 1) for ids in prompts], read):
        asked = [(place, i) for place, k in enumerate(batch) for i in groups[k]]
        longest = max(len(prompts[k]) for k in batch) + how.max_tokens
        size = Size(-(-longest // KEPT), -(-longest // KEPT) - 1)

        def go_on(part: list[int], begun: Begun = begun, asked: Any = asked) -> list[list[int]]:
            uniforms = np.stack([draws[asked[k][1]].uniforms for k in part])
            return write_on(runner, begun.take([asked[k][0] for k in part]), uniforms, how, stopped)

        for part, texts in in_batches(runner, [size] * len(asked), go_on):
            runner.count(Usage(naive=sum(len(draws[asked[k][1]].prompt) for k in part)))
            yield [(asked[k][1], text) for k, text in zip(part, texts, strict=True)]


class Begun(NamedTuple):
    """Sequences that the network has read, and may read on.

    Attributes
    ----------
    cache : DynamicCache
        Their keys and values, in columns; padding is on the left.
    mask : Tensor, shape (rows, columns)
        1 where there is a token.
    logits : Tensor, shape (rows, vocabulary)
        The distribution of the next token.
    """

    cache: Any
    mask: Tensor
    logits: Tensor

    def take(self, places: Sequence[int]) -> Begun:
        """Copy some of the sequences, each as often as it is named."""

        at = torch.tensor(places, device=self.mask.device)
        cache = copy.copy(self.cache)
        cache.layers = [copy.copy(layer) for layer in cache.layers]
        cache.batch_select_indices(at)
        return Begun(cache, self.mask[at], self.logits[at.to(self.logits.device)])

    def feed(self, runner: Runner, tokens: NDArray[np.int64]) -> Begun:
        """Read one more token of each sequence; the cache is changed in place."""

        ids = torch.from_numpy(tokens)[:, None].to(self.mask.device)
        mask = torch.cat([self.mask, torch.ones_like(self.mask[:, :1])], 1)
        return Begun(self.cache, mask, _feed(runner, ids, mask, self.cache))


def begin(runner: Runner, prompts: Sequence[Ids]) -> Begun:
    """Read prompts side by side, padded on the left, after the beginning that all share, which is read once."""

    tokens, mask = (found.to(runner.device) for found in padded(prompts, left=True))
    # Layers with a window keep all columns, too: the mask hides those that are out of reach.
    cache: Any = DynamicCache()
    start = 0
    alike = min((common_prefix(prompts[0], ids) for ids in prompts[1:]), default=0)
    shared = min(alike, min(map(len, prompts)) - 1)
    if shared >= SHARED:
        padding = [tokens.shape[1] - len(ids) for ids in prompts]
        # All sequences are read from one column on; what some share beyond it is read again.
        start = min(padding) + shared
        _put_stem(runner, prompts[0][:shared], padding, start, cache)
    logits = _feed(runner, tokens[:, start:], mask, cache)
    runner.count(Usage(tokens=int(mask[:, start:].sum())))
    return Begun(cache, mask, logits)


def _put_stem(runner: Runner, stem: Ids, padding: Sequence[int], columns: int, cache: Any) -> None:
    """Read a common beginning, and put it into so many columns of a cache, in each sequence behind its padding."""

    tokens = torch.from_numpy(stem.astype(np.int64))[None].to(runner.device)
    read: Any = DynamicCache()
    _feed(runner, tokens, torch.ones_like(tokens), read)
    runner.count(Usage(tokens=len(stem)))

    def placed(states: Tensor) -> Tensor:
        before = [min(pad, columns) for pad in padding]
        return torch.stack(
            [torch.nn.functional.pad(states[0, :, : columns - pad], (0, 0, pad, 0)) for pad in before]
        )

    for number, layer in enumerate(read.layers):
        cache.update(placed(layer.keys), placed(layer.values), number)


def _feed(runner: Runner, tokens: Tensor, mask: Tensor, cache: Any) -> Tensor:
    """Read tokens after what is in the cache, and return the logits after the last, shape (rows, vocabulary)."""

    network = runner.network
    length = tokens.shape[1]
    inputs: dict[str, Any] = {"input_ids": tokens, "attention_mask": mask, "past_key_values": cache}
    if "position_ids" in inspect.signature(network.forward).parameters:
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)[:, -length:]
    return next_token_logits(network, torch.tensor([length - 1]), use_cache=True, **inputs)[:, 0]


def write_on(
    runner: Runner,
    begun: Begun,
    uniforms: NDArray[np.float64],
    how: SampleRequest,
    stopped: Stopped,
) -> list[list[int]]:
    """Write a text after each sequence, by random numbers of shape (texts, max_tokens)."""

    def feed(going: list[int], tokens: NDArray[np.int64]) -> Tensor:
        nonlocal begun
        if len(going) < len(begun.mask):
            begun = begun.take(going)
        begun = begun.feed(runner, tokens)
        runner.count(Usage(tokens=len(going), naive=len(going)))
        return begun.logits

    return draw_texts(begun.logits, uniforms, how, ends(runner.network), stopped, feed)


def write_separately(
    runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped
) -> Iterator[Written]:
    """Write each text after its own copy of the prompt, as suits every network (see :class:`Writer`).

    Only prompts of one length stand in a batch: a recurrent network would read their padding.
    """
    # In transformers itself, the states that RWKV hands on for several texts at once are wrong.
    alone = runner.network.config.model_type == "rwkv"
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, draw in enumerate(draws):
        groups[len(draw.prompt), i if alone else 0].append(i)
    for (length, _), places in sorted(groups.items()):
        whole = length + how.max_tokens

        def run(batch: list[int], places: list[int] = places) -> list[list[int]]:
            return _generate(runner, [draws[places[k]] for k in batch], how, stopped)

        for batch, texts in in_batches(runner, [Size(whole, whole - 1)] * len(places), run):
            yield [(places[k], text) for k, text in zip(batch, texts, strict=True)]


def ends(network: Any) -> set[int]:
    """List the tokens that end a text."""
    named = network.generation_config.eos_token_id
    return set() if named is None else set(np.atleast_1d(named).tolist())


def _generate(runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped) -> list[list[int]]:

    network = runner.network
    tokens, mask = padded([draw.prompt for draw in draws], left=True)
    # The answer of an encoder–decoder begins with the token that starts the decoder.
    start = 1 if network.config.is_encoder_decoder else tokens.shape[1]
    final, uniforms = ends(network), np.stack([draw.uniforms for draw in draws])

    def written(row: Tensor) -> list[int]:
        ids: list[int] = row[start:].tolist()
        return ids[: next((k for k, token in enumerate(ids) if token in final), len(ids))]

    def done(rows: Tensor, _scores: Any, **_: Any) -> Tensor:
        return torch.tensor([stopped(written(row)) for row in rows], device=rows.device)

    def drawn(rows: Tensor, scores: Tensor) -> Tensor:
        """Leave of each row of scores the drawn token alone."""
        chosen = draw_tokens(scores, uniforms[:, rows.shape[1] - start], how)
        at = torch.from_numpy(chosen)[:, None].to(scores.device)
        return torch.full_like(scores, -torch.inf).scatter_(-1, at, 0.0)

    with torch.inference_mode():
        rows = network.generate(
            input_ids=tokens.to(runner.device),
            attention_mask=mask.to(runner.device),
            do_sample=False,
            max_new_tokens=how.max_tokens,
            logits_processor=[drawn],
            stopping_criteria=[done] if how.stop else [],
        )
    texts = [written(row) for row in rows]
    fed = sum(len(draw.prompt) for draw in draws) + len(draws) * (rows.shape[1] - start)
    runner.count(Usage(tokens=fed, naive=fed))
    return texts
