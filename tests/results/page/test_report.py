"""Pages about runs and recorded results, and their charts as files."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import probsense as ps
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError, ProbSenseError
from probsense.results.charts import find_chart
from probsense.results.page.report import report_analysis, write_charts
from probsense.show import render
from probsense.show.measure import ACCURACY
from probsense.show.words import Words
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results

WORDS = Words(title="Quiz", measures={"accuracy": ACCURACY})


def analysis(**tables: pl.DataFrame) -> Analysis:
    found = Estimate("accuracy", {"model": "m"}, 0.5, 0.1, 0.4, 0.6, 0.95, 9, 9, "clustered")
    return Analysis("quiz", "Quiz & answer", {"data": "old"}, Results([found], tables=tables), WORDS)


TITLES = re.compile(r"<option value=\"\d\" data-task=\"\w+\">(\w+)</option>")


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_a_store_has_its_title_and_gives_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = ps.evaluate("winogrande", "random", limit=4, quiet=True, name="first")
    ps.evaluate("suite", "random", limit=4, quiet=True)
    written = ps.report("report.html", title="Two <tasks>")
    assert (written, isinstance(written, Path)) == (Path("report.html"), True)
    page = written.read_text()
    assert "<title>Two &lt;tasks&gt;</title>" in page
    assert TITLES.findall(page) == ["Winogrande", "Suite"]
    assert "Suite" not in ps.report("a.html", "first").read_text()
    assert "<title>ProbSense: Winogrande</title>" in ps.report("a.html", "first", run).read_text()
    with pytest.raises(InputError, match="probsense runs"):
        ps.report("a.html", "second")
    with pytest.raises(InputError, match="no such"):
        ps.report("a.html", store="none.db")


def test_a_page_is_about_recorded_results(tmp_path: Path) -> None:
    report_analysis(tmp_path / "page.html", analysis())
    page = (tmp_path / "page.html").read_text()
    assert "<title>Quiz &amp; answer</title>" in page
    assert "50\N{NO-BREAK SPACE}% of the questions right [40, 60]" in page


def test_charts_are_written_beside_their_tables_and_other_tables_alone(tmp_path: Path) -> None:
    other = pl.DataFrame({"a": [1]})
    written = write_charts(tmp_path / "new", analysis(other=other))
    assert {path.name for path in written} == {"accuracy.csv", "accuracy.svg", "other.csv"}
    assert all(path.is_file() for path in written)
    assert pl.read_csv(tmp_path / "new" / "other.csv").equals(other)
    assert pl.read_csv(tmp_path / "new" / "accuracy.csv")["value"].to_list() == [0.5]


def test_without_the_packages_there_are_tables_and_a_word_how_to_get_charts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    assert {path.suffix for path in write_charts(tmp_path, analysis())} == {".csv"}
    with pytest.raises(ProbSenseError, match=r"pip install .*\[report\]"):
        find_chart("bias", [str(tmp_path)], tmp_path / "none.db")
    assert not (tmp_path / "a.svg").exists()
