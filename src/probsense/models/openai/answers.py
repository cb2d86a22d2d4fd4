"""Reads a server's answers: pure functions, for the server and for batch files alike.

An answer that lacks something, or that cannot be true, is :class:`~probsense.models.openai.wire.Malformed`; no
figure ever comes from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from probsense.core.errors import InputError, brief
from probsense.core.records import (
    Json,
    LabelRequest,
    LabelResponse,
    OptionScore,
    SampleResponse,
    ScoreRequest,
    TokenLogprobs,
)
from probsense.models.next_token.labels import exact_response, top_tokens_response
from probsense.models.openai.offsets import place
from probsense.models.openai.requests import Manner, scored_text
from probsense.models.openai.wire import Malformed, Unanswerable
from probsense.models.prompts.thoughts import Split, joined

ROUNDING: Final = 1e-3
"""In half precision, a log-probability may lie this far above 0, and a sum of probabilities this far above 1."""

LOWEST: Final = -float(np.finfo(np.float32).max)
"""Servers that mean a probability of 0 give log-probabilities down to here; none lies below it."""

BLANK_NOTE: Final = "the most probable first token is white space only"
AFTER_NOTE: Final = "read after a first token of white space only, the most probable one"
ID_NOTE: Final = "from the tokens of the labels that the server was asked for"


HIDDEN: Final = "<not shown>"
"""Stands for a special token before a prompt."""

Raw: TypeAlias = tuple[list[Any], list[Any]]
"""Tokens and log-probabilities as they came."""


class ScoredToken(NamedTuple):
    """A token with its log-probability (nats), and its bytes where the server shows them."""

    text: str
    logprob: float
    bytes: bytes | None = None


class Text(NamedTuple):
    """A text, with its thought, and whether it ended only because it had all its tokens, if the server says so.

    ``tokens`` are its own, as far as the server counts them: an equal share of those of all texts of the answer.
    """

    text: str
    cut: bool | None
    tokens: int = 0


def server(answer: Mapping[str, Any]) -> dict[str, Json]:
    """Collect the server's statements about itself, as the records keep them."""
    said = {name: answer.get(name) for name in ("model", "system_fingerprint")}
    return {name: clean(value) for name, value in said.items() if isinstance(value, str)}


def option_score(
    manner: Manner, request: ScoreRequest, option: str, answer: Mapping[str, Any]
) -> OptionScore:
    """Read the log-probabilities of an option and its suffix, from the answer to the body of ``score_post``.

    Raises
    ------
    Malformed
        If tokens or log-probabilities are missing, cannot be true or are not of the text that was sent.
    InputError
        If the option adds no token of its own.
    Unanswerable
        If nothing stands before the first token, which then has no probability, or if the option's tokens cannot be
        told from those around it.
    """
    choice = choices(answer)[0]
    prefix, suffix = scored_text(manner, request)
    text = prefix + option + suffix
    if manner.can.echo:
        tokens, logprobs, offsets = _of_echo(choice, text)
        spans = place(tokens, text, offsets)
    else:
        tokens, logprobs = strings(prompt_logprobs(choice, text))
        spans = place(tokens, text)
        if len(spans) < len(tokens):
            raise Malformed("more tokens came back than the text has")
    join, end = len(prefix), len(prefix) + len(option)
    at_option = [i for i, span in enumerate(spans) if join < span.end <= end]
    at_suffix = [i for i, span in enumerate(spans) if span.end > end]
    straddles = [s for s in spans if any(s.start < at < s.end for at in ({join, end} if suffix else {join}))]
    if not at_option:
        item = f" (item {request.item})" if request.item else ""
        if straddles:
            raise Unanswerable(
                f"the server does not show which tokens are those of the option {option!r}{item}"
            )
        raise InputError(f"the option {option!r} adds no token to its prefix{item}")
    if logprobs[at_option[0]] is None and not any(span.end for span in spans[: at_option[0]]):
        raise Unanswerable(
            f"nothing stands before the first token of {_short(text)}, and the server puts nothing there: "
            "it has no probability (give a prefix)"
        )
    return OptionScore(
        _part(option, at_option, tokens, logprobs),
        _part(suffix, at_suffix, tokens, logprobs),
        bool(straddles),
    )


