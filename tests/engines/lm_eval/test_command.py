"""The command ``probsense-lm-eval``: the harness with our tasks and our model, and its faults in one line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.interop.lm_eval import FOLDER
from probsense.interop.lm_eval import command as harness_command
from probsense.models.small.builtin import HERE


def test_it_finds_the_tasks_and_the_model(tmp_path):
    command = ["-m", "probsense.interop.lm_eval.command", "run", "--model", "probsense", "--device", "cpu"]
    command += ["--model_args", f"pretrained={HERE / 'tiny'},dtype=float32"]
    command += ["--tasks", "probsense_winogrande", "--metadata", '{"limit": 10}']
    command += ["--output_path", str(tmp_path), "--log_samples"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (found,) = tmp_path.rglob("results_*.json")
    run = ps.evaluate("winogrande", "builtin:tiny", quiet=True, store=None, limit=10)
    results = json.loads(found.read_text())["results"]["probsense_winogrande"]
    assert results["accuracy,none"] == pytest.approx(run.summary()[0].value)
    (samples,) = tmp_path.rglob("samples_*.jsonl")
    compared = ps.compare(samples, run)
    ours, theirs = ((one.value, one.clusters) for one in compared.levels)
    assert ours == theirs == (pytest.approx(run.summary()[0].value), run.summary()[0].clusters)
    assert compared.differences[0].equal == len(run.items)


def test_it_says_what_is_wrong_in_one_line(monkeypatch, capsys):
    def refuse() -> None:
        raise InputError("a limit of 0", expected="at least 1")

    monkeypatch.setattr("lm_eval.__main__.cli_evaluate", refuse)
    with pytest.raises(SystemExit, match="2"):
        harness_command.main()
    assert capsys.readouterr().err == "probsense-lm-eval: a limit of 0 (expected at least 1)\n"


@pytest.mark.parametrize(
    ("arguments", "added"),
    [
        (["run", "--tasks", "x"], True),
        (["ls", "tasks"], True),
        (["run"], False),
        (["run", "--include_path=mine", "--tasks", "x"], False),
        (["run", "--config", "mine.yaml"], False),
    ],
)
def test_it_names_the_folder_unless_the_user_does(arguments, added):
    found = harness_command.with_tasks(arguments)
    assert found == [*arguments, *(["--include_path", str(FOLDER)] if added else [])]
