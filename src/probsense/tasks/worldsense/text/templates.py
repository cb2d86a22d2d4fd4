"""The exact grammar of our own texts: reads the frames of :mod:`wording` and the templates of skins backwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import NamedTuple

from probsense.tasks.worldsense.generate import wording
from probsense.tasks.worldsense.generate.skins import ParallelSkin, Skin
from probsense.tasks.worldsense.text.logic import (
    MAX_ENTITIES,
    Claim,
    Kind,
    ParsedQuestion,
    ParseFailure,
    Relation,
)


class _Frame(NamedTuple):
    """A question frame as the literal texts around its fields."""

    kind: Kind
    fields: tuple[str, ...]
    literals: tuple[str, ...]

    def match(self, text: str) -> dict[str, str] | None:
        """Return the text of each field; None when the text is not of this frame."""
        first, *middle, last = self.literals
        if not (text.endswith(last) and text.startswith(first)):
            return None
        text = text[len(first) : len(text) - len(last)]
        found = {}
        for field, literal in zip(self.fields, middle, strict=False):
            found[field], literal_found, text = text.partition(literal)
            if not literal_found:
                return None
        found[self.fields[-1]] = text
        return found


def _frame(kind: Kind, template: str) -> _Frame:
    literals, fields = [""], []
    for literal, field, _, _ in Formatter().parse(template):
        literals[-1] += literal
        if field is not None:
            fields.append(field)
            literals.append("")
    return _Frame(kind, tuple(fields), tuple(literals))


_KINDS: tuple[tuple[Kind, Mapping[str, str]], ...] = (
    ("infer", wording.INFER),
    ("consist", wording.CONSIST),
    ("compl", wording.COMPL),
)
_FRAMES = tuple(_frame(kind, template) for kind, frames in _KINDS for template in frames.values())
_ENDS = tuple(frame.literals[-1] for frame in _FRAMES)


class _Sentence(NamedTuple):
    """A clause as its skin words it: a relation and the names of its arguments, in the relation's order and as said."""

    relation: Relation
    names: tuple[str, ...]
    said: tuple[str, ...]


class _SkinReader:
    """Reads the clauses of one skin, and remembers them, for they are few."""

    def __init__(self, skin: Skin) -> None:
        self.skin = skin
        self.lines = isinstance(skin, ParallelSkin)
        self._kept: dict[str, _Sentence | None] = {}
        self._patterns: list[tuple[Relation, str, re.Pattern[str]]] | None = None

    def clause(self, text: str) -> _Sentence | None:
        """Read the clause in the text; None when it is no clause of this skin."""
        if text not in self._kept:
            self._kept[text] = self._read(text)
        return self._kept[text]

    def _read(self, text: str) -> _Sentence | None:
        if self._patterns is None:
            self._patterns = _patterns(self.skin)
        for relation, order, pattern in self._patterns:
            match = pattern.fullmatch(text)
            if match:
                said = sorted(order, key=match.start)
                return _Sentence(relation, tuple(map(match.group, order)), tuple(map(match.group, said)))
        return None

    def clauses(self, text: str) -> list[_Sentence]:
        """Read the facts of a story, which stand between commas, with an "and" before the last."""
        *firsts, rest = text.split(", ")
        found = [self._sure(clause) for clause in firsts]
        parts = rest.split(" and ")
        for cut in range(1, len(parts)):
            left, right = self.clause(" and ".join(parts[:cut])), self.clause(" and ".join(parts[cut:]))
            if left and right:
                return [*found, left, right]
        return [*found, self._sure(rest)]

    def _sure(self, text: str) -> _Sentence:
        clause = self.clause(text)
        if clause is None:
            raise ParseFailure(f"skin {self.skin.name} has no such clause: {text!r}")
        return clause


def _patterns(skin: Skin) -> list[tuple[Relation, str, re.Pattern[str]]]:
    """List relation, order of its arguments and pattern of every template of a skin."""
    if isinstance(skin, ParallelSkin):
        templates: list[tuple[Relation, str, str]] = [
            ("parallel", "ab", skin.parallel),
            ("perpendicular", "ab", skin.perpendicular),
        ]
    else:
        templates = [
            ("before", "ab", skin.forward),
            ("before", "ba", skin.converse),
            ("between", "mab", skin.between),
            ("outside", "mab", skin.outside),
            ("first", "a", skin.first),
            ("last", "a", skin.last),
            *(("foreign", "ab", template) for pair in skin.foreign for template in pair),
        ]
    name = "|".join(re.escape(name) for name in skin.names)
    return [(relation, order, _pattern(template, name)) for relation, order, template in templates]


