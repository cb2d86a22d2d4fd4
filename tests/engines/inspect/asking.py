"""Runs inspect as its command does, with models that answer from a function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

WORLDSENSE = {"problems": ["Infer.normal", "Consist.normal"], "sizes": [3], "limit": 16}


def asked(task: str | Task, model: str | Model, folder: Path, **options: Any) -> EvalLog:
    given = {"task_args": options.pop("task_args", {}), "log_dir": str(folder), "display": "none"}
    (log,) = eval(task, model=model, **given, **options)
    return log


def found(log: EvalLog) -> dict[str, float]:
    assert log.status == "success", log.error
    assert log.results is not None
    return {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}


def mock(text: Any) -> Model:
    """Make a model whose answers have a usage: without one, inspect asks the network for an encoding."""

    def answer(messages: Any, *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", text(*(one.text for one in messages)))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)
