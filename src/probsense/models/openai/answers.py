"""Reads a server's answers: pure functions, for the server and for batch files alike.

An answer that lacks something, or that cannot be true, is :class:`~probsense.models.openai.wire.Malformed`; no
figure ever comes from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

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
from probsense.models.next_token.label_mass import exact_response, top_tokens_response
from probsense.models.openai.offsets import place
from probsense.models.openai.requests import Manner, scored_text
from probsense.models.openai.wire import Malformed, Unanswerable
from probsense.models.prompts.thoughts import Split, joined, split

ROUNDING: Final = 1e-3
"""In half precision, a log-probability may lie this far above 0, and a sum of probabilities this far above 1."""

LOWEST: Final = -float(np.finfo(np.float32).max)
"""Servers that mean a probability of 0 give log-probabilities down to here; none lies below it."""

BLANK_NOTE: Final = "the most probable first token is white space only"
AFTER_NOTE: Final = "read after a first token of white space only, the most probable one"
ID_NOTE: Final = "from the tokens of the labels that the server was asked for"


HIDDEN: Final = "<not shown>"
"""Stands for a special token before a prompt."""


class Token(NamedTuple):
    """A token as a server shows it, unchecked: its log-probability (nats), its alternatives, where it begins."""

    text: Any
    logprob: Any
    top: Sequence[Token] = ()
    begins: Any = None
    bytes: str = ""


class ScoredToken(NamedTuple):
    """A token with its log-probability (nats), and its bytes as the server shows them."""

    text: str
    logprob: float
    bytes: str = ""


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
    shown = tokens_of(choice) if manner.can.echo else prompt_tokens(choice, text)
    if shown is None:
        raise Malformed("the answer has no log-probabilities of the prompt")
    found, offsets = _of_text(shown, text)
    tokens, logprobs = spelled(found), [token.logprob for token in found]
    spans = place(tokens, text, offsets)
    if len(spans) < len(tokens) and not manner.can.echo:
        raise Malformed("more tokens came back than the text has")
    join, end = len(prefix), len(prefix) + len(option)
    at_option = [i for i, span in enumerate(spans) if join < span.end <= end]
    at_suffix = [i for i, span in enumerate(spans) if span.end > end]
    straddles = [s for s in spans if any(s.start < at < s.end for at in (join, end))]
    if not at_option:
        item = f" (item {request.item})" if request.item else ""
        if straddles:
            raise Unanswerable(
                f"the server does not show which tokens are those of the option {option!r}{item}"
            )
        raise InputError(f"the option {option!r} adds no token to its prefix{item}")
    if logprobs[at_option[0]] is None and not any(span.end for span in spans[: at_option[0]]):
        raise Unanswerable(
            f"nothing stands before the first token of {brief(text)}, and the server puts nothing there: "
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
        shown = {token.text: token.logprob for token in alternatives(choice)[0]}
        named = [f"token_id:{i}" for i in ids]
        if missing := {*named} - shown.keys():
            raise Malformed(
                f"{len(missing)} of {len(ids)} tokens that were asked for by their ids are missing"
            )
        logprobs = [shown[name] for name in named]
        mass = np.bincount([*ids.values()], np.exp(logprobs), len(request.labels)).astype(float)
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
    said = usage if isinstance(usage, dict) else {}
    counts = said.get("prompt_tokens"), said.get("completion_tokens")
    read, written = (n if isinstance(n, int) and 0 <= n < 2**40 else 0 for n in counts)
    return read, written


def same_model(served: str, asked: str, first: str) -> bool:
    """Whether a name that came with an answer may be that of the model.

    Servers answer under the name of a snapshot ("gpt-4o-2024-08-06" for "gpt-4o"), of a file or of a deployment. So
    one name may be within the other, or the name is at least that of the first answer.

    Parameters
    ----------
    served : str
        The name with the answer.
    asked : str
        The name that was asked for.
    first : str
        The name with the first answer.
    """
    a, b = (name.lower().rstrip("/").rpartition("/")[2] for name in (served, asked))
    return served == first or (bool(a and b) and (a in b or b in a))


def token_ids(answer: Mapping[str, Any]) -> list[int]:
    """Read the tokens of a text that the server was asked to tokenise."""
    ids = answer.get("tokens")
    if not isinstance(ids, list) or not all(isinstance(i, int) for i in ids):
        raise Malformed("the server does not say which tokens a text has")
    return ids


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
        case {"content": [_, *_] as pieces}:  # as some servers give a text
            said = [piece.get("text") for piece in pieces if isinstance(piece, dict)]
            return "".join(text for text in said if isinstance(text, str))
        case {"refusal": str(refusal)}:
            return refusal
    return None


def thought_of(choice: Mapping[str, Any]) -> str | None:
    """Return the thought of a choice, where the server keeps it apart; vLLM, SGLang, Ollama and others name it so."""
    message = choice.get("message")
    said = message if isinstance(message, Mapping) else {}
    named = (said.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    return next((one for one in named if isinstance(one, str) and one), None)


def text_of(choice: Mapping[str, Any]) -> str:
    """Return the text of a choice, on either route; "" where it has none."""
    return _text(choice) or ""


def thinks(answer: Mapping[str, Any]) -> bool:
    """Whether the model thought before it answered."""
    match answer:
        case {"usage": {"completion_tokens_details": {"reasoning_tokens": int(count)}}} if count:
            return True
    choice = choices(answer)[0]
    return thought_of(choice) is not None or split(text_of(choice)).thought is not None


def chain_of(answer: Mapping[str, Any], start: str, mark: str) -> Text:
    """Read the thought at the beginning of an answer, which was to stop at its end; it is cut if nothing closed it.

    Parameters
    ----------
    answer : Mapping
    start, mark : str
        What opens the thought, which the model may have written itself, and what shows that it is over.
    """
    choice = choices(answer)[0]
    apart, text = thought_of(choice), text_of(choice)
    chat = "message" in choice
    thought = text if apart is None else apart
    if chat:
        thought = thought.lstrip().removeprefix(start.strip()).lstrip("\n")
    thought, found, _ = thought.partition(mark)
    # In vLLM, the text at which it stopped; None for the end of a text.
    reason = choice.get("stop_reason", mark)
    closed = bool(found) or (apart is not None and bool(text.strip()))
    closed = closed or (choice.get("finish_reason") == "stop" and reason == mark)
    whole = f"{thought.rstrip()}\n" if chat and closed else thought
    return Text(clean(whole), not closed, tokens_used(answer)[1])


def tokens_of(choice: Mapping[str, Any]) -> list[Token] | None:
    """List the tokens of a choice as they came; None where there are none.

    Those of completions are columns, those of a chat are objects; the server of llama.cpp gives these on both routes.
    """
    match choice.get("logprobs"):
        case {"content": [*entries]}:
            return [*map(_token, entries)]
        case {"tokens": [*texts], "token_logprobs": [*logprobs], **more}:
            if len(texts) != len(logprobs):
                raise Malformed("tokens and log-probabilities do not match")
            tops, begins = (
                column if isinstance(column, list) and len(column) == len(texts) else [None] * len(texts)
                for column in (more.get("top_logprobs"), more.get("text_offset"))
            )
            rows = zip(texts, logprobs, tops, begins, strict=True)
            return [Token(text, logprob, _listed(top), begin) for text, logprob, top, begin in rows]
    return None


def _token(entry: Any) -> Token:
    own = entry if isinstance(entry, dict) else {}
    return Token(
        own.get("token"), own.get("logprob"), _listed(own.get("top_logprobs")), bytes=str(own.get("bytes"))
    )


def _listed(top: Any) -> list[Token]:
    """List alternatives: those of completions are log-probabilities by text."""
    if isinstance(top, dict):
        return [Token(text, logprob) for text, logprob in top.items()]
    return [*map(_token, top)] if isinstance(top, list) else []


def alternatives(choice: Mapping[str, Any]) -> list[list[ScoredToken]]:
    """List the most probable tokens at each written token, the most probable one first."""
    found = tokens_of(choice)
    if not found or not all(token.top for token in found):
        raise Malformed("the answer has no log-probabilities of alternatives")
    return [_top([_scored(one) for one in token.top]) for token in found]


def _scored(token: Token) -> ScoredToken:
    if not isinstance(token.text, str):
        raise Malformed("an alternative has no token")
    return ScoredToken(clean(token.text), read_logprob(token.logprob), token.bytes)


def _top(tokens: Sequence[ScoredToken]) -> list[ScoredToken]:
    """Sort tokens, the most probable first; a token that stands there twice counts once."""
    found = sorted(dict.fromkeys(tokens), key=lambda token: -token.logprob)
    total = math.fsum(math.exp(token.logprob) for token in found)
    if total > 1 + ROUNDING:
        raise Malformed(f"the probabilities of {len(found)} alternatives sum to {total:.4g}")
    return found


def prompt_tokens(choice: Mapping[str, Any], text: str) -> list[Token] | None:
    """Return the tokens of vLLM's ``prompt_logprobs``: a mapping by ids for each, itself first.

    The server says nothing about the first token, not even its text. It is the beginning of the text, where the other
    tokens lack that, or else a special token. None stands for an answer without them.
    """
    found = choice.get("prompt_logprobs")
    if not isinstance(found, list) or not found:
        return None
    entries = [next(iter(one.values()), None) if isinstance(one, Mapping) else None for one in found]
    shown = [one if isinstance(one, dict) else {} for one in entries]
    tokens = [Token(one.get("decoded_token"), one.get("logprob")) for one in shown]
    rest = "".join(str(token.text or "") for token in tokens[1:])
    if not tokens[0].text:
        first = (text.removesuffix(rest) or HIDDEN) if text.endswith(rest) else ""
        tokens[0] = tokens[0]._replace(text=first)
    return tokens


def spelled(tokens: Sequence[Token]) -> list[str]:
    """Return the texts of tokens.

    Raises
    ------
    Malformed
        If one has none.
    """
    if not all(isinstance(token.text, str) for token in tokens):
        raise Malformed("a token of the prompt has no text")
    return [clean(token.text) for token in tokens]


def _of_text(tokens: Sequence[Token], text: str) -> tuple[Sequence[Token], list[int]]:
    """Return the tokens of a text, perhaps with some written after it, and where each begins, if the server tells.

    Offsets show where the text ends, so that tokens after it go: broken characters look alike. Some servers count the
    special tokens before the text, too.
    """
    offsets = [token.begins for token in tokens]
    if not tokens or not all(isinstance(at, int) for at in offsets) or offsets != sorted(offsets):
        return tokens, []
    pairs = zip(spelled(tokens), offsets, strict=True)
    begin = next((at for token, at in pairs if token and text.startswith(token)), offsets[-1])
    kept = [token for token in tokens if token.begins - begin < len(text)]
    return kept, [token.begins for token in kept]


def _part(
    text: str, which: Sequence[int], tokens: Sequence[str], logprobs: Sequence[float | None]
) -> TokenLogprobs:
    return TokenLogprobs(
        tuple(read_logprob(logprobs[i]) for i in which),
        tuple(tokens[i] for i in which),
        len(text),
        len(text.encode("utf-8", "replace")),
    )


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
