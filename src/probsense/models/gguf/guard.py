"""Finds out whether llama.cpp computes the same for sequences side by side as for each by itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from probsense.core.errors import ModelError
from probsense.core.records import Json
from probsense.models.align import Ids
from probsense.models.gguf.network import Network
from probsense.models.gguf.read import read
from probsense.models.reading import Need, Rows, Runner
from probsense.models.trie import verdict
from probsense.models.trie.probe import TOLERANCE_ELSE, branching_sequences
from probsense.models.trie.verdict import Verdict, kept_verdict

if TYPE_CHECKING:
    from torch import Tensor

NOISE = 0.05
"""The largest mean divergence of distributions, in nats, that counts as noise of 16 bits or less. A quantised model of
135 M parameters has 0.001; one token that is read wrongly makes 0.8."""
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

    Float32 has to agree up to rounding. Quantised weights go with quantised activations, where rounding in another
    order may tip a value over to the next step; so all distributions together have to be near. In either case no
    branch may notice a change in another: the order of all sums is then the same.
    """
    import torch

    sequences = branching_sequences(network.vocabulary)
    try:
        with _apart(network):
            alone = torch.cat(logprobs(network, sequences))
        limit = TOLERANCE_ELSE * max(1.0, float(alone.abs().max()))
        for tokens in (network.batch_tokens, FEW):
            together = torch.cat(logprobs(network, sequences, tokens))
            exact = float((together - alone).abs().max()) <= limit
            divergence = float((alone.exp() * (alone - together)).sum(-1).mean())
            if not (exact or (network.cache != "float32" and divergence <= NOISE)):
                return Verdict(
                    False, f"sequences side by side give other numbers (by {divergence:.2g} nats on average)"
                )
        changed = [*sequences[:-1], np.concatenate([sequences[-1][:-3], sequences[-1][-3:] ^ 1])]
        whole, other = (torch.cat(logprobs(network, those)[:-1]) for those in (sequences, changed))
    except ModelError as error:
        return Verdict(False, f"a pass over several sequences fails: {error}")
    if not float((whole - other).abs().max()) <= limit / 10:
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


@contextmanager
def _apart(network: Network) -> Iterator[None]:
    network.apart = True
    try:
        yield
    finally:
        network.apart = False
