"""Checks the log-probabilities of a prompt that a server returns: whether they are there, and of that prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probsense.core.records import Json
from probsense.models.base import Finding
from probsense.models.openai.answers import (
    Token,
    choices,
    known_logprob,
    prompt_tokens,
    spelled,
    tokens_of,
    tokens_used,
)
from probsense.models.openai.offsets import place
from probsense.models.openai.requests import OF_PROMPT
from probsense.models.openai.wire import Declined, Exhausted, Malformed

if TYPE_CHECKING:
    from probsense.models.openai.examination import Endpoint

KNOWN = "The cat sat on the mat, and the dog lay on the rug"
COUNTED = " ".join(["one two three four five six"] * 5)
"""After a few rounds, every model that has learnt anything predicts the next word."""
APART = 0.5
"""Two ways to one log-probability, in nats, never lie this far apart, even in half precision."""

LATE = 0.7
"""The share of rows that must show the next token as the most probable one before all of them are called late."""


@dataclass(frozen=True, slots=True)
class Echo:
    """The tokens of a prompt, and those that a server put around it.

    Attributes
    ----------
    before : tuple of str
        Special tokens that the server shows before the prompt.
    tokens : tuple of str
        Tokens that spell the prompt.
    likely : tuple of str or None
        The most probable token in place of each, where the server shows it.
    logprobs : tuple of float, shape (n tokens,)
        In nats; NaN for a first token, since nothing predicts it.
    after : tuple of (str, float)
        Tokens that the model wrote after it.
    """

    before: tuple[str, ...]
    tokens: tuple[str, ...]
    likely: tuple[str | None, ...]
    logprobs: tuple[float, ...]
    after: tuple[tuple[str, float], ...]


def shown_tokens(way: str, choice: Mapping[str, Any], prompt: str) -> list[Token] | None:
    """List the tokens of a prompt, and those written after it; None where the server does not show them."""
    written = tokens_of(choice)
    if way == "echo":
        return written
    asked = prompt_tokens(choice, prompt)
    return None if asked is None or not any(choice["prompt_logprobs"]) else [*asked, *(written or ())]


def read_echo(shown: Sequence[Token], prompt: str) -> Echo:
    """Separate the tokens of the prompt from those around it.

    Raises
    ------
    Malformed
        If the tokens do not spell the prompt, or their log-probabilities cannot be true.
    """
    tokens = spelled(shown)
    spans = place(tokens, prompt)
    first = sum(span.end == 0 for span in spans)
    values = tuple(known_logprob(token.logprob) for token in shown)
    known = values[first + 1 : len(spans)]
    if any(map(math.isnan, known)):
        raise Malformed("log-probabilities of the prompt are missing, above 0 or not finite")
    if len(known) > 2 and len(set(known)) == 1:
        raise Malformed(f"all tokens of the prompt have the same log-probability, {known[0]:g}")
    own = slice(first, len(spans))
    after = zip(tokens[len(spans) :], values[len(spans) :], strict=True)
    likely = tuple(map(_most_probable, shown[own]))
    return Echo(tuple(tokens[:first]), tuple(tokens[own]), likely, values[own], tuple(after))


def _most_probable(token: Token) -> str | None:
    """Return the most probable of the tokens that the server shows in the place of one."""
    known = [(known_logprob(one.logprob), one.text) for one in token.top if isinstance(one.text, str)]
    return max((pair for pair in known if pair[0] <= 0), default=(0.0, None))[1]


async def prompts(endpoint: Endpoint) -> None:
    """Prove that log-probabilities of a prompt are there, of that prompt, and stand beside the right tokens."""
    if endpoint.only == "chat":
        endpoint.note("options", None, "none can be scored by chat, which gives no prompt's probabilities")
        return
    reasons, lied = [], False
    for name in OF_PROMPT:
        shown = False
        try:
            echo, counted = await _echo(endpoint, name, KNOWN)
            shown = True
            apart = await _apart(endpoint, name, echo)
            await _check_rows(endpoint, name)
        except (Declined, Exhausted, Malformed) as error:
            # A server that shows one prompt shows others, too.
            lied |= shown or isinstance(error, Malformed)
            reasons.append(f"{name}: {error.reason}")
            continue
        compared = (
            "but none could be compared with that of the same token when it is written"
            if apart is None
            else f"within {apart:.2g} nats of those of the same token when it is written"
        )
        said = f"{name} gives the log-probabilities of the prompt, {compared}"
        figures: dict[str, Json] = {"largest_difference": apart}
        endpoint.note("options", apart is not None or None, said, figures, **{name: True})
        endpoint.findings.append(_beginning(echo, counted))
        return
    said = (
        "the server does not give the log-probabilities of the prompt that was sent, and every option would come out"
        " at chance: none is scored"
        if lied
        else "none can be scored"
    )
    endpoint.note("options", False if lied else None, f"{said} ({'; '.join(reasons)})")


async def _echo(endpoint: Endpoint, name: str, prompt: str) -> tuple[Echo, int]:
    """Return the prompt that came back, and how many tokens the server counted in it.

    Raises
    ------
    Declined, Exhausted
        If no log-probabilities came.
    Malformed
        If they cannot be those of the prompt.
    """
    answer = await endpoint.ask(prompt, {"max_tokens": 1, "temperature": 1, **OF_PROMPT[name]}, "completions")
    shown = shown_tokens(name, choices(answer)[0], prompt)
    if shown is None:
        raise Declined("no log-probabilities come back", 200)
    return read_echo(shown, prompt), tokens_used(answer)[0]


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
    again, _ = await _echo(endpoint, name, KNOWN + token)
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
    echo, _ = await _echo(endpoint, name, COUNTED)
    half = len(echo.tokens) // 2
    tokens, likely = echo.tokens[half:], echo.likely[half:]
    own = [token == top for token, top in zip(tokens, likely, strict=True)]
    late = [after == top for after, top in zip(tokens[1:], likely, strict=False)]
    if late and sum(late) > LATE * len(late) and sum(own) < (1 - LATE) * len(own):
        raise Malformed(
            "each log-probability comes from the distribution after its token, one place too late, as the most"
            " probable tokens show"
        )


def _beginning(echo: Echo, counted: int) -> Finding:
    """Find out whether something stands before the prompt."""
    ok, said = None, "nothing is seen before the prompt, whose first token has no probability"
    if echo.before:
        ok = len(set(echo.before)) == len(echo.before)
        said = f"{' '.join(map(repr, echo.before))} stands before the prompt"
    elif not math.isnan(echo.logprobs[0]):
        ok, said = True, "not shown, but the first token is predicted from something"
    elif (more := counted - len(echo.tokens)) > 0:
        ok, said = True, f"not shown, but {more} more than the prompt's tokens are counted"
    return Finding("beginning of sequence", ok, said, {"before": [*echo.before]})
