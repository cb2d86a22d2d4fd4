"""``probsense compare``: as a user calls it, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import probsense as ps
from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


def test_two_runs(probsense: Probsense, ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    done = probsense("compare", *ids[:2])
    assert done.code == 0, done.err
    assert "Accuracy in % on the same 20 items in 10 clusters" in done.out
    assert "Accuracy, paired differences in points" in done.out
    assert "p (McNemar)" in done.out
    assert "p (Holm)" not in done.out  # a single test needs no adjustment
    assert "Items that changed most, from random:2 to random:1" in done.out
    assert "note: McNemar's test" in done.err
    assert "Items" not in probsense("compare", *ids[:2], "--changed", 0).out


def test_json_is_one_document_and_out_a_file(probsense: Probsense, ids: list[str], tmp_path: Path) -> None:
    words = ("compare", *ids, "--measure", "accuracy", "brier", "--json")
    done = probsense(*words)
    document = json.loads(done.out)
    assert done.err == ""
    assert list(document)[:4] == ["schema", "task", "measures", "models"]
    assert document["measures"] == ["accuracy", "brier"]
    assert len(document["differences"]) == 6
    assert {one["by"]["versus"] for one in document["differences"]} == {"random:2", "random:3"}
    assert len(document["ranking"]) == 6
    out = tmp_path / "deep" / "c.json"
    assert probsense(*words, "--out", out).out == ""
    assert out.read_text() == done.out


def test_tables_for_a_paper(probsense: Probsense, ids: list[str]) -> None:
    assert probsense("compare", *ids, "--format", "md").out.startswith("**Accuracy in % on the same 20 items")
    latex = probsense("compare", *ids, "--format", "latex").out
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") > 1
    rows = list(csv.DictReader(io.StringIO(probsense("compare", *ids, "--format", "csv").out)))
    assert [row["measure"] for row in rows] == ["accuracy"] * 3 + ["accuracy_difference"] * 3
    assert all(0 <= float(row["p_holm"]) <= 1 for row in rows[3:])


def test_a_store_stands_for_its_runs(probsense: Probsense, ids: list[str]) -> None:
    whole = json.loads(probsense("compare", "probsense.db", "--json").out)
    assert [one["name"] for one in whole["models"]] == ["random:1", "random:2", "random:3"]
    assert whole["differences"] == json.loads(probsense("compare", *ids, "--json").out)["differences"]


def test_unlike_items(probsense: Probsense, ids: list[str]) -> None:
    other = ps.evaluate("winogrande", "random:3", limit=30, quiet=True).id
    assert_refused(
        probsense("compare", ids[0], other), "20 of random:1, 30 of random:3; 20 are common to all"
    )
    told = probsense("compare", ids[0], other, "--intersection")
    assert told.code == 0
    assert "20 items are common to all and compared; left out are 10 of random:3" in told.err


FAULTS: dict[str, tuple[tuple[str, ...], str]] = {
    "one": (("{0}",), "1 result to compare"),
    "twice": (("{0}", "{0}"), "is given twice"),
    "no file": (("{0}", "nowhere.csv"), "no such file, and no run's name or id: 'nowhere.csv'"),
    "no run": (("{0}", "ffffffffffff"), "ffffffffffff"),
    "no store": (("{0}", "{1}", "--store", "other.db"), "no such file, and no store other.db"),
    "empty folder": (("{0}", "empty"), "a folder without results"),
    "junk": (
        ("{0}", "junk.bin"),
        "junk.bin: a file of no known results (expected a run's name or id, a store, people's choices",
    ),
    "junk by a known name": (("{0}", "junk.jsonl"), "junk.jsonl, line 1: not UTF-8"),
    "empty": (("{0}", "empty.jsonl"), "empty.jsonl"),
    "an option of no reader": (("{0}", "{1}", "--input-dri", "x"), "did you mean '--input-dir'?"),
    "measure": (("{0}", "{1}", "--measure", "acuracy"), "did you mean 'accuracy'"),
    "format": (("{0}", "{1}", "--format", "pdf"), "--format 'pdf'"),
    "seed": (("{0}", "{1}", "--seed", "-1"), "the seed -1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_line(probsense: Probsense, ids: list[str], tmp_path: Path, fault: str) -> None:
    for name in ("junk.bin", "junk.jsonl"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00\x01\x80")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "empty").mkdir()
    words, said = FAULTS[fault]
    assert_refused(probsense("compare", *(word.format(*ids) for word in words), "--out", "never.txt"), said)
    assert not (tmp_path / "never.txt").exists()
