"""Cuts sentences of comparison into clauses: left words, relation, right words."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from probsense.tasks.worldsense.text.lexicon import (
    EVENTS,
    INTRANSITIVE,
    PARALLEL,
    PARTICIPLES,
    PASTS,
    PERPENDICULAR,
    PREPOSITIONS,
)
from probsense.tasks.worldsense.text.logic import ParseFailure

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
    names = {argument(words) for words in sure} | {elliptic(words) for words in lefts}
    starts = {_start(words) for words in sure} | {"the"}
    left_starts = {_start(words) for words in lefts} or starts | {"to"}

    def score(cut: tuple[str, ...]) -> int:
        total = 0
        for k, words in enumerate(cut):
            left = joined and k == len(cut) - 1
            total += 2 * ((elliptic(words) if left else argument(words)) in names)
            total += _start(words) in (left_starts if left else starts)
        return total

    places = combinations(range(1, len(parts)), wanted - 1)
    cuts = (tuple(" and ".join(parts[a:b]) for a, b in pairwise((0, *at, len(parts)))) for at in places)
    return max(cuts, key=score)


def _start(words: str) -> str:
    return words.strip().partition(" ")[0]


_AUXILIARY = r"(?:is|are|was|were|be|will be|would be|has been|have been|had been)"

_PREPOSITION = r"(?:to|with|at|in|into|on|onto|for|from|about|through|past|by|of)"

_DETERMINER = r"(?:the|a|an|her|his|their|my|our)"

_NAME = rf"(?={_DETERMINER} |[A-Z«])"  # A name is sure to begin here.

_REGULAR_PAST = r"[a-z]+(?<!e)ed"  # Not "speed".

_PAST = rf"(?:{_REGULAR_PAST}|{'|'.join(PASTS)})"

_VERB_END = (
    rf"(?:{_REGULAR_PAST}|{'|'.join(PARTICIPLES)}|{'|'.join(rf'{verb}(?:e?s|d)?' for verb in INTRANSITIVE)}"
    r"|came|ran|sat|slept|spoke|stood|left|lay|began)"
)

_PRONOUNS = ("he", "she", "it", "they", "we", "you", "I")

_ARTICLE = re.compile(r"^(?:the|a|an) ")

_LEADING = re.compile(rf"^(?:that )?(?:{_PREPOSITION} )?")

_COPULA = re.compile(r" (?:is|are|was|were|lies|lay|falls|fell|ranks|ranked)$")

_TAIL = re.compile(
    rf" (?:{_AUXILIARY}(?: [a-z]+ly)?(?: {_VERB_END})?|{_VERB_END})"
    rf"(?: (?:on|at|in)(?: (?:a|an|the) [a-z]+)?)?$"
)

_INVERSION = re.compile(r"^(?i:(is|are|was|were)|did|does|do|will|would|has|have|had|can) ")

_OPENING = re.compile(
    r"^(?:(?:\S+ ){1,5}that |"
    rf"(?:On|In|At|By|From|During|Among|Within) (?:the |a |an |this |that )?(?:[a-z-]+ )+?{_NAME})"
)

_SUBJECT_VERB = re.compile(
    rf"^(?:(?:\S+ ){{1,5}}?(?:{_PAST}|(?:will|would|has|have|had|can|to) [a-z]+)"
    r"|(?:\S+ )??(?:[A-Z]\S*|[Hh]e|[Ss]he|[Ii]t) [a-z]+s"
    rf"|(?:They|I|We|You) [a-z]+)(?: {_PREPOSITION})? (?=\S)"
)

_INVERTED_SUBJECT_VERB = re.compile(
    rf"^(?:{'|'.join(_PRONOUNS)}|{_DETERMINER} [a-z]+|(?:[A-Z]\S* )*[A-Z]\S*) [a-z]+(?: {_PREPOSITION})? (?=\S)"
)

_BEFORE = re.compile(
    rf"(?:^| )(?:{_DETERMINER}|{_PREPOSITION}|that|{_PAST}|(?:[A-Z]\S*|[Hh]e|[Ss]he|[Ii]t) [a-z]+s)$"
)

_MOMENT = (
    r"(?:[a-z]+ )?(?:time|moment|day|hour|date|point)s? (?:when|at which|that) "
    rf"(?:\S+ ){{1,2}}?(?:{_PAST}|[a-z]+s)(?: {_PREPOSITION})?"
)

_HAPPENING = rf"(?:{'|'.join(EVENTS)}|[a-z]{{3,}}(?:ation|ition|tion|sion|ment|ery|ing))s? (?:of|to|with|at|in|by|from)"

_GERUND = rf"[a-z]{{2,}}ing(?: {_PREPOSITION}(?= )|(?= {_NAME}))"

_EVENT = re.compile(rf"^(?:the |her |his |their |its |a )?(?:{_MOMENT}|{_HAPPENING}|{_GERUND}) (?=\S)")

_OWNED = re.compile(r"^(.+)(?:'s|(?<=s)') ([a-z]+(?: [a-z]+)?)$")

_MEASURE_OF = re.compile(r"^the ([a-z]+(?: [a-z]+)?) of (.+)$")

_OWNER = re.compile(r"(?:'s|(?<=s)')$")

_INNER_DETERMINER = re.compile(rf" (?={_DETERMINER} )")

THAT_OF = ("that of ", "those of ")


@lru_cache(maxsize=65536)
def bare(words: str) -> str:
    """Strip a leading article."""
    return _ARTICLE.sub("", words.strip())


@lru_cache(maxsize=65536)
def argument(words: str) -> str:
    """Find the name in an argument on the right: "talking to Ann", "the purchase of a kite", "that of Ann"."""
    words = words.strip()
    for start in THAT_OF:
        words = words.removeprefix(start)
    words = _EVENT.sub("", words, count=1)
    return bare(words.removeprefix("to "))


@lru_cache(maxsize=65536)
def owner(words: str, measure: str) -> str:
    """Find the name in an argument about a measure: "Ann's age", "Ann's", "the ages of Ann", "that of Ann"."""
    words = words.strip()
    for start in THAT_OF:
        if words.startswith(start):
            return bare(words.removeprefix(start))
    of = _MEASURE_OF.match(words)
    if of and of[1] in (measure, measure + "s"):
        return bare(of[2])
    for end in (measure, measure + "s"):
        words = words.removesuffix(" " + end)
    return bare(_OWNER.sub("", words))


@lru_cache(maxsize=65536)
def measured(left: str) -> tuple[str, str, tuple[str, ...], str] | None:
    """Split name and measure in "Ann's age is", "is Ann's age", "the age of Ann is"; None where there is neither.

    The result also has the forms that a measure takes on the right, and the whole text, which is a name if it is no
    measure.
    """
    words = _INVERSION.sub("", _COPULA.sub("", left.strip()))
    owned = _OWNED.match(words)
    if owned:
        name, measure = owned[1], owned[2]
        return bare(name), measure, (f"'s {measure}", f"' {measure}", *THAT_OF), bare(words)
    of = _MEASURE_OF.match(words)
    if of:
        return bare(of[2]), of[1], (f"the {of[1]} of ", f"the {of[1]}s of ", *THAT_OF), bare(words)
    return None


@lru_cache(maxsize=65536)
def elliptic(left: str) -> str:
    """Find the name in the left words of a clause without subject: "to Ann", "Ann", "Ann is", "Ann arrived"."""
    return bare(_LEADING.sub("", _TAIL.sub("", left.strip())))


@lru_cache(maxsize=65536)
def spoken(left: str) -> tuple[str, ...]:
    """Find the name in the left words of a full clause: "Tom talked to Ann", "did he talk to Ann", "Ann arrived".

    The name comes first. Where no verb stands before it, grammar is not sure where it begins; then two texts follow
    that may end in a name: the words up to a verb after the name, and all the words.
    """
    words = left.strip()
    inverted = _INVERSION.match(words)
    words = words[inverted.end() :] if inverted else _OPENING.sub("", words)
    trimmed = _TAIL.sub("", words)
    if trimmed in _PRONOUNS:  # "Did he go at the inn" is about the inn.
        trimmed = words
    if trimmed == words and not (inverted and inverted[1]):
        verb = (_INVERTED_SUBJECT_VERB if inverted else _SUBJECT_VERB).match(trimmed)
        if verb:
            return (bare(trimmed[verb.end() :]),)
    return bare(trimmed), trimmed, words


def only_name(left: str) -> bool:
    """Whether the left words are a name and a copula, with nobody doing anything before it: "the blue box is"."""
    return bool(_ARTICLE.match(left.strip()) and _COPULA.search(left.rstrip()))


@lru_cache(maxsize=65536)
def may_precede(words: str) -> bool:
    """Whether a name may begin after these words: "talked to the", "Tom saw", but not "the blue"."""
    return not words or bool(_BEFORE.search(words))


@lru_cache(maxsize=65536)
def cuts_at_determiners(words: str) -> tuple[tuple[str, str], ...]:
    """Cut words before each determiner inside them: "her aunt the cook" gives ("her aunt", "the cook")."""
    return tuple((words[: at.start()], words[at.end() :]) for at in _INNER_DETERMINER.finditer(words))
