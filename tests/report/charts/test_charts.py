"""Charts: whole, escaped, in the colours of the page, and with everything where its value is."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from probsense.report.charts.figure import Figure
from probsense.report.charts.render import FORMATS, file_bytes, page_svg
from probsense.report.charts.theme import COLOURS, GRID, INK, NARROW, PAPER, SHAPES, WIDE, labels
from probsense.stats.estimate import Estimate

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

SVG = "{http://www.w3.org/2000/svg}"
NAN = math.nan
HOSTILE = "<script>alert(1)</script>\"><img src=x onerror='alert(1)'>&\x00\u202e"
PLAIN = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}").replace("\u202e", "\N{REPLACEMENT CHARACTER}")

Draw = Callable[[pl.DataFrame, int], dict[str, Any]]


def estimate(
    value: float, low: float, high: float, measure: str = "accuracy", chance: float = NAN, **by: Any
) -> Estimate:
    return Estimate(measure, by, value, NAN, low, high, 0.95, 9, 9, "published", chance)


def by_part(*estimates: Estimate) -> pl.DataFrame:
    return measures.measure_table(estimates, estimates[0].measure, "published")


def accuracy() -> pl.DataFrame:
    return by_part(
        *(
            estimate(value, low, high, chance=0.5, model=model, **part)
            for part in ({}, {"problem": "p"}, {"problem": HOSTILE})
            for model, value, low, high in ((HOSTILE, 0.75, 0.6, 0.9), ("b", 0.5, NAN, NAN))
        )
    )


def sizes() -> pl.DataFrame:
    made = [
        estimate(size / 10, 0.2, 0.7, chance=0.5, model=model, problem=problem, size=size)
        for problem in ("p", HOSTILE)
        for model in (HOSTILE, "b")
        for size in (3, 4, 5)
    ]
    return measures.sizes_table(made, "accuracy", "published")


def calibration() -> pl.DataFrame:
    bins = [f"{b * 10}–{b * 10 + 10} %" for b in (9, 5, 7)]
    return by_part(*(estimate(-0.1, -0.2, 0.0, "calibration_gap", model=HOSTILE, confidence=b) for b in bins))


    )


CHARTS: dict[str, tuple[Draw, pl.DataFrame]] = {
    "accuracy": (measures.measure_chart, accuracy()),
    "accuracy_by_size": (measures.sizes_chart, sizes()),
    "calibration": (measures.calibration_chart, calibration()),
}


def figure(name: str, table: pl.DataFrame | None = None) -> Figure:
    draw, own = CHARTS[name]
    return Figure(name, f"Title {HOSTILE}", "", own if table is None else table, draw)


def drawn(name: str, table: pl.DataFrame | None = None) -> tuple[ET.Element, ET.Element]:
    wide, narrow = ET.fromstring(f"<page>{page_svg(figure(name, table))}</page>")
    return wide, narrow


def texts(root: ET.Element) -> list[str]:
    """Of every line of text."""
    return [line.text for element in root.iter(f"{SVG}text") for line in element.iter() if line.text]


def tips(root: ET.Element) -> list[str]:
    return [
        title.text or "" for child in root for title in child.iter(f"{SVG}title") if child.tag != title.tag
    ]


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_fits_the_page_and_takes_its_colours(name: str) -> None:
    known = {*COLOURS, GRID, PAPER, "none", "transparent", "currentColor"}
    for root, width in zip(drawn(name), (WIDE, NARROW), strict=True):
        assert root.get("role") == "img"
        assert root[0].text == f"Title {PLAIN}"
        assert root[1].tag == f"{SVG}desc"
        assert float(root.get("width") or 0) == pytest.approx(width, abs=0.12 * width)
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in (
                "svg",
                "g",
                "path",
                "line",
                "text",
                "tspan",
                "title",
                "desc",
                "rect",
            )
            for key in ("fill", "stroke"):
                value = element.get(key, "none")
                assert re.sub(r"var\(--[a-z0-9]+, (#\w+)\)", r"\1", value) in known, value
                assert value not in {*COLOURS, GRID, PAPER}
            assert not [key for key in element.attrib if key.startswith("on") or "href" in key]


@pytest.mark.parametrize("name", CHARTS)
def test_every_axis_has_a_title(name: str) -> None:
    spec = figure(name).spec()

    def axes(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [axis for child in node for axis in axes(child)]
        if not isinstance(node, dict):
            return []
        own = [node["encoding"][key] for key in "xy" if key in node.get("encoding", {})]
        return own + [axis for child in node.values() for axis in axes(child)]

    found = axes({key: value for key, value in spec.items() if key != "config"})
    named = {axis["field"]: axis["title"] for axis in found if axis.get("title")}
    assert named
    # Parts, models and clusters say themselves what they are.
    words = {"part", "name", "cluster"}
    assert {
        axis["field"] for axis in found if axis.get("type") == "quantitative" and "field" in axis
    } - words <= {
        *named,
        *("level", "from", "x", "value", "share", "min(level)"),
    }


@pytest.mark.parametrize("name", CHARTS)
def test_hostile_names_stay_text(name: str) -> None:
    source = page_svg(figure(name))
    assert "<script" not in source
    assert "<img" not in source
    assert "\x00" not in source
    assert "\u202e" not in source


@pytest.mark.parametrize("name", CHARTS)
def test_a_specification_is_the_same_twice_and_holds_no_nan(name: str) -> None:
    first, second = (json.dumps(figure(name).spec(), allow_nan=False) for _ in range(2))
    assert first == second
    assert "http" not in first.replace("https://vega.github.io/schema/", "")


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_chart_for_a_paper(kind: str, start: bytes) -> None:
    assert kind in FORMATS
    content = file_bytes(figure("accuracy"), kind)
    assert content.startswith(start)
    if kind == "svg":
        root = ET.fromstring(content)
        assert b"var(" not in content
        assert root[0].tag == f"{SVG}title"
        assert float(root.get("width") or 0) == pytest.approx(WIDE, abs=20)
        narrow = ET.fromstring(file_bytes(figure("accuracy"), kind, 300))
        assert float(narrow.get("width") or 0) == pytest.approx(300, abs=20)


def places(root: ET.Element, name: str) -> dict[str, list[float]]:
    """Left and right end of what is drawn for each mark with a title that begins so."""
    found: dict[str, list[float]] = {}
    for element in root.iter():
        title = element.find(f"{SVG}title")
        if title is None or not (title.text or "").startswith(name):
            continue
        at = float(re.findall(r"translate\(([-\d.]+)", element.get("transform") or "translate(0")[0])
        if element.tag == f"{SVG}line":
            found["line"] = sorted((at, at + float(element.get("x2") or 0)))
        else:
            found["mark"] = [at]
    return found


def test_marks_and_whiskers_stand_where_the_figures_are() -> None:
    table = by_part(
        *(estimate(v, v - 0.1, v + 0.1, model=f"m{v}", problem="p") for v in (0.2, 0.4, 0.7)),
        estimate(0.95, 0.9, 1.2, model="far", problem="p"),
        estimate(0.5, NAN, NAN, model="unknown", problem="p"),
        estimate(NAN, NAN, NAN, model="nothing", problem="p"),
    )
    root, _ = drawn("accuracy", table)
    found = {v: places(root, f"m{v}, p: ") for v in (0.2, 0.4, 0.7)}
    unit = (found[0.7]["mark"][0] - found[0.2]["mark"][0]) / 0.5
    for own in found.values():
        middle = own["mark"][0]
        assert own["line"] == pytest.approx([middle - 0.1 * unit, middle + 0.1 * unit], abs=0.02)
    assert found[0.4]["mark"][0] == pytest.approx(found[0.2]["mark"][0] + 0.2 * unit, abs=0.02)
    edge = found[0.2]["mark"][0] + 0.8 * unit
    assert places(root, "far, p: ")["line"][1] == pytest.approx(edge, abs=0.02)
    assert "line" not in places(root, "unknown, p: ")
    assert places(root, "nothing") == {}
    assert "m0.2, p: 20.0 % (interval 10.0 to 30.0)" in tips(root)
    assert "unknown, p: 50.0 % (interval unknown)" in tips(root)


def test_a_line_marks_chance_where_it_is_known_and_the_same_for_all() -> None:
    assert "chance" in texts(drawn("accuracy")[0])
    for chances in ((NAN,), (0.5, 0.25), (0.5, NAN)):
        table = by_part(*(estimate(0.5, 0.4, 0.6, chance=c, model=f"{i}") for i, c in enumerate(chances)))
        assert "chance" not in texts(drawn("accuracy", table)[0])
    bias = by_part(estimate(-0.5, -0.6, -0.4, "bias", model="m"))
    assert {"−1.0", "0.0", "1.0", "no leaning", "Bias"} <= set(texts(drawn("accuracy", bias)[0]))


def test_rows_are_overall_then_problems_and_the_legend_names_the_models() -> None:
    root, _ = drawn("accuracy")
    words = texts(root)
    (hostile,) = (label for label in labels([HOSTILE], 22).values())
    rows = [word for word in words if word in ("Overall", "p", hostile)]
    assert rows == ["Overall", "p", hostile]
    assert "b" in words
    assert labels([HOSTILE], 44)[HOSTILE] in words


def test_forty_models_differ_in_colour_or_shape() -> None:
    assert len({*COLOURS}) == len(COLOURS)
    assert math.gcd(len(COLOURS), len(SHAPES)) == 1
    assert INK in COLOURS
    table = by_part(*(estimate(0.5, 0.4, 0.6, model=f"m{i}") for i in range(42)))
    root, _ = drawn("accuracy", table)
    looks = {
        (element.get("d"), element.get("fill"))
        for element in root.iter(f"{SVG}path")
        if (title := element.find(f"{SVG}title")) is not None and (title.text or "").startswith("m")
    }
    assert len(looks) == 42


def test_labels_that_are_cut_alike_are_told_apart() -> None:
    names = [f"{'a' * 20}{i}{'b' * 20}" for i in range(12)]
    found = labels([*names, names[0]], 12)
    assert len({*found.values()}) == 12
    assert all(len(label) <= 12 for label in found.values())




def test_bins_of_calibration_rise() -> None:
    words = texts(drawn("calibration")[0])
    assert [word for word in words if re.fullmatch(r"\d+–\d+ %", word)] == ["50–60 %", "70–80 %", "90–100 %"]


def test_sizes_have_a_panel_for_each_problem() -> None:
    root, _ = drawn("accuracy_by_size")
    assert "p" in texts(root)
    assert sum("stroke-dasharray" in e.attrib for e in root.iter(f"{SVG}line")) == 2
    assert sum(tip.startswith("b, p, 3: 30.0 %") for tip in tips(root)) == 2
