"""Runs exported as folders of Parquet files: what they hold, and that they compare as the runs do."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.files.partitions import KEYS, partition_folder, partitions, writing_folder
from probsense.interop import exported
from probsense.interop.exported import ExportReader, export_folder

SEEDS = ("random:1", "random:2")
ASKED = {
    "winogrande": {"limit": 40},
    "worldsense": {"limit": 60, "sizes": (3,), "problems": ("Infer.trivial", "Consist.normal")},
    "judgments": {"limit": 30},
}


@pytest.fixture
def runs(request: pytest.FixtureRequest) -> list[ps.Run]:
    task = request.param
    return [ps.evaluate(task, model, store=None, quiet=True, **ASKED[task]) for model in SEEDS]


@pytest.mark.parametrize("runs", ASKED, indirect=True)
def test_exports_hold_the_tables_and_compare_as_runs(
    runs: list[ps.Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exported, "ROWS", 7)
    export_folder(tmp_path / "out", runs)
    frame = pl.read_parquet(tmp_path / "out", hive_schema=dict.fromkeys(KEYS, pl.String))
    for run in runs:
        table = run.table()
        mine = frame.filter(run=run.id)
        assert mine.select(table.columns).equals(table)
        assert set(mine["model"]) == {run.model}
    assert len(partitions(tmp_path / "out")[0].files) > 3
    expected, found = ps.compare(*runs).to_json(), ps.compare(tmp_path / "out").to_json()
    for document in (expected, found):
        for model in document["models"]:
            model.pop("source")
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.parametrize("runs", ["winogrande"], indirect=True)
def test_a_second_export_replaces_the_first_and_leaves_others(runs: list[ps.Run], tmp_path: Path) -> None:
    export_folder(tmp_path, runs)
    own = partition_folder(tmp_path, "winogrande", "random:1", runs[0].id)
    assert own.parts[-3:] == ("task=winogrande", "model=random%3A1", f"run={runs[0].id}")
    (own / "old.parquet").write_bytes(b"")
    export_folder(tmp_path, runs[:1])
    assert sorted(path.name for path in own.iterdir()) == ["part-00000.parquet"]
    assert {one.model for one in partitions(tmp_path)} == set(SEEDS)
    assert not [*tmp_path.rglob(".*")]
    assert partitions(own)[0].model == "random:1"


def _half(folder: Path) -> None:
    (folder / "half").touch()
    raise InputError("none")


def test_a_folder_that_fails_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "old").touch()
    for name in ("there", "new"):
        with pytest.raises(InputError, match="none"), writing_folder(tmp_path / name) as made:
            _half(made)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["old", "there"]


@pytest.mark.parametrize("runs", ["winogrande"], indirect=True)
def test_other_texts_are_refused(runs: list[ps.Run], tmp_path: Path) -> None:
    export_folder(tmp_path, runs)
    file = partitions(tmp_path)[1].files[0]
    frame = pl.read_parquet(file, hive_partitioning=False)
    first = frame["id"][0]
    text = pl.when(pl.col("id") == first).then(pl.lit("Else.")).otherwise("item.text").alias("item.text")
    frame.with_columns(text).write_parquet(file)
    with pytest.raises(InputError, match=f"item {first!r} has the text .* and 'Else.' for random:2"):
        ps.compare(tmp_path)


@pytest.mark.parametrize("runs", ["winogrande"], indirect=True)
def test_errors_name_the_file(runs: list[ps.Run], tmp_path: Path) -> None:
    export_folder(tmp_path, runs[:1])
    assert not ExportReader().recognises(tmp_path / "none")
    file = partitions(tmp_path)[0].files[0]
    frame = pl.read_parquet(file, hive_partitioning=False)
    for broken, said in (
        (frame.drop("item.cluster"), "has no column item.cluster"),
        (frame.select("id"), "has no scores of single items"),
        (frame.with_columns(pl.lit("x").alias("item.weight")), "cannot be read"),
    ):
        broken.write_parquet(file)
        with pytest.raises(InputError, match=said) as caught:
            ps.compare(tmp_path)
        assert str(tmp_path) in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
    file.write_bytes(b"PAR1 junk")
    with pytest.raises(InputError, match="not a Parquet file"):
        ps.compare(tmp_path)
    frame.write_parquet(file)
    frame.with_columns(more=1).write_parquet(file.with_name("part-00001.parquet"))
    with pytest.raises(InputError, match=r"part-00001.parquet.*other columns.*part-00000"):
        ps.compare(tmp_path)
