"""The suite as ProbSem's own command runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from support.command import Probsense


def test_the_original_command(probsense: Probsense, tmp_path: Path) -> None:
    """A test that expects nothing has its distribution printed."""
    content = {
        "pretext": "Answer True or False.",
        "context": [{"text": "Ice is cold.", "expected": -1}],
        "posttext": "The answer is:",
        "queries": ["True", "False"],
    }
    (tmp_path / "one.txt").write_text("This is prompt one.\n")
    (tmp_path / "one_B.json").write_text(json.dumps(content))
    words = ("run", "suite", "--prompt", "one", "--test", "B", "--model", "builtin:tiny", "-q", "--norm")
    done = probsense(*words, "--temp", 100, "--input_dir", tmp_path, "--output-dir", "flat")
    assert done.code == 0, done.err
    title, _, _, *lines = done.out[done.out.index("Probabilities") :].splitlines()
    assert title == "Probabilities of queries in %"
    cells = [line.split() for line in lines[: lines.index("")]]
    shown = {row[0]: float(row[1]) for row in cells if len(row) == 2}
    assert shown == pytest.approx({"True": 50, "False": 50}, abs=5)
    assert sum(shown.values()) == pytest.approx(100)
    with (tmp_path / "flat" / "one_B_builtin-tiny_results.csv").open(newline="") as stream:
        found = [*csv.DictReader(stream)]
    assert [row["query"] for row in found] == ["True", "False"]
    assert {row["text"] for row in found} == {"Answer True or False.\nIce is cold.\nThe answer is:"}
    assert [100 * float(row["score"]) for row in found] == pytest.approx([*shown.values()], abs=0.05)
