"""English words that compare: dimensions with their two directions, and the word forms that lead to them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import yaml

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

PASTS = _words(_LEXICON["pasts"])
"""Irregular past forms of verbs."""

PARTICIPLES = _words(_LEXICON["participles"])
"""Irregular past participles of verbs."""

INTRANSITIVE = _words(_LEXICON["intransitive"])
"""Verbs that may end the words before a relation, without an object."""

EVENTS = _words(_LEXICON["events"])
"""Nouns for the action of a verb."""


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
    return not senses[0][0].startswith("?")
