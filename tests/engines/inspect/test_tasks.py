"""Our tasks inside inspect: its results are those of ``probsense run``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_ai._util.error import PrerequisiteError

import probsense as ps
from engines.inspect.asking import WORLDSENSE, asked, found, mock
from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import SampleRequest, SampleResponse
from probsense.interop.hosted import ASKED
from probsense.interop.inspect import tasks as inspect_tasks
from probsense.interop.inspect.tasks import figures
from probsense.models.base import Batch, Capabilities, Usage

CASES = [
    ("worldsense", {**WORLDSENSE, "method": "options"}),
    ("worldsense", {**WORLDSENSE, "method": "labels"}),
    ("winogrande", {"limit": 20, "seed": 2}),
    ("judgments", {"limit": 12}),
    ("suite", {"limit": 8}),
]


def expected(run: ps.Run) -> dict[str, float]:
    own = [one for one in run.summary() if one.by["model"] == run.model]
    return figures([replace(one, by={**one.by, "model": ASKED}) for one in own])


@pytest.mark.parametrize(("task", "options"), CASES)
def test_all_figures_are_those_of_a_run(task, options, tmp_path):
    log = asked(f"probsense/{task}", "probsense/random:1", tmp_path, task_args=options)
    run = ps.evaluate(task, "random:1", quiet=True, store=None, **options)
    assert found(log) == pytest.approx(expected(run), abs=1e-12)
    assert len(expected(run)) >= 4


class Alternating:
    """A model that answers by the length of the prompt, often with words that the task has to read."""

    name = "alternating"
    details = {"by": "length"}  # noqa: RUF012
    capabilities = Capabilities(sample=True, chat=True)
    usage = Usage()

    @staticmethod
    def text(*said: str) -> str:
        return ("TRUE", "false.", "I cannot tell", " POSSIBLE", "1", "2", "3")[len("".join(said)) % 7]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        for i, one in enumerate(requests):
            yield [(i, SampleResponse((self.text(one.system, one.prompt),) * one.n))]

    score = labels = sample


PERSONAS = "persona,description\nAnn,You are Ann.\nBob,You are Bob. You like rain.\n"


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("worldsense", WORLDSENSE),
        ("judgments", {"limit": 6, "trials": 3, "method": "sample"}),
        ("judgments", {"limit": 12, "trials": 2, "conditions": "persona=personas.csv", "method": "sample"}),
    ],
)
def test_texts_are_read_and_asked_for_again_as_in_a_run(task, options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("personas.csv").write_text(PERSONAS)
    log = asked(f"probsense/{task}", mock(Alternating.text), tmp_path, task_args=options)
    run = ps.evaluate(task, Alternating(), quiet=True, store=None, **options)
    assert found(log) == pytest.approx(expected(run))
    assert run.asked > len(run.items) or task != "worldsense"  # It asks some again.
    assert {one.by["prompting"] for one in run.summary()} == {"sample"}


def test_samples_know_their_cluster_and_scores(tmp_path):
    log = asked("probsense/worldsense", mock(Alternating.text), tmp_path, task_args=WORLDSENSE)
    assert log.samples is not None
    assert len({sample.metadata["cluster"] for sample in log.samples}) < len(log.samples) <= 16
    values = [sample.scores["answers"].value for sample in log.samples if sample.scores]
    assert {value["accuracy"] for value in values if isinstance(value, dict)} == {0.0, 1.0}


def test_a_limit_of_inspect_leaves_broken_tuples_out(tmp_path):
    log = asked("probsense/worldsense", "probsense/random:1", tmp_path, task_args=WORLDSENSE, limit=1)
    assert found(log) == {}


@pytest.mark.parametrize(
    ("task", "options", "said"),
    [
        ("worldsense", {"limt": 5}, "did you mean 'limit'"),
        ("worldsense", {"limit": 0}, "a limit of 0"),
        ("worldsense", {"method": "options"}, "mockllm/model cannot answer the method 'options'"),
        ("winogrande", {}, "winogrande asks by options, and mockllm/model can answer none of them"),
    ],
)
def test_what_cannot_be_asked_is_one_line(task, options, said, tmp_path):
    with pytest.raises(PrerequisiteError, match=said):
        asked(f"probsense/{task}", mock(str), tmp_path, task_args=options)


def test_epochs_are_refused(tmp_path):
    log = asked("probsense/winogrande", "probsense/random:1", tmp_path, task_args={"limit": 4}, epochs=2)
    assert log.status == "error"
    assert log.error is not None
    assert "several epochs" in log.error.message


def test_estimates_have_names_of_their_own():
    def estimate(method: str, **by: Any) -> Estimate:
        return Estimate(
            "accuracy", {"model": ASKED, "prompting": "sample", **by}, 0.5, 0.1, 0, 1, 0.95, 9, 9, method
        )

    all_of_them = [
        estimate("stratified"),
        estimate("stratified", problem="A"),
        estimate("published"),
        replace(estimate("stratified"), by={"model": "baseline"}, value=0.9),
        replace(estimate("odd"), value=math.nan),
    ]
    assert figures(all_of_them) == {
        "accuracy": 0.5,
        "accuracy stderr": 0.1,
        "accuracy (published)": 0.5,
        "accuracy (published) stderr": 0.1,
        "accuracy (odd) stderr": 0.1,
    }


def test_the_entry_point_leads_to_the_registry():
    (entry,) = (one for one in entry_points(group="inspect_ai") if one.name == "probsense")
    assert entry.load() is inspect_tasks
