"""Feeds a tree of sequences through a network, pack after pack, with attention over the branches of the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from transformers import AttentionInterface

from probsense.core.errors import ModelError
from probsense.models.base import Usage
from probsense.models.next_token.reading import Need, Rows, Runner, attempt, next_token_logits
from probsense.models.next_token.tree import BLOCK, Pack, QueryBlock, Tree, build, next_pack

NAME = "probsense_trie"

Kept: TypeAlias = dict[int, tuple[Tensor, Tensor]]
"""Keys and values, shape (1, heads, tokens, size), of each attention layer (by the id of its module)."""


@dataclass(slots=True)
class Pass:
    """One forward pass over a pack.

    Attributes
    ----------
    pack : Pack
    past : Kept
        Keys and values of the carried path.
    kept : Kept
        Keys and values that the next pack needs; each layer enters its own.
    windows : set of int or None
        The windows that the layers have reported.
    """

    pack: Pack
    past: Kept
    kept: Kept = field(default_factory=dict)
    windows: set[int | None] = field(default_factory=set)
    masks: dict[Any, Tensor] = field(default_factory=dict)


_current: ContextVar[Pass] = ContextVar("probsense_trie_pass")


@contextmanager
def attending(network: Any, current: Pass) -> Iterator[None]:
    """Let the network's attention follow a pack within the block."""

    AttentionInterface.register(NAME, attend)
    usual = network.config._attn_implementation
    token = _current.set(current)
    try:
        network.set_attn_implementation(NAME)
        yield
    finally:
        network.set_attn_implementation(usual)
        _current.reset(token)


def attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Let every token of the current pack attend to itself and its ancestors.

    The signature is that of the library's attention functions; ``attention_mask`` and ``dropout`` have no effect
    here. Query, key and value are of shape (1, heads, tokens, size); heads of keys may be fewer.

    Returns
    -------
    (Tensor, None)
        Shape (1, tokens, heads, size of value).
    """
    current = _current.get()
    pack = current.pack
    past_key, past_value = current.past.get(id(module), (key[:, :, :0], value[:, :, :0]))
    before = past_key.shape[2]
    # Where nothing is carried, nothing is copied.
    whole = (torch.cat([past_key, key], 2), torch.cat([past_value, value], 2)) if before else (key, value)

    def pick(past: int, places: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
        at = np.concatenate([np.arange(past), before + places])
        return _pick(whole[0], at), _pick(whole[1], at)

    kept_key, kept_value = pick(pack.keep_past, pack.keep)
    # Copies, lest views keep a whole pack in memory.
    current.kept[id(module)] = kept_key.clone(), kept_value.clone()
    current.windows.add(sliding_window)
    # The kernels of PyTorch for a CPU let heads share keys; others then compute step by step, or refuse.
    shares = query.device.type == "cpu" and softcap is None and s_aux is None
    groups = 1 if shares else query.shape[1] // key.shape[1]
    output = query.new_empty(1, query.shape[2], query.shape[1], value.shape[3])
    for number, block in enumerate(pack.blocks):
        keys, values = pick(block.past, block.keys)
        if groups > 1:
            keys, values = keys.repeat_interleave(groups, 1), values.repeat_interleave(groups, 1)
        place = number, sliding_window, query.device, query.dtype
        if place not in current.masks:
            current.masks[place] = _mask(block, sliding_window, query.device, query.dtype)
        mask = current.masks[place]
        found = _attention(query[:, :, block.start : block.stop], keys, values, mask, scaling, softcap, s_aux)
        output[:, block.start : block.stop] = found.transpose(1, 2)
    return output, None


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor,
    scaling: float | None,
    softcap: float | None,
    sinks: Tensor | None,
) -> Tensor:

    if softcap is None and sinks is None:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=scaling, enable_gqa=key.shape[1] < query.shape[1]
        )
    weights = (query @ key.transpose(-1, -2)) * (query.shape[-1] ** -0.5 if scaling is None else scaling)
    if softcap is not None:
        weights = (weights / softcap).tanh() * softcap
    weights = weights.to(torch.promote_types(weights.dtype, torch.float32)) + mask
    if sinks is not None:  # A learned logit beside the keys can take probability (gpt-oss).
        beside = sinks.to(weights).view(1, -1, 1, 1).expand(1, -1, weights.shape[2], 1)
        return torch.cat([weights, beside], -1).softmax(-1)[..., :-1].to(value.dtype) @ value
    return weights.softmax(-1).to(value.dtype) @ value


def _mask(block: QueryBlock, window: int | None, device: torch.device, dtype: torch.dtype) -> Tensor:
    """Make the mask: 0 where a query may look, minus infinity elsewhere; shape (queries, keys)."""

    allowed = block.allowed if window is None else block.allowed & (block.distance < window)
    mask = torch.zeros(allowed.shape, dtype=dtype)
    return mask.masked_fill_(torch.from_numpy(~allowed), float("-inf")).to(device)


def _pick(tensor: Tensor, places: np.ndarray[Any, Any]) -> Tensor:
    """Pick some tokens of keys or values; a view where they lie next to each other."""
    count = len(places)
    if not count or places[-1] - places[0] == count - 1:
        return tensor.narrow(2, int(places[0]) if count else 0, count)
    return tensor.index_select(2, torch.from_numpy(places).to(tensor.device))


def read(
    runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None], *, block: int = BLOCK
) -> Iterator[list[int]]:
    """Compute every shared prefix once, without padding (see :class:`probsense.models.next_token.reading.Reader`).

    Each pack hands the keys and values of the path to the next token on to the next pack, and nothing else.

    Raises
    ------
    ModelError
        If one token alone does not fit into memory.
    """
    tree = build(needs)
    past: Kept = {}
    start = 0
    while start < len(tree.token):
        pack = next_pack(tree, start, runner.tokens, runner.cells // runner.vocabulary, block)
        nodes = pack.stop - pack.start
        computed = attempt(compute, runner, tree, pack, past, consume)
        if computed is not None:
            done, naive = tree.complete(start, pack.stop)
            runner.count(Usage(tokens=nodes, naive=naive))
            past, start = computed.kept, pack.stop
            del computed  # The next pass needs the memory of its masks.
            yield done
            continue
        if nodes == 1:
            raise ModelError(f"out of memory for a single token at position {tree.depth[start]}")
        runner.tokens = nodes // 2
        runner.cells = max(len(pack.rows) // 2, 1) * runner.vocabulary


def compute(runner: Runner, tree: Tree, pack: Pack, past: Kept, consume: Callable[[Rows], None]) -> Pass:
    """Compute a pack after its carried path, show its rows, and return the pass with the keys and values it kept."""

    device = runner.device
    current = Pass(pack, past)
    with attending(runner.network, current):
        logits = next_token_logits(
            runner.network,
            torch.from_numpy(pack.rows - pack.start),
            input_ids=torch.from_numpy(tree.token[pack.start : pack.stop])[None].to(device),
            position_ids=torch.from_numpy(tree.depth[pack.start : pack.stop])[None].to(device),
        )
    asked = tree.span(pack.start, pack.stop)
    if len(pack.rows):
        row = np.searchsorted(pack.rows, tree.node[asked])
        consume(Rows(logits[0], tree.need[asked], tree.position[asked], row))
    return current
