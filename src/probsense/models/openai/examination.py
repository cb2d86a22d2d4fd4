"""Examines an endpoint on known strings before a run trusts it: finds what it does, whatever it says it does."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai.answers import ROUNDING, ScoredToken, alternatives, blank
from probsense.models.openai.client import Client
from probsense.models.openai.echoes import echoed, examine_prompt, known_logprob
from probsense.models.openai.endpoint import Choice, Endpoint, of_this_kind, text_of, thinks
from probsense.models.openai.requests import MOST_CHOICES, PATHS, Abilities, Route
from probsense.models.openai.wire import Exhausted, Malformed, Refused

QUESTION = "Is fire hot? Answer with one word, yes or no."

TOP = (20, 5, 1)
"""Numbers of alternatives that servers allow, in falling order."""
IDS = (11, 12, 13, 14, 15)
"""Ids that every vocabulary has."""
LABEL_IDS = "logprob_token_ids"
"""The parameter of vLLM that names the tokens whose log-probabilities are wanted."""
THOUGHT = 256
"""How many tokens a model that thinks first may write."""


@dataclass(frozen=True, slots=True)
class Examination:
    """The findings, and the requests that the endpoint can therefore answer."""

    findings: tuple[Finding, ...]
    can: Abilities


async def examine(
    client: Client, model: str, route: str | None = None, extra_body: Mapping[str, Json] | None = None
) -> Examination:
    """Examine an endpoint by about a dozen small requests.

    Parameters
    ----------
    client : Client
        Open already.
    model : str
        As the server calls it.
    route : {"chat", "completions"}, optional
        The only one to use. By default labels and texts come by chat where it answers, and options by
        completions where these give the log-probabilities of prompts.
    extra_body : Mapping, optional
        Further parameters for every body.

    Returns
    -------
    Examination
        A finding that is not ok would have falsified the figures; the abilities keep clear of it.

    Raises
    ------
    InputError
        For an unknown route.
    ModelError
        If the server cannot be reached, refuses the key or the model, or answers on no route.
    """
    if route not in (None, *PATHS):
        raise InputError(f"no such route: {route!r}", expected=" or ".join(PATHS))
    endpoint = Endpoint(client, model, extra_body or {})
    findings = [await endpoint.listed()]
    answering = await _first_answering(endpoint, [one for one in PATHS if route in (None, one)], findings)
    prompt = ""
    if route == "chat":
        findings.append(
            Finding("options", None, "none can be scored by chat, which gives no prompt's probabilities")
        )
    else:
        prompt = await examine_prompt(endpoint, findings)
    label_ids = await _label_ids(endpoint, answering, findings) if answering.top else None
    many, seed = await _draws(endpoint, answering, findings)
    top = answering.top
    if top:
        drawn = await examine_draws(endpoint, answering.route, top)
        findings += drawn
        if any(finding.name == RESCALED for finding in drawn):
            top, label_ids = 0, None
    can = Abilities(
        route=answering.route,
        echo=prompt == "echo",
        prompt_logprobs=prompt == "prompt_logprobs",
        top_logprobs=top,
        label_ids=label_ids,
        many=many,
        seed=seed,
        reasoning=answering.reasoning,
    )
    return Examination((*findings, *endpoint.identity()), can)


@dataclass(frozen=True, slots=True)
class _Answering:
    """A route that answers, with its number of alternatives, and whether the model thinks first."""

    route: Route
    top: int
    reasoning: bool

    def settings(self, tokens: int, temperature: float) -> dict[str, Json]:
        """Return length and temperature, as far as the model takes them."""
        if self.reasoning:
            return {"max_completion_tokens": THOUGHT}
        return {"max_tokens": tokens, "temperature": temperature}


async def _first_answering(
    endpoint: Endpoint, routes: Sequence[Route], findings: list[Finding]
) -> _Answering:
    refusals = []
    for route in routes:
        try:
            choice, reasoning = await _answer(endpoint, route)
        except Refused as error:
            if not of_this_kind(error):
                raise
            refusals.append(error)
            continue
        reasoning = reasoning or thinks(choice)
        findings.append(Finding("route", True, f"{route}; {QUESTION!r} is answered {text_of(choice)!r}"))
        if reasoning:
            findings.append(
                Finding("reasoning", None, "the model thinks first, so its answers are read as texts")
            )
        top = _alternatives(choice, findings)
        return _Answering(route, 0 if reasoning else top, reasoning)
    raise refusals[0]


async def _answer(endpoint: Endpoint, route: Route) -> tuple[Choice, bool]:
    """Get an answer with as many alternatives as the server gives, or else without, or else after thinking."""
    plain: dict[str, Json] = {"max_tokens": 4, "temperature": 1}
    for k in TOP:
        try:
            return (await endpoint.ask(route, QUESTION, **plain, **_alternatives_wanted(route, k)))[0], False
        except Refused as error:
            if not of_this_kind(error):
                raise
        except Exhausted:
            break  # A call that breaks down over many breaks down over few.
    try:
        return (await endpoint.ask(route, QUESTION, **plain))[0], False
    except Refused as error:
        if route == "completions" or not of_this_kind(error):
            raise
    return (await endpoint.ask(route, QUESTION, max_completion_tokens=THOUGHT))[0], True


def _alternatives_wanted(route: Route, k: int) -> dict[str, Json]:
    return {"logprobs": True, "top_logprobs": k} if route == "chat" else {"logprobs": k}


def _alternatives(choice: Choice, findings: list[Finding]) -> int:
    """Count the alternatives that come with a token and are credible."""
    if not choice.get("logprobs"):
        findings.append(
            Finding("labels", None, "no log-probabilities come with an answer: labels are sampled")
        )
        return 0
    try:
        top = alternatives(choice)[0]
    except Malformed as error:
        findings.append(Finding("labels", False, f"not to be trusted, so labels are sampled: {error}"))
        return 0
    total = math.fsum(math.exp(token.logprob) for token in top)
    said = f"{len(top)} alternatives come with a token, with a probability of {total:.4g} together"
    findings.append(Finding("labels", True, said, {"top_logprobs": len(top), "sum": total}))
    white = blank(top)
    said = f"{top[0].text!r}" + (", white space only: labels stand after it" if white else "")
    findings.append(Finding("first token", None if white else True, said))
    return len(top)


async def _label_ids(endpoint: Endpoint, answering: _Answering, findings: list[Finding]) -> str | None:
    """Find the parameter that gives the log-probabilities of named tokens, if the server has one."""
    wanted = {f"token_id:{i}" for i in IDS}
    served = False
    named: dict[str, Json] = {LABEL_IDS: [*IDS], "return_tokens_as_token_ids": True}
    found = await endpoint.attempt(
        answering.route,
        QUESTION,
        **answering.settings(1, 1.0),
        **_alternatives_wanted(answering.route, 1),
        **named,
    )
    with suppress(Malformed):
        served = not isinstance(found, str) and wanted <= {token.text for token in alternatives(found[0])[0]}
    said = "gives the log-probabilities of named tokens" if served else "is not served"
    findings.append(Finding("label ids", served or None, f"{LABEL_IDS} {said}"))
    return LABEL_IDS if served else None


async def _draws(endpoint: Endpoint, answering: _Answering, findings: list[Finding]) -> tuple[int, bool]:
    """Check how many texts one request returns, and whether a seed decides which texts are drawn."""
    how = answering.settings(16, 1.0)
    many, said = await _many(endpoint, answering, how)
    findings.append(Finding("n", True if many > 1 else None, said, {"n": many}))
    if answering.reasoning:  # A seed decides little where the thoughts differ.
        return many, False
    drawn = await asyncio.gather(
        *(endpoint.attempt(answering.route, LINE, **how, seed=seed) for seed in (1, 1, 2))
    )
    seed, said = _seeded(*(_texts(found) for found in drawn))
    findings.append(Finding("seed", seed or None, said))
    return many, seed


async def _many(endpoint: Endpoint, answering: _Answering, how: Mapping[str, Json]) -> tuple[int, str]:
    """Find how many texts one request returns: at first as many as a run asks for, then half as many as are refused."""
    n = (
        2 if answering.reasoning else MOST_CHOICES
    )  # Thoughts cost too much to ask for more than tell the ability.
    refusal = ""
    while n > 1:
        texts = _texts(await endpoint.attempt(answering.route, LINE, **how, n=n))
        if isinstance(texts, str):
            refusal = refusal or f", as {n} are refused: {texts}"
            n //= 2
            continue
        if len(texts) != n:
            return 1, f"asked for {n} texts, the server gives {len(texts)}"
        if len(set(texts)) == 1 and not answering.reasoning:
            return 1, f"{n} texts by one request are one and the same: they are asked for one by one"
        return MOST_CHOICES if answering.reasoning else n, f"{n} texts by one request{refusal}"
    return 1, f"texts are asked for one by one{refusal}"


def _texts(found: Sequence[Choice] | str) -> list[str] | str:
    """Return the texts of an answer, or the words of a refusal."""
    return found if isinstance(found, str) else [*map(text_of, found)]


def _seeded(one: list[str] | str, again: list[str] | str, other: list[str] | str) -> tuple[bool, str]:
    for texts in (one, again, other):
        if isinstance(texts, str):
            return False, f"refused: {texts}"
    if one != again:
        return False, "the same seed does not give the same text again"
    if one == other:
        return False, "another seed gives the same text, so that draws may not be independent"
    return True, "the same seed gives the same text, and another one another"


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
