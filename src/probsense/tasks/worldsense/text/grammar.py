"""The English of comparisons: a grammar of questions of any wording.

A story tells facts ("A is older than B, C is younger than B and ...") or lists its entities in a stated direction.
A question holds one claim, two claims to choose from, or asks whether the facts are possible.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from probsense.tasks.worldsense.text.clauses import (
    BETWEEN,
    Clause,
    argument,
    best_cut,
    cuts_at_determiners,
    find_outside,
    find_relation,
    may_precede,
    spoken,
    tidy,
)
from probsense.tasks.worldsense.text.lexicon import (
    PARALLEL,
    PERPENDICULAR,
    Senses,
    StoryAxis,
    extreme_senses,
    relation_senses,
    widened,
)
from probsense.tasks.worldsense.text.logic import Claim, ParsedQuestion, ParseFailure
from probsense.tasks.worldsense.text.story import Story, arguments, known_name, read_story, told

_INFER = re.compile(r"(?:sentence|statement|claim):? '(.+)' (?:is )?TRUE or FALSE")

_CONSIST = re.compile(r"\b(?:say|says|said):? '(.+?)\.?',? (?:is|are|would|could|can)\b", re.DOTALL)

_COMPL = re.compile(r"\(1\) (.+?),?(?: or)? \(2\) (.+?),? or \(3\)")

_EXTREME = re.compile(
    r" (?:(?:the (?:very )?|her |his |their )"
    r"((?:most|least) [a-z]+|[a-z]+est|[a-z]+most|first|last|best|worst|winner|loser)\b"
    r"|(?:at|in|on|to) the (?:very |far )?(front|back|top|bottom|left|right|rear)\b|(first|last)$)"
)

_ALL_OTHERS = re.compile(r"(?:all|every|each|any|everyone|everybody|everything|the (?:others?|rest))\b")

_QUOTED = re.compile(r'"[^"\n]*"')


class English:
    """Any wording that keeps to the grammar of comparisons."""

    source = "English grammar"

    def parse(self, text: str) -> ParsedQuestion:
        """Parse the question that the text asks.

        Raises
        ------
        ParseFailure
            When some part of the text cannot be understood.
        """
        if '"' not in text:
            return _parse(text)
        # A quoted title is one name, whatever words it holds.
        titles = tuple(dict.fromkeys(_QUOTED.findall(text)))
        question = _parse(_QUOTED.sub(lambda match: _mark(titles.index(match[0])), text))
        marks = {_mark(i): title for i, title in enumerate(titles)}
        return replace(question, names=tuple(marks.get(name, name) for name in question.names))


def _mark(i: int) -> str:
    return f"«{'ABCDEFGHIJ'[i % 10] * (1 + i // 10)}»"


def _parse(text: str) -> ParsedQuestion:
    match = _CONSIST.search(text) if "POSSIBLE" in text else None
    if match:
        story = told(text[: match.start()], match[1])
        return ParsedQuestion(
            "consist", tuple(story.places), story.facts, (), len(story.places), story.axis.lines
        )
    match = _INFER.search(text) if "TRUE or FALSE" in text else None
    if match:
        return _asked("infer", text, match[1])
    match = _COMPL.search(text)
    if match:
        return _asked("compl", text, match[1], match[2])
    raise ParseFailure("no question is found")


def _asked(kind: Literal["infer", "compl"], text: str, *texts: str) -> ParsedQuestion:
    story = read_story(text)
    texts = tuple(map(tidy, texts))
    axis = widened(story.axis, [s for text in texts if (s := ordering_senses(text))], len(texts) == 1)
    places = dict(story.places)
    claims = tuple([_claim(story, axis, places, text) for text in texts])
    _check_new(story, tuple(places), claims)
    return ParsedQuestion(
        kind, tuple(places), story.facts, claims, len(story.places), story.axis.lines, story.stated
    )


def _check_new(story: Story, names: tuple[str, ...], claims: Sequence[Claim]) -> None:
    """Check that two claims about the order speak of the same new things: else one of them is misread."""
    if len(claims) < 2 or any(claim.relation == "foreign" for claim in claims):
        return
    once: set[int] = set()
    for claim in claims:
        once ^= {place for place in claim.args if place >= len(story.places)}
    if once:
        raise ParseFailure(f"only one of the two alternatives speaks of {names[once.pop()]!r}")


def ordering_senses(text: str) -> Senses | None:
    """Return the senses of the word in a claim that orders entities, if there is one."""
    relation = find_relation(text)
    extreme = _find_extreme(text, relation)
    if extreme:
        return _extreme_senses(extreme)
    return relation_senses(relation[1]) if relation and relation[1] not in BETWEEN else None


def _find_extreme(text: str, relation: re.Match[str] | None) -> re.Match[str] | None:
    """Find the words that name an end of the order; "to the left of" does not."""
    extreme = _EXTREME.search(text)
    if extreme and relation and relation.start() <= extreme.start() < relation.end():
        return None
    return extreme


def _extreme_senses(extreme: re.Match[str]) -> Senses:
    return extreme_senses(extreme[1] or extreme[2] or extreme[3])


def _claim(story: Story, axis: StoryAxis, places: dict[str, int], text: str) -> Claim:
    """Parse a claim; names that are new are added to ``places``."""

    def args(end: int, relation: str = "", *right: str) -> tuple[int, ...]:
        return _places(story, places, Clause(text[:end], relation, right))

    outside = find_outside(text)
    if outside:
        return Claim("outside", args(outside.start(), outside[0], *_two(places, text[outside.end() :])))
    relation = find_relation(text)
    extreme = _find_extreme(text, relation)
    if extreme and (sign := axis.sign(_extreme_senses(extreme))):
        return Claim("first" if sign > 0 else "last", args(extreme.start()))
    if not relation:
        raise ParseFailure(f"no relation is found in {text!r}")
    words, right = relation[1], text[relation.end() :].strip()
    if words in BETWEEN:
        return Claim("between", args(relation.start(), words, *_two(places, right)))
    if axis.lines:
        if words not in PARALLEL + PERPENDICULAR:
            return Claim("foreign", ())
        lines = args(relation.start(), words, right)
        return Claim("parallel" if words in PARALLEL else "perpendicular", lines)
    sign = axis.sign(relation_senses(words))
    if not sign:
        return Claim("foreign", ())
    if _ALL_OTHERS.match(right):
        return Claim("first" if sign > 0 else "last", args(relation.start()))
    a, b = args(relation.start(), words, right)
    return Claim("before", (a, b) if sign > 0 else (b, a))


def _two(names: Collection[str], right: str) -> tuple[str, ...]:
    """Split the two end points of a range; where the "and" is missing, so that both are known names."""
    parts = tuple(right.split(" and "))
    if len(parts) == 2:
        return parts
    if len(parts) > 2:
        return best_cut(parts, 2, list(names), [], False)
    cuts = cuts_at_determiners(right.strip())
    known = [cut for cut in cuts if all(argument(words) in names for words in cut)]
    if len(known) != 1:
        raise ParseFailure(f"two end points are expected in {right!r}")
    return known[0]


def _places(story: Story, places: dict[str, int], clause: Clause) -> tuple[int, ...]:
    """Look up the places of a claim's entities; a new one gets the next place."""
    left, *right = arguments(clause, places)
    mentions = [(left,) if left else spoken(clause.left), *((name,) for name in right)]
    # "the box" beside "the blue box" in one claim is another one, however unsure the latter's name is.
    for known in (story, story._replace(unsure="")):
        found = tuple([_place(known, places, *mention) for mention in mentions])
        if len(set(found)) == len(found):
            return found
    raise ParseFailure(f"one entity stands twice in a claim: {clause.left.strip()!r}")


def _place(story: Story, places: dict[str, int], name: str, *texts: str) -> int:
    name = known_name(places, name, *texts)
    if (
        name not in places
        and story.unsure.endswith(f" {name}")
        and may_precede(story.unsure.removesuffix(f" {name}"))
    ):
        name = story.unsure
    return places.setdefault(name, len(places))
