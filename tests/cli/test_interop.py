"""``probsense interop``: where the tasks for other programs lie."""

from __future__ import annotations

from pathlib import Path

import yaml

from probsense.tasks.registry import task_names
from support.command import Probsense


class Loader(yaml.SafeLoader):
    """Reads the names of functions as text."""


Loader.add_constructor("!function", lambda loader, node: node.value)


def test_the_folder_of_tasks_for_lm_eval_is_printed(probsense: Probsense) -> None:
    done = probsense("interop", "lm-eval-tasks")
    assert done.code == 0
    folder = Path(done.out.strip())
    tasks = [yaml.load(path.read_text(), Loader) for path in folder.glob("*.yaml")]
    assert {task["dataset_name"] for task in tasks} == {"worldsense", "judgments", "winogrande"}
    assert {task["dataset_name"] for task in tasks} <= {*task_names()}
    assert all(task["task"] == f"probsense_{task['dataset_name']}" for task in tasks)
