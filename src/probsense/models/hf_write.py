"""Ways to let a network write on after prompts: what is asked, what comes back, and the way of every network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from probsense.models.align import Ids
from probsense.models.base import Usage
from probsense.models.hf_batches import in_batches, padded
from probsense.models.hf_draw import Settings, draw_tokens
from probsense.models.reading import Need, Runner

if TYPE_CHECKING:
    from torch import Tensor

Written = list[tuple[int, list[int]]]
"""Pairs of a draw's index and the tokens that the network wrote, without the one that ends a text."""


class Draw(NamedTuple):
    """A text to write: the prompt, and a random number for each of its tokens, shape (max_tokens,)."""

    prompt: Ids
    uniforms: NDArray[np.float64]


class Writer(Protocol):
    """A way to let a network write."""

    def __call__(
        self, runner: Runner, draws: Sequence[Draw], how: Settings, stopped: Callable[[list[int]], bool]
    ) -> Iterator[Written]:
        """Yield every text once, in batches; ``stopped`` says whether tokens hold a stop string."""


def write(
    runner: Runner, draws: Sequence[Draw], how: Settings, stopped: Callable[[list[int]], bool]
) -> Iterator[Written]:
    """Write each text after its own copy of the prompt, as suits every network (see :class:`Writer`).

    Only prompts of one length stand in a batch: a recurrent network would read their padding.
    """
    for length in sorted({len(draw.prompt) for draw in draws}):
        places = [i for i, draw in enumerate(draws) if len(draw.prompt) == length]
        whole = length + how.max_tokens

        def run(batch: list[int], places: list[int] = places) -> list[list[int]]:
            return _generate(runner, [draws[places[k]] for k in batch], how, stopped)

        for batch, texts in in_batches(
            runner, [Need(np.empty(whole, np.int32), whole - 1)] * len(places), run
        ):
            yield [(places[k], text) for k, text in zip(batch, texts, strict=True)]


def ends(network: Any) -> set[int]:
    """List the tokens that end a text."""
    named = network.generation_config.eos_token_id
    return set() if named is None else set(np.atleast_1d(named).tolist())


def _generate(
    runner: Runner, draws: Sequence[Draw], how: Settings, stopped: Callable[[list[int]], bool]
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
            logits_processor=[_Drawn(np.stack([draw.uniforms for draw in draws]), how, start)],
            stopping_criteria=[done] if how.stop else [],
        )
    texts = [written(row) for row in rows]
    fed = sum(len(draw.prompt) for draw in draws) + len(draws) * (rows.shape[1] - start)
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
