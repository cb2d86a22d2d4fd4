"""Finds names of entities in the words around a relation.

A clause of comparison is *left words, relation, right words*. The right words are little more than a name ("before
talking to Ann"). The left words may hold a subject and a verb ("Tom talked to Ann"), the auxiliary of an inverted
question ("did he talk to Ann"), or a verb after the name ("Ann arrived"). Grammar alone tells which words to strip:
auxiliaries, verb forms, prepositions, articles, possessives.
"""

from __future__ import annotations

import re
from functools import lru_cache

from probsense.tasks.worldsense.lexicon import EVENTS, INTRANSITIVE, PARTICIPLES, PASTS

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
