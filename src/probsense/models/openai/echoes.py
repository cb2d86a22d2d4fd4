"""Checks the log-probabilities of a prompt that a server returns: whether they are there, and of that prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from probsense.models.openai.endpoint import Choice
from probsense.models.openai.faults import Malformed
from probsense.models.openai.parse import read_logprob
from probsense.models.openai.place import place

Raw: TypeAlias = tuple[Sequence[Any], Sequence[Any]]
"""Tokens and log-probabilities as they came."""

HIDDEN = "<not shown>"
"""Stands for a special token before a prompt."""


@dataclass(frozen=True, slots=True)
class Echo:
    """The tokens of a prompt, and those that a server put around it.

    Attributes
    ----------
    before : tuple of str
        Special tokens that the server shows before the prompt.
    tokens : tuple of str
        Tokens that spell the prompt.
    logprobs : tuple of float, shape (n tokens,)
        In nats; NaN for a first token, since nothing predicts it.
    after : tuple of (str, float)
        Tokens that the model wrote after it.
    """

    before: tuple[str, ...]
    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    after: tuple[tuple[str, float], ...]


def echoed(choice: Choice) -> Raw | None:
    """Return the tokens and log-probabilities of a choice of the completions route; None where it has none."""
    match choice.get("logprobs"):
        case {"tokens": list(tokens), "token_logprobs": list(logprobs)}:
            return tokens, logprobs
        case {"content": list(content)}:  # The server of llama.cpp gives this form on both routes.
            return [_get(token, "token") for token in content], [_get(token, "logprob") for token in content]
    return None


def most_probable(choice: Choice) -> list[str | None]:
    """List the most probable token of each row of a choice, as far as the server shows them: [] if it does not."""
    match choice.get("logprobs"):
        case {"top_logprobs": list(rows)}:
            shown = [[*row.items()] if isinstance(row, Mapping) else [] for row in rows]
        case {"content": list(rows)}:
            listed = [_get(row, "top_logprobs") for row in rows]
            shown = [
                [(_get(one, "token"), _get(one, "logprob")) for one in row] if isinstance(row, list) else []
                for row in listed
            ]
        case _:
            return []
    known = [
        [(known_logprob(logprob), token) for token, logprob in row if isinstance(token, str)] for row in shown
    ]
    return [max((pair for pair in row if pair[0] <= 0), default=(0.0, None))[1] for row in known]


def prompt_logprobs(choice: Choice, prompt: str) -> Raw | None:
    """Return the same from vLLM's ``prompt_logprobs``, which gives for each token a mapping by ids, itself first.

    The server says nothing about the first token, not even its text. It is the beginning of the prompt, where the
    other tokens lack that, or else a special token.
    """
    found = choice.get("prompt_logprobs")
    if not isinstance(found, list) or not any(found):
        return None
    firsts = [next(iter(one.values()), None) if isinstance(one, Mapping) else None for one in found]
    told = [str(_get(one, "decoded_token") or "") for one in firsts]
    if not told[0] and prompt.endswith("".join(told)):
        told[0] = prompt.removesuffix("".join(told)) or HIDDEN
    tokens, logprobs = echoed(choice) or ((), ())
    return [*told, *tokens], [*(_get(one, "logprob") for one in firsts), *logprobs]


def read_echo(tokens: Sequence[Any], logprobs: Sequence[Any], prompt: str) -> Echo:
    """Separate the tokens of the prompt from those around it.

    Raises
    ------
    Malformed
        If the tokens do not spell the prompt, or their log-probabilities cannot be true.
    """
    if not all(isinstance(token, str) for token in tokens) or len(tokens) != len(logprobs):
        raise Malformed("tokens and log-probabilities do not match")
    spans = place(tokens, prompt)
    first = sum(span.end == 0 for span in spans)
    values = tuple(map(known_logprob, logprobs))
    known = values[first + 1 : len(spans)]
    if any(map(math.isnan, known)):
        raise Malformed("log-probabilities of the prompt are missing, above 0 or not finite")
    if len(known) > 2 and len(set(known)) == 1:
        raise Malformed(f"all tokens of the prompt have the same log-probability, {known[0]:g}")
    after = zip(tokens[len(spans) :], values[len(spans) :], strict=True)
    return Echo(
        tuple(tokens[:first]), tuple(tokens[first : len(spans)]), values[first : len(spans)], tuple(after)
    )


def _get(one: Any, name: str) -> Any:
    return one.get(name) if isinstance(one, Mapping) else None


def known_logprob(x: Any) -> float:
    """Return a log-probability; NaN for one that is missing or cannot be true."""
    try:
        return read_logprob(x)
    except Malformed:
        return math.nan
