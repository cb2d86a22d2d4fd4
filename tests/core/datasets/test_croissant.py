"""What a description in Croissant says of files and tables; tests/engines/exports has mlcroissant read it."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from probsense.core.datasets.croissant import (
    Column,
    DescribedFile,
    column_of,
    croissant,
    write_croissant,
)
from probsense.core.files import CROISSANT

FILES = [
    DescribedFile(
        "people.csv",
        "0" * 64,
        {"person": Column("sc:Integer", meaning="Number."), "said": Column("sc:Text", True)},
    ),
    DescribedFile("trials.jsonl.bz2", "1" * 64, {"text": Column("sc:Text")}),
    DescribedFile("skins.yaml", "2" * 64),
]


@pytest.fixture
def document() -> Any:
    return croissant("A study", "What it is.", FILES)


def test_every_file_has_its_hash_and_its_format(document: Any) -> None:
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert (document["@type"], document["name"], document["description"]) == (
        "sc:Dataset",
        "A study",
        "What it is.",
    )
    known = {
        one["@id"]: (one["contentUrl"], one["sha256"], one["encodingFormat"])
        for one in document["distribution"]
    }
    assert known == {
        "people.csv": ("people.csv", "0" * 64, "text/csv"),
        "trials.jsonl.bz2": ("trials.jsonl.bz2", "1" * 64, ["application/jsonlines", "application/x-bzip2"]),
        "skins.yaml": ("skins.yaml", "2" * 64, "application/yaml"),
    }


def test_every_table_is_a_record_set_of_its_columns(document: Any) -> None:
    people, trials = document["recordSet"]
    assert (people["@id"], trials["@id"]) == ("people", "trials")
    person, said = people["field"]
    assert person == {
        "@type": "cr:Field",
        "@id": "people/person",
        "name": "person",
        "description": "Number.",
        "dataType": "sc:Integer",
        "source": {"fileObject": {"@id": "people.csv"}, "extract": {"column": "person"}},
    }
    assert said["repeated"]
    assert "description" not in said


def test_ids_are_unique_and_every_source_is_a_file(document: Any) -> None:
    nodes = [*document["distribution"], *document["recordSet"]]
    nodes += [field for table in document["recordSet"] for field in table["field"]]
    ids = [one["@id"] for one in nodes]
    assert len(ids) == len({*ids})
    sources = {one["source"]["fileObject"]["@id"] for one in nodes if "source" in one}
    assert sources <= {one["@id"] for one in document["distribution"]}
    used = {key for one in nodes for key in one if not key.startswith("@")}
    own = used - {"name", "description", "contentUrl", "encodingFormat", "sha256"}  # words of schema.org
    assert own <= {*document["@context"]}


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ([1, None, 2], Column("sc:Integer")),
        ([1, 2.5], Column("sc:Float")),
        ([True, False], Column("sc:Boolean")),
        ([True, 1], Column("sc:Text")),
        (["1", 1], Column("sc:Text")),
        (["", None], Column("sc:Text")),
        ([], Column("sc:Text")),
        ([["a"], ["b", "c"]], Column("sc:Text", True)),
        ([[1], []], Column("sc:Integer", True)),
        ([[1], 2], Column("sc:Text")),
    ],
)
def test_values_tell_the_kind_of_a_column(values: list[Any], column: Column) -> None:
    assert column_of(values) == column


def test_a_description_lies_beside_its_files_and_depends_on_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    path = write_croissant(tmp_path, "n", "d", {"a.csv": {"x": Column("sc:Integer")}})
    first = path.read_bytes()
    assert path == tmp_path / CROISSANT
    (file,) = json.loads(first)["distribution"]
    assert file["sha256"] == sha256(b"x\n1\n").hexdigest()
    write_croissant(tmp_path, "n", "d", {"a.csv": {"x": Column("sc:Integer")}})
    assert path.read_bytes() == first
