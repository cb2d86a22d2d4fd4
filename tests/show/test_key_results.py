"""The opening words of a page: who is best, and whether that is more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.key_results import accuracy_results, key_results
from probsense.show.measure import ACCURACY, PERCENT, KeyResult, KeyResults, Measure, Shortcut
from probsense.show.words import Words

NAN = math.nan
WORDS = Words(title="Quiz", measures={"accuracy": ACCURACY}, parts=("problem", "view"))


def estimate(
    value: float,
    half: float = 0.01,
    measure: str = "accuracy",
    method: str = "published",
    chance: float = 0.5,
    **by: str,
) -> Estimate:
    return Estimate(measure, by, value, half / 1.96, value - half, value + half, 0.95, 9, 9, method, chance)


def said(estimates: Sequence[Estimate]) -> KeyResults:
    return accuracy_results(estimates, WORDS)


UNSETTLED = (
    "a has the highest accuracy of the {} compared here, but no interval tells it from {}, so these results alone do"
    " not settle which is best."
)
LOW = {"a": (0.5, 0.1), "b": (0.55, 0.1)}


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        ({"a": (0.6, 0.02)}, ""),
        ({"a": (0.6, 0.02), "b": (0.5, 0.02)}, "a is the most accurate of the 2 compared here."),
        ({"b": (0.55, 0.01), "c": (0.5, 0.2), "a": (0.6, 0.02)}, UNSETTLED.format(3, "c")),
        ({"b": (0.5, NAN), "a": (0.6, 0.02)}, UNSETTLED.format(2, "b")),
        ({"b": (NAN, NAN), "a": (0.6, 0.02)}, UNSETTLED.format(2, "b")),
        (LOW, "None of the 2 compared here is above chance (50 %)."),
        (LOW | {"c": (0.9, 0.1)}, "c is the most accurate of the 3 compared here."),
    ],
)
def test_the_opening_says_who_is_best_and_whether_that_is_settled(found, headline):
    assert said([estimate(*numbers, model=model) for model, numbers in found.items()]).headline == headline


def test_what_is_not_above_the_shortcut_ceiling_is_not_praised():
    def reaching(value: float, ceiling: float, stderr: float = 0.0, **by: str) -> Estimate:
        return replace(estimate(value, 0.02, **by), shortcut_ceiling=ceiling, shortcut_stderr=stderr)

    words = replace(WORDS, shortcut=Shortcut("counting", "what counts"))
    made = [
        reaching(0.8, 0.75, model="above"),
        reaching(0.7, 0.75, model="below"),
        reaching(0.76, 0.75, model="same"),
        reaching(0.78, 0.75, 0.01, model="hardly"),
    ]
    found = accuracy_results(made, words)
    assert {one.model: one.rest for one in found.models} == {
        "above": "That is more than counting reaches (75 %).",
        "hardly": "Counting alone reaches as much (75 %).",
        "same": "Counting alone reaches as much (75 %).",
        "below": "Counting alone reaches more (75 %).",
    }
    unknown = replace(made[0], low=NAN, high=NAN)
    (one,) = accuracy_results([unknown], words).models
    assert one.said.endswith("right (no interval), too rough to tell from guessing (50 %).")
    assert one.rest == "Counting reaches 75 %."
    assert "None" not in accuracy_results([unknown, *made[1:]], words).headline
    assert found.headline.startswith("above has the highest accuracy")
    assert accuracy_results(made[1:], words).headline == (
        "None of the 3 compared here is above the shortcut ceiling: counting reaches as much."
    )
    parts = [reaching(v, 0.75, model="m", problem=p) for v, p in ((0.9, "p"), (0.7, "q"))]
    (one,) = accuracy_results(
        [made[0], *(replace(e, by={**e.by, "model": "above"}) for e in parts)], words
    ).models
    assert one.rest.endswith(
        "Taken singly, 2 of 2 problems are above chance, and 1 above the shortcut ceiling."
    )


def test_a_single_problem_stands_for_the_whole_and_several_do_not():
    one = [estimate(0.7, model="m", problem="p")]
    assert [result.model for result in said(one).models] == ["m"]
    assert said(one).headline == ""
    several = said([*one, estimate(0.6, model="m", problem="q")])
    assert several.headline == ""
    assert [result.said for result in several.models] == [
        "has “Accuracy” of p: 70.0 % (95 % interval 69.0–71.0); q: 60.0 % (95 % interval 59.0–61.0)."
    ]


def by_view(model: str, sums: float, partial: float, chance: float = 0.25) -> list[Estimate]:
    return [
        estimate(value, method="clustered", chance=chance, model=model, view=view)
        for view, value in (("sum", sums), ("token", 0.4), ("partial", partial))
    ]


def test_with_views_the_first_leads():
    made = by_view("a", 0.5, 0.6) + by_view("b", 0.7, 0.2)
    assert said(made).headline == "b is the most accurate of the 2 compared here."
    b, _ = said(made).models
    assert (b.model, b.said) == (
        "b",
        "answers 70.0 % of the questions right [69.0, 71.0]; guessing gets 25.0 %.",
    )


def test_without_an_accuracy_the_first_measure_is_told():
    words = replace(WORDS, measures={"speed": Measure("Speed", "how fast", PERCENT)})
    made = [
        *(estimate(value, measure="speed", model=model) for model, value in (("a", 0.2), ("b", 0.3))),
        estimate(0.9, measure="speed", model="a", problem="p"),
        estimate(0.1, measure="other", model="a"),
    ]
    found = key_results(made, words)
    assert found.headline == ""
    assert found.models == [
        KeyResult("b", "has “Speed” of 30.0 % [29.0, 31.0], below guessing (50.0 %).", ""),
        KeyResult("a", "has “Speed” of 20.0 % [19.0, 21.0], below guessing (50.0 %).", ""),
    ]
    parts = [estimate(0.2, measure="speed", model="a", problem=f"p{i}") for i in range(5)]
    (only,) = key_results(parts, words).models
    assert [f"p{i}: 20.0 %" in only.said for i in range(5)] == [True, True, True, False, False]


def test_a_task_may_say_it_in_its_own_way_and_accuracy_stands_in_where_it_says_nothing():
    own = KeyResults("All are one.", [KeyResult("a", "is one.", "")])
    given: list[object] = []

    def say(estimates: Sequence[Estimate], words: Words) -> KeyResults:
        given.extend((estimates, words))
        return own

    made = [estimate(0.7, model="m")]
    words = replace(WORDS, key_results=say)
    assert key_results(made, words) is own
    assert given == [made, words]
    silent = replace(WORDS, key_results=lambda estimates, words: KeyResults("Not to be read.", []))
    assert key_results(made, silent) == accuracy_results(made, WORDS)
    assert key_results(made, silent).models[0].model == "m"
