"""Charts of models beside people: whole, escaped, and with everything where its value is."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probsense.report.analyses import report_analysis, write_figures
from probsense.report.html import render_report
from probsense.report.judgment_charts import (
    DOTS,
    PANELS,
    features_chart,
    individuals_chart,
    judgment_figures,
    pq_chart,
    statements_chart,
)
from probsense.report.judgment_findings import SHOWN, judgment_findings, judgment_headline
from probsense.report.svg import Scale
from probsense.stats.estimate import Estimate
from probsense.tasks.analysis import Analysis

HOSTILE = '<script>alert(1)</script>"&'
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}text")]


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "two-way bootstrap")


@pytest.fixture
def tables() -> dict[str, pl.DataFrame]:
    rng = np.random.default_rng(0)
    people = [("person", f"p{i}", 0.5 + 0.4 * x, None, None) for i, x in enumerate(rng.random(200))]
    raters = [
        ("model", HOSTILE, 0.8, 0.78, 0.82),
        ("model", "b", 0.6, 0.55, 0.65),
        ("baseline", "always yes", 0.7, None, None),
    ]
    schema = ["kind", "name", "score", "low", "high"]
    models = [HOSTILE, *(f"m{i}" for i in range(7))]
    return {
        "individuals": pl.DataFrame(people + raters, schema=schema, orient="row", infer_schema_length=None),
        "statements": pl.DataFrame(
            {
                "model": np.repeat(models, 50),
                "people": np.tile(rng.random(50), 8),
                "value": rng.random(400),
            }
        ),
        "features": pl.DataFrame(
            {
                "model": ["people", HOSTILE, "b"],
                "feature": ["fact − opinion"] * 3,
                "value": [0.05, -0.02, 0.15],
                "low": [0.01, -0.1, 0.1],
                "high": [0.09, 0.1, 0.2],
            }
        ),
        "pq": pl.DataFrame(
            {
                "population": ["people"] * 3,
                "raters": [3] * 3,
                "p": [1 / 3, 2 / 3, 1.0],
                "q": [1.0, 0.5, 0.25],
                "q_bound": [1.0, 0.6, 0.25],
                "low": [1.0, 0.4, 0.1],
                "high": [1.0, 0.6, 0.4],
            }
        ),
    }


def test_people_are_a_distribution_and_models_stand_below_it(tables: dict[str, pl.DataFrame]) -> None:
    svg = individuals_chart(tables["individuals"])
    root = parsed(svg)
    counted = [
        int(t.text.split()[0]) for t in root.iter(f"{SVG}title") if t.text and "people between" in t.text
    ]
    assert sum(counted) == 200
    names = [text for text in texts(svg) if text in (HOSTILE, "b", "always yes") or text.startswith("<scr")]
    assert names[1:] == ["always yes", "b"]
    assert "200 people" in texts(svg)
    assert "<script>" not in svg


def test_without_people_there_is_no_distribution(tables: dict[str, pl.DataFrame]) -> None:
    svg = individuals_chart(tables["individuals"].filter(pl.col("kind") != "person"))
    assert "median" not in svg
    assert not any("people" in text for text in texts(svg))


def test_the_best_models_have_a_panel_with_every_statement_in_it(tables: dict[str, pl.DataFrame]) -> None:
    r = [
        estimate("group_r", i / 10, model=name)
        for i, name in enumerate([HOSTILE, *(f"m{k}" for k in range(7))])
    ]
    svg = statements_chart(tables["statements"], [*r, estimate("ceiling", 0.9, model="people")])
    assert [text for text in texts(svg) if text.startswith("m")] == [f"m{i}" for i in (6, 5, 4, 3, 2, 1)]
    assert "r = 0.70 (at most 0.90)" in texts(svg)
    assert Counter(e.tag for e in parsed(svg).iter())[f"{SVG}circle"] == 50 * PANELS


def test_of_many_statements_cells_are_shown() -> None:
    n = DOTS + 1
    frame = pl.DataFrame({"model": ["a"] * n, "people": [1.0] * n, "value": [0.0] * n})
    root = parsed(statements_chart(frame, []))
    (cell,) = root.iter(f"{SVG}rect")
    assert cell.get("opacity") == "1.00"
    assert not list(root.iter(f"{SVG}circle"))


def test_features_have_people_with_an_interval_and_models_as_dots(tables: dict[str, pl.DataFrame]) -> None:
    root = parsed(features_chart(tables["features"]))
    places = [float(e.get("cx", "").rstrip("%")) for e in root.iter(f"{SVG}circle")]
    scale = Scale(-0.15, 0.15, 27.0, 96.5)
    assert places == pytest.approx([scale.place(-0.02), scale.place(0.15)], abs=0.01)
    assert "people" in texts(features_chart(tables["features"]))
    assert "people" not in texts(features_chart(tables["features"][1:]))


def test_the_curve_is_a_stair_with_a_band_and_a_dashed_bound(tables: dict[str, pl.DataFrame]) -> None:
    svg = pq_chart(tables["pq"])
    root = parsed(svg)
    assert len(list(root.iter(f"{SVG}rect"))) == 3
    assert sum("stroke-dasharray" in e.attrib for e in root.iter(f"{SVG}line")) == 1
    assert "3 people" in texts(svg)


def test_scales_have_round_ticks() -> None:
    assert Scale(0, 1, 0, 100).ticks() == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert Scale(-0.05, 0.05, 0, 100).ticks() == [-0.04, -0.02, 0, 0.02, 0.04]
    assert Scale(0, 1, 10, 90).at(2) == "90.00%"


def test_files_and_page_hold_every_chart(tables: dict[str, pl.DataFrame], tmp_path: Path) -> None:
    estimates = [
        estimate("commonsensicality", 0.8, model=HOSTILE),
        estimate("win_rate", 0.6, model=HOSTILE),
        estimate("group_r", 0.4, model=HOSTILE),
    ]
    analysis = Analysis("judgments", {"seed": 0}, estimates, [{"model": HOSTILE}], ["a note"], tables)
    paths = write_figures(tmp_path / "figures", analysis)
    assert {path.name for path in paths} == {f"{name}.{kind}" for name in tables for kind in ("csv", "svg")}
    assert pl.read_csv(tmp_path / "figures" / "pq.csv").equals(tables["pq"])
    report_analysis(tmp_path / "page.html", "Judgments", analysis)
    page = (tmp_path / "page.html").read_text()
    assert page.count('<svg class="chart"') == 4
    assert "<script" not in page
    assert "scores 80.0 %" in page
    assert [figure.name for figure in judgment_figures(tables, estimates)] == list(tables)


def test_the_page_says_how_many_models_beat_people() -> None:
    found = [estimate("commonsensicality", 0.5 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 0.35 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 1.0, model="baseline: majority")]
    assert judgment_headline(found).startswith("Of 7 models, 3 beat more than half of the people")
    best = judgment_findings(found)
    assert [finding.model for finding in best] == ["m6", "m5", "m4", "m3", "m2"][:SHOWN]
    assert judgment_headline(found[:1]) == ""
    assert judgment_headline(found[7:10]).startswith("None of 3 models")
    assert "beat more than half" in render_report("t", found)
