"""``probsense figure``: one chart of the report, for a paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from probsense.cli import app
from probsense.errors import InputError

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_a_chart_of_a_run_as_pdf_svg_and_png(tmp_path: Path) -> None:
    runner, store = CliRunner(), str(tmp_path / "s.db")
    run = runner.invoke(app, ["run", "winogrande", "--model", "random:", "--store", store, "--quiet"])
    assert run.exit_code == 0, run.output
    for kind, start in (("pdf", b"%PDF"), ("svg", b"<svg"), ("png", b"\x89PNG")):
        out = tmp_path / f"chart.{kind}"
        done = runner.invoke(app, ["figure", "accuracy", store, "--out", str(out), "--width", "480"])
        assert done.exit_code == 0, done.output
        assert out.read_bytes().startswith(start)
    wrong = runner.invoke(app, ["figure", "acuracy", store, "--out", str(tmp_path / "none.pdf")])
    assert isinstance(wrong.exception, InputError)
    assert not (tmp_path / "none.pdf").exists()


def test_the_profile_is_a_chart_of_all_tasks_and_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a suite writes its answers beside the store
    runner, store, out = CliRunner(), str(tmp_path / "s.db"), tmp_path / "profile.svg"
    for model in ("random:", "random:4"):
        words = ["run", "suite", "winogrande", "--model", model, "--store", store, "--quiet"]
        assert runner.invoke(app, words).exit_code == 0
    done = runner.invoke(app, ["figure", "profile", store, "--out", str(out)])
    assert done.exit_code == 0, done.output
    drawn = out.read_text()
    for label in ("Suite: accuracy", "Winogrande: accuracy", "random:4", "chance"):
        assert label in drawn
    assert drawn.rindex("role-axis-grid") < drawn.index(">chance<")  # no line runs through a name
