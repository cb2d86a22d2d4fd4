"""One tokenisation of a whole string, split into prefix, option and suffix by character offsets.

The join of two texts need not be a join of tokens: ``"Answer: "`` + ``"yes"`` is fed as ``…, ":", " yes"``.
So the whole string is tokenised once, and a token belongs to the part in which its last character stands (the
scoring specification, section 1). All is pure, given a tokenizer of Hugging Face's ``transformers``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from probsense.errors import InputError, ModelError
from probsense.records import ScoreRequest

Ids: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """The tokens of prefix + option + suffix, and where the parts begin.

    Attributes
    ----------
    ids : tuple of int, shape (n,)
        All tokens to feed, leading special tokens included.
    option, suffix : int
        Index of the first token of the option and of the suffix; ``1 <= option < suffix <= n``.
    straddles : bool
        A token spans one of the two joins (it then belongs to the later part).
    """

    ids: Ids
    option: int
    suffix: int
    straddles: bool


@dataclass(frozen=True, slots=True)
class Encoder:
    """A tokenizer with what has to be known of it.

    Attributes
    ----------
    tokenizer : Any
        The tokenizer; its offsets, if it has any, cover blanks too.
    head : tuple of int
        The special tokens that it puts before a plain text (a beginning-of-sequence token, or none).
    start : int or None
        What stands in for ``head`` where there is nothing to condition the first token on: the token for the
        beginning of a sequence, else that for its end.
    offsets : bool
        Whether it can tell the characters of a token.
    """

    tokenizer: Any
    head: Ids
    start: int | None
    offsets: bool


def encoder(tokenizer: Any) -> Encoder:
    """Find out what has to be known of a tokenizer.

    Raises
    ------
    ModelError
        If its special tokens cannot be told from those of the text.
    """
    plain, dressed = (
        list(tokenizer("a", add_special_tokens=special)["input_ids"]) for special in (False, True)
    )
    surplus = len(dressed) - len(plain)
    places = (k for k in range(surplus + 1) if dressed[k : k + len(plain)] == plain)
    place = next(places, None)
    if place is None:
        raise ModelError("the tokenizer changes the tokens of a text when it adds special tokens")
    bos, eos = tokenizer.bos_token_id, tokenizer.eos_token_id
    return Encoder(
        tokenizer=_with_whole_offsets(tokenizer),
        head=tuple(dressed[:place]),
        start=bos if bos is not None else eos,
        offsets=bool(tokenizer.is_fast),
    )


def encode(encoder: Encoder, texts: Sequence[str], *, special: bool = True) -> list[Ids]:
    """Tokens of whole prompts, never none.

    Parameters
    ----------
    encoder : Encoder
    texts : sequence of str
    special : bool
        Whether the tokenizer's leading special tokens are put before each (not where a chat template does
        it).

    Raises
    ------
    ModelError
        If a text has no token and the tokenizer no token to begin with.
    """
    head = encoder.head if special else ()
    return [head + ids or _start(encoder) for ids, _ in _tokens(encoder, texts)]


def align(encoder: Encoder, requests: Sequence[ScoreRequest], *, special: bool = True) -> list[list[Aligned]]:
    """Tokenise prefix + option + suffix once for every option, and split.

    Parameters
    ----------
    encoder : Encoder
    requests : sequence of ScoreRequest
    special : bool
        Whether the tokenizer's leading special tokens are put before each prefix. Where there are none and
        a prefix is empty, or melts into the first token of an option, ``Encoder.start`` is put before it,
        for all its options alike.

    Returns
    -------
    list of list of Aligned
        One list per request, one entry per option.

    Raises
    ------
    InputError
        If an option adds no token of its own.
    ModelError
        If there is no token to condition a first token on.
    """
    triples = [(r.prefix, option, r.suffix) for r in requests for option in r.options]
    split = _by_offsets(encoder, triples) if encoder.offsets else _by_common_prefix(encoder, triples)
    result = []
    for request in requests:
        entries = [next(split) for _ in request.options]
        for option, entry in zip(request.options, entries, strict=True):
            if entry.suffix <= entry.option:
                item = f" (item {request.item})" if request.item else ""
                raise InputError(f"the option {option!r} adds no token to its prefix{item}")
        head = encoder.head if special else ()
        if not head and any(entry.option == 0 for entry in entries):
            head = _start(encoder)
        n = len(head)
        result.append([Aligned(head + e.ids, e.option + n, e.suffix + n, e.straddles) for e in entries])
    return result


def _by_offsets(encoder: Encoder, triples: Sequence[tuple[str, str, str]]) -> Iterator[Aligned]:
    tokens = _tokens(encoder, ["".join(triple) for triple in triples])
    for (prefix, option, _), (ids, offsets) in zip(triples, tokens, strict=True):
        joins = len(prefix), len(prefix) + len(option)
        first, second = (
            next((i for i, (_, z) in enumerate(offsets) if z > join), len(ids)) for join in joins
        )
        spans = any(
            i < len(ids) and offsets[i][0] < join for i, join in zip((first, second), joins, strict=True)
        )
        yield Aligned(ids, first, second, spans)


def _by_common_prefix(encoder: Encoder, triples: Sequence[tuple[str, str, str]]) -> Iterator[Aligned]:
    """Without offsets: a part begins where the joint encoding leaves that of what stands before it."""
    whole, prefixes, heads = (
        _tokens(encoder, ["".join(triple[:parts]) for triple in triples]) for parts in (3, 1, 2)
    )
    for (ids, _), (prefix, _), (head, _) in zip(whole, prefixes, heads, strict=True):
        first = _common(prefix, ids)
        second = max(first, _common(head, ids))
        yield Aligned(ids, first, second, first < len(prefix) or second < len(head))


def _common(a: Ids, b: Ids) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _tokens(encoder: Encoder, texts: Sequence[str]) -> Iterator[tuple[Ids, list[tuple[int, int]]]]:
    """Tokens of each text without special ones, and their offsets (none without offsets)."""
    if not texts:
        return
    wanted = {"return_offsets_mapping": True} if encoder.offsets else {}
    found = encoder.tokenizer(
        list(texts), add_special_tokens=False, return_attention_mask=False, verbose=False, **wanted
    )
    for i, ids in enumerate(found["input_ids"]):
        yield tuple(ids), found["offset_mapping"][i] if encoder.offsets else []


def _start(encoder: Encoder) -> Ids:
    if encoder.start is None:
        raise ModelError(
            "nothing stands before the first token, and the tokenizer has no token for the beginning or end "
            "of a sequence to put there: the first token has no probability"
        )
    return (encoder.start,)


def _with_whole_offsets(tokenizer: Any) -> Any:
    """The tokenizer, or a copy whose offsets keep the blanks.

    Byte-level tokenizers are told by their post-processor to trim blanks off the offsets. A token of blanks
    only is then placed behind itself or, at the start of a text, before itself, and a token that spans a join
    by its blank seems not to. The tokens themselves do not depend on it.
    """
    if not tokenizer.is_fast or tokenizer.backend_tokenizer.post_processor is None:
        return tokenizer
    state = json.loads(tokenizer.backend_tokenizer.post_processor.__getstate__())
    if _untrimmed(state) == state:
        return tokenizer
    tokenizer = copy.deepcopy(tokenizer)
    processor = tokenizer.backend_tokenizer.post_processor
    processor.__setstate__(json.dumps(_untrimmed(state)).encode())
    tokenizer.backend_tokenizer.post_processor = processor
    return tokenizer


def _untrimmed(state: Any) -> Any:
    match state:
        case dict():
            return {k: False if k == "trim_offsets" else _untrimmed(v) for k, v in state.items()}
        case list():
            return [_untrimmed(v) for v in state]
        case _:
            return state
