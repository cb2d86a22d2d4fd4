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
    """Gives the first of two answers with some probability (NaN for none of both), and writes texts.

    Labels have together a part of the probability.
    """

    chance: Callable[[Any], float] = lambda request: 0.5
    texts: Callable[[SampleRequest], Sequence[str]] = lambda request: ("yes",) * request.n
    part: float = 0.8
    name: str = "habit:"
    details: dict[str, Any] = field(default_factory=dict)
    capabilities: Capabilities = ABLE
    usage: Usage = field(default_factory=Usage)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        for place, one in enumerate(requests):
            pairs = zip(one.options, (self.chance(one), 1 - self.chance(one)), strict=True)
            scores = (OptionScore(one_token(o, math.log(x)), one_token("", 0)) for o, x in pairs)
            yield [(place, ScoreResponse((*scores,)))]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for place, one in enumerate(requests):
            chance = self.chance(one)
            part = 0.0 if math.isnan(chance) else self.part
            shares = (part * chance, part - part * chance) if part else (0.0, 0.0)
            mass = {name: share for (name, _), share in zip(one.labels, shares, strict=True)}
            yield [(place, LabelResponse(mass, 1 - part))]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for place, one in enumerate(requests):
            yield [(place, SampleResponse((*self.texts(one),)))]
