"""Charts of frames: whole, escaped, in the colours of the page, and with everything where its value is."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from probsense.answers.bound import tail_bound
from probsense.show.chart import Chart
from probsense.show.render import page_svg
from probsense.show.theme import COLOURS, GRID, NARROW, PAPER, WIDE
from probsense.tasks.frames.charts import ROWS
from probsense.tasks.frames.distributions_chart import CLUSTERS, PANELS
from probsense.tasks.frames.words import WORDS

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan
HOSTILE = "<script>alert(1)</script>\"><img src=x onerror='alert(1)'>&\x00\u202e"


def distributions(frames: int = 9, clusters: int = 3) -> pl.DataFrame:
    """Model b answers as people do; the other one farther from them the later the frame comes."""
    rows = [
        (model, f"f{i}", f"Question {i} {HOSTILE}", name, share)
        for i in range(frames)
        for model in ("people", HOSTILE, "b")
        for far in [0.5 * i / frames * (model == HOSTILE)]
        for name, share in [
            *((f"c{k}", (0.9 - far) / clusters) for k in range(clusters)),
            ("none of these", 0.1 + far),
        ]
    ]
    return pl.DataFrame(rows, schema=["model", "frame", "text", "cluster", "share"], orient="row")


def forest(frames: int = 5, kinds: Sequence[str] = ("normalised",)) -> pl.DataFrame:
    rows = [
        (model, measure, frame, value, value - 0.1, value + 0.1)
        for measure in kinds
        for model in (HOSTILE, "b")
        for frame, value in [(None, 0.5), *((f"f{i}", i / frames) for i in range(frames))]
    ]
    schema = ["model", "measure", "frame", "value", "low", "high"]
    return pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)


def bound() -> pl.DataFrame:
    answers = np.arange(1, 201)
    return pl.concat(
        pl.DataFrame(
            {"categories": k, "answers": answers, "probability": tail_bound(answers, k), "given": 50}
        )
        for k in (4, 9)
    )


TABLES = {"distributions": distributions(), "forest": forest(), "bound": bound()}


def chart(name: str, table: pl.DataFrame | None = None) -> Chart:
    return WORDS.charts[name].chart(name, TABLES[name] if table is None else table)


def drawn(name: str, table: pl.DataFrame | None = None) -> tuple[ET.Element, ET.Element]:
    wide, narrow = ET.fromstring(f"<page>{page_svg(chart(name, table))}</page>")
    return wide, narrow


def texts(root: ET.Element) -> list[str]:
    """Find every line of text."""
    return [line.text for element in root.iter(f"{SVG}text") for line in element.iter() if line.text]


def tips(root: ET.Element) -> list[str]:
    return [
        title.text or "" for child in root for title in child.iter(f"{SVG}title") if child.tag != title.tag
    ]


def test_there_is_a_table_for_every_chart() -> None:
    assert set(TABLES) == set(WORDS.charts)
    for name, kind in WORDS.charts.items():
        assert {*kind.texts, *kind.numbers} == {*TABLES[name].columns}


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_fits_the_page_and_takes_its_colours(name: str) -> None:
    known = {*COLOURS, GRID, PAPER, "none", "transparent", "currentColor"}
    for root, width in zip(drawn(name), (WIDE, NARROW), strict=True):
        assert root.get("role") == "img"
        assert root[0].text == WORDS.charts[name].title
        assert root[1].tag == f"{SVG}desc"
        assert float(root.get("width") or 0) == pytest.approx(width, abs=0.12 * width)
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in (
                *("svg", "g", "path", "line", "text", "tspan", "title", "desc", "rect"),
            )
            for key in ("fill", "stroke"):
                value = element.get(key, "none")
                assert re.sub(r"var\(--[a-z0-9]+, (#\w+)\)", r"\1", value) in known, value
                assert value not in {*COLOURS, GRID, PAPER}
            assert not [key for key in element.attrib if key.startswith("on") or "href" in key]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("distributions", {"Share of the answers (%)"}),
        ("forest", {"Normalised"}),
        ("bound", {"Answers", "Probability to stray, at most"}),
    ],
)
def test_every_axis_has_a_title(name: str, titles: set[str]) -> None:
    for root in drawn(name):
        assert titles <= set(texts(root))


@pytest.mark.parametrize("name", TABLES)
def test_hostile_names_stay_text(name: str) -> None:
    source = page_svg(chart(name))
    assert "<script" not in source
    assert "<img" not in source
    assert "\x00" not in source
    assert "\u202e" not in source


@pytest.mark.parametrize("name", TABLES)
def test_a_specification_is_the_same_twice_and_holds_no_nan(name: str) -> None:
    first, second = (json.dumps(chart(name).spec(), allow_nan=False) for _ in range(2))
    assert first == second
    assert "http" not in first.replace("https://vega.github.io/schema/", "")


def test_distributions_side_by_side_from_the_nearest_to_the_farthest() -> None:
    root, _ = drawn("distributions")
    panels = [text for text in texts(root) if text.startswith("Question")]
    assert len(panels) == PANELS
    assert panels[0].startswith("Question 0")
    assert panels[-1].startswith("Question 8")
    assert "people, c0: 30.0 %" in tips(root)


def test_many_clusters_are_put_together() -> None:
    root, _ = drawn("distributions", distributions(1, 30))
    shown = [text for text in texts(root) if re.fullmatch(r"c\d+|\d+ others|none of these", text)]
    rest = 30 - (CLUSTERS - 2)
    assert len(shown) == CLUSTERS
    assert shown[-2:] == [f"{rest} others", "none of these"]
    assert f"people, {rest} others: {90 * rest / 30:.1f} %" in tips(root)


def test_the_forest_has_a_row_for_each_frame_and_a_mark_for_each_model() -> None:
    root, _ = drawn("forest")
    assert [t for t in texts(root) if re.fullmatch(r"Overall|f\d", t)] == [
        "Overall",
        *(f"f{i}" for i in range(5)),
    ]
    assert sum(": " in tip for tip in tips(root)) == 2 * 12
    assert "people" in texts(root)
    many, _ = drawn("forest", forest(200))
    assert len([t for t in texts(many) if re.fullmatch(r"f\d+", t)]) == ROWS


def test_the_forest_is_of_a_measure_that_all_models_have() -> None:
    both = forest(3, ("normalised", "kl"))
    lacking = both.filter(~((pl.col("measure") == "normalised") & (pl.col("model") == "b")))
    assert "Normalised" in texts(drawn("forest", both)[0])
    assert "KL" in texts(drawn("forest", lacking)[0])


def test_an_unknown_interval_and_a_far_value() -> None:
    unknown = [NAN] * 3
    whole = {"model": ["m"] * 3, "measure": ["kl"] * 3, "frame": [None, "a", "b"], "value": [1.0, NAN, 400.0]}
    root, _ = drawn("forest", pl.DataFrame({**whole, "low": unknown, "high": unknown}))
    assert sum("interval unknown" in tip for tip in tips(root)) == 2


def test_the_bound_has_a_curve_for_each_number_of_clusters() -> None:
    root, _ = drawn("bound")
    assert [text for text in texts(root) if "clusters" in text] == ["4 clusters", "9 clusters"]
    assert "50 answers" in texts(root)
    assert [tip for tip in tips(root) if "clusters" in tip] == ["4 clusters", "9 clusters"]
