"""English words that compare: their dimensions with two directions, and the axis that a story's words share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import yaml

from probsense.tasks.worldsense.text.logic import ParseFailure

Senses: TypeAlias = tuple[tuple[str, int], ...]
"""The dimensions of a word, each with its direction there: +1 or -1."""


def _read() -> dict[str, Any]:
    text = (files(__package__) / "lexicon.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in text.split())


def _senses(table: dict[str, list[str]]) -> dict[str, Senses]:
    """List the senses of every word of a table of dimensions with their two sides."""
    senses: dict[str, dict[str, int]] = {}
    for dimension, sides in table.items():
        for sign, side in zip((1, -1), sides, strict=True):
            for word in _words(side):
                senses.setdefault(word, {})[dimension] = sign
    return {word: tuple(found.items()) for word, found in senses.items()}


_LEXICON = _read()
_ADJECTIVES = _senses(_LEXICON["adjectives"])
_PLACES = _senses(_LEXICON["places"])
_IRREGULAR: dict[str, str] = _LEXICON["irregular"]

PREPOSITIONS = tuple(sorted(_words(_LEXICON["prepositions"]), key=len, reverse=True))
"""Words that stand between two arguments, longest first."""

PARALLEL = ("parallel to", "parallel with")
PERPENDICULAR = ("perpendicular to", "orthogonal to", "at right angles to", "at a right angle to")


def _adjective(base: str) -> Senses:
    """Return the senses of a positive form; an unknown one is a dimension by itself."""
    return _ADJECTIVES.get(base) or ((f"?{base}", 1),)


def _inflected(word: str, ending: str) -> Senses:
    """Return the senses of a comparative (ending "er") or superlative ("est")."""
    if word in _IRREGULAR:
        return _ADJECTIVES[_IRREGULAR[word]]
    stem = word.removesuffix(ending)
    for base in (stem, stem + "e", stem.removesuffix("i") + "y", stem[:-1]):
        if base in _ADJECTIVES:
            return _ADJECTIVES[base]
    return ((f"?{stem}", 1),)


def _turned(senses: Senses, sign: int) -> Senses:
    return tuple((axis, sign * direction) for axis, direction in senses)


@cache
def relation_senses(words: str) -> Senses:
    """Return the senses of the words between two arguments: "after", "left of", "older than", "less happy than".

    "More than" and "less than" without an adjective are a dimension of their own.
    """
    if words in _PLACES:
        return _PLACES[words]
    phrase = words.removesuffix(" than")
    degree, _, rest = phrase.partition(" ")
    if degree == "more":
        return _adjective(rest)
    if degree in ("less", "fewer"):
        return _turned(_adjective(rest), -1)
    if rest:  # In "longer period than", the longer one is not the entity.
        return ((f"?{phrase}", 1),)
    return _inflected(degree, "er")


@cache
def extreme_senses(words: str) -> Senses:
    """Return the senses of the words that name an end: "first", "leftmost", "oldest", "least happy"."""
    if words in _PLACES:
        return _PLACES[words]
    degree, _, rest = words.partition(" ")
    if rest:
        return _turned(_adjective(rest), -1 if degree == "least" else 1)
    if words.endswith("most"):
        return _PLACES.get(words.removesuffix("most")) or ((f"?{words}", 1),)
    return _inflected(words, "est")


def known(senses: Senses) -> bool:
    """Whether the lexicon knows a dimension of the word."""
    return bool(senses) and not senses[0][0].startswith("?")


@dataclass(frozen=True, slots=True)
class StoryAxis:
    """Dimensions with their orientation, +1 or -1."""

    orientation: Mapping[str, int]

    def sign(self, senses: Senses) -> int:
        """Tell where a word points: +1 to the first, -1 to the last, 0 when it is about something else."""
        for dimension, direction in senses:
            if dimension in self.orientation:
                return direction * self.orientation[dimension]
        return 0


@cache
def axis_of_facts(relations: frozenset[str]) -> StoryAxis:
    """Find the axis that all relation words of a story share.

    Raises
    ------
    ParseFailure
        When the words have no dimension in common.
    """
    if not relations:
        return StoryAxis({})
    first, *others = (relation_senses(words) for words in sorted(relations))
    shared = [sense for sense in first if all(sense[0] in dict(senses) for senses in others)]
    if shared:
        return oriented(shared, shared[0][1])
    raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")


def axis_from(start: Senses, end: Senses) -> StoryAxis:
    """Find the axis of a list that goes from one extreme to another."""
    ends = dict(end)
    opposite = [(dimension, sign) for dimension, sign in start if ends.get(dimension) == -sign]
    return oriented(opposite) if opposite else StoryAxis({start[0][0]: 1, end[0][0]: -1})


def oriented(senses: Iterable[tuple[str, int]], way: int = 1) -> StoryAxis:
    """Orient the axis of these dimensions so that a word with these senses points this way, by default to the first."""
    return StoryAxis({dimension: direction * way for dimension, direction in senses})
