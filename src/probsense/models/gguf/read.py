"""Reads a tree of sequences by llama.cpp: branches side by side, after what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from probsense.models.base import Usage
from probsense.models.gguf.groups import Group, groups, leaves
from probsense.models.gguf.network import Network
from probsense.models.reading import Need, Rows, Runner
from probsense.models.trie.tree import Ints, Tree, build


def read(runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]) -> Iterator[list[int]]:
    """Compute every shared prefix once (see :class:`probsense.models.reading.Reader`).

    Raises
    ------
    ModelError
        If llama.cpp refuses a pass.
    """
    import torch

    network: Network = runner.network
    tree = build(needs)
    order = np.argsort(tree.last, kind="stable")
    ended = tree.last[order]
    sizes = np.array([len(need.ids) for need in needs], np.int64)
    network.clear()
    cut = groups(tree, leaves(tree), branches=network.branches, nodes=runner.tokens, cells=network.context)
    for group in cut:
        asked = slice(*np.searchsorted(tree.node, (group.start, group.stop)))
        for nodes, logits in compute(runner, tree, group, np.unique(tree.node[asked])):
            shown = slice(*np.searchsorted(tree.node, (nodes[0], nodes[-1] + 1)))
            row = np.searchsorted(nodes, tree.node[shown])
            consume(Rows(torch.from_numpy(logits), tree.need[shown], tree.position[shown], row))
        keep_path(network, tree, group)
        done = order[slice(*np.searchsorted(ended, (group.start, group.stop)))]
        runner.count(Usage(naive=int(sizes[done].sum())))
        yield done.tolist()


def compute(
    runner: Runner, tree: Tree, group: Group, wanted: Ints
) -> Iterator[tuple[Ints, NDArray[np.float32]]]:
    """Compute the nodes of a group, after the path to it.

    Parameters
    ----------
    runner : Runner
    tree : Tree
    group : Group
    wanted : ndarray of int
        Sorted nodes of the group whose next token is wanted.

    Yields
    ------
    (ndarray of int, ndarray)
        Some of the wanted nodes, and their logits, which hold until the next pass.
    """
    network: Network = runner.network
    fed = network.begin(tree.token[group.path].astype(np.int32), group.shares)
    rows = max(1, runner.cells // runner.vocabulary)
    start = group.start
    while start < group.stop:
        stop = min(start + network.batch_tokens, group.stop)
        inside = wanted[slice(*np.searchsorted(wanted, (start, stop)))]
        if len(inside) > rows:
            stop, inside = int(inside[rows]), inside[:rows]
        nodes = np.arange(start, stop)
        places = slice(start - group.start, stop - group.start)
        logits = network.feed(
            tree.token[nodes],
            tree.depth[nodes],
            group.low[places],
            group.high[places],
            np.isin(nodes, inside, assume_unique=True),
        )
        fed += len(nodes)
        if len(inside):
            yield inside, logits
        start = stop
    runner.count(Usage(tokens=fed))


def keep_path(network: Network, tree: Tree, group: Group) -> None:
    """Keep the path to the last member of a group for the next group, and forget all other tokens."""
    last = group.stop - 1
    path = tree.token[np.append(tree.ancestors(last), last)].astype(np.int32)
    network.keep(group.last - group.first - 1, path)
