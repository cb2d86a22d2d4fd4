"""Feeds whole sequences in batches: sorted, padded, within a budget, with only the rows that are wanted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutput

from probsense.core.errors import ModelError
from probsense.models.base import Usage
from probsense.models.next_token.alignment import Encoder, Ids
from probsense.models.next_token.reading import Need, Rows, Runner, attempt, next_token_logits

T = TypeVar("T")


def read(runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]) -> Iterator[list[int]]:
    """Feed whole sequences side by side, as suits every causal network (see :class:`.reading.Reader`).

    Equal sequences are fed once. They are padded on the right, where causal attention does not look.
    """
    groups = sorted(equal([need.ids for need in needs]), key=lambda group: needs[group[0]].ids.tobytes())
    fed = [Need(needs[group[0]].ids, min(needs[i].first for i in group)) for group in groups]

    def run(batch: list[int]) -> list[int]:
        asked = [(i, needs[i], n) for n, k in enumerate(batch) for i in groups[k]]
        consume(rows_of(runner, [fed[k] for k in batch], asked))
        return [i for k in batch for i in groups[k]]

    for batch, done in in_batches(runner, [Size(len(need.ids), need.first) for need in fed], run):
        size = sum(len(fed[k].ids) for k in batch)
        runner.count(Usage(tokens=size, naive=sum(len(needs[i].ids) for i in done)))
        yield done


def equal(sequences: Sequence[Ids]) -> list[list[int]]:
    """List the places of each distinct sequence, in the order in which they come."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for i, ids in enumerate(sequences):
        found[ids.tobytes()].append(i)
    return list(found.values())


def rows_of(
    runner: Runner, batch: Sequence[Need], asked: Sequence[tuple[int, Need, int]], of: str = "", **inputs: Any
) -> Rows:
    """Run a batch, padded on the right, and collect the rows that are wanted.

    Parameters
    ----------
    runner : Runner
    batch : sequence of Need
        The sequences to feed.
    asked : sequence of (need, Need, sequence)
        The needs, and for each the sequence that stands for it.
    of : str
        What stands before the names of the inputs: "decoder_" for a decoder.
    **inputs
        Further inputs of the network.
    """

    tokens, mask = padded([need.ids for need in batch], left=False)
    low, longest = min(need.first for need in batch), tokens.shape[1]
    fed = {f"{of}input_ids": tokens.to(runner.device), f"{of}attention_mask": mask.to(runner.device)}
    logits = next_token_logits(runner.network, torch.arange(low, longest), **fed, **inputs).flatten(0, 1)
    positions = [np.arange(need.first, len(need.ids)) for _, need, _ in asked]
    return Rows(
        logits,
        np.repeat([i for i, _, _ in asked], [len(p) for p in positions]),
        np.concatenate(positions),
        np.concatenate(
            [n * (longest - low) + p - low for (_, _, n), p in zip(asked, positions, strict=True)]
        ),
    )


class Size(NamedTuple):
    """How many tokens a sequence has, and from which of them on logits are computed."""

    length: int
    first: int


def in_batches(
    runner: Runner, sizes: Sequence[Size], run: Callable[[list[int]], T]
) -> Iterator[tuple[list[int], T]]:
    """Run over all sequences, longest first, in batches within the budget.

    Sequences of nearly the same length share a batch. The first batch is the largest, so that a budget too big for
    the memory shows at once. Then half of the size that failed becomes the budget, and the same sequences are tried
    again.

    Parameters
    ----------
    runner : Runner
    sizes : sequence of Size
        Sequences of the same length keep their order.
    run : callable
        Takes a batch, as indices of sequences.

    Yields
    ------
    (list of int, T)
        A batch, and the result of ``run`` for it.

    Raises
    ------
    ModelError
        If one sequence alone does not fit into memory.
    """
    order = sorted(range(len(sizes)), key=lambda i: -sizes[i].length)
    start = 0
    while start < len(order):
        batch = order[start : start + _fitting(runner, (sizes[i] for i in order[start:]))]
        result = attempt(run, batch)
        if result is not None:
            yield batch, result
            start += len(batch)
            continue
        longest = sizes[batch[0]].length
        if len(batch) == 1:
            raise ModelError(f"out of memory for a single sequence of {longest} tokens")
        rows = longest - min(sizes[i].first for i in batch)
        runner.tokens = len(batch) * longest // 2
        runner.cells = len(batch) * rows * runner.vocabulary // 2


