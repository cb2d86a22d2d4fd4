"""Lets llama.cpp write many texts at once, each a sequence of its own after a prompt that is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from probsense.models.base import Usage
from probsense.models.gguf.groups import groups
from probsense.models.gguf.network import Network
from probsense.models.gguf.read import compute, keep_path
from probsense.models.hf_draw import Settings, draw_texts
from probsense.models.hf_write import Draw, Written
from probsense.models.reading import Need, Runner
from probsense.models.trie.tree import build

if TYPE_CHECKING:
    from torch import Tensor


def write(
    runner: Runner, draws: Sequence[Draw], how: Settings, stopped: Callable[[list[int]], bool]
) -> Iterator[Written]:
    """Read shared beginnings of prompts once (see :class:`probsense.models.hf_write.Writer`)."""
    import torch

    network: Network = runner.network
    tree = build([Need(draw.prompt, len(draw.prompt) - 1) for draw in draws])
    order = np.argsort(tree.last, kind="stable")
    members = tree.last[order]
    network.clear()
    cut = groups(
        tree,
        members,
        branches=network.branches,
        nodes=runner.tokens,
        cells=network.context,
        room=how.max_tokens,
    )
    for group in cut:
        held = members[group.first : group.last]
        wanted, place = np.unique(held, return_inverse=True)
        found = [logits.copy() for _, logits in compute(runner, tree, group, wanted)]
        asked = [draws[i] for i in order[group.first : group.last].tolist()]
        runner.count(Usage(naive=sum(len(draw.prompt) for draw in asked)))
        texts = _go_on(runner, asked, torch.from_numpy(np.concatenate(found)[place]), how, stopped)
        keep_path(network, tree, group)
        yield list(zip(order[group.first : group.last].tolist(), texts, strict=True))


def _go_on(
    runner: Runner,
    draws: Sequence[Draw],
    logits: Tensor,
    how: Settings,
    stopped: Callable[[list[int]], bool],
) -> list[list[int]]:
    """Write a text after each prompt in memory; its number is that of its sequence."""
    import torch

    network: Network = runner.network
    alive = np.arange(len(draws))
    ends = np.array([len(draw.prompt) for draw in draws])

    def feed(going: list[int], tokens: NDArray[np.int64]) -> Tensor:
        nonlocal alive
        alive = alive[going]
        found = network.feed(tokens, ends[alive], alive, alive + 1, np.ones(len(alive), np.bool_))
        ends[alive] += 1
        runner.count(Usage(tokens=len(going), naive=len(going)))
        return torch.from_numpy(found)

    uniforms = np.stack([draw.uniforms for draw in draws])
    return draw_texts(logits, uniforms, how, network.ends, stopped, feed)
