"""Reads and writes sequences by llama.cpp: branches side by side, after what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.core.records import SampleRequest
from probsense.models.base import Usage
from probsense.models.llamacpp.network import Network
from probsense.models.next_token.reading import Need, Rows, Runner
from probsense.models.next_token.texts import Draw, Stopped, Written, draw_texts
from probsense.models.next_token.tree import Ints, Tree, build

if TYPE_CHECKING:
    from torch import Tensor


def read(runner: Runner, needs: Sequence[Need], consume: Callable[[Rows], None]) -> Iterator[list[int]]:
    """Compute every shared prefix once (see :class:`probsense.models.next_token.reading.Reader`).

    Raises
    ------
    ModelError
        If llama.cpp refuses a pass.
    """
    import torch

    network: Network = runner.network
    tree = build(needs)
    network.clear()
    cut = groups(tree, leaves(tree), branches=network.branches, nodes=runner.tokens, cells=network.context)
    for group in cut:
        asked = np.unique(tree.node[tree.span(group.start, group.stop)])
        for nodes, logits in compute(runner, tree, group, asked):
            shown = tree.span(int(nodes[0]), int(nodes[-1]) + 1)
            row = np.searchsorted(nodes, tree.node[shown])
            consume(Rows(torch.from_numpy(logits), tree.need[shown], tree.position[shown], row))
        keep_path(network, tree, group)
        done, naive = tree.complete(group.start, group.stop)
        runner.count(Usage(naive=naive))
        yield done


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


class Group(NamedTuple):
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
        # If the group before has read all tokens of a member, the member reads its last one again.
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


def write(runner: Runner, draws: Sequence[Draw], how: SampleRequest, stopped: Stopped) -> Iterator[Written]:
    """Read shared beginnings of prompts once (see :class:`probsense.models.next_token.texts.Writer`)."""
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
    how: SampleRequest,
    stopped: Stopped,
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