def _pattern(template: str, name: str) -> re.Pattern[str]:
    parts = []
    for literal, field, _, _ in Formatter().parse(template):
        parts.append(re.escape(literal))
        if field is not None:
            parts.append(f"(?P<{field}>{name})")
    return re.compile("".join(parts))


class _Told(NamedTuple):
    reader: _SkinReader
    names: tuple[str, ...]
    facts: tuple[Claim, ...]
    stated: bool


class Skins:
    """The texts of some skins; where two skins share a scene, the later one counts.

    Parameters
    ----------
    skins : iterable of Skin
    """

    source = "the sentences of its skin"

    def __init__(self, skins: Iterable[Skin]) -> None:
        self._scenes: dict[str, tuple[_SkinReader, int]] = {}
        for skin in skins:
            reader = _SkinReader(skin)
            for n in range(2, MAX_ENTITIES + 1):
                self._scenes[skin.scene.format(n=n)] = reader, n
        self._told = lru_cache(maxsize=64)(self._tell)

    def parse(self, text: str) -> ParsedQuestion | None:
        """Parse the question that the text asks; None when the text lacks the frame of our texts or a known scene.

        Raises
        ------
        ParseFailure
            When frame and scene are known, but a clause is not.
        """
        if not text.endswith(_ENDS):
            return None
        for frame in _FRAMES:
            found = frame.match(text)
            if found:
                story = found.get("story") or f"{found['scene']}: {found['facts']}."
                told = self._told(story)
                return told and _question(
                    frame.kind, told, [found[f] for f in frame.fields[1:] if f != "facts"]
                )
        return None

    def _tell(self, story: str) -> _Told | None:
        scene, colon, facts = story.partition(": ")
        if colon and scene in self._scenes:
            reader, n = self._scenes[scene]
            sentences = reader.clauses(facts.removesuffix("."))
            places: dict[str, int] = {}
            claims = [_told_claim(sentence, places) for sentence in sentences]
            _check_count(n, len(places))
            if any(claim.relation == "foreign" for claim in claims):
                raise ParseFailure(f"a clause of skin {reader.skin.name} is not about its order")
            return _Told(reader, tuple(places), tuple(claims), True)
        scene, stop, listed = story.partition(". ")
        if stop and scene in self._scenes:
            reader, n = self._scenes[scene]
            intro, *items = listed.split("\n")
            names = tuple(item.removeprefix("- ") for item in items)
            if isinstance(reader.skin, ParallelSkin) or intro != f"{reader.skin.list}:":
                raise ParseFailure(f"skin {reader.skin.name} has no such list: {intro!r}")
            _check_count(n, len(set(names)))
            in_order = tuple(Claim("before", (i, i + 1)) for i in range(n - 1))
            return _Told(reader, names, in_order, False)
        return None


def _check_count(wanted: int, found: int) -> None:
    if wanted != found:
        raise ParseFailure(f"the scene speaks of {wanted} entities, the story of {found}")


def _claim(sentence: _Sentence, places: dict[str, int]) -> Claim:
    """Turn a sentence into a claim over places; a new name gets the next place, but not by a foreign predicate."""
    if sentence.relation == "foreign":
        return Claim("foreign", tuple(places[name] for name in sentence.names if name in places))
    return _told_claim(sentence, places)


def _told_claim(sentence: _Sentence, places: dict[str, int]) -> Claim:
    """Turn a sentence into a claim over places; a new name gets the next place."""
    for name in sentence.said:
        places.setdefault(name, len(places))
    args = tuple(places[name] for name in sentence.names)
    if len(set(args)) != len(args):
        raise ParseFailure(f"one entity stands twice in a clause: {', '.join(sentence.names)}")
    return Claim(sentence.relation, args)


def _question(kind: Kind, told: _Told, texts: Sequence[str]) -> ParsedQuestion:
    places = {name: i for i, name in enumerate(told.names)}
    claims = []
    for text in texts:
        sentence = told.reader.clause(text)
        if sentence is None:
            raise ParseFailure(f"skin {told.reader.skin.name} has no such clause: {text!r}")
        claims.append(_claim(sentence, places))
    return ParsedQuestion(
        kind,
        tuple(places),
        told.facts,
        tuple(claims),
        len(told.names),
        told.reader.lines,
        told.stated,
    )
