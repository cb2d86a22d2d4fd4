"""``oracle:``: a model that answers WorldSense's questions by the solver, which reads only the words of the request."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    Json,
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
from probsense.tasks.worldsense.text.reading import solve_text

DOUBT = 1e-6
"""The probability of all wrong answers together, above 0 so that log-probabilities stay finite."""


def load(argument: str) -> Oracle:
    """Make the oracle, which takes no argument."""
    if argument:
        raise InputError(f"the oracle takes no argument, {argument!r} was given", expected="oracle:")
    return Oracle()


class Oracle:
    """A model that is always right."""

    name: str = "oracle:"
    details: Mapping[str, Json] = {"scheme": "oracle", "version": 1}
    capabilities: Capabilities = Capabilities(score=True, labels="exact", sample=True)
    usage: Usage = Usage()

    def score(self, requests: Sequence[ScoreRequest]) -> Iterator[Batch[ScoreResponse]]:
        """Give nearly all probability to the option that is the solver's answer."""
        yield [(i, _score(request)) for i, request in enumerate(requests)]

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        """Give nearly all mass to the label of the solver's answer."""
        yield [(i, _labels(request)) for i, request in enumerate(requests)]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        """Give the solver's answer, as often as the request asks."""
        yield [(i, SampleResponse((_solve(r.prompt),) * r.n)) for i, r in enumerate(requests)]


def _score(request: ScoreRequest) -> ScoreResponse:
    probabilities = _probabilities(request.prefix, [(option,) for option in request.options])
    scores = (
        OptionScore(one_token(option, math.log(p)), one_token(request.suffix, 0.0))
        for option, p in zip(request.options, probabilities, strict=True)
    )
    return ScoreResponse(tuple(scores))


def _labels(request: LabelRequest) -> LabelResponse:
    forms = [(name, *surface) for name, surface in request.labels]
    probabilities = _probabilities(request.prompt, forms)
    return LabelResponse({f[0]: p for f, p in zip(forms, probabilities, strict=True)}, 0.0)


def _probabilities(text: str, choices: Sequence[tuple[str, ...]]) -> list[float]:
    """Return the probability of each choice, a set of forms; equal where no answer is right."""
    answer = _solve(text)
    if not answer:
        return [1 / len(choices)] * len(choices)
    right = [answer in map(str.strip, forms) for forms in choices]
    if sum(right) != 1:
        raise ModelError(f"the oracle's answer {answer!r} is not exactly one of the options {choices}")
    return [1 - DOUBT if hit else DOUBT / (len(choices) - 1) for hit in right]


def _solve(text: str) -> str:
    try:
        return solve_text(text)
    except ValueError as error:
        raise ModelError(f"the oracle answers WorldSense questions in our own skins only: {error}") from None
