"""``probsense items``: as a user calls it, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import probsense as ps
from support.command import Probsense, assert_refused

pytestmark = pytest.mark.usefixtures("stores")


def test_three_models_and_then_four(probsense: Probsense, ids: list[str], tmp_path: Path) -> None:
    done = probsense("items", "probsense.db")
    assert done.code == 0, done.err
    assert "lowest correlation with the other" in done.out
    assert "3 of the 4 models that a two-parameter logistic needs" in done.err
    probsense("run", "winogrande", "--model", "random:4", "--limit", 20, "--quiet")
    document = json.loads(probsense("items", "probsense.db", "--json").out)
    assert document["schema"] == 1
    assert len(document["items"]) == 20
    assert {"discrimination", "discrimination_low", "information", "text"} <= set(document["items"][0])
    out, chosen = tmp_path / "items.parquet", tmp_path / "ids.txt"
    done = probsense("items", "probsense.db", "--limit", 4, "--out", out, "--ids", chosen)
    assert done.code == 0, done.err
    assert "A short form of 4 items" in done.out
    assert pl.read_parquet(out).filter("short_form")["item"].sort().to_list() == sorted(
        chosen.read_text().split()
    )


def test_groups_of_models(probsense: Probsense, ids: list[str]) -> None:
    for seed in (4, 5):
        probsense("run", "winogrande", "--model", f"random:{seed}", "--limit", 20, "--quiet")
    groups = ["--group", "late=random:4", "--group", "late=random:5", "--group", "early=random:[12]"]
    done = probsense("items", "probsense.db", *groups)
    assert done.code == 0, done.err
    assert "Items that differ most, given ability" in done.out
    assert "Between late and early" in done.out.replace("\n", " ")
    document = json.loads(probsense("items", "probsense.db", *groups, "--json").out)
    assert [one["models"] for one in document["groups"]["groups"]] == [
        ["random:4", "random:5"],
        ["random:1", "random:2"],
    ]
    python = ps.items(
        "probsense.db", groups={"late": ["random:4", "random:5"], "early": ["random:1", "random:2"]}
    )
    assert python.to_json() == document
    assert_refused(probsense("items", "probsense.db", "--group", "late"), "--group late", "NAME=MODEL")


def test_a_short_form_is_asked_alone(probsense: Probsense, ids: list[str], tmp_path: Path) -> None:
    probsense("run", "winogrande", "--model", "random:4", "--limit", 20, "--quiet")
    probsense("items", "probsense.db", "--limit", 4, "--ids", "short.txt")
    ran = probsense("run", "winogrande", "--model", "random:1", "--items", "short.txt", "--json")
    assert "nothing to ask" in ran.err
    document = json.loads(ran.out)
    assert document["run"]["options"]["items"] == "short.txt"
    assert (document["run"]["items"], [*document["run"]["files"]]) == (4, ["short.txt"])
    assert "random:1: 4 of 60 items, as listed in short.txt" in document["notes"]
    (tmp_path / "again.json").write_text(ran.out)
    assert probsense("reproduce", "again.json", "--json").code == 0
    refused = ("run", "winogrande", "--model", "random:1", "--items", "short.txt")
    assert_refused(probsense(*refused, "--limit", 3), "a limit beside a list of items")
    (tmp_path / "short.txt").write_text("nobody\n")
    assert_refused(probsense(*refused), "short.txt", "winogrande has no item 'nobody'")


def test_python_gives_the_same(probsense: Probsense, ids: list[str]) -> None:
    found = ps.items("probsense.db")
    assert found.to_json() == json.loads(probsense("items", *ids, "--json").out)
    assert "3 models" in repr(found)


def test_refusals(probsense: Probsense, ids: list[str]) -> None:
    assert_refused(probsense("items", *ids, "--out", "a.txt"), "ends in no known format")
    assert_refused(probsense("items", *ids, "--measure", "brier"), "says of each item")
