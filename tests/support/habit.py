"""A model whose every answer is a function of what it is asked."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from probsense.core.records import (
    LabelResponse,
    OptionScore,
    SampleRequest,
    SampleResponse,
    ScoreResponse,
)
from probsense.models.base import Capabilities, Usage
from probsense.models.small.random import one_token

ABLE = Capabilities(score=True, labels="exact", sample=True)


def sigmoid(x):
    """Return the probability of log odds."""
    return 1 / (1 + math.exp(-x))


@dataclass
class Habit:
    """Gives one of the answers some probability (NaN for none of them) and the others what is left, and writes texts.

    It is the first answer unless ``place`` says which. Labels have together a part of the probability.
    """

    chance: Callable[[Any], float] = lambda request: 0.5
    texts: Callable[[SampleRequest], Sequence[str]] = lambda request: ("yes",) * request.n
    part: float = 0.8
    name: str = "habit:"
    details: dict = field(default_factory=dict)
    capabilities: Capabilities = ABLE
    usage: Usage = field(default_factory=Usage)
    place: Callable[[Any], int] = lambda request: 0

    def score(self, requests):
        for place, one in enumerate(requests):
            pairs = zip(one.options, self._shares(one, len(one.options)), strict=True)
            after = one_token(one.suffix, 0.0)
            scores = (OptionScore(one_token(o, math.log(x)), after) for o, x in pairs)
            yield [(place, ScoreResponse((*scores,)))]

    def labels(self, requests):
        for place, one in enumerate(requests):
            pairs = zip(one.labels, self._shares(one, len(one.labels)), strict=True)
            mass = {name: self.part * share for (name, _), share in pairs}
            yield [(place, LabelResponse(mass, 1 - sum(mass.values())))]

    def _shares(self, request, answers):
        chance = self.chance(request)
        if math.isnan(chance):
            return [0.0] * answers
        shares = [(1 - chance) / (answers - 1)] * (answers - 1)
        return [*shares[: self.place(request)], chance, *shares[self.place(request) :]]

    def sample(self, requests):
        for place, one in enumerate(requests):
            yield [(place, SampleResponse((*self.texts(one),)))]
