"""One tokenisation of a whole string, split into prefix, option and suffix by character offsets.

The join of two texts need not be a join of tokens: ``"Answer: "`` + ``"yes"`` is fed as ``…, ":", " yes"``. So the
whole string is tokenised once, and a token belongs to the part in which its last character stands (the scoring
specification, section 1). All functions are pure, given a tokenizer of Hugging Face's ``transformers``.
"""

from __future__ import annotations

import copy
import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError, ModelError
from probsense.core.records import ScoreRequest

Ids: TypeAlias = NDArray[np.int32]
"""Token ids, shape (n,)."""
T = TypeVar("T")

CHUNK = 4096
"""How many texts are tokenised together, in parallel; their encodings then take most of the memory."""


class AlignedTokens(NamedTuple):
    """The tokens of prefix + option + suffix, and the places where the parts begin.

    Attributes
    ----------
    ids : ndarray of int, shape (n,)
        All tokens to feed, leading special tokens included.
    option, suffix : int
        Index of the first token of the option and of the suffix; ``1 <= option < suffix <= n``.
    straddles : bool
        Whether a token spans one of the two joins (it then belongs to the later part).
    """

    ids: Ids
    option: int
    suffix: int
    straddles: bool


class Encoder(NamedTuple):
    """A tokenizer and the facts about it that the alignment needs.

    Attributes
    ----------
    tokenizer : Any
        The tokenizer; its offsets, if it has any, cover blanks too.
    head : ndarray of int
        The special tokens that it puts before a plain text (a beginning-of-sequence token, or none).
    start : int or None
        The token that stands in for ``head`` where nothing else conditions the first token: the one that the user
        chose, or the one for the beginning of a sequence, or else the one for its end.
    chosen : bool
        Whether the user chose it; then it stands there in place of ``head``.
    offsets : bool
        Whether it can tell the characters of a token.
    """

    tokenizer: Any
    head: Ids
    start: int | None
    offsets: bool
    chosen: bool = False

    @property
    def beginning(self) -> str:
        """What stands before the first token of a text that has nothing before it; "" if there is no such token."""
        ids = self.head.tolist() if len(self.head) and not self.chosen else [self.start]
        return "".join(str(self.tokenizer.convert_ids_to_tokens(i)) for i in ids if i is not None)


