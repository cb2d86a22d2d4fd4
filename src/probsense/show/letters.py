"""How wide a text of a chart may become in letters other than those that the chart was measured with.

vl-convert measures the letters of its own sans-serif, Liberation Sans. An SVG names no more than "sans-serif", and the
widest one in common use, DejaVu Sans, is the default of many Linux systems and some 13 % wider.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final, NamedTuple

SVG: Final = "http://www.w3.org/2000/svg"

_WIDTHS: Final = {
    letter: width
    for width, letters in (
        (0.41, " !'(),-./:;IJ[\\]fijlrt|·"),
        (0.53, '"*?_`sz–'),
        (0.65, "$0123456789EFLPSTYabcdeghknopquvxy{}é"),
        (0.79, "&ABCDGHKNOQRUVXZ"),
    )
    for letter in letters
}
"""Upper bounds of the widths of letters in DejaVu Sans, in units of the font's size; all others have 1."""
_BOLD: Final = 1.2
"""How much wider a bold letter may be."""


class Overhang(NamedTuple):
    """How far letters may stick out of a picture to the left and to the right, in pixels."""

    left: float
    right: float


def overhang(root: ET.Element) -> Overhang:
    """Find how far the texts of a picture would stick out of it in wide letters.

    Parameters
    ----------
    root : Element
        An ``<svg>`` with a viewBox, as vl-convert writes it: everything is placed by translations. Texts that are
        turned by 90° count as no wider than their line.
    """
    start, _, width, _ = map(float, root.attrib["viewBox"].split())
    ends = [*_ends(root, 0.0)]
    left = min((end for end, _ in ends), default=start)
    right = max((end for _, end in ends), default=start + width)
    return Overhang(max(start - left, 0.0), max(right - start - width, 0.0))


def _ends(element: ET.Element, x: float) -> Iterator[tuple[float, float]]:
    """Find the left and right end of each line of text below an element whose parent stands at ``x``."""
    moved = re.match(r"translate\(\s*([-\d.e]+)", element.get("transform", ""))
    x += float(moved[1]) if moved else 0.0
    if element.tag == f"{{{SVG}}}text":
        size = float(re.sub(r"[^\d.]", "", element.get("font-size", "")) or 11)
        bold = _BOLD if element.get("font-weight", "400") in ("bold", "600", "700") else 1.0
        turned = "rotate" in element.get("transform", "")
        for text in filter(None, (line.text for line in element.iter())):
            room = size * (1.0 if turned else bold * sum(_WIDTHS.get(letter, 1.0) for letter in text))
            before = {"end": 1.0, "middle": 0.5}.get(element.get("text-anchor", ""), 0.0) * room
            yield x - before, x - before + room
        return
    for child in element:
        yield from _ends(child, x)