def label_response(
    manner: Manner,
    request: LabelRequest,
    answer: Mapping[str, Any],
    ids: Mapping[int, int] | None = None,
    *,
    after_blank: bool = False,
) -> LabelResponse:
    """Read the mass of each label, from the answer to the body of ``label_post``.

    Parameters
    ----------
    manner : Manner
    request : LabelRequest
    answer : Mapping
    ids : Mapping of int to int, optional
        Tokens that the request asked for by their ids, with the index of the label that each stands for.
    after_blank : bool
        Whether the mass is read at the second token.

    Raises
    ------
    Malformed
        If log-probabilities are missing or cannot be true.
    """
    choice = choices(answer)[0]
    if ids:
        found = _by_ids(alternatives(choice)[0], ids)
        logprobs, classes = np.array([*found.values()]), np.array([ids[i] for i in found])
        mass = np.array([np.exp(logprobs[classes == k]).sum() for k in range(len(request.labels))])
        return replace(exact_response(request.labels, mass), note=ID_NOTE, server=server(answer))
    positions = alternatives(choice)
    if after_blank and (len(positions) < 2 or not blank(positions[0])):
        raise Malformed("the answer does not begin with the expected white space")
    top = positions[int(after_blank)][: manner.can.top_logprobs]
    note = AFTER_NOTE if after_blank else BLANK_NOTE if blank(top) else ""
    return top_tokens_response(request, [(token.text, token.logprob) for token in top], note, server(answer))


def blank(top: Sequence[ScoredToken]) -> bool:
    """Whether the most probable of some tokens is white space only (the bare "▁" shows no character at all)."""
    return not top[0].text.replace("▁", "").strip()


