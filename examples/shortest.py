"""A model of one's own, ``shortest:``: the shorter the text of an option, the more probable it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from probsense.core.records import Json, OptionScore, ScoreRequest, ScoreResponse
from probsense.models.base import Batch, Capabilities, Usage
from probsense.models.small.random import one_token


def load(argument: str, *, per_letter: float = 1.0) -> Shortest:
    """Make the model.

    Parameters
    ----------
    argument : str
        What follows the colon of ``shortest:``; nothing does.
    per_letter : float
        By how much each letter lowers the log-probability of an option, in nats.
    """
    return Shortest({"scheme": "shortest", "version": 1, "per_letter": per_letter}, per_letter)


@dataclass(frozen=True)
class Shortest:
    """A model that counts letters."""

    details: Mapping[str, Json]
    per_letter: float
    name: str = "shortest:"
    capabilities: Capabilities = field(default_factory=lambda: Capabilities(score=True))
    usage: Usage = field(default_factory=Usage)

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Score each option by its length."""
        for place, request in enumerate(requests):
            options = (
                OptionScore(one_token(text, -self.per_letter * len(text)), one_token(request.suffix, 0.0))
                for text in request.options
            )
            yield [(place, ScoreResponse(tuple(options)))]
