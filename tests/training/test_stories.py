"""The drills on facts: every answer is the solver's, and nothing of a test skin is read."""

from __future__ import annotations

from collections import Counter
from itertools import islice, repeat

import numpy as np
import pytest

from lessons import NUMBERS, PLAIN_SKIN, Text, drills, few_names
from probsense.tasks.worldsense.generate.stories import Draws
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import ParsedQuestion, verdict, worlds
from probsense.tasks.worldsense.text.reading import Reader
from probsense.tasks.worldsense.text.skin_files import load_skins
from stories import compl, facts, loose, mixed, second_curriculum, short

READER = Reader([PLAIN_SKIN])
ANSWERS = {"yes": "TRUE", "no": "FALSE", "undecided": "open"}


def parsed(story: str, claim: str) -> ParsedQuestion:
    return READER.read(skins.INFER["directQ1"].format(story=story, claim=claim))


def asked(texts: list[Text]) -> list[tuple[str, str, str]]:
    """The story, the question and the answer of everything that is asked."""
    found = []
    for text in texts:
        story, first = text[0][0].split("\n")
        questions = [first, *(question.removeprefix("\n") for question, _ in text[1:])]
        found += [(story, q, answer) for q, (_, answer) in zip(questions, text, strict=True)]
    return found


def draws() -> Draws:
    return Draws(np.random.default_rng(5))


@pytest.mark.parametrize("complexities", [(0,), (0, 1, 2)])
def test_ranks_and_claims_are_those_of_the_only_world(complexities: tuple[int, ...]) -> None:
    texts = list(islice(drills(draws(), few_names, (3, 4, 5), "rebo", 6, facts(complexities)), 100))
    kinds = set()
    for story, question, answer in asked(texts):
        claim = question.removeprefix("that ").removesuffix("?")
        if claim == question:
            name = question.strip()
            seen = parsed(story, f"{name} comes first")
            n = len(seen.names)
            possible = worlds(n, seen.facts)
            assert possible.alone
            thing = seen.names.index(name)
            pairs = [parsed(story, f"{other} comes before {name}") for other in seen.names if other != name]
            earlier = [verdict(possible, pair.claims[0]) for pair in pairs]
            assert NUMBERS.index(answer) == earlier.count("yes"), (story, thing)
            kinds.add("rank")
        else:
            seen = parsed(story, claim)
            assert ANSWERS[verdict(worlds(len(seen.names), seen.facts), seen.claims[0])] == answer
            kinds.add(seen.claims[0].relation)
    assert kinds == {"rank", "before", "between", "first", "last"}


def test_loose_things_leave_claims_open() -> None:
    found = set()
    for story, question, answer in asked(list(islice(loose(draws(), few_names, (3, 4, 5), short), 60))):
        seen = parsed(story, question.removeprefix("that ").removesuffix("?"))
        n = len(seen.names)
        assert ANSWERS[verdict(worlds(n, seen.facts), seen.claims[0])] == answer
        found.add(answer)
    assert found == {"TRUE", "FALSE", "open"}


def test_questions_in_full_have_the_same_answers_by_number() -> None:
    numbers = {"TRUE": "1", "FALSE": "2", "open": "3"}
    one, other = (list(islice(loose(draws(), few_names, (3, 4), ask), 40)) for ask in (short, long))
    for brief, full in zip(one, other, strict=True):
        assert [numbers[answer] for _, answer in brief] == [answer for _, answer in full]


def long(_: Draws, claim: str, converse: str, decided: str) -> tuple[str, str]:
    # A coin of its own, so that both sets of stories take the same draws.
    question, answer = compl(draws(), claim, converse, decided)
    assert claim in question
    assert converse in question
    return question, answer


def test_streams_are_mixed_by_their_number() -> None:
    streams = [repeat([(name, name)]) for name in "aab"]
    found = Counter(text[0][0] for text in islice(mixed(draws(), streams), 3000))
    assert found["b"] == pytest.approx(1000, abs=120)
    assert found["a"] + found["b"] == 3000


def test_no_name_of_a_test_skin_is_read() -> None:
    names = {name for skin in load_skins("test") for name in skin.names}
    for lesson in second_curriculum(0):
        read = "".join(question + answer for text in islice(lesson.texts, 50) for question, answer in text)
        assert not [name for name in names if f" {name} " in read], lesson.name


def test_the_same_seed_gives_the_same_lessons() -> None:
    one, other = ([list(islice(lesson.texts, 20)) for lesson in second_curriculum(3)] for _ in range(2))
    assert one == other
