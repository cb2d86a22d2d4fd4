"""Turns specifications into pictures: for a page, in its colours, and for a paper."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Final

from probsense.core.errors import ProbSenseError
from probsense.core.registry import install
from probsense.show.chart import COLOURS, GRID, INK, NARROW, PAPER, WIDE, Chart, Spec, labels, strings
from probsense.show.text import plain

FORMATS = ("svg", "pdf", "png")
MISSING = "charts need packages that are not here"
"""The message if nothing can be drawn."""

OWNER = "data-model"
"""The attribute that says which model a mark belongs to."""

_OF_PAGE: Mapping[str, str] = {
    **{hue: f"var(--c{i}, {hue})" for i, hue in enumerate(COLOURS)},
    INK: "currentColor",
    GRID: f"var(--grid, {GRID})",
    PAPER: f"var(--paper, {PAPER})",
}
"""The page's own colour for each colour of a specification."""

_KEPT = {
    *("width", "height", "viewBox", "transform", "id", "d", "r", "cx", "cy", "dy"),
    *("x", "y", "x1", "x2", "y1", "y2"),
    *("fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray"),
    *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "clip-path"),
    *("text-anchor", "font-size", "font-weight", "font-style"),
    OWNER,
}
"""Attributes that a page needs; letters are those of the page."""


def can_draw() -> bool:
    """Whether the packages that charts need are installed."""
    return all(find_spec(name) for name in ("altair", "vl_convert"))


def check_can_draw() -> None:
    """Raise ProbSenseError if the packages that charts need are missing."""
    if not can_draw():
        raise ProbSenseError(f"{MISSING}: {install('report')}")


def page_svg(chart: Chart) -> str:
    """Draw a chart for a page, once for a screen and once for a phone; the page shows the one that fits.

    Parameters
    ----------
    chart : Chart

    Returns
    -------
    str
        Two ``<svg>`` elements of the classes "chart wide" and "chart narrow", in the colours of the page (variables
        ``--c0`` … ``--c6``, ``--grid``, ``--paper``). What a mark stands for is its title. Marks and entries of the
        legend that belong to a model have its name as ``data-model``. There is nothing in it but letters and shapes.
    """
    drawn, models = [], strings(chart.table, "model") if "model" in chart.table.columns else []
    for kind, width in (("wide", WIDE), ("narrow", NARROW)):
        spec = chart.spec(width)
        root = _drawn({**spec, "background": "transparent"})
        _mark_models(root, models)
        _clean(root, f"{chart.name}-{kind}")
        _describe(root, chart, str(spec["description"]))
        root.set("class", f"chart {kind}")
        # The letters of the page may be wider than those that the chart was measured with.
        root.set("overflow", "visible")
        drawn.append(ET.tostring(root, encoding="unicode"))
    return "\n".join(drawn)


ROOM: Final = {"left": 36, "right": 20, "top": 4, "bottom": 4}
"""Pixels around a chart in SVG: the letters of a reader may be wider than those that it was measured with."""


def file_bytes(chart: Chart, kind: str, width: int = WIDE) -> bytes:
    """Draw a chart as a file for a paper, on white.

    Parameters
    ----------
    chart : Chart
    kind : str
        One of :data:`FORMATS`.
    width : int
        Width of the whole chart, in pixels of 1/72 inch; PNG has three dots for each.
    """
    import vl_convert

    spec = chart.spec(width)
    if kind == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, allowed_base_urls=[]))
    if kind == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=3, ppi=72, allowed_base_urls=[]))
    if "autosize" not in spec:  # Its room is not part of its width.
        spec = chart.spec(width - ROOM["left"] - ROOM["right"])
    root = _drawn({**spec, "padding": ROOM})
    _describe(root, chart, str(spec["description"]))
    return bytes(ET.tostring(root, encoding="utf-8"))


def _drawn(spec: Spec) -> ET.Element:
    import vl_convert

    ET.register_namespace("", SVG)
    root = ET.fromstring(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    # The renderer numbers its identifiers on from chart to chart: from 1 on, one chart is the same bytes every time.
    found = [element for element in root.iter() if "id" in element.attrib]
    ids = {element.attrib["id"]: f"id{i}" for i, element in enumerate(found, 1)}
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, ids[value])
            elif key in _KEPT and (url := _URL.fullmatch(value)):
                element.set(key, f"url(#{ids[url[1]]})")
    return root


SVG: Final = "http://www.w3.org/2000/svg"
_URL = re.compile(r"url\(#([^)]*)\)")


def _mark_models(root: ET.Element, models: Sequence[str]) -> None:
    """Give marks, and entries of the legend, the name of the model that they belong to.

    What a mark stands for begins with that name; of two names that begin alike, the longer one counts.
    """
    names = sorted(models, key=len, reverse=True)
    by_label = {label: name for name, label in labels(models).items()}
    for element in root.iter():
        said = f"{element.get('aria-label', '')}, "
        if element.get("role") == "graphics-symbol":
            if name := next((name for name in names if said.startswith(f"{plain(name)}, ")), ""):
                element.set(OWNER, plain(name))
        elif "role-scope" in element.get("class", "").split():
            for entry in element:
                words = (text.text for text in entry.iter(f"{{{SVG}}}text"))
                if name := next((by_label[word] for word in words if word in by_label), ""):
                    entry.set(OWNER, plain(name))


def _clean(element: ET.Element, name: str) -> None:
    """Keep the shapes and letters, in the colours of a page; what a mark stands for becomes its title."""
    said = element.get("aria-label") if element.get("role") == "graphics-symbol" else None
    is_mark = element.tag not in (f"{{{SVG}}}g", f"{{{SVG}}}svg")
    for key, value in [*element.attrib.items()]:
        del element.attrib[key]
        if key in _KEPT and (key, value) != ("opacity", "1"):
            element.set(key, _named(key, value, name))
    for child in [*element]:
        if "background" in child.get("class", "") or child.get("display") == "none":
            element.remove(child)
        else:
            _clean(child, name)
            if child.tag == f"{{{SVG}}}g" and len(child) == 0:
                element.remove(child)
    if said and is_mark:
        title = ET.Element(f"{{{SVG}}}title")
        title.text = said
        element.insert(0, title)


def _named(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key in ("fill", "stroke"):
        return _OF_PAGE.get(value.lower(), value)
    return re.sub(r"url\(#", f"url(#{name}-", re.sub(r"(\.\d\d)\d+", r"\1", value))


def _describe(root: ET.Element, chart: Chart, about: str) -> None:
    root.set("role", "img")
    for tag, text in (("desc", about), ("title", chart.title)):
        element = ET.Element(f"{{{SVG}}}{tag}")
        element.text = plain(text)
        root.insert(0, element)
