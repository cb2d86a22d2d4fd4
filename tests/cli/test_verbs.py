"""Every verb as a user calls it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from support.command import Probsense


def test_the_public_names_are_all_there() -> None:
    import probsense

    assert all(getattr(probsense, name) is not None for name in probsense.__all__)
    assert set(probsense.__all__) <= set(dir(probsense))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = probsense.nothing


def test_the_version(probsense: Probsense) -> None:
    assert probsense("--version").out == f"probsense {version('probsense')}\n"


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
@pytest.mark.usefixtures("stores")
def test_the_name_of_a_chart_says_its_format(probsense: Probsense, kind: str, start: bytes) -> None:
    out = Path(f"chart.{kind}")
    done = probsense("figure", "accuracy", "probsense.db", "--out", out, "--width", 480)
    assert (done.code, done.err) == (0, f"written: {out}\n")
    assert out.read_bytes().startswith(start)


def test_an_unexpected_error_is_one_line(probsense: Probsense, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: Path) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("probsense.tasks.worldsense.verbs.audit_folder", broken)
    failed = probsense("audit", "worldsense", "x")
    assert failed.code == 1
    assert failed.err.splitlines() == [
        "probsense: internal error: ZeroDivisionError: a fault (set PROBSENSE_DEBUG=1 to see where)"
    ]


def test_the_folder_of_tasks_for_lm_eval_is_printed(probsense: Probsense) -> None:
    folder = Path(probsense("interop", "lm-eval-tasks").out.strip())
    names = {path.stem.removeprefix("probsense_") for path in folder.glob("*.yaml")}
    assert names == {"worldsense", "judgments", "winogrande"}
