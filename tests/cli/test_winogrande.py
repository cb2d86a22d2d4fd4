"""``probsense run winogrande``, alone and with other tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import Probsense

SCHEMA = {"qID": "q-1", "sentence": "_ is cold.", "option1": "Ice", "option2": "Fire", "answer": "1"}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Two schemas of the user's own, which are twins."""
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(SCHEMA) + "\n" + json.dumps(SCHEMA | {"qID": "q-2", "answer": "2"}) + "\n")
    return path


def test_the_packaged_schemas(probsense: Probsense) -> None:
    done = probsense("run", "winogrande", "--model", "random:1", "-q", "--full")
    assert done.code == 0
    assert all(view in done.out for view in ("partial", "full", "mean_prob", "sum"))
    assert "example schemas were asked" in done.err


@pytest.mark.parametrize(
    ("model", "rule"),
    [("random:1", "sum"), ("random:1", "partial"), ("random:1", "full"), ("builtin:tiny", "pmi")],
)
def test_a_file_by_every_rule(probsense: Probsense, mine: Path, model: str, rule: str) -> None:
    words = ("--data", mine, "--rule", rule, "--neutral", "Well,", "-m", model, "-q", "--json")
    document = json.loads(probsense("run", "winogrande", *words).out)
    assert document["estimates"][0]["by"]["view"] == rule
    assert document["estimates"][0]["clusters"] == 1
    assert document["run"]["options"]["data"] == str(mine)


@pytest.mark.usefixtures("undrawn")
def test_three_tasks_in_one_run(probsense: Probsense, tmp_path: Path) -> None:
    words = ("winogrande", "suite", "worldsense", "winogrande", "--model", "random:1", "--limit", "12")
    done = probsense("run", *words, "--full", "--report", tmp_path / "all.html")
    assert done.code == 0, done.err
    headings = [line for line in done.out.splitlines() if line.startswith("# ")]
    assert headings == ["# winogrande", "# suite", "# worldsense"]
    assert [path.name for path in tmp_path.glob("*.html")] == ["all.html"]
    page = (tmp_path / "all.html").read_text()
    assert all(f">{name}</h2>" in page for name in ("Winogrande", "Suite", "WorldSense"))
    quiet = probsense("run", *words, "--json", "-q")
    documents = json.loads(quiet.out)["runs"]
    assert [document["task"] for document in documents] == ["winogrande", "suite", "worldsense"]
    assert all(0 < document["run"]["items"] <= 12 for document in documents)
    assert all(document["run"]["asked"] == 0 for document in documents)


def test_an_option_goes_to_the_tasks_that_take_it(probsense: Probsense, mine: Path) -> None:
    words = ("--winogrande.data", mine, "--sizes", "3", "--temp", "2", "--rule", "byte", "--limit", "6")
    done = probsense("run", "winogrande", "suite", "worldsense", *words, "-m", "random:1", "-q", "--json")
    options = {document["task"]: document["run"]["options"] for document in json.loads(done.out)["runs"]}
    assert options["winogrande"]["data"] == str(mine)
    assert options["suite"]["temp"] == 2
    assert options["worldsense"]["sizes"] == [3]
    assert {own["rule"] for own in options.values()} == {"byte"}
