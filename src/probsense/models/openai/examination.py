"""Examines an endpoint on known strings before a run trusts it: finds what it does, whatever it says it does."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from probsense.analysis.distributions.label_mass import Labels
from probsense.core.errors import ModelError
from probsense.core.records import Json
from probsense.models.base import REASONING, Finding
from probsense.models.next_token.label_mass import spellings
from probsense.models.openai import answers
from probsense.models.openai.client import Client, all_of
from probsense.models.openai.echoes import prompts
from probsense.models.openai.requests import (
    CONTINUED,
    MOST_CHOICES,
    PATHS,
    Abilities,
    Route,
    alternatives_wanted,
)
from probsense.models.openai.wire import Declined, Exhausted, Malformed, Refused
from probsense.models.prompts.thoughts import KNOWN

BROKEN_OFF: Final = "Monday, Tuesday, Wednesday, Thurs"
REST: Final = "day"
"""What an answer goes on with that has begun so; a new answer does not begin with it."""
QUESTION = "Is fire hot? Answer with one word, yes or no."
LINE: Final = "Write down a line of random words."

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


TOP = (20, 5, 1)
"""Numbers of alternatives that servers allow, in falling order."""


@dataclass(slots=True)
class Endpoint:
    """A model at a server, and what is known of it.

    Attributes
    ----------
    client : Client
    model : str
        The name that requests give.
    extra_body : Mapping
        Further parameters for every body.
    only : {"chat", "completions"} or None
        The only route to use.
    can : Abilities
        The requests that it can answer, by what is known so far.
    findings : list of Finding
        What was found so far.
    """

    client: Client
    model: str
    extra_body: Mapping[str, Json]
    only: Route | None
    can: Abilities = field(default_factory=Abilities)
    findings: list[Finding] = field(default_factory=list)

    def note(
        self,
        name: str,
        ok: bool | None,
        detail: str,
        data: Mapping[str, Json] | None = None,
        **abilities: Any,
    ) -> None:
        """Add a finding, and the abilities that change by it."""
        self.findings.append(Finding(name, ok, detail, data or {}))
        self.can = replace(self.can, **abilities)

    async def ask(self, prompt: str, wish: Mapping[str, Json], route: Route | None = None) -> dict[str, Any]:
        """Return an answer that has choices, by the route that answers or another one.

        Raises
        ------
        Declined, Exhausted
            If the server does not answer a request of this kind.
        Refused
            If it answers none.
        ModelError
            If the answer has no choices.
        """
        route = route or self.can.route
        question: dict[str, Json] = (
            {"messages": [{"role": "user", "content": prompt}]} if route == "chat" else {"prompt": prompt}
        )
        body = {**self.extra_body, "model": self.model, **question, **wish}
        answer = await self.client.ask(PATHS[route], body, dict)
        try:
            answers.choices(answer)
        except Malformed:
            raise ModelError("the server answers, but not with choices: check base_url") from None
        return answer

    async def ask_alternatives(self, prompt: str, wish: Mapping[str, Json]) -> dict[str, Any]:
        """Return an answer with as many alternatives as the server gives.

        Raises
        ------
        Declined, Exhausted
            If it gives none, or breaks down over them.
        """
        *many, one = ({**wish, **alternatives_wanted(self.can.route, k)} for k in TOP)
        for wanted in many:
            with suppress(Declined):
                return await self.ask(prompt, wanted)
        return await self.ask(prompt, one)


async def examine(
    client: Client, model: str, route: Route | None, extra_body: Mapping[str, Json]
) -> Endpoint:
    """Examine an endpoint by about a dozen small requests.

    Parameters
    ----------
    client : Client
        Open already.
    model : str
        As the server calls it.
    route : {"chat", "completions"} or None
        The only one to use. By default labels and texts come by chat where it answers, and options by
        completions where these give the log-probabilities of prompts.
    extra_body : Mapping
        Further parameters for every body.

    Returns
    -------
    Endpoint
        A finding that is not ok would have falsified the figures; the abilities keep clear of it.

    Raises
    ------
    ModelError
        If the server cannot be reached, refuses the key or the model, or answers on no route.
    """
    endpoint = Endpoint(client, model, extra_body, route)
    _read_answer(endpoint, *await _first_answer(endpoint))
    for probe in PROBES:
        if probe.applies(endpoint.can):
            try:
                await probe.put(endpoint)
            except (Declined, Exhausted, Malformed) as error:
                endpoint.note(probe.name, None, f"{probe.otherwise}: {error.reason}")
    return endpoint


async def _first_answer(endpoint: Endpoint) -> tuple[Mapping[str, Any], bool]:
    """Return the answer by the first route that gives one, and whether the model takes a temperature.

    It comes with as many alternatives as the server gives, or else without, or else after thinking.
    """
    plain: dict[str, Json] = {"max_tokens": 4, "temperature": 1}
    refusals: list[Declined] = []
    for route in (one for one in PATHS if endpoint.only in (None, one)):
        endpoint.can = Abilities(route)
        try:
            with suppress(Declined, Exhausted):
                return await endpoint.ask_alternatives(QUESTION, plain), True
            return await endpoint.ask(QUESTION, plain), True
        except Declined as error:
            refusals.append(error)
        if route == "chat":
            with suppress(Declined):
                return await endpoint.ask(QUESTION, {"max_completion_tokens": THOUGHT}), False
    raise refusals[0]


def _read_answer(endpoint: Endpoint, answer: Mapping[str, Any], takes_temperature: bool) -> None:
    """Tell from the first answer whether the model thinks, and how many credible alternatives come with a token."""
    reasoning = not takes_temperature or answers.thinks(answer)
    choice = answers.choices(answer)[0]
    endpoint.note(
        "route", True, f"{endpoint.can.route}; {QUESTION!r} is answered {answers.text_of(choice)!r}"
    )
    if reasoning:
        said = "the model thinks first, so its answers are read as texts"
        endpoint.note(REASONING, None, said, reasoning=True, temperature=takes_temperature)
    if not choice.get("logprobs"):
        endpoint.note("labels", None, "no log-probabilities come with an answer: labels are sampled")
        return
    try:
        top = answers.alternatives(choice)[0]
    except Malformed as error:
        endpoint.note("labels", False, f"not to be trusted, so labels are sampled: {error}")
        return
    total = math.fsum(math.exp(token.logprob) for token in top)
    said = f"{len(top)} alternatives come with a token, with a probability of {total:.4g} together"
    figures: dict[str, Json] = {"top_logprobs": len(top), "sum": total}
    endpoint.note("labels", True, said, figures, top_logprobs=0 if reasoning else len(top))
    white = answers.blank(top)
    first = f"{top[0].text!r}" + (", white space only: labels stand after it" if white else "")
    endpoint.note("first token", not white or None, first)


async def _label_ids(endpoint: Endpoint) -> None:
    """Prove that tokens can be named, so that the mass of labels is exact."""
    named: dict[str, Json] = {LABEL_IDS: [*IDS], "return_tokens_as_token_ids": True}
    wish = _length(endpoint.can, 1) | alternatives_wanted(endpoint.can.route, 1) | named
    answer = await endpoint.ask(QUESTION, wish)
    shown = answers.alternatives(answers.choices(answer)[0])[0]
    if not {f"token_id:{i}" for i in IDS} <= {token.text for token in shown}:
        raise Malformed("other tokens come back")
    said = f"{LABEL_IDS} gives the log-probabilities of named tokens"
    endpoint.note("label ids", True, said, label_ids=LABEL_IDS)


async def _many(endpoint: Endpoint) -> None:
    """Prove that one request returns several texts, and not the same one."""
    texts = await _texts(endpoint, n=MOST_CHOICES)
    if len(texts) != MOST_CHOICES:
        raise Malformed(f"the server gives {len(texts)}")
    if len({*texts}) == 1 and not endpoint.can.reasoning:
        raise Malformed("they are one and the same")
    endpoint.note("n", True, f"{MOST_CHOICES} texts by one request", many=MOST_CHOICES)


async def _seed(endpoint: Endpoint) -> None:
    """Prove that a seed decides which text is drawn; little of that is seen where a model thinks first."""
    one, again, other = await all_of(_texts(endpoint, seed=number) for number in (1, 1, 2))
    if one != again:
        raise Malformed("the same seed does not give the same text again")
    if one == other:
        raise Malformed("another seed gives the same text, so that draws may not be independent")
    endpoint.note("seed", True, "the same seed gives the same text, and another one another", seed=True)


async def _greedy(endpoint: Endpoint) -> None:
    """Prove that nothing but the model's distribution decides at temperature 0."""
    lags, _ = await _lags(endpoint, 0.0, 1)
    worst = max(lags)
    said = (
        "at temperature 0 the most probable token is written"
        if worst <= TIE
        else f"at temperature 0 a token is written that is {worst:.2g} nats less probable than the best: texts are "
        "not drawn from the model's distribution (a penalty for repetition? see extra_body)"
    )
    endpoint.note("texts, the most probable", worst <= TIE, said, {"nats": worst})


