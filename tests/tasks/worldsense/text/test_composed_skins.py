"""Composed skins: many that really differ, all of them right by the checks that any skin has to pass."""

from __future__ import annotations

import bz2
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.text.reading import solve_text
from probsense.tasks.worldsense.text.skin_files import check_meaning, compose, load_skins, parse_skins
from probsense.tasks.worldsense.text.skins import OrderSkin
from support.worldsense import Record, gold, records_of

MANY = tuple(skin for skin in load_skins("many") if isinstance(skin, OrderSkin))


def order(*words: str) -> dict[str, str]:
    return {"frame": "plain", **dict(zip(("more", "less", "most", "least"), words, strict=True))}


PLAIN = {
    "kind": "scalar",
    "scene": "{n} <things> <where>",
    "list": "From the <most> to the <least>, the <things> are",
    "forward": "{a} is <more> than {b}",
    "converse": "{a} is <less> than {b}",
    "between": "{m} ranks between {a} and {b}",
    "outside": "{m} ranks outside the range between {a} and {b}",
    "first": "{a} is the <most>",
    "last": "{a} is the <least>",
}
BAGS = ["bag A", "bag B", "bag C", "bag D"]
DOCUMENT: dict[str, Any] = {
    "frames": {"plain": PLAIN},
    "orders": {
        "weight": order("heavier", "lighter", "heaviest", "lightest"),
        "size": order("larger", "smaller", "largest", "smallest"),
    },
    "things": {"paper bags": {"where": "stand in a row", "orders": ["weight", "size"], "names": BAGS}},
}


def test_things_are_told_in_each_of_their_orders(tmp_path: Path) -> None:
    weight, size = parse_skins([*compose(DOCUMENT)], tmp_path)
    assert isinstance(weight, OrderSkin)
    assert isinstance(size, OrderSkin)
    assert (weight.name, size.name) == ("paper_bags.weight", "paper_bags.size")
    assert weight.scene == "{n} paper bags stand in a row"
    assert weight.list == "From the heaviest to the lightest, the paper bags are"
    assert weight.foreign == ((size.forward, size.converse),)
    assert size.foreign == (("{a} is heavier than {b}", "{a} is lighter than {b}"),)
    assert weight.names == size.names == tuple(BAGS)


def test_there_are_many_that_differ() -> None:
    assert len(MANY) == len(load_skins("many")) >= 60
    assert {skin.kind for skin in MANY} == {"scalar", "spatial", "temporal"}
    assert len({(skin.forward, skin.converse) for skin in MANY}) >= 50
    assert len({skin.names for skin in MANY}) >= 25
    assert len({skin.scene for skin in MANY}) == len(MANY)
    assert min(len(skin.names) for skin in MANY) >= 14


def test_every_sentence_is_known_and_means_what_it_should() -> None:
    for skin in MANY:
        assert check_meaning(skin) == ((), ())


@pytest.mark.parametrize(
    "skins", [MANY[::4], pytest.param(MANY, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_labels_are_right_by_the_auditor_and_the_solver(tmp_path: Path, skins: tuple[OrderSkin, ...]) -> None:
    write_testset(tmp_path, Design(seed=6, sizes=(4,), skins=skins))
    found = audit_folder(tmp_path)
    assert found.trials == found.parsed == 52 * len(skins)
    assert (found.wrong, found.unparsed) == ((), ())
    large = Design(seed=6, sizes=(8,), problems=("Compl.trivial",), skins=skins[::5])
    for record in records_of(large):
        assert solve_text(record["text"]) == gold(record)


@pytest.mark.slow
@pytest.mark.reference
def test_no_name_and_no_sentence_is_a_published_one(reference_data: Path) -> None:
    names = {name.lower().removeprefix("the ") for skin in MANY for name in skin.names}
    scenes = {skin.scene.partition("} ")[2] for skin in MANY}
    for record in _published(reference_data / "worldsense"):
        assert names.isdisjoint(one.strip().lower().removeprefix("the ") for one in record["objects"])
        assert not any(scene in record["text"] for scene in scenes)


def _published(folder: Path) -> Iterator[Record]:
    """Yield the trials of the published sets that begin another tuple."""
    for name in ("memorisation", "ood-query"):
        with bz2.open(folder / name / "trials.jsonl.bz2", "rt") as lines:
            for before, record in pairwise(map(json.loads, lines)):
                if before["tuple_ID"] != record["tuple_ID"]:
                    yield record
