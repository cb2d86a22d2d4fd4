"""A soak of a few actions: all is well."""

import pytest

import recipes
import soak


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Ask random models two tasks that take little time."""
    monkeypatch.setattr(recipes, "TASKS", {"suite": {}, "winogrande": {}})
    monkeypatch.setattr(soak, "ASKED", {"random": 1.0})


@pytest.mark.slow
def test_a_few_actions(monkeypatch):
    monkeypatch.setattr(soak, "ACTIONS", {"run": 1.0, "show": 1.0, "collect": 1.0})
    done = soak.soak(minutes=5, seed=1, most=5)
    assert done.problems == []
    tallies = done.commands.tallies
    assert {*tallies} == {"run", "show", "collect"}
    assert sum(tally.count for tally in tallies.values()) == 5
    assert "stores: answers" in done.watch.series
    assert any(line.startswith("run ") for line in done.lines())
