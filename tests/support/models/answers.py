"""The answers of a model, taken out of their batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from probsense.core.records import ScoreResponse
from probsense.models.base import Batch


def collect(batches: Iterable[Batch[Any]]) -> dict[int, Any]:
    """The answers by the places of their requests; none comes twice."""
    pairs = [pair for batch in batches for pair in batch]
    assert len({place for place, _ in pairs}) == len(pairs)
    return dict(pairs)


def answers(batches: Iterable[Batch[Any]]) -> list[Any]:
    """The answers in the order of their requests; none is missing."""
    found = collect(batches)
    return [found[place] for place in range(len(found))]


def logprobs(responses: Sequence[ScoreResponse]) -> list[float]:
    """All log-probabilities, in their order."""
    scores = [option for response in responses for option in response.options]
    return [value for one in scores for value in (*one.option.logprobs, *one.suffix.logprobs)]
