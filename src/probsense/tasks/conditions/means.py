"""The mean of the answers to a question over all conditions under which it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probsense.analysis.distributions.mixture import mean_labels, mean_options
from probsense.core.records import LabelResponse, Response, SampleResponse, ScoreResponse


def mean_of(responses: Sequence[Response], weights: Sequence[float], alike: bool) -> Response:
    """Average the answers of one question under all conditions; texts are put together.

    Chains of thought are averaged one by one, as if each thought came before the question under all conditions.

    Parameters
    ----------
    responses : sequence of Response, length K
    weights : sequence of float, length K
        How much each counts, in any unit.
    alike : bool
        Whether all count alike, whatever part of the probability the answers have in each; then those without any are
        left out.
    """
    match responses[0]:
        case LabelResponse():
            if alike:
                responses, weights = _alike(responses, weights)
            return _with_chains(responses, weights, mean_labels)
        case ScoreResponse():
            return _with_chains(responses, weights, mean_options)
    texts = [one for one in responses if isinstance(one, SampleResponse)]
    return SampleResponse(
        tuple(text for one in texts for text in one.texts), unfinished=sum(one.unfinished for one in texts)
    )


def _with_chains(responses: Sequence[Any], weights: Sequence[float], mean: Callable[..., Any]) -> Response:
    number = min(len(one.chains) for one in responses)
    chains = tuple(
        replace(mean([one.chains[k] for one in responses], weights), chains=()) for k in range(number)
    )
    found: Response = replace(mean(responses, weights), chains=chains)
    return found


def _alike(responses: Sequence[Any], weights: Sequence[float]) -> tuple[Sequence[Response], Sequence[float]]:
    """Give answers the same part of the probability under all conditions: its mean."""
    parts = [sum(one.mass.values()) for one in responses]
    covered = float(np.average(parts, weights=weights))
    known = [
        (_times(one, covered / part), weight)
        for one, part, weight in zip(responses, parts, weights, strict=True)
        if part > 0
    ]
    return tuple(zip(*known, strict=True)) if known else (responses, weights)  # type: ignore[return-value]


def _times(response: LabelResponse, factor: float) -> LabelResponse:
    mass = {name: factor * value for name, value in response.mass.items()}
    chains = tuple(_times(one, factor) for one in response.chains)
    return replace(response, mass=mass, other=1 - sum(mass.values()), bounds=None, chains=chains)
