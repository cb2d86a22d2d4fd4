"""``probsense report``, from stores to one page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import probsense as ps
from probsense.runs.store.find import find_runs
from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


def test_runs_of_several_models_and_tasks_are_one_page(
    probsense: Probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    given = ("--title", "What <they> know", "--author", "A. Author", "--date", "Spring", "--open")
    done = probsense("report", "probsense.db", "suite.db", "--out", "page.html", *given)
    assert (done.code, done.out) == (0, "")
    assert "the report of 5 runs is in page.html" in done.err
    page = (tmp_path / "page.html").read_text()
    for words in (
        "Commonsense profile",
        "Winogrande",
        "Suite",
        "random:1",
        "random:3",
        "Questions one by one",
    ):
        assert words in page
    assert len(page.encode()) < 5_000_000
    assert "<svg" in page
    assert "<h1>What &lt;they&gt; know</h1>" in page
    assert "· A. Author · Spring</p>" in page
    assert shown == [(tmp_path / "page.html").resolve().as_uri()]


@pytest.mark.usefixtures("undrawn")
def test_a_page_has_the_date_of_the_newest_run(probsense: Probsense, tmp_path: Path) -> None:
    """So the same runs make the same page on every day."""
    texts = []
    for _ in range(2):
        assert probsense("report", "--store", "suite.db").code == 0
        texts.append((tmp_path / "report.html").read_text())
    assert texts[0] == texts[1]
    runs, _ = find_runs([], [Path("suite.db")])
    day = datetime.fromisoformat(max(run.record.finished for run in runs))
    assert f" · {day.day} {day:%B %Y}</p>" in texts[0]


@pytest.mark.usefixtures("undrawn")
def test_one_run_by_its_id_and_two_that_were_asked_different_questions(
    probsense: Probsense, tmp_path: Path, ids: list[str]
) -> None:
    other = ps.evaluate("winogrande", "random:1", limit=6, quiet=True).id
    assert probsense("report", ids[0], other, "--out", "both.html").code == 0
    page = (tmp_path / "both.html").read_text()
    assert "The runs of Winogrande were not asked the same questions" in page
    assert f"random:1 [{ids[0][:8]}]" in page
    assert probsense("report", other[:8], "--out", "one.html").code == 0
    assert "not asked the same" not in (tmp_path / "one.html").read_text()


@pytest.mark.parametrize("words", [("--store", "suite.db", "--task", "frames"), ("nope",), ("missing.db",)])
def test_bad_use_is_one_line(probsense: Probsense, tmp_path: Path, words: tuple[str, ...]) -> None:
    assert_refused(probsense("report", *words, "--out", "page.html"), words[-1])
    assert not (tmp_path / "page.html").exists()
