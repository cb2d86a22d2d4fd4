"""Label mass where no single tokens stand for the labels: the probability of spelling them out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from probsense.core.records import Failure, LabelRequest, LabelResponse, ScoreRequest, ScoreResponse
from probsense.models.base import Batch

Tokens: TypeAlias = tuple[str, ...]
NOTE = "labels spelled out in several tokens, as no single one stands for each"


def spellings(forms: Iterable[str]) -> tuple[str, ...]:
    """List the ways to write a label: as it is, small, capitalised, in capitals; each with and without a blank.

    A spelling that begins another one stands for both.
    """
    cases = dict.fromkeys(
        case for form in forms for case in (form, form.lower(), form.capitalize(), form.upper())
    )
    shortest = [case for case in cases if not any(case != c and case.startswith(c) for c in cases)]
    return tuple(blank + case for case in shortest for blank in ("", " "))


def score_requests(requests: Sequence[LabelRequest]) -> list[ScoreRequest]:
    """Make one request for each request; its options are the spellings of all labels."""
    return [
        ScoreRequest(
            request.prompt,
            tuple(text for _, forms in request.labels for text in spellings(forms)),
            item=request.item,
            system=request.system,
            thought=request.thought,
        )
        for request in requests
    ]


def spelled_mass(
    scored: Iterable[Batch[ScoreResponse]], requests: Sequence[LabelRequest]
) -> Iterator[Batch[LabelResponse]]:
    """Sum the probabilities of each label's spellings, from the answers to :func:`score_requests`.

    Each spelling counts only as the tokenizer splits it, so the mass is a lower bound, though a very close one of
    answers without marks. Answers in quotation marks are other words: a mark may be split together with the end of the
    prompt, and has then no probability behind it; and a server or a harness would read every spelling again.
    """
    for batch in scored:
        yield [(i, r if isinstance(r, Failure) else _mass(requests[i], r)) for i, r in batch]


def _alone(found: Mapping[str, Mapping[Tokens, float]], name: str) -> float:
    """Sum the spellings of a label without those of others that begin so: "agree" without "agree strongly".

    A spelling begins another one if its tokens do: the probability of "the" has no part in that of one token "them".
    """
    others = {tokens: p for other, own in found.items() if other != name for tokens, p in own.items()}
    mass = 0.0
    for tokens, p in found[name].items():
        longer = [one for one in others if one != tokens and _begins(tokens, one)]
        nearest = [one for one in longer if not any(one != other and _begins(other, one) for other in longer)]
        mass += max(0.0, p - sum(others[one] for one in nearest))
    return mass


def _begins(tokens: Tokens, longer: Tokens) -> bool:
    return longer[: len(tokens)] == tokens


def _mass(request: LabelRequest, response: ScoreResponse) -> LabelResponse:
    options = iter(response.options)
    found: dict[str, dict[Tokens, float]] = {}
    for name, forms in request.labels:
        own = islice(options, len(spellings(forms)))
        # Where a chat drops the leading blank, two spellings are one.
        found[name] = {one.option.tokens: math.exp(sum(one.option.logprobs)) for one in own}
    mass = {name: _alone(found, name) for name in found}
    total = max(1.0, sum(mass.values()))
    named = {name: value / total for name, value in mass.items()}
    return LabelResponse(named, max(0.0, 1.0 - sum(named.values())), "exact", NOTE)
