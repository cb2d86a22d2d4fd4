"""Trials with their answers in other orders: our own wordings, and those of published texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.conditions.crossed import under
from probsense.tasks.shared.orders import orders_of
from probsense.tasks.worldsense.asking import turned_item
from probsense.tasks.worldsense.task import WorldSense
from support.worldsense import answers_of

THREE = ("1", "2", "3")
PUBLISHED = [
    (
        "Is 'a' TRUE or FALSE ?\nOnly respond with one of these 2 options: 'TRUE', 'FALSE' now.",
        ("TRUE", "FALSE"),
    ),
    (
        "Is the situation possible or impossible ? Only 'POSSIBLE' or 'IMPOSSIBLE'. ",
        ("POSSIBLE", "IMPOSSIBLE"),
    ),
    ("(1) was x, y, (2) was z, or (3) is it impossible to decide ?\nOnly (1), (2), or (3) please.", THREE),
    (
        "Choose: (1) It is 1.5 m, (2) it is not, or (3) it is impossible to decide.\nOnly (1), (2), or (3).",
        THREE,
    ),
]


@pytest.mark.parametrize(("text", "allowed"), PUBLISHED)
def test_published_texts_turn(text, allowed):
    """The first order is the text as it stands, and turning is undone by turning on."""
    item = Item("one", "one", allowed[0], {"text": text, "expected": [*allowed]})
    turned = [turned_item(item, turn) for turn in orders_of(len(allowed))]
    found = [one.item.data["text"] for one in turned]
    assert (found[0], turned[0].names) == (text, allowed)
    assert len({*found}) == len(found) == len(allowed)
    assert {sorted(one) == sorted(text) for one in found} == {True}
    if allowed == THREE:
        assert all(one.endswith(text[text.index("Only") :]) for one in found)
        places = (one.names.index("3") + 1 for one in turned)
        assert {*zip(places, map(_open, found), strict=True)} == {(1, 1), (2, 2), (3, 3)}
    else:
        words = [re.findall(rf"\b(?:{'|'.join(allowed)})\b", one, re.IGNORECASE) for one in found]
        assert words[1] == [words[0][place ^ 1] for place in range(4)]


def _open(text: str) -> int:
    """Find the number that stands for the open answer."""
    parts = re.split(r"\(?([123])\)? (?:if )?", text)
    return next(
        int(number)
        for number, said in zip(parts[1::2], parts[2::2], strict=True)
        if "leaves it open" in said or "impossible to decide" in said
    )


def _first(item: Item, text: str) -> str:
    """Find the word that a text names first, read from its last list."""
    allowed = item.data["expected"]
    if len(allowed) == 3:
        return "1"
    tail = text[text.rindex("Reply with one word only") :]
    return min(allowed, key=lambda word: re.search(rf"\b{word}\b", tail).start())


def _measured(choose: Callable[[Item, str], str], method: Any, conditions: str | None) -> Any:
    task = under(WorldSense(sizes=[4], problems=["standard"], tuples=1), conditions)
    answers = answers_of(task, task.questions, method, choose)
    return task.measure(task.questions, method, answers, {"model": "m", "prompting": method})


def _overall(results: Any, measure: str) -> Any:
    return [e for e in results.estimates if e.measure == measure and "problem" not in e.by]


@pytest.mark.parametrize("method", ["labels", "options"])
def test_a_model_that_heeds_the_place_alone_has_an_effect_of_one(method):
    """Its mean answer is undecided, and the first place has all the pull."""
    results = _measured(_first, method, "order")
    [effect] = _overall(results, "order_effect")
    assert effect.value == pytest.approx(1, abs=1e-6)
    pulls = {e.by["place"]: e.value for e in _overall(results, "place_pull")}
    assert pulls["1st"] > 0.4
    assert pulls["3rd"] == pytest.approx(-1 / 3, abs=1e-6)
    shares = results.table.with_columns(even=1 / results.table["expected_len"])
    assert shares["p_gold"].to_list() == pytest.approx(shares["even"].to_list(), abs=1e-6)


@pytest.mark.parametrize("method", ["labels", "options"])
def test_a_model_that_reads_what_stands_there_has_no_effect(method):
    """It always chooses the open answer, whatever its number, or the same word."""

    def reader(item: Item, text: str) -> str:
        if len(item.data["expected"]) < 3:
            return str(item.data["expected"][0])
        asked = re.search(r"(?:Which of the three is right: |Reply with a number only: )(.*)", text)
        assert asked
        return str(_open(asked[1]))

    results = _measured(reader, method, "order")
    [effect], [flips] = (_overall(results, name) for name in ("order_effect", "condition_flips"))
    assert (effect.value, flips.value) == pytest.approx((0, 0), abs=1e-6)
    assert {*results.table.filter(results.table["expected_len"] == 3)["resp"]} == {"3"}
    alone = _measured(reader, method, None)
    assert alone.table["resp"].to_list() == results.table["resp"].to_list()
    assert not _overall(alone, "order_effect")


def test_what_cannot_be_turned_is_refused():
    data = {"text": "Here is a story.\nIs it so?", "expected": ["TRUE", "FALSE"]}
    with pytest.raises(InputError, match=r"a question that names no order of its answers: .*Is it so"):
        turned_item(Item("one", "one", "TRUE", data), (1, 0))
