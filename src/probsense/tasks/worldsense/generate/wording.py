"""How a story is told and how questions are worded.

A story has its facts in some order, each worded in one of two directions, and sentences beside them that say nothing
about the order. The things of a story are numbered by an order that fits its facts, from first to last. The frames of
questions are the same for every skin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.skins import OrderSkin, ParallelSkin, Skin
from probsense.tasks.worldsense.text.logic import Claim

QSKINS = ("directQ1", "directQ2")

INFER = {
    "directQ1": "{story}\nIs it TRUE or FALSE that {claim}?\nReply with one word only, TRUE or FALSE:",
    "directQ2": "{story}\nReply with one word only, TRUE or FALSE: can one say that {claim}?\n",
}

CONSIST = {
    "directQ1": "{scene}. Somebody says that {facts}. Could all of this be so at once? "
    "Reply with one word only, POSSIBLE or IMPOSSIBLE: ",
    "directQ2": "Think of this description. {scene}: {facts}.\n"
    "Reply with one word only, POSSIBLE if there is a way for all of it to hold, IMPOSSIBLE if there is none.\n",
}

COMPL = {
    "directQ1": "{story}\nWhich of the three is right: (1) {claim}, (2) {converse}, or (3) the text leaves it open?\n"
    "Reply with the number only:",
    "directQ2": "{story}\nReply with a number only: 1 if {claim}, 2 if {converse}, 3 if the text leaves it open.\n",
}


def scene(skin: Skin, n: int) -> str:
    """Open a story about n entities, without a final stop."""
    return skin.scene.format(n=n)


def story(skin: Skin, n: int, clauses: Sequence[str]) -> str:
    """Tell a story that states its facts."""
    return f"{scene(skin, n)}: {join(clauses)}."


def list_story(skin: OrderSkin, names: Sequence[str]) -> str:
    """Tell a story that lists the entities in their order."""
    items = "\n".join(f"- {name}" for name in names)
    return f"{scene(skin, len(names))}. {skin.list}:\n{items}"


def join(clauses: Sequence[str]) -> str:
    """Join clauses to one sentence with commas, and "and" before the last."""
    return f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def clause(skin: Skin, claim: Claim, names: Sequence[str], flip: bool) -> str:
    """Word a claim.

    Parameters
    ----------
    skin : Skin
    claim : Claim
        before, between, outside, first or last; of lines, parallel or perpendicular.
    names : sequence of str
        Name of each entity that the claim numbers.
    flip : bool
        Word before(a, b) by the converse predicate ("b comes after a"), between or outside with its end points
        exchanged, and lines with each other.
    """
    relation, args = claim
    if isinstance(skin, ParallelSkin):
        a, b = args[::-1] if flip else args
        return (skin.parallel if relation == "parallel" else skin.perpendicular).format(
            a=names[a], b=names[b]
        )
    if relation == "before":
        a, b = args
        if flip:
            return skin.converse.format(a=names[b], b=names[a])
        return skin.forward.format(a=names[a], b=names[b])
    if relation in ("first", "last"):
        return (skin.first if relation == "first" else skin.last).format(a=names[args[0]])
    m, a, b = args
    if flip:
        a, b = b, a
    return (skin.between if relation == "between" else skin.outside).format(
        m=names[m], a=names[a], b=names[b]
    )


SHUFFLED, ORDERED = TELLINGS = ("shuffled", "ordered")
"""In which order facts are told: in any; or along the order of their things, from its one end or from the other."""

MIXED, ONE = WORDINGS = ("mixed", "one")
"""How facts are worded: each in one of two directions; or all of a story in the same."""

_TRIES: Final = 400
"""How many choices of distractors show whether any names some things equally often."""


class Manner(NamedTuple):
    """How the story of a tuple is told."""

    telling: str = SHUFFLED
    wording: str = MIXED
    distractors: int = 0


IN_ORDER: Final = Manner(ORDERED, ONE)
"""The manner of a list."""


class Aside(NamedTuple):
    """A distractor: a sentence about two things that says nothing about their order."""

    template: str
    args: tuple[int, int]


Sentence: TypeAlias = Claim | Aside


class Told(NamedTuple):
    """The sentences of a story in their order, and whether each is worded the other way round."""

    sentences: tuple[Sentence, ...]
    flips: list[bool]


Alike: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups of things; those of a group are in equally many distractors."""


