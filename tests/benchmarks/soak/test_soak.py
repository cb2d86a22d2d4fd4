"""A soak of a few actions: all is well."""

from __future__ import annotations

import pytest

import recipes
import soak


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
