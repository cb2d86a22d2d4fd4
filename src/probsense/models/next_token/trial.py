"""Trials of a network on made-up sequences: whether branches keep its numbers, with a verdict that is kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from probsense.core.files.cache import keep_json, kept_json
from probsense.core.records import Json, digest
from probsense.models.next_token.alignment import Ids
from probsense.models.next_token.reading import Need, Rows, Runner

if TYPE_CHECKING:
    from torch import Tensor


ROUNDING = {"torch.float16": 0.02, "torch.bfloat16": 0.05}
ROUNDING_ELSE = 1e-4
"""The largest difference of a log-probability that counts as rounding, as a share of the largest one."""


def rounding(network: Any) -> float:
    """Return what counts as rounding in the log-probabilities of a network, by the coarsest type of its weights."""
    weights = (getattr(module, "weight", None) for module in network.modules())
    return max(ROUNDING.get(str(weight.dtype), ROUNDING_ELSE) for weight in weights if weight is not None)


class Verdict(NamedTuple):
    """Whether a network passed a trial; if not, why, in words."""

    passed: bool
    reason: str = ""


def kept_verdict(identity: Mapping[str, Json], decide: Callable[[], Verdict]) -> Verdict:
    """Return the verdict of a trial, from an earlier command if it was the same trial and the same code.

    Parameters
    ----------
    identity : mapping
        All that the verdict depends on beside the code: weights, precision, device, versions.
    decide : callable
        Makes the trial.

    Returns
    -------
    Verdict
        A folder that cannot be read or written costs time, never the verdict.
    """
    name = f"verdicts/{digest([dict(identity), code()])}.json"
    match kept_json(name):
        case {"passed": bool(passed), "reason": str(reason)}:
            return Verdict(passed, reason)
    verdict = decide()
    keep_json(name, verdict._asdict())
    return verdict


@cache
def code() -> str:
    """Return a digest of the code of all models: what was found out by other code is found out again."""
    files = sorted(Path(__file__).parents[1].rglob("*.py")) + sorted(
        Path(__file__).parents[1].rglob("*.toml")
    )
    return digest([file.read_text("utf-8") for file in files])


def warn(name: str, verdict: Verdict) -> None:
    """Say why a network is not fed trees."""
    words = "%s: shared prefixes are computed again for every option, since %s"
    logging.getLogger("probsense").warning(words, name, verdict.reason)


def branching_sequences(vocabulary: int) -> list[Ids]:
    """Make a dozen sequences that branch at several depths; the last one branches off at the fifth token."""
    rng = np.random.default_rng(0)

    def some(count: int) -> Ids:
        return rng.integers(0, vocabulary & ~1, count, dtype=np.int32)

    root = some(5)
    found = [root[:3], root]
    for middle in (some(9), some(4)):
        stem = np.concatenate([root, middle])
        found += [stem, *(np.concatenate([stem, some(count)]) for count in (1, 2, 6))]
    return [*found, np.concatenate([found[-1], some(8)]), np.concatenate([root, some(11)])]


def logprobs(runner: Runner, sequences: Sequence[Ids]) -> list[Tensor]:
    """Let a runner compute the log-probabilities after every token of each sequence."""
    import torch

    found: list[list[Tensor]] = [[] for _ in sequences]

    def consume(rows: Rows) -> None:
        values = rows.logits.log_softmax(-1)
        for need, row in zip(rows.need.tolist(), rows.row.tolist(), strict=True):
            found[need].append(values[row])

    for _ in runner.read(runner, [Need(ids, 0) for ids in sequences], consume):
        pass
    return [torch.stack(rows) for rows in found]


def compare(
    ways: Sequence[Callable[[Sequence[Ids]], list[Tensor]]],
    sequences: Sequence[Ids],
    alone: Sequence[Tensor],
    tolerance: float,
    noise: float = 0.0,
) -> Verdict:
    """Compare branching sequences side by side with each by itself; no branch may notice a change in another.

    Parameters
    ----------
    ways : sequence of callable
        Each computes log-probabilities of sequences side by side, as :func:`logprobs` returns them.
    sequences : sequence of ndarray of int
    alone : sequence of Tensor, shapes (tokens, vocabulary)
        The log-probabilities of each sequence by itself.
    tolerance : float
        The largest difference that counts as rounding, as a share of the largest log-probability.
    noise : float
        The mean divergence (nats) that larger differences may have in a network whose states are rounded, too.
    """
    limit = tolerance * max(1.0, *(float(rows.abs().max()) for rows in alone))
    for way in ways:
        found = way(sequences)
        worst = difference(found, alone)
        if not (worst <= limit or (noise and _divergence(found, alone) <= noise)):
            return Verdict(False, f"branches side by side give other numbers (by {worst:.2g} nats)")
    # The order of all sums is the same here.
    *others, last = sequences
    changed = last.copy()
    changed[-3:] ^= 1
    found, again = (ways[0]([*others, one])[:-1] for one in (last, changed))
    if not difference(found, again) <= limit / 10:
        return Verdict(False, "branches side by side notice each other")
    return Verdict(True)


def difference(these: Sequence[Tensor], those: Sequence[Tensor]) -> float:
    """Return the largest difference of log-probabilities (nats); NaN where one of them is."""
    import torch

    return float((torch.cat([*these]) - torch.cat([*those])).abs().max())


def _divergence(these: Sequence[Tensor], those: Sequence[Tensor]) -> float:
    """Return the mean divergence of distributions from others (nats)."""
    import torch

    found, expected = torch.cat([*these]), torch.cat([*those])
    return float((expected.exp() * (expected - found)).sum(-1).mean())
