"""Specifications as pictures: for a page, and for a paper."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import polars as pl
import pytest

from probsense.core.errors import ProbSenseError
from probsense.show import render
from probsense.show.chart import COLOURS, INK, WIDE, Chart, Spec, by_model, labels, rows, specification
from probsense.show.render import FORMATS, can_draw, check_can_draw, file_bytes, page_svg
from support.drawing import SVG, drawn


def bars(table: pl.DataFrame, width: int) -> Spec:
    """Draw a bar for each name."""
    import altair as alt

    chart = alt.Chart(rows(table.iter_rows(named=True))).encode(x="share:Q", y="name:N", description="name:N")
    return specification(
        chart.mark_bar(color=COLOURS[0], clip=True).properties(width=width - 60, height=90), "About\x07 bars"
    )


CHART = Chart(
    "bars", "Bars & more", "", pl.DataFrame({"name": ["a<b", "url(#clip0)"], "share": [0.25, 1.0]}), bars
)


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_chart_for_a_paper(kind, start):
    assert kind in FORMATS
    content = file_bytes(CHART, kind)
    assert content.startswith(start)
    if kind == "svg":
        root = ET.fromstring(content)
        assert b"var(" not in content
        assert (root[0].tag, root[0].text) == (f"{SVG}title", "Bars & more")
        assert (root[1].tag, root[1].text) == (f"{SVG}desc", "About\ufffd bars")
        assert float(root.get("width") or 0) == pytest.approx(WIDE, abs=40)
        narrow = ET.fromstring(file_bytes(CHART, kind, 300))
        assert float(narrow.get("width") or 0) == pytest.approx(300, abs=40)


def test_a_page_has_the_chart_twice_in_its_own_colours():
    wide, narrow = drawn(CHART)
    assert [root.get("class") for root in (wide, narrow)] == ["chart wide", "chart narrow"]
    assert f"var(--c0, {COLOURS[0]})" in page_svg(CHART)
    assert "currentColor" in page_svg(CHART)
    assert INK not in re.sub(r"var\([^)]*\)", "", page_svg(CHART))


def test_identifiers_of_two_charts_do_not_meet_and_are_the_same_every_time():
    source = page_svg(CHART)
    ids = re.findall(r'\bid="([^"]*)"', source)
    assert len(set(ids)) == len(ids) > 0
    assert all(name.startswith(("bars-wide-", "bars-narrow-")) for name in ids)
    assert {*re.findall(r"=\"url\(#([^)]*)\)", source)} == {*ids}
    assert page_svg(CHART) == source
    assert source.count(">url(#clip0)<") == 4  # a name is no reference
    assert file_bytes(CHART, "svg") == file_bytes(CHART, "svg")


def test_without_the_packages_there_is_a_word_how_to_get_them(monkeypatch):
    assert can_draw()
    check_can_draw()
    monkeypatch.setattr(render, "find_spec", lambda name: None if name == "altair" else object())
    assert not can_draw()
    with pytest.raises(ProbSenseError, match=r"pip install .*\[report\]"):
        check_can_draw()


def test_marks_and_entries_of_the_legend_name_their_model():
    import altair as alt

    def points(table: pl.DataFrame, width: int) -> Spec:
        shown = labels(table["model"])
        hue, shape = by_model([*shown.values()], width)
        found = [
            {"label": shown[name], "model": shown[name], "tip": f"{name}, p: 1"} for name in table["model"]
        ]
        chart = (
            alt.Chart(rows(found))
            .mark_point()
            .encode(y="label:N", color=hue, shape=shape, description="tip:N")
        )
        return specification(chart.properties(width=width - 200), "Points")

    names = ["m", "m, too", "n" * 60]
    chart = Chart("points", "Points", "", pl.DataFrame({"model": names}), points)
    for root in drawn(chart):
        own = [element.get("data-model") for element in root.iter() if "data-model" in element.attrib]
        assert sorted(own) == sorted([*names, *names])
        entries = {element.get("data-model"): "".join(element.itertext()) for element in root.iter(f"{SVG}g")}
        assert {name: entries[name] for name in names} == labels(names)
