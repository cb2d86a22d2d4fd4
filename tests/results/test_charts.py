"""Charts for a paper: from what was written to files, and from runs."""

from __future__ import annotations

import math
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
from probsense.show.charts import kind_of, measure_charts, task_charts
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results
from probsense.tasks.worldsense.charts.words import WORDS

STORE = Path("none.db")
SIZES = "measure,by,model,part,value,low,high,chance,size\n"


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


def test_what_is_written_beside_a_chart_draws_it_again(analysis: Analysis, tmp_path: Path) -> None:
    written = {path.name for path in write_charts(tmp_path, analysis)}
    names = ("accuracy", "bias", "accuracy_by_size", "bias_by_size")
    assert written == {"agreement.csv", *(f"{name}.{kind}" for name in names for kind in ("csv", "svg"))}
    assert {path.name for path in tmp_path.iterdir()} == written
    for name in names:
        (tmp_path / "out").mkdir(exist_ok=True)
        write_chart(name, [str(tmp_path)], tmp_path / "out" / "a.svg", store=STORE)
        assert (tmp_path / "out" / "a.svg").read_bytes() == (tmp_path / f"{name}.svg").read_bytes()
    write_chart("bias", [str(tmp_path / "bias.csv")], tmp_path / "a.pdf", store=STORE)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_every_name_says_which_columns_its_table_has(analysis: Analysis) -> None:
    measured = analysis.results
    charts = [
        *measure_charts(measured.estimates, WORDS),
        *task_charts(measured.estimates, measured.tables, WORDS),
    ]
    assert [chart.name for chart in charts] == ["accuracy", "bias", "accuracy_by_size", "bias_by_size"]
    for chart in charts:
        kind = kind_of(chart.name, WORDS)
        assert kind is not None
        assert {*kind.texts, *kind.numbers} <= {*chart.table.columns}


def test_without_the_packages_there_are_tables_and_a_word_how_to_get_charts(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    assert {path.suffix for path in write_charts(tmp_path, analysis)} == {".csv"}
    with pytest.raises(ProbSenseError, match=r"pip install .*\[report\]"):
        write_chart("bias", [str(tmp_path)], tmp_path / "a.svg", store=STORE)
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("measure,by\na,1\n", "has no column model "),
        (SIZES, "holds no rows"),
        (f"{SIZES}a,b,c,d,1,1,1,1,1\na,b,c,d,x,1,1,1,1\n", r"line 3: value is 'x'"),
        (f"{SIZES}a,b,c,d,,1,1,1,1\n", "line 2: value is empty"),
        (f"{SIZES}a,b,c,d,1,x,1,1,1\n", "line 2: low is 'x' .expected a number"),
        (f"{SIZES},b,c,d,1,1,1,1,1\n", r"line 2: measure is empty .expected a text"),
        (SIZES.encode() + b"\xff\0,b,c,d,1,1,1,1,1\n", "line 2: not UTF-8"),
    ],
)
def test_a_bad_table_is_one_clear_error(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "bias_by_size.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        find_chart("bias_by_size", [str(path)], STORE)


def test_overall_estimates_have_no_part_and_intervals_may_be_unknown(tmp_path: Path) -> None:
    path = tmp_path / "bias.csv"
    path.write_text("measure,by,model,part,value,low,high,chance\nbias,problem,007,,0.5,,,\n")
    (row,) = find_chart("bias", [str(path)], STORE).table.to_dicts()
    assert (row["model"], row["part"], row["low"]) == ("007", None, None)


def test_wrong_names_and_sources(tmp_path: Path) -> None:
    (tmp_path / "bias.csv").write_text(
        "measure,by,model,part,value,low,high,chance\nbias,problem,m,,0.5,,,\n"
    )
    with pytest.raises(InputError, match="no chart is called 'nothing'"):
        find_chart("nothing", [str(tmp_path / "bias.csv")], STORE)
    with pytest.raises(InputError, match="no such file"):
        find_chart("bias", [str(tmp_path / "none.csv")], STORE)
    with pytest.raises(InputError, match="a folder without results"):
        find_chart("individuals", [str(tmp_path)], STORE)
    with pytest.raises(InputError, match="no store "):
        find_chart("accuracy", ["0123"], tmp_path / "none.db")
    with pytest.raises(InputError, match="cannot stand beside"):
        find_chart("accuracy", [str(tmp_path), str(tmp_path)], STORE)
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


def test_unknown_intervals_survive_the_table(tmp_path: Path) -> None:
    unknown = Estimate("accuracy", {"model": "m"}, 0.5, math.nan, math.nan, math.nan, 0.95, 9, 1, "published")
    (chart,) = measure_charts([unknown], WORDS)
    chart.table.write_csv(tmp_path / "accuracy.csv")
    again = find_chart("accuracy", [str(tmp_path)], STORE)
    assert again.spec() == chart.spec()
