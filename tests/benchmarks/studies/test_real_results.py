"""The table of the results on real models: what a run withholds is no figure."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import real_results
from probsense.runs.evaluate import evaluate


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    run = evaluate("winogrande", "random:1", limit=20, store=None, quiet=True)
    read: dict[str, Any] = json.loads(json.dumps(run.to_json()))
    return read


def test_a_row_for_each_estimate(document: dict[str, Any]) -> None:
    lacking = copy.deepcopy(document)
    lacking["estimates"] = [one for one in lacking["estimates"] if one["measure"] != "p_gold"]
    title = "Winogrande, own schemas"
    lines = real_results.table({"smollm2": {title: document}, "gemma3": {title: lacking}})
    assert len(lines) == 4
    accuracy = next(one for one in document["estimates"] if one["measure"] == "accuracy")
    assert lines[2].startswith(
        f"| {title} | 20 of 20 | Accuracy in %, partial | {100 * accuracy['value']:.1f} ["
    )
    assert lines[2].endswith("] | 50.0 |")
    assert lines[3].endswith("| withheld |  |")


def test_a_command_runs_once(document: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "smollm2-published-winogrande.json").write_text(json.dumps(document))
    commands = list(real_results.commands("smollm2", Path("models"), Path("published")))
    (words,) = [words for _, words in commands if "published/train_xs.jsonl" in words]
    assert words[-2:] == ["--name", "smollm2 published"]
    assert real_results.ask(words, tmp_path) == document
    assert len({tuple(words) for _, words in commands}) == len(real_results.RUNS)
    own = list(real_results.commands("smollm2", Path("models"), None))
    assert not any("published/" in word for _, words in own for word in words)
