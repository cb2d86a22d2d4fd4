"""Charts for a paper: from what was written to files, and from runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError, ProbSenseError
from probsense.results import charts
from probsense.results.charts import find_chart, write_chart
from probsense.results.page.report import write_charts
from probsense.results.part import Part
from probsense.runs.evaluate import evaluate
from probsense.runs.store import find as stored
from probsense.show import render
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results
from probsense.tasks.worldsense.charts.words import WORDS

STORE = Path("none.db")


def estimate(measure: str, value: float = 0.5, **by: Any) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "published", 0.5)


@pytest.fixture
def analysis() -> Analysis:
    by_size = [
        estimate(measure, model="1", **part)
        for measure in ("accuracy", "bias")
        for part in ({}, {"problem": "p"}, {"problem": "p", "size": 3})
    ]
    other = pl.DataFrame({"a": ["x"], "b": ["y"], "share": [0.5]})
    return Analysis("worldsense", "t", {}, Results(by_size, tables={"agreement": other}), WORDS)


def test_charts_are_written_with_their_tables(analysis: Analysis, tmp_path: Path) -> None:
    written = {path.name for path in write_charts(tmp_path, analysis)}
    names = ("accuracy", "bias", "accuracy_by_size", "bias_by_size")
    assert written == {"agreement.csv", *(f"{name}.{kind}" for name in names for kind in ("csv", "svg"))}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_without_the_packages_there_are_tables_and_a_word_how_to_get_charts(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    assert {path.suffix for path in write_charts(tmp_path, analysis)} == {".csv"}
    with pytest.raises(ProbSenseError, match=r"pip install .*\[report\]"):
        write_chart("bias", [str(tmp_path)], tmp_path / "a.svg", store=STORE)
    assert not (tmp_path / "a.svg").exists()


def test_wrong_names_and_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no store "):
        find_chart("accuracy", ["0123"], tmp_path / "none.db")
    with pytest.raises(InputError, match="ends in no known format"):
        write_chart("bias", [str(tmp_path)], tmp_path / "a.gif", store=STORE)


def test_runs_are_in_one_chart(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    runs = [evaluate("winogrande", f"random:{i}", limit=12, store=store, quiet=True) for i in range(2)]
    for given in ([str(store)], [run.id[:12] for run in runs]):
        chart = find_chart("accuracy", given, store)
        assert chart.table["model"].n_unique() == 2
        assert chart.table["by"][0] == "view"
        assert find_chart("winogrande.accuracy", given, store).table.equals(chart.table)
    with pytest.raises(InputError, match="no runs of suite"):
        find_chart("suite.accuracy", [str(store)], store)
    gap = find_chart("calibration", [str(store)], store)
    assert gap.table.drop_nulls("part").height > 1
    with pytest.raises(InputError, match="did you mean 'accuracy'"):
        find_chart("acuracy", [str(store)], store)


def test_charts_of_two_tasks_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [Part(name, WORDS, Results([estimate("accuracy", model="m")])) for name in ("quiz", "other")]
    parts.append(Part("third", WORDS, Results([estimate("bias", model="m")])))
    monkeypatch.setattr(stored, "find_runs", lambda *_: ([], []))
    monkeypatch.setattr(charts, "parts_of_runs", lambda runs: parts)
    with pytest.raises(
        InputError, match=r"accuracy of quiz and of other .expected quiz\.accuracy or other\.accuracy"
    ):
        find_chart("accuracy", ["x"], STORE)
    assert find_chart("bias", ["x"], STORE).name == "bias"
