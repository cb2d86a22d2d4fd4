"""The pieces that charts are drawn with: inline SVG, places along the x axis in percent, everything else in pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor")
SHAPES = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z",  # circle
    "M-4.5,-4.5H4.5V4.5H-4.5Z",  # square
    "M0,-6.2L6.2,0L0,6.2L-6.2,0Z",  # diamond
    "M0,-5.8L5.6,4.2H-5.6Z",  # triangle
    "M0,5.8L5.6,-4.2H-5.6Z",  # triangle, point down
    "M-2,-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",  # cross
)


def opening(title: str, about: str, height: float) -> str:
    """The beginning of a chart, which ``</svg>`` ends."""
    return (
        f'<svg class="chart" role="img" width="100%" height="{height}" xmlns="http://www.w3.org/2000/svg"'
        ' font-family="inherit" font-size="13" fill="currentColor">\n'
        f"<title>{escape(title)}</title><desc>{escape(about)}</desc>"
    )


def line(x1: str, x2: str, y1: float, y2: float, how: str) -> str:
    """A straight line; ``how`` are its further attributes."""
    return f'<line x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}" {how}/>'


def colour(i: int) -> str:
    """The colour of the i-th model, which the page around may change."""
    i %= len(COLOURS)
    return f"var(--c{i}, {COLOURS[i]})"


def mark(i: int, x: str, y: float, hollow: bool = False) -> str:
    """The mark of the i-th model; the svg element around it is what lets it stand at a percentage."""
    paper = "var(--paper, Canvas)"
    fill, stroke = (paper, colour(i)) if hollow else (colour(i), paper)
    return (
        f'<svg x="{x}" y="{y}" overflow="visible"><path d="{SHAPES[i % len(SHAPES)]}"'
        f' style="fill:{fill};stroke:{stroke}" stroke-width="1.5"/></svg>'
    )


def text(x: str, y: float, words: str, how: str = "") -> str:
    """Words that begin at x, unless ``how``, their further attributes, says otherwise."""
    return f'<text x="{x}" y="{y:g}" {how}>{escape(words)}</text>'


@dataclass(frozen=True, slots=True)
class Scale:
    """Values along the x axis, from ``low`` at ``left`` to ``high`` at ``right`` percent of the width."""

    low: float
    high: float
    left: float
    right: float

    def place(self, value: float) -> float:
        """Where a value stands, in percent; values beyond the ends stand there."""
        share = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return self.left + share * (self.right - self.left)

    def at(self, value: float) -> str:
        """The same as an attribute."""
        return f"{self.place(value):.2f}%"

    def ticks(self) -> list[float]:
        """Round values, five or six of them as a rule."""
        span = self.high - self.low
        steps = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, *(m * 10.0**k for k in range(9) for m in (1, 2, 5)))
        step = next(s for s in steps if span / s <= 6)
        first = math.ceil(self.low / step - 1e-9)
        return [round(k * step, 10) for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def x_axis(scale: Scale, top: float, bottom: float, title: str, unit: float = 100) -> Iterator[str]:
    """Grid lines from top to bottom, their values times the unit, and what they are."""
    for value in scale.ticks():
        x = scale.at(value)
        yield line(x, x, top, bottom, 'stroke="var(--grid, #8884)"')
        label = f"{value * unit:g}".replace("-", "\N{MINUS SIGN}")
        yield f'<text x="{x}" y="{bottom + 18}" text-anchor="middle" opacity=".75">{label}</text>'
    middle = (scale.left + scale.right) / 2
    yield (
        f'<text x="{middle:g}%" y="{bottom + 42}" text-anchor="middle" font-weight="600">{escape(title)}</text>'
    )
