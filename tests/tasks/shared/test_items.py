"""What single items are worth, read from any task's table."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.base import Answered
from probsense.tasks.results import Results
from probsense.tasks.shared import items as module
from probsense.tasks.shared.items import known_items, plain_scores, row_table

ITEMS = [
    Item("a", "one", "1", {"options": ["no", "yes"], "sentence": "Is it?"}),
    Item("b", "one", "", {"options": ["no", "yes"], "text": "Was it?", "sentence": "No."}),
    Item("c", "two", "red", {"context": "Which?"}),
]


def answered(table: pl.DataFrame | None, items: list[Item] = ITEMS) -> Answered:
    return Answered("m", "options", items, {}, Results([], table=table))


def test_accuracy_comes_first_then_numbers_then_accuracy_under_each_view() -> None:
    table = pl.DataFrame(
        {
            "id": ["a", "b", "c"],
            "resp.sum": [1, 1, 0],
            "margin": [0.5, 0.25, 0.0],
            "gold": [1, None, 0],
            "resp": [0, 1, 0],
            "straddles": [0, 0, 1],
            "p_gold": [0.5, None, 0.75],
        }
    )
    items, scores, notes, *_ = plain_scores(answered(table))
    assert scores.columns == ["accuracy", "margin", "p_gold", "accuracy.sum"]
    assert scores["accuracy"].to_list() == [0, None, 1]
    assert scores["accuracy.sum"].to_list() == [1, None, 1]
    assert scores["p_gold"].to_list() == [0.5, None, 0.75]
    assert notes == ()
    assert items["label"].to_list() == ["no", "yes", "0"]
    assert items["gold"].to_list() == ["yes", None, "red"]


def test_without_gold_there_is_no_accuracy() -> None:
    table = pl.DataFrame({"resp": ["x", "y", "z"], "mass": [0.1, 0.2, 0.3]})
    items, scores, *_ = plain_scores(answered(table))
    assert scores.columns == ["mass"]
    assert items["label"].to_list() == ["x", "y", "z"]


def test_without_answers_in_words_there_are_no_labels() -> None:
    items, scores, *_ = plain_scores(answered(pl.DataFrame({"kl": [0.1, 0.2, 0.3], "n": [1, 2, 3]})))
    assert scores.columns == ["kl"]
    assert items["label"].null_count() == 3


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (None, "the task has no table for 3 items"),
        (pl.DataFrame({"x": [1.0]}), "the task has a table of 1 rows for 3 items"),
    ],
)
def test_a_table_without_a_row_for_each_item_has_no_scores(table: pl.DataFrame | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plain_scores(answered(table))


def test_what_is_known_of_items() -> None:
    known = known_items(ITEMS, ["no", None, "blue"])
    assert known.columns == ["item", "cluster", "gold", "label", "text"]
    assert known.schema == dict.fromkeys(known.columns, pl.String)
    assert known["item"].to_list() == ["a", "b", "c"]
    assert known["cluster"].to_list() == ["one", "one", "two"]
    assert known["text"].to_list() == ["Is it?", "Was it?", "Which?"]
    assert known["label"].to_list() == ["no", None, "blue"]
    assert known_items([], []).height == 0


SCHEMA = {"name": pl.String, "value": pl.Float64}
ROWS = st.lists(
    st.tuples(st.none() | st.text(max_size=3), st.none() | st.floats(allow_nan=False)), max_size=9
)


@given(ROWS)
def test_the_parts_make_the_whole(rows: list[tuple[str | None, float | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", 2)
        found = row_table(iter(rows), SCHEMA)
    assert found.schema == SCHEMA
    assert found.rows() == rows


def test_rows_are_made_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 10)
    alive: list[int] = []
    most = 0

    class Name(str):
        def __init__(self, text: str) -> None:
            nonlocal most
            alive.append(1)
            most = max(most, len(alive))

        def __del__(self) -> None:
            alive.pop()

    assert row_table(((Name(str(i)), 1.0) for i in range(100)), SCHEMA).height == 100
    assert most <= 22
