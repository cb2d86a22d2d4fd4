"""``probsense site``: what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


def test_it_builds_and_brings_up_to_date(
    probsense: Probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    words = ("--title", "Mine & <others>", "--author", "Me", "--description", "About it.")
    done = probsense("site", *words, "--open")
    index = tmp_path / "site" / "index.html"
    assert (done.code, done.out, opened) == (0, "", [index.as_uri()])
    assert "site/index.html: 3 models, 3 runs; " in done.err
    assert ", 0 unchanged, 0 removed" in done.err
    page = index.read_text()
    assert "<h1>Mine &amp; &lt;others&gt;</h1>" in page
    assert "About it." in page
    assert '<meta name="author" content="Me">' in page
    again = probsense("site", "probsense.db", "suite.db", *words)
    assert "3 models, 5 runs" in again.err
    assert ", 0 unchanged" not in again.err


def test_the_runs_of_one_task(probsense: Probsense, tmp_path: Path) -> None:
    words = ("site", "probsense.db", "suite.db", "--quiet", "--task")
    done = probsense(*words, "suite", "--out", "s")
    assert (done.code, done.err) == (0, "")
    pages = {path.name for path in (tmp_path / "s" / "tasks").iterdir()}
    assert pages == {"suite.html", "suite-items.html"}
    assert_refused(probsense(*words, "frames", "--out", "f"), "frames")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.db",), "nothing.db: no such store"),
        (("probsense.db", "--out", "."), "a folder with other files (expected an empty folder, or a site)"),
        (("probsense.db", "--out", "probsense.db"), "cannot be written: it is no folder"),
        (("probsense.db", "--models", "none.yaml"), "none.yaml"),
    ],
)
def test_what_it_refuses_is_one_line(probsense: Probsense, words: tuple[str, ...], said: str) -> None:
    assert_refused(probsense("site", *words), said)
