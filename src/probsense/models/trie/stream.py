"""Feeds a tree of sequences through a network, pack after pack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from probsense.core.errors import ModelError
from probsense.models.base import Usage
from probsense.models.reading import Need, Rows, Runner, free_memory, next_token_logits, out_of_memory
from probsense.models.trie.attention import Kept, Pass, attending
from probsense.models.trie.packs import BLOCK, Pack, next_pack
from probsense.models.trie.tree import Tree, build


def read(
    runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None], *, block: int = BLOCK
) -> Iterator[list[int]]:
    """Compute every shared prefix once, without padding (see :class:`probsense.models.reading.Reader`).

    Each pack hands the keys and values of the path to the next token on to the next pack, and nothing else.

    Raises
    ------
    ModelError
        If one token alone does not fit into memory.
    """
    tree = build(needs)
    order = np.argsort(tree.last, kind="stable")
    ended = tree.last[order]
    sizes = np.array([len(need.ids) for need in needs], np.int64)
    past: Kept = {}
    start = 0
    while start < len(tree.token):
        pack = next_pack(tree, start, runner.tokens, runner.cells // runner.vocabulary, block)
        try:
            kept = compute(runner, tree, pack, past, consume).kept
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            if pack.stop - pack.start == 1:
                raise ModelError(
                    f"out of memory for a single token at position {tree.depth[start]}"
                ) from None
            runner.tokens = (pack.stop - pack.start) // 2
            runner.cells = max(len(pack.rows) // 2, 1) * runner.vocabulary
        else:
            done = order[slice(*np.searchsorted(ended, (start, pack.stop)))]
            runner.count(Usage(tokens=pack.stop - pack.start, naive=int(sizes[done].sum())))
            past, start = kept, pack.stop
            yield done.tolist()
            continue
        free_memory()  # Outside the handler, which kept the failed pass in memory.


def compute(runner: Runner, tree: Tree, pack: Pack, past: Kept, consume: Callable[[Rows], None]) -> Pass:
    """Compute a pack after its carried path, show its rows, and return the pass with the keys and values it kept."""
    import torch

    device = runner.device
    current = Pass(pack, past)
    with attending(runner.network, current):
        logits = next_token_logits(
            runner.network,
            torch.from_numpy(pack.rows - pack.start),
            input_ids=torch.from_numpy(tree.token[pack.start : pack.stop])[None].to(device),
            position_ids=torch.from_numpy(tree.depth[pack.start : pack.stop])[None].to(device),
        )
    asked = slice(*np.searchsorted(tree.node, (pack.start, pack.stop)))
    if len(pack.rows):
        row = np.searchsorted(pack.rows, tree.node[asked])
        consume(Rows(logits[0], tree.need[asked], tree.position[asked], row))
    return current
