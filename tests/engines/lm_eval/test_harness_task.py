"""Tests of our tasks inside lm-evaluation-harness: its own model must get the results of ``probsense run``."""

from __future__ import annotations

import inspect
import math
import pickle
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

import probsense as ps
import probsense.models
from probsense.core.errors import InputError
from probsense.interop.lm_eval import FOLDER
from probsense.interop.lm_eval.task import Graded, HarnessTask, _options
from probsense.tasks.registry import task_options

TINY = Path(probsense.models.__file__).parent / "small" / "tiny"
OPTIONS = {
    "worldsense": {"problems": ["Infer.normal", "Consist.normal"], "sizes": [3, 4]},
    "winogrande": {},
    "judgments": {},
}
COMMON = {"limit": 30, "seed": 4}


@pytest.fixture(scope="module")
def tiny():
    return HFLM(pretrained=str(TINY), device="cpu", dtype="float32", batch_size=8)


def evaluated(lm: HFLM, task: str, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    manager = TaskManager(include_path=str(FOLDER), include_defaults=False, metadata=options)
    return lm_eval.simple_evaluate(
        model=lm, tasks=[f"probsense_{task}"], task_manager=manager, **{"log_samples": True, **more}
    )


def figures(run: ps.Run, metric: dict[str, Any]) -> tuple[float, float]:
    """Look up the first estimate of the model that a metric of the YAML file describes."""
    named = {
        key: value for key, value in metric.items() if key not in ("metric", "measure", "higher_is_better")
    }
    measure = metric.get("measure", metric["metric"])
    for one in run.summary():
        own = one.measure == measure and one.by["model"] == run.model
        if own and named.items() <= {**one.by, "method": one.method}.items():
            return one.value, one.stderr
    return math.nan, math.nan


@pytest.fixture(scope="module")
def worldsense(tiny):
    return evaluated(tiny, "worldsense", {**COMMON, **OPTIONS["worldsense"]})


@pytest.fixture(scope="module")
def personas(tmp_path_factory):
    path = tmp_path_factory.mktemp("personas") / "personas.csv"
    path.write_text("persona,description\nAnn,You are Ann.\nBob,You are Bob. You like rain.\n")
    return str(path)


@pytest.mark.parametrize("task", [*OPTIONS, "judgments as personas"])
def test_results_are_those_of_a_run(tiny, worldsense, personas, task):
    task, _, persona = task.partition(" as ")
    options = {**COMMON, **OPTIONS[task], **({"conditions": f"persona={personas}"} if persona else {})}
    found = worldsense if task == "worldsense" else evaluated(tiny, task, options)
    run = ps.evaluate(task, "builtin:tiny", quiet=True, store=None, **options)
    results, metrics = (
        found["results"][f"probsense_{task}"],
        found["configs"][f"probsense_{task}"]["metric_list"],
    )
    assert results["sample_len"] == len(run.items) > 10
    known = 0
    for metric in metrics:
        value, stderr = figures(run, {key: one for key, one in metric.items() if key != "aggregation"})
        name = metric["metric"]
        assert results[f"{name},none"] == pytest.approx(value, rel=1e-5, nan_ok=True), name
        assert results[f"{name}_stderr,none"] == pytest.approx(stderr, rel=1e-5, nan_ok=True), name
        known += not math.isnan(value)
    assert known >= 4


def test_a_limit_of_the_harness_breaks_tuples_and_no_run(tiny):
    found = evaluated(tiny, "worldsense", {**COMMON, **OPTIONS["worldsense"]}, limit=1)
    assert math.isnan(found["results"]["probsense_worldsense"]["accuracy,none"])


def test_the_model_of_the_harness_takes_no_argument_for_an_option():
    """The harness puts the arguments of its model in among a task's options."""
    for task in OPTIONS:
        assert _options(task, dict.fromkeys(inspect.signature(HFLM.__init__).parameters)) == {}


def test_an_option_of_one_task_is_no_slip_in_another():
    """All tasks of a command get the same metadata."""
    known = {option: None for task in OPTIONS for option in task_options(task)}
    for task in OPTIONS:
        assert _options(task, known).keys() == task_options(task).keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limt": 5}, "'limt'; did you mean 'limit'"),
        ({"limit": 0}, "limit of 0"),
        ({"method": "sample"}, "asks on, depending on the answers"),
        ({"method": "texts"}, "no such method of worldsense: 'texts'"),
        ({"rule": "token"}, "sums over tokens only"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        made("worldsense", **options)


def made(task: str, **options: Any) -> HarnessTask:
    metadata = {"limit": 6, **options}
    return HarnessTask({"task": "x", "dataset_name": task, "metric_list": [], "metadata": metadata})


def built(task: str, **options: Any) -> HarnessTask:
    found = made(task)
    found.build_all_requests(rank=0, world_size=1, **options)
    return found


def test_questions_go_through_a_chat_template_and_texts_to_continue_do_not():
    def template(messages: list[dict[str, str]]) -> str:
        return "".join(f"<{one['role']}>{one['content']}" for one in messages) + "<assistant>"

    chat = {
        "apply_chat_template": True,
        "chat_template": template,
        "system_instruction": "Be brief.",
    }
    asked = [one.arguments for one in built("judgments", **chat).instances]
    plain = [one.arguments for one in built("judgments").instances]
    assert asked == [
        (f"<system>Be brief.<user>{before}<assistant>", text.removeprefix(" ")) for before, text in plain
    ]
    assert {text[0] for _, text in plain} > {" "}
    sentences = [one.arguments for one in built("winogrande").instances]
    assert [one.arguments for one in built("winogrande", **chat).instances] == [
        (f"Be brief.\n\n{before}", text) for before, text in sentences
    ]


def test_answers_travel_between_processes():
    graded = Graded(0.5)
    graded.item, graded.answers = "a", [["sample", "{}"]]
    again = pickle.loads(pickle.dumps(graded))
    assert (again, again.item, again.answers) == (0.5, "a", [["sample", "{}"]])
