"""Previews: what tells a question from others, and above all from its siblings."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.results.previews import HEAD, SIZE, preview, previews
from probsense.runs.transcripts import prompt_of
from probsense.tasks.registry import load_task


def made(prompts: list[str], clusters: list[str]) -> list[str]:
    pieces = previews(prompts, clusters)
    return [preview(prompt, own) for prompt, own in zip(prompts, pieces, strict=True)]


@given(st.lists(st.tuples(st.text('ab .?\n"', max_size=400), st.sampled_from("xyz")), max_size=8))
def test_pieces_are_parts_in_order_and_not_too_long(asked: list[tuple[str, str]]) -> None:
    prompts, clusters = [prompt for prompt, _ in asked], [cluster for _, cluster in asked]
    for prompt, pieces in zip(prompts, previews(prompts, clusters), strict=True):
        places = [place for piece in pieces for place in piece]
        assert places == sorted(places)
        assert sum(b - a for a, b in pieces) <= SIZE + HEAD
        assert bool(preview(prompt, pieces)) == bool(pieces)


@given(
    st.lists(st.sampled_from(["the cup", "a vase", "left of", "right of", "it"]), min_size=3, max_size=90),
    st.data(),
)
def test_siblings_that_differ_in_a_word_have_different_previews(
    words: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(words) - 1))
    other = [*words[:place], "something else", *words[place + 1 :]]
    one, two = made([f"Story. {' '.join(own)}? Reply!" for own in (words, other)], ["x", "x"])
    assert one != two


@pytest.mark.parametrize("task", ["worldsense", "judgments", "frames", "winogrande", "suite"])
def test_no_two_questions_of_a_task_look_the_same(task: str) -> None:
    made_up = load_task(task, limit=120)
    items = made_up.items()
    prompts = [prompt_of(made_up.requests(item, made_up.methods[0], {})[0]) for item in items]
    found = made(prompts, [item.cluster for item in items])
    same = [
        (a.id, b.id)
        for (a, x), (b, y) in combinations(zip(items, found, strict=True), 2)
        if x == y and a.cluster == b.cluster
    ]
    assert not same
    assert len({*found}) > 0.95 * len(found)


def test_instructions_and_examples_are_left_out() -> None:
    examples = ["[Q]: Ann rings. Why? [A]: to visit", "[Q]: Bob sings. Why? [A]: for joy"]
    first = "\n".join([*examples, "[Q]: Cleo runs. Why? [A]:"])
    second = "\n".join([*examples, "[Q]: Dan waits. Why? [A]:"])
    third = "\n".join(["[Q]: Cleo runs. Why? [A]: to win", examples[1], "[Q]: Ann rings. Why? [A]:"])
    assert made([first, second, third], ["c", "d", "a"]) == [
        "[Q]: Cleo runs.",
        "[Q]: Dan waits.",
        "[Q]: Ann rings.",
    ]


def test_the_question_follows_what_it_is_about() -> None:
    story = (
        "Three cups stand on a table in the kitchen of a house: "
        + "the red cup is left of the blue one, " * 8
    )
    asked = [
        f"{story}and so on.\nIs it so that {cup} stands in the middle?\nSay yes or no."
        for cup in ("red", "blue")
    ]
    one, two = made([*asked, "Is it raining?\nSay yes or no."], ["s", "s", "t"])[:2]
    assert one.startswith("Three cups stand")
    assert one.endswith("… Is it so that red stands in the middle?")
    assert two.endswith("… Is it so that blue stands in the middle?")
