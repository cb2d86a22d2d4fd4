"""What a server is asked: the abilities of its endpoint, and the bodies of requests, for batch files too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from probsense.core.errors import InputError
from probsense.core.records import (
    Json,
    LabelRequest,
    SampleRequest,
    ScoreRequest,
    Thought,
    digest,
    opened,
)
from probsense.models.prompts.formats import PLAIN, PromptFormat, joined_system

Route: TypeAlias = Literal["chat", "completions"]
PATHS: Final[Mapping[Route, str]] = {"chat": "chat/completions", "completions": "completions"}
"""The path of each route, relative to the base URL."""

MOST_CHOICES: Final = 8
"""How many texts one request asks for, unless the server takes fewer."""

NUMBERS: Final = [str(number) for number in range(1, MOST_CHOICES + 1)]
SWITCHES: Final = ("echo", "prompt_logprobs", "seed", "reasoning", "temperature")
EXPECTED: Final = (
    f"chat or completions, top_logprobs=N, many or many=N, {', '.join(SWITCHES)}, separated by commas"
)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an endpoint does, whatever it says of itself.

    Attributes
    ----------
    route : {"chat", "completions"}
        The route that answers, or the one that was asked for.
    echo : bool
        Whether completions with ``echo`` return the log-probabilities of the prompt itself.
    prompt_logprobs : bool
        Whether completions with ``prompt_logprobs`` (vLLM) return them.
    top_logprobs : int
        How many alternatives a token comes with on this route; 0 stands for no log-probabilities at all.
    label_ids : str or None
        The parameter that gives the log-probabilities of tokens by their ids (``logprob_token_ids``,
        ``label_token_ids``), where there is one.
    many : int
        How many texts one request may ask for, at most :data:`MOST_CHOICES`.
    seed : bool
        Whether the same seed gives the same answer, and another seed may give another.
    reasoning : bool
        Whether the model thinks before it answers; ``reasoning_effort`` and ``max_completion_tokens`` then apply.
    temperature : bool
        Whether a model that thinks takes ``max_tokens`` and the settings of sampling all the same.
    continues : int
        How many alternatives come with a token after a thought that the request gives, in a chat; 0 where a chat does
        not go on after it.
    marks : tuple of str or None
        What opens and what closes the thoughts of such a model, and what stands between that and the answer; None where
        nothing tells.
    """

    route: Route = "chat"
    echo: bool = False
    prompt_logprobs: bool = False
    top_logprobs: int = 0
    label_ids: str | None = None
    many: int = 1
    seed: bool = False
    reasoning: bool = False
    temperature: bool = False
    continues: int = 0
    marks: tuple[str, str, str] | None = None


def read_abilities(text: str) -> Abilities:
    """Read the abilities that a user states for an endpoint, such as "chat,top_logprobs=20,many,seed".

    Raises
    ------
    InputError
        For an unknown ability, and for one that only an examination can find.
    """
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, given, value = part.strip().partition("=")
        if name in ("chat", "completions") and not given:
            found["route"] = name
        elif name in SWITCHES and not given:
            found[name] = True
        elif name == "top_logprobs" and value.isdecimal():
            found[name] = int(value)
        elif name == "many" and (value if given else str(MOST_CHOICES)) in NUMBERS:
            found[name] = int(value or MOST_CHOICES)
        else:
            raise InputError(f"the ability {part.strip()!r}", expected=f"some of {EXPECTED}")
    return Abilities(**found)


CONTINUED: Final[Mapping[str, Json]] = {"add_generation_prompt": False, "continue_final_message": True}
"""What makes a chat go on with its last message, in vLLM, SGLang and llama-server."""

Post: TypeAlias = tuple[str, dict[str, Json]]
"""A path relative to the base URL, and the body that is posted there."""

MOST_STOPS: Final = 4
"""How many stop strings one request names; the answer is searched for the others."""

ROOM: Final[Mapping[str, int]] = {
    "none": 16,
    "minimal": 128,
    "low": 2048,
    "medium": 8192,
    "high": 32768,
    "xhigh": 65536,
    "max": 65536,
}
"""How many tokens a model may think with, besides those of the answer, by reasoning effort."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model is asked.

    Attributes
    ----------
    model : str
        As the server calls it.
    can : Abilities
    format : PromptFormat
        The text around prompts; a chat format for the route "chat", another for "completions".
    system_prompt : str or None
        For a chat.
    reasoning_effort : str or None
        For a model that thinks before it answers.
    extra_body : Mapping
        Further parameters for every body; none that the body has anyway.
    """

    model: str
    can: Abilities
    format: PromptFormat
    system_prompt: str | None = None
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Json] = field(default_factory=dict)


def scored_text(manner: Manner, request: ScoreRequest) -> tuple[str, str]:
    """Return prefix and suffix of the options as they are sent: plain text, in the format of the completions route."""
    shape = PLAIN if manner.format.chat else manner.format
    return opened(request.system, shape.written(request.prefix)) + _after_line(
        request.thought
    ), request.suffix


def sent_options(request: ScoreRequest) -> list[str]:
    """Return the options as they are sent: without a leading blank where a closed thought ends with white space."""
    closed = request.thought is not None and request.thought.end[-1:].isspace()
    return [option.removeprefix(" ") if closed else option for option in request.options]


def _after_line(thought: Thought | None) -> str:
    return f"\n{thought}" if thought else ""


OF_PROMPT: Final[Mapping[str, Mapping[str, Json]]] = {
    "echo": {"echo": True, "logprobs": 1},
    "prompt_logprobs": {"prompt_logprobs": 0, "logprobs": 1},
}
"""The parameters that ask for the log-probabilities of a prompt, by the ability that they take."""


