"""A model whose every answer is a function of what it is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import one_token

ABLE = Capabilities(score=True, labels="exact", sample=True)


def sigmoid(x: float) -> float:
    """Return the probability of log odds."""
    return 1 / (1 + math.exp(-x))


@dataclass
class Habit:
    """Gives the first of two answers with some log odds (labels have four fifths of it; none, if NaN), and texts."""

    log_odds: Callable[[Any], float] = lambda request: 0.0
    texts: Callable[[SampleRequest], Sequence[str]] = lambda request: ("yes",) * request.n
    name: str = "habit:"
    details: dict[str, Any] = field(default_factory=dict)
    capabilities: Capabilities = ABLE
    usage: Usage = field(default_factory=Usage)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        for place, one in enumerate(requests):
            p = sigmoid(self.log_odds(one))
            pairs = zip(one.options, (p, 1 - p), strict=True)
            scores = (OptionScore(one_token(o, math.log(x)), one_token("", 0)) for o, x in pairs)
            yield [(place, ScoreResponse((*scores,)))]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for place, one in enumerate(requests):
            odds = self.log_odds(one)
            first, second = (0.0, 0.0) if math.isnan(odds) else (0.8 * sigmoid(odds), 0.8 * sigmoid(-odds))
            (yes, _), (no, _) = one.labels
            yield [(place, LabelResponse({yes: first, no: second}, 1 - first - second))]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for place, one in enumerate(requests):
            yield [(place, SampleResponse((*self.texts(one),)))]
