"""A tree of token sequences, in which every shared prefix stands once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.models.align import Ids, common_prefix
from probsense.models.reading import Need

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
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


def build(needs: Sequence[Need]) -> Tree:
    """Make the tree of some needs.

    Sequences are taken in lexicographic order, in which the prefixes that a sequence shares with any before it
    are those that it shares with the one just before it.

    Parameters
    ----------
    needs : sequence of Need
        Each has at least one token.
    """
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