def facts_of(sentences: Sequence[Sentence]) -> tuple[Claim, ...]:
    """Return the sentences of a story that say something about its order."""
    return tuple(sentence for sentence in sentences if isinstance(sentence, Claim))


def arrange(draws: Draws, facts: Sequence[Claim], manner: Manner) -> tuple[Claim, ...]:
    """Put facts into the order in which the story tells them."""
    if manner.telling == SHUFFLED:
        return tuple(draws.sample(facts, len(facts)))
    return tuple(sorted(facts, key=_from_last if draws.coin() else _from_first))


def _from_first(fact: Claim) -> list[int]:
    return sorted(fact.args)


def _from_last(fact: Claim) -> list[int]:
    return sorted(-thing for thing in fact.args)


def word(draws: Draws, facts: Sequence[Claim], manner: Manner) -> list[bool]:
    """Draw for each fact whether it is worded the other way round."""
    if manner.wording == MIXED:
        return [draws.coin() for _ in facts]
    return [draws.coin()] * len(facts)


def with_asides(draws: Draws, told: Told, asides: Sequence[Aside]) -> Told:
    """Put distractors at random places among the facts of a story."""
    sentences, flips = [*told.sentences], [*told.flips]
    for aside in asides:
        place = draws.below(len(sentences) + 1)
        sentences.insert(place, aside)
        flips.insert(place, False)
    return Told(tuple(sentences), flips)


def place_one_more(draws: Draws, told: Told, claim: Claim, manner: Manner) -> int:
    """Draw where a story tells one fact more: anywhere, or where it belongs in an ordered telling."""
    sentences = told.sentences
    if manner.telling == SHUFFLED:
        return draws.below(len(sentences) + 1)
    facts = facts_of(sentences)
    key = _from_first if _from_first(facts[0]) <= _from_first(facts[-1]) else _from_last
    later = (i for i, s in enumerate(sentences) if isinstance(s, Claim) and key(s) > key(claim))
    return next(later, len(sentences))


def word_one_more(draws: Draws, told: Told, manner: Manner) -> bool:
    """Draw whether one fact more is worded the other way round."""
    if manner.wording == MIXED:
        return draws.coin()
    return next(flip for sentence, flip in zip(*told, strict=True) if isinstance(sentence, Claim))


def draw_asides(
    draws: Draws, pairs: Sequence[tuple[str, str]], n: int, count: int, alike: Alike = ()
) -> tuple[Aside, ...]:
    """Draw distractors that agree with each other, no two of them about the same in the same things.

    Parameters
    ----------
    draws : Draws
    pairs : sequence of (str, str)
        Predicates that have nothing to do with the order: templates of a sentence, and of what it says turned round.
    n, count : int
        Numbers of things and of distractors.
    alike : tuple of tuple of int
        Groups that :func:`agreeable` admits.
    """
    if not count:
        return ()
    chosen = _choose(draws, n, len(pairs), count)
    while not _agree(chosen, alike):
        chosen = _choose(draws, n, len(pairs), count)
    # Each predicate has an order of its own, so that its sentences cannot contradict each other.
    orders = [draws.sample(range(n), n) for _ in pairs]
    asides = []
    for predicate, things in chosen:
        a, b = things if draws.coin() else things[::-1]
        turned = orders[predicate].index(a) > orders[predicate].index(b)
        asides.append(Aside(pairs[predicate][turned], (a, b)))
    return tuple(asides)


def _choose(draws: Draws, n: int, predicates: int, count: int) -> list[tuple[int, tuple[int, int]]]:
    """Draw predicates and pairs of things."""
    return draws.sample(
        [(p, things) for p in range(predicates) for things in combinations(range(n), 2)], count
    )


def _agree(chosen: Sequence[tuple[int, tuple[int, int]]], alike: Alike) -> bool:
    named = Counter(thing for _, things in chosen for thing in things)
    return all(len({named[thing] for thing in group}) == 1 for group in alike)


@cache
def agreeable(n: int, count: int, alike: Alike) -> bool:
    """Whether some choice of distractors names the things of each group equally often; always the same answer."""
    draws = Draws(np.random.default_rng(0))
    return not count or any(_agree(_choose(draws, n, 1, count), alike) for _ in range(_TRIES))
