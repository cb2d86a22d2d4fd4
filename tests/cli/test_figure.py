"""``probsense figure``: one chart of the report, for a paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_chart_of_a_run_as_pdf_svg_and_png(
    probsense: Probsense, tmp_path: Path, ids: list[str], kind: str, start: bytes
) -> None:
    out = tmp_path / f"chart.{kind}"
    done = probsense("figure", "accuracy", ids[0], "--out", out, "--width", 480)
    assert (done.code, done.err) == (0, f"written: {out}\n")
    assert out.read_bytes().startswith(start)


def test_a_chart_that_there_is_none_of(probsense: Probsense, tmp_path: Path) -> None:
    assert_refused(probsense("figure", "acuracy", "probsense.db", "--out", "none.pdf"), "accuracy")
    assert not (tmp_path / "none.pdf").exists()


def test_the_profile_is_a_chart_of_all_tasks_and_models(probsense: Probsense, tmp_path: Path) -> None:
    done = probsense("figure", "profile", "probsense.db", "suite.db", "--out", "profile.svg")
    assert done.code == 0, done.err
    drawn = (tmp_path / "profile.svg").read_text()
    for label in ("Suite: accuracy", "Winogrande: accuracy", "random:3", "chance"):
        assert label in drawn
    assert drawn.rindex("role-axis-grid") < drawn.index(">chance<")  # no line runs through a name
