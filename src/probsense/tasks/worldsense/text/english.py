"""The English of comparisons: what sentences say of things whose names are taken out.

A sentence is written with "§" in the place of each name, as in "does § arrive before §".
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import Formatter
from typing import NamedTuple

from probsense.tasks.worldsense.text.lexicon import (
    PARALLEL,
    PERPENDICULAR,
    PREPOSITIONS,
    Senses,
    StoryAxis,
    axis_from,
    extreme_senses,
    known,
    oriented,
    relation_senses,
)
from probsense.tasks.worldsense.text.logic import ParseFailure, Relation

NAME = "§"
"""What stands in a sentence in the place of a name."""

LINES = ("parallel", "perpendicular")
"""The relations of lines."""
BETWEEN = ("between", "in between")

_COMPARATIVE = (
    r"(?!rather |other )"
    r"(?:(?:more|less|fewer)(?: [a-z][a-z -]*?)?|[a-z-]+er(?: (?![a-z-]+er )[a-z]+)?|worse) than"
)
_PLACE = "|".join(PREPOSITIONS + PARALLEL + PERPENDICULAR)
_RELATION = re.compile(rf" ((?:in )?between|{_PLACE}|{_COMPARATIVE})(?= )")
_OUTSIDE = re.compile(r" (?:outside|not (?:in )?between) ")
_BOTH = re.compile(r" (?:are|were|run|ran) (parallel|perpendicular|orthogonal)\b")
NEGATION = re.compile(r"\b(?:not|no|never|nor|neither|hardly|nobody|nothing)\b|n't\b")
_EXTREME = re.compile(
    r" (?:(?:the (?:very )?|her |his |their )"
    r"((?:most|least) [a-z]+|[a-z]+est|[a-z]+most|first|last|best|worst|winner|loser)\b"
    r"|(?:at|in|on|to) the (?:very |far )?(front|back|top|bottom|left|right|rear)\b|(first|last)$)"
)
_ALL_OTHERS = re.compile(
    r" (?:of )?(?:all|every|each|any|everyone|everybody|everything|the (?:others?|rest))\b"
)
_FROM_TO = re.compile(
    r"\bfrom (?:the )?((?:most |least )?[a-z]+)\b.* to (?:the )?((?:most |least )?[a-z]+)\b", re.IGNORECASE
)
_END = re.compile(r"\b(?:[a-z]+(?:est|most)|left|right|top|bottom|front|back)\b")


class Sentence(NamedTuple):
    """What a sentence says of the things that it names.

    Attributes
    ----------
    relation : str or None
        That of a claim; None where it takes the axis of the story to tell what the words say.
    order : tuple of int
        Which of its names are the arguments: their places in the sentence, in the order of the claim.
    words : str
        The words that compare two things, or one thing with all others; "" where the relation is known.
    senses : tuple
        Where these words point.
    """

    relation: Relation | None
    order: tuple[int, ...]
    words: str = ""
    senses: Senses = ()

    def along(self, axis: StoryAxis) -> tuple[Relation, tuple[int, ...]]:
        """Return relation and arguments in a story of this axis; "foreign" where the words are about something else."""
        if self.relation:
            return self.relation, self.order
        sign = axis.sign(self.senses)
        if not sign:
            return "foreign", ()
        if len(self.order) == 1:
            return "first" if sign > 0 else "last", self.order
        return "before", self.order[::sign]


def nameless(template: str) -> tuple[str, str]:
    """Write a template with "§" for each name; return it with the letters of its names, in its order."""
    letters = "".join(field for _, field, _, _ in Formatter().parse(template) if field)
    return template.format(**dict.fromkeys(letters, NAME)), letters


@lru_cache(maxsize=1 << 14)
def english(sentence: str) -> Sentence | None:
    """Read a sentence with "§" for each name; None where it says nothing that is known."""
    _, *after = sentence.split(NAME)
    if not after:
        return None
    outside = len(after) == 3 and _OUTSIDE.search(after[0])
    if outside:
        return Sentence("outside", (0, 1, 2))
    if NEGATION.search(sentence):
        return None
    if len(after) == 1:
        return _of_one(after[0])
    both = _BOTH.match(after[1]) if after[0] in (" and ", " and the ") else None
    relations = [f"{both[1]} to"] if both else _RELATION.findall(after[0])
    if len(relations) != 1 or len(after) != 2 + (relations[0] in BETWEEN):
        return None
    return _of_two(relations[0]) if len(after) == 2 else Sentence("between", (0, 1, 2))


def _of_two(words: str) -> Sentence:
    if words in PARALLEL:
        return Sentence("parallel", (0, 1))
    if words in PERPENDICULAR:
        return Sentence("perpendicular", (0, 1))
    return Sentence(None, (0, 1), words, relation_senses(words))


def _of_one(words: str) -> Sentence | None:
    """Read the words after the only name of a sentence."""
    relation, extreme = _RELATION.search(words), _EXTREME.search(words)
    # "To the left of" names no end.
    if extreme and not (relation and relation.start() <= extreme.start() < relation.end()):
        end = extreme[1] or extreme[2] or extreme[3]
        return Sentence(None, (0,), end, extreme_senses(end))
    if relation and _ALL_OTHERS.match(words, relation.end()):
        return Sentence(None, (0,), relation[1], relation_senses(relation[1]))
    return None


def list_axis(sentence: str) -> StoryAxis:
    """Read the axis of a list from its introduction; it starts at the first item.

    Raises
    ------
    ParseFailure
    """
    match = _FROM_TO.search(sentence)
    if match:
        return axis_from(extreme_senses(match[1].lower()), extreme_senses(match[2].lower()))
    for word in _END.findall(sentence):
        senses = extreme_senses(word)
        if known(senses):
            return oriented(senses)
    if "order" not in sentence:
        raise ParseFailure("the list does not say in which order it stands")
    return StoryAxis({"time": 1})
