"""Reads a question out of its text, given the names of its things.

Every record states the names of its things (``objects``), and so does every skin. Names are marked in the text, and
what stands between two marks is a relation: a sentence of a skin where the scene is that of a known skin, and English
in any case. A story tells facts ("A is older than B, C is younger than B and ...") or lists its things in a stated
direction. A question holds one claim, two claims to choose from, or asks whether the facts are possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from string import Formatter
from typing import Final, NamedTuple, TypeAlias

from probsense.tasks.worldsense.text import english, skins
from probsense.tasks.worldsense.text.english import Sentence
from probsense.tasks.worldsense.text.logic import (
    LINES,
    MAX_ENTITIES,
    Claim,
    Kind,
    ParsedQuestion,
    ParseFailure,
    Reading,
    answer,
)
from probsense.tasks.worldsense.text.skin_files import load_skins

_ARTICLE = re.compile(r"^(?:the|a|an) ")
_ARTICLES = re.compile(rf"\b(?:[Tt]he|[Aa]n?) {english.NAME}")
_MARK = re.compile(r"«(\d+)»")
_JOINT = re.compile(r"(, and |, | and )")
_ITEM = re.compile(r"^[ \t]*[-*•] (.+?)[ \t]*$", re.MULTILINE)
_STOP = re.compile(r"[.;] ")
_NUMBER = re.compile(r"\d+")
_BLANKS = re.compile(r" +(?=,)|(?<= ) +")

Sentences: TypeAlias = Callable[[str], Sentence | None]
"""Reads a sentence with "§" for each name; None for one that is not known."""


def _frames(own: Mapping[str, str], published: str) -> Sequence[re.Pattern[str]]:
    """Make patterns of our own frames of questions, and of the published one."""
    patterns = []
    for template in own.values():
        parts = (
            re.escape(literal) + (f"(?P<{field}>.*?)" if field else "")
            for literal, field, _, _ in Formatter().parse(template)
        )
        patterns.append(rf"{''.join(parts)}\Z")
    return [re.compile(pattern, re.DOTALL) for pattern in (*patterns, published)]


_FRAMES: Final[Mapping[Kind, Sequence[re.Pattern[str]]]] = {
    "consist": _frames(
        skins.CONSIST,
        r"(?=.*POSSIBLE)(?P<scene>.*?)\b(?:say|says|said):? '(?P<facts>.+?)\.?',? (?:is|are|would|could|can)\b",
    ),
    "infer": _frames(
        skins.INFER,
        r"(?P<story>.*?)(?:sentence|statement|claim):? '(?P<claim>[^\n]+)' (?:is )?TRUE or FALSE",
    ),
    "compl": _frames(
        skins.COMPL,
        r"(?P<story>.*?)\(1\) (?P<claim>[^\n]+?),?(?: or)? \(2\) (?P<converse>[^\n]+?),? or \(3\)",
    ),
}


class _Cut(NamedTuple):
    """A question as its frame cuts it: a scene, the facts or a list with its introduction, and the claims."""

    kind: Kind
    scene: str
    story: str
    stated: bool
    claims: tuple[str, ...]


def _cut(text: str) -> _Cut:
    tried = ((kind, one.match(text)) for kind, some in _FRAMES.items() for one in some)
    kind, found = next((pair for pair in tried if pair[1]), (None, None))
    if not kind or not found:
        raise ParseFailure("no question is found")
    if kind == "consist":
        return _Cut(kind, found["scene"], found["facts"], True, ())
    story, *claims = found.groups()
    line, _, items = story.partition("\n")
    if line.rstrip().endswith(":"):
        scene, _, intro = line.partition(". ")
        return _Cut(kind, scene, f"{intro}\n{items}", False, tuple(claims))
    scene, colon, facts = line.rpartition(": ")
    if not colon:
        raise ParseFailure("no facts follow the scene")
    return _Cut(kind, scene, facts, True, tuple(claims))


class _Said(NamedTuple):
    """A sentence and the marks in it."""

    sentence: Sentence
    marks: tuple[int, ...]


def _said(text: str, sentences: Sentences) -> _Said | None:
    sentence = sentences(_MARK.sub(english.NAME, text))
    return sentence and _Said(sentence, tuple(map(int, _MARK.findall(text))))


def _cut_facts(facts: str, sentences: Sentences, names: Sequence[str]) -> Iterator[_Said]:
    """Cut facts at commas and at "and", where a sentence ends: some hold an "and" themselves."""
    first, *rest = _JOINT.split(facts)
    text = first
    for joint, part in zip(rest[::2], rest[1::2], strict=True):
        said = _said(text, sentences)
        if said:
            yield said
        text = part if said else text + joint + part
    yield _sure(text, sentences, names)


def _sure(text: str, sentences: Sentences, names: Sequence[str]) -> _Said:
    said = _said(text, sentences)
    if not said:
        named = _MARK.sub(lambda mark: names[int(mark[1])], text)
        raise ParseFailure(f"no relation is found in {named!r}")
    return said


def _question(cut: _Cut, names: Sequence[str], skin: skins.Skin | None) -> ParsedQuestion:
    sentences = _skin_sentences(skin).get if skin else english.read_sentence
    places: dict[int, int] = {}
    if cut.stated:
        told = [*_cut_facts(_tidy(cut.story), sentences, names)]
        axis = english.shared_axis(frozenset(said.sentence.words for said in told if said.sentence.words))
        facts = tuple(_claim(said, places, axis) for said in told)
    else:
        facts, axis = _listed(cut.story, places, skin)
    size = len(places)
    counts = _NUMBER.findall(_MARK.sub("", cut.scene))
    if counts and str(size) not in counts:
        raise ParseFailure(f"the scene speaks of {' or '.join(counts)} entities, the story of {size}")
    lines = facts[0].relation in LINES
    if any(fact.relation == "foreign" or (fact.relation in LINES) != lines for fact in facts):
        raise ParseFailure("the facts mix what cannot be compared")
    claims = [_claim(_sure(_tidy(text), sentences, names), places, axis) for text in cut.claims]
    return ParsedQuestion(
        cut.kind,
        tuple(names[mark] for mark in places),
        facts,
        tuple(claim if (claim.relation in LINES) == lines else Claim("foreign", ()) for claim in claims),
        size,
        cut.stated,
    )


def _tidy(text: str) -> str:
    """Remove surplus blanks and final marks."""
    return _BLANKS.sub("", text.strip(" .?"))


def _listed(
    listed: str, places: dict[int, int], skin: skins.Skin | None
) -> tuple[tuple[Claim, ...], english.Senses]:
    """Read a list, whose introduction says in which direction it stands."""
    intro, _, rest = listed.partition("\n")
    if skin and intro != f"{skins.order_of(skin).list}:":
        raise ParseFailure(f"skin {skin.name} has no such list: {intro!r}")
    items = [_MARK.fullmatch(item) for item in _ITEM.findall(rest)]
    places |= {int(item[1]): i for i, item in enumerate(items) if item}
    if len(places) < max(len(items), 2):
        raise ParseFailure("the list does not hold two or more different entities")
    sentence = _STOP.split(intro)[-1]
    steps = ((i + 1, i) if not skin and "reverse" in sentence else (i, i + 1) for i in range(len(items) - 1))
    return tuple(Claim("before", step) for step in steps), {} if skin else english.list_axis(sentence)


def _claim(said: _Said, places: dict[int, int], axis: english.Senses) -> Claim:
    """Turn a sentence into a claim over places; a new name gets the next place, but not by a foreign predicate."""
    relation, order = said.sentence.along(axis)
    if relation == "foreign":
        return Claim("foreign", ())
    for mark in said.marks:
        places.setdefault(mark, len(places))
    args = tuple(places[said.marks[i]] for i in order)
    if len(set(args)) < len(args):
        raise ParseFailure("one entity stands twice in a sentence")
    return Claim(relation, args)


@cache
def _skin_sentences(skin: skins.Skin) -> dict[str, Sentence]:
    """Read what every template of a skin says, with "§" for each name."""
    said = {}
    for field, template in skin.templates():
        if field in skins.SENTENCES:
            relation, arguments = skins.SENTENCES[field]
            sentence, letters = english.nameless(template)
            order = tuple(letters.index(letter) for letter in arguments)
            said[_ARTICLES.sub(english.NAME, sentence)] = Sentence(relation, order)
    return said


@lru_cache(maxsize=1 << 10)
def _spellings(names: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """Make the pattern of names, the longest first, and the mark of each.

    A name with an article may have another one, and a name without may have one; either may have a capital.
    """
    marks: dict[str, str] = {}
    bare = set()
    for i, name in enumerate(names):
        plain = _ARTICLE.sub("", name.strip())
        for spelling in (plain, plain[:1].upper() + plain[1:]):
            marks.setdefault(spelling, f"«{i}»")
            if plain == name.strip():
                bare.add(spelling)
    every, alone = (
        "|".join(map(re.escape, sorted(some, key=len, reverse=True))) or "(?!)" for some in (marks, bare)
    )
    return re.compile(rf"(?<!\w)(?:(?:[Tt]he|[Aa]n?) ({every})|({alone}))(?!\w)"), marks


def marked(text: str, names: Sequence[str]) -> str:
    """Put the mark of its place among the names in the place of every name."""
    pattern, marks = _spellings(tuple(names))
    return pattern.sub(lambda match: marks[match[1] or match[2]], text)


class Reader:
    """Reads the texts of some skins by their sentences, and all texts as English.

    Parameters
    ----------
    known : iterable of Skin
        Where two share a scene, the later one counts.
    """

    def __init__(self, known: Iterable[skins.Skin]) -> None:
        self.skins = tuple(known)
        self._scenes = {skins.scene(skin, n): skin for skin in self.skins for n in range(2, MAX_ENTITIES + 1)}

    def _names(self, text: str) -> tuple[str, ...]:
        """Return the names of the skin whose scene the text holds; none where there is no such skin."""
        return next((skin.names for scene, skin in self._scenes.items() if scene in text), ())

    def readings(self, text: str, names: Sequence[str]) -> Iterator[Reading]:
        """Yield the reading by the sentences of the text's skin, if that is known, and the reading as English.

        Parameters
        ----------
        text : str
            The whole prompt.
        names : sequence of str
            Of all things that the text may speak of; those of its skin where there are none.

        Raises
        ------
        ParseFailure
            When the text cannot be understood.
        """
        names = names or self._names(text)
        if not names:
            raise ParseFailure("its things are named neither by its record (objects) nor by a known skin")
        cut = _cut(marked(text, names))
        skin = self._scenes.get(cut.scene)
        if skin:
            question = _question(cut, names, skin)
            yield Reading("the sentences of its skin", question, answer(question))
        question = _question(cut, names, None)
        yield Reading("English grammar", question, answer(question))

    def read(self, text: str, names: Sequence[str] = ()) -> ParsedQuestion:
        """Read a question; without names, one that is told in a known skin.

        Raises
        ------
        ParseFailure
            When the text cannot be understood.
        """
        return next(self.readings(text, names)).question


@cache
def packaged_reader() -> Reader:
    """Return the reader of our own skins and, for all other texts, of English."""
    return Reader(skin for name in skins.PACKAGED for skin in load_skins(name))


def solve_text(text: str) -> str:
    """Find the right answer to a question in one of our own skins, from its text alone.

    Raises
    ------
    ParseFailure
        When the text cannot be understood.
    """
    return answer(packaged_reader().read(text))
