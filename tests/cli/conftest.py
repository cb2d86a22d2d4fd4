"""Running the command in this process, and stores with finished runs for it to read."""

from __future__ import annotations

import shutil

import pytest

import probsense as ps
from probsense import cli
from probsense.runs.find import find_runs
from support import json_documents
from support.command import Done


@pytest.fixture
def probsense(capsys, monkeypatch, tmp_path):
    """Run ``probsense`` with these words, in a folder of its own; its cache is there, too.

    A JSON document on its standard output must be as the schema describes it. The command does not say what takes long,
    so that its errors do not depend on the machine.
    """
    monkeypatch.setattr("probsense.runs.ask.progress.SILENT_SECONDS", 3600.0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "data"))

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["probsense", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        captured = capsys.readouterr()
        code = stopped.value.code
        done = Done(code if isinstance(code, int) else 0, captured.out, captured.err)
        if "--json" in words and done.out.startswith("{") and json_documents.command_of(words):
            assert json_documents.fault(words, done.out, closed=True) == ""
        return done

    return run


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder of two stores with finished runs, winogrande.db and suite.db: nobody writes to it."""
    folder = tmp_path_factory.mktemp("finished")
    for model in ("random:1", "random:2", "random:3"):
        ps.evaluate("winogrande", model, limit=20, store=folder / "winogrande.db", quiet=True)
    for model in ("random:1", "random:2"):
        ps.evaluate("suite", model, store=folder / "suite.db", quiet=True)
    return folder


@pytest.fixture
def stores(probsense, finished, tmp_path):
    """Both stores in the working folder; that of winogrande is the usual one, probsense.db."""
    shutil.copy(finished / "winogrande.db", tmp_path / "probsense.db")
    shutil.copy(finished / "suite.db", tmp_path)


@pytest.fixture
def ids(finished):
    """The beginnings of the ids of the runs of winogrande."""
    runs, _ = find_runs([], [finished / "winogrande.db"])
    return [run.id[:10] for run in runs]


@pytest.fixture
def undrawn(monkeypatch):
    """Pages have no charts, which take seconds to draw."""
    monkeypatch.setattr("probsense.results.page.parts.page_svg", lambda chart: "<svg></svg>")
