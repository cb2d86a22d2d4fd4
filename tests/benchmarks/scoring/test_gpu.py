"""The benchmark for an accelerator runs, here on a CPU and a model for trials."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import gpu


def test_a_trial_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets = gpu.workloads()
    gpu.make("trial", {title: sets[title] for title in ("few-shot", "statements")}, "float32", tmp_path)
    asked = "hf", str(tmp_path), "trial", "float32", ["few-shot", "statements"], 2
    found = gpu.measure(*asked, until=time.time() + 100)
    assert [row["workload"] for row in found] == ["few-shot", "statements"]
    for row in found:
        assert row["computed"] == row["unique"] < row["naive"]
        assert 0 < row["of_peak"] < 1
        assert len(row["scores"]) == row["requests"]
    assert gpu.measure(*asked, until=0) == []
    gpu.show("trial", {"hf": found})
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[-2:]]
    assert [(row[0], row[1], int(row[2])) for row in rows] == [
        ("few-shot", "hf", 8),
        ("statements", "hf", 12),
    ]


def test_what_does_not_fit_is_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    gpu.main(["--shapes", "trial", "1b", "--programs", "hf", "lm-eval", "--minutes", "0"])
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == ["trial is left out for want of time", "1b is left out for want of time"]
    assert (len(said) == 3) == (find_spec("lm_eval") is None)


@pytest.mark.parametrize(("name", "parameters"), [("1b", 973_078_528), ("7b", 6_476_005_376)])
def test_shapes_are_those_of_known_models(name: str, parameters: int) -> None:
    # Without embeddings and head: 1.236 billion in all for Llama 3.2 1B, and 6.738 for Llama 2 7B.
    assert gpu.shape(gpu._config(name)).parameters == parameters
