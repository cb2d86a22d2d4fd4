"""Checks whether texts are drawn from the distribution that the log-probabilities describe, or from another one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Final

from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai.abilities import Route
from probsense.models.openai.echoes import echoed, known_logprob
from probsense.models.openai.endpoint import Endpoint
from probsense.models.openai.faults import Malformed
from probsense.models.openai.parse import ROUNDING, ScoredToken, alternatives

LINE: Final = "Write down a line of random words."
LENGTH: Final = 32
TIE: Final = 0.1
"""Tokens that lie no further apart than this, in nats, may change places by rounding."""
ENOUGH: Final = 16
"""A text must have this many drawn tokens before one can expect a rare one among them."""
RARE: Final = 3.5
"""How far a rare token lies below the most probable one, in nats; an honest draw at temperature 2 often meets it."""
FLAT: Final = 8
"""Places where no token has half of the probability; at this many of them an honest table leaves something out."""
RESCALED: Final = "alternatives"
"""The name of the finding that alternatives are scaled to sum to 1."""


async def examine_draws(endpoint: Endpoint, route: Route, top: int) -> list[Finding]:
    """Examine how probable the written tokens are, at temperature 0 and at temperature 2, and what their tables hold.

    Parameters
    ----------
    endpoint : Endpoint
        An endpoint that gives log-probabilities on the route.
    route : {"chat", "completions"}
    top : int
        How many alternatives come with a token.
    """
    (greedy, _), (drawn, tables) = await asyncio.gather(
        _lags(endpoint, route, 0.0, 1), _lags(endpoint, route, 2.0, top)
    )
    findings = []
    if rescaled(tables):
        said = (
            f"the probabilities of {top} alternatives sum to 1 at every place of a random text, where more words are "
            "possible: they are no shares of all words, so labels are sampled"
        )
        findings.append(Finding(RESCALED, False, said))
    if greedy:
        worst = max(greedy)
        said = (
            "at temperature 0 the most probable token is written"
            if worst <= TIE
            else f"at temperature 0 a token is written that is {worst:.2g} nats less probable than the best: texts are "
            "not drawn from the model's distribution (a penalty for repetition? see --extra-body)"
        )
        findings.append(Finding("texts, the most probable", worst <= TIE, said, {"nats": worst}))
    if len(drawn) >= ENOUGH:
        deepest = max(drawn)
        said = (
            "they are drawn at temperature 2"
            if deepest > RARE
            else f"at temperature 2 no token is written that is more than {deepest:.2g} nats less probable than the "
            "best: does the server leave them out (top_k, min_p)? see --extra-body"
        )
        findings.append(Finding("texts, rare tokens", deepest > RARE or None, said, {"nats": deepest}))
    return findings


def rescaled(tables: Sequence[Sequence[ScoredToken]]) -> bool:
    """Tell whether tables of alternatives, the most probable one first, were scaled to sum to 1.

    Where one token has most of the probability, the others may well hold the rest. Only places where none has half of
    it count, and all of these must sum to 1.
    """
    flat = [table for table in tables if len(table) > 1 and table[0].logprob < math.log(0.5)]
    totals = [math.fsum(math.exp(token.logprob) for token in table) for table in flat]
    return len(flat) >= FLAT and min(totals) > 1 - ROUNDING


async def _lags(
    endpoint: Endpoint, route: Route, temperature: float, top: int
) -> tuple[list[float], list[list[ScoredToken]]]:
    """Measure how far each written token lies below the most probable one (nats), and collect its alternatives.

    Both are empty where nothing can be seen.
    """
    wanted: dict[str, Json] = (
        {"logprobs": True, "top_logprobs": top} if route == "chat" else {"logprobs": top}
    )
    found = await endpoint.attempt(route, LINE, max_tokens=LENGTH, temperature=temperature, **wanted)
    if isinstance(found, str):
        return [], []
    try:
        tops = alternatives(found[0])
    except Malformed:
        return [], []
    _, logprobs = echoed(found[0]) or ((), ())
    written = map(known_logprob, logprobs)
    return [top[0].logprob - x for top, x in zip(tops, written, strict=False) if not math.isnan(x)], tops
