"""Schemas as several data sets publish them, in tables of every kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.winogrande.schemas import read_schemas

FRIDGE = {"sentence": "The jar stayed out of the fridge because _ was full."}
FRIDGE |= {"option1": "the jar", "option2": "the fridge"}
KEY = {"pronoun": "it", "candidates": ["The key", "The lock"], "label": 1}
DOOR = "The key broke in the lock, and it was old."
BOW = {
    "text": "Ada lent Eve a bow, but she lost it. Then she was sorry about her loss.",
    "options": ["Ada", "Eve"],
}
COPA = {"premise": "The pan was hot.", "choice1": "It stood on the stove.", "choice2": "Ann painted it."}
NURSE = {"occupation": "nurse", "participant": "patient", "pronoun": "his"}
SHIFT = {"occupation(0)": "nurse", "other-participant(1)": "patient", "answer": 0}


def table(folder: Path, *rows: dict[str, Any], kind: str = "jsonl") -> Path:
    path = folder / f"schemas.{kind}"
    if kind == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        cells = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
        pl.DataFrame(cells).write_csv(path)
    return path


def texts(item: Item) -> list[str]:
    return [item.data["sentence"].replace("_", option) for option in item.data["options"]]


SHE = {"pronoun": "she", "pronoun_loc": 42, "label": "Ada"}
SHIFT |= {"sentence": "The $OCCUPATION told the $PARTICIPANT that $POSS_PRONOUN pulse is fast."}
WAKE = {"sentence": "The nurse woke the patient. His tea was ready.", "pronoun": "His", "label": 1}
POST = {"sentence": "The nurse woke someone at his post.", "participant": "someone", "target": "nurse"}
LAYOUTS = [
    (FRIDGE | {"answer": "2", "lang": "en"}, "1", "because {} was full", "the jar", "the fridge"),
    (KEY | {"sentence": DOOR, "label": 0}, "0", "and {} was old", "the key", "the lock"),
    (BOW | SHE, "0", "Then {} was sorry about her", "Ada", "Eve"),
    (BOW | {"pronoun": "her", "label": 0}, "0", "was sorry about {} loss", "Ada's", "Eve's"),
    (COPA | {"question": "cause", "label": 0}, "0", "hot because {}", "it stood on", "Ann painted it."),
    (COPA | {"question": "effect", "answer": 2}, "1", "hot so {}", "it stood on the stove.", "Ann painted"),
    (SHIFT, "0", "told the patient that {} pulse", "the nurse's", "the patient's"),
    (NURSE | WAKE, "1", "woke the patient. {} tea was", "The nurse's", "The patient's"),
    (NURSE | POST, "0", "woke someone at {} post.", "the nurse's", "someone's"),
]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize(("row", "gold", "told", "first", "second"), LAYOUTS)
def test_layouts_are_known_by_their_columns(tmp_path, row, gold, told, first, second, kind):
    (item,) = read_schemas(table(tmp_path, row, kind=kind))
    assert (item.id, item.gold) == ("1", gold)
    assert all(told.format(own) in text for text, own in zip(texts(item), (first, second), strict=True))


def test_a_blank_in_place_of_the_pronoun_takes_options_as_they_are(tmp_path):
    """And templates of one occupation share a cluster."""
    sentence = DOOR.replace("it", "_") + " So it is."
    (item,) = read_schemas(table(tmp_path, KEY | {"sentence": sentence, "label": "The key"}))
    assert item.data == {"sentence": sentence, "options": ["The key", "The lock"]}
    one = NURSE | {"sentence": "The nurse woke the patient at his post.", "label": 0}
    rows = [one, one | {"participant": "someone"}, one | {"occupation": "guard"}]
    assert [item.cluster for item in read_schemas(table(tmp_path, *rows))] == ["nurse", "nurse", "guard"]


@pytest.mark.parametrize(
    ("labels", "golds"),
    [([0, 1], "01"), ([1, 2], "01"), ([2, 2], "11"), ([0, -1], ["0", ""]), (["The lock", "The key"], "10")],
)
def test_labels_count_from_0_or_from_1_or_are_texts(tmp_path, labels, golds):
    rows = [KEY | {"sentence": DOOR, "label": label} for label in labels]
    assert [item.gold for item in read_schemas(table(tmp_path, *rows))] == [*golds]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"label": 1}] * 2, "line 1: label is '1', and in all rows may .* column answer, which counts"),
        ([{"label": 0}, {"label": 2}], "line 2: label is '2' .*its number from 0 or from 1 in all rows"),
        ([{"label": "The door"}], "line 1: label is 'The door'"),
        ([{"candidates": ["The key"]}], r"line 1: the options are \['The key'\] .*at least two"),
        ([{"candidates": "The key, the lock"}], "line 1: the options are .*The key, the lock"),
        ([{"candidates": '["a", "\\ud800"]'}], "line 1: the options are .*at least two"),
        ([{"candidates": ["The key", " "]}], "line 1: the options are"),
        ([{"candidates": ["The key", "the key"]}], "line 1: two options are the same"),
        ([{"pronoun": "she"}], "line 1: 0 times 'she' in the sentence .*exactly one"),
        ([{"sentence": DOOR + " So it broke."}], "line 1: 2 times 'it' in the sentence"),
        ([{"sentence": ""}], "line 1: sentence is empty"),
        ([FRIDGE | {"option4": "x"}], r"the options are \['the jar', 'the fridge', '', 'x'\] .*two texts"),
        ([FRIDGE | {"option2": " "}], "line 1: option2 is ' '"),
        (
            [FRIDGE | {"answer": "3"}],
            "line 1: answer is '3' .*the text of an option, or its number from 1 on",
        ),
        ([FRIDGE | {"answer": "0"}], "line 1: answer is '0'"),
        ([FRIDGE | {"sentence": "It was full."}], '0 times "_" in the sentence .*exactly one'),
        ([FRIDGE | {"qID": "x"}] * 2, "line 2: qID x again, first on line 1"),
        ([FRIDGE | {"qID": " "}], "line 1: qID is ' '"),
        ([{"label": None, "lable": 0}], "column lable; did you mean 'label'"),
        ([KEY | FRIDGE], "of WinoGrande, XWinograd and of DPR"),
        ([{"candidates": None, "options": None}], "no known schemas .*those of one kind: .*WSC273"),
        ([COPA | {"question": "why"}], "line 1: question is 'why' .*one of cause, effect"),
        ([COPA | {"question": "cause", "premise": "A _ fell."}], '2 times "_" in the sentence'),
    ],
)
def test_faults_are_told_in_one_line(tmp_path, rows, said):
    whole = {} if {"premise", "option2"} & {*rows[0]} else KEY | {"sentence": DOOR}
    given = [{name: value for name, value in (whole | row).items() if value is not None} for row in rows]
    with pytest.raises(InputError, match=said):
        read_schemas(table(tmp_path, *given))
