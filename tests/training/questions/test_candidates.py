"""Stories and what can be asked about them, against plain enumeration."""

import pytest

from probsense.tasks.worldsense.generate.matched import complexity
from probsense.tasks.worldsense.text.logic import depth
from questions.candidates import candidates, stories
from support.worldsense import verdicts

ANSWERS = {frozenset({True}): "yes", frozenset({False}): "no", frozenset({True, False}): "undecided"}


@pytest.mark.parametrize(
    ("n", "most", "alone"), [(4, 10**6, True), (4, 10**6, False), (7, 12, True), (7, 12, False)]
)
def test_stories_and_claims_are_what_they_should_be(n, most, alone):
    for kind in (0, 1, 2):
        told = stories(n, kind, alone, most, 0)
        assert told
        for facts in told:
            assert complexity(facts) == kind
            assert n - 1 <= len(facts) == len(set(facts))
            assert {thing for fact in facts for thing in fact.args} == {*range(n)}
            # Things are numbered by an order that fits.
            plain = [fact.args for fact in facts]
            assert all(args[0] < args[1] for args in plain if len(args) == 2)
            assert all(min(args[1:]) < args[0] < max(args[1:]) for args in plain if len(args) == 3)
        if n > 5:
            continue
        for one in list(candidates(n, told))[::17]:
            facts = told[one.story]
            found = verdicts(n, [fact.args for fact in facts], one.claim.args)
            assert one.answer == ANSWERS[frozenset(found)]
            assert one.depth == (depth(n, facts, one.claim) or 0)
            assert all({*fact.args} != {*one.claim.args} for fact in facts)
        orders = {
            len(verdicts(n, [f.args for f in facts], (a, b)))
            for facts in told[:5]
            for a in range(n)
            for b in range(a)
        }
        assert orders == {1} if alone else 2 in orders
