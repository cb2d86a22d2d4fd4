"""A model that thinks aloud, in a world whose chains of thought can be enumerated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from probsense.core.errors import ProbSenseError
from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    OptionScore,
    Request,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.prompts.thinking import Manner
from probsense.models.small.random import one_token

WORLD = {"four has a half": (0.5, 0.9), "odd things are rare": (0.3, 0.6), "hm": (0.2, 0.05)}
"""The probability of each chain, and of "yes" after it."""
MANNER = Manner("<think>\n", "</think>\n\n", "</think>", "on unless told")


@dataclass
class Thinker:
    """Thinks what it is told to, by the number of the chain; after thoughts it does not know, "yes" has 0.5."""

    thinks: Sequence[str] = tuple(WORLD)
    name: str = "thinker:"
    manner: Manner | None = MANNER
    capabilities: Capabilities = field(
        default=Capabilities(score=True, labels="exact", sample=True, thought=True)
    )
    usage: Usage = field(default_factory=Usage)
    asked: list[Request] = field(default_factory=list)
    breaks_after: int = 10**9
    unclosed: frozenset[str] = frozenset()
    thinking: Mapping[str, Any] | None = None

    @property
    def details(self) -> Mapping[str, Any]:
        return {"scheme": "thinker"} | ({"thinking": self.thinking} if self.thinking else {})

    def in_thinking(self, manner: Manner) -> Thinker:
        return replace(self, name=f"{self.name} (thinking)", thinking=manner.to_json())

    def _batches(self, requests: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for i, request in enumerate(requests):
            if len(self.asked) >= self.breaks_after:
                raise ProbSenseError("killed")
            self.asked.append(request)
            yield i, request

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, request in self._batches(requests):
            if not request.thinks:
                assert request.n == 1
                yield [(i, SampleResponse(("yes" if self._yes(request) > 0.5 else "no",), cut=(False,)))]
                continue
            whole = self.thinks[(request.seed & 0xFFFF) % len(self.thinks)]
            words = whole.split(" ")
            begun = request.thought.text.split(" ")[:-1] if request.thought else []
            part = words[len(begun) : len(begun) + request.max_tokens]
            ended = len(begun) + len(part) == len(words) and whole not in self.unclosed
            text = " ".join(part) + ("" if len(begun) + len(part) == len(words) else " ")
            yield [(i, SampleResponse((text,), cut=(not ended,), sizes=(len(part),)))]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        for i, request in self._batches(requests):
            p = self._yes(request)
            yield [(i, LabelResponse({"yes": p * 0.9, "no": (1 - p) * 0.9}, 0.1))]

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        for i, request in self._batches(requests):
            p = self._yes(request)
            odds = zip(request.options, (p, 1 - p), strict=True)
            yield [
                (
                    i,
                    ScoreResponse(
                        tuple(OptionScore(one_token(o, math.log(x)), one_token("", 0)) for o, x in odds)
                    ),
                )
            ]

    def _yes(self, request: Request) -> float:
        assert request.thought is not None
        assert request.thought.end == MANNER.end
        return WORLD.get(request.thought.text.strip(), (0.0, 0.5))[1]
