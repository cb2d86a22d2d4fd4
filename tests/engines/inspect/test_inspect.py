"""Tests of our tasks and models inside inspect: its results must be those of ``probsense run``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Logprob,
    Logprobs,
    Model,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    get_model,
)
from inspect_ai.scorer import match
from inspect_ai.solver import generate

import probsense as ps
from probsense.errors import InputError
from probsense.interop import inspect_registry
from probsense.interop.inspect_log import LogReader, read_log
from probsense.interop.inspect_model import text_request
from probsense.interop.inspect_tasks import ASKED, figures
from probsense.models.base import Batch, Capabilities, Usage, in_form
from probsense.models.registry import load_model
from probsense.records import SampleRequest, SampleResponse
from probsense.stats.estimate import Estimate

WORLDSENSE: dict[str, Any] = {"problems": ["Infer.normal", "Consist.normal"], "sizes": [3], "limit": 16}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("worldsense", {**WORLDSENSE, "method": "options"}),
    ("worldsense", {**WORLDSENSE, "method": "labels"}),
    ("winogrande", {"limit": 20, "seed": 2}),
    ("judgments", {"limit": 12}),
    ("suite", {"limit": 8}),
]


def asked(task: str | Task, model: str | Model, folder: Path, **options: Any) -> EvalLog:
    given = {"task_args": options.pop("task_args", {}), "log_dir": str(folder), "display": "none"}
    (log,) = eval(task, model=model, **given, **options)
    return log


def found(log: EvalLog) -> dict[str, float]:
    assert log.status == "success", log.error
    assert log.results is not None
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


def expected(run: ps.Run) -> dict[str, float]:
    own = [one for one in run.summary() if one.by["model"] == run.model]
    return figures([replace(one, by={**one.by, "model": ASKED}) for one in own], detail=True)


@pytest.mark.parametrize(("task", "options"), CASES)
def test_all_figures_are_those_of_a_run(task: str, options: dict[str, Any], tmp_path: Path) -> None:
    log = asked(f"probsense/{task}", "probsense/random:1", tmp_path, task_args={**options, "detail": True})
    run = ps.evaluate(task, "random:1", quiet=True, store=None, **options)
    assert found(log) == pytest.approx(expected(run), abs=1e-12)
    assert len(expected(run)) >= 4


class Alternating:
    """A model that answers by the length of the prompt, often with words that the task has to read."""

    name = "alternating"
    details: dict[str, Any] = {"by": "length"}  # noqa: RUF012
    capabilities = Capabilities(sample=True, chat=True)
    usage = Usage()

    @staticmethod
    def text(prompt: str) -> str:
        return ("TRUE", "false.", "I cannot tell", " POSSIBLE", "1", "2", "3")[len(prompt) % 7]

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        yield [(i, SampleResponse((self.text(one.prompt),) * one.n)) for i, one in enumerate(requests)]

    score = labels = sample


def mock(text: Any) -> Model:
    """Make a model whose answers have a usage: without one, inspect asks the network for an encoding."""

    def answer(messages: Any, *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", text(*(one.text for one in messages)))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("worldsense", WORLDSENSE),
        ("judgments", {"limit": 6, "trials": 3, "precision": 0.5, "method": "sample"}),
    ],
)
def test_texts_are_read_and_asked_for_again_as_in_a_run(
    task: str, options: dict[str, Any], tmp_path: Path
) -> None:
    log = asked(f"probsense/{task}", mock(Alternating.text), tmp_path, task_args={**options, "detail": True})
    run = ps.evaluate(task, Alternating(), quiet=True, store=None, **options)  # type: ignore[arg-type]
    assert found(log) == pytest.approx(expected(run))
    assert run.asked > len(run.items)  # Some were asked again.
    assert {one.by["prompting"] for one in run.summary()} == {"sample"}


class Acting(Alternating):
    """A model whose answers also depend on what the system says."""

    def sample(self, requests: Sequence[SampleRequest]) -> Iterator[Batch[SampleResponse]]:
        yield [
            (i, SampleResponse((self.text(one.system + one.prompt),) * one.n))
            for i, one in enumerate(requests)
        ]


def test_a_model_is_asked_as_each_persona(tmp_path: Path) -> None:
    personas = tmp_path / "personas.csv"
    personas.write_text("persona,description\nAnn,You are Ann.\nBob,You are Bob. You like rain.\n")
    options = {"limit": 12, "trials": 2, "persona": str(personas), "method": "sample"}
    seen: list[str] = []

    def text(system: str, prompt: str) -> str:
        seen.append(system)
        return Alternating.text(system + prompt)

    log = asked("probsense/judgments", mock(text), tmp_path, task_args={**options, "detail": True})
    run = ps.evaluate("judgments", Acting(), quiet=True, store=None, **options)  # type: ignore[arg-type]
    assert found(log) == pytest.approx(expected(run))
    assert {*seen} == {"You are Ann.", "You are Bob. You like rain."}


def test_samples_know_their_cluster_and_scores(tmp_path: Path) -> None:
    log = asked("probsense/worldsense", mock(Alternating.text), tmp_path, task_args=WORLDSENSE)
    assert log.samples is not None
    assert len({sample.metadata["cluster"] for sample in log.samples}) < len(log.samples) <= 16
    values = [sample.scores["answers"].value for sample in log.samples if sample.scores]
    assert {value["accuracy"] for value in values if isinstance(value, dict)} == {0.0, 1.0}
    assert all(
        sample.input.startswith(tuple("0123456789")) or len(sample.input) > 40 for sample in log.samples
    )
    assert "accuracy stderr" in found(log)
    assert not any("problem=" in name for name in found(log))


def test_a_limit_of_inspect_leaves_broken_tuples_out(tmp_path: Path) -> None:
    log = asked("probsense/worldsense", "probsense/random:1", tmp_path, task_args=WORLDSENSE, limit=1)
    assert found(log) == {}


@pytest.mark.parametrize(
    ("task", "options", "said"),
    [
        ("worldsense", {"limt": 5}, "did you mean 'limit'"),
        ("worldsense", {"limit": 0}, "a limit of 0"),
        ("worldsense", {"method": "options"}, "mockllm/model cannot answer the method 'options'"),
        ("winogrande", {}, "winogrande asks by options, and mockllm/model can answer none of them"),
        ("worldsense", {"adaptive": True, "problems": "Infer.normal"}, "in the light of other answers"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    task: str, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(PrerequisiteError, match=said):
        asked(f"probsense/{task}", mock(str), tmp_path, task_args=options)


def test_epochs_are_refused(tmp_path: Path) -> None:
    log = asked("probsense/winogrande", "probsense/random:1", tmp_path, task_args={"limit": 4}, epochs=2)
    assert log.status == "error"
    assert log.error is not None
    assert "several epochs" in log.error.message


def test_labels_come_from_the_most_probable_first_words(tmp_path: Path) -> None:
    def answer(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", "Yes")
        top = [
            TopLogprob(token=word, logprob=math.log(p))
            for word, p in (("No", 0.2), (" yes", 0.1), ("Yes", 0.6))
        ]
        output.choices[0].logprobs = Logprobs(content=[Logprob(token="Yes", logprob=-0.5, top_logprobs=top)])
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    log = asked("probsense/judgments", model, tmp_path, task_args={"limit": 6, "method": "labels"})
    assert found(log)["yes_mass question=q1"] == pytest.approx(0.7)
    without = asked("probsense/judgments", mock(str), tmp_path, task_args={"limit": 6, "method": "labels"})
    assert without.error is not None
    assert "gives no probabilities of first words" in without.error.message


def test_our_models_answer_tasks_of_others(tmp_path: Path) -> None:
    questions = [f"What is {k}?" for k in range(3)]
    task = Task(
        dataset=[Sample(input=one, target="1") for one in questions], solver=generate(), scorer=match()
    )
    log = asked(task, "probsense/builtin:tiny", tmp_path, max_tokens=8)
    assert log.status == "success"
    assert log.samples is not None
    requests = [SampleRequest(one, max_tokens=8) for one in questions]
    answers = dict(
        one for batch in in_form(load_model("builtin:tiny"), "question").sample(requests) for one in batch
    )
    assert [sample.output.completion for sample in log.samples] == [answers[i].texts[0] for i in range(3)]  # type: ignore[union-attr]
    assert log.samples[0].output.stop_reason == "max_tokens"


def test_a_model_that_cannot_be_had_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="no such kind of model: 'hff'"):
        asked("probsense/winogrande", "probsense/hff:x", tmp_path)


def test_a_conversation_becomes_turns() -> None:
    messages = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content="Hi"),
        ChatMessageAssistant(content="Ho"),
        ChatMessageUser(content="Why?"),
    ]
    config = GenerateConfig(max_tokens=7, temperature=0.5, top_p=0.9, stop_seqs=["."], num_choices=2, seed=3)
    assert text_request(messages, config) == SampleRequest(
        "Why?", 2, 7, 0.5, 0.9, (".",), 3, turns=(("Be brief.\n\nHi", "Ho"),)
    )
    with pytest.raises(InputError, match="ends with the model's own words"):
        text_request(messages[:3], config)


def test_estimates_have_names_of_their_own() -> None:
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
    assert figures(all_of_them, detail=False) == {
        "accuracy": 0.5,
        "accuracy stderr": 0.1,
        "accuracy (published)": 0.5,
        "accuracy (published) stderr": 0.1,
        "accuracy (odd) stderr": 0.1,
    }
    assert figures(all_of_them, detail=True)["accuracy problem=A"] == 0.5


def test_a_log_of_ours_is_compared_as_a_run(tmp_path: Path) -> None:
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


def test_a_log_of_others_is_read_by_its_grades(tmp_path: Path) -> None:
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


def test_files_that_are_no_logs_are_one_line(tmp_path: Path) -> None:
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


def test_a_log_without_scores_is_one_line(tmp_path: Path) -> None:
    task = Task(dataset=[Sample(input="a", target="b")], solver=generate())
    log = asked(task, mock(str), tmp_path)
    with pytest.raises(InputError, match="no samples with scores"):
        read_log(Path(log.location))


def test_the_registry_has_every_task() -> None:
    assert {"worldsense", "judgments", "winogrande", "frames", "suite"} <= {*inspect_registry.TASKS}


def test_the_entry_point_leads_to_the_registry() -> None:
    (entry,) = (one for one in entry_points(group="inspect_ai") if one.name == "probsense")
    assert entry.load() is inspect_registry
