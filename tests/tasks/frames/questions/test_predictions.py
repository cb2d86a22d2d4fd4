"""A model's answers: the forms that are read, what each keeps, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.frames.questions.predictions import Predictions, read_predictions

ANSWERS = {"b1": ["tea", "bread", "bread", "jam"], "b2": ["plate"]}
COUNTS = {"b1": {"tea": 1, "bread": 2, "jam": 1}, "b2": {"plate": 1}}
RANKED = {"b1": ("bread", "tea", "jam"), "b2": ("plate",)}
SAMPLED = Predictions(COUNTS, RANKED, listed=False, published=COUNTS)


def write(folder: Path, content: Any, name: str = "predictions.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def lines(folder: Path, *records: Any) -> Path:
    return write(folder, "".join(json.dumps(record) + "\n" for record in records), "predictions.jsonl")


def test_one_line_a_question(tmp_path: Path) -> None:
    listed = [{"id": id_, "answers": answers} for id_, answers in ANSWERS.items()]
    counted = [{"id": id_, "answers": counts} for id_, counts in COUNTS.items()]
    assert read_predictions(lines(tmp_path, *listed)) == SAMPLED
    assert read_predictions(lines(tmp_path, *counted)) == SAMPLED
    assert read_predictions(lines(tmp_path, listed[0], counted[1])) == SAMPLED


def test_counts_and_ties_keep_the_order_of_the_file(tmp_path: Path) -> None:
    found = read_predictions(lines(tmp_path, {"id": "q", "answers": ["c", "b", "a", "b", "d", "d"]}))
    assert list(found.counts["q"]) == ["c", "b", "a", "d"]
    assert found.ranked["q"] == ("b", "d", "c", "a")


def test_ranked_lists_of_protoqa(tmp_path: Path) -> None:
    ranked = {"b1": ["tea", "bread", "tea"], "b2": ["plate"]}
    forms = [
        lines(tmp_path, *({"question_id": id_, "ranked_answers": r} for id_, r in ranked.items())),
        lines(tmp_path, *({id_: r} for id_, r in ranked.items())),
        lines(tmp_path, ranked),
        write(tmp_path, ranked),
    ]
    for path in forms:
        found = read_predictions(path)
        assert found.ranked == {"b1": ("tea", "bread", "tea"), "b2": ("plate",)}
        assert found.counts == {"b1": {"tea": 2, "bread": 1}, "b2": {"plate": 1}}


def test_answers_of_cfc(tmp_path: Path) -> None:
    assert read_predictions(write(tmp_path, {"model_answers": ANSWERS})) == SAMPLED


def test_counts_of_cfc_go_before_answers_that_are_listed_once(tmp_path: Path) -> None:
    once = {id_: list(counts) for id_, counts in COUNTS.items()}
    pairs = {id_: [[answer, n] for answer, n in counts.items()] for id_, counts in COUNTS.items()}
    found = read_predictions(
        write(tmp_path, {"model_answers": once, "model_answers_with_count": pairs, "other": 1})
    )
    assert (found.counts, found.ranked, found.listed) == (COUNTS, RANKED, False)
    assert found.published == {"b1": {"tea": 1, "bread": 1, "jam": 1}, "b2": {"plate": 1}}


def test_ranks_of_cfc_are_kept(tmp_path: Path) -> None:
    ranked = {"b1": ["jam", "bread", "tea"], "b2": ["plate"]}
    found = read_predictions(write(tmp_path, {"model_answers": ANSWERS, "model_ranked_answers": ranked}))
    assert found.counts == COUNTS
    assert found.ranked["b1"] == ("jam", "bread", "tea")
    only = read_predictions(write(tmp_path, {"model_ranked_answers": ranked}))
    assert only.ranked == found.ranked
    assert only.listed


def test_lists_without_repeats_have_lost_how_often(tmp_path: Path) -> None:
    assert read_predictions(write(tmp_path, {"b1": ["tea", "bread"], "b2": ["plate"]})).listed
    assert not read_predictions(write(tmp_path, {"b1": ["tea", "bread"], "b2": ["plate", "plate"]})).listed


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_all_text_is_kept(tmp_path_factory: pytest.TempPathFactory, answers: list[str]) -> None:
    folder = tmp_path_factory.mktemp("texts")
    found = read_predictions(lines(folder, {"id": "q", "answers": answers}))
    assert list(found.counts["q"]) == list(dict.fromkeys(answers))
    assert sum(found.counts["q"].values()) == len(answers)
    assert read_predictions(lines(folder, {"q": answers})).ranked["q"] == tuple(answers)


def cfc(**parts: Any) -> dict[str, Any]:
    return {"model_answers": ANSWERS, **parts}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not valid JSON"),
        ("[1]", "the file is [1] (expected an object)"),
        ('{"a": ["b"]}\n{"c": ["d"]}', "line 2: not valid JSON: Extra data (expected JSON lines only in"),
        ('{"a": ["b"], "a": ["c"]}', "'a' stands twice"),
        ("[" * 100_000, "not valid JSON"),
        ({}, "holds no answers"),
        ({"model_answers": {}}, "holds no answers"),
        ({"b1": []}, "b1 is [] (expected a list, at least one)"),
        ({"b1": "tea"}, "b1 is 'tea' (expected a list, at least one)"),
        ({"b1": ["tea", None]}, "b1[1] is nothing (expected text)"),
        ({" ": ["tea"]}, "a key of the mapping is ' ' (expected some text)"),
        ({"b1": ["\udc00"]}, "'\\udc00' (expected text of Unicode characters)"),
        ({"model_answers": [1]}, "model_answers is [1] (expected an object)"),
        ({"model_answers": {"b1": []}}, "model_answers.b1 is []"),
        (
            {"model_answers_with_count": {"b1": {"tea": 1}}},
            "model_answers_with_count.b1 is {'tea': 1} (expected a list",
        ),
        (
            {"model_answers_with_count": {"b1": []}},
            "model_answers_with_count.b1 is [] (expected a list, at least one)",
        ),
        (
            {"model_answers_with_count": {"b1": [["tea"]]}},
            "model_answers_with_count.b1[0] is ['tea'] (expected a list)",
        ),
        ({"model_answers_with_count": {"b1": [["tea", 1], ["tea", 2]]}}, "(expected each answer once)"),
        (
            {"model_answers_with_count": {"b1": [["tea", 0.5]]}},
            "model_answers_with_count.b1[0][1] is 0.5 (expected a whole number",
        ),
        (cfc(model_ranked_answers={"b1": ["tea"]}), "question 'b2' is not in all parts"),
        (cfc(model_answers_with_count={"b2": [["plate", 1]]}), "question 'b1' is not in all parts"),
    ],
)
def test_objects_that_are_refused(tmp_path: Path, content: Any, message: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}.*{re.escape(message)}"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([1], "list found"),
        ({"id": 1, "answers": ["tea"]}, "id is 1 (expected text)"),
        ({"id": "q", "answers": {"tea": -1}}, "answers.tea is -1"),
        ({"id": "q", "answers": None}, "answers is nothing"),
        ({"id": "q"}, "id is 'q' (expected a list, at least one)"),
        ({"question_id": None, "ranked_answers": []}, "question_id is nothing"),
        ({"question_id": "q", "ranked_answers": []}, "ranked_answers is []"),
        ({"b1": ["tea"]}, "the id is 'b1' again, first on line 1"),
        ({"id": "b1", "answers": ["tea"]}, "the id is 'b1' again, first on line 1"),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, record: Any, message: str) -> None:
    path = lines(tmp_path, {"b1": ["tea"]}, record)
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}, line 2: .*{re.escape(message)}"):
        read_predictions(path)


@pytest.mark.parametrize("nothing", [[], {}])
def test_a_question_to_which_a_model_said_nothing_is_unanswered(tmp_path: Path, nothing: Any) -> None:
    found = read_predictions(
        lines(tmp_path, {"id": "a", "answers": ["tea"]}, {"id": "b", "answers": nothing})
    )
    assert found.counts == {"a": {"tea": 1}}


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no answers"):
        read_predictions(write(tmp_path, "", "e.jsonl"))
