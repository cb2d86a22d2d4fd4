"""A tree of token sequences, in which every shared prefix stands once, and the packs into which it is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.models.next_token.alignment import Ids, common_prefix
from probsense.models.next_token.reading import Need

Ints = NDArray[np.int64]


class Tree(NamedTuple):
    """The prefixes of some sequences, in depth-first order.

    A node stands for one token after all tokens on the way to it. A *run* is a chain of nodes that one sequence
    added; runs are numbered in order, and a run's nodes follow one another. Node k is an ancestor of node q, or
    q itself, if and only if ``k <= q < end[k]``.

    Attributes
    ----------
    token, depth, end : ndarray of int, shape (nodes,)
        Token id; number of nodes above; the first node after all nodes below.
    run_start, run_parent : ndarray of int, shape (runs,)
        First node of each run, and the node on which it grows (-1: none).
    need, position, node : ndarray of int, shape (k,)
        The node whose next token a need wants, at one of its positions; sorted by node.
    last : ndarray of int, shape (needs,)
        The last node of each need.
    """

    token: Ints
    depth: Ints
    end: Ints
    run_start: Ints
    run_parent: Ints
    need: Ints
    position: Ints
    node: Ints
    last: Ints

    def ancestors(self, node: int) -> Ints:
        """Return the nodes above a node, the root first."""
        run = int(np.searchsorted(self.run_start, node, side="right")) - 1
        pieces = [np.arange(self.run_start[run], node)]
        while (parent := int(self.run_parent[run])) >= 0:
            run = int(np.searchsorted(self.run_start, parent, side="right")) - 1
            pieces.append(np.arange(self.run_start[run], parent + 1))
        return np.concatenate(pieces[::-1])

    def span(self, start: int, stop: int) -> slice:
        """Return the part of ``need``, ``position`` and ``node`` that belongs to some nodes."""
        return slice(*np.searchsorted(self.node, (start, stop)))

    def complete(self, start: int, stop: int) -> tuple[list[int], int]:
        """List the needs whose last node is one of some nodes; count the tokens of their sequences."""
        needs = np.flatnonzero((start <= self.last) & (self.last < stop))
        needs = needs[np.argsort(self.last[needs], kind="stable")]
        return needs.tolist(), int((self.depth[self.last[needs]] + 1).sum())


def build(needs: Sequence[Need]) -> Tree:
    """Make the tree of some needs.

    Sequences are taken in lexicographic order, in which the prefixes that a sequence shares with any before it
    are those that it shares with the one just before it.

    Parameters
    ----------
    needs : sequence of Need
        Each has at least one token.
    """
    # The bytes of numbers with the highest one first sort as the numbers do.
    order = sorted(range(len(needs)), key=lambda i: needs[i].ids.astype(">u4").tobytes())
    nodes = 0
    before: Ids = np.empty(0, np.int32)
    path = np.empty(max((len(need.ids) for need in needs), default=0), np.int64)
    tokens: list[Ids] = []
    starts, parents, grown, depths, closed = [], [], [], [], []
    wanted: list[tuple[int, int, Ints]] = []
    last = np.empty(len(needs), np.int64)
    for i in order:
        ids, first = needs[i].ids, needs[i].first
        shared = common_prefix(before, ids)
        if shared < len(ids):
            closed.append((path[shared : len(before)].copy(), nodes))
            starts.append(nodes)
            parents.append(path[shared - 1] if shared else -1)
            tokens.append(ids[shared:])
            depths.append(shared)
            grown.append(len(ids) - shared)
            path[shared : len(ids)] = np.arange(nodes, nodes + len(ids) - shared)
            nodes += len(ids) - shared
        wanted.append((i, first, path[first : len(ids)].copy()))
        last[i] = path[len(ids) - 1]
        before = ids
    end = np.full(nodes, nodes)
    for ended, at in closed:
        end[ended] = at
    start = np.array(starts, np.int64)
    sizes = np.array([len(at) for _, _, at in wanted], np.int64)
    node = np.concatenate([*(at for _, _, at in wanted), np.empty(0, np.int64)])
    begin = np.cumsum(sizes) - sizes
    place = np.arange(len(node)) - np.repeat(begin, sizes)
    sort = np.argsort(node, kind="stable")
    return Tree(
        token=np.concatenate([*tokens, np.empty(0, np.int32)]).astype(np.int64),
        depth=np.arange(nodes) - np.repeat(start - np.array(depths, np.int64), grown),
        end=end,
        run_start=start,
        run_parent=np.array(parents, np.int64),
        need=np.repeat([i for i, _, _ in wanted], sizes)[sort],
        position=(np.repeat([first for _, first, _ in wanted], sizes) + place)[sort],
        node=node[sort],
        last=last,
    )


BLOCK = 128
"""How many queries attend together. Smaller blocks waste less on other branches, larger ones less on overhead."""


class QueryBlock(NamedTuple):
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


class Pack(NamedTuple):
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
    wanted = np.unique(tree.node[tree.span(start, stop)])
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
    """Divide nodes into blocks that end where a run begins, if one is near: they see fewer ancestors."""
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
