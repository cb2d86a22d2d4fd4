"""The English of comparisons: a grammar of stories and questions, for texts of any wording.

A story tells facts ("A is older than B, C is younger than B and ...") or lists its entities in a stated direction. A
question holds one claim, two claims to choose from, or asks whether the facts are possible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from probsense.tasks.worldsense import spans
from probsense.tasks.worldsense.lexicon import (
    PARALLEL,
    PERPENDICULAR,
    PREPOSITIONS,
    Senses,
    extreme_senses,
    known,
    relation_senses,
)
from probsense.tasks.worldsense.logic import Claim
from probsense.tasks.worldsense.question import ParseFailure, Question

_SPOT = r"(?: (?:on|at|in|with) an? [a-z]+(?= (?:in )?(?:between|outside)))?"
_PLACE = _SPOT + r" ((?:in )?between|" + "|".join(PREPOSITIONS + PARALLEL + PERPENDICULAR)
_PLACED = re.compile(_PLACE + ")(?= )")
_COMPARED = re.compile(
    _PLACE
    + r"|(?!rather |other )(?:(?:more|less|fewer) [a-z][a-z -]*?|[a-z-]+er(?: (?![a-z-]+er )[a-z]+)?|worse) than)(?= )"
)
_BETWEEN = ("between", "in between")
_OUTSIDE = re.compile(_SPOT + r"(?: outside(?: of)? (?:.*?\bbetween )?| not (?:in )?between )")
_BOTH = re.compile(
    r"([^,]+?) and ([^,]+?) (?:are|were|run|ran) (parallel|perpendicular|orthogonal)"
    r"(?: to (?:each other|one another))?(?=,| and |$)"
)
_EXTREME = re.compile(
    r" (?:(?:the (?:very )?|her |his |their )(?P<the>(?:most|least) [a-z]+|[a-z]+est|[a-z]+most|first|last|best|worst|winner|loser)\b"
    r"|(?P<end>first|last)$|(?:at|in|on|to) the (?:very |far )?(?P<place>front|back|top|bottom|left|right|rear)\b)"
)
_ALL_OTHERS = re.compile(r"^(?:all|every|each|any|everyone|everybody|everything|the (?:others?|rest))\b")
_INFER = re.compile(r"(?:sentence|statement|claim):? '(.+)' (?:is )?TRUE or FALSE")
_CONSIST = re.compile(r"\b(?:say|says|said):? '(.+?)\.?',? (?:is|are|would|could|can)\b", re.DOTALL)
_COMPL = re.compile(r"\(1\) (.+?),?(?: or)? \(2\) (.+?),? or \(3\)")
_ITEM = re.compile(r"^[ \t]*[-*•] (.+?)[ \t]*$", re.MULTILINE)
_FROM_TO = re.compile(r"\bfrom (?:the )?((?:most |least )?[a-z]+)\b.* to (?:the )?((?:most |least )?[a-z]+)\b")
_QUOTED = re.compile(r'"[^"\n]*"')
_NUMBER = re.compile(r"\d+")
_BLANKS = re.compile(r" +(?=,)|(?<= ) +")


@dataclass(frozen=True, slots=True)
class _Axis:
    """What the story's order is about: its dimensions, or two words that the story itself makes converse."""

    dimensions: frozenset[str]
    signs: tuple[tuple[str, int], ...] = ()

    def sign(self, senses: Senses) -> int:
        """+1 or -1 for a word of this order, 0 for a word that has nothing to do with it."""
        for dimension, sign in self.signs:
            if dimension == senses[0][0]:
                return sign
        for dimension, sign in senses:
            if dimension in self.dimensions:
                return sign
        return 0


_LINES = _Axis(frozenset({"lines"}))


class _Story(NamedTuple):
    """Entities in order of appearance, the facts about them, and what the order is about."""

    names: tuple[str, ...]
    places: dict[str, int]
    unsure: tuple[str, ...]
    facts: tuple[Claim, ...]
    axis: _Axis


class _Clause(NamedTuple):
    """Left words, relation, right arguments."""

    left: str
    relation: str
    right: tuple[str, ...]


