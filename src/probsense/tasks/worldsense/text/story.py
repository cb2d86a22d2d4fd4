"""Reads stories: facts about entities, or a list of them in order."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import NamedTuple

from probsense.tasks.worldsense.text.clauses import (
    BETWEEN,
    THAT_OF,
    Clause,
    argument,
    bare,
    cut_facts,
    elliptic,
    may_precede,
    measured,
    only_name,
    owner,
    spoken,
    tidy,
)
from probsense.tasks.worldsense.text.lexicon import (
    PARALLEL,
    StoryAxis,
    axis_from,
    axis_of_facts,
    axis_starting,
    extreme_senses,
    known,
    relation_senses,
)
from probsense.tasks.worldsense.text.logic import Claim, ParseFailure

_ITEM = re.compile(r"^[ \t]*[-*•] (.+?)[ \t]*$", re.MULTILINE)

_FROM_TO = re.compile(
    r"\bfrom (?:the )?((?:most |least )?[a-z]+)\b.* to (?:the )?((?:most |least )?[a-z]+)\b", re.IGNORECASE
)

_END = re.compile(r"\b(?:[a-z]+(?:est|most)|left|right|top|bottom|front|back)\b")

_SENTENCE = re.compile(r"[.;] ")

_NUMBER = re.compile(r"\d+")


class Story(NamedTuple):
    """Entities in order of appearance, facts about them, and the axis of their order.

    ``unsure`` is a name whose beginning grammar alone could not find, or "". ``stated`` is False for a list.
    """

    places: dict[str, int]
    facts: tuple[Claim, ...]
    axis: StoryAxis
    unsure: str
    stated: bool


@lru_cache(maxsize=64)
def read_story(text: str) -> Story:
    """Read the story at the beginning of a text: a scene with its facts, or a list.

    Raises
    ------
    ParseFailure
    """
    line, _, rest = text.partition("\n")
    if line.rstrip().endswith(":"):
        return _listed(line, rest)
    scene, colon, facts = line.rpartition(": ")
    if not colon:
        raise ParseFailure("no facts follow the scene")
    return told(scene, facts)


def _listed(intro: str, rest: str) -> Story:
    names = [bare(name) for name in _items(rest)]
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParseFailure("the list does not hold two or more different entities")
    _check_count(intro, len(names))
    sentence = _SENTENCE.split(intro)[-1]
    steps = ((i + 1, i) if "reverse" in sentence else (i, i + 1) for i in range(len(names) - 1))
    facts = tuple(Claim("before", step) for step in steps)
    return Story({name: i for i, name in enumerate(names)}, facts, list_axis(sentence), "", False)


def _items(text: str) -> list[str]:
    """Split the list at the beginning of the text into items."""
    items, end = [], 0
    for item in _ITEM.finditer(text):
        if text[end : item.start()].strip():
            break
        items.append(item[1])
        end = item.end()
    return items


def list_axis(sentence: str) -> StoryAxis:
    """Read the axis of a list from its introduction; it starts at the first item."""
    match = _FROM_TO.search(sentence)
    if match:
        return axis_from(extreme_senses(match[1].lower()), extreme_senses(match[2].lower()))
    for word in _END.findall(sentence):
        senses = extreme_senses(word)
        if known(senses):
            return axis_starting(senses)
    if "order" not in sentence:
        raise ParseFailure("the list does not say in which order it stands")
    return StoryAxis({"time": 1})


def _check_count(scene: str, found: int) -> None:
    counts = _counts(scene)
    if counts and str(found) not in counts:
        raise ParseFailure(f"the story speaks of {' or '.join(counts)} entities, and {found} are told apart")


@lru_cache(maxsize=1024)
def _counts(scene: str) -> list[str]:
    return _NUMBER.findall(scene)


@lru_cache(maxsize=64)
def told(scene: str, facts: str) -> Story:
    """Read the story that a scene and its facts tell.

    Raises
    ------
    ParseFailure
    """
    clauses = cut_facts(tidy(facts))
    axis = axis_of_facts(frozenset([clause.relation for clause in clauses]).difference(BETWEEN))
    # Names that stand alone help to find the end of those that follow a subject and a verb.
    names: dict[str, None] = {}
    mentions: list[list[str]] = [[] for _ in clauses]
    for i in sorted(range(len(clauses)), key=lambda i: len(clauses[i].right)):
        mentions[i] = arguments(clauses[i], names)
        names |= dict.fromkeys(mentions[i][1:])
    for clause, mention in zip(clauses[1:], mentions[1:], strict=True):
        if not mention[0]:
            repeats = _start(clause) == _start(clauses[0])
            found = spoken(clause.left) if repeats else (elliptic(clause.left), clause.left.strip())
            mention[0] = known_name(names, *found)
        names[mention[0]] = None
    unsure = ""
    first = mentions[0]
    if not first[0]:
        first[0] = known_name(names, *spoken(clauses[0].left))
        if first[0] not in names and not only_name(clauses[0].left):
            unsure = first[0]
    places: dict[str, int] = {}
    claims = tuple(
        _fact(axis, clause.relation, mention, places)
        for clause, mention in zip(clauses, mentions, strict=True)
    )
    _check_count(scene, len(places))
    return Story(places, claims, axis, unsure, True)


def _start(clause: Clause) -> list[str]:
    """Return the first two words of a clause, a subject and its verb if it has them."""
    return clause.left.split()[:2]


def arguments(clause: Clause, names: Container[str]) -> list[str]:
    """Find the names in a clause; the left one is empty where its words are more than a name with a measure.

    ``names`` are the known ones: "Ann's boat" is no measure of Ann if it is the name of a boat.
    """
    found = measured(clause.left)
    if found:
        name, measure, forms, whole = found
        right = " ".join(clause.right)
        if len(clause.right) < 2:
            forms = THAT_OF
        is_name = whole in names or any(bare(w) in names for w in clause.right if measure in w)
        if not is_name and (f" {measure} " in clause.relation or any(form in right for form in forms)):
            return [name, *[owner(words, measure) for words in clause.right]]
    return ["", *[argument(words) for words in clause.right]]


def known_name(names: Iterable[str], name: str, *texts: str) -> str:
    """Return the name that grammar suggests, or if it is unknown, the known name in which the first text ends.

    The longest such name counts, and a further text only where those before it end in none.
    """
    if name in names:
        return name
    for words in texts:
        ends = [known for known in names if words.endswith(known) and _begins(words, known)]
        if ends:
            return max(ends, key=len)
    return name


def _begins(words: str, known: str) -> bool:
    """Whether the name at the end of the words can begin there: "box" is not the name in "the blue box"."""
    before = words[: -len(known)]
    return not before or (before.endswith(" ") and may_precede(before.rstrip()))


def _fact(axis: StoryAxis, relation: str, mention: list[str], places: dict[str, int]) -> Claim:
    args = tuple([places.setdefault(name, len(places)) for name in mention])
    if len(set(args)) != len(args):
        raise ParseFailure(f"one entity stands twice in a fact: {', '.join(mention)}")
    if relation in BETWEEN:
        return Claim("between", args)
    if axis.lines:
        return Claim("parallel" if relation in PARALLEL else "perpendicular", args)
    return Claim("before", args if axis.sign(relation_senses(relation)) > 0 else args[::-1])
