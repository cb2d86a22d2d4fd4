"""Cuts sentences of comparison into clauses: left words, relation, right words."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import NamedTuple

from probsense.tasks.worldsense import spans
from probsense.tasks.worldsense.lexicon import PARALLEL, PERPENDICULAR, PREPOSITIONS
from probsense.tasks.worldsense.question import ParseFailure

BETWEEN = ("between", "in between")

# "on a floor between" is no more than "between".
_SPOT = r"(?: (?:on|at|in|with) an? [a-z]+(?= (?:in )?(?:between|outside)))?"
_PLACE = "|".join(PREPOSITIONS + PARALLEL + PERPENDICULAR)
_COMPARATIVE = (
    r"(?!rather |other )"
    r"(?:(?:more|less|fewer)(?: [a-z][a-z -]*?)?|[a-z-]+er(?: (?![a-z-]+er )[a-z]+)?|worse) than"
)
# "behind of" is no more than "behind".
_PLACED = re.compile(rf"{_SPOT} ((?:in )?between|{_PLACE})(?: of)?(?= )")
_COMPARED = re.compile(rf"{_SPOT} ((?:in )?between|{_PLACE}|{_COMPARATIVE})(?: of)?(?= )")
_OUTSIDE = re.compile(rf"{_SPOT}(?: outside(?: of)? (?:.*?\bbetween )?| not (?:in )?between )")
_BOTH = re.compile(
    r"([^,]+?) and ([^,]+?) (?:are|were|run|ran) (parallel|perpendicular|orthogonal)"
    r"(?: to (?:each other|one another))?(?=,| and |$)"
)
_BLANKS = re.compile(r" +(?=,)|(?<= ) +")


class Clause(NamedTuple):
    """Left words, relation words, and one or two stretches of right words."""

    left: str
    relation: str
    right: tuple[str, ...]


def tidy(text: str) -> str:
    """Remove surplus blanks and final marks, and turn "A and B are parallel" round."""
    text = text.strip(" .?")
    if "  " in text or " ," in text:
        text = _BLANKS.sub("", text)
    if " parallel" in text or " perpendicular" in text or " orthogonal" in text:
        text = _BOTH.sub(r"\1 is \3 to \2", text)
    return text


def _relations(text: str) -> re.Pattern[str]:
    """Choose the pattern of relation words, without its slow half where the text compares no adjectives."""
    return _COMPARED if " than " in text else _PLACED


def find_relation(text: str) -> re.Match[str] | None:
    """Find the first relation in the text, its words as group 1."""
    return _relations(text).search(text)


def find_outside(text: str) -> re.Match[str] | None:
    """Find the words that put something outside a range, up to its end points."""
    return _OUTSIDE.search(text)


def cut_facts(facts: str) -> list[Clause]:
    """Cut facts at commas and at the "and" before the last, then each of them at its relation.

    Raises
    ------
    ParseFailure
        When there is no relation, or a part is missing.
    """
    found = list(_relations(facts).finditer(facts))
    if not found:
        raise ParseFailure(f"no facts are found in {facts!r}")
    relations = [match[1] for match in found]
    lefts, rights = [facts[: found[0].start()]], []
    for one, other in pairwise(found):
        right, comma, left = facts[one.end() : other.start()].rpartition(", ")
        rights.append(right if comma else left)
        lefts.append(left.removeprefix("and ") if comma else "")
    rights.append(facts[found[-1].end() :])
    # Where no comma ends a clause, its right words hold the left words of the next one too.
    joined = [i for i, left in enumerate(lefts[1:]) if not left]
    pieces: list[tuple[str, ...]] = []
    doubtful: list[int] = []
    for i, right in enumerate(rights):
        parts, wanted = right.split(" and "), _wanted(relations[i], i in joined)
        if wanted == 1:
            parts = [right]
        if len(parts) < wanted:
            raise ParseFailure(f"{wanted} parts are expected in {right.strip()!r}")
        if len(parts) > wanted:
            doubtful.append(i)
        pieces.append(tuple(parts))
    if doubtful:
        sure = [piece for i, parts in enumerate(pieces) if i not in doubtful for piece in parts]
        known_lefts = [left for left in lefts[1:] if left]
        for i in doubtful:
            wanted = _wanted(relations[i], i in joined)
            pieces[i] = best_cut(pieces[i], wanted, sure, known_lefts, i in joined)
    for i in joined:
        lefts[i + 1], pieces[i] = pieces[i][-1], pieces[i][:-1]
    return [Clause(*parts) for parts in zip(lefts, relations, pieces, strict=True)]


def _wanted(relation: str, joined: bool) -> int:
    return (2 if relation in BETWEEN else 1) + joined


def best_cut(
    parts: tuple[str, ...], wanted: int, sure: list[str], lefts: list[str], joined: bool
) -> tuple[str, ...]:
    """Rejoin a text that was cut at every "and", though some names hold an "and" themselves.

    Parameters
    ----------
    parts : tuple of str
        A text cut at every "and".
    wanted : int
        How many parts there should be.
    sure, lefts : list of str
        Right words and left words that are certain: the best parts are names that occur in them, or at least begin in
        the same way.
    joined : bool
        Whether the last part is the left words of another clause.
    """
    names = {spans.argument(words) for words in sure} | {spans.elliptic(words) for words in lefts}
    starts = {_start(words) for words in sure} | {"the"}
    left_starts = {_start(words) for words in lefts} or starts | {"to"}

    def score(cut: tuple[str, ...]) -> int:
        total = 0
        for k, words in enumerate(cut):
            left = joined and k == len(cut) - 1
            total += 2 * ((spans.elliptic(words) if left else spans.argument(words)) in names)
            total += _start(words) in (left_starts if left else starts)
        return total

    places = combinations(range(1, len(parts)), wanted - 1)
    cuts = (tuple(" and ".join(parts[a:b]) for a, b in pairwise((0, *at, len(parts)))) for at in places)
    return max(cuts, key=score)


def _start(words: str) -> str:
    return words.strip().partition(" ")[0]
