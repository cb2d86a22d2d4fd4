"""Encoder–decoder models: the encoder reads the prompt once, and the decoder writes every option."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probsense.core.errors import ModelError
from probsense.models.base import Usage
from probsense.models.next_token.alignment import Encoder
from probsense.models.next_token.reading import Need, Rows, Runner
from probsense.models.transformers.batches import equal, in_batches, padded, rows_of


def writer(encoder: Encoder, network: Any) -> Encoder:
    """Return the tokenizer as the decoder's: a text begins with the token that starts the decoder alone.

    Raises
    ------
    ModelError
        If the configuration names no such token.
    """
    start = network.config.decoder_start_token_id
    if start is None:
        raise ModelError("the configuration names no token to start the decoder with")
    return replace(encoder, head=np.array([start], np.int32), start=start)


def read(runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]) -> Iterator[list[int]]:
    """Run each distinct source through the encoder once (see :class:`probsense.models.next_token.reading.Reader`)."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    groups = equal([need.source for need in needs])
    sources = [Need(needs[group[0]].source, len(needs[group[0]].source)) for group in groups]
    runner.count(Usage(tokens=sum(len(source.ids) for source in sources)))

    def encode(batch: list[int]) -> tuple[Any, Any]:
        tokens, mask = padded([sources[k].ids for k in batch], left=False)
        with torch.inference_mode():
            states = runner.network.get_encoder()(
                input_ids=tokens.to(runner.device), attention_mask=mask.to(runner.device)
            )
        return states.last_hidden_state, mask.to(runner.device)

    for batch, (states, mask) in in_batches(runner, sources, encode):
        asked = [(place, i) for place, k in enumerate(batch) for i in groups[k]]
        # The decoder looks at its own tokens and at those of the source, so both count.
        sizes = [
            Need(np.concatenate([needs[i].source, needs[i].ids]), len(needs[i].source)) for _, i in asked
        ]

        def decode(part: list[int], asked: Any = asked, states: Any = states, mask: Any = mask) -> list[int]:
            chosen = [asked[k] for k in part]
            at = torch.tensor([place for place, _ in chosen], device=states.device)
            read = {
                "encoder_outputs": BaseModelOutput(last_hidden_state=states[at]),
                "attention_mask": mask[at],
            }
            own = [(i, needs[i], n) for n, (_, i) in enumerate(chosen)]
            consume(rows_of(runner, [need for _, need, _ in own], own, "decoder_", **read))
            return [i for _, i in chosen]

        for _, done in in_batches(runner, sizes, decode):
            written = sum(len(needs[i].ids) for i in done)
            runner.count(Usage(tokens=written, naive=written + sum(len(needs[i].source) for i in done)))
            yield done
