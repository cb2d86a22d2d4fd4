"""``probsense plan``: as a user calls it, and what goes wrong."""

from __future__ import annotations

import json

import pytest

import probsense as ps
from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


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
def test_refusals(probsense: Probsense, ids: list[str], fault: str) -> None:
    words, said = FAULTS[fault]
    assert_refused(probsense("plan", *ids[:2], *words), said)


def test_what_is_no_pilot(probsense: Probsense, ids: list[str]) -> None:
    assert_refused(probsense("plan", "--width", ".1"), "nothing to plan from")
    assert_refused(probsense("plan", ids[0], "--difference", ".1"), "the results of one model", "--width")
    assert_refused(probsense("plan", "nowhere", "--width", ".1"), "no such file")
