"""A soak of a few actions: all is well; a killed command is given again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import killing
import recipes
import soak
from watching import Watch


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask random models two tasks that take little time."""
    monkeypatch.setattr(recipes, "TASKS", {"suite": {}, "winogrande": {}})
    monkeypatch.setattr(soak, "ASKED", {"random": 1.0})


@pytest.mark.slow
def test_a_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "ACTIONS", {"run": 1.0, "show": 1.0, "collect": 1.0})
    done = soak.soak(minutes=5, seed=1, most=5)
    assert done.problems == []
    tallies = done.commands.tallies
    assert {*tallies} == {"run", "show", "collect"}
    assert sum(tally.count for tally in tallies.values()) == 5
    assert "stores: answers" in done.watch.series
    assert any(line.startswith("run ") for line in done.lines())


@pytest.fixture
def commands(tmp_path: Path) -> killing.Commands:
    (tmp_path / "tmp").mkdir()
    found = killing.Commands(tmp_path, np.random.default_rng(1), Watch())
    found.begin("run")
    return found


def test_a_killed_command_is_given_again(commands: killing.Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killing, "KILLED", 1.0)
    out = commands.give("help", "--help")
    commands._seconds["help"] = 0.1  # It cannot end so soon.
    (commands.folder / ".half").write_text("left over")
    assert commands.give("help", "--help") == out
    assert commands.killed
    assert (commands.tallies["run"].kills, commands.left_by_kills) == (1, 1)
    assert commands.remove_leftovers() == 0
