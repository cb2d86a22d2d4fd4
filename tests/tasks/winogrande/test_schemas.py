"""Schemas as several data sets publish them, in tables of every kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.runs.evaluate import evaluate
from probsense.tasks.winogrande.schemas import read_schemas

FRIDGE = {"sentence": "The jar stayed out of the fridge because _ was full.", "option1": "the jar"}
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
        pl.DataFrame(cells).write_csv(path, separator="\t" if kind == "tsv" else ",")
    return path


def texts(item: Item) -> list[str]:
    return [item.data["sentence"].replace("_", option) for option in item.data["options"]]


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
@pytest.mark.parametrize(
    ("row", "sentences", "gold"),
    [
        (
            FRIDGE | {"option2": "the fridge", "answer": "2", "lang": "en"},
            ["because the jar was full.", "because the fridge was full."],
            "1",
        ),
        (KEY | {"sentence": DOOR, "label": 0}, ["and the key was old.", "and the lock was old."], "0"),
        (
            BOW | {"pronoun": "she", "pronoun_loc": 42, "label": "Ada"},
            ["Then Ada was sorry about her loss.", "Then Eve was sorry about her loss."],
            "0",
        ),
        (
            BOW | {"pronoun": "her", "label": 0},
            ["was sorry about Ada's loss.", "was sorry about Eve's loss."],
            "0",
        ),
        (
            COPA | {"question": "cause", "label": 0, "idx": 7},
            ["was hot because it stood on the stove.", "was hot because Ann painted it."],
            "0",
        ),
        (
            COPA | {"question": "effect", "answer": 2},
            ["was hot so it stood on the stove.", "was hot so Ann painted it."],
            "1",
        ),
        (
            SHIFT | {"sentence": "The $OCCUPATION told the $PARTICIPANT that $POSS_PRONOUN pulse is fast."},
            ["The nurse told the patient that the nurse's pulse", "that the patient's pulse is fast."],
            "0",
        ),
        (
            NURSE
            | {"sentence": "The nurse woke the patient. His tea was ready.", "pronoun": "His", "label": 1},
            ["woke the patient. The nurse's tea", "woke the patient. The patient's tea"],
            "1",
        ),
        (
            NURSE
            | {
                "sentence": "The nurse woke someone at his post.",
                "participant": "someone",
                "target": "nurse",
            },
            ["someone at the nurse's post.", "someone at someone's post."],
            "0",
        ),
    ],
)
def test_layouts_are_known_by_their_columns(
    tmp_path: Path, row: dict[str, Any], sentences: list[str], gold: str, kind: str
) -> None:
    (item,) = read_schemas(table(tmp_path, row, kind=kind))
    assert all(wanted in text for text, wanted in zip(texts(item), sentences, strict=True))
    assert (item.id, item.gold) == ("1", gold)


def test_a_blank_in_place_of_the_pronoun_takes_options_as_they_are(tmp_path: Path) -> None:
    sentence = DOOR.replace("it", "_") + " So it is."
    (item,) = read_schemas(table(tmp_path, KEY | {"sentence": sentence, "label": "The key"}))
    assert item.data == {"sentence": sentence, "options": ["The key", "The lock"]}


def test_templates_of_one_occupation_share_a_cluster(tmp_path: Path) -> None:
    one = NURSE | {"sentence": "The nurse woke the patient at his post.", "label": 0}
    items = read_schemas(
        table(tmp_path, one, one | {"participant": "someone"}, one | {"occupation": "guard"})
    )
    assert [item.cluster for item in items] == ["nurse", "nurse", "guard"]


@pytest.mark.parametrize(
    ("labels", "golds"),
    [([0, 1], "01"), ([1, 2], "01"), ([2, 2], "11"), ([0, -1], ["0", ""]), (["The lock", "The key"], "10")],
)
def test_labels_count_from_0_or_from_1_or_are_texts(tmp_path: Path, labels: list[Any], golds: Any) -> None:
    rows = [KEY | {"sentence": DOOR, "label": label} for label in labels]
    assert [item.gold for item in read_schemas(table(tmp_path, *rows))] == [*golds]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [{"label": 1}, {"label": 1}],
            "line 1: label is '1', and in all rows may .* column answer, which counts",
        ),
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
        ([{"label": None, "lable": 0}], "column lable; did you mean 'label'"),
        ([{"option1": "a", "option2": "b"}], "of WinoGrande, XWinograd and of DPR"),
        ([{"candidates": None, "options": None}], "no known schemas .*those of one kind: .*WSC273"),
        ([COPA | {"question": "why"}], "line 1: question is 'why' .*one of cause, effect"),
        ([COPA | {"question": "cause", "premise": "A _ fell."}], '2 times "_" in the sentence'),
    ],
)
def test_faults_are_told_in_one_line(tmp_path: Path, rows: list[dict[str, Any]], said: str) -> None:
    whole: dict[str, Any] = {} if "premise" in rows[0] else KEY | {"sentence": DOOR}
    given = [{name: value for name, value in (whole | row).items() if value is not None} for row in rows]
    with pytest.raises(InputError, match=said):
        read_schemas(table(tmp_path, *given))


def test_what_ends_with_its_blank_is_asked_by_a_rule_of_the_option(tmp_path: Path) -> None:
    path = table(tmp_path, COPA | {"question": "cause", "label": 0}, kind="csv")
    with pytest.raises(InputError, match=r"nothing follows the blank of '1'.*such as sum"):
        evaluate("winogrande", "random:1", data=path, store=None, quiet=True)
    run = evaluate("winogrande", "random:1", data=path, rule="sum", store=None, quiet=True)
    assert run.table()["gold"].to_list() == [0]
