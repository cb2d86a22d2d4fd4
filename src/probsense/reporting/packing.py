"""Packs items and files as compressed data into a page, whose script unpacks them when a reader looks at them."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from probsense.records import Json
from probsense.reporting.items import ItemViews, Reply

T = TypeVar("T", bound=Hashable)

SHARES = 1000
"""Shares are kept in thousandths, log-probabilities in hundredths of a nat."""
NATS = 100
WORDS = 500_000
"""Different words of questions that are numbered; rarer ones are spelled."""
SPARE = 0.97
"""The share of the items fitting by their mean size that is tried next."""


@dataclass(frozen=True, slots=True)
class PackedItems:
    """Questions of one task as text that is safe in a page: base 64 of zlib of JSON.

    ``kept`` of ``total`` questions are in it. ``tokens`` is "" where there are none, or no room for them, as ``scored``
    tells.
    """

    name: str
    total: int
    kept: int
    questions: str
    scored: bool
    tokens: str = ""


def pack_items(sets: Sequence[ItemViews], room: int) -> list[PackedItems]:
    """Pack as many questions as there is room for, evenly spread if not all; the tokens of their options if they fit.

    Parameters
    ----------
    sets : sequence of ItemViews
    room : int
        Bytes that all blocks may take.

    Returns
    -------
    list of PackedItems
        One for each set; none where there is no room for anything.
    """
    share = 1.0
    while any(int(len(own.asked) * share) for own in sets):
        kept = [own.spread(share) for own in sets]
        blocks = [_block(all_, own) for all_, own in zip(sets, kept, strict=True)]
        size = sum(len(block.questions) for block in blocks)
        if size <= room:
            return _with_tokens(blocks, kept, room - size)
        share *= SPARE * max(room, 0) / size
    return []


def _block(whole: ItemViews, own: ItemViews) -> PackedItems:
    scored = any(reply and reply.tokens for replies in own.replies for reply in replies)
    return PackedItems(own.name, len(whole.asked), len(own.asked), packed(_columns(own)), scored)


def _with_tokens(blocks: Sequence[PackedItems], kept: Sequence[ItemViews], room: int) -> list[PackedItems]:
    found = []
    for block, own in zip(blocks, kept, strict=True):
        tokens = packed(_tokens(own.replies)) if block.scored else ""
        if len(tokens) <= room:
            room -= len(tokens)
            block = replace(block, tokens=tokens)
        found.append(block)
    return found


def packed(value: Json) -> str:
    """Pack a value into text that is safe in a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()


def numbered_words(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Write texts with one character for each word: compressed, they take a third of the room.

    Returns
    -------
    list of str
        The words, each with the blanks after it; the most frequent first.
    list of str
        The texts. The word that a character stands for is that of its place among all characters from "#" on, without
        the backslash and surrogates: see ``promptOf`` in the script of the page.
    """
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    words = [word for word, _ in counts.most_common(WORDS)]
    rare = counts.keys() - set(words)
    words += sorted({letter for word in rare for letter in word} - set(words))
    signs = {word: _sign(i) for i, word in enumerate(words)}
    spelled = {word: "".join(signs[letter] for letter in word) for word in rare}
    signs |= spelled
    return words, ["".join(signs[word] for word in _WORD.findall(text)) for text in texts]


_WORD = re.compile(r"\S+\s*|\s+")


def _sign(number: int) -> str:
    place = number + ord("#")
    place += place >= ord("\\")
    return chr(place if place < 0xD800 else place + 0x800)


class _Pool(Generic[T]):
    """Different values, each with its number."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def values(self) -> list[Any]:
        return [*self._numbers]


def _columns(own: ItemViews) -> dict[str, Any]:
    """Arrange items in columns; repeated texts become numbers of ``texts``, names of options numbers of ``lists``."""
    texts: _Pool[str] = _Pool()
    lists: _Pool[tuple[int, ...]] = _Pool()

    def names(reply: Reply) -> int:
        return lists.number(tuple(texts.number(name) for name, _ in reply.shares))

    words, prompts = numbered_words([question.prompt for question in own.asked])
    columns = {
        "ids": [question.id for question in own.asked],
        "words": words,
        "prompts": prompts,
        **{
            name: [texts.number(getattr(question, name)) for question in own.asked]
            for name in ("group", "gold", "about")
        },
        "runs": [
            {
                "name": name,
                "given": [None if reply is None else texts.number(reply.given) for reply in replies],
                "names": [None if reply is None else names(reply) for reply in replies],
                "shares": [
                    None if reply is None else [round(share * SHARES) for _, share in reply.shares]
                    for reply in replies
                ],
            }
            for name, replies in zip(own.runs, own.replies, strict=True)
        ],
    }
    return {**columns, "texts": texts.values(), "lists": lists.values()}


def _tokens(replies: Sequence[Sequence[Reply | None]]) -> dict[str, Any]:
    """Arrange tokens by run, item and option.

    Each option has the number of its tokens in ``lists``, their log-probabilities, and a third member if a token
    spans a join.
    """
    lists: _Pool[tuple[tuple[str, ...], tuple[str, ...]]] = _Pool()

    def options(reply: Reply) -> Iterable[list[Any]]:
        for own in reply.tokens:
            logprobs = [round(logprob * NATS) for logprob in own.logprobs]
            yield [lists.number((own.option, own.suffix)), logprobs, *([1] if own.straddles else [])]

    runs = [[None if reply is None else [*options(reply)] for reply in own] for own in replies]
    return {"lists": lists.values(), "runs": runs}


def pack_files(files: Mapping[str, str], most: int) -> dict[str, str]:
    """Files by name as texts that are safe in a page; those that would take more bytes than ``most`` are left out."""
    made = {name: packed(content) for name, content in files.items()}
    return {name: text for name, text in made.items() if len(text) <= most}
