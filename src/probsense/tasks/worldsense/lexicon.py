"""English words that compare: dimensions with their two directions, and the word forms that lead to them."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

Senses: TypeAlias = tuple[tuple[str, int], ...]
"""The dimensions of a word, each with its direction there: +1 or -1."""

_ADJECTIVES = """
age: old elderly aged | young youthful
novelty: new modern recent | old ancient dated
stature: tall | short
length: long lengthy | short brief
altitude: high | low
size: big large huge | small little tiny
weight: heavy | light
shade: light pale bright | dark
brightness: bright brilliant luminous | dim dull faint
wealth: rich wealthy affluent | poor
mood: happy cheerful joyful glad merry | sad unhappy gloomy miserable
strength: strong powerful | weak feeble
speed: fast quick swift rapid speedy | slow
loudness: loud noisy | quiet silent calm
temperature: warm hot | cool cold chilly
width: wide broad | narrow
thickness: thick fat | thin slim slender
depth: deep | shallow
price: expensive costly dear pricey | cheap affordable inexpensive
beauty: pretty beautiful handsome lovely | ugly
quality: good | bad poor
distance: far distant | near close
hardness: hard firm | soft
difficulty: difficult hard tricky | easy simple
texture: rough coarse | smooth fine
sharpness: sharp keen | blunt dull
sweetness: sweet | bitter sour tart
spiciness: spicy hot | mild bland
moisture: wet damp moist humid | dry arid
cleanliness: clean tidy neat | dirty messy
fullness: full | empty
time: early | late
wit: smart clever bright intelligent wise | stupid foolish dumb
kindness: kind nice friendly pleasant | cruel nasty mean unkind
courage: brave bold courageous | timid cowardly fearful
fame: famous popular renowned | obscure unknown
safety: safe | dangerous risky
health: healthy fit well | sick ill
tightness: tight | loose
steepness: steep | gentle flat
freshness: fresh | stale
sturdiness: sturdy robust solid | flimsy fragile frail
density: dense | sparse
patience: patient | impatient
manners: polite | rude
effort: hardworking diligent | lazy idle
bustle: busy lively crowded | quiet deserted
height: high tall | low
vertical: high upper | low
"""

_PLACES = """
time: before prior_to ahead_of first winner | after following behind last final loser
front: in_front_of ahead_of before first front foremost | behind in_back_of back last rear hindmost
vertical: above over on_top_of top topmost uppermost upstairs_from | below under underneath beneath bottom bottommost lowermost
lateral: to_the_left_of on_the_left_of left_of left leftmost | to_the_right_of on_the_right_of right_of right rightmost
speed: ahead_of first winner | behind last loser
latitude: north_of to_the_north_of northernmost | south_of to_the_south_of southernmost
longitude: west_of to_the_west_of westernmost | east_of to_the_east_of easternmost
"""

_IRREGULAR = {
    "better": "good",
    "best": "good",
    "worse": "bad",
    "worst": "bad",
    "farther": "far",
    "farthest": "far",
    "further": "far",
    "furthest": "far",
    "elder": "old",
    "eldest": "old",
}

PREPOSITIONS = tuple(
    sorted(
        {
            w.replace("_", " ")
            for w in _PLACES.split()
            if w.endswith(("_of", "_to", "_from"))
            or w in {"before", "after", "following", "behind", "above", "over", "below", "under", "underneath", "beneath"}
        },
        key=len,
        reverse=True,
    )
)
"""Words that stand between two arguments, longest first."""

PARALLEL = ("parallel to", "parallel with")
PERPENDICULAR = ("perpendicular to", "orthogonal to", "at right angles to", "at a right angle to", "at right angles with")

IRREGULAR_PASTS = (
    "ate became began bent bit blew bought bound broke brought built came caught chose cut dealt did dove drank drew "
    "drove dug fed fell felt fled flew forgot fought found froze gave got grew heard held hid hit hung hurt kept knew "
    "laid leapt learnt led left lent lit lost made met mowed paid put quit ran rang read rode rose said sang sat saw "
    "sent set sewed shook shot shut slept sold spent split spoke stole stood struck swam swept swore taught thought "
    "threw told took tore understood went won woke wore wove wound wrote"
).split()
"""Irregular past forms of verbs."""

PARTICIPLES = (
    "born bought brought built caught chosen cut done drawn driven eaten fed flown forgotten found given grown heard "
    "held hidden hit hung kept known laid led lent lit lost made met mown paid put read ridden rung said seen sent set "
    "sewn shot shown shut sold spent spoken stolen struck sung swept taken taught thrown told torn won worn woven "
    "written"
).split()
"""Irregular past participles of verbs."""

INTRANSITIVE = (
    "appear arrive begin come depart end extend finish flow go graduate hang happen land lead leave lie live occur "
    "park perform rank run sit sleep speak stand start stay stretch wait walk"
).split()
"""Verbs that may end the words before a relation, without an object."""

EVENTS = (
    "arrival birth call chat conversation debut departure discovery discussion finish interview launch lesson meal "
    "meeting opening planting plantation purchase renovation sale stay stop talk tour trip viewing visit walk"
).split()
"""Nouns that stand for what a verb says ("between her visits to A and B")."""


def _table(text: str) -> dict[str, Senses]:
    senses: dict[str, dict[str, int]] = {}
    for line in text.strip().splitlines():
        axis, words = line.split(": ")
        for sign, side in zip((1, -1), words.split(" | "), strict=True):
            for word in side.split():
                senses.setdefault(word.replace("_", " "), {})[axis] = sign
    return {word: tuple(axes.items()) for word, axes in senses.items()}


_ADJECTIVE_SENSES = _table(_ADJECTIVES)
_PLACE_SENSES = _table(_PLACES)


def _adjective(base: str) -> Senses:
    """Senses of a positive form; an unknown one is a dimension by itself."""
    return _ADJECTIVE_SENSES.get(base) or ((f"?{base}", 1),)


def _inflected(word: str, ending: str) -> Senses:
    """Senses of a comparative (ending "er") or superlative ("est")."""
    if word in _IRREGULAR:
        return _ADJECTIVE_SENSES[_IRREGULAR[word]]
    stem = word.removesuffix(ending)
    for base in (stem, stem + "e", stem.removesuffix("i") + "y", stem[:-1]):
        if base in _ADJECTIVE_SENSES:
            return _ADJECTIVE_SENSES[base]
    return ((f"?{stem}", 1),)


def _turned(senses: Senses, sign: int) -> Senses:
    return tuple((axis, sign * direction) for axis, direction in senses)


@cache
def relation_senses(words: str) -> Senses:
    """Senses of the words between two arguments: "after", "to the left of", "older than", "less happy than"."""
    if words in _PLACE_SENSES:
        return _PLACE_SENSES[words]
    phrase = words.removesuffix(" than")
    degree, _, rest = phrase.partition(" ")
    if degree == "more":
        return _adjective(rest)
    if degree in ("less", "fewer"):
        return _turned(_adjective(rest), -1)
    if rest:  # "longer period than": what is longer is not the entity
        return ((f"?{phrase}", 1),)
    return _inflected(degree, "er")


@cache
def extreme_senses(words: str) -> Senses:
    """Senses of the words that name an end: "first", "leftmost", "oldest", "least happy"."""
    if words in _PLACE_SENSES:
        return _PLACE_SENSES[words]
    degree, _, rest = words.partition(" ")
    if rest:
        return _turned(_adjective(rest), -1 if degree == "least" else 1)
    if words.endswith("most"):
        return _PLACE_SENSES.get(words.removesuffix("most")) or ((f"?{words}", 1),)
    return _inflected(words, "est")


def known(senses: Senses) -> bool:
    """Whether the lexicon knows a dimension of the word."""
    return not senses[0][0].startswith("?")
