"""Control questions, and the format that the answers to them choose."""

from collections import Counter
from itertools import product
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions.label_mass import LEAST_MASS, Clarity
from probsense.core.records import LabelResponse
from probsense.models.prompts.control import (
    CLEARLY,
    ENOUGH,
    FOLLOWS,
    Kind,
    Seen,
    choose,
    control_questions,
    kind_of,
    seen,
)
from probsense.tasks.choices.task import Choices
from probsense.tasks.judgments.task import Judgments

KINDS = get_args(Kind)


@pytest.mark.parametrize("kind", KINDS)
def test_each_label_is_given_away_as_often_as_any_other(kind):
    asked = control_questions(kind)
    given_away = Counter(one.given for one in asked)
    assert given_away.pop("") == 4
    assert set(given_away.values()) == {2}
    assert {*given_away} == {name for name, _ in asked[0].request.labels}
    assert len({one.request for one in asked}) == len(asked) == 8
    for one in asked:
        assert (f'Answer the following with "{one.given}"' in one.request.prompt) is bool(one.given)


def test_they_hold_nothing_of_the_tasks_data():
    texts = {str(item.data["statement"]) for item in Judgments().items()}
    for item in Choices().items():
        texts |= {str(item.data["text"]), *map(str, item.data["options"])}
    assert len(texts) > 100
    asked = [one.request.prompt for kind in KINDS for one in control_questions(kind)]
    assert not [(text, prompt) for text, prompt in product(texts, asked) if len(text) > 12 and text in prompt]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("yes", "no"), "words"),
        (("A", "B", "C"), "letters"),
        (("I", "you"), "words"),
    ],
)
def test_labels_are_words_or_letters(words, kind):
    assert kind_of(tuple((word, (word,)) for word in words)) == kind


def responses(kind, masses):
    return [
        LabelResponse(
            dict(zip((name for name, _ in one.request.labels), mass, strict=True)), 1 - sum(mass), "exact"
        )
        for one, mass in zip(control_questions(kind), masses, strict=True)
    ]


masses = st.tuples(st.floats(0, 0.5), st.floats(0, 0.5))


@given(st.sampled_from(KINDS), st.lists(masses, min_size=8, max_size=8))
def test_figures_are_those_of_an_obvious_count(kind, given_masses):
    found = seen(kind, responses(kind, given_masses))
    asked = control_questions(kind)
    shares, by_style = [], dict[int, list[float]]()
    for one, (first, second) in zip(asked, given_masses, strict=True):
        if not one.given:
            by_style.setdefault(one.style, []).append(first + second)
        elif first + second == 0:
            shares.append(0.5)
        else:
            told = first if one.given == one.request.labels[0][0] else second
            shares.append(told / (first + second))
    assert found.mass == pytest.approx(min(sum(own) / len(own) for own in by_style.values()))
    assert found.agreement == pytest.approx(sum(shares) / 4)


def a_format(mass, agreement, other_first=0):
    return Seen((Clarity(4, other_first, mass), Clarity(4, 0, 1.0)), agreement)


figures = st.tuples(
    st.sampled_from([0.05, LEAST_MASS, 0.3, ENOUGH, 0.8]),
    st.sampled_from([0.5, FOLLOWS, CLEARLY, 0.9]),
    st.sampled_from([0, 4]),
)


@given(st.lists(figures, min_size=1, max_size=5))
def test_the_choice_is_that_of_the_rule_in_words(tried):
    mass, agreement, other_first = tried[0]
    withheld = mass < LEAST_MASS or other_first == 4
    expected = 0
    if withheld or agreement < FOLLOWS:
        best = 0.0
        for i, (own, follows, _) in enumerate(tried):
            clear = own >= ENOUGH and follows >= (FOLLOWS if withheld else CLEARLY)
            if i and clear and own * follows > best:
                expected, best = i, own * follows
    assert choose("0", {str(i): a_format(*one) for i, one in enumerate(tried)}) == str(expected)
