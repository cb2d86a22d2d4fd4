"""Label mass from the most probable tokens, where a model shows no others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from probsense.analysis.distributions.label_mass import OTHER, token_classes, top_k_bounds, top_k_share
from probsense.core.records import OTHERS, Json, LabelRequest, LabelResponse


def top_tokens_response(
    request: LabelRequest,
    top: Sequence[tuple[str, float]],
    note: str = "",
    server: Mapping[str, Json] | None = None,
) -> LabelResponse:
    """Compute the mass of each label as a share of all words, with the bounds between which it must lie.

    Parameters
    ----------
    request : LabelRequest
    top : sequence of (str, float)
        The most probable tokens, the most probable first: the text of each with its log-probability (nats).
    note : str
        How the model treated a first token that is white space only.
    server : Mapping, optional
        A server's statements with the answer.
    """
    logprobs = np.array([logprob for _, logprob in top])
    classes = token_classes([text for text, _ in top], request.labels)
    names = [name for name, _ in request.labels]
    *mass, other = top_k_share(logprobs, classes, labels=len(names)).tolist()
    low, high = (end.tolist() for end in top_k_bounds(logprobs, classes, labels=len(names)))
    others = [token for token, k in zip(top, classes, strict=True) if k == OTHER][:OTHERS]
    return LabelResponse(
        dict(zip(names, mass, strict=True)),
        other,
        "topk",
        note,
        server,
        {name: (low[k], high[k]) for k, name in enumerate(names)},
        tuple((text, math.exp(logprob)) for text, logprob in others),
    )
