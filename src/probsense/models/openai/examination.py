"""Examines an endpoint on known strings before a run trusts it: finds what it does, whatever it says it does."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from probsense.core.errors import InputError, ModelError
from probsense.core.records import Json
from probsense.models.base import REASONING
from probsense.models.openai.answers import ROUNDING, ScoredToken, alternatives, blank, echoed, known_logprob
from probsense.models.openai.client import Client, all_of
from probsense.models.openai.echoes import prompts
from probsense.models.openai.endpoint import Choice, Declined, Endpoint, of_this_kind, text_of, thinks
from probsense.models.openai.requests import CONTINUED, MOST_CHOICES, PATHS, Abilities, Route
from probsense.models.openai.wire import Exhausted, Malformed, Refused
from probsense.models.prompts.thoughts import KNOWN

BROKEN_OFF: Final = "Monday, Tuesday, Wednesday, Thurs"
REST: Final = "day"
"""What an answer goes on with that has begun so; a new answer does not begin with it."""
QUESTION = "Is fire hot? Answer with one word, yes or no."
LINE: Final = "Write down a line of random words."

TOP = (20, 5, 1)
"""Numbers of alternatives that servers allow, in falling order."""
IDS = (11, 12, 13, 14, 15)
"""Ids that every vocabulary has."""
LABEL_IDS = "logprob_token_ids"
"""The parameter of vLLM that names the tokens whose log-probabilities are wanted."""
THOUGHT = 256
"""How many tokens a model that thinks first may write."""
LENGTH: Final = 32
"""Tokens of the texts that show how tokens are drawn."""
TIE: Final = 0.1
"""Tokens that lie no further apart than this, in nats, may change places by rounding."""
ENOUGH: Final = 16
"""A text must have this many drawn tokens before one can expect a rare one among them."""
RARE: Final = 3.5
"""How far a rare token lies below the most probable one, in nats; an honest draw at temperature 2 often meets it."""
FLAT: Final = 8
"""Places where no token has half of the probability; at this many of them an honest table leaves something out."""


async def examine(
    client: Client, model: str, route: str | None = None, extra_body: Mapping[str, Json] | None = None
) -> Endpoint:
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
    Endpoint
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
    endpoint = Endpoint(client, model, extra_body or {}, route)
    await endpoint.list_models()
    route, choice, takes_temperature = await _first_answering(endpoint)
    endpoint.can = Abilities(route)
    _read_answer(endpoint, choice, takes_temperature)
    for probe in PROBES:
        await probe(endpoint)
    return endpoint


async def _first_answering(endpoint: Endpoint) -> tuple[Route, Choice, bool]:
    """Take the first route that answers; return it, its answer, and whether it takes a temperature."""
    refusals = []
    for route in (one for one in PATHS if endpoint.only in (None, one)):
        try:
            return route, *await _answer(endpoint, route)
        except Refused as error:
            if not of_this_kind(error):
                raise
            refusals.append(error)
    raise refusals[0]


async def _answer(endpoint: Endpoint, route: Route) -> tuple[Choice, bool]:
    """Get an answer with as many alternatives as the server gives, or else without, or else after thinking."""
    plain: dict[str, Json] = {"max_tokens": 4, "temperature": 1}
    for k in TOP:
        try:
            return (await endpoint.ask(route, QUESTION, **plain, **_alternatives_wanted(route, k)))[0], True
        except Refused as error:
            if not of_this_kind(error):
                raise
        except Exhausted:
            break  # A call that breaks down over many breaks down over few.
    try:
        return (await endpoint.ask(route, QUESTION, **plain))[0], True
    except Refused as error:
        if route == "completions" or not of_this_kind(error):
            raise
    return (await endpoint.ask(route, QUESTION, max_completion_tokens=THOUGHT))[0], False


def _read_answer(endpoint: Endpoint, choice: Choice, takes_temperature: bool) -> None:
    """Tell from the first answer whether the model thinks, and how many credible alternatives come with a token."""
    reasoning = not takes_temperature or thinks(choice)
    endpoint.note("route", True, f"{endpoint.can.route}; {QUESTION!r} is answered {text_of(choice)!r}")
    if reasoning:
        said = "the model thinks first, so its answers are read as texts"
        endpoint.note(REASONING, None, said, reasoning=True, temperature=takes_temperature)
    if not choice.get("logprobs"):
        endpoint.note("labels", None, "no log-probabilities come with an answer: labels are sampled")
        return
    try:
        top = alternatives(choice)[0]
    except Malformed as error:
        endpoint.note("labels", False, f"not to be trusted, so labels are sampled: {error}")
        return
    total = math.fsum(math.exp(token.logprob) for token in top)
    said = f"{len(top)} alternatives come with a token, with a probability of {total:.4g} together"
    figures: dict[str, Json] = {"top_logprobs": len(top), "sum": total}
    endpoint.note("labels", True, said, figures, top_logprobs=0 if reasoning else len(top))
    white = blank(top)
    first = f"{top[0].text!r}" + (", white space only: labels stand after it" if white else "")
    endpoint.note("first token", not white or None, first)


def _alternatives_wanted(route: Route, k: int) -> dict[str, Json]:
    return {"logprobs": True, "top_logprobs": k} if route == "chat" else {"logprobs": k}


async def _label_ids(endpoint: Endpoint) -> None:
    """Find the parameter that gives the log-probabilities of named tokens, if the server has one."""
    if not endpoint.can.top_logprobs:
        return
    named: dict[str, Json] = {LABEL_IDS: [*IDS], "return_tokens_as_token_ids": True}
    wish = _length(endpoint.can, 1) | _alternatives_wanted(endpoint.can.route, 1) | named
    try:
        shown = alternatives((await endpoint.attempt(endpoint.can.route, QUESTION, **wish))[0])[0]
        served = {f"token_id:{i}" for i in IDS} <= {token.text for token in shown}
    except (Declined, Malformed):
        served = False
    said = "gives the log-probabilities of named tokens" if served else "is not served"
    endpoint.note("label ids", served or None, f"{LABEL_IDS} {said}", label_ids=LABEL_IDS if served else None)


async def _many(endpoint: Endpoint) -> None:
    """Find how many texts one request returns: ask for as many as a run asks for, then for half of what is refused."""
    reasoning = endpoint.can.reasoning
    # Thoughts cost too much to ask for more than tell the ability.
    n, many, refusal = 2 if reasoning else MOST_CHOICES, 1, ""
    said = "texts are asked for one by one"
    while n > 1:
        try:
            texts = await _texts(endpoint, endpoint.can, n=n)
        except Declined as error:
            refusal = refusal or f", as {n} are refused: {error}"
            n //= 2
            continue
        if len(texts) != n:
            said, refusal = f"asked for {n} texts, the server gives {len(texts)}", ""
        elif len(set(texts)) == 1 and not reasoning:
            said = f"{n} texts by one request are one and the same: they are asked for one by one"
            refusal = ""
        else:
            many, said = MOST_CHOICES if reasoning else n, f"{n} texts by one request"
        break
    endpoint.note("n", many > 1 or None, said + refusal, {"n": many}, many=many)


async def _seed(endpoint: Endpoint) -> None:
    """Check whether a seed decides which texts are drawn; it decides little where a model thinks first."""
    if endpoint.can.reasoning:
        return
    seed = False
    try:
        one, again, other = await all_of(_texts(endpoint, endpoint.can, seed=number) for number in (1, 1, 2))
    except Declined as error:
        said = f"refused: {error}"
    else:
        seed = one == again != other
        if seed:
            said = "the same seed gives the same text, and another one another"
        elif one == again:
            said = "another seed gives the same text, so that draws may not be independent"
        else:
            said = "the same seed does not give the same text again"
    endpoint.note("seed", seed or None, said, seed=seed)


async def _drawn(endpoint: Endpoint) -> None:
    """Check how probable the written tokens are, at temperature 0 and at temperature 2, and what their tables hold."""
    route, top = endpoint.can.route, endpoint.can.top_logprobs
    if not top:
        return
    (greedy, _), (drawn, tables) = await all_of(
        (_lags(endpoint, route, 0.0, 1), _lags(endpoint, route, 2.0, top))
    )
    if rescaled(tables):
        said = (
            f"the probabilities of {top} alternatives sum to 1 at every place of a random text, where more words are "
            "possible: they are no shares of all words, so labels are sampled"
        )
        endpoint.note("alternatives", False, said, top_logprobs=0, label_ids=None)
    if greedy:
        worst = max(greedy)
        said = (
            "at temperature 0 the most probable token is written"
            if worst <= TIE
            else f"at temperature 0 a token is written that is {worst:.2g} nats less probable than the best: texts are "
            "not drawn from the model's distribution (a penalty for repetition? see --extra-body)"
        )
        endpoint.note("texts, the most probable", worst <= TIE, said, {"nats": worst})
    if len(drawn) >= ENOUGH:
        deepest = max(drawn)
        said = (
            "they are drawn at temperature 2"
            if deepest > RARE
            else f"at temperature 2 no token is written that is more than {deepest:.2g} nats less probable than the "
            "best: does the server leave them out (top_k, min_p)? see --extra-body"
        )
        endpoint.note("texts, rare tokens", deepest > RARE or None, said, {"nats": deepest})


async def _continues(endpoint: Endpoint) -> None:
    """Check whether an answer of a model that thinks goes on after a thought that is given, and depends on it."""
    if endpoint.can.route != "chat" or not endpoint.can.temperature:
        return
    marks = await _marks(endpoint)
    start, end = marks or (KNOWN[0].start, KNOWN[0].end)
    refusal, counted = "", "answers after thoughts are counted, because a chat"
    for k in TOP:
        try:
            first, other, closed = [
                await _after(endpoint, f"{start}\n{thought}\n{end}{begun}", k)
                for thought, begun in (
                    ("The days of a week.", f"\n\n{BROKEN_OFF}"),
                    ("Hm.", f"\n\n{BROKEN_OFF}"),
                    ("Hm.", ""),
                )
            ]
            break
        except (Declined, Malformed) as error:
            refusal = refusal or f": {error}"
    else:
        endpoint.note("thoughts", None, f"{counted} does not go on after a thought{refusal}")
        return
    word = first[0].text
    seen, again = ({token.text: token.logprob for token in table} for table in (first, other))
    if not word or not REST.startswith(word):
        endpoint.note("thoughts", None, f"{counted} begins anew after a thought, with {word!r}")
    elif seen.keys() == again.keys() and all(abs(seen[text] - again[text]) < TIE for text in seen):
        endpoint.note("thoughts", None, f"{counted} does not read a thought that is given to it")
    else:
        said = "an answer goes on after a thought, so that its distribution can be read there (--thinking on)"
        unknown = "; nothing tells what opens and closes a thought (see -M think_start and -M think_end)"
        between = closed[0].text if closed[0].text.isspace() else ""
        told = marks and (start, end, between)
        figures: dict[str, Json] = {"alternatives": len(seen)}
        endpoint.note(
            "thoughts", True, said + ("" if marks else unknown), figures, continues=len(seen), marks=told
        )


async def _after(endpoint: Endpoint, begun: str, k: int) -> Sequence[ScoredToken]:
    """Return the most probable tokens after the beginning of an answer, the most probable one first."""
    messages: list[Json] = [
        {"role": "user", "content": "Name the days of a week."},
        {"role": "assistant", "content": begun},
    ]
    wish = {"max_tokens": 1, "temperature": 1.0, "messages": messages, **CONTINUED}
    choices = await endpoint.attempt("chat", "", **wish, **_alternatives_wanted("chat", k))
    return alternatives(choices[0])[0]


async def _marks(endpoint: Endpoint) -> tuple[str, str] | None:
    """Find the marks of thoughts that are single tokens of the model; None if its server does not tell."""
    path = endpoint.client.base_url.removesuffix("/v1") + "/tokenize"

    async def single(text: str) -> bool:
        body: dict[str, Json] = {"prompt": text, "content": text, "add_special_tokens": False}
        tokens = (await endpoint.client.post(path, {"model": endpoint.model, **body})).get("tokens")
        return isinstance(tokens, list) and len(tokens) == 1

    try:
        for one in KNOWN:
            if not (one.first or one.mark) and await single(one.start) and await single(one.end):
                return one.start, one.end
    except ModelError:
        pass
    return None


PROBES: Final[tuple[Callable[[Endpoint], Awaitable[None]], ...]] = (
    prompts,
    _label_ids,
    _many,
    _seed,
    _drawn,
    _continues,
)
"""All probes of a route that answers, in their order; each knows the abilities that those before it found."""


def rescaled(tables: Sequence[Sequence[ScoredToken]]) -> bool:
    """Tell whether tables of alternatives, the most probable one first, were scaled to sum to 1.

    Where one token has most of the probability, the others may well hold the rest. Only places where none has half of
    it count, and all of these must sum to 1.
    """
    flat = [table for table in tables if len(table) > 1 and table[0].logprob < math.log(0.5)]
    totals = [math.fsum(math.exp(token.logprob) for token in table) for table in flat]
    return len(flat) >= FLAT and min(totals) > 1 - ROUNDING


def _length(can: Abilities, tokens: int) -> dict[str, Json]:
    """Return length and temperature, as far as the model takes them."""
    if not can.reasoning:
        return {"max_tokens": tokens, "temperature": 1.0}
    return {"max_tokens" if can.temperature else "max_completion_tokens": THOUGHT}


async def _texts(endpoint: Endpoint, can: Abilities, **more: Json) -> list[str]:
    choices = await endpoint.attempt(can.route, LINE, **_length(can, 16), **more)
    return [*map(text_of, choices)]


async def _lags(
    endpoint: Endpoint, route: Route, temperature: float, top: int
) -> tuple[list[float], list[list[ScoredToken]]]:
    """Measure how far each written token lies below the most probable one (nats), and collect its alternatives.

    Both are empty where nothing can be seen.
    """
    wanted = _alternatives_wanted(route, top)
    try:
        found = await endpoint.attempt(route, LINE, max_tokens=LENGTH, temperature=temperature, **wanted)
        tops = alternatives(found[0])
    except (Declined, Malformed):
        return [], []
    _, logprobs = echoed(found[0]) or ((), ())
    written = map(known_logprob, logprobs)
    return [top[0].logprob - x for top, x in zip(tops, written, strict=False) if not math.isnan(x)], tops
