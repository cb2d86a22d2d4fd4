"""Charts as inline SVG: a dot with its interval for each model and part (problem, view).

Nothing is scaled: places along the axis are percentages, everything else is in pixels, so that the text of a
chart is as large as the text around it at any width. Colours are those of Okabe and Ito (2008), which people
with any colour vision can tell apart; shapes tell the models apart without colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape

from probsense.report.measure import Measure
from probsense.report.svg import colour, line, mark, opening
from probsense.report.tables import OVERALL, Grid, grid
from probsense.report.words import MEASURES, plain, sentence_value, shorten
from probsense.stats.estimate import Estimate

LANE = 18
"""Height of one model's lane within a problem."""
GAP = 14
"""Distance between parts."""
LEGEND = 22
"""Height of one line of the legend."""
LEFT, RIGHT = 27.0, 96.5
"""Where the axis begins and ends, in percent of the width; to its left stand the parts."""


def chart(estimates: Iterable[Estimate], measure: str, method: str) -> str:
    """Draw one measure by part and model.

    Parameters
    ----------
    estimates : iterable of Estimate
    measure, method : str
        Which of them.

    Returns
    -------
    str
        An ``<svg>`` element to put into a page: parts as rows, the overall figure first; the value along
        the x axis with a whisker for the interval, a hollow mark where the interval is unknown; a dashed line
        where guessing would be, if that is the same place for all. All names in it are escaped. Empty if there
        is no such estimate, or if the measure is not known or not bounded.
    """
    arranged = grid(estimates, measure, method)
    style = MEASURES.get(measure)
    if not arranged.cells or style is None or math.isinf(style.bounds[1]):
        return ""
    lanes = len(arranged.subjects)
    band = lanes * LANE + GAP
    top = lanes * LEGEND + 34
    bottom = top + band * len(arranged.parts)
    names = arranged.names()
    about = (
        f"{style.title} by {arranged.part} for {', '.join(names.values())}."
        " Each mark is a figure, each line its interval. The table has the same figures."
    )
    parts = [
        opening(f"{style.title} by {arranged.part} and model", about, bottom + 52),
        *_legend(list(names.values())),
        *_axis(style, _landmark(arranged, style), top, bottom),
    ]
    for row, part in enumerate(arranged.parts):
        y = top + row * band
        parts += _row(arranged, names, part, y, band, style)
    return "\n".join([*parts, "</svg>"])


def _legend(names: list[str]) -> Iterator[str]:
    for i, name in enumerate(names):
        y = 11 + i * LEGEND
        yield (
            f"<g><title>{escape(name)}</title>{mark(i, '8', y)}"
            f'<text x="22" y="{y + 4.5}">{escape(shorten(name, 44))}</text></g>'
        )


def _landmark(arranged: Grid, style: Measure) -> tuple[float, str] | None:
    """A value to compare all others with, and its name."""
    if style.landmark is not None:
        return style.landmark, style.landmark_name
    chances = {estimate.chance for estimate in arranged.cells.values()}
    chance = chances.pop()
    return None if chances or math.isnan(chance) else (chance, "chance")


def _axis(style: Measure, landmark: tuple[float, str] | None, top: int, bottom: int) -> Iterator[str]:
    low, high = style.bounds
    for step in range(5):
        value = low + (high - low) * step / 4
        x = _x(value, style)
        if landmark is None or value != landmark[0]:
            yield line(x, x, top - 4, bottom, 'stroke="var(--grid, #8884)"')
        label = f"{value * style.scale:g}".replace("-", "\N{MINUS SIGN}")
        yield f'<text x="{x}" y="{bottom + 18}" text-anchor="middle" opacity=".75">{label}</text>'
    if landmark is not None:
        x = _x(landmark[0], style)
        yield line(x, x, top - 4, bottom, 'stroke="currentColor" stroke-dasharray="4 4" opacity=".65"')
        yield (
            f'<text x="{x}" y="{top - 11}" text-anchor="middle" font-size="12" opacity=".75">'
            f"{escape(landmark[1])}</text>"
        )
    middle = f"{(LEFT + RIGHT) / 2:g}%"
    title = f"{style.title} (%)" if style.unit else style.title
    place = f'x="{middle}" y="{bottom + 42}"'
    yield f'<text {place} text-anchor="middle" font-weight="600">{escape(title)}</text>'


def _row(
    arranged: Grid, names: dict[tuple[str, ...], str], part: str, top: int, band: int, style: Measure
) -> Iterator[str]:
    name = plain(part) or OVERALL
    weight = "400" if part else "700"
    middle = top + band / 2
    if part:
        yield line("0", "100%", top, top, 'stroke="var(--grid, #8884)"')
    else:
        yield f'<rect x="0" y="{top}" width="100%" height="{band}" fill="currentColor" opacity=".045"/>'
    yield (
        f'<g><title>{escape(name)}</title><text class="problem" x="8" y="{middle + 4.5}"'
        f' font-weight="{weight}">{escape(shorten(name, 18))}</text></g>'
    )
    for i, subject in enumerate(arranged.subjects):
        estimate = arranged.cells.get((subject, part))
        if estimate is None or math.isnan(estimate.value):
            continue
        y = top + GAP / 2 + (i + 0.5) * LANE
        known = not (math.isnan(estimate.low) or math.isnan(estimate.high))
        tip = f"{names[subject]}, {name}: {sentence_value(estimate)}"
        yield f'<g class="figure"><title>{escape(tip)}</title>'
        # Something to point at: the mark alone is small.
        yield f'<rect x="{LEFT}%" y="{y - LANE / 2}" width="{RIGHT - LEFT}%" height="{LANE}" fill="none"'
        yield ' pointer-events="all"/>'
        if known:
            ends = _x(estimate.low, style), _x(estimate.high, style)
            yield line(*ends, y, y, f'style="stroke:{colour(i)}" stroke-width="2.5" stroke-linecap="round"')
        yield mark(i, _x(estimate.value, style), y, hollow=not known)
        yield "</g>"


def _x(value: float, style: Measure) -> str:
    low, high = style.bounds
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return f"{LEFT + share * (RIGHT - LEFT):.2f}%"
