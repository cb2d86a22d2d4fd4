"""The abilities of an OpenAI-compatible endpoint, as an examination finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from probsense.core.errors import InputError

Route: TypeAlias = Literal["chat", "completions"]
PATHS: Final[Mapping[Route, str]] = {"chat": "chat/completions", "completions": "completions"}
"""The path of each route, relative to the base URL."""

MOST_CHOICES: Final = 8
"""How many texts one request asks for, unless the server takes fewer."""

SWITCHES: Final = ("echo", "prompt_logprobs", "seed", "reasoning")
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
    """

    route: Route = "chat"
    echo: bool = False
    prompt_logprobs: bool = False
    top_logprobs: int = 0
    label_ids: str | None = None
    many: int = 1
    seed: bool = False
    reasoning: bool = False


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
        elif name == "many" and not given:
            found[name] = MOST_CHOICES
        elif name == "many" and value.isdecimal() and 1 <= int(value) <= MOST_CHOICES:
            found[name] = int(value)
        else:
            raise InputError(f"the ability {part.strip()!r}", expected=f"some of {EXPECTED}")
    return Abilities(**found)
