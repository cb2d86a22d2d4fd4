"""Views: what cannot be told apart by reading facts one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import permutations

from probsense.tasks.worldsense.generate.matched import Facts
from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.measures.shortcuts import count_facts
from probsense.tasks.worldsense.text.logic import Claim
from questions.candidates import candidates, stories
from questions.views import masked, whole


def surface(facts: Sequence[Claim], claim: Claim) -> object:
    """Counts of the things asked about, in which fact each is named first and last, and the number of facts."""
    counts = count_facts(4, facts)
    seen = []
    for thing in claim.args:
        told = [i for i, fact in enumerate(facts) if thing in fact.args]
        seen.append((counts[thing], told[0], told[-1]))
    first, *others = seen
    return claim.relation, len(facts), first, tuple(sorted(others))


def tellings(facts: Facts, claim: Claim) -> Counter[object]:
    return Counter(surface(told, claim) for told in permutations(facts))


def test_questions_that_look_alike_have_the_same_surface_in_as_many_tellings() -> None:
    """By enumeration of all orders of telling of the shortest stories of four things."""
    told = [facts for kind in (1, 2) for facts in stories(4, kind, True, 10**6, 0) if len(facts) == 4]
    by_view: dict[object, list[tuple[Facts, Claim]]] = defaultdict(list)
    for one in candidates(4, told):
        by_view[masked(told[one.story], one.claim)].append((told[one.story], one.claim))
    several = [own for own in by_view.values() if len(own) > 1]
    assert len(several) > 100
    for own in several[::5]:
        first, *others = (tellings(*question) for question in own[:3])
        assert all(other == first for other in others)


def test_other_looks_have_other_surfaces() -> None:
    """The view is no finer than it needs to be where things share no fact: one more win shows."""
    facts = (before(0, 1), before(1, 2), before(2, 3))
    assert masked(facts, before(0, 2)) != masked(facts, before(1, 3))
    assert masked(facts, between(1, 0, 3)) != masked(facts, between(0, 1, 3))


def test_the_ends_of_between_can_change_places() -> None:
    facts = (before(0, 1), between(1, 0, 2), before(2, 3))
    assert masked(facts, between(1, 0, 3)) == masked(facts, between(1, 3, 0))


def test_the_whole_view_counts_the_other_things() -> None:
    one = (before(0, 1), before(2, 3), before(2, 4))
    other = (before(0, 1), before(2, 4), before(3, 4))
    assert masked(one, before(0, 1)) == masked(other, before(0, 1))
    assert whole(5, one, before(0, 1)) != whole(5, other, before(0, 1))
