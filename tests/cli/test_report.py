"""``probsense report``, from stores to one page; ``--format`` of the verbs that print figures; names of runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from support.command import Probsense, assert_refused


@pytest.mark.usefixtures("stores")
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
    assert "<h1>What &lt;they&gt; know</h1>" in page
    assert "· A. Author · Spring</p>" in page
    assert shown == [(tmp_path / "page.html").resolve().as_uri()]


@pytest.mark.usefixtures("stores")
def test_bad_use_is_one_line(probsense: Probsense, tmp_path: Path) -> None:
    assert_refused(probsense("report", "--store", "suite.db", "--task", "frames"), "frames")
    assert not (tmp_path / "report.html").exists()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.usefixtures("undrawn")
def test_names_tell_runs_apart_wherever_they_stand(probsense: Probsense, tmp_path: Path) -> None:
    for limit, name in ((6, "short"), (10, "long")):
        words = ("--model", "random:1", "--limit", limit, "--name", name, "--quiet")
        assert probsense("run", "winogrande", *words).code == 0
        assert probsense("run", "worldsense", *words).code == 0
    assert "random:1 [short] | random:1 [long]" in probsense("report", "--format", "md").out
    assert "random:1 [short] & random:1 [long]" in probsense("report", "--format", "latex").out
    assert probsense("report", "short", "long").code == 0
    assert "random:1 [long]" in (tmp_path / "report.html").read_text()
    table = rows(probsense("report", "long", "--format", "csv").out)
    assert {(row["run_name"], row["task"]) for row in table} == {
        ("long", "winogrande"),
        ("long", "worldsense"),
    }
    documents = json.loads(probsense("report", "--json").out)["runs"]
    assert [document["run"]["name"] for document in documents] == ["short", "short", "long", "long"]
