"""The English of comparisons: words that compare, and what sentences say of things whose names are taken out.

A word points one way in one or more dimensions, and the words of a story share an axis. A sentence is written with "§"
in the place of each name, as in "does § arrive before §".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

import yaml

from probsense.tasks.worldsense.text.logic import ParseFailure, Relation

Senses: TypeAlias = Mapping[str, int]
"""The dimensions of a word, or of the axis of a story, each with the direction there: +1 or -1."""

_LEXICON: Final[dict[str, Any]] = yaml.safe_load(
    (files(__package__) / "lexicon.yaml").read_text(encoding="utf-8")
)


def _words(text: str) -> list[str]:
    return [word.replace("_", " ") for word in text.split()]


def _read_senses(table: Mapping[str, list[str]]) -> dict[str, dict[str, int]]:
    """List the senses of every word of a table of dimensions with their two sides."""
    senses: dict[str, dict[str, int]] = {}
    for dimension, sides in table.items():
        for sign, side in zip((1, -1), sides, strict=True):
            for word in _words(side):
                senses.setdefault(word, {})[dimension] = sign
    return senses


_ADJECTIVES = _read_senses(_LEXICON["adjectives"])
_PLACES = _read_senses(_LEXICON["places"])
_IRREGULAR: Final[Mapping[str, str]] = _LEXICON["irregular"]
_DEGREES: Final = {"more": 1, "most": 1, "less": -1, "least": -1, "fewer": -1}
_ENDING = re.compile("(?:er|est)$")
_PREPOSITIONS = sorted(_words(_LEXICON["prepositions"]), key=len, reverse=True)
"""Words that stand between two arguments, longest first."""

_OF_LINES: Final[Mapping[str, Relation]] = {
    "parallel to": "parallel",
    "parallel with": "parallel",
    "perpendicular to": "perpendicular",
    "orthogonal to": "perpendicular",
    "at right angles to": "perpendicular",
    "at a right angle to": "perpendicular",
}


def turned(senses: Senses, way: int) -> Senses:
    """Point the senses of a word, or an axis, the same way (1) or the other way (-1)."""
    return {dimension: way * direction for dimension, direction in senses.items()}


@cache
def senses_of(words: str) -> Senses:
    """Return the senses of words that compare two things, or name an end.

    They stand between two arguments ("after", "left of", "older than", "less happy than") or alone ("first",
    "leftmost", "oldest", "least happy"). "More than" and "less than" without an adjective are a dimension of their own,
    and so are words that the lexicon does not know.
    """
    phrase = words.removesuffix(" than")
    degree, _, rest = phrase.partition(" ")
    if degree in _DEGREES:
        return turned(_ADJECTIVES.get(rest) or {f"?{rest}": 1}, _DEGREES[degree])
    for place in (phrase, phrase.removesuffix("most")):
        if place in _PLACES:
            return _PLACES[place]
    if rest:  # In "longer period than", the longer one is not the entity.
        return {f"?{phrase}": 1}
    stem = _ENDING.sub("", phrase)
    bases = (_IRREGULAR.get(phrase, phrase), stem, f"{stem}e", f"{stem.removesuffix('i')}y", stem[:-1])
    return next((_ADJECTIVES[base] for base in bases if base in _ADJECTIVES), {f"?{stem}": 1})


def known(senses: Senses) -> bool:
    """Whether the lexicon knows a dimension of the word."""
    return bool(senses) and not next(iter(senses)).startswith("?")


@cache
def shared_axis(relations: frozenset[str]) -> Senses:
    """Find the axis that all relation words of a story share.

    Raises
    ------
    ParseFailure
        When the words have no dimension in common.
    """
    if not relations:
        return {}
    first, *others = (senses_of(words) for words in sorted(relations))
    shared = {one: direction for one, direction in first.items() if all(one in senses for senses in others)}
    if shared:
        return turned(shared, next(iter(shared.values())))
    raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")


NAME: Final = "§"
"""What stands in a sentence in the place of a name."""

_COMPARATIVE = (
    r"(?!rather |other )"
    r"(?:(?:more|less|fewer)(?: [a-z][a-z -]*?)?|[a-z-]+er(?: (?![a-z-]+er )[a-z]+)?|worse) than"
)
_RELATION = re.compile(rf" ((?:in )?between|{'|'.join([*_PREPOSITIONS, *_OF_LINES])}|{_COMPARATIVE})(?= )")
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
    senses : Mapping
        Where these words point.
    """

    relation: Relation | None
    order: tuple[int, ...]
    words: str = ""
    senses: Senses = MappingProxyType({})

    def along(self, axis: Senses) -> tuple[Relation, tuple[int, ...]]:
        """Return relation and arguments in a story of this axis; "foreign" where the words are about something else."""
        if self.relation:
            return self.relation, self.order
        sign = next((way * axis[one] for one, way in self.senses.items() if one in axis), 0)
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
def read_sentence(sentence: str) -> Sentence | None:
    """Read a sentence with "§" for each name; None where it says nothing that is known."""
    _, *after = sentence.split(NAME)
    if not after:
        return None
    outside = len(after) == 3 and _OUTSIDE.search(after[0])
    if NEGATION.search(_OUTSIDE.sub(" ", sentence) if outside else sentence):
        return None
    if outside:
        return Sentence("outside", (0, 1, 2))
    if len(after) == 1:
        return _of_one(after[0])
    both = _BOTH.match(after[1]) if after[0] in (" and ", " and the ") else None
    relations = [f"{both[1]} to"] if both else _RELATION.findall(after[0])
    if len(relations) != 1 or len(after) != 2 + (relations[0] in ("between", "in between")):
        return None
    if len(after) == 3:
        return Sentence("between", (0, 1, 2))
    words = relations[0]
    if words in _OF_LINES:
        return Sentence(_OF_LINES[words], (0, 1))
    return Sentence(None, (0, 1), words, senses_of(words))


def _of_one(words: str) -> Sentence | None:
    """Read the words after the only name of a sentence."""
    relation, extreme = _RELATION.search(words), _EXTREME.search(words)
    # "To the left of" names no end.
    if extreme and not (relation and relation.start() <= extreme.start() < relation.end()):
        end = extreme[1] or extreme[2] or extreme[3]
        return Sentence(None, (0,), end, senses_of(end))
    if relation and _ALL_OTHERS.match(words, relation.end()):
        return Sentence(None, (0,), relation[1], senses_of(relation[1]))
    return None


def list_axis(sentence: str) -> Senses:
    """Read the axis of a list from its introduction; it starts at the first item.

    Raises
    ------
    ParseFailure
    """
    if match := _FROM_TO.search(sentence):
        start, end = (senses_of(word.lower()) for word in match.groups())
        opposite = {one: direction for one, direction in start.items() if end.get(one) == -direction}
        return opposite or {next(iter(start)): 1, next(iter(end)): -1}
    for word in _END.findall(sentence):
        senses = senses_of(word)
        if known(senses):
            return senses
    if "order" not in sentence:
        raise ParseFailure("the list does not say in which order it stands")
    return {"time": 1}
