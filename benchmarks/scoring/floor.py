"""The least that a scorer has to compute, and the time that the machine's matrix multiplication would take for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Split(NamedTuple):
    """The tokens of a prefix with an option after it, and the index of the first one to score."""

    ids: tuple[int, ...]
    first: int


class Work(NamedTuple):
    """The work that some sequences make.

    Attributes
    ----------
    naive : int
        Tokens to feed, every sequence by itself; the last token of a sequence is predicted, not fed.
    unique : int
        Different prefixes of the sequences: the tokens to feed if each is fed once.
    depths : int
        Sum over these of the tokens that each attends to, itself included.
    rows : int
        Prefixes whose next token is wanted.
    """

    naive: int
    unique: int
    depths: int
    rows: int


class Shape(NamedTuple):
    """The sizes of a network; ``parameters`` counts those of its matrices, without embeddings and vocabulary head."""

    parameters: int
    width: int
    layers: int
    vocabulary: int


def work(sequences: Iterable[Split]) -> Work:
    """Count the work, one token at a time."""
    naive = depths = 0
    nodes: dict[tuple[int, int], int] = {}
    rows: set[int] = set()
    for ids, first in sequences:
        node = 0
        for depth, token in enumerate(ids[:-1], start=1):
            naive += 1
            if (node, token) not in nodes:
                nodes[node, token] = len(nodes) + 1
                depths += depth
            node = nodes[node, token]
            if depth >= first:
                rows.add(node)
    return Work(naive, len(nodes), depths, len(rows))


def shape(config: Any) -> Shape:
    """Read the sizes of the network of a configuration."""
    import torch
    from torch import nn
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        network = AutoModelForCausalLM.from_config(config)
    tables = {id(module.weight) for module in network.modules() if isinstance(module, nn.Embedding)}
    tables.add(id(network.get_output_embeddings().weight))
    matrices = (p for p in network.parameters() if p.ndim == 2 and id(p) not in tables)
    return Shape(
        sum(p.numel() for p in matrices), config.hidden_size, config.num_hidden_layers, config.vocab_size
    )


def operations(work: Work, shape: Shape) -> int:
    """Count floating-point operations.

    They are two for every parameter and token, for every key and value that a token attends to in each layer, and for
    every logit that is needed.
    """
    through_layers = 2 * shape.parameters * work.unique
    attention = 4 * shape.width * shape.layers * work.depths
    head = 2 * shape.width * shape.vocabulary * work.rows
    return through_layers + attention + head


def gemm_speed(clock: Callable[[], float], count: int = 8) -> float:
    """Measure the operations a second of the fastest of some multiplications of 1024 x 768 by 768 x 3072 in float32.

    They are PyTorch's own and, where there are such, those of oneDNN with packed weights.
    """
    import torch

    from probsense.models.transformers.products import PackedLinear, is_there

    states, weight = torch.rand(1024, 768), torch.rand(3072, 768)
    ways: list[Callable[[torch.Tensor], torch.Tensor]] = [lambda given: torch.mm(given, weight.t())]
    if is_there():
        ways.append(PackedLinear(weight, None, pack=True))
    best = float("inf")
    with torch.inference_mode():
        for way in ways * count:
            started = clock()
            way(states)
            best = min(best, clock() - started)
    return 2 * 1024 * 768 * 3072 / best
