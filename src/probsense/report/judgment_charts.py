"""Charts of models beside people: individuals, statements, features of statements, and what groups share.

Each is drawn from one of the tidy tables of :mod:`probsense.tasks.judgments.charts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from probsense.report.measure import Figure
from probsense.report.svg import Scale, colour, line, mark, opening, text, x_axis
from probsense.report.words import plain, sentence_value, shorten
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.measures import PEOPLE

if TYPE_CHECKING:
    import polars as pl

LANE, LEFT, RIGHT = 20, 27.0, 96.5
"""Height of one rater's lane; where axes begin and end, in percent."""
BINS = 40
"""Of the distribution of people."""
PANELS, COLUMNS, SIDE, CELLS = 6, 3, 190, 24
"""Models of which statements are shown, and how many side by side; height of a panel; cells along its sides."""
DOTS = 400
"""With more statements than this, a panel shows how many lie in each cell and not each of them."""


_ABOUT: Mapping[str, tuple[str, str]] = {
    "individuals": (
        "Models among people",
        "Common sense of each model as an individual, with its interval; above, how many people have how much.",
    ),
    "statements": (
        "Statement by statement",
        "How commonsensical each statement is to people (to the right) and within a model (upwards), for the models"
        " that correlate best with people. The correlation cannot be higher than the ceiling, since people’s values"
        " come from a few answers each.",
    ),
    "features": (
        "Features of statements",
        "By how much statements on one side of a feature are more commonsensical than on the other.",
    ),
    "pq": (
        "What groups share",
        "The largest share of statements on which some group of so many raters gives the same answers: the pq curve,"
        " with its interval.",
    ),
}
"""Title and meaning of each chart."""


def judgment_figures(tables: Mapping[str, pl.DataFrame], estimates: Sequence[Estimate]) -> list[Figure]:
    """Every chart for which there is a table.

    Parameters
    ----------
    tables : Mapping of str to DataFrame
        By name, as of an :class:`~probsense.tasks.analysis.Analysis`.
    estimates : sequence of Estimate
        Of the same analysis: correlations and their ceiling.
    """
    draw: Mapping[str, Callable[[pl.DataFrame], str]] = {
        "individuals": individuals_chart,
        "statements": partial(statements_chart, estimates=estimates),
        "features": features_chart,
        "pq": pq_chart,
    }
    return [Figure(name, *_ABOUT[name], draw[name](tables[name])) for name in _ABOUT if name in tables]


