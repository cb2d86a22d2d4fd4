"""Commands of a soak: their peak memory is their own, a killed one is given again, and a failure is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import killing
from watching import Watch


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