def score_post(manner: Manner, request: ScoreRequest, option: str) -> Post:
    """Ask for the log-probabilities of one option's tokens, with all the text around it."""
    prefix, suffix = scored_text(manner, request)
    # One token is written, as some servers take 0 for "as many as you like".
    return PATHS["completions"], {
        **manner.extra_body,
        "model": manner.model,
        "prompt": prefix + option + suffix,
        "max_tokens": 1,
        "temperature": 0,
        **OF_PROMPT["echo" if manner.can.echo else "prompt_logprobs"],
    }


def alternatives_wanted(route: Route, k: int) -> dict[str, Json]:
    """Ask for the ``k`` most probable tokens beside each."""
    return {"logprobs": True, "top_logprobs": k} if route == "chat" else {"logprobs": k}


def label_post(
    manner: Manner, request: LabelRequest, ids: Sequence[int] = (), *, after_blank: bool = False
) -> Post:
    """Ask for the next token with its most probable alternatives, or with the tokens of some ids.

    Parameters
    ----------
    manner : Manner
    request : LabelRequest
    ids : sequence of int
        Tokens whose log-probabilities are wanted, where the server gives them by id.
    after_blank : bool
        Whether the request also wants the token after the most probable one.
    """
    wish = alternatives_wanted(manner.can.route, manner.can.top_logprobs)
    if ids and manner.can.label_ids:
        wish |= {manner.can.label_ids: [*ids], "return_tokens_as_token_ids": True}
    # At temperature 1 no server has a reason to change the distribution it reports.
    length = {"max_tokens": 2, "temperature": 0} if after_blank else {"max_tokens": 1, "temperature": 1}
    seed = {"seed": 0} if manner.can.seed else {}
    path, question = _question(manner, request)
    return path, question | length | seed | wish


def sample_post(manner: Manner, request: SampleRequest, first: int, n: int) -> Post:
    """Ask for ``n`` texts; ``first`` is the number of the first one among all that the request asks for."""
    path, question = _question(manner, request)
    thinks, length = manner.can.reasoning, request.max_tokens
    if thinks:
        length += ROOM.get(manner.reasoning_effort or "", ROOM["medium"])
        if manner.reasoning_effort is not None:
            question["reasoning_effort"] = manner.reasoning_effort
    if thinks and not manner.can.temperature:
        question["max_completion_tokens"] = length
    else:
        question |= {"max_tokens": length, "temperature": request.temperature}
        unlike = {"top_p": (request.top_p, 1.0), "top_k": (request.top_k, 0), "min_p": (request.min_p, 0.0)}
        question |= {name: value for name, (value, usual) in unlike.items() if value != usual}
    if request.stop and not thinks:  # A stop string would end a thought.
        question["stop"] = [*request.stop[:MOST_STOPS]]
    if n > 1:
        question["n"] = n
    if manner.can.seed:
        question["seed"] = trial_seed(request.seed, first)
    return path, question


def size(body: Mapping[str, Any]) -> tuple[int, int]:
    """Count the bytes of the texts that a post sends, and the most tokens that the model writes for it."""
    sent = body["prompt"] if "prompt" in body else "".join(one["content"] for one in body["messages"])
    length = body.get("max_tokens", body.get("max_completion_tokens", 0))
    return len(sent.encode("utf-8", "replace")), length * body.get("n", 1)


def parts(manner: Manner, n: int) -> Iterator[tuple[int, int]]:
    """Share ``n`` texts among requests: give the number of the first text of each, and how many it asks for."""
    for first in range(0, n, manner.can.many):
        yield first, min(manner.can.many, n - first)


def trial_seed(seed: int, trial: int) -> int:
    """Return a seed below 2^31 for one trial; each trial and each seed of a request has its own."""
    return int(digest([seed, trial]), 16) % 2**31


def _question(manner: Manner, request: LabelRequest | SampleRequest) -> Post:
    asked: dict[str, Json] = {**manner.extra_body, "model": manner.model}
    turns = request.turns if isinstance(request, SampleRequest) else ()
    if manner.can.route == "completions":
        text = opened(request.system, manner.format.in_text(request.prompt, turns))
        return PATHS["completions"], asked | {"prompt": text + _after_line(request.thought)}
    messages: list[Json] = [*manner.format.messages(request.prompt, turns)]
    system = joined_system(manner.system_prompt, joined_system(manner.format.system, request.system) or "")
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    thought = request.thought
    if thought and thought.text and not thought.end:
        raise InputError(
            f"{manner.model} cannot go on with a thought that it has begun", expected="one --thinking-budget"
        )
    if thought and thought.end:
        messages.append({"role": "assistant", "content": str(thought)})
        asked |= CONTINUED
    return PATHS["chat"], asked | {"messages": messages}


def details(base_url: str, manner: Manner) -> dict[str, Json]:
    """Collect everything that can change a number: no key, and nothing about speed."""
    can = manner.can
    return {
        "backend": "openai",
        "base_url": base_url,
        "model": manner.model,
        "route": can.route,
        "options": "echo" if can.echo else "prompt_logprobs" if can.prompt_logprobs else None,
        "top_logprobs": can.top_logprobs,
        "label_ids": can.label_ids,
        "prompt_format": manner.format.name,
        "system_prompt": manner.system_prompt,
        "reasoning_effort": manner.reasoning_effort,
        "extra_body": dict(manner.extra_body),
        **({"temperature": True} if can.temperature else {}),
        # With 2, labels from the most probable tokens are shares of all words.
        "version": 2 if can.top_logprobs > 1 and not can.label_ids else 1,
    }
