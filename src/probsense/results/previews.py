"""Previews: the few words that tell a question from the others of its list, and from its siblings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

from probsense.show.text import shared_start

SIZE: Final = 180
"""Characters of a preview."""
HEAD: Final = 70
"""Those of its first part, where there are two and both are long."""
LEAD: Final = 40
"""Characters shown at most before the place where siblings differ."""
GAP: Final = " … "
"""Stands for what is left out."""

ENDS: Final = '.!?"”’)]'
"""A piece that ends with one of these is a whole sentence."""

Piece: TypeAlias = tuple[int, int]
"""Where a piece of a text begins and ends, in characters."""

_SENTENCE: Final = re.compile(r"(?:[^\n.!?]++|[.!?](?![\"”’)\]]*\s))+[.!?]*[\"”’)\]]*")


def previews(prompts: Sequence[str], clusters: Sequence[str]) -> list[tuple[Piece, ...]]:
    """Choose the pieces of each prompt that a list shows.

    They are the first sentence that fewest clusters have, so what the question is about, and what not all siblings
    have, so the question itself; without siblings, the last sentences that fewest clusters have. Instructions and
    examples that all prompts share are left out.

    Parameters
    ----------
    prompts, clusters : sequence of str, shape (items,)
        Items of one cluster are siblings.

    Returns
    -------
    list of tuple of (int, int)
        For each prompt, the pieces in their order: :func:`preview` puts them together.
    """
    split = [_sentences(prompt) for prompt in prompts]
    texts = [[prompt[a:b] for a, b in pieces] for prompt, pieces in zip(prompts, split, strict=True)]
    families: dict[str, list[int]] = defaultdict(list)
    for i, cluster in enumerate(clusters):
        families[cluster].append(i)
    # How many clusters have a sentence in its place: an example before one question may be the question of another.
    spread = Counter(
        placed for own in families.values() for placed in {p for i in own for p in _placed(texts[i])}
    )
    found: list[tuple[Piece, ...]] = [()] * len(prompts)
    for own in families.values():
        siblings = Counter(text for i in own for text in {*texts[i]})
        for i in own:
            others = [t for j in own if j != i for t in texts[j] if siblings[t] < len(own)]
            found[i] = _chosen(prompts[i], split[i], texts[i], spread, siblings, len(own), others)
    return found


def preview(prompt: str, pieces: Sequence[Piece]) -> str:
    """Put the pieces of a prompt together on one line, with :data:`GAP` where a sentence is cut or left out between."""
    said = ""
    for place, (a, b) in enumerate(pieces):
        before = prompt[pieces[place - 1][1] if place else 0 : a]
        said += (GAP if place and before.strip() else " ") + prompt[a:b]
    if said and said[-1] not in ENDS and prompt[pieces[-1][1] :].strip():
        said += GAP
    return " ".join(said.split())


def _placed(texts: Sequence[str]) -> list[tuple[str, int]]:
    """Name the place of each sentence, counted from the end, where the question stands."""
    return [(text, len(texts) - k) for k, text in enumerate(texts)]


def _sentences(prompt: str) -> list[Piece]:
    found = []
    for match in _SENTENCE.finditer(prompt):
        text = match[0]
        if text.strip():
            found.append((match.start() + len(text) - len(text.lstrip()), match.start() + len(text.rstrip())))
    return found


def _chosen(
    prompt: str,
    pieces: Sequence[Piece],
    texts: Sequence[str],
    spread: Counter[tuple[str, int]],
    siblings: Counter[str],
    family: int,
    others: Sequence[str],
) -> tuple[Piece, ...]:
    if not pieces:
        return ()
    counts = [spread[placed] for placed in _placed(texts)]
    own = [k for k, count in enumerate(counts) if count == min(counts)]
    new = [k for k, text in enumerate(texts) if siblings[text] < family]
    kept = [pieces[k] for k in (sorted({own[0], *new}) if new else _last(own, pieces))]
    whole = _joined(prompt, kept)
    if sum(b - a for a, b in whole) <= SIZE:
        return whole
    first, told = kept[0], pieces[new[0]] if new else kept[-1]
    start = told[0] + _difference(prompt[told[0] : told[1]], others)
    if start - first[0] <= HEAD:  # What tells siblings apart follows at once.
        return ((first[0], _word_end(prompt, first[0] + SIZE)),)
    start = max(told[0], _word_start(prompt, start - LEAD))
    head = (first[0], min(first[1], _word_end(prompt, first[0] + HEAD), start))
    end = kept[-1][1]
    return _joined(prompt, [head, (start, min(end, _word_end(prompt, start + SIZE - HEAD)))])


def _last(own: Sequence[int], pieces: Sequence[Piece]) -> Sequence[int]:
    """Take the last sentence, and those just before it as far as there is room."""
    first = last = own[-1]
    while first - 1 in own and pieces[last][1] - pieces[first - 1][0] <= SIZE:
        first -= 1
    return range(first, last + 1)


def _difference(text: str, others: Sequence[str]) -> int:
    """Return where a text parts from the one that is most like it."""
    return max((shared_start(text, other) for other in others), default=0)


def _joined(prompt: str, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Make one of pieces with nothing but white space between them."""
    found: list[Piece] = []
    for a, b in pieces:
        if found and not prompt[found[-1][1] : a].strip():
            found[-1] = (found[-1][0], b)
        else:
            found.append((a, b))
    return tuple(found)


def _word_start(text: str, place: int) -> int:
    return text.rfind(" ", 0, max(place, 0)) + 1


def _word_end(text: str, place: int) -> int:
    if place >= len(text):
        return len(text)
    end = text.rfind(" ", 0, place + 1)
    return end if end > place - HEAD else place
