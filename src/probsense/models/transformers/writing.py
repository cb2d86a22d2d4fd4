"""Lets a network write texts after prompts: side by side from prompts that it read once, or each by itself."""

from __future__ import annotations

import copy
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from probsense.models.base import Usage, one_line
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Need, Runner, next_token_logits
from probsense.models.next_token.remembered import Remembered
from probsense.models.next_token.texts import Draw, Settings, Writer, Written, draw_texts, draw_tokens
from probsense.models.next_token.verdict import rounding
from probsense.models.transformers import batches
from probsense.models.transformers.batches import equal, in_batches, padded
from probsense.models.transformers.prefix_tree import attention
from probsense.models.transformers.prefix_tree.trial import branching_sequences, grows

if TYPE_CHECKING:
    from torch import Tensor


KEPT = 4
"""How many positions in memory cost as much as one in a forward pass."""

SHARED = 8
"""The shortest common beginning of prompts that is worth a forward pass of its own."""


def write_together(
    runner: Runner,
    draws: Sequence[Draw],
    how: Settings,
    stopped: Callable[[list[int]], bool],
    *,
    remember: bool = False,
) -> Iterator[Written]:
    """Read each distinct prompt once, and the beginning that the prompts of a batch share once (see `Writer`).

    A text that has ended leaves its batch. With ``remember``, the runner remembers the thoughts of a batch until the
    next one is asked for, so that answers can be read after them.
    """
    groups = equal([draw.prompt for draw in draws])
    prompts = [draws[group[0]].prompt for group in groups]

    def begin(batch: list[int]) -> _Begun:
        return _begin(runner, [prompts[k] for k in batch])

    for batch, begun in in_batches(runner, [Need(ids, len(ids) - 1) for ids in prompts], begin):
        asked = [(place, i) for place, k in enumerate(batch) for i in groups[k]]
        longest = max(len(prompts[k]) for k in batch) + how.max_tokens
        size = Need(np.empty(-(-longest // KEPT), np.int32), -(-longest // KEPT) - 1)

        thoughts: list[Remembered] = []  # Not in the results, which stay in memory during the next batch.

        def go_on(
            part: list[int], begun: _Begun = begun, asked: Any = asked, thoughts: Any = thoughts
        ) -> list[list[int]]:
            of_part = [draws[asked[k][1]] for k in part]
            texts, known = _go_on(
                runner, begun.take([asked[k][0] for k in part]), of_part, how, stopped, remember
            )
            thoughts += known
            return texts

        for part, texts in in_batches(runner, [size] * len(asked), go_on):
            runner.count(Usage(naive=sum(len(draws[asked[k][1]].prompt) for k in part)))
            before, runner.remembered = runner.remembered, tuple(thoughts)
            thoughts.clear()
            try:
                yield [(asked[k][1], text) for k, text in zip(part, texts, strict=True)]
            finally:
                runner.remembered = before


def choose_writer(network: Any, vocabulary: int, *, trees: bool = False) -> Writer:
    """Choose how a network writes: from copies of the prompt, if it then writes what it writes without them.

    An encoder–decoder writes each text by itself. So does, with a warning, a network that fails the trial; and if what
    it keeps of a text gives other numbers than the whole text, it reads the whole text for each token. A network that
    is fed ``trees`` remembers its thoughts, if trees that grow on them give the same numbers.
    """
    if network.config.is_encoder_decoder:
        return write_separately
    warn = logging.getLogger("probsense").warning
    try:
        differ = _differ(network, vocabulary)
        reason = f"copies of a prompt give other numbers (by {differ:.2g} nats)" if differ else ""
    except Exception as error:  # A network of another kind may raise any error here.
        reason = f"it cannot go on after copies of a prompt: {one_line(error)}"
    if not reason:
        return (
            partial(write_together, remember=True)
            if trees and _remembers(network, vocabulary)
            else write_together
        )
    if differ := _state_differs(network, vocabulary):
        warn(
            "%s: the whole text is read for each token, since what the network keeps of it gives other numbers"
            " (by %.2g nats)",
            type(network).__name__,
            differ,
        )
        return partial(write_separately, keep=False)
    warn(
        "%s: each text is written after its own copy of the prompt, since %s", type(network).__name__, reason
    )
    return write_separately


def _differ(network: Any, vocabulary: int) -> float:
    """Write from copies on trial, and return how far that is from whole sequences (nats); 0 within rounding.

    The trial has prompts of two lengths with a common beginning, and as many further tokens as outgrow it.
    """
    import torch

    rng = np.random.default_rng(0)
    stem, tails = (rng.integers(0, vocabulary, size).astype(np.int32) for size in (SHARED + 1, (2, 3)))
    prompts = [np.concatenate([stem, tails[0]]), np.concatenate([stem, tails[1][:1]])]
    further = rng.integers(0, vocabulary, (3, 6))
    places = [0, 1, 0]
    runner = Runner(network, vocabulary, None, 10**6, batches.read)
    begun = _begin(runner, prompts).take(places)
    found = [begun.logits]
    for step in range(further.shape[1]):
        begun = begun.feed(runner, further[:, step])
        found.append(begun.logits)
    together = torch.stack(found, 1).log_softmax(-1)
    for row, place in enumerate(places):
        ids = np.concatenate([prompts[place], further[row]])
        rows = torch.arange(len(prompts[place]) - 1, len(ids))
        tokens = torch.from_numpy(ids.astype(np.int64))[None].to(runner.device)
        alone = next_token_logits(network, rows, input_ids=tokens)[0].log_softmax(-1)
        limit = rounding(network) * float(alone.abs().max())
        worst = float((together[row] - alone).abs().max())
        if not worst <= limit:  # NaN must fail, too.
            return worst
    return 0.0


def _remembers(network: Any, vocabulary: int) -> bool:
    """Tell whether trees that grow on two texts, written on trial, have the numbers of trees without them."""
    prompts = branching_sequences(vocabulary)[-2:]
    uniforms = np.random.default_rng(0).random((2, SHARED))
    try:
        runner = Runner(network, vocabulary, None, 10**6, attention.read)
        draws = [Draw(ids, row, thinks=True) for ids, row in zip(prompts, uniforms, strict=True)]
        how = Settings(SHARED, 1.0, 1.0, ())
        _, texts = _go_on(runner, _begin(runner, prompts), draws, how, lambda _: False, remember=True)
        return grows(network, vocabulary, texts)
    except Exception:  # A network of another kind may raise any error here, and loses nothing but time.
        return False


def _state_differs(network: Any, vocabulary: int) -> float:
    """Write two texts on trial, and return how far their numbers are from whole sequences (nats); 0 within rounding."""
    import torch

    ids = np.random.default_rng(0).integers(0, vocabulary, (2, 2 * SHARED))
    tokens = torch.from_numpy(ids).to(network.device)

    def given(rows: Tensor, scores: Tensor) -> Tensor:
        return torch.full_like(scores, -torch.inf).scatter_(1, tokens[:, rows.shape[1], None], 0.0)

    with torch.inference_mode():
        found = network.generate(
            input_ids=tokens[:, :SHARED],
            attention_mask=torch.ones_like(tokens[:, :SHARED]),
            do_sample=False,
            max_new_tokens=SHARED,
            eos_token_id=vocabulary,
            logits_processor=[given],
            return_dict_in_generate=True,
            output_logits=True,
        )
    kept = torch.stack(found.logits, 1).log_softmax(-1)
    alone = next_token_logits(network, torch.arange(SHARED - 1, 2 * SHARED - 1), input_ids=tokens)
    alone = alone.log_softmax(-1)
    worst = float((kept - alone).abs().max())
    limit = rounding(network) * float(alone.abs().max())
    return 0.0 if worst <= limit else worst


@dataclass(frozen=True, slots=True, eq=False)
class _Begun:
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

    def take(self, places: Sequence[int]) -> _Begun:
        """Copy some of the sequences, each as often as it is named."""
        import torch

        at = torch.tensor(places, device=self.mask.device)
        cache = copy.copy(self.cache)
        cache.layers = [copy.copy(layer) for layer in cache.layers]
        cache.batch_select_indices(at)
        return _Begun(cache, self.mask[at], self.logits[at.to(self.logits.device)])

    def states(self, row: int, tokens: int) -> list[tuple[Tensor, Tensor]]:
        """Copy the keys and values of one sequence, which has so many tokens."""
        return [
            (layer.keys[row : row + 1, :, -tokens:].clone(), layer.values[row : row + 1, :, -tokens:].clone())
            for layer in self.cache.layers
        ]

    def feed(self, runner: Runner, tokens: NDArray[np.int64]) -> _Begun:
        """Read one more token of each sequence; the cache is changed in place."""
        import torch

        ids = torch.from_numpy(tokens)[:, None].to(self.mask.device)
        mask = torch.cat([self.mask, torch.ones_like(self.mask[:, :1])], 1)
        return _Begun(self.cache, mask, _feed(runner, ids, mask, self.cache))


def _begin(runner: Runner, prompts: Sequence[Ids]) -> _Begun:
    """Read prompts side by side, padded on the left; their common beginning once."""
    import torch
    from transformers import DynamicCache

    tokens, mask = (found.to(runner.device) for found in padded(prompts, left=True))
    # Layers with a window keep all columns, too: the mask hides those that are out of reach.
    cache: Any = DynamicCache()
    longest = tokens.shape[1]
    shared = min(_shared(prompts), min(map(len, prompts)) - 1)
    if len(prompts) < 2 or shared < SHARED:
        shared = 0
    else:
        stem = tokens[:1, longest - len(prompts[0]) :][:, :shared]
        _feed(runner, stem, torch.ones_like(stem), cache)
        # The columns before ``shared`` hold the padding of a sequence, then as much of the stem as there is room for.
        # The rest of the stem is read again with what follows it, since all sequences are read from one column on.
        column = torch.arange(shared, device=tokens.device)
        padding = torch.tensor([longest - len(ids) for ids in prompts], device=tokens.device)
        source = (column - padding[:, None]).clamp(min=0)
        for layer in cache.layers:
            place = source.to(layer.keys.device)
            layer.keys, layer.values = (
                states[0][:, place].transpose(0, 1).contiguous() for states in (layer.keys, layer.values)
            )
    logits = _feed(runner, tokens[:, shared:], mask, cache)
    fed = shared + int(mask[:, shared:].sum())
    runner.count(Usage(tokens=fed))
    return _Begun(cache, mask, logits)


def _shared(prompts: Sequence[Ids]) -> int:
    """Count the tokens with which all prompts begin."""
    shortest = min(map(len, prompts))
    together = np.stack([ids[:shortest] for ids in prompts])
    return int((together == together[0]).all(0).cumprod().sum())


def _feed(runner: Runner, tokens: Tensor, mask: Tensor, cache: Any) -> Tensor:
    """Read tokens after what is in the cache, and return the logits after the last, shape (rows, vocabulary)."""
    import torch

    network = runner.network
    length = tokens.shape[1]
    inputs: dict[str, Any] = {"input_ids": tokens, "attention_mask": mask, "past_key_values": cache}
    if "position_ids" in inspect.signature(network.forward).parameters:
        inputs["position_ids"] = (mask.cumsum(-1) - 1).clamp(min=0)[:, -length:]
    return next_token_logits(network, torch.tensor([length - 1]), use_cache=True, **inputs)[:, 0]


def _go_on(
    runner: Runner,
    begun: _Begun,
    draws: Sequence[Draw],
    how: Settings,
    stopped: Callable[[list[int]], bool],
    remember: bool,
) -> tuple[list[list[int]], list[Remembered]]:
    """Write a text after each sequence; return all, and with ``remember`` each thought as far as it was fed."""
    alive, steps = np.arange(len(draws)), 0
    left: list[tuple[int, int, Any]] = []

    def leave(rows: Iterable[int]) -> None:
        for row in rows if remember else ():
            draw = draws[alive[row]]
            if draw.thinks:
                left.append((int(alive[row]), steps, begun.states(row, len(draw.prompt) + steps)))

    def feed(going: list[int], tokens: NDArray[np.int64]) -> Tensor:
        nonlocal begun, alive, steps
        if len(going) < len(alive):
            leave({*range(len(alive))}.difference(going))
            begun, alive = begun.take(going), alive[going]
        begun = begun.feed(runner, tokens)
        steps += 1
        runner.count(Usage(tokens=len(going), naive=len(going)))
        return begun.logits

    uniforms = np.stack([draw.uniforms for draw in draws])
    texts = draw_texts(begun.logits, uniforms, how, ends(runner.network), stopped, feed)
    leave(range(len(alive)))
    return texts, [
        Remembered(np.append(draws[i].prompt, np.array(texts[i][:read], np.int32)), states)
        for i, read, states in left
    ]


def write_separately(
    runner: Runner,
    draws: Sequence[Draw],
    how: Settings,
    stopped: Callable[[list[int]], bool],
    *,
    keep: bool = True,
) -> Iterator[Written]:
    """Write each text after its own copy of the prompt, as suits every network (see :class:`Writer`).

    Only prompts of one length stand in a batch: a recurrent network would read their padding. A network that does not
    ``keep`` what it has read reads the whole text for each token.
    """
    for length in sorted({len(draw.prompt) for draw in draws}):
        places = [i for i, draw in enumerate(draws) if len(draw.prompt) == length]
        whole = length + how.max_tokens

        def run(batch: list[int], places: list[int] = places) -> list[list[int]]:
            return _generate(runner, [draws[places[k]] for k in batch], how, stopped, keep=keep)

        for batch, texts in in_batches(
            runner, [Need(np.empty(whole, np.int32), whole - 1)] * len(places), run
        ):
            yield [(places[k], text) for k, text in zip(batch, texts, strict=True)]


def ends(network: Any) -> set[int]:
    """List the tokens that end a text."""
    named = network.generation_config.eos_token_id
    return set() if named is None else set(np.atleast_1d(named).tolist())


def _generate(
    runner: Runner,
    draws: Sequence[Draw],
    how: Settings,
    stopped: Callable[[list[int]], bool],
    *,
    keep: bool,
) -> list[list[int]]:
    import torch

    network = runner.network
    tokens, mask = padded([draw.prompt for draw in draws], left=True)
    # The answer of an encoder–decoder begins with the token that starts the decoder.
    start = 1 if network.config.is_encoder_decoder else tokens.shape[1]
    final = ends(network)

    def written(row: Tensor) -> list[int]:
        ids: list[int] = row[start:].tolist()
        return ids[: next((k for k, token in enumerate(ids) if token in final), len(ids))]

    def done(rows: Tensor, _scores: Any, **_: Any) -> Tensor:
        return torch.tensor([stopped(written(row)) for row in rows], device=rows.device)

    with torch.inference_mode():
        rows = network.generate(
            input_ids=tokens.to(runner.device),
            attention_mask=mask.to(runner.device),
            do_sample=False,
            max_new_tokens=how.max_tokens,
            use_cache=keep,
            logits_processor=[_Drawn(np.stack([draw.uniforms for draw in draws]), how, start)],
            stopping_criteria=[done] if how.stop else [],
        )
    texts = [written(row) for row in rows]
    prompts, steps = sum(len(draw.prompt) for draw in draws), rows.shape[1] - start
    fed = prompts + len(draws) * steps if keep else steps * prompts + len(draws) * steps * (steps - 1) // 2
    runner.count(Usage(tokens=fed, naive=fed))
    return texts


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Leaves of each row of scores the drawn token alone."""

    uniforms: NDArray[np.float64]
    how: Settings
    start: int

    def __call__(self, ids: Tensor, scores: Tensor) -> Tensor:
        import torch

        step = ids.shape[1] - self.start
        chosen = torch.from_numpy(draw_tokens(scores, self.uniforms[:, step], self.how)).to(scores.device)
        return torch.full_like(scores, -torch.inf).scatter_(-1, chosen[:, None], 0.0)
