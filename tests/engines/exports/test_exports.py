"""What is exported for others, as the validator of Every Eval Ever reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import probsense as ps
from probsense.interop.every_eval_ever import export_every_eval_ever
from probsense.tasks.registry import task_names


def validated(folder: Path) -> tuple[int, str]:
    """Return the status of the validator (0 without errors and warnings), and all that it said."""
    words = [sys.executable, "-m", "every_eval_ever", "validate", f"{folder}/data/*/*/*/*.json*"]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("task", task_names())
def test_records_of_every_task_are_valid_without_a_warning(task, tmp_path):
    runs = [ps.evaluate(task, model, limit=20, store=None, quiet=True) for model in ("random:1", "random")]
    export_every_eval_ever(tmp_path, runs)
    status, said = validated(tmp_path)
    assert status == 0, said
    assert len([*tmp_path.rglob("*.json")]) == 2


def test_an_invalid_record_is_seen(tmp_path):
    export_every_eval_ever(tmp_path, [ps.evaluate("suite", "random:1", store=None, quiet=True)])
    (path,) = tmp_path.rglob("*.json")
    document = json.loads(path.read_text())
    document["evaluation_results"][0]["score_details"]["score"] = 2
    path.write_text(json.dumps(document))
    status, said = validated(tmp_path)
    assert status == 1
    assert "outside" in said
