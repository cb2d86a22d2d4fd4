"""Checks whether a server gives the log-probabilities of a prompt, and whether it is the prompt that was sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai.echoes import (
    Echo,
    Raw,
    echoed,
    most_probable,
    prompt_logprobs,
    read_echo,
)
from probsense.models.openai.endpoint import Choice, Endpoint
from probsense.models.openai.faults import Malformed

KNOWN = "The cat sat on the mat, and the dog lay on the rug"
COUNTED = " ".join(["one two three four five six"] * 5)
"""After a few rounds, every model that has learnt anything predicts the next word."""
APART = 0.5
"""Two ways to one log-probability, in nats, never lie this far apart, even in half precision."""

LATE = 0.7
"""The share of rows that must show the next token as the most probable one before all of them are called late."""

_PROMPT: Final[Mapping[str, tuple[Mapping[str, Json], Callable[[Choice, str], Raw | None]]]] = {
    "echo": ({"echo": True, "logprobs": 1}, lambda choice, prompt: echoed(choice)),
    "prompt_logprobs": ({"prompt_logprobs": 0, "logprobs": 1}, prompt_logprobs),
}
"""The parameters that ask for the log-probabilities of a prompt, each with the function that finds them."""


async def examine_prompt(endpoint: Endpoint, findings: list[Finding]) -> str:
    """Find the parameter that makes the server return the log-probabilities of a prompt; "" if there is none.

    Parameters
    ----------
    endpoint : Endpoint
    findings : list of Finding
        The function appends its own.

    Returns
    -------
    {"echo", "prompt_logprobs", ""}
    """
    lies, absent = [], []
    for name in _PROMPT:
        found = await _echo(endpoint, name, KNOWN)
        if isinstance(found, str):
            absent.append(f"{name}: {found}")
            continue
        raw, choice = found
        try:
            echo = read_echo(*raw, KNOWN)
            apart = await _apart(endpoint, name, echo)
            await _check_rows(endpoint, name)
        except Malformed as error:
            lies.append(f"{name}: {error}")
            continue
        said = f"{name} gives the log-probabilities of the prompt, " + (
            "but none could be compared with that of the same token when it is written"
            if apart is None
            else f"within {apart:.2g} nats of those of the same token when it is written"
        )
        judged = True if apart is not None else None
        findings += [
            Finding("options", judged, said, {"largest_difference": apart}),
            _beginning(echo, choice),
        ]
        return name
    said = "; ".join([*lies, *absent])
    findings.append(
        Finding(
            "options",
            False,
            f"the server does not give the log-probabilities of the prompt that was sent, "
            f"and every option would come out at chance: none is scored ({said})",
        )
        if lies
        else Finding("options", None, f"none can be scored ({said})")
    )
    return ""


async def _echo(endpoint: Endpoint, name: str, prompt: str) -> tuple[Raw, Choice] | str:
    """Return the tokens and log-probabilities that came back, with the whole choice; or the reason why none came."""
    more, find = _PROMPT[name]
    found = await endpoint.attempt("completions", prompt, max_tokens=1, temperature=1, **more)
    if isinstance(found, str):
        return found
    raw = find(found[0], prompt)
    return "no log-probabilities come back" if raw is None else (raw, found[0])


async def _apart(endpoint: Endpoint, name: str, echo: Echo) -> float | None:
    """Compare a token's log-probability when the model writes it with the one at the end of a prompt.

    The tokens before it must have the same log-probabilities as before, too.

    Returns
    -------
    float or None
        The largest difference (nats); None where the longer prompt does not show the written token as a token.

    Raises
    ------
    Malformed
        If the two have nothing to do with each other.
    """
    token, logprob = echo.after[0] if echo.after else ("", math.nan)
    if not (token and token.isascii()):
        return None
    longer = await _echo(endpoint, name, KNOWN + token)
    if isinstance(longer, str):
        raise Malformed(f"with a prompt that is longer by one token: {longer}")
    again = read_echo(*longer[0], KNOWN + token)
    if again.tokens != (*echo.tokens, token):
        return None
    pairs = zip(again.logprobs, (*echo.logprobs, logprob), strict=True)
    apart = max(abs(a - b) for a, b in pairs if not math.isnan(a))
    if not apart <= APART:  # NaN must fail, too.
        raise Malformed(f"the same token has log-probabilities that are {apart:.2g} nats apart")
    return apart


async def _check_rows(endpoint: Endpoint, name: str) -> None:
    """Check that each log-probability comes from the distribution before its token, not from the one after it.

    A row that stands one place too late shows by the most probable token in it, which is the next token of the prompt.
    Its numbers agree with each other, so no comparison of them tells. Servers that do not show the most probable tokens
    of a prompt are not judged.

    Raises
    ------
    Malformed
        If the rows stand beside the wrong tokens.
    """
    found = await _echo(endpoint, name, COUNTED)
    if isinstance(found, str):
        raise Malformed(f"with another prompt: {found}")
    likely = most_probable(found[1])
    echo = read_echo(*found[0], COUNTED)
    tokens = echo.tokens
    pairs = list(zip(tokens, likely[len(echo.before) :], strict=False))
    half = len(tokens) // 2
    own = [token == top for token, top in pairs[half:]]
    late = [after == top for (_, top), (after, _) in zip(pairs[half:], pairs[half + 1 :], strict=False)]
    if late and sum(late) > LATE * len(late) and sum(own) < (1 - LATE) * len(own):
        raise Malformed(
            "each log-probability comes from the distribution after its token, one place too late, as the most"
            " probable tokens show"
        )


def _beginning(echo: Echo, choice: Choice) -> Finding:
    """Find out whether something stands before the prompt."""
    name = "beginning of sequence"
    data: dict[str, Json] = {"before": [*echo.before]}
    match choice.get("usage"):
        case {"prompt_tokens": int(counted)}:
            hidden = counted - len(echo.tokens) - len(echo.before)
        case _:
            hidden = 0
    if echo.before:
        twice = len(set(echo.before)) < len(echo.before)
        return Finding(name, not twice, f"{' '.join(map(repr, echo.before))} stands before the prompt", data)
    if not math.isnan(echo.logprobs[0]):
        return Finding(name, True, "not shown, but the first token is predicted from something", data)
    if hidden > 0:
        return Finding(name, True, f"not shown, but {hidden} more than the prompt's tokens are counted", data)
    return Finding(
        name, None, "nothing is seen before the prompt, whose first token has no probability", data
    )
