"""``probsense compare``, ``items`` and ``plan``: as a user calls them, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import probsense as ps
from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


def test_unlike_items(probsense: Probsense, ids: list[str]) -> None:
    other = ps.evaluate("winogrande", "random:3", limit=30, quiet=True).id
    refused = probsense("compare", ids[0], other)
    assert_refused(refused, "20 of random:1, 30 of random:3; 20 are common to all")
    told = probsense("compare", ids[0], other, "--intersection", "--changed", 0)
    assert told.code == 0
    assert "20 items are common to all and compared; left out are 10 of random:3" in told.err
    assert "Items" not in told.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("{0} {0}", "is given twice"),
        ("{0} junk.bin", "junk.bin: a file of no known results"),
        ("{0} {1} --measur x", "did you mean '--measure'?"),
        ("{0} {1} --measure acuracy", "did you mean 'accuracy'"),
    ],
)
def test_faults_are_one_line(
    probsense: Probsense, ids: list[str], tmp_path: Path, words: str, said: str
) -> None:
    (tmp_path / "junk.bin").write_bytes(b"\xff\xfe\x00\x01\x80")
    assert_refused(probsense("compare", *words.format(*ids).split()), said)


def test_listed_items_are_asked_alone(probsense: Probsense, ids: list[str], tmp_path: Path) -> None:
    document = json.loads(probsense("items", "probsense.db", "--json").out)
    listed = [one["item"] for one in document["items"]][:4]
    (tmp_path / "listed.txt").write_text("\n".join(listed))
    ran = probsense("run", "winogrande", "--model", "random:1", "--items", "listed.txt", "--json")
    assert "nothing to ask" in ran.err
    document = json.loads(ran.out)
    assert document["run"]["options"]["items"] == "listed.txt"
    assert (document["run"]["items"], [*document["run"]["files"]]) == (4, ["listed.txt"])
    assert "random:1: 4 of 60 items, as listed in listed.txt" in document["notes"]
    (tmp_path / "again.json").write_text(ran.out)
    assert probsense("reproduce", "again.json", "--json").code == 0
    refused = ("run", "winogrande", "--model", "random:1", "--items", "listed.txt")
    assert_refused(probsense(*refused, "--limit", 3), "a limit beside a list of items")
    (tmp_path / "listed.txt").write_text("nobody\n")
    assert_refused(probsense(*refused), "listed.txt", "winogrande has no item 'nobody'")


def test_refusals(probsense: Probsense, ids: list[str]) -> None:
    assert_refused(probsense("items", *ids, "--out", "a.txt"), "ends in no known format")
    assert_refused(probsense("items", *ids, "--measure", "brier"), "says of each item")


def test_a_difference_of_every_two(probsense: Probsense, ids: list[str]) -> None:
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


def test_a_task_alone_has_kept_pilots(probsense: Probsense) -> None:
    document = json.loads(probsense("plan", "winogrande", "--width", ".05", "--json").out)
    assert len(document["plans"]) == 2
    assert "two small models" in document["notes"][-1]
    pair = json.loads(probsense("plan", "worldsense", "--difference", ".05", "--json").out)
    assert pair["plans"][0]["versus"]
    assert_refused(
        probsense("plan", "winogrande", "--width", ".05", "--measure", "brier"), "no pilot is kept"
    )


FAULTS = {
    "no goal": ((), "neither a width nor a difference (expected either --width or --difference)"),
    "two goals": (("--width", ".1", "--difference", ".1"), "a width and a difference"),
    "nothing": (("--width", "0"), "--width 0 (expected a number above 0"),
    "everything": (("--width", "1"), "below 1, the range of the measure"),
    "sure": (("--difference", ".1", "--power", "1"), "--power 1 (expected a probability"),
    "measure": (("--width", ".1", "--measure", "acuracy"), "did you mean 'accuracy'?"),
    "people": (("--width", ".1", "--raters", "9"), "has no answers of people"),
    "one person": (("--width", ".1", "--raters", "1"), "--raters 1 (expected 2 or more)"),
    "file": (("--width", ".1", "--people", "nowhere.csv"), "no such file"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_plans_that_cannot_be(probsense: Probsense, ids: list[str], fault: str) -> None:
    words, said = FAULTS[fault]
    assert_refused(probsense("plan", *ids[:2], *words), said)


def test_what_is_no_pilot(probsense: Probsense, ids: list[str]) -> None:
    assert_refused(probsense("plan", "--width", ".1"), "nothing to plan from")
    assert_refused(probsense("plan", ids[0], "--difference", ".1"), "the results of one model", "--width")
    assert_refused(probsense("plan", "nowhere", "--width", ".1"), "no such file")
