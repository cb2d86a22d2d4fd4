"""Cuts a tree into groups: the sequences that branch off one path in memory, and their new tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probsense.models.trie.tree import Ints, Tree


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Nodes ``start`` to ``stop`` of a tree, which are computed after a path to the first of them.

    Attributes
    ----------
    first, last : int
        The members are ``first`` to ``last - 1``; each is a sequence.
    start, stop : int
    path : ndarray of int
        The nodes above ``start``.
    shares : ndarray of int, shape (members,)
        How many nodes of the path stand above each member.
    low, high : ndarray of int, shape (stop - start,)
        A node belongs to the sequences ``low`` to ``high - 1`` of the group.
    """

    first: int
    last: int
    start: int
    stop: int
    path: Ints
    shares: Ints
    low: Ints
    high: Ints


def leaves(tree: Tree) -> Ints:
    """Return the nodes without a node below: the last tokens of the longest sequences."""
    return np.flatnonzero(tree.end == np.arange(len(tree.end)) + 1)


def groups(
    tree: Tree, members: Ints, *, branches: int, nodes: int, cells: int, room: int = 0
) -> Iterator[Group]:
    """Cut groups of as many members as fit, and at least one.

    Parameters
    ----------
    tree : Tree
    members : ndarray of int
        The last node of each sequence, sorted; every node stands above one of them, or is one.
    branches : int
        Members in a group.
    nodes : int
        New nodes in a group.
    cells : int
        Tokens in memory: path, new nodes, and ``room`` for each member.
    room : int
        Tokens that follow each member.
    """
    first = done = 0
    while first < len(members):
        # A member of which the group before has read all tokens reads its last one again, for what follows it.
        start = min(done, int(members[first]))
        path = tree.ancestors(start)
        ends = members[first : first + branches] + 1
        sizes = ends - start
        most = np.minimum(nodes, cells - len(path) - room * np.arange(1, len(ends) + 1))
        count = max(1, int(np.argmin(np.append(sizes <= most, False))))
        last, done = first + count, int(ends[count - 1])
        held = members[first:last]
        yield Group(
            first,
            last,
            start,
            done,
            path,
            # The nodes of a path end one within the other, the first one last.
            np.searchsorted(-tree.end[path], -held, side="left"),
            np.searchsorted(held, np.arange(start, done)),
            np.searchsorted(held, tree.end[start:done]),
        )
        first = last
