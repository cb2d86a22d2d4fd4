"""Cuts a tree into packs: the nodes of one forward pass, and the tokens at which each of them may look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.models.trie.tree import Ints, Tree

BLOCK = 128
"""How many queries attend together. Smaller blocks waste less on other branches, larger ones less on overhead."""


@dataclass(frozen=True, slots=True, eq=False)
class QueryBlock:
    """Queries next to each other in a pack, and all keys at which any of them may look.

    The keys are, in order: the first ``past`` tokens of the carried path; those of the pack at ``keys``, which are the
    ones on the way from the path to the block, and the block itself.

    Attributes
    ----------
    start, stop : int
        The queries, as places in the pack.
    past : int
    keys : ndarray of int
        Places in the pack.
    allowed : ndarray of bool, shape (queries, keys)
        Whether a query may look at a key: at its ancestors and itself.
    distance : ndarray of int, shape (queries, keys)
        How many tokens back an allowed key lies.
    """

    start: int
    stop: int
    past: int
    keys: Ints
    allowed: NDArray[np.bool_]
    distance: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """Nodes ``start`` to ``stop`` of a tree, which one forward pass computes.

    Attributes
    ----------
    start, stop : int
    blocks : tuple of QueryBlock
    rows : ndarray of int
        The nodes whose next token is wanted.
    keep_past : int
        How much of the carried path is also on the path of the next pack.
    keep : ndarray of int
        The nodes of this pack that are on it, as places in the pack.
    """

    start: int
    stop: int
    blocks: tuple[QueryBlock, ...]
    rows: Ints
    keep_past: int
    keep: Ints


def next_pack(tree: Tree, start: int, tokens: int, rows: int, block: int = BLOCK) -> Pack:
    """Cut the pack that begins at a node.

    The pack may end anywhere in the tree, since the nodes on the way to the next node are carried there.

    Parameters
    ----------
    tree : Tree
    start : int
    tokens, rows : int
        The most nodes in the pack, and the most whose next token is wanted; the pack has at least one node.
    block : int
        Nodes in a block.
    """
    stop = min(start + max(tokens, 1), len(tree.token))
    wanted = np.unique(tree.node[slice(*np.searchsorted(tree.node, (start, stop)))])
    if len(wanted) > max(rows, 1):
        stop = int(wanted[max(rows, 1)])
        wanted = wanted[: max(rows, 1)]
    ahead = tree.ancestors(stop) if stop < len(tree.token) else np.empty(0, np.int64)
    keep_past = int(np.searchsorted(ahead, start))
    return Pack(
        start,
        stop,
        tuple(_block(tree, start, a, z) for a, z in _cut(tree, start, stop, block)),
        wanted,
        keep_past,
        ahead[keep_past:] - start,
    )


def _cut(tree: Tree, start: int, stop: int, block: int) -> Iterator[tuple[int, int]]:
    """Divide nodes into blocks that end at the beginning of a run where one is near: they see fewer ancestors."""
    a = start
    while a < stop:
        z = min(a + block, stop)
        if z < stop:
            run = int(tree.run_start[np.searchsorted(tree.run_start, z, side="right") - 1])
            z = run if run > a else z
        yield a, z
        a = z


def _block(tree: Tree, start: int, a: int, z: int) -> QueryBlock:
    queries = np.arange(a, z)
    keys = np.concatenate([tree.ancestors(a), queries])
    past = int(np.searchsorted(keys, start))
    return QueryBlock(
        a - start,
        z - start,
        past,
        keys[past:] - start,
        (keys <= queries[:, None]) & (queries[:, None] < tree.end[keys]),
        tree.depth[queries][:, None] - tree.depth[keys],
    )
