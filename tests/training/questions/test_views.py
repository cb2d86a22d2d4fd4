"""Views: what cannot be told apart by reading facts one by one."""

from collections import Counter, defaultdict
from itertools import permutations

from probsense.tasks.worldsense.measures.shortcuts import count_facts
from questions.candidates import candidates, stories
from questions.views import masked


def surface(facts, claim):
    """Counts of the things asked about, in which fact each is named first and last, and the number of facts."""
    counts = count_facts(4, facts)
    seen = []
    for thing in claim.args:
        told = [i for i, fact in enumerate(facts) if thing in fact.args]
        seen.append((counts[thing], told[0], told[-1]))
    return claim.relation, len(facts), seen[0], tuple(sorted(seen[1:]))


def test_questions_that_look_alike_have_the_same_surface_in_as_many_tellings():
    """By enumeration of all orders of telling of the shortest stories of four things."""
    told = [facts for kind in (1, 2) for facts in stories(4, kind, True, 10**6, 0) if len(facts) == 4]
    by_view = defaultdict(list)
    for one in candidates(4, told):
        by_view[masked(told[one.story], one.claim)].append((told[one.story], one.claim))
    several = [own for own in by_view.values() if len(own) > 1]
    assert len(several) > 100
    for own in several[::5]:
        seen = [Counter(surface(way, claim) for way in permutations(facts)) for facts, claim in own[:3]]
        assert all(one == seen[0] for one in seen)
