"""``probsense report``, from stores to one page."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest


def test_runs_of_several_models_and_tasks_are_one_page(probsense, tmp_path: Path) -> None:
    for model in ("random:", "builtin:tiny"):
        assert probsense("run", "winogrande", "suite", "--model", model, "--store", "a.db", "-q").code == 0
    done = probsense("report", "a.db", "--out", "page.html")
    assert (done.code, done.out) == (0, "")
    assert "the report of 4 runs is in page.html" in done.err
    page = (tmp_path / "page.html").read_text()
    for words in (
        "Commonsense profile",
        "Winogrande",
        "Suite",
        "random:",
        "builtin:tiny",
        "Questions one by one",
    ):
        assert words in page
    assert len(page.encode()) < 5_000_000


def test_one_run_by_its_id_and_two_that_were_asked_different_questions(probsense, tmp_path: Path) -> None:
    for limit in (20, 30):
        assert probsense("run", "winogrande", "--model", "random:", "--limit", limit, "-q").code == 0
    assert probsense("report", "--out", "both.html").code == 0
    page = (tmp_path / "both.html").read_text()
    assert "The runs of Winogrande were not asked the same questions" in page
    run = page[page.index("random: [") + 9 :][:8]
    assert probsense("report", run, "--out", "one.html").code == 0
    assert "not asked the same" not in (tmp_path / "one.html").read_text()


def test_bad_use_is_one_line(probsense, tmp_path: Path) -> None:
    for words in ((), ("nope",), ("--store", "missing.db")):
        done = probsense("report", *words, "--out", "page.html")
        assert done.code == 2
        assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "page.html").exists()


def test_run_writes_one_page_of_several_tasks(probsense, tmp_path: Path) -> None:
    words = ("run", "winogrande", "suite", "--model", "random:", "-q", "--report", "page.html")
    assert probsense(*words).code == 0
    assert [path.name for path in tmp_path.glob("*.html")] == ["page.html"]


def test_a_page_has_the_title_the_author_and_the_date_that_were_asked_for(
    probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    assert probsense("run", "winogrande", "--model", "random:", "--limit", 20, "-q").code == 0
    page = tmp_path / "report.html"
    texts = []
    for words in (
        (),
        (),
        ("--title", "What <they> know", "--author", "A. Author", "--date", "Spring", "--open"),
    ):
        assert probsense("report", *words).code == 0
        texts.append(page.read_text())
    # The date is that of the newest run: the same runs make the same page on every day.
    assert texts[0] == texts[1]
    today = datetime.now(UTC)
    assert f'<p class="byline">{today.day} {today:%B %Y}</p>' in texts[0]
    assert "<h1>What &lt;they&gt; know</h1>" in texts[2]
    assert '<p class="byline">A. Author · Spring</p>' in texts[2]
    assert shown == [page.resolve().as_uri()]
