"""Pairs of sentences: tables of every kind, the request of a pair, figures for each part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probsense.analysis.inference.bounded import proportion_estimate
from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.runs.evaluate import evaluate
from probsense.tasks.suite.pairs import read_pairs
from probsense.tasks.suite.task import Suite

PARTS = [
    ("key", "syntax", "verb"),
    ("lamp", "syntax", "verb"),
    ("dog", "syntax", "copula"),
    ("cat", "form", "noun"),
]
ROWS = [
    {"sentence_good": f"The {noun}s are old.", "sentence_bad": f"The {noun}s is old."}
    | {"field": field, "UID": uid}
    for noun, field, uid in PARTS
]


def table(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_pair_is_a_question_and_its_paradigm_a_cluster(tmp_path):
    path = table(tmp_path)
    items = read_pairs(path)
    assert [item.id for item in items] == [f"pairs/pairs/{n}" for n in range(1, 5)]
    assert items[0].data["options"] == ["The keys is old.", "The keys are old."]
    assert (items[0].gold, items[0].data["UID"], items[3].data["field"]) == ("1", "verb", "form")
    assert [item.cluster for item in Suite(pairs=path).questions] == ["verb", "verb", "copula", "noun"]
    assert len({item.cluster for item in Suite(pairs=path, limit=3).questions}) > 1


def test_columns_may_have_other_names_and_sentences_keep_their_blanks(tmp_path):
    path = table(tmp_path, [{"ok": " Yes.", "star": "Yes", "kind": "a"}])
    task = Suite(pairs=path, columns=["good=ok", "bad=star", "UID=kind"])
    (item,) = task.questions
    assert task.requests(item, "options", {}) == [ScoreRequest("", ("Yes", " Yes."))]  # after nothing
    assert item.data["options"] == ["Yes", " Yes."]
    assert item.data["UID"] == "a"
    assert read_pairs(table(tmp_path, [{"good": "a", "bad": "b"}]))[0].data["options"] == ["b", "a"]


def test_figures_cluster_by_paradigm_and_stand_for_each_part(tmp_path):
    run = evaluate("suite", "random:1", pairs=table(tmp_path), store=None, quiet=True)
    found = {
        e.by.get("problem"): e
        for e in run.results.estimates
        if e.measure == "accuracy" and e.by["view"] == "sum"
    }
    assert {name: (e.n, e.clusters) for name, e in found.items()} == {
        None: (4, 3),
        "field syntax": (3, 2),
        "field form": (1, 1),
        "UID verb": (2, 2),
        "UID copula": (1, 1),
        "UID noun": (1, 1),
    }
    hits = run.table()["resp"] == 1
    by_hand = proportion_estimate("accuracy", {}, hits, run.table()["UID"])
    assert (found[None].low, found[None].high) == pytest.approx((by_hand.low, by_hand.high), nan_ok=True)
    assert not run.results.tables
    assert not any("example suite" in note for note in run.results.notes)


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ([{"good": "a"}], {}, "has no column sentence_bad.*--columns good=NAME"),
        ([{"good": "a", "bad": "b"}], {"columns": ["good=nice"]}, "has no column nice"),
        ([{"good": "a", "bad": "b"}, {"good": "a", "bad": " "}], {}, "line 2: bad is ' '"),
        ([{"good": "a", "bad": "a"}], {}, "line 1: bad is 'a' .*another sentence"),
        ([{"good": "a", "bad": "b", "uid": "x"}], {}, "column uid; did you mean 'UID'"),
        (ROWS, {"columns": ["better=x"]}, "--columns 'better=x'.*good=…, bad=…"),
        (ROWS, {"neutral": ""}, "pairs of sentences with a prompt or a neutral prefix"),
        (ROWS, {"prompt": "p", "test": "t"}, "pairs of sentences with a prompt"),
        (ROWS, {"pairs": None, "columns": ["good=x"]}, "--columns without pairs"),
    ],
)
def test_faults_are_told_in_one_line(tmp_path, rows, options, said):
    with pytest.raises(InputError, match=said):
        len(Suite(**{"pairs": table(tmp_path, rows)} | options).questions)