async def _random(endpoint: Endpoint) -> None:
    """Prove that rare tokens are drawn at temperature 2, and that alternatives are shares of all words."""
    top = endpoint.can.top_logprobs
    lags, tables = await _lags(endpoint, 2.0, top)
    if rescaled(tables):
        said = (
            f"the probabilities of {top} alternatives sum to 1 at every place of a random text, where more words are "
            "possible: they are no shares of all words, so labels are sampled"
        )
        endpoint.note("alternatives", False, said, top_logprobs=0, label_ids=None)
    if len(lags) >= ENOUGH:
        deepest = max(lags)
        said = (
            "they are drawn at temperature 2"
            if deepest > RARE
            else f"at temperature 2 no token is written that is more than {deepest:.2g} nats less probable than the "
            "best: does the server leave them out (top_k, min_p)? see extra_body"
        )
        endpoint.note("texts, rare tokens", deepest > RARE or None, said, {"nats": deepest})


async def _continues(endpoint: Endpoint) -> None:
    """Prove that a chat goes on after a thought that is given to it, and reads it."""
    marks = await _marks(endpoint)
    start, end = marks or (KNOWN[0].start, KNOWN[0].end)
    begun = f"\n{end}\n\n{BROKEN_OFF}"
    first, other, closed = [
        await _after(endpoint, f"{start}\n{thought}")
        for thought in (f"The days of a week.{begun}", f"Hm.{begun}", f"Hm.\n{end}")
    ]
    word = first[0].text
    seen, again = ({token.text: token.logprob for token in table} for table in (first, other))
    if not word or not REST.startswith(word):
        raise Malformed(f"it begins anew, with {word!r}")
    if seen.keys() == again.keys() and all(abs(seen[text] - again[text]) < TIE for text in seen):
        raise Malformed("it does not read the thought")
    said = "an answer goes on after a thought, so that its distribution can be read there (--thinking on)"
    unknown = "; nothing tells what opens and closes a thought (see -M think_start and -M think_end)"
    between = closed[0].text if closed[0].text.isspace() else ""
    told = marks and (start, end, between)
    figures: dict[str, Json] = {"alternatives": len(seen)}
    endpoint.note(
        "thoughts", True, said + ("" if marks else unknown), figures, continues=len(seen), marks=told
    )


