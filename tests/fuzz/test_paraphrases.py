"""Stories and questions in many sentence forms: no right label is called wrong.

Sentences are told or asked, with many determiners, with conjunctions left out, and with names that hold other names.
Not all of this is understood, and need not be.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.tasks.worldsense.audit import audit, beyond
from probsense.tasks.worldsense.questions.description import Described
from probsense.tasks.worldsense.questions.trials import Trial
from probsense.tasks.worldsense.text.logic import ParseFailure, answer
from probsense.tasks.worldsense.text.reading import Reader
from support.worldsense import verdicts

ENGLISH = Reader([])
CASES = int(os.environ.get("PROBSENSE_FUZZ", 0)) or 60


VERBS = (
    ("talk", "talked", "talking", ("to ", "with ")),
    ("go", "went", "going", ("to ", "at ")),
    ("visit", "visited", "visiting", ("",)),
    ("see", "saw", "seeing", ("",)),
    ("take", "took", "taking", ("",)),
)
"""What somebody does to one thing after another: the forms of the verb, and the prepositions of its object."""
ARRIVE = (("arrive", "arrived"), ("depart", "departed"), ("finish", "finished"))
ADJECTIVES = (("older", "younger"), ("taller", "shorter"), ("happier", "sadder"), ("crispier", "soggier"))
PLACES = (
    (("in front of",), ("behind", "behind of")),
    (("to the left of", "left of"), ("to the right of", "right of")),
    (("above", "above of", "over"), ("below", "underneath")),
    (("to the north of", "north of"), ("to the south of", "south of")),
)
SUBJECTS = (("Rita", "she"), ("Tom", "he"), ("Ann Lee", "she"), ("Uncle Bob", "he"))
NAMES = (
    ("box", "blue box", "box of pears", "pear", "old box", "boxer"),
    ("inn", "old inn", "Inn by the Sea", "sea", "mill", "inn keeper"),
    ("Ann", "Ann Lee", "Joanna", "Lee", "Mary Ann", "Anna"),
    ("aunt", "great aunt", "husband", "uncle", "boss", "son"),
    ("law", "case law", "art", "art of war", "music", "early music"),
)
DETERMINERS = ("the", "the", "", "a", "her", "his")


class Case(NamedTuple):
    """A trial, its right label, and how it came about."""

    problem: str
    text: str
    gold: str
    record: Described
    names: tuple[str, ...]


class Teller:
    """Words facts and claims, with every choice drawn anew."""

    def __init__(self, draw, names):
        self.draw = draw
        self.kind = draw(st.sampled_from(("did", "did", "arrive", "adjective", "place")))
        self.subject, self.pronoun = draw(st.sampled_from(SUBJECTS))
        self.verb = draw(st.sampled_from(VERBS))
        self.arrive = draw(st.sampled_from(ARRIVE))
        self.adjective = draw(st.sampled_from(ADJECTIVES))
        self.place = draw(st.sampled_from(PLACES))
        self.determiner = {
            name: "" if name[0].isupper() and self.coin() else draw(st.sampled_from(DETERMINERS))
            for name in names
        }

    def coin(self):
        return self.draw(st.booleans())

    def pick(self, *choices):
        return self.draw(st.sampled_from(choices))

    def name(self, name):
        return f"{self.determiner[name]} {name}".strip()

    def relation(self, forward):
        if self.kind == "adjective":
            return self.adjective[not forward] + " than"
        if self.kind == "place":
            return self.pick(*self.place[not forward])
        return self.pick("before", "prior to") if forward else "after"

    def tail(self, claim, forward, outside, gerund):
        """Word what stands behind the first name: the relation and the other names."""
        if len(claim) == 2:
            return f"{self.relation(forward)} {gerund}{self.name(claim[1])}"
        between = self.pick("between", "in between")
        if outside:
            between = self.pick(
                "outside of the interval between", "outside the range between", "outside of the time between"
            )
        ends = self.pick(" and ", " and ", " ").join(map(self.name, claim[1:]))
        return f"{between} {gerund}{ends}"

    def sentence(
        self,
        claim,
        forward=True,
        outside=False,
        asked=False,
        elliptic=False,
    ):
        """Word a claim about names: "before" where forward, else "after"."""
        first, (base, past, gerund, prepositions) = self.name(claim[0]), self.verb
        if self.kind in ("adjective", "place"):
            tail = self.tail(claim, forward, outside, "")
            return f"{self.pick('Is', 'is')} {first} {tail}" if asked else f"{first} is {tail}"
        did = self.pick("Did", "did")
        if self.kind == "arrive":
            base, past = self.arrive
            tail = self.tail(claim, forward, outside, "")
            return f"{did} {first} {base} {tail}" if asked else f"{first} {past} {tail}"
        thing = f"{self.pick(*prepositions)}{first}"
        tail = self.tail(claim, forward, outside, self.pick("", f"{gerund} {prepositions[0]}"))
        if asked:
            return f"{did} {self.pick(self.subject, self.pronoun)} {base} {thing} {tail}"
        return f"{thing} {tail}" if elliptic else f"{self.subject} {past} {thing} {tail}"

    def told(self, fact, elliptic):
        forward = self.coin()
        if len(fact) == 2 and not forward:
            fact = fact[::-1]
        return self.sentence(fact, forward, elliptic=elliptic)

    def story(self, facts):
        elliptic = self.coin()
        clauses = [self.told(fact, elliptic and i > 0) for i, fact in enumerate(facts)]
        last = self.pick(" and ", " and ", " and ", ", and ", ", ")
        return f"{', '.join(clauses[:-1])}{last}{clauses[-1]}"


@st.composite
def cases(draw):
    names = draw(st.permutations(draw(st.sampled_from(NAMES))))
    n = draw(st.integers(3, 5))
    teller = Teller(draw, names)
    facts = [(i, i + 1) for i in range(n - 1)]
    if draw(st.booleans()):
        m = draw(st.integers(1, n - 2))
        facts[m - draw(st.integers(0, 1))] = (m, m - 1, m + 1)
    elif draw(st.booleans()):
        m = draw(st.integers(1, n - 2))
        facts[m] = (m - 1, m + 1)
    facts = draw(st.permutations(facts))
    new = draw(st.integers(0, 3)) == 0
    claim = draw(st.permutations(range(n)))[: draw(st.integers(2, 3))]
    if new:
        claim[draw(st.integers(0, len(claim) - 1))] = n
    found = verdicts(n + new, facts, tuple(claim))
    kind = (
        "Compl" if new or len(found) == 2 else draw(st.sampled_from(("Compl", "Compl", "Infer", "Consist")))
    )
    told = facts
    if kind == "Consist":
        place = draw(st.integers(0, len(facts)))
        told = [*facts[:place], tuple(claim), *facts[place:]]
    story = teller.story([tuple(names[i] for i in fact) for fact in told])
    asked = tuple(names[i] for i in claim)
    # In a record the end points stand in some order, and an unmentioned thing is -1.
    record = Described(str(told), str(tuple(-1 if i == n else i for i in claim)), tuple(names[:n]))
    scene = f"Here are {n} things to compare"
    yes, no = found == {True}, found == {False}
    if kind == "Consist":
        text = f"{scene}. If I say '{story}.', is it POSSIBLE or IMPOSSIBLE ?"
        return Case("Consist.normal", text, "POSSIBLE" if yes else "IMPOSSIBLE", record, tuple(names))
    if kind == "Infer":
        text = f"{scene}: {story}.\nIs the following sentence '{teller.sentence(asked)}' TRUE or FALSE ?"
        return Case("Infer.normal", text, "TRUE" if yes else "FALSE", record, tuple(names))
    is_asked, forward = draw(st.booleans()), draw(st.booleans())
    if len(asked) == 2:
        if not forward:
            asked = asked[::-1]
        one, other = (teller.sentence(asked, way, asked=is_asked) for way in (forward, not forward))
    else:
        one, other = (teller.sentence(asked, outside=way, asked=is_asked) for way in (False, True))
    text = f"{scene}: {story}. \nChoose one: (1) {one}, (2) {other}, or (3) it is impossible to decide."
    problem = "Compl.trivial" if new else draw(st.sampled_from(("Compl.trivial", "Compl.normal")))
    return Case(problem, text, "1" if yes else "2" if no else "3", record, tuple(names))


@settings(max_examples=CASES)
@given(cases())
def test_no_right_label_is_called_wrong(case):
    trial = Trial(case.problem, 0, "", case.gold, 1, case.text, case.names, case.record or Described())
    for told in (trial, trial._replace(record=Described())):
        assert audit([told], ENGLISH).wrong == ()


def alone(case):
    """Return the answer by English grammar alone; None where it is not understood."""
    try:
        question = ENGLISH.read(case.text, case.names)
    except ParseFailure:
        return None
    return None if beyond(question) else answer(question)


def test_most_paraphrases_are_understood():
    """Else the test above would have nothing to say.

    A misread name looks like one that the story does not mention. Only a second reading can tell, so where the problem
    is about such names, this one has no say.
    """
    found = []

    @settings(max_examples=CASES)
    @given(cases().filter(lambda case: case.problem != "Compl.trivial"))
    def read(case):
        found.append((alone(case), case.gold))

    read()
    understood = [(said, gold) for said, gold in found if said is not None]
    assert len(understood) > 2 / 3 * len(found)
    assert sum(said != gold for said, gold in understood) < 0.005 * len(understood)
