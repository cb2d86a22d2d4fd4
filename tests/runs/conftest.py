"""Installs the stand-ins of a task and a model."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from probsense.core import registry


@pytest.fixture
def installed(monkeypatch):
    """Registers the fakes as if their package were installed."""
    declared = {
        "probsense.tasks": {"quiz": "support.run_fakes:Quiz"},
        "probsense.models": {"random": "probsense.models.small.random:load"},
    }

    def entry_points(group: str) -> EntryPoints:
        return EntryPoints(EntryPoint(name, value, group) for name, value in declared[group].items())

    monkeypatch.setattr(registry, "entry_points", entry_points)
