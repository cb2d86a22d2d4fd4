"""Charts on white, turned into pictures for pages that may be light or dark: ``python docs/themed.py CHART.svg…``.

A picture brings its two sets of colours along. In a page it takes the colour scheme of that page, on GitHub and in a
built site alike. What a chart says of its marks goes, since nobody can point at the marks of a picture, and lengths
are kept to a tenth of a pixel, so that another machine draws the same bytes.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from probsense.show.chart import COLOURS, GRID, INK, PAPER

DARK = {INK: "#cfd0d0", GRID: "#3a3e44", PAPER: "#131416", COLOURS[0]: "#4096d8"}
"""What stands for a colour where the page is dark; paper is that of the theme of these pages."""
NAMES = {light: f"--{name}" for light, name in zip(DARK, ("ink", "grid", "paper", "first"), strict=True)}


def themed(chart: str) -> str:
    """Turn the SVG of a chart into that of a picture; a picture stays as it is."""
    if "<style>" in chart:
        return chart
    bare = re.sub(r' (?:aria-[\w-]+|class|pointer-events|role(?!="img"))="[^"]*"', "", chart)
    number = r"-?\d+(?:\.\d+(?:e-\d+)?|e-\d+)(?=[^<>]*>)"
    short = re.sub(number, lambda found: f"{float(found[0]):z.1f}", bare)
    for light, name in NAMES.items():
        short = short.replace(f'"{light}"', f'"var({name})"')
    light_set, dark_set = (
        ";".join(f"{name}:{colours.get(light, light)}" for light, name in NAMES.items())
        for colours in ({}, DARK)
    )
    style = f"<style>:root{{{light_set}}}@media (prefers-color-scheme:dark){{:root{{{dark_set}}}}}</style>"
    return f"{short.replace('<title>', f'{style}<title>', 1).rstrip()}\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(themed(Path(name).read_text()))
