"""Packs items and files as compressed data into a page, whose script unpacks them when a reader looks at them."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, Final, Generic, TypeVar

from probsense.core.names import CUT
from probsense.core.records import Json
from probsense.results.items import MOST, ItemView, ItemViews, Reply
from probsense.tasks.base import PeopleAnswers

T = TypeVar("T", bound=Hashable)

SHARES = 1000
"""Shares are kept in thousandths, log-probabilities in hundredths of a nat,"""
NATS = 100
PERCENT = 100
"""and what options do not have in hundredths."""
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
    task: str = ""


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
    return PackedItems(
        own.name,
        whole.left_out + len(whole.asked),
        len(own.asked),
        packed(_columns(own)),
        scored,
        task=own.task,
    )


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


def rounded(share: float, parts: int = SHARES) -> float:
    """Round a share to parts of 1; half a part more than none or less than all stands for what is not quite that."""
    found = round(share * parts)
    if found == 0 < share:
        return 0.5
    return parts - 0.5 if found == parts and share < 1 else found


def _columns(own: ItemViews) -> dict[str, Any]:
    """Arrange items in columns.

    The prompts are those of the items, then those in which single runs asked. Repeated texts become numbers of
    ``texts``; tuples of numbers, as the names of options, those of ``lists``. A run's answer is null where it did not
    ask, and ``FAILED`` where it got none.
    """
    texts: _Pool[str] = _Pool()
    lists: _Pool[tuple[int, ...]] = _Pool()
    people: _Pool[PeopleAnswers | None] = _Pool()
    others: _Pool[str] = _Pool()
    runs = [_run(replies, texts, lists, others) for replies in own.replies]
    words, prompts = numbered_words([*(question.prompt for question in own.asked), *others.values()])
    columns = {
        "ids": [question.id for question in own.asked],
        "short": [_length(question) for question in own.asked],
        "words": words,
        "prompts": prompts,
        "pieces": [lists.number((*chain(*question.pieces),)) for question in own.asked],
        "people": [people.number(question.people) for question in own.asked],
        "difference": [
            None if question.difference is None else rounded(question.difference) for question in own.asked
        ],
        **{
            name: [texts.number(getattr(question, name)) for question in own.asked]
            for name in ("group", "gold", "about")
        },
        "runs": [
            {"name": name, "method": method, "view": view, **run}
            for name, method, view, run in zip(
                own.runs, own.methods or repeat(""), own.views or repeat(""), runs, strict=False
            )
        ],
        "peoples": [None if known is None else _people(known) for known in people.values()],
    }
    return {**columns, "texts": texts.values(), "lists": lists.values()}


FAILED: Final = -1


def _run(
    replies: Sequence[Reply | None], texts: _Pool[str], lists: _Pool[tuple[int, ...]], others: _Pool[str]
) -> dict[str, Any]:
    """Arrange the answers of a run; what few of them have is kept by the number of the item."""

    def given(reply: Reply | None) -> int | None:
        return None if reply is None else FAILED if reply.failed else texts.number(reply.given)

    known = [None if reply is None or reply.failed else reply for reply in replies]
    there = {str(i): reply for i, reply in enumerate(known) if reply}
    return {
        "given": [given(reply) for reply in replies],
        "names": [
            None if reply is None else lists.number(tuple(texts.number(name) for name, _ in reply.shares))
            for reply in known
        ],
        "shares": [
            None if reply is None else [rounded(share) for _, share in reply.shares] for reply in known
        ],
        "among": {i: among for i, reply in there.items() if (among := _among(reply))},
        "rest": _known([None if reply is None else _rest(reply) for reply in known]),
        "outside": _known([None if reply is None else _outside(reply) for reply in known]),
        "tied": {i: [texts.number(name) for name in reply.tied] for i, reply in there.items() if reply.tied},
        "prompts": {
            i: len(replies) + others.number(reply.prompt) for i, reply in there.items() if reply.prompt
        },
        "texts": {
            i: [[texts.number(text), count] for text, count in reply.texts]
            for i, reply in there.items()
            if reply.texts
        },
    }


def _among(reply: Reply) -> list[float]:
    """Return the shares among the answers that count, where there is something else; nothing where there is not.

    Thousandths of all would not tell what little there may be of them.
    """
    shares = [share for _, share in reply.shares]
    # If all are there, their sum is exact where the rest is nearly everything.
    total = sum(shares) if len(shares) < MOST else 1 - (reply.rest or 0.0)
    return [rounded(min(1.0, share / total)) for share in shares] if reply.rest and total else []


def _known(values: Sequence[float | None]) -> Sequence[float | None]:
    """Return the values, or none at all where no one is known."""
    return values if any(value is not None for value in values) else []


def _outside(reply: Reply) -> float | None:
    return None if reply.outside is None else rounded(reply.outside, PERCENT)


def _rest(reply: Reply) -> float | None:
    if reply.rest is None:
        return None
    found = rounded(reply.rest)
    return min(found, SHARES - 0.5) if any(share for _, share in reply.shares) else found


def _length(question: ItemView) -> int:
    """Say how much of an id is its short form: characters from the beginning, or below 0 from the end; 0 for all."""
    if question.short in ("", question.id):
        return 0
    kept = len(question.short) - len(CUT)
    return kept if question.short.endswith(CUT) else -kept


def _people(known: PeopleAnswers) -> dict[str, Any]:
    return {
        "shares": [[name, rounded(share)] for name, share in known.shares[:MOST]],
        "others": max(0, len(known.shares) - MOST),
        "n": known.n,
        "most": known.most,
        "illustrative": known.illustrative,
    }


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
