"""Charts of frames: whole, escaped, and with everything where its value is."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest

from probsense.answers.bound import tail_bound
from probsense.report.frame_charts import (
    CLUSTERS,
    PANELS,
    ROWS,
    bound_chart,
    distributions_chart,
    forest_chart,
    frame_figures,
)
from probsense.report.frame_findings import frame_findings
from probsense.report.groups import brief_tables
from probsense.report.html import render_report
from probsense.stats.estimate import Estimate

HOSTILE = '<script>alert(1)</script>"&'
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def tips(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}title")]


def shares(frames: int, clusters: int) -> pl.DataFrame:
    rows = [
        (model, f"f{i}", f"Question {i} {HOSTILE}", name, share)
        for i in range(frames)
        for model in ("people", HOSTILE, "b")
        for name, share in [(f"c{k}", 0.9 / clusters) for k in range(clusters)] + [("none of these", 0.1)]
    ]
    return pl.DataFrame(rows, schema=["model", "frame", "text", "cluster", "share"], orient="row")


def forest(frames: int, measures: tuple[str, ...] = ("normalised",)) -> pl.DataFrame:
    rows = [
        (model, measure, frame, value, value - 0.1, value + 0.1)
        for measure in measures
        for model in (HOSTILE, "b")
        for frame, value in [(None, 0.5), *((f"f{i}", i / frames) for i in range(frames))]
    ]
    return pl.DataFrame(
        rows,
        schema=["model", "measure", "frame", "value", "low", "high"],
        orient="row",
        infer_schema_length=None,
    )


def bound() -> pl.DataFrame:
    answers = np.arange(1, 201)
    parts = [
        pl.DataFrame(
            {"categories": k, "answers": answers, "probability": tail_bound(answers, k), "given": 50}
        )
        for k in (4, 9)
    ]
    return pl.concat(parts)


def test_distributions_side_by_side() -> None:
    svg = distributions_chart(shares(9, 3), forest(9))
    assert "<script>" not in svg
    panels = [text for text in texts(svg) if text.startswith("Question")]
    assert len(panels) == PANELS
    assert panels[0].startswith("Question 0")
    assert panels[-1].startswith("Question 8")
    assert texts(svg).count("none of these") == PANELS
    widths = {
        (element.find(f"{SVG}title").text or "").split(":")[0]: float(
            (element.get("width") or "").rstrip("%")
        )  # type: ignore[union-attr]
        for element in ET.fromstring(svg).iter(f"{SVG}rect")
        if element.find(f"{SVG}title") is not None
    }
    assert widths["people, c0"] / widths["people, none of these"] == pytest.approx(3, rel=0.01)


def test_many_clusters_are_put_together() -> None:
    svg = distributions_chart(shares(1, 30), forest(1))
    shown = [text for text in texts(svg) if re.fullmatch(r"c\d+|\d+ other clusters|none of these", text)]
    assert len(shown) == CLUSTERS + 1
    assert shown[-2:] == [f"{30 - CLUSTERS + 1} other clusters", "none of these"]
    assert f"people, {30 - CLUSTERS + 1} other clusters: {90 * (30 - CLUSTERS + 1) / 30:.1f} %" in tips(svg)


def test_the_forest_has_a_row_for_each_frame_and_a_mark_for_each_model() -> None:
    svg = forest_chart(forest(5))
    assert "<script>" not in svg
    assert [text for text in texts(svg) if re.fullmatch(r"Overall|f\d", text)] == [
        "Overall",
        *(f"f{i}" for i in range(5)),
    ]
    assert svg.count('<g class="figure">') == 12
    assert "people" in texts(svg)
    many = forest_chart(forest(200))
    assert len([text for text in texts(many) if re.fullmatch(r"f\d+", text)]) == ROWS


def test_the_forest_is_of_a_measure_that_all_models_have() -> None:
    both = forest(3, ("normalised", "kl"))
    lacking = both.filter(~((pl.col("measure") == "normalised") & (pl.col("model") == "b")))
    assert "Normalised" in texts(forest_chart(both))
    assert "KL" in texts(forest_chart(lacking))
    assert "Normalised" not in texts(forest_chart(lacking))


def test_an_unknown_interval_and_a_far_value() -> None:
    table = pl.DataFrame(
        {
            "model": ["m"] * 3,
            "measure": ["kl"] * 3,
            "frame": [None, "a", "b"],
            "value": [1.0, math.nan, 400.0],
            "low": [math.nan] * 3,
            "high": [math.nan] * 3,
        }
    )
    svg = forest_chart(table)
    assert svg.count('<g class="figure">') == 2
    assert "nan" not in svg


def test_the_bound_has_a_curve_for_each_number_of_clusters() -> None:
    svg = bound_chart(bound())
    assert [text for text in texts(svg) if "clusters" in text] == ["4 clusters", "9 clusters"]
    assert "50 answers" in texts(svg)
    assert "nan" not in svg
    more = bound().with_columns(answers=pl.col("answers") * 5, given=500)
    assert "1000" in texts(bound_chart(more))


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "rarefied")


def test_the_page_tells_the_nearest_first_and_explains_its_words() -> None:
    tables = {"distributions": shares(3, 3), "forest": forest(3), "bound": bound()}
    figures = frame_figures(tables)
    assert [figure.name for figure in figures] == ["distributions", "forest", "bound"]
    estimates = [
        estimate(measure, value + shift, model=model, **where)
        for model, shift in (("far", 0.5), (HOSTILE, 0.0))
        for where in ({}, {"frame": "f0"})
        for measure, value in (("normalised", 0.2), ("kl", 0.3), ("js", 0.1), ("split_half", 0.1))
    ]
    assert [finding.model for finding in frame_findings(estimates)] == [HOSTILE, "far"]
    page = render_report("Frames", estimates, figures=figures)
    assert "<script>" not in page
    assert "where people are 0" in page
    assert "Kullback–Leibler" in page
    assert "Method “rarefied”" in page


def test_a_terminal_has_no_single_frames_and_the_lowest_first() -> None:
    estimates = [
        estimate("normalised", value, model=model, **where)
        for model, value in (("far", 0.9), ("near", 0.1))
        for where in ({}, {"frame": "f0"})
    ]
    (table,) = brief_tables(estimates)
    assert [row[0] for row in table.rows] == ["near", "far"]
    assert "f0" not in str(table)


def test_no_table_no_chart() -> None:
    assert frame_figures({}) == []
