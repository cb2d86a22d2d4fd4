"""``probsense site``: what it says, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest


def ask(probsense, task: str, *more: object) -> None:
    limit = () if task == "suite" else ("--limit", 20)
    assert probsense("run", task, "--model", "random:", *limit, "-q", *more).code == 0


def test_it_builds_and_brings_up_to_date(probsense, tmp_path: Path) -> None:
    ask(probsense, "winogrande")
    ask(probsense, "suite")
    done = probsense("site", "--title", "Mine & <others>", "--author", "Me", "--description", "About it.")
    assert (done.code, done.out) == (0, "")
    assert "site/index.html: 1 model, 2 runs; " in done.err
    assert ", 0 unchanged, 0 removed" in done.err
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<h1>Mine &amp; &lt;others&gt;</h1>" in page
    assert "About it." in page
    assert '<meta name="author" content="Me">' in page
    ask(probsense, "winogrande", "--store", "b.db", "--seed", 1)
    again = probsense("site", "probsense.db", "b.db", "--title", "Mine & <others>", "--author", "Me")
    assert "1 model, 3 runs" in again.err
    assert probsense("site", "probsense.db", "--quiet").err == ""


def test_the_runs_of_one_task(probsense, tmp_path: Path) -> None:
    ask(probsense, "winogrande")
    ask(probsense, "suite")
    assert probsense("site", "--task", "suite", "--out", "s").code == 0
    assert [path.name for path in (tmp_path / "s" / "tasks").iterdir()] == ["suite.html"]
    assert probsense("site", "--task", "frames", "--out", "f").code == 2


def test_it_opens_the_site(probsense, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    ask(probsense, "suite")
    assert probsense("site", "--open").code == 0
    assert opened == [(tmp_path / "site" / "index.html").as_uri()]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.db",), "nothing.db: no such store"),
        (("probsense.db", "--out", "."), "a folder with other files (expected an empty folder, or a site)"),
        (("probsense.db", "--out", "probsense.db"), "a file (expected a folder for the site)"),
        (("probsense.db", "--models", "none.yaml"), "none.yaml"),
    ],
)
def test_what_it_refuses_is_one_line(probsense, words: tuple[str, ...], said: str) -> None:
    ask(probsense, "suite")
    done = probsense("site", *words)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
