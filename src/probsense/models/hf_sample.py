"""Samples texts from a language model, the same for a request in whatever batch it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError
from probsense.core.records import SampleRequest, SampleResponse, request_key
from probsense.models.align import Ids
from probsense.models.base import Batch
from probsense.models.hf_draw import Settings
from probsense.models.hf_write import Draw, Writer
from probsense.models.reading import Runner


def sample(
    runner: Runner, write: Writer, tokenizer: Any, prompts: Sequence[Ids], requests: Sequence[SampleRequest]
) -> Iterator[Batch[SampleResponse]]:
    """Yield texts after each prompt; at temperature 0 the most probable one, n times.

    The random numbers of a text come from a generator of its own, seeded by the content of the request (its seed is
    part of it) and the number of the text, so that no draw depends on its neighbours.

    Parameters
    ----------
    runner : Runner
    write : Writer
        The way in which the network writes.
    tokenizer : Any
    prompts : sequence of ndarray of int
        Tokens of the requests' prompts.
    requests : sequence of SampleRequest

    Raises
    ------
    InputError
        If a request asks for something impossible, or is longer than the model takes.
    """
    for request in requests:
        _check(request)
    numbers = [(i, d) for i, r in enumerate(requests) for d in range(r.n if r.temperature else 1)]
    texts: dict[int, dict[int, tuple[str, bool]]] = {i: {} for i in range(len(requests))}

    def text(ids: list[int]) -> str:
        return str(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    for how in dict.fromkeys(_settings(request) for request in requests):
        group = [(i, d) for i, d in numbers if _settings(requests[i]) == how]
        draws = [Draw(prompts[i], _uniforms(requests[i], d)) for i, d in group]

        def stopped(ids: list[int], how: Settings = how) -> bool:
            return any(stop in text(ids) for stop in how.stop)

        for batch in write(runner, draws, how, stopped):
            ready: Batch[SampleResponse] = []
            for k, ids in batch:
                i, d = group[k]
                texts[i][d] = _ended(text(ids), how.stop, full=len(ids) == how.max_tokens)
                n = requests[i].n
                if len(texts[i]) == (n if how.temperature else 1):
                    drawn = texts.pop(i)
                    written, cut = zip(*(drawn.get(d, drawn[0]) for d in range(n)), strict=True)
                    ready.append((i, SampleResponse(written, cut=cut)))
            yield ready


def _settings(request: SampleRequest) -> Settings:
    return Settings(request.max_tokens, request.temperature, request.top_p, request.stop)


def _check(request: SampleRequest) -> None:
    if request.n < 1 or request.max_tokens < 1:
        raise InputError(f"n = {request.n}, max_tokens = {request.max_tokens}", expected="both at least 1")
    if not 0 <= request.temperature < float("inf"):
        raise InputError(f"temperature {request.temperature:g}", expected="a finite number, at least 0")
    if not 0 < request.top_p <= 1:
        raise InputError(f"top_p {request.top_p:g}", expected="above 0, at most 1")
    if "" in request.stop:
        raise InputError("an empty stop string", expected="stop strings of at least one character")


def _uniforms(request: SampleRequest, draw: int) -> NDArray[np.float64]:
    return np.random.default_rng([int(request_key(request), 16), draw]).random(request.max_tokens)


def _ended(text: str, stops: Sequence[str], *, full: bool) -> tuple[str, bool]:
    """End a text at its first stop string; without one, a text of all the tokens it may have is cut."""
    found = [text.find(stop) for stop in stops if stop in text]
    return text[: min(found, default=len(text))], full and not found