def encoder(tokenizer: Any, beginning: str | None = None) -> Encoder:
    """Find the special tokens of a tokenizer, and whether it gives offsets.

    Parameters
    ----------
    tokenizer : Any
    beginning : str, optional
        The token after which the first one of a text is scored that has nothing before it.

    Raises
    ------
    InputError
        If there is no such token.
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
    bos = tokenizer.bos_token_id
    start = bos if bos is not None else tokenizer.eos_token_id
    if beginning is not None:
        ids = tokenizer(beginning, add_special_tokens=False)["input_ids"]
        if len(ids) != 1:
            raise InputError(
                f"the option beginning {beginning!r} is {len(ids)} tokens of the model", expected="one"
            )
        start = int(ids[0])
    return Encoder(
        tokenizer=_with_whole_offsets(tokenizer),
        head=_ids(dressed[:place]),
        start=start,
        offsets=bool(tokenizer.is_fast),
        chosen=beginning is not None,
    )


def encode(encoder: Encoder, texts: Sequence[str], *, special: bool = True) -> list[Ids]:
    """Tokenise whole prompts, each into at least one token.

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
        If a text has no token and the tokenizer has no token to begin with.
    """
    head = encoder.head if special else _ids(())
    whole = (np.concatenate([head, ids]) for ids in _tokens(encoder, texts))
    return [ids if len(ids) else _start(encoder) for ids in whole]


def align(
    encoder: Encoder, requests: Sequence[ScoreRequest], *, special: bool = True
) -> list[list[AlignedTokens]]:
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
    list of list of AlignedTokens
        One list per request, one entry per option.

    Raises
    ------
    InputError
        If an option adds no token of its own.
    ModelError
        If no token can condition the first token of an option.
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
        head = encoder.head if special else _ids(())
        if (encoder.chosen or not len(head)) and any(entry.option == 0 for entry in entries):
            head = _start(encoder)
        n = len(head)
        result.append(
            [
                AlignedTokens(np.concatenate([head, ids]), option + n, suffix + n, straddles)
                for ids, option, suffix, straddles in entries
            ]
        )
    return result


def _by_offsets(encoder: Encoder, triples: Sequence[tuple[str, str, str]]) -> Iterator[AlignedTokens]:
    backend = encoder.tokenizer.backend_tokenizer
    for chunk in batched(triples, CHUNK):
        encodings = backend.encode_batch(["".join(triple) for triple in chunk], add_special_tokens=False)
        for (prefix, option, suffix), encoding in zip(chunk, encodings, strict=True):
            offsets = encoding.offsets
            first, spans_first = _token_beyond(offsets, len(prefix))
            # Most options have no suffix, and no token lies beyond the end of the text.
            second, spans_second = _token_beyond(offsets, len(prefix) + len(option) if suffix else math.inf)
            yield AlignedTokens(_ids(encoding.ids), first, second, spans_first or spans_second)


def _token_beyond(offsets: Sequence[tuple[int, int]], join: float) -> tuple[int, bool]:
    """Find the first token that ends beyond a join, and tell whether it begins before it."""
    index = bisect_right(offsets, join, key=itemgetter(1))
    return index, index < len(offsets) and offsets[index][0] < join


def _by_common_prefix(encoder: Encoder, triples: Sequence[tuple[str, str, str]]) -> Iterator[AlignedTokens]:
    """Align without offsets: a part begins where the joint encoding leaves the encoding of the text before it."""
    whole, prefixes, heads = (
        _tokens(encoder, ["".join(triple[:parts]) for triple in triples]) for parts in (3, 1, 2)
    )
    for ids, prefix, head in zip(whole, prefixes, heads, strict=True):
        first = common_prefix(prefix, ids)
        second = max(first, common_prefix(head, ids))
        yield AlignedTokens(ids, first, second, first < len(prefix) or second < len(head))


def common_prefix(a: Ids, b: Ids) -> int:
    """Count the leading tokens that two sequences share."""
    shorter = min(len(a), len(b))
    differ = np.flatnonzero(a[:shorter] != b[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _tokens(encoder: Encoder, texts: Sequence[str]) -> Iterator[Ids]:
    """Tokenise each text without special tokens."""
    for chunk in batched(texts, CHUNK):
        if encoder.offsets:
            backend = encoder.tokenizer.backend_tokenizer
            found = (e.ids for e in backend.encode_batch_fast(chunk, add_special_tokens=False))
        else:
            found = iter(
                encoder.tokenizer(
                    chunk, add_special_tokens=False, return_attention_mask=False, verbose=False
                )["input_ids"]
            )
        yield from map(_ids, found)


def batched(values: Sequence[T], size: int) -> Iterator[list[T]]:
    """Yield the values in lists of a size; the last list may be shorter."""
    for start in range(0, len(values), size):
        yield list(values[start : start + size])


def _ids(values: Sequence[int]) -> Ids:
    return np.array(values, dtype=np.int32)


def _start(encoder: Encoder) -> Ids:
    if encoder.start is None:
        raise ModelError(
            "nothing stands before the first token, and the tokenizer has no token for the beginning or end "
            "of a sequence to put there: -M beginning=TOKEN names the token after which it is scored"
        )
    return _ids([encoder.start])


def _with_whole_offsets(tokenizer: Any) -> Any:
    """Return the tokenizer, or a copy whose offsets keep the blanks.

    The post-processor of byte-level tokenizers trims blanks off the offsets. A token of blanks only is then placed
    behind itself or, at the start of a text, before itself, and a token that spans a join by its blank seems not to.
    The tokens themselves do not depend on it.
    """
    if not tokenizer.is_fast or tokenizer.backend_tokenizer.post_processor is None:
        return tokenizer
    state = tokenizer.backend_tokenizer.post_processor.__getstate__()
    untrimmed = re.sub(rb'("trim_offsets":\s*)true', rb"\1false", state)
    if untrimmed == state:
        return tokenizer
    tokenizer = copy.deepcopy(tokenizer)
    processor = tokenizer.backend_tokenizer.post_processor
    processor.__setstate__(untrimmed)
    tokenizer.backend_tokenizer.post_processor = processor
    return tokenizer


def whole_prompts(encoder: Encoder, texts: Sequence[str], *, special: bool) -> list[Ids]:
    """Tokenise prompts for the encoder, with special tokens at both ends where the tokenizer puts them."""
    if not texts:
        return []
    found = encoder.tokenizer(
        list(texts), add_special_tokens=special, return_attention_mask=False, verbose=False
    )
    return [np.array(ids, np.int32) for ids in found["input_ids"]]
