"""Every item of some runs with what was answered, and its tokens, as a page lets a reader look at them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, zip_longest
from typing import Any, Final, TypeVar

from probsense.core.names import short_ids
from probsense.runs.run import Run
from probsense.runs.transcripts import Reply, Transcript
from probsense.tasks.base import PeopleAnswers

T = TypeVar("T")

MOST = 24
"""Options or different texts that are shown at most: the most probable ones."""
ITEMS: Final = 20_000
"""Items of a task that are looked at one by one, at most; a page has room for fewer."""
SHORT = 60
"""Characters of what a task knows of an item, beyond which it is not told."""
SHARES: Final = 1000
"""Shares are kept in thousandths, log-probabilities in hundredths of a nat,"""
NATS: Final = 100
PERCENT: Final = 100
"""and what options do not have in hundredths."""


@dataclass(frozen=True, slots=True)
class ItemViews:
    """The items of one task, and what each run answered.

    Attributes
    ----------
    name : str
        The title of the task.
    task : str
        The name of the task.
    runs : sequence of Mapping
        The name of each run, the method by which it asked, and the view by which its shares follow from the tokens,
        with what that means; "" where there is no choice.
    asked : sequence of Mapping
        What was asked, as :func:`item_view` tells it; in ``replies``, what :func:`reply_view` tells of each run, None
        where the run did not ask it.
    left_out : int
        Number of items that are not among these.
    """

    name: str
    task: str
    runs: Sequence[Mapping[str, str]]
    asked: Sequence[Mapping[str, Any]]
    left_out: int = 0

    def spread(self, share: float) -> ItemViews:
        """Keep a share of the items, at even distances."""
        kept = _even(self.asked, int(len(self.asked) * share))
        return replace(self, asked=kept, left_out=self.left_out + len(self.asked) - len(kept))

    @property
    def scored(self) -> bool:
        """Whether options have tokens."""
        return any(reply and "tokens" in reply for item in self.asked for reply in item["replies"])


def item_views(runs: Sequence[Run]) -> ItemViews:
    """Collect the items of runs of one task. The same question in several runs is one item, however each put it.

    Of more than :data:`ITEMS` different ids, that many are chosen, at even distances.
    """
    found: dict[Hashable, dict[int, Transcript]] = {}
    ids = [*dict.fromkeys(item.id for run in runs for item in run.items)]
    chosen = {*_even(ids, ITEMS)}
    for i, run in enumerate(runs):
        for one in run.transcripts([item for item in run.items if item.id in chosen]):
            found.setdefault(_key(one), {})[i] = one
    firsts = [next(iter(own)) for own in found.values()]
    short = short_ids([own[i].item.id for i, own in zip(firsts, found.values(), strict=True)])
    return ItemViews(
        runs[0].words.title,
        runs[0].record.task,
        [
            {"name": f"{run.model}, asked by {run.method}", "method": run.method, "view": _rule(run)}
            for run in runs
        ],
        [
            item_view(runs[i], name, [own.get(k) for k in range(len(runs))])
            for i, name, own in zip(firsts, short, found.values(), strict=True)
        ],
        len(ids) - len(chosen),
    )


def _even(found: Sequence[T], most: int) -> Sequence[T]:
    """Choose so many of a sequence at most, at even distances."""
    count = min(most, len(found))
    return [found[i * len(found) // count] for i in range(count)]


def _rule(run: Run) -> str:
    rule = getattr(run.task, "rule", "") if run.method == "options" else ""
    meaning = run.words.values.get(("view", rule), "")
    return f"{rule}: {meaning}" if meaning else rule


def item_view(run: Run, short: str, asked: Sequence[Transcript | None]) -> dict[str, Any]:
    """Tell what was asked in the words of the first run that asked it, how people answered, and how much runs differ.

    Parameters
    ----------
    run : Run
        The first one that asked.
    short : str
        The id in few characters: see :func:`~probsense.core.names.short_ids`.
    asked : sequence of Transcript or None
        What each run asked.
    """
    one = next(each for each in asked if each)
    item, column = one.item, run.words.item_group
    people = run.task.people(item)
    apart = difference([each.reply for each in asked if each and each.reply])
    return {
        "id": item.id,
        "short": short,
        "group": str(one.row.get(column, item.data.get(column, ""))),
        "prompt": one.prompt,
        "gold": one.gold,
        "about": _about(one, column),
        "difference": None if apart is None else rounded(apart),
        "people": None if people is None else _people(people),
        "replies": [reply_view(each, one.prompt) if each else None for each in asked],
    }


def _people(known: PeopleAnswers) -> dict[str, Any]:
    return {
        "shares": [[name, rounded(share)] for name, share in known.shares[:MOST]],
        "others": max(0, len(known.shares) - MOST),
        "n": known.n,
        "most": known.most,
        "illustrative": known.illustrative,
    }


def _key(one: Transcript) -> Hashable:
    """Tell questions apart by what the item says, where the prompt has it all, and else by the prompt."""
    return one.item.id, one.item.cluster, one.gold, _said(one) or one.prompt


def _about(one: Transcript, column: str) -> str:
    """Put in words what the task knows of an item, except what the question says anyway."""
    known = {
        key: str(value)
        for key, value in one.item.data.items()
        if key != column and isinstance(value, str | int) and value not in _said(one)
    }
    return " · ".join(f"{key}: {value}" for key, value in known.items() if len(value) <= SHORT)


def _said(one: Transcript) -> tuple[str, ...]:
    """Return the phrases of an item that its prompt has."""
    data = one.item.data.values()
    return tuple(value for value in data if isinstance(value, str) and " " in value and value in one.prompt)


def reply_view(one: Transcript, prompt: str) -> dict[str, Any]:
    """Tell what was answered: at most :data:`MOST` shares, the largest. What few have is left out where there is none.

    Parameters
    ----------
    one : Transcript
    prompt : str
        How the item puts the question; the run's own words are told where they are others.
    """
    reply = one.reply
    if reply is None:
        return {"failed": True}
    rows = [*zip_longest(reply.shares, _tokens(reply))]
    if len(rows) > MOST:
        rows = sorted(rows, key=lambda row: -row[0][1])[:MOST]
    texts = Counter(text.strip() for text in reply.texts).most_common(MOST)
    names, shares = [*zip(*(named for named, _ in rows), strict=True)] or [(), ()]
    few = {
        "among": _among_allowed(shares, reply.rest),
        "rest": _rest(shares, reply.rest),
        "outside": None if reply.outside is None else rounded(reply.outside, PERCENT),
        "tied": reply.tied,
        "prompt": "" if one.prompt == prompt else one.prompt,
        "texts": () if {text for text, _ in texts} <= {*names} else texts,
        "tokens": [own for _, own in rows if own],
    }
    return {
        "given": reply.given,
        "shares": [*zip(names, map(rounded, shares), strict=True)],
        **{name: value for name, value in few.items() if value not in (None, "", (), [])},
    }


def rounded(share: float, parts: int = SHARES) -> float:
    """Round a share to parts of 1; half a part more than none or less than all stands for what is not quite that."""
    found = round(share * parts)
    if found == 0 < share:
        return 0.5
    return parts - 0.5 if found == parts and share < 1 else found


def _among_allowed(shares: Sequence[float], rest: float | None) -> list[float]:
    """Return the shares among the answers that count, where there is something else; nothing where there is not.

    Thousandths of all would not tell what little there may be of them.
    """
    # If all are there, their sum is exact where the rest is nearly everything.
    total = sum(shares) if len(shares) < MOST else 1 - (rest or 0.0)
    return [rounded(min(1.0, share / total)) for share in shares] if rest and total else []


def _rest(shares: Sequence[float], rest: float | None) -> float | None:
    if rest is None:
        return None
    return min(rounded(rest), SHARES - 0.5) if any(shares) else rounded(rest)


def _tokens(reply: Reply) -> list[list[Any]]:
    """Tell the tokens of each option and of what follows it, as readers know them, with their log-probabilities."""
    request = reply.request
    if request is None or any(score.option.only_sum for score in reply.scores):
        return []
    found = []
    for option, score in zip(request.options, reply.scores, strict=True):
        cut = len(score.option.tokens)
        texts = token_texts((*score.option.tokens, *score.suffix.tokens), option + request.suffix)
        logprobs = [round(one * NATS) for one in (*score.option.logprobs, *score.suffix.logprobs)]
        found.append([texts[:cut], texts[cut:], logprobs, score.straddles])
    return found


def difference(replies: Sequence[Reply]) -> float | None:
    """Compute the largest total variation between any two runs' distributions of the answers to an item.

    Returns
    -------
    float or None
        From 0 to 1; None for fewer than two replies.
    """
    return max((total_variation(*pair) for pair in combinations(replies, 2)), default=None)


def total_variation(first: Reply, second: Reply) -> float:
    """Compute how much probability would have to move to turn one distribution into the other: Σ|p − q|/2.

    Everything that has no name counts as one answer. If one of the two knows nothing of it, both are compared on what
    they give to answers with a name.

    Returns
    -------
    float
        From 0, the same, to 1, nothing in common. 1 too where only one of them gives anything to answers with a name,
        and only these can be compared.
    """
    p, q = dict(first.shares), dict(second.shares)
    if first.rest is None or second.rest is None:
        p, q = _among(p), _among(q)
        rest = abs(sum(p.values()) - sum(q.values()))
    else:
        rest = abs(first.rest - second.rest)
    moved = sum(abs(p.get(name, 0.0) - q.get(name, 0.0)) for name in {**p, **q})
    return min(1.0, (moved + rest) / 2)


def _among(shares: Mapping[str, float]) -> dict[str, float]:
    """Return the shares of answers with a name among these alone."""
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()} if total else {}


VISIBLE: Final = str.maketrans({" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"})
"""Marks for white space that would not be seen."""

_BYTE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_PART: Final = re.compile(r"[\udc80-\udcff]+")


def token_texts(tokens: Sequence[str], text: str) -> tuple[str, ...]:
    """Read the pieces of a tokenizer as the text that they stand for.

    Pieces are plain text, or they follow one of two conventions: characters in place of bytes (GPT-2; "Ġ" is a
    blank), or "▁" for a blank with bytes as "<0x0A>" (SentencePiece). Right is the convention by which they spell the
    text. Where none does, as where a token spans the beginning, they count as those of GPT-2 if they can be these.

    Parameters
    ----------
    tokens : sequence of str
    text : str
        What they spell, perhaps without the blank before it.

    Returns
    -------
    tuple of str
        One for each token. White space has the marks of :data:`VISIBLE`; the bytes of a part of a character stand as
        ⟨E2 96⟩.
    """
    readings = [found for read in (_plain, _sentencepiece, _gpt2) if (found := read(tokens)) is not None]
    return tuple(map(_visible, next((found for found in readings if _spell(found, text)), readings[-1])))


def _spell(pieces: Sequence[bytes], text: str) -> bool:
    """Tell whether pieces are a text, but for white space around it; white space alone must be the same."""
    own, wanted = b"".join(pieces), text.encode(errors="replace")
    return own == wanted or (own.strip() == wanted.strip() != b"")


def _plain(tokens: Sequence[str]) -> list[bytes]:
    return [token.encode(errors="replace") for token in tokens]


def _gpt2(tokens: Sequence[str]) -> list[bytes] | None:
    """Read characters in place of bytes; None if one of them stands for no byte."""
    known = _gpt2_bytes()
    if not all(c in known for token in tokens for c in token):
        return None
    return [bytes(known[c] for c in token) for token in tokens]


@lru_cache(maxsize=1)
def _gpt2_bytes() -> dict[str, int]:
    """Map the characters of byte-level tokenizers (Radford et al. 2019) to bytes: printable ones are themselves."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    return {chr(byte): byte for byte in own} | {chr(256 + i): byte for i, byte in enumerate(others)}


def _sentencepiece(tokens: Sequence[str]) -> list[bytes]:
    return [
        bytes.fromhex(found[1]) if (found := _BYTE.fullmatch(token)) else _plain([token.replace("▁", " ")])[0]
        for token in tokens
    ]


def _visible(piece: bytes) -> str:
    text = piece.decode(errors="surrogateescape").translate(VISIBLE)
    return _PART.sub(lambda part: f"⟨{part[0].encode(errors='surrogateescape').hex(' ').upper()}⟩", text)
