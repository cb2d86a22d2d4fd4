"""Charts in tests: drawn for a page and looked at, and what must hold of every one of them."""

import json
import re
import xml.etree.ElementTree as ET

import altair as alt
import pytest

from probsense.show.chart import COLOURS, GRID, NARROW, PAPER, WIDE
from probsense.show.render import page_svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"><img src=x onerror='alert(1)'>&\x00\u202e"
PLAIN = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}").replace("\u202e", "\N{REPLACEMENT CHARACTER}")


DRAWN = {}
"""Charts by their identity, with what was drawn of them: drawing takes long, so tests share it."""


def svg(chart):
    """Draw a chart as a page does: for a screen and for a phone."""
    if id(chart) not in DRAWN:
        DRAWN[id(chart)] = chart, page_svg(chart)
    return DRAWN[id(chart)][1]


def drawn(chart):
    """Return what is drawn for a screen and for a phone."""
    wide, narrow = ET.fromstring(f"<page>{svg(chart)}</page>")
    return wide, narrow


def texts(root):
    """Return every line of text."""
    return [line.text for element in root.iter(f"{SVG}text") for line in element.iter() if line.text]


def tips(root):
    """Return what each mark says of itself."""
    return [
        title.text or "" for child in root for title in child.iter(f"{SVG}title") if child.tag != title.tag
    ]


def places(root, name):
    """Return the left and right end of what is drawn for each mark whose title begins with the name."""
    found = {}
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


def check_page(chart):
    """Check that a chart fits the page, takes its colours, and has nothing in it but shapes and letters."""
    known = {*COLOURS, GRID, PAPER, "none", "transparent", "currentColor"}
    shapes = {"svg", "g", "path", "line", "text", "tspan", "title", "desc", "rect"}
    for root, width in zip(drawn(chart), (WIDE, NARROW), strict=True):
        assert root.get("role") == "img"
        assert root[0].text == chart.title.replace(HOSTILE, PLAIN)
        assert root[1].tag == f"{SVG}desc"
        assert float(root.get("width") or 0) == pytest.approx(width, abs=0.12 * width)
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in shapes
            for key in ("fill", "stroke"):
                value = element.get(key, "none")
                assert re.sub(r"var\(--[a-z0-9]+, (#\w+)\)", r"\1", value) in known, value
                assert value not in {*COLOURS, GRID, PAPER}
            assert not [key for key in element.attrib if key.startswith("on") or "href" in key]


def check_hostile(chart):
    """Check that names stay text; its title or some name in its table must be :data:`HOSTILE`."""
    assert "<script>alert(1)</script>" in chart.title + chart.table.write_csv()
    source = svg(chart)
    assert "<script" not in source
    assert "<img" not in source
    assert "\x00" not in source
    assert "\u202e" not in source


def check_specification(chart):
    """Check that a specification is valid and the same twice, holds no NaN, and names no place to load from."""
    first, second = (json.dumps(chart.spec(), allow_nan=False) for _ in range(2))
    assert first == second
    assert "http" not in first.replace("https://vega.github.io/schema/", "")
    alt.Chart.from_dict(json.loads(first))


CHECKS = (check_page, check_hostile, check_specification)
"""What must hold of every chart."""
