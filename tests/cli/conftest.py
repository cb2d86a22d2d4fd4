"""Running the command in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from probsense import cli
from probsense.tasks.worldsense.generate import Design, write_testset


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def probsense(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Done]:
    """Run ``probsense`` with these words, in a folder of its own; its cache is there, too.

    It does not say what takes long, so that its errors do not depend on the machine.
    """
    monkeypatch.setattr("probsense.run.progress.SILENT_SECONDS", 3600.0)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PROBSENSE_DATA", str(tmp_path / "data"))

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["probsense", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        captured = capsys.readouterr()
        code = stopped.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def testset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small generated set: nobody writes to it."""
    folder = tmp_path_factory.mktemp("set") / "small"
    write_testset(folder, Design(seed=5, sizes=(3,)))
    return folder
