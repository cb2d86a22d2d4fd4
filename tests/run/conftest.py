"""Lets the tests of runs, and the processes that they start, import ``run_fakes``; installs the fakes."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from probsense import registry

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the fakes as if their package were installed."""
    declared = {
        "probsense.tasks": {"quiz": "run_fakes:Quiz"},
        "probsense.models": {"random": "probsense.models.random:load"},
    }

    def entry_points(group: str) -> EntryPoints:
        return EntryPoints(EntryPoint(name, value, group) for name, value in declared[group].items())

    monkeypatch.setattr(registry, "entry_points", entry_points)