def individuals_chart(table: pl.DataFrame) -> str:
    """People's distribution, and below it a lane for each model and baseline, the best first."""
    people = [row["score"] for row in table.iter_rows(named=True) if row["kind"] == "person"]
    raters = [row for row in table.iter_rows(named=True) if row["kind"] != "person"]
    raters.sort(key=lambda row: -row["score"])
    values = [
        *people,
        *(row["score"] for row in raters),
        *(row["low"] for row in raters if row["low"] is not None),
    ]
    scale = Scale(math.floor(min(values) * 10 - 1e-9) / 10, 1.0, LEFT, RIGHT)
    top, height = 24, 130 if people else 0
    lanes = top + height + 14
    bottom = lanes + LANE * len(raters) + 6
    about = (
        f"Common sense of {len(people):,} people and of {', '.join(plain(row['name']) for row in raters)}."
    )
    parts = [opening("Models among people", about, bottom + 52)]
    parts += x_axis(scale, top, bottom, "Common sense (%)")
    if people:
        parts += _histogram(people, scale, top, height)
        middle = sorted(people)[len(people) // 2]
        x = scale.at(middle)
        parts.append(
            line(x, x, top - 4, bottom, 'stroke="currentColor" stroke-dasharray="4 4" opacity=".65"')
        )
        parts.append(
            text(x, top - 10, "median of people", 'text-anchor="middle" font-size="12" opacity=".75"')
        )
    for i, row in enumerate(raters):
        parts += _lane(row, scale, lanes + (i + 0.5) * LANE)
    return "\n".join([*parts, "</svg>"])


def _histogram(people: Sequence[float], scale: Scale, top: float, height: float) -> Iterator[str]:
    width = (scale.high - scale.low) / BINS
    counts = [0] * BINS
    for value in people:
        counts[min(int((value - scale.low) / width), BINS - 1)] += 1
    yield text("8", top + height / 2, f"{len(people):,} people", 'font-weight="700"')
    for i, count in enumerate(counts):
        if count:
            low, high = scale.low + i * width, scale.low + (i + 1) * width
            tall = height * count / max(counts)
            tip = f"{count:,} people between {low * 100:.3g} and {high * 100:.3g} %"
            yield (
                f'<rect x="{scale.at(low)}" y="{top + height - tall:.1f}" height="{tall:.1f}"'
                f' width="{scale.place(high) - scale.place(low) - 0.12:.2f}%" style="fill:{colour(0)}" opacity=".5">'
                f"<title>{escape(tip)}</title></rect>"
            )


def _lane(row: Mapping[str, object], scale: Scale, y: float) -> Iterator[str]:
    baseline = row["kind"] == "baseline"
    name, score, low, high = plain(row["name"]), float(str(row["score"])), row["low"], row["high"]
    tip = f"{name}: {score * 100:.1f} %"
    style = 'font-style="italic" opacity=".8"' if baseline else ""
    yield f'<g class="figure"><title>{escape(tip)}</title>'
    yield text("8", y + 4.5, shorten(name, 24), style)
    if low is not None and high is not None:
        ends = scale.at(float(str(low))), scale.at(float(str(high)))
        yield line(*ends, y, y, f'style="stroke:{colour(6 if baseline else 1)}" stroke-width="2.5"')
    yield mark(6 if baseline else 1, scale.at(score), y, hollow=baseline)
    yield "</g>"


def statements_chart(table: pl.DataFrame, estimates: Sequence[Estimate]) -> str:
    """A panel for each of the models that correlate best with people."""
    import polars as pl

    r = {e.by["model"]: e for e in reversed(estimates) if e.measure == "group_r"}
    ceiling = next((e for e in estimates if e.measure == "ceiling"), None)
    models = table["model"].unique(maintain_order=True).to_list()
    models.sort(key=lambda model: -r[model].value if model in r else math.inf)
    shown = models[:PANELS]
    rows = math.ceil(len(shown) / COLUMNS)
    band = SIDE + 58
    width = (RIGHT + 2.5 - 5) / COLUMNS
    of = f" (at most {ceiling.value:.2f})" if ceiling else ""
    about = "Commonsensicality of statements to people and within each of these models: " + ", ".join(
        plain(model) for model in shown
    )
    parts = [opening("Statement by statement", about, rows * band + 40)]
    for i, model in enumerate(shown):
        left, top = 5 + width * (i % COLUMNS), 42 + band * (i // COLUMNS)
        own = table.filter(pl.col("model") == model)
        scale = Scale(0.0, 1.0, left, left + width - 5)
        said = f"r = {r[model].value:.2f}{of}" if model in r else ""
        tip = f"{plain(model)}: correlation {sentence_value(r[model])}{of}" if model in r else plain(model)
        parts.append(f"<g><title>{escape(tip)}</title>")
        parts.append(text(scale.at(0), top - 22, shorten(plain(model), 24), 'font-weight="600"'))
        parts.append(text(scale.at(0), top - 6, said, 'font-size="12" opacity=".75"'))
        parts += _panel(own["people"].to_list(), own["value"].to_list(), scale, top)
        parts.append("</g>")
    middle = f"{(5 + RIGHT) / 2:g}%"
    bottom = rows * band + 34
    parts.append(
        text(
            middle,
            bottom,
            "People (%) across, the model (%) upwards",
            'text-anchor="middle" font-weight="600"',
        )
    )
    return "\n".join([*parts, "</svg>"])


def _panel(x: Sequence[float], y: Sequence[float], scale: Scale, top: float) -> Iterator[str]:
    bottom = top + SIDE
    for value in (0.0, 0.5, 1.0):
        at, level = scale.at(value), bottom - value * SIDE
        yield line(at, at, top, bottom, 'stroke="var(--grid, #8884)"')
        yield line(scale.at(0), scale.at(1), level, level, 'stroke="var(--grid, #8884)"')
        small = 'font-size="11" opacity=".75"'
        yield text(at, bottom + 15, f"{value * 100:g}", f'text-anchor="middle" {small}')
        yield text(f"{scale.left - 0.6:.2f}%", level + 4, f"{value * 100:g}", f'text-anchor="end" {small}')
    if len(x) <= DOTS:
        for a, b in zip(x, y, strict=True):
            at = f'cx="{scale.at(a)}" cy="{bottom - b * SIDE:.1f}"'
            yield f'<circle {at} r="2.6" style="fill:{colour(0)}" opacity=".5"/>'
        return
    counts: dict[tuple[int, int], int] = {}
    for a, b in zip(x, y, strict=True):
        cell = min(int(a * CELLS), CELLS - 1), min(int(b * CELLS), CELLS - 1)
        counts[cell] = counts.get(cell, 0) + 1
    most, tall = max(counts.values()), SIDE / CELLS
    for (i, k), count in sorted(counts.items()):
        wide = (scale.right - scale.left) / CELLS
        yield (
            f'<rect x="{scale.at(i / CELLS)}" y="{bottom - (k + 1) * tall:.1f}" width="{wide:.2f}%" height="{tall:.1f}"'
            f' style="fill:{colour(0)}" opacity="{math.sqrt(count / most):.2f}"/>'
        )


def features_chart(table: pl.DataFrame) -> str:
    """A row for each feature: people with their interval, below them all models."""
    features = table["feature"].unique(maintain_order=True).to_list()
    rows = [*table.iter_rows(named=True)]
    with_people = any(row["model"] == PEOPLE for row in rows)
    reach = max(
        max(abs(row["low"]), abs(row["high"])) if row["model"] == PEOPLE else abs(row["value"])
        for row in rows
    )
    reach = math.ceil(max(reach, 0.01) * 20 - 1e-9) / 20
    scale = Scale(-reach, reach, LEFT, RIGHT)
    band, top = 30 + 24 * with_people, 34
    bottom = top + band * len(features)
    about = "Differences between the two sides of " + ", ".join(plain(feature) for feature in features)
    parts = [opening("Features of statements", about, bottom + 52)]
    parts += x_axis(scale, top, bottom, "Difference (points)")
    zero = scale.at(0)
    parts.append(
        line(zero, zero, top - 4, bottom, 'stroke="currentColor" stroke-dasharray="4 4" opacity=".65"')
    )
    if with_people:
        parts.append(mark(2, "8", 11) + text("22", 15.5, "people"))
    shift = 90 if with_people else 8
    parts.append(mark(0, f"{shift}", 11) + text(f"{shift + 14}", 15.5, "each model"))
    for i, feature in enumerate(features):
        y = top + i * band
        parts.append(line("0", "100%", y, y, 'stroke="var(--grid, #8884)"'))
        parts.append(text("8", y + band / 2 + 4.5, shorten(plain(feature), 24)))
        for row in (row for row in rows if row["feature"] == feature):
            people = row["model"] == PEOPLE
            tip = f"{plain(row['model'])}, {plain(feature)}: {row['value'] * 100:+.1f} points"
            parts.append(f'<g class="figure"><title>{escape(tip)}</title>')
            at = y + (15 if people else band - 15)
            if people:
                ends = scale.at(row["low"]), scale.at(row["high"])
                parts.append(line(*ends, at, at, f'style="stroke:{colour(2)}" stroke-width="2.5"'))
                parts.append(mark(2, scale.at(row["value"]), at))
            else:
                parts.append(
                    f'<circle cx="{scale.at(row["value"])}" cy="{at}" r="4.5" style="fill:{colour(0)}" opacity=".55"/>'
                )
            parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def pq_chart(table: pl.DataFrame) -> str:
    """A stair for each population: the best group of so many raters; dashed where more cannot be ruled out."""
    import polars as pl

    scale = Scale(0.0, 1.0, 8, RIGHT)
    populations = table["population"].unique(maintain_order=True).to_list()
    top, height = 22 * len(populations) + 22, 260
    bottom = top + height
    about = "Share of statements that a share of raters has in common, for " + ", ".join(
        map(plain, populations)
    )
    parts = [opening("What groups share", about, bottom + 52)]
    parts += x_axis(scale, top, bottom, "Share of the raters (%)")
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = bottom - value * height
        parts.append(line(scale.at(0), scale.at(1), y, y, 'stroke="var(--grid, #8884)"'))
        parts.append(
            text(f"{scale.left - 1:g}%", y + 4.5, f"{value * 100:g}", 'text-anchor="end" opacity=".75"')
        )
    for i, name in enumerate(populations):
        own = table.filter(pl.col("population") == name)
        parts.append(
            mark(i, "14", 11 + 22 * i) + text("28", 15.5 + 22 * i, f"{own['raters'][0]:,} {plain(name)}")
        )
        parts += _stair(own, i, scale, bottom, height)
    return "\n".join([*parts, "</svg>"])


def _stair(own: pl.DataFrame, i: int, scale: Scale, bottom: float, height: float) -> Iterator[str]:
    before, above = 0.0, None
    for row in own.iter_rows(named=True):
        start, end, y = scale.at(before), scale.at(row["p"]), bottom - row["q"] * height
        tall = max((row["high"] - row["low"]) * height, 0)
        wide = scale.place(row["p"]) - scale.place(before)
        yield (
            f'<rect x="{start}" y="{bottom - row["high"] * height:.1f}" width="{wide:.2f}%" height="{tall:.1f}"'
            f' style="fill:{colour(i)}" opacity=".16"/>'
        )
        tip = f"{row['p'] * 100:.3g} % of them share {row['q'] * 100:.3g} % of the statements"
        yield f'<g class="figure"><title>{escape(tip)}</title>'
        how = f'style="stroke:{colour(i)}" stroke-width="2.5"'
        yield line(start, end, y, y, how) + "</g>"
        if above is not None:
            yield line(start, start, above, y, how)
        if row["q_bound"] > row["q"]:
            bound = bottom - row["q_bound"] * height
            yield line(start, end, bound, bound, f'style="stroke:{colour(i)}" stroke-dasharray="3 3"')
        before, above = row["p"], y
