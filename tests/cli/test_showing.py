"""``probsense report``, ``compare``, ``items`` and ``plan`` as a user calls them; and names of runs."""

import csv
import io
import json

import pytest

import probsense as ps
from support.command import assert_refused


@pytest.mark.usefixtures("stores")
def test_unlike_items(probsense, ids):
    other = ps.evaluate("winogrande", "random:3", limit=30, quiet=True).id
    refused = probsense("compare", ids[0], other)
    assert_refused(refused, "20 of random:1, 30 of random:3; 20 are common to all")
    told = probsense("compare", ids[0], other, "--intersection", "--changed", 0)
    assert told.code == 0
    assert "20 items are common to all and compared; left out are 10 of random:3" in told.err
    assert "Items" not in told.out


@pytest.mark.usefixtures("stores")
def test_a_difference_of_every_two(probsense, ids):
    done = probsense("plan", "probsense.db", "--difference", ".1", "--power", ".9", "--json")
    document = json.loads(done.out)
    assert [(one["model"], one["versus"]) for one in document["plans"]] == [
        ("random:1", "random:2"),
        ("random:1", "random:3"),
        ("random:2", "random:3"),
    ]
    [first, *_] = document["plans"]
    reached = {one["clusters"]: one["power"] for one in first["sizes"]}
    assert reached[first["needed_clusters"]] >= 0.9
    assert first["needed_items"] == 2 * first["needed_clusters"]
    assert document["sentence"].startswith("To find a difference of 10 points in 90 % of studies of random:")
    assert document == ps.plan("probsense.db", difference=0.1, power=0.9).to_json()


@pytest.mark.usefixtures("stores")
def test_a_task_alone_has_kept_pilots(probsense):
    document = json.loads(probsense("plan", "winogrande", "--width", ".05", "--json").out)
    assert len(document["plans"]) == 2
    assert "two small models" in document["notes"][-1]
    pair = json.loads(probsense("plan", "worldsense", "--difference", ".05", "--json").out)
    assert pair["plans"][0]["versus"]


@pytest.mark.usefixtures("stores")
def test_runs_of_several_models_and_tasks_are_one_page(probsense, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    given = ("--title", "What <they> know", "--author", "A. Author", "--date", "Spring", "--open")
    done = probsense("report", "probsense.db", "suite.db", "--out", "page.html", *given)
    assert (done.code, done.out) == (0, "")
    assert "the report of 5 runs is in page.html" in done.err
    page = (tmp_path / "page.html").read_text()
    assert "<h1>What &lt;they&gt; know</h1>" in page
    assert "· A. Author · Spring</p>" in page
    assert shown == [(tmp_path / "page.html").resolve().as_uri()]


def test_names_tell_runs_apart_wherever_they_stand(probsense):
    for limit, name in ((6, "short"), (10, "long")):
        words = ("--model", "random:1", "--limit", limit, "--name", name, "--quiet")
        assert probsense("run", "winogrande", *words).code == 0
        assert probsense("run", "worldsense", *words).code == 0
    assert "random:1 [short] | random:1 [long]" in probsense("report", "--format", "md").out
    table = csv.DictReader(io.StringIO(probsense("report", "long", "--format", "csv").out))
    named = {(row["run_name"], row["task"]) for row in table}
    assert named == {("long", "winogrande"), ("long", "worldsense")}
    documents = json.loads(probsense("report", "--json").out)["runs"]
    assert [document["run"]["name"] for document in documents] == ["short", "short", "long", "long"]