async def _after(endpoint: Endpoint, begun: str) -> Sequence[answers.ScoredToken]:
    """Return the most probable tokens after the beginning of an answer, the most probable one first."""
    messages: list[Json] = [
        {"role": "user", "content": "Name the days of a week."},
        {"role": "assistant", "content": begun},
    ]
    wish = {"max_tokens": 1, "temperature": 1.0, "messages": messages, **CONTINUED}
    answer = await endpoint.ask_alternatives("", wish)
    return answers.alternatives(answers.choices(answer)[0])[0]


async def _marks(endpoint: Endpoint) -> tuple[str, str] | None:
    """Find the marks of thoughts that are single tokens of the model; None if its server does not tell."""
    with suppress(ModelError):
        for one in KNOWN:
            if not (one.first or one.mark):
                marks = one.start, one.end
                tokens = [await tokenise(endpoint.client, endpoint.model, mark) for mark in marks]
                if [*map(len, tokens)] == [1, 1]:
                    return marks
    return None


class Probe(NamedTuple):
    """A question to an endpoint.

    Attributes
    ----------
    name : str
        Of its finding.
    put : callable
        Asks, and notes what was found; it raises the reason where nothing was. Its docstring says what it proves.
    applies : callable
        Whether it is put to an endpoint of some abilities.
    otherwise : str
        What is said before that reason.
    """

    name: str
    put: Callable[[Endpoint], Awaitable[None]]
    applies: Callable[[Abilities], object] = lambda can: True
    otherwise: str = "not seen"


