"""Skins: the packaged ones keep every rule, and a bad file gets one clear line."""

from __future__ import annotations

import bz2
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
import yaml

from probsense.core.errors import InputError
from probsense.tasks.worldsense.audit import audit_folder
from probsense.tasks.worldsense.generate.files import write_testset
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.text.reading import solve_text
from probsense.tasks.worldsense.text.skin_files import (
    load_skins,
)
from probsense.tasks.worldsense.text.skins import PACKAGED, OrderSkin
from support.worldsense import MELONS, Record, gold, records_of

GOOD = msgspec.to_builtins(MELONS)


@pytest.mark.parametrize("source", ["test", "many"])
def test_no_training_skin_shares_anything_with_a_test_skin(source):
    test, train = load_skins(source), load_skins("train")
    assert not {s.name for s in test} & {s.name for s in train}
    assert not {n for s in test for n in s.names} & {n for s in train for n in s.names}
    assert not {t for s in test for _, t in s.templates()} & {t for s in train for _, t in s.templates()}


BAD = {
    "missing field": ({"forward": None}, "forward"),
    "unknown kind": ({"kind": "musical"}, "kind"),
    "missing placeholder": ({"forward": "{a} is sweeter"}, "forward must hold {a}, {b}"),
    "placeholder twice": ({"first": "{a} is {a}"}, "first must hold {a}"),
    "foreign placeholder": ({"scene": "{n} jars of {x}"}, "scene must hold {n}"),
    "open brace": ({"last": "{a is the sourest"}, "last is no template"),
    "attribute access": ({"last": "{a.__class__} is sour"}, "last must hold {a}"),
    "punctuation": ({"forward": "{a}, as they say, beats {b}"}, "forward must be a plain clause"),
    "and in a clause": ({"forward": "{a} is sweeter and better than {b}"}, "forward must be a plain clause"),
    "no and in between": ({"between": "{m} is between {a} or {b}"}, "between must be a plain clause"),
    "same template": ({"converse": GOOD["forward"]}, "converse and forward are the same"),
    "repeated name": ({"names": ["fig", "plum", "rose", "fig"]}, "'fig' stands twice"),
    "name in a name": ({"names": ["fig", "figaro", "rose", "kiwi"]}, "'fig' is part of the name"),
    "name in a template": ({"names": ["melon", "plum", "rose", "kiwi"]}, "'melon' occurs in scene"),
    "comma in a name": ({"names": ["a, b", "plum", "rose", "kiwi"]}, "'a, b' is empty or holds punctuation"),
    "too few names": ({"names": ["plum", "rose"]}, "names"),
    "bad identifier": ({"name": "Jars of Jam"}, "name"),
}


@pytest.mark.parametrize("change", BAD)
def test_a_bad_skin_names_file_skin_and_fault(change, tmp_path):
    changes, message = BAD[change]
    skin = {key: value for key, value in (GOOD | changes).items() if value is not None}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump([GOOD | {"name": "good.one"}, skin]))
    with pytest.raises(InputError) as caught:
        load_skins(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: skin 2")
    assert message in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such skin file .*test, train, many, parallel or a YAML file"),
        (yaml.safe_dump([GOOD, GOOD]).encode(), "two skins are called 'melons.weight'"),
        (b"", "no list of skins"),
        (b"- [1, 2", "not valid YAML"),
        (b"- 7", "skin 1"),
        (b"!!python/object/apply:os.system ['true']", "not valid YAML"),
    ],
)
def test_a_file_that_is_no_list_of_skins(content, message, tmp_path):
    path = tmp_path / "mine.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_skins(path)


MANY = tuple(skin for skin in load_skins("many") if isinstance(skin, OrderSkin))


def test_there_are_many_that_differ():
    """Each kind of things is told in each of its orders; what its other scalar orders say is foreign."""
    assert len(MANY) == len(load_skins("many")) >= 60
    assert len({skin.scene for skin in MANY}) == len(MANY)
    assert min(len(skin.names) for skin in MANY) >= 14
    assert min(len(skin.names) for name in PACKAGED for skin in load_skins(name)) >= 9
    assert {skin.kind for skin in load_skins("test")} == {"scalar", "spatial", "temporal", "parallel"}
    things = defaultdict(list)
    for skin in MANY:
        assert "<" not in "".join(text for _, text in skin.templates())
        things[skin.names].append(skin)
    for orders in things.values():
        for skin in orders:
            others = [
                (one.forward, one.converse) for one in orders if one is not skin and one.kind == "scalar"
            ]
            assert skin.foreign == (*others[:2],)


@pytest.mark.parametrize(
    "skins", [MANY[::8], pytest.param(MANY, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_labels_are_right_by_the_auditor_and_the_solver(tmp_path, skins):
    write_testset(tmp_path, Design(seed=6, sizes=(4,), skins=skins))
    found = audit_folder(tmp_path)
    assert found.trials == found.parsed == 52 * len(skins)
    assert (found.wrong, found.unparsed) == ((), ())
    large = Design(seed=6, sizes=(8,), problems=("Compl.trivial",), skins=skins[::5])
    for record in records_of(large):
        assert solve_text(record["text"]) == gold(record)


@pytest.mark.slow
@pytest.mark.reference
def test_no_name_and_no_sentence_is_a_published_one(reference_data):
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
