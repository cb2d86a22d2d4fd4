"""Logs of inspect are compared as runs are: ours by their measures, those of others by their grades."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

import probsense as ps
from engines.inspect.asking import WORLDSENSE, asked, mock
from probsense.core.errors import InputError
from probsense.interop.inspect.log import LogReader, read_log


def test_a_log_of_ours_is_compared_as_a_run(tmp_path):
    log = asked(
        "probsense/worldsense", "probsense/random:1", tmp_path, task_args={**WORLDSENSE, "method": "options"}
    )
    run = ps.evaluate("worldsense", "random:1", quiet=True, store=None, method="options", **WORLDSENSE)
    compared = ps.compare(log.location, run)
    first, second = compared.levels
    assert (first.value, first.stderr, first.clusters) == (second.value, second.stderr, second.clusters)
    assert first.by["model"].startswith("probsense/random:1")
    (scores,) = LogReader().read(tmp_path)
    assert scores.detail == "options"
    assert set(scores.measures) == {"accuracy", "strict_accuracy", "bias", "p_gold"}


def test_a_log_of_others_is_read_by_its_grades(tmp_path):
    def text(prompt: str) -> str:
        return "1" if "1" in prompt else "none"

    task = Task(
        dataset=[Sample(input=f"What is {k}?", target=str(k), id=k) for k in range(3)],
        solver=generate(),
        scorer=match(),
        name="numbers",
    )
    log = asked(task, mock(text), tmp_path, epochs=2)
    scores = read_log(Path(log.location))
    assert (scores.name, scores.task, scores.measures) == ("mockllm/model", "numbers", ("match",))
    assert scores.scores["match"].to_list() == [0, 1, 0]
    assert scores.items.select("item", "gold", "label", "text").row(1) == (
        "numbers/1",
        "1",
        "1",
        "What is 1?",
    )


def test_files_that_are_no_logs_are_one_line(tmp_path):
    path = tmp_path / "bad.eval"
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(InputError, match=r"bad\.eval: cannot be read: .* \(expected a log of inspect\)"):
        ps.compare(path)
    log = asked("probsense/winogrande", "probsense/random:1", tmp_path, task_args={"limit": 4})
    whole = Path(log.location).read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 12)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"bad\.eval"):
            read_log(path)