def texts(answer: Mapping[str, Any], stop: Sequence[str] = ()) -> list[Text]:
    """Read the texts of an answer, in the server's order, each up to the first stop string.

    Raises
    ------
    Malformed
        If the answer has no text, or one that is not a string, or one that a filter cut off.
    """
    found: dict[Json, Text] = {}
    tokens = -(-tokens_used(answer)[1] // len(choices(answer)))
    for position, choice in enumerate(choices(answer)):
        parts, reason = _parts(choice), choice.get("finish_reason")
        answered = parts.answer or ""
        end = min((at for s in stop if (at := answered.find(s)) >= 0), default=len(answered))
        cut = reason == "length" and end == len(answered) if isinstance(reason, str) else None
        text = joined(Split(parts.thought, None if parts.answer is None else answered[:end]))
        index = choice.get("index")
        found.setdefault(index if isinstance(index, int) else position, Text(clean(text), cut, tokens))
    return list(found.values())


def sample_response(found: Sequence[Text], said: Mapping[str, Json], *, sized: bool) -> SampleResponse:
    """Make a response of texts; which of them were cut is known only if it is known of all, and so are their sizes."""
    cut = [one.cut for one in found if one.cut is not None]
    sizes = tuple(one.tokens for one in found)
    return SampleResponse(
        tuple(one.text for one in found),
        said,
        tuple(cut) if len(cut) == len(found) else None,
        sizes=sizes if sized and all(sizes) else None,
    )


def choices(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the choices of an answer, at least one."""
    found = answer.get("choices")
    if not isinstance(found, list) or not found:
        raise Malformed("the answer has no choices")
    if not all(isinstance(choice, dict) for choice in found):
        raise Malformed("a choice is no JSON object")
    return found


def tokens_used(answer: Mapping[str, Any]) -> tuple[int, int]:
    """Count the tokens read and the tokens written, as far as the server reports them."""
    usage = answer.get("usage")
    counts = [
        usage.get(name) if isinstance(usage, dict) else 0 for name in ("prompt_tokens", "completion_tokens")
    ]
    read, written = (n if isinstance(n, int) and 0 <= n < 2**40 else 0 for n in counts)
    return read, written


def clean(text: str) -> str:
    """Make a text fit to store: the replacement character takes the place of what is no Unicode character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _parts(choice: Mapping[str, Any]) -> Split:
    """Read a choice as thought and answer; a server that shows no thoughts tells by its limit that one has no end."""
    if choice.get("finish_reason") == "content_filter":
        raise Malformed("a filter of the server cut the text off")
    thought, text = thought_of(choice), _text(choice)
    if not text and choice.get("finish_reason") == "length" and (thought is not None or text is None):
        return Split(thought or "", None)
    if text is None:
        raise Malformed("a thought without an answer" if thought else "a choice has no text")
    return Split(thought, text)


def _text(choice: Mapping[str, Any]) -> str | None:
    if isinstance(choice.get("text"), str):
        return str(choice["text"])
    match choice.get("message"):
        case {"content": str(content)}:
            return content
        case {"content": [*pieces]} if pieces:
            said = [piece.get("text") if isinstance(piece, dict) else None for piece in pieces]
            return "".join(text for text in said if isinstance(text, str))
        case {"refusal": str(refusal)}:
            return refusal
    return None


def thought_of(choice: Mapping[str, Any]) -> str | None:
    """Return the thought of a choice, where the server keeps it apart; vLLM, SGLang, Ollama and others name it so."""
    message = choice.get("message")
    said = message if isinstance(message, Mapping) else {}
    details = said.get("reasoning_details")
    pieces = (
        [one.get("text") for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    )
    told = "".join(piece for piece in pieces if isinstance(piece, str))
    named = [said.get(name) for name in ("reasoning_content", "reasoning", "thinking")]
    return next((one for one in (*named, told) if isinstance(one, str) and one), None)


def rows(choice: Mapping[str, Any]) -> list[Any] | None:
    """List the alternatives at each token as they came, each as in a chat; None where there are none."""
    match choice.get("logprobs"):
        case {"content": [*content]}:
            return [get_field(entry, "top_logprobs") for entry in content]
        case {"top_logprobs": [*tops]}:
            return [
                [{"token": t, "logprob": x} for t, x in top.items()] if isinstance(top, dict) else None
                for top in tops
            ]
    return None


def alternatives(choice: Mapping[str, Any]) -> list[list[ScoredToken]]:
    """List the most probable tokens at each written token, the most probable one first."""
    found = rows(choice)
    if found is None:
        raise Malformed("the answer has no log-probabilities")
    if not found or not all(isinstance(top, list) and top for top in found):
        raise Malformed("the answer has no log-probabilities of alternatives")
    return [_top([_token(one) for one in top]) for top in found]


def _top(tokens: Sequence[ScoredToken]) -> list[ScoredToken]:
    """Sort tokens, the most probable first; a token that stands there twice counts once."""
    found = sorted(dict.fromkeys(tokens), key=lambda token: -token.logprob)
    total = math.fsum(math.exp(token.logprob) for token in found)
    if total > 1 + ROUNDING:
        raise Malformed(f"the probabilities of {len(found)} alternatives sum to {total:.4g}")
    return found


def _by_ids(tokens: Sequence[ScoredToken], ids: Mapping[int, int]) -> dict[int, float]:
    """Return the log-probability of each token that the request asked for."""
    shown = {token.text: token.logprob for token in tokens}
    found = {i: shown[name] for i in ids if (name := f"token_id:{i}") in shown}
    if len(found) < len(ids):
        raise Malformed(f"{len(found)} of {len(ids)} tokens that were asked for by their ids came back")
    return found


def echoed(choice: Mapping[str, Any]) -> Raw | None:
    """Return the tokens and log-probabilities of a choice of the completions route; None where it has none."""
    match choice.get("logprobs"):
        case {"tokens": list(tokens), "token_logprobs": list(logprobs)}:
            return tokens, logprobs
        case {"content": list(content)}:  # The server of llama.cpp gives this form on both routes.
            return [get_field(token, "token") for token in content], [
                get_field(token, "logprob") for token in content
            ]
    return None


def _of_echo(choice: Mapping[str, Any], text: str) -> tuple[list[str], list[float | None], list[int]]:
    """Read tokens, log-probabilities and, if given, offsets of the text, perhaps with the tokens written after it."""
    tokens, logprobs = strings(echoed(choice))
    offsets = choice["logprobs"].get("text_offset")
    whole = isinstance(offsets, list) and len(offsets) == len(tokens)
    if not (whole and all(isinstance(offset, int) for offset in offsets) and offsets == sorted(offsets)):
        offsets = []
    if offsets:
        # Offsets show where the text ends, so that tokens after it go: broken characters look alike.
        # Some servers count the special tokens before the text, too.
        pairs = zip(tokens, offsets, strict=True)
        begin = next((offset for token, offset in pairs if token and text.startswith(token)), offsets[-1])
        kept = [i for i, offset in enumerate(offsets) if offset - begin < len(text)]
        tokens, logprobs, offsets = ([part[i] for i in kept] for part in (tokens, logprobs, offsets))
    return tokens, logprobs, offsets


def strings(raw: Raw | None) -> Raw:
    """Return tokens and log-probabilities if each token has a text, and each text a log-probability.

    Raises
    ------
    Malformed
        If not.
    """
    if raw is None:
        raise Malformed("the answer has no log-probabilities of the prompt")
    tokens, logprobs = raw
    if not all(isinstance(token, str) for token in tokens):
        raise Malformed("a token of the prompt has no text")
    if len(tokens) != len(logprobs):
        raise Malformed("tokens and log-probabilities do not match")
    return [clean(token) for token in tokens], logprobs


def prompt_logprobs(choice: Mapping[str, Any], text: str) -> Raw | None:
    """Return the tokens and log-probabilities of vLLM's ``prompt_logprobs``: a mapping by ids for each, itself first.

    The server says nothing about the first token, not even its text. It is the beginning of the text, where the other
    tokens lack that, or else a special token. None stands for an answer without them.
    """
    found = choice.get("prompt_logprobs")
    if not isinstance(found, list) or not found:
        return None
    entries = [next(iter(one.values()), None) if isinstance(one, Mapping) else None for one in found]
    tokens = [get_field(entry, "decoded_token") for entry in entries]
    rest = "".join(str(token or "") for token in tokens[1:])
    if not tokens[0]:
        tokens[0] = (text.removesuffix(rest) or HIDDEN) if text.endswith(rest) else ""
    return tokens, [get_field(entry, "logprob") for entry in entries]


def _part(
    text: str, which: Sequence[int], tokens: Sequence[str], logprobs: Sequence[float | None]
) -> TokenLogprobs:
    return TokenLogprobs(
        tuple(read_logprob(logprobs[i]) for i in which),
        tuple(tokens[i] for i in which),
        len(text),
        len(text.encode("utf-8", "replace")),
    )


def _token(entry: Any) -> ScoredToken:
    if not isinstance(entry, dict) or not isinstance(text := entry.get("token"), str):
        raise Malformed("an alternative has no token")
    try:
        spelled = bytes(shown) if isinstance(shown := entry.get("bytes"), list) else None
    except (TypeError, ValueError):
        spelled = None
    return ScoredToken(clean(text), read_logprob(entry.get("logprob")), spelled)


def read_logprob(value: Any) -> float:
    """Return a log-probability (nats) that can be true.

    Raises
    ------
    Malformed
        If it is no number, lies outside :data:`LOWEST` and 0, or is NaN.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed("a log-probability is missing")
    # A whole number may be too large for a float, and so may the sum of several floats.
    if not value >= LOWEST:
        raise Malformed(f"a log-probability is {brief(value)}")
    if value > ROUNDING:
        raise Malformed(f"a log-probability is {brief(value)}, above 0")
    return min(0.0, float(value))


def known_logprob(x: Any) -> float:
    """Return a log-probability; NaN for one that is missing or cannot be true."""
    try:
        return read_logprob(x)
    except Malformed:
        return math.nan


def get_field(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, dict) else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…")
