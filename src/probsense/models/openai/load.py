"""Loads ``openai:MODEL``: joins the user's wishes with the abilities that the endpoint showed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from probsense.core.errors import InputError, ModelError, check_name
from probsense.core.records import Json
from probsense.models.base import PROMPTS, Finding, as_published
from probsense.models.openai.client import CONCURRENCY, TIMEOUT, TRIES, Client, run_sync
from probsense.models.openai.examination import Endpoint, examine
from probsense.models.openai.keys import key_from_environment
from probsense.models.openai.model import OpenAIModel
from probsense.models.openai.prices import price_of, read_prices
from probsense.models.openai.requests import ROOM, Abilities, Manner, Route, read_abilities
from probsense.models.prompts.formats import (
    FORMATS,
    PLAIN,
    PUBLISHED,
    PromptFormat,
    choose_format,
    unservable,
)

BASE_URL = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
SENT = frozenset(
    {
        *("model", "messages", "prompt", "max_tokens", "max_completion_tokens"),
        *("temperature", "stop", "n", "seed", "stream", "reasoning_effort"),
        *("logprobs", "top_logprobs", "echo", "prompt_logprobs"),
    }
)
"""The parameters that every body sets for itself."""
EXTRA = """an object such as '{"top_k": 0, "min_p": 0}'"""


def load(
    argument: str,
    *,
    base_url: str | None = None,
    api_key_env: str = KEY,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
    reasoning_effort: str | None = None,
    max_tries: int = TRIES,
    timeout: float = TIMEOUT,
    concurrency: int = CONCURRENCY,
    prices: Path | str | None = None,
    abilities: Abilities | str | None = None,
    extra_body: Mapping[str, Json] | str | None = None,
) -> OpenAIModel:
    """Make a model behind an OpenAI-compatible server, after a short examination of the endpoint.

    Parameters
    ----------
    argument : str
        The model, as the server calls it.
    base_url : str, optional
        Address of the server, such as http://127.0.0.1:8000/v1; by default what the environment variable
        OPENAI_BASE_URL says, or OpenAI itself.
    api_key_env : str
        Environment variable that has the key; local servers need none.
    system_prompt : str, optional
        System prompt of the chat.
    prompt_format : str, optional
        Format of prompts: chat, chat-brief or gpt-5, which go by chat completions alone, or plain, question-answer or
        falcon, which go by completions alone. By default, questions go by chat if it answers, and texts to continue
        by completions; if labels then get too little probability, an examination chooses another format. published
        leaves it out.
    reasoning_effort : str, optional
        How much a model thinks before it answers: none, minimal, low, medium, high, xhigh or max, as far as the server
        takes it; by default minimal, or the server's own where a model that thinks takes a temperature.
    max_tries : int
        The most tries of a request.
    timeout : float
        Seconds for one try.
    concurrency : int
        The most requests under way at once.
    prices : Path or str, optional
        Table of prices in YAML: a mapping of models to {input: PRICE, output: PRICE} for a million tokens.
    abilities : Abilities or str, optional
        What the endpoint can do, such as chat,top_logprobs=20,many,seed; it is not examined then.
    extra_body : Mapping or str, optional
        Further parameters of every request, for one kind of server: a JSON object such as {"top_k": 0, "min_p": 0}.

    Raises
    ------
    InputError
        For options that are wrong or exclude each other.
    ModelError
        If the server cannot be reached, refuses the key or the model, or answers on no route.
    """
    if not argument:
        raise InputError("openai: names no model", expected="openai:MODEL")
    if reasoning_effort is not None:
        check_name("reasoning_effort", reasoning_effort, ROOM)
    price = None
    if prices is not None:
        table = read_prices(Path(prices))
        price = price_of(argument, table)
        if price is None:
            raise InputError(f"no price for {argument!r}", path=prices, expected=f"one of {', '.join(table)}")
    if isinstance(abilities, str):
        abilities = read_abilities(abilities)
    extra = _extra(extra_body)
    wished = None if prompt_format == PUBLISHED else _format(prompt_format)
    wish: Route | None = None if wished is None else "chat" if wished.chat else "completions"
    url = base_url or os.environ.get("OPENAI_BASE_URL") or BASE_URL
    client = Client(url, key_from_environment(api_key_env), timeout, max_tries, concurrency)
    findings: Sequence[Finding] = ()
    stated = abilities is not None
    if abilities is None:
        found = run_sync(_examined(client, argument, wish, extra))
        findings, abilities = found.findings, found.can
    elif wish not in (None, abilities.route):
        raise InputError(f"the route {wish}, but the abilities of {abilities.route}", expected="one route")
    if reasoning_effort is not None:
        # Labels from one token would not have been thought about.
        abilities = replace(abilities, reasoning=True, top_logprobs=0, label_ids=None)
    if abilities.reasoning and not abilities.temperature:
        reasoning_effort = reasoning_effort or "minimal"
    usual = "plain" if abilities.route == "completions" else "gpt-5" if abilities.reasoning else "chat"
    chosen = wished or FORMATS[usual]
    if system_prompt is not None and not chosen.chat:
        raise InputError("a system prompt needs the route chat", path=argument)
    manner = Manner(argument, abilities, chosen, system_prompt, reasoning_effort, extra)
    if prompt_format == PUBLISHED:
        findings = [*findings, as_published()]
    model = OpenAIModel(
        f"openai:{argument}",
        client,
        manner,
        findings,
        price,
        settled=prompt_format is not None or system_prompt is not None,
    )
    if chosen.chat and wish is None and system_prompt is None:
        model.completing = cache(partial(_completing, model, stated=stated))
    return model


def _completing(model: OpenAIModel, *, stated: bool) -> OpenAIModel:
    """Return the model by completions if it answers there, and otherwise as it is, with a finding that says which."""
    manner, findings = model.asking, model.findings
    can: Abilities | None = None
    if stated and model.capabilities.score:  # Options come by completions only.
        can = replace(manner.can, route="completions")
    elif not stated and not manner.can.reasoning:
        with suppress(ModelError):
            found = run_sync(_examined(model.client, manner.model, "completions", manner.extra_body))
            can, findings = found.can, found.findings
    if can is None:
        said = "texts to continue go by chat, too, as completions do not answer"
        return replace(model, findings=[*findings, Finding(PROMPTS, None, said)], completing=None)
    said = "asked in plain text by completions, not by chat"
    plain = replace(manner, can=can, format=PLAIN)
    return model.asked_as(plain, findings=[*findings, Finding(PROMPTS, None, said)])


async def _examined(client: Client, model: str, route: Route | None, extra: Mapping[str, Json]) -> Endpoint:
    async with client:
        return await examine(client, model, route, extra)


def _extra(body: Mapping[str, Json] | str | None) -> Mapping[str, Json]:
    """Read the parameters besides those that are sent anyway."""
    if isinstance(body, str):
        with suppress(ValueError):
            body = json.loads(body)
    if body is not None and not isinstance(body, Mapping):
        raise InputError("extra_body is no JSON object", expected=EXTRA)
    if clash := sorted(set(body or ()) & SENT):
        raise InputError(f"extra_body names {clash[0]!r}, which is sent anyway", expected=EXTRA)
    return body or {}


def _format(name: str | None) -> PromptFormat | None:
    """Choose a format that works without the tokenizer's own template."""
    if name is None:
        return None
    chosen = choose_format(name, template=False)
    if why := unservable(chosen):
        able = [one.name for one in FORMATS.values() if not unservable(one)]
        raise InputError(
            f"a server cannot be given the prompt format {name}: {why}", expected=f"one of {', '.join(able)}"
        )
    return chosen