def padded(sequences: Sequence[Ids], *, left: bool) -> tuple[Tensor, Tensor]:
    """Return token ids and attention mask, each of shape (sequences, longest); the mask hides the padding."""

    longest = max(map(len, sequences))
    tokens = torch.zeros(len(sequences), longest, dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for row, ids in enumerate(sequences):
        place = slice(longest - len(ids), longest) if left else slice(0, len(ids))
        tokens[row, place] = torch.from_numpy(ids.astype(np.int64))
        mask[row, place] = 1
    return tokens, mask


def _fitting(runner: Runner, sizes: Iterator[Size]) -> int:
    """Count the sequences, longest first, that make the next batch: as many as fit, and at least one."""
    longest, low = next(sizes)
    count = 1
    for size in sizes:
        low = min(low, size.first)
        rows = (count + 1) * (longest - low)
        if (count + 1) * longest > runner.tokens or rows * runner.vocabulary > runner.cells:
            break
        count += 1
    return count


def start_decoder(encoder: Encoder, network: Any) -> Encoder:
    """Return the tokenizer as the decoder's: a text begins with the token that starts the decoder alone.

    Raises
    ------
    ModelError
        If the configuration names no such token.
    """
    start = network.config.decoder_start_token_id
    if start is None:
        raise ModelError("the configuration names no token to start the decoder with")
    return encoder._replace(head=np.array([start], np.int32), start=start)


def read_with_encoder(
    runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]
) -> Iterator[list[int]]:
    """Run each distinct source through the encoder once (see :class:`probsense.models.next_token.reading.Reader`)."""

    groups = equal([need.source for need in needs])
    sources = [needs[group[0]].source for group in groups]
    runner.count(Usage(tokens=sum(map(len, sources))))

    def encode(batch: list[int]) -> tuple[Any, Any]:
        tokens, mask = padded([sources[k] for k in batch], left=False)
        with torch.inference_mode():
            states = runner.network.get_encoder()(
                input_ids=tokens.to(runner.device), attention_mask=mask.to(runner.device)
            )
        return states.last_hidden_state, mask.to(runner.device)

    whole = [Size(len(source), len(source)) for source in sources]
    for batch, (states, mask) in in_batches(runner, whole, encode):
        asked = [(place, i) for place, k in enumerate(batch) for i in groups[k]]
        # The decoder looks at its own tokens and at those of the source, so both count.
        read = [len(needs[i].source) for _, i in asked]
        sizes = [Size(n + len(needs[i].ids), n) for n, (_, i) in zip(read, asked, strict=True)]

        def decode(part: list[int], asked: Any = asked, states: Any = states, mask: Any = mask) -> list[int]:
            chosen = [asked[k] for k in part]
            at = torch.tensor([place for place, _ in chosen], device=states.device)
            inputs = {
                "encoder_outputs": BaseModelOutput(last_hidden_state=states[at]),
                "attention_mask": mask[at],
            }
            own = [(i, needs[i], n) for n, (_, i) in enumerate(chosen)]
            consume(rows_of(runner, [need for _, need, _ in own], own, "decoder_", **inputs))
            return [i for _, i in chosen]

        for _, done in in_batches(runner, sizes, decode):
            written = sum(len(needs[i].ids) for i in done)
            runner.count(Usage(tokens=written, naive=written + sum(len(needs[i].source) for i in done)))
            yield done
