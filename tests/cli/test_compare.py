"""``probsense compare``: as a user calls it, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Probsense = Callable[..., "Done"]  # noqa: F821 - tests/cli/conftest.py


@pytest.fixture
def runs(probsense: Probsense) -> list[str]:
    """Three runs in probsense.db, by the beginnings of their ids."""
    ids = []
    for model in ("builtin:tiny", "random:1", "random:2"):
        done = probsense("run", "winogrande", "-m", model, "--limit", 20, "-q", "--json")
        ids.append(json.loads(done.out)["run"]["id"][:10])
    return ids


def test_two_runs(probsense: Probsense, runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    done = probsense("compare", *runs[:2])
    assert done.code == 0, done.err
    assert "Accuracy in % on the same 20 items in 10 clusters" in done.out
    assert "Accuracy, paired differences in points" in done.out
    assert "p (McNemar)" in done.out
    assert "p (Holm)" not in done.out  # a single test needs no adjustment
    assert "Items that changed most, from random:1 to builtin:tiny" in done.out
    assert "note: McNemar's test" in done.err
    assert "Items" not in probsense("compare", *runs[:2], "--changed", 0).out


def test_json_is_one_document_and_out_a_file(probsense: Probsense, runs: list[str], tmp_path: Path) -> None:
    done = probsense("compare", *runs, "--json", "--measure", "accuracy", "brier")
    document = json.loads(done.out)
    assert done.err == ""
    assert list(document)[:4] == ["schema", "task", "measures", "models"]
    assert document["measures"] == ["accuracy", "brier"]
    assert len(document["differences"]) == 6
    assert {one["by"]["versus"] for one in document["differences"]} == {"random:1", "random:2"}
    assert len(document["ranking"]) == 6
    out = tmp_path / "deep" / "c.json"
    quiet = probsense("compare", *runs, "--measure", "accuracy", "brier", "--json", "--out", out)
    assert quiet.out == ""
    assert json.loads(out.read_text()) == document
    assert probsense("compare", *runs, "--json").out == probsense("compare", *runs, "--json").out


def test_tables_for_a_paper(probsense: Probsense, runs: list[str]) -> None:
    assert probsense("compare", *runs, "--format", "md").out.startswith(
        "**Accuracy in % on the same 20 items"
    )
    latex = probsense("compare", *runs, "--format", "latex").out
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") > 1
    rows = list(csv.DictReader(io.StringIO(probsense("compare", *runs, "--format", "csv").out)))
    assert [row["measure"] for row in rows] == ["accuracy"] * 3 + ["accuracy_difference"] * 3
    assert all(0 <= float(row["p_holm"]) <= 1 for row in rows[3:])


def test_a_store_stands_for_its_runs(probsense: Probsense, runs: list[str]) -> None:
    whole = json.loads(probsense("compare", "probsense.db", "--json").out)
    assert [one["name"] for one in whole["models"]] == ["builtin:tiny", "random:1", "random:2"]
    assert whole["differences"] == json.loads(probsense("compare", *runs, "--json").out)["differences"]


def test_unlike_items(probsense: Probsense, runs: list[str]) -> None:
    more = probsense("run", "winogrande", "-m", "random:3", "--limit", 30, "-q", "--json")
    other = json.loads(more.out)["run"]["id"]
    done = probsense("compare", runs[0], other)
    assert (done.code, done.out) == (2, "")
    assert "20 of builtin:tiny, 30 of random:3; 20 are common to all" in done.err
    told = probsense("compare", runs[0], other, "--intersection")
    assert told.code == 0
    assert "20 items are common to all and compared; left out are 10 of random:3" in told.err


FAULTS: dict[str, tuple[tuple[str, ...], str]] = {
    "one": (("{0}",), "1 result to compare"),
    "twice": (("{0}", "{0}"), "is given twice"),
    "no file": (("{0}", "nowhere.csv"), "no such file, and no run's name or id: 'nowhere.csv'"),
    "no run": (("{0}", "ffffffffffff"), "ffffffffffff"),
    "no store": (("{0}", "{1}", "--store", "other.db"), "no such file, and no store other.db"),
    "empty folder": (("{0}", "."), "a folder without results"),
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
def test_faults_are_one_line(probsense: Probsense, runs: list[str], tmp_path: Path, fault: str) -> None:
    for name in ("junk.bin", "junk.jsonl"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00\x01\x80")
    (tmp_path / "empty.jsonl").touch()
    words, said = FAULTS[fault]
    done = probsense("compare", *(word.format(*runs) for word in words), "--out", "never.txt")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert said in done.err
    assert not (tmp_path / "never.txt").exists()
