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
SAMPLED = Predictions(COUNTS, {"b1": ("bread", "tea", "jam"), "b2": ("plate",)}, False, COUNTS)
LISTED = [{"id": name, "answers": own} for name, own in ANSWERS.items()]
COUNTED = [{"id": name, "answers": own} for name, own in COUNTS.items()]
RANKED = {"b1": ["tea", "bread", "tea"], "b2": ["plate"]}
BY_RANK = {"b1": ("tea", "bread", "tea"), "b2": ("plate",)}


def read(folder: Path, *content: Any) -> Predictions:
    """Read one document, or the lines of a file if there are several or none."""
    path = folder / ("predictions.json" if len(content) == 1 else "predictions.jsonl")
    lines = [one if isinstance(one, str) else json.dumps(one) for one in content]
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_predictions(path)


@pytest.mark.parametrize("content", [LISTED, COUNTED, [LISTED[0], COUNTED[1]], [{"model_answers": ANSWERS}]])
def test_how_often_each_answer_was_given(tmp_path, content):
    found = read(tmp_path, *content)
    assert found == SAMPLED
    assert [*found.counts["b1"]] == ["tea", "bread", "jam"]


@pytest.mark.parametrize(
    "content",
    [
        [{"question_id": name, "ranked_answers": own} for name, own in RANKED.items()],
        [{name: own} for name, own in RANKED.items()],
        [RANKED],
    ],
)
def test_ranked_lists_of_protoqa(tmp_path, content):
    found = read(tmp_path, *content)
    assert found.ranked == BY_RANK
    assert found.counts == {"b1": {"tea": 2, "bread": 1}, "b2": {"plate": 1}}


def test_counts_of_cfc_go_before_answers_that_are_listed_once_and_ranks_are_kept(tmp_path):
    once = {name: [*counts] for name, counts in COUNTS.items()}
    pairs = {name: [[answer, n] for answer, n in counts.items()] for name, counts in COUNTS.items()}
    parts = {"model_answers": once, "model_answers_with_count": pairs}
    found = read(tmp_path, {**parts, "model_ranked_answers": RANKED, "other": 1})
    assert (found.counts, found.ranked, found.listed) == (COUNTS, BY_RANK, False)
    assert found.published == {"b1": {"tea": 1, "bread": 1, "jam": 1}, "b2": {"plate": 1}}
    assert read(tmp_path, {"model_ranked_answers": once}).listed  # how often each was given is lost


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_all_text_is_kept(tmp_path_factory, answers):
    found = read(tmp_path_factory.mktemp("texts"), {"id": "q", "answers": answers}, {"r": answers})
    assert [*found.counts["q"]] == [*dict.fromkeys(answers)]
    assert sum(found.counts["q"].values()) == len(answers)
    assert found.ranked["r"] == (*answers,)


@pytest.mark.parametrize("nothing", [[], {}])
def test_a_question_to_which_a_model_said_nothing_is_unanswered(tmp_path, nothing):
    found = read(tmp_path, {"id": "a", "answers": ["tea"]}, {"id": "b", "answers": nothing})
    assert found.counts == {"a": {"tea": 1}}


PAIRS = "model_answers_with_count"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (["[1]"], "the file is [1] (expected an object)"),
        (['{"a": ["b"]}\n{"c": ["d"]}'], "line 2: not valid JSON: Extra data (expected JSON lines only in"),
        (['{"a": ["b"], "a": ["c"]}'], "'a' stands twice"),
        ([], "holds no answers"),
        ([{"model_answers": {}}], "holds no answers"),
        ([{"b1": []}], "b1 is [] (expected a list, at least one)"),
        ([{PAIRS: {"b1": [["tea"]]}}], f"{PAIRS}.b1[0] is ['tea'] (expected a list)"),
        ([{PAIRS: {"b1": [["tea", 1], ["tea", 2]]}}], "(expected each answer once)"),
        ([{PAIRS: {"b1": [["tea", 10**8]]}}], "100,000,000 in all (expected at most 10,000,000)"),
        ([{"model_answers": ANSWERS, PAIRS: {"b2": [["plate", 1]]}}], "'b1' is not in all parts"),
        ([{"b1": ["tea"]}, [1]], "line 2: list found"),
        ([{"b1": ["tea"]}, {"id": "q", "answers": None}], "line 2: answers is nothing"),
        ([{"b1": ["tea"]}, {"id": "b1", "answers": ["a"]}], "line 2: the id is 'b1' again, first on line 1"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    with pytest.raises(InputError, match=rf"^{re.escape(str(tmp_path))}.*{re.escape(message)}"):
        read(tmp_path, *content)
