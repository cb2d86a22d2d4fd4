"""Finds out whether llama.cpp computes the same for sequences side by side as for each by itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from probsense.errors import ModelError
from probsense.models.align import Ids
from probsense.models.gguf.network import Network
from probsense.models.gguf.read import read
from probsense.models.reading import Need, Rows, Runner
from probsense.models.trie import verdict
from probsense.models.trie.probe import TOLERANCE_ELSE, branching_sequences
from probsense.models.trie.verdict import Verdict, kept_verdict
from probsense.records import Json

if TYPE_CHECKING:
    from torch import Tensor

NOISE = 4
"""How many times the noise of a network's own arithmetic still counts as rounding."""
FEW = 7
"""Tokens of small groups, in which the trial carries paths from one to the next."""


def guard(network: Network, identity: Mapping[str, Json]) -> None:
    """Let a network compute each sequence by itself, with a warning, if others in memory would change its numbers.

    Parameters
    ----------
    network : Network
    identity : mapping
        All that the numbers depend on, under which the verdict is kept.
    """
    if network.apart:
        found = Verdict(False, "its memory cannot branch")
    else:
        folders = (verdict.HERE, Path(__file__).parent)
        found = kept_verdict(identity, lambda: trial(network), folders)
    network.apart = not found.trie
    if network.apart:
        logging.getLogger("probsense").warning(
            "%s: shared prefixes are computed again for every option, since %s",
            network.path.name,
            found.reason,
        )


def trial(network: Network) -> Verdict:
    """Compare a dozen branching sequences side by side with each by itself.

    Quantised weights go with quantised activations, which amplify rounding. How much is measured on one sequence:
    in one pass, and token by token.
    """
    sequences = branching_sequences(network.vocabulary)
    try:
        with _apart(network):
            alone = logprobs(network, sequences)
            steps = _step_by_step(network, sequences[-2])
        scale = max(1.0, *(float(rows.abs().max()) for rows in alone))
        noise = float((alone[-2] - steps).abs().max())
        limit = max(TOLERANCE_ELSE * scale, NOISE * noise)
        for tokens in (network.batch_tokens, FEW):
            worst = _worst(logprobs(network, sequences, tokens), alone)
            if not worst <= limit:
                return Verdict(False, f"sequences side by side give other numbers (by {worst:.2g} nats)")
        changed = [*sequences[:-1], np.concatenate([sequences[-1][:-3], sequences[-1][-3:] ^ 1])]
        whole, other = (logprobs(network, those) for those in (sequences, changed))
    except ModelError as error:
        return Verdict(False, f"a pass over several sequences fails: {error}")
    if not _worst(whole[:-1], other[:-1]) <= TOLERANCE_ELSE * scale / 10:
        return Verdict(False, "sequences side by side notice each other")
    return Verdict(True)


def logprobs(network: Network, sequences: Sequence[Ids], tokens: int | None = None) -> list[Tensor]:
    """Compute the log-probabilities after every token of each sequence, in groups of some tokens."""
    import torch

    found: list[list[Tensor]] = [[] for _ in sequences]

    def consume(rows: Rows) -> None:
        values = rows.logits.log_softmax(-1)
        for need, row in zip(rows.need.tolist(), rows.row.tolist(), strict=True):
            found[need].append(values[row])

    runner = Runner(network, network.vocabulary, network.context, tokens or network.batch_tokens, read)
    for _ in read(runner, [Need(ids, 0) for ids in sequences], consume):
        pass
    return [torch.stack(rows) for rows in found]


def _step_by_step(network: Network, ids: Ids) -> Tensor:
    import torch

    network.clear()
    one, sequence = np.ones(1, np.bool_), np.zeros(1, np.int64)
    rows = [
        torch.from_numpy(
            network.feed(ids[k : k + 1], np.array([k]), sequence, sequence + 1, one)
        ).log_softmax(-1)
        for k in range(len(ids))
    ]
    return torch.cat(rows)


@contextmanager
def _apart(network: Network) -> Iterator[None]:
    network.apart = True
    try:
        yield
    finally:
        network.apart = False


def _worst(these: Sequence[Tensor], those: Sequence[Tensor]) -> float:
    return max(float((a - b).abs().max()) for a, b in zip(these, those, strict=True))
