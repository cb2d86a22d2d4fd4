"""The form of a question, against a search through all names and both directions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.text.form import form, form_id
from probsense.tasks.worldsense.text.logic import Claim

THINGS = 5


def claims(n: int) -> st.SearchStrategy[Claim]:
    things = st.permutations(range(n))
    return things.flatmap(
        lambda order: st.sampled_from(
            [
                before(*order[:2]),
                between(*order[:3]),
                Claim("outside", tuple(order[:3])),
                Claim("first", (order[0],)),
                Claim("last", (order[0],)),
                Claim("parallel", tuple(order[:2])),
                Claim("perpendicular", tuple(order[:2])),
            ]
        )
    )


questions = st.tuples(
    st.lists(claims(THINGS), min_size=1, max_size=6), st.none() | claims(THINGS) | claims(THINGS)
)


def renamed(claim: Claim, names: Sequence[int], reverse: bool) -> Claim:
    relation, args = claim
    args = tuple(names[thing] for thing in args)
    if reverse and relation == "before":
        args = args[::-1]
    if reverse and relation in ("first", "last"):
        relation = "last" if relation == "first" else "first"
    return Claim(relation, args)


def spelled(claim: Claim) -> tuple[object, ...]:
    """One spelling of a claim whose ends, or lines, can change places."""
    relation, args = claim
    if relation in ("between", "outside"):
        return relation, args[0], *sorted(args[1:])
    return (relation, *(sorted(args) if relation in ("parallel", "perpendicular") else args))


def spellings(question: tuple[list[Claim], Claim | None]) -> set[tuple[object, ...]]:
    """Everything that a question is under other names and in the other direction."""
    facts, claim = question
    return {
        (
            tuple(sorted([spelled(renamed(fact, names, reverse)) for fact in facts], key=repr)),
            claim and spelled(renamed(claim, names, reverse)),
        )
        for names in permutations(range(THINGS))
        for reverse in (False, True)
    }


@given(questions, st.permutations(range(THINGS)), st.booleans(), st.randoms())
def test_names_direction_and_telling_do_not_matter(question, names, reverse, random):
    facts, claim = question
    told = [renamed(fact, names, reverse) for fact in facts]
    random.shuffle(told)
    asked = claim and renamed(claim, names, reverse)
    assert form_id(facts, claim) == form_id(told, asked)


@given(questions, questions)
def test_questions_have_one_form_exactly_if_names_and_direction_can_make_them_equal(one, other):
    for changed in (other, (one[0], other[1]), (other[0], one[1]), (one[0][::-1], one[1])):
        same = bool(spellings(one) & spellings(changed))
        assert (form(*one) == form(*changed)) == same


def test_a_story_in_which_many_things_are_alike_takes_no_search():
    star = [before(0, i) for i in range(1, 13)]
    assert form_id(star, before(0, 5)) == form_id(star[::-1], before(0, 9))


def test_ids_are_the_same_in_every_process():
    assert form_id([before(0, 1), before(1, 2)], before(0, 2)) == "gclajboijb"