def _tables(can: Abilities) -> bool:
    return can.top_logprobs > 0


PROBES: Final = (
    Probe("options", prompts),
    Probe("label ids", _label_ids, _tables, f"{LABEL_IDS} is not served"),
    Probe("n", _many, otherwise=f"texts are asked for one by one, not {MOST_CHOICES} at once"),
    Probe("seed", _seed, lambda can: not can.reasoning, "none is given"),
    Probe("texts, the most probable", _greedy, _tables),
    Probe("texts, rare tokens", _random, _tables),
    Probe(
        "thoughts",
        _continues,
        lambda can: can.route == "chat" and can.temperature,
        "answers after thoughts are counted, because a chat does not go on after a thought",
    ),
)
"""All probes of a route that answers, in their order; each knows the abilities that those before it found."""


def rescaled(tables: Sequence[Sequence[answers.ScoredToken]]) -> bool:
    """Tell whether tables of alternatives, the most probable one first, were scaled to sum to 1.

    Where one token has most of the probability, the others may well hold the rest. Only places where none has half of
    it count, and all of these must sum to 1.
    """
    flat = [table for table in tables if len(table) > 1 and table[0].logprob < math.log(0.5)]
    totals = [math.fsum(math.exp(token.logprob) for token in table) for table in flat]
    return len(flat) >= FLAT and min(totals) > 1 - answers.ROUNDING


def _length(can: Abilities, tokens: int) -> dict[str, Json]:
    """Return length and temperature, as far as the model takes them."""
    if not can.reasoning:
        return {"max_tokens": tokens, "temperature": 1.0}
    return {"max_tokens" if can.temperature else "max_completion_tokens": THOUGHT}


async def _texts(endpoint: Endpoint, **more: Json) -> list[str]:
    answer = await endpoint.ask(LINE, _length(endpoint.can, 16) | more)
    return [*map(answers.text_of, answers.choices(answer))]


async def _lags(
    endpoint: Endpoint, temperature: float, top: int
) -> tuple[list[float], list[list[answers.ScoredToken]]]:
    """Measure how far each written token lies below the most probable one (nats), and collect its alternatives."""
    wish: dict[str, Json] = {"max_tokens": LENGTH, "temperature": temperature}
    answer = await endpoint.ask(LINE, wish | alternatives_wanted(endpoint.can.route, top))
    choice = answers.choices(answer)[0]
    tops = answers.alternatives(choice)
    written = [answers.read_logprob(token.logprob) for token in answers.tokens_of(choice) or ()]
    return [top[0].logprob - x for top, x in zip(tops, written, strict=True)], tops


async def find_label_ids(client: Client, model: str, labels: Labels) -> dict[int, int]:
    """Find the single tokens that stand for labels in their usual spellings.

    Parameters
    ----------
    client : Client
    model : str
    labels : sequence of (name, words)

    Returns
    -------
    dict of int to int
        Maps the id of a token to the index of its label. It is empty where the server does not tokenise, or where one
        of the labels has no token of its own: its mass would be 0 whatever the model thinks.
    """
    found: dict[int, int] = {}
    for index, (_, words) in enumerate(labels):
        for text in spellings(words):
            try:
                ids = await tokenise(client, model, text)
            except Refused:
                return {}
            if len(ids) == 1:
                found[ids[0]] = index
    return found if set(found.values()) == set(range(len(labels))) else {}


async def tokenise(client: Client, model: str, text: str) -> list[int]:
    """Ask for the tokens of a text: vLLM calls it prompt, and the server of llama.cpp content."""
    # The route stands beside the OpenAI-compatible ones, not among them.
    path = client.base_url.removesuffix("/v1") + "/tokenize"
    body: dict[str, Json] = {"model": model, "prompt": text, "content": text, "add_special_tokens": False}
    return await client.ask(path, body, answers.token_ids)
