"""Which charts there are of some figures, and charts from what was written to files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from probsense.report import sources
from probsense.report.analyses import write_figures
from probsense.report.charts import render
from probsense.report.figures import TABLES, chart_of, measure_figures, task_figures
from probsense.report.sources import find_figure, write_figure
from probsense.tasks.analysis import Analysis

from probsense.errors import InputError, ProbSenseError
from probsense.run.evaluate import evaluate
from probsense.stats.estimate import Estimate

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

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
    pq = {"p": [0.5, 1.0], "q": [1.0, 0.5], "q_bound": [1.0, 0.5], "low": [1.0, 0.4], "high": [1.0, 0.6]}
    tables = {
        "pq": pl.DataFrame({"population": ["people"] * 2, "raters": [2] * 2, **pq}),
        "agreement": pl.DataFrame({"a": ["x"], "b": ["y"], "share": [0.5]}),
    }
    return Analysis("judgments", {}, by_size, [], [], tables)


def test_there_is_a_chart_for_every_table_that_has_one_and_by_size(analysis: Analysis) -> None:
    figures = task_figures(analysis.tables, analysis.estimates)
    assert [figure.name for figure in figures] == ["pq", "accuracy_by_size", "bias_by_size"]
    assert [figure.name for figure in measure_figures(analysis.estimates)] == ["accuracy", "bias"]
    gaps = [estimate("calibration_gap", model="m", confidence="50–60 %", view="sum")]
    assert [figure.name for figure in task_figures({}, gaps)] == ["calibration"]
    assert task_figures({}, []) == measure_figures([]) == []


def test_unbounded_measures_have_no_chart() -> None:
    assert measure_figures([estimate("log_score", model="m"), estimate("unheard_of", model="m")]) == []


def test_every_name_says_which_columns_its_table_has(analysis: Analysis) -> None:
    for figure in [*measure_figures(analysis.estimates), *task_figures(analysis.tables, analysis.estimates)]:
        chart = chart_of(figure.name)
        assert chart is not None
        assert {*chart.texts, *chart.numbers} <= {*figure.table.columns}
    assert all(chart_of(name) is TABLES[name] for name in TABLES)
    assert chart_of("nothing") is chart_of("nothing_by_size") is None


def test_what_is_written_beside_a_chart_draws_it_again(analysis: Analysis, tmp_path: Path) -> None:
    written = {path.name for path in write_figures(tmp_path, analysis)}
    names = ("pq", "accuracy", "bias", "accuracy_by_size", "bias_by_size")
    assert written == {"agreement.csv", *(f"{name}.{kind}" for name in names for kind in ("csv", "svg"))}
    for name in names:
        (tmp_path / "out").mkdir(exist_ok=True)
        write_figure(name, [str(tmp_path)], tmp_path / "out" / "a.svg", store=STORE)
        assert (tmp_path / "out" / "a.svg").read_bytes() == (tmp_path / f"{name}.svg").read_bytes()
        write_figure(name, [str(tmp_path / f"{name}.csv")], tmp_path / "a.pdf", store=STORE)
        assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_without_the_packages_there_are_tables_and_a_word_how_to_get_charts(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    assert {path.suffix for path in write_figures(tmp_path, analysis)} == {".csv"}
    with pytest.raises(ProbSenseError, match=r"pip install 'probsense\[report\]'"):
        write_figure("pq", [str(tmp_path)], tmp_path / "a.svg", store=STORE)
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("population,raters\na,1\n", "has no column p "),
        ("population,raters,p,q,q_bound,low,high\n", "holds no rows"),
        ("population,raters,p,q,q_bound,low,high\na,3,1,1,1,1,1\na,3,x,1,1,1,1\n", r"line 3: p is 'x'"),
        ("population,raters,p,q,q_bound,low,high\na,3,,1,1,1,1\n", "line 2: p is empty"),
        (
            "population,raters,p,q,q_bound,low,high\n,3,1,1,1,1,1\n",
            r"line 2: population is empty .expected a text",
        ),
        (b"population,raters,p,q,q_bound,low,high\n\xff\xfe,3,1,1,1,1,1\n", "line 2: not UTF-8"),
    ],
)
def test_a_bad_table_is_one_clear_error(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "pq.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        find_figure("pq", [str(path)], STORE)


def test_wrong_names_and_sources(analysis: Analysis, tmp_path: Path) -> None:
    write_figures(tmp_path, analysis)
    with pytest.raises(InputError, match="no chart is called 'nothing'"):
        find_figure("nothing", [str(tmp_path / "pq.csv")], STORE)
    with pytest.raises(InputError, match="no such file"):
        find_figure("pq", [str(tmp_path / "none.csv")], STORE)
    with pytest.raises(InputError, match="no trials"):
        find_figure("individuals", [str(tmp_path)], STORE)
    with pytest.raises(InputError, match="no such store"):
        find_figure("accuracy", ["0123"], tmp_path / "none.db")
    with pytest.raises(InputError, match="cannot stand beside"):
        find_figure("accuracy", [str(tmp_path), str(tmp_path)], STORE)
    with pytest.raises(InputError, match="ends in no known format"):
        write_figure("pq", [str(tmp_path)], tmp_path / "a.gif", store=STORE)


def test_runs_are_in_one_chart(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    runs = [evaluate("winogrande", f"random:{i}", store=store, quiet=True) for i in range(2)]
    for given in ([str(store)], [run.id[:12] for run in runs]):
        figure = find_figure("accuracy", given, store)
        assert figure.table["model"].n_unique() == 2
        assert figure.table["by"][0] == "view"
    gap = find_figure("calibration", [str(store)], store)
    assert gap.table.drop_nulls("part").height > 1
    with pytest.raises(InputError, match="did you mean 'accuracy'"):
        find_figure("acuracy", [str(store)], store)


def test_charts_of_two_tasks_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = evaluate("winogrande", "random:", store=tmp_path / "s.db", quiet=True)
    figures = measure_figures(run.summary())
    monkeypatch.setattr(sources, "_runs", lambda source, store: [run, _Other()])
    monkeypatch.setattr(sources, "_of_runs", lambda runs: figures)
    with pytest.raises(InputError, match="accuracy of winogrande and of other"):
        find_figure("accuracy", ["x"], STORE)


class _Other:
    class record:  # noqa: N801
        task = "other"


def test_unknown_intervals_survive_the_table(tmp_path: Path) -> None:
    unknown = Estimate("accuracy", {"model": "m"}, 0.5, math.nan, math.nan, math.nan, 0.95, 9, 1, "published")
    (figure,) = measure_figures([unknown])
    figure.table.write_csv(tmp_path / "accuracy.csv")
    again = find_figure("accuracy", [str(tmp_path)], STORE)
    assert again.spec() == figure.spec()
