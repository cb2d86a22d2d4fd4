"""The benchmark of many results: copies of exported runs are runs that can be compared and analysed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import large_results as program
import probsense as ps
from probsense.core.files.partitions import partitions


def test_copies_are_items_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "ROWS", 100)
    monkeypatch.setitem(program.ASKED, "winogrande", {"limit": 30})
    base = program.base_of(tmp_path, "winogrande")
    folder = program.multiplied(base, tmp_path / "more", 200)
    (run, _) = partitions(folder)
    ids = pl.concat(pl.read_parquet(path, hive_partitioning=False) for path in run.files)["id"]
    assert len(run.files) == 3
    assert ids.n_unique() == ids.len() == 210
    one, many = ps.compare(base).levels[0], ps.compare(folder).levels[0]
    assert many.value == pytest.approx(one.value)
    assert many.clusters == 7 * one.clusters
