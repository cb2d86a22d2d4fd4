"""The answers of a model, taken out of their batches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
