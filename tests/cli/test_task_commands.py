"""Verbs that a task brings along, also those that the list of commands does not know; and what all commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, EntryPoints, version
from pathlib import Path
from typing import ClassVar

import pytest

import probsense as ps
from probsense.core import registry
from probsense.tasks.base import Task
from support.command import assert_refused


class Counted(list[str]):
    """What the verb found."""

    def __str__(self) -> str:
        return f"{len(self)} words"

    def to_json(self) -> dict[str, object]:
        """Return the document."""
        return {"schema": 1, "words": [*self]}


def count(
    file: Path, *, most: int = 3, skip: Sequence[str] = (), progress: Callable[[int, int], None]
) -> Counted:
    """Count words.

    Parameters
    ----------
    file : Path
        A text.
    most : int
        Words that are counted at most.
    skip : sequence of str
        Words that do not count.
    progress : callable
        Is told.
    """
    words = file.read_text().split()
    progress(len(words), len(words))
    return Counted([word for word in words if word not in skip][:most])


def audit(file: Path) -> Counted:
    """Look at words.

    Parameters
    ----------
    file : Path
        A text.
    """
    return Counted([file.name])


class Toy(Task):
    """A task of which only the verbs matter."""

    verbs: ClassVar[Mapping[str, Callable[..., object]]] = {"tally": count, "audit": audit}


@pytest.fixture(autouse=True)
def text(monkeypatch, probsense, tmp_path):
    """Installs the task beside the others, and writes a text."""
    known, load = registry.entry_points, EntryPoint.load
    mine = {"probsense.tasks": [EntryPoint("toy", "toy", "probsense.tasks")]}
    monkeypatch.setattr(EntryPoint, "load", lambda entry: Toy if entry.name == "toy" else load(entry))
    installed = lambda group: EntryPoints([*known(group=group), *mine.get(group, [])])  # noqa: E731
    monkeypatch.setattr(registry, "entry_points", installed)
    path = tmp_path / "text.txt"
    path.write_text("a b c d e")
    return path


def test_a_verb_that_no_list_knows(probsense, text):
    done = probsense("tally", "toy", text, "--most", "2")
    assert (done.code, done.out) == (0, "2 words\n")
    assert done.err == "tally toy: 5 of 5 items\n"
    skipped = probsense("tally", "toy", text, "--skip", "a", "--skip", "b,c", "--quiet", "--json")
    assert (skipped.code, skipped.err) == (0, "")
    assert json.loads(skipped.out) == {"schema": 1, "words": ["d", "e"]}
    quiet = probsense("tally", "toy", text, "-q")
    assert quiet.code == 0
    assert quiet.out == ""
    assert quiet.err == ""


def test_the_help_of_a_verb_has_the_options_of_the_task(probsense, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    shown = probsense("tally", "toy", "--help").out
    assert "Words that are counted at most. [default: 3]" in shown
    assert "--progress" not in shown
    assert " Tasks: toy, worldsense, or your own FILE.py" in probsense("audit", "--help").out
    assert probsense("audit", "toy", "text.txt").out == "1 words\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tally", "toy", "text.txt", "--progress", "1"), "No such option: --progress"),
        (("tally", "worldsense", "x"), "worldsense has no verb 'tally' (expected toy)"),
        (("tally", "tooy", "x"), "no such task: 'tooy'; did you mean 'toy'?"),
        (("generate", "toy", "x"), "toy has no verb 'generate' (expected worldsense)"),
        (("audit", "toy", "text.txt", "--most", "1"), "No such option: --most"),
    ],
)
def test_wrong_use_is_one_line(probsense, words, said):
    assert_refused(probsense(*words), said)


def test_the_public_names_are_all_there():
    assert all(getattr(ps, name) is not None for name in ps.__all__)
    assert set(ps.__all__) <= set(dir(ps))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ps.nothing  # noqa: B018


def test_the_version(probsense):
    assert probsense("--version").out == f"probsense {version('probsense')}\n"


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
@pytest.mark.usefixtures("stores")
def test_the_name_of_a_chart_says_its_format(probsense, kind, start):
    done = probsense("figure", "accuracy", "probsense.db", "--out", f"chart.{kind}", "--width", 480)
    assert done.code == 0
    assert Path(f"chart.{kind}").read_bytes().startswith(start)


def test_an_unexpected_error_is_one_line(probsense, monkeypatch):
    def broken(folder: Path) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("probsense.tasks.worldsense.verbs.audit_folder", broken)
    failed = probsense("audit", "worldsense", "x")
    assert failed.code == 1
    assert failed.err.splitlines() == [
        "probsense: internal error: ZeroDivisionError: a fault (set PROBSENSE_DEBUG=1 to see where)"
    ]


def test_the_folder_of_tasks_for_lm_eval_is_printed(probsense):
    folder = Path(probsense("interop", "lm-eval-tasks").out.strip())
    names = {path.stem.removeprefix("probsense_") for path in folder.glob("*.yaml")}
    assert names == {"worldsense", "judgments", "winogrande"}
