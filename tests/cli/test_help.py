"""What ``--help`` shows: the common options, those of what is named, and no other's."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from probsense.core.options import Option
from probsense.models.registry import model_options, model_schemes
from probsense.tasks.registry import task_names, task_options

COMMON = {"limit", "seed"}
"""Options of tasks that the command has by itself."""


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERMINAL_WIDTH", "160")


def shown(text: str) -> set[str]:
    """The flags that begin a line."""
    return set(re.findall(r"^│ \*? *(--[a-z][a-z.-]*)", text, re.MULTILINE))


def flags(options: dict[str, Option]) -> set[str]:
    return {option.flag for name, option in options.items() if name not in COMMON}


def test_a_run_has_the_options_of_its_task(probsense):
    for task in task_names():
        done = probsense("run", task, "--help")
        assert (done.code, done.err) == (0, "")
        assert shown(done.out) >= {"--model", "--limit", "--seed", "--store", "--json", "--write-results"}
        assert shown(done.out) >= flags(task_options(task))
        others = [flags(task_options(other)) for other in task_names() if other != task]
        assert not shown(done.out) & (set.union(*others) - flags(task_options(task)))
    listed = " Tasks: choices, frames, judgments, suite, winogrande, worldsense, or your own FILE.py"
    assert listed in probsense("run", "--help").out


HELP_OF = """
import sys
before = {*sys.modules}  # A measure of coverage imports some.
from probsense.cli import app
for words in ["--help"], *(["run", task, "--help"] for task in sys.argv[1:]):
    app(words, standalone_mode=False)
print(*{*sys.modules} - before, file=sys.stderr)
"""


def test_help_imports_nothing_heavy():
    command = [sys.executable, "-c", HELP_OF, *task_names()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert "probsense.tasks.worldsense.task" in imported
    heavy = "numpy polars pandas scipy torch transformers httpx jinja2 sqlite3 yaml"
    assert not imported & {*heavy.split()}


def test_models_are_listed_and_their_options(probsense):
    listed = probsense("models").out
    for scheme in model_schemes():
        assert f"\n{scheme}: " in "\n" + listed
        told = probsense("models", scheme).out
        assert all(f"{name}=" in told for name in model_options(scheme))
    assert "(by default auto)" in probsense("models", "hf:").out