class English:
    """Any wording that keeps to the grammar of comparisons."""

    def parse(self, text: str) -> Question:
        """The question that the text asks.

        Raises
        ------
        ParseFailure
            When some part of the text cannot be understood.
        """
        if '"' not in text:
            return _parse(text)
        titles = _QUOTED.findall(text)
        numbers = {title: f"«{_letters(i)}»" for i, title in enumerate(dict.fromkeys(titles))}
        question = _parse(_QUOTED.sub(lambda m: numbers[m[0]], text))
        back = {mark: title for title, mark in numbers.items()}
        names = tuple(back.get(name, name) for name in question.names)
        return Question(
            question.kind, names, question.facts, question.claims, question.size, question.lines, question.stated
        )


def _letters(i: int) -> str:
    return chr(ord("A") + i % 26) * (1 + i // 26)


def _parse(text: str) -> Question:
    match = _CONSIST.search(text) if "POSSIBLE" in text else None
    if match:
        story = _told(text[: match.start()], match[1])
        return Question("consist", story.names, story.facts, (), len(story.names), story.axis is _LINES)
    match = _INFER.search(text) if "TRUE or FALSE" in text else None
    if match:
        kind, claims = "infer", (match[1],)
    else:
        match = _COMPL.search(text)
        if not match:
            raise ParseFailure("no question is found")
        kind, claims = "compl", (match[1], match[2])
    story, stated = _story(_head(text))
    found, names = _claims(story, claims)
    return Question(
        "infer" if kind == "infer" else "compl",
        names,
        story.facts,
        found,
        len(story.names),
        story.axis is _LINES,
        stated,
    )


def _head(text: str) -> str:
    """The story: the first line, or the lines of a list."""
    line, _, rest = text.partition("\n")
    if line.rstrip().endswith(":"):
        return line + "\n" + rest[: _end_of_list(rest)]
    return line


def _end_of_list(text: str) -> int:
    end = 0
    for item in _ITEM.finditer(text):
        if text[end : item.start()].strip():
            break
        end = item.end()
    return end


@lru_cache(maxsize=64)
def _story(head: str) -> tuple[_Story, bool]:
    if "\n" in head:
        return _listed(head), False
    scene, colon, facts = head.rpartition(": ")
    if not colon:
        raise ParseFailure("no facts follow the scene")
    return _told(scene, facts), True


def _listed(head: str) -> _Story:
    intro, _, rest = head.partition("\n")
    names = tuple(spans.bare(name) for name in _ITEM.findall(rest))
    if len(set(names)) != len(names) or len(names) < 2:
        raise ParseFailure("the list does not hold two or more different entities")
    _check_count(intro, len(names))
    sentence = re.split(r"[.;] ", intro)[-1]
    direction = _direction(sentence)
    axis, sign = direction if direction else (_Axis(frozenset({"time"})), 1)
    if not direction and "order" not in sentence:
        raise ParseFailure("the list does not say in which order it stands")
    if "reverse" in sentence:
        sign = -sign
    steps = range(len(names) - 1)
    facts = tuple(Claim("before", (i, i + 1) if sign > 0 else (i + 1, i)) for i in steps)
    return _Story(names, {name: i for i, name in enumerate(names)}, (), facts, axis)


def _direction(sentence: str) -> tuple[_Axis, int] | None:
    """The dimension in which a list is ordered and the direction it starts from, as its introduction says."""
    match = _FROM_TO.search(sentence)
    if match:
        start, end = extreme_senses(match[1]), extreme_senses(match[2])
        ends = dict(end)
        shared = [(axis, sign) for axis, sign in start if ends.get(axis) == -sign]
        if shared:
            return _Axis(frozenset(axis for axis, _ in shared)), shared[0][1]
        return _Axis(frozenset(), ((start[0][0], 1), (end[0][0], -1))), 1
    for word in re.findall(r"[a-z]+(?:est|most)|left|right|top|bottom|front|back", sentence):
        senses = extreme_senses(word)
        if known(senses):
            return _Axis(frozenset(axis for axis, _ in senses)), senses[0][1]
    return None


def _check_count(scene: str, found: int) -> None:
    counts = _counts(scene)
    if counts and str(found) not in counts:
        raise ParseFailure(f"the story speaks of {' or '.join(counts)} entities, and {found} are told apart")


@lru_cache(maxsize=4096)
def _counts(scene: str) -> list[str]:
    return _NUMBER.findall(scene)


def _tidy(text: str) -> str:
    """The text without doubled blanks, blanks before commas and final marks; "A and B are parallel" turned round."""
    text = text.strip(" .?")
    if "  " in text or " ," in text:
        text = _BLANKS.sub("", text)
    if " parallel" in text or " perpendicular" in text or " orthogonal" in text:
        text = _BOTH.sub(r"\1 is \3 to \2", text)
    return text


def _relation(text: str) -> re.Pattern[str]:
    """The pattern of relation words, without the slow half where the text compares no adjectives."""
    return _COMPARED if " than " in text else _PLACED


# Facts


@lru_cache(maxsize=64)
def _told(scene: str, facts: str) -> _Story:
    clauses = _clauses(_tidy(facts))
    axis = _axis(frozenset([clause.relation for clause in clauses]).difference(_BETWEEN))
    mentions: list[list[str]] = []
    certain: dict[str, None] = {}
    for clause in clauses:
        left, *right = _arguments(clause)
        mentions.append([left, *right])
        for name in right:
            certain[name] = None
    for i, clause in enumerate(clauses[1:], start=1):
        if not mentions[i][0]:
            mentions[i][0] = _same(certain, clause.left.strip(), spans.elliptic(clause.left))
        certain[mentions[i][0]] = None
    unsure: tuple[str, ...] = ()
    if not mentions[0][0]:
        trimmed, name = spans.spoken(clauses[0].left)
        mentions[0][0] = _same(certain, trimmed, name)
        if mentions[0][0] not in certain:
            unsure = (name,)
    places: dict[str, int] = {}
    claims = []
    for clause, names in zip(clauses, mentions, strict=True):
        args = tuple(places.setdefault(name, len(places)) for name in names)
        if len(set(args)) != len(args):
            raise ParseFailure(f"one entity stands twice in {' / '.join(names)!r}")
        claims.append(_claim(axis, clause.relation, args))
    _check_count(scene, len(places))
    return _Story(tuple(places), places, unsure, tuple(claims), axis)


def _same(certain: dict[str, None], words: str, name: str) -> str:
    """The known name that the words end in (the longest), or else the name that grammar suggests."""
    if name in certain:
        return name
    best = ""
    for candidate in certain:
        if len(candidate) > len(best) and words.endswith(candidate) and words[-len(candidate) - 1 : -len(candidate)] in ("", " "):
            best = candidate
    return best or name


def _arguments(clause: _Clause) -> list[str]:
    """Names in a clause; the left one is empty where its words do not speak of a measure."""
    measured = spans.measured(clause.left)
    if measured:
        name, measure, forms = measured
        joined = " ".join(clause.right).strip()
        if any(form in joined for form in forms):
            return [name, *(spans.owner(words, measure) for words in clause.right)]
    return ["", *(spans.argument(words) for words in clause.right)]


def _clauses(facts: str) -> list[_Clause]:
    """Split the facts at commas and at the "and" before the last, and each at its relation."""
    found = list(_relation(facts).finditer(facts))
    if not found:
        raise ParseFailure("no facts are found")
    gaps = [facts[: found[0].start()]]
    gaps += [facts[a.end() : b.start()] for a, b in zip(found, found[1:], strict=False)]
    gaps.append(facts[found[-1].end() :])
    relations = [m[1] for m in found]
    lefts = [gaps[0]]
    rights: list[str] = []
    open_gaps = []
    for i, gap in enumerate(gaps[1:-1]):
        right, comma, left = gap.rpartition(", ")
        if not comma:
            right, left = gap, ""
            open_gaps.append(i)
        rights.append(right)
        lefts.append(left.removeprefix("and "))
    rights.append(gaps[-1])
    pieces: list[tuple[str, ...]] = []
    late = []
    for i, (relation, right) in enumerate(zip(relations, rights, strict=True)):
        wanted = (2 if relation in _BETWEEN else 1) + (i in open_gaps)
        parts = right.split(" and ") if wanted > 1 else [right]
        if len(parts) < wanted:
            raise ParseFailure(f"{wanted} parts are expected in {right.strip()!r}")
        if len(parts) > wanted:
            late.append((i, wanted))
        pieces.append(tuple(parts))
    if late:
        sure = [p for i, p in enumerate(pieces) if all(i != j for j, _ in late)]
        for i, wanted in late:
            pieces[i] = _best_cut(pieces[i], wanted, i in open_gaps, sure, [x for x in lefts[1:] if x])
    for i in open_gaps:
        lefts[i + 1] = pieces[i][-1]
        pieces[i] = pieces[i][:-1]
    return [_Clause(*parts) for parts in zip(lefts, relations, pieces, strict=True)]


def _best_cut(
    parts: tuple[str, ...], wanted: int, with_left: bool, sure: list[tuple[str, ...]], lefts: list[str]
) -> tuple[str, ...]:
    """Join the parts of a text cut at every "and", where names hold an "and" themselves.

    The best pieces are names known from elsewhere, and start like other names do.
    """
    names = {spans.argument(piece) for pieces in sure for piece in pieces}
    names |= {spans.elliptic(left) for left in lefts}
    starts = {piece.split(maxsplit=1)[0] for pieces in sure for piece in pieces if piece.strip()}
    left_starts = {left.split(maxsplit=1)[0] for left in lefts} or starts | {"to", "the"}
    starts |= {"the"}
    best: tuple[str, ...] = ()
    best_score = -1
    for cuts in combinations(range(1, len(parts)), wanted - 1):
        edges = (0, *cuts, len(parts))
        pieces = tuple(" and ".join(parts[a:b]) for a, b in zip(edges, edges[1:], strict=False))
        score = 0
        for k, piece in enumerate(pieces):
            is_left = with_left and k == len(pieces) - 1
            name = spans.elliptic(piece) if is_left else spans.argument(piece)
            score += 2 * (name in names) + (piece.split(maxsplit=1)[0] in (left_starts if is_left else starts))
        if score > best_score:
            best, best_score = pieces, score
    return best


@lru_cache(maxsize=4096)
def _axis(relations: frozenset[str]) -> _Axis:
    """What the order is about: the dimensions that all relation words share."""
    if relations & {*PARALLEL, *PERPENDICULAR}:
        if not relations <= {*PARALLEL, *PERPENDICULAR}:
            raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")
        return _LINES
    senses = [relation_senses(words) for words in sorted(relations)]
    if not senses:
        return _Axis(frozenset())
    shared = frozenset.intersection(*(frozenset(axis for axis, _ in s) for s in senses))
    if shared:
        return _Axis(shared)
    # two unlike words of one order must be each other's converse
    if len(senses) == 2 and not all(known(s) for s in senses):
        return _Axis(frozenset(), ((senses[0][0][0], 1), (senses[1][0][0], -1)))
    raise ParseFailure(f"the facts mix dimensions: {', '.join(sorted(relations))}")


def _claim(axis: _Axis, relation: str, args: tuple[int, ...]) -> Claim:
    if relation in _BETWEEN:
        return Claim("between", args)
    if axis is _LINES:
        return Claim("parallel" if relation in PARALLEL else "perpendicular", args)
    a, b = args
    return Claim("before", (a, b) if axis.sign(relation_senses(relation)) > 0 else (b, a))


# Claims


def _claims(story: _Story, texts: tuple[str, ...]) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """Claims of a question, and all names with those that only the claims mention."""
    places = dict(story.places)
    axis = _widened(story.axis, texts)
    claims = tuple(_parse_claim(story, axis, places, _tidy(text)) for text in texts)
    return claims, tuple(places)


def _widened(axis: _Axis, texts: tuple[str, ...]) -> _Axis:
    """The axis, with the converse that the claims add to an order told in one unknown word, or in none.

    "Crispier" is in no lexicon. If the story says nothing else, a single claim about "soggier" must be about the
    same order; of two claims, one is about the story's own word if they are about the order at all.
    """
    if axis.signs or axis is _LINES or any(not d.startswith("?") for d in axis.dimensions):
        return axis
    senses = [s for text in texts if (s := _claim_senses(text))]
    if not axis.dimensions:
        return _Axis(frozenset(dimension for s in senses[:1] for dimension, _ in s))
    own = next(iter(axis.dimensions))
    others = {s[0][0] for s in senses if not known(s)} - {own}
    if len(others) == 1 and (len(texts) == 1 or any(s[0][0] == own for s in senses)):
        return _Axis(axis.dimensions, ((own, 1), (others.pop(), -1)))
    return axis


def _claim_senses(text: str) -> Senses | None:
    extreme = _EXTREME.search(text)
    if extreme:
        return extreme_senses(_end_word(extreme))
    relation = _relation(text).search(text)
    return relation_senses(relation[1]) if relation and relation[1] not in _BETWEEN else None


def _end_word(extreme: re.Match[str]) -> str:
    return extreme["the"] or extreme["end"] or extreme["place"]


def _parse_claim(story: _Story, axis: _Axis, places: dict[str, int], text: str) -> Claim:
    outside = _OUTSIDE.search(text)
    if outside:
        clause = _Clause(text[: outside.start()], "outside", _two(story, text[outside.end() :]))
        return Claim("outside", _places(story, places, clause))
    relation = _relation(text).search(text)
    extreme = _EXTREME.search(text)
    if extreme and not (relation and relation.start() <= extreme.start() < relation.end()):
        sign = axis.sign(extreme_senses(_end_word(extreme)))
        if sign:
            left = _Clause(text[: extreme.start()], "", ())
            return Claim("first" if sign > 0 else "last", _places(story, places, left))
    if not relation:
        raise ParseFailure(f"no relation is found in {text!r}")
    words, right = relation[1], text[relation.end() :].strip()
    if words in _BETWEEN:
        clause = _Clause(text[: relation.start()], words, _two(story, right))
        return Claim("between", _places(story, places, clause))
    if axis is _LINES:
        if words not in PARALLEL + PERPENDICULAR:
            return Claim("foreign", ())
        args = _places(story, places, _Clause(text[: relation.start()], words, (right,)))
        return Claim("parallel" if words in PARALLEL else "perpendicular", args)
    sign = axis.sign(relation_senses(words))
    if not sign:
        return Claim("foreign", ())
    if _ALL_OTHERS.match(right):
        left = _Clause(text[: relation.start()], "", ())
        return Claim("first" if sign > 0 else "last", _places(story, places, left))
    a, b = _places(story, places, _Clause(text[: relation.start()], words, (right,)))
    return Claim("before", (a, b) if sign > 0 else (b, a))


def _two(story: _Story, right: str) -> tuple[str, ...]:
    parts = tuple(right.split(" and "))
    if len(parts) == 2:
        return parts
    if len(parts) < 2:
        raise ParseFailure(f"two end points are expected in {right!r}")
    return _best_cut(parts, 2, False, [story.names], [])


def _places(story: _Story, places: dict[str, int], clause: _Clause) -> tuple[int, ...]:
    """Indices of the entities of a claim; new ones get the next index."""
    left, *right = _arguments(clause)
    found = []
    trimmed, name = (left, left) if left else spans.spoken(clause.left)
    for words, guess in ((trimmed, name), *((r, r) for r in right)):
        found.append(_place(story, places, words, guess))
    if len(set(found)) != len(found):
        raise ParseFailure(f"one entity stands twice in {clause.left.strip()!r}")
    return tuple(found)


def _place(story: _Story, places: dict[str, int], words: str, name: str) -> int:
    if name in places:
        return places[name]
    best = ""
    for candidate in places:
        if len(candidate) > len(best) and (" " + words).endswith(" " + candidate):
            best = candidate
    if best:
        return places[best]
    for candidate in story.unsure:
        if candidate.endswith(" " + name):
            return places[candidate]
    places[name] = len(places)
    return places[name]
