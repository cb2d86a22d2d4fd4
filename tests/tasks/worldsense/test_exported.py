"""Exported runs, analysed: the figures of the runs, and one line for what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.core.files.partitions import partitions
from probsense.interop import exported
from probsense.interop.exported import export_folder, read_exported
from probsense.tasks.worldsense.recorded import analyse

CELLS: dict[str, Any] = {"problems": ["Infer.normal", "Compl.normal"], "sizes": [5]}


@pytest.fixture(scope="module")
def run() -> ps.Run:
    return ps.evaluate("worldsense", "random:3", **CELLS, store=None, quiet=True)


@pytest.fixture
def folder(run: ps.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exported, "ROWS", 100)
    export_folder(tmp_path / "out", [run])
    return tmp_path / "out"


def figures(estimates: list[Estimate]) -> dict[tuple[str, ...], tuple[float, ...]]:
    return {
        (e.measure, e.method, *sorted(map(str, e.by.items()))): (
            e.value,
            e.stderr,
            e.low,
            e.high,
            e.n,
            e.clusters,
        )
        for e in estimates
    }


def test_the_figures_are_those_of_the_run(run: ps.Run, folder: Path) -> None:
    found = analyse(folder)
    expected, own = figures(run.summary()), figures(found.results.estimates)
    assert own.keys() == expected.keys()
    for key, values in expected.items():
        assert own[key] == pytest.approx(values, rel=1e-12, abs=1e-12, nan_ok=True)
    (row,) = found.results.coverage
    assert row.items() >= {"answered": len(run.items), "asked": len(run.items), "model": "random:3"}.items()
    assert found.results.warnings == run.results.warnings


def test_a_run_that_was_exported_without_forms_has_no_intervals_over_them(run: ps.Run, folder: Path) -> None:
    assert "over forms" in {e.method for e in analyse(folder).results.estimates}
    for path in partitions(folder)[0].files:
        pl.read_parquet(path, hive_partitioning=False).drop("form", "item.form").write_parquet(path)
    found = {e.method for e in analyse(folder).results.estimates}
    assert found == {e.method for e in run.summary()} - {"over forms"}
    assert read_exported(partitions(folder)[0]).items["form"].null_count() == len(run.items)


def test_two_runs_of_one_model_are_told_apart(run: ps.Run, folder: Path) -> None:
    other = ps.evaluate("worldsense", "random:3", **CELLS, limit=60, store=None, quiet=True)
    export_folder(folder, [other])
    models = {row["model"] for row in analyse(folder).results.coverage}
    assert models == {f"random:3 [{one.record.label}]" for one in (run, other)}


def test_errors_are_one_line(folder: Path) -> None:
    file = partitions(folder)[0].files[1]
    frame = pl.read_parquet(file, hive_partitioning=False)
    gold = pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("MAYBE")).otherwise("gold").alias("gold")
    for broken, said in (
        (frame.with_columns(gold), "row 108 is no answer to a trial"),
        (frame.with_columns(pl.lit(None, pl.Int64).alias("size")), "row 101 is no answer to a trial"),
        (frame.drop("size"), "other columns"),
    ):
        broken.write_parquet(file)
        with pytest.raises(InputError, match=said) as caught:
            analyse(folder)
        assert str(folder) in str(caught.value)
    for path in partitions(folder)[0].files:
        frame.drop("tuple_id").write_parquet(path)
    with pytest.raises(InputError, match="has no column tuple_id"):
        analyse(folder)
