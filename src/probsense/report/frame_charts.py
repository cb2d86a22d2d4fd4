"""Charts of frames: distributions over clusters side by side, a figure of every frame, what so many answers can tell.

Each is drawn from one of the tidy tables of :mod:`probsense.tasks.frames.charts`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from probsense.answers.bound import EPSILON, LEVEL
from probsense.report.measure import Figure
from probsense.report.svg import Scale, colour, line, mark, opening, text, x_axis
from probsense.report.words import measure_of, plain, shorten
from probsense.tasks.frames.charts import NO_CLUSTER, PEOPLE

if TYPE_CHECKING:
    import polars as pl

LEFT, RIGHT = 27.0, 96.5
"""Where axes begin and end, in percent."""
PANELS, CLUSTERS, MODELS = 4, 8, 3
"""Frames whose distributions are shown, and the clusters and models in each."""
BAR = 9
"""Height of a bar."""
LANE, ROWS = 15, 60
"""Height of one model's lane in the forest; of more frames than this, the outermost are shown."""
FARTHEST = 10.0
"""Beyond this the forest ends: what is farther stands at its edge."""
SMALLEST, HEIGHT = 1e-4, 220
"""The lowest probability of the bound's chart, and its height."""

_ABOUT: Mapping[str, tuple[str, str]] = {
    "distributions": (
        "What people and models answer",
        f"Shares of answers in each cluster, for up to {PANELS} frames: from where the model is nearest to people, to"
        " where it is farthest. A cluster is called by its most frequent answer.",
    ),
    "forest": (
        "Frame by frame",
        "Each frame with its interval, the mean of all first; the nearest to people are at the top.",
    ),
    "bound": (
        "How much so many answers can tell",
        f"A bound on how often a sample of answers is {EPSILON:g} nats or more from what it is drawn from, by the"
        f" number of clusters, whatever the distribution. Below the dashed line it is at most {LEVEL:.0%} of them.",
    ),
}
"""Title and meaning of each chart."""


def frame_figures(tables: Mapping[str, pl.DataFrame]) -> list[Figure]:
    """Every chart for which there is a table.

    Parameters
    ----------
    tables : Mapping of str to DataFrame
        By name, as of an :class:`~probsense.tasks.analysis.Analysis`.
    """
    draw: Mapping[str, Callable[[], str]] = {
        "distributions": lambda: distributions_chart(tables["distributions"], tables["forest"]),
        "forest": lambda: forest_chart(tables["forest"]),
        "bound": lambda: bound_chart(tables["bound"]),
    }
    return [Figure(name, *_ABOUT[name], draw[name]()) for name in _ABOUT if name in tables]


def distributions_chart(shares: pl.DataFrame, forest: pl.DataFrame) -> str:
    """A panel for each of some frames: a row for each cluster, a bar for people and for each model."""
    import polars as pl

    models = [name for name in shares["model"].unique(maintain_order=True) if name != PEOPLE][:MODELS]
    frames = _spread(_order(forest, models[0]), PANELS)
    who = [PEOPLE, *models]
    band = (BAR + 2) * len(who) + 8
    top = 22 * len(who) + 8
    panels = [(frame, _rows(shares.filter(pl.col("frame") == frame), who)) for frame in frames]
    longest = max(share for _, rows in panels for row in rows.values() for share in row.values())
    scale = Scale(0.0, math.ceil(max(longest, 0.1) * 10 - 1e-9) / 10, LEFT, RIGHT)
    height = top + sum(48 + band * len(rows) for _, rows in panels)
    about = (
        f"Shares of the answers of {', '.join(map(plain, who))} in each cluster, for {len(frames)} frames."
    )
    parts = [opening("What people and models answer", about, height + 52)]
    parts += _legend(who)
    parts += x_axis(scale, top, height, "Share of the answers (%)")
    y = float(top)
    for frame, rows in panels:
        words = shares.filter(pl.col("frame") == frame)["text"][0]
        parts.append(f"<g><title>{escape(plain(words))}</title>")
        parts.append(text("8", y + 24, shorten(plain(words), 84), 'font-weight="600"') + "</g>")
        y += 36
        parts.append(line(scale.at(0), scale.at(0), y, y + band * len(rows), 'stroke="currentColor"'))
        for cluster, row in rows.items():
            parts += _bars(cluster, row, who, scale, y, band)
            y += band
        y += 12
    return "\n".join([*parts, "</svg>"])


def _rows(own: pl.DataFrame, who: Sequence[str]) -> dict[str, dict[str, float]]:
    """Shares by cluster and by whom, the largest of people's first, what is in no cluster last."""
    found: dict[str, dict[str, float]] = {}
    for row in own.iter_rows(named=True):
        if row["model"] in who:
            found.setdefault(row["cluster"], {})[row["model"]] = row["share"]
    ordered = sorted(
        found, key=lambda name: (name == NO_CLUSTER, -found[name].get(PEOPLE, 0), -sum(found[name].values()))
    )
    rest = ordered[CLUSTERS - 1 : -1] if len(ordered) > CLUSTERS else []
    rows = {name: found[name] for name in ordered if name not in rest}
    if rest:
        others = {name: sum(found[cluster].get(name, 0.0) for cluster in rest) for name in who}
        last = rows.popitem()
        rows |= {f"{len(rest)} other clusters": others, last[0]: last[1]}
    return rows


def _bars(
    cluster: str, row: Mapping[str, float], who: Sequence[str], scale: Scale, y: float, band: float
) -> Iterator[str]:
    style = 'font-style="italic" opacity=".8"' if cluster == NO_CLUSTER else ""
    yield text("8", y + band / 2 + 4.5, shorten(plain(cluster), 24), style)
    for i, name in enumerate(who):
        share = row.get(name, 0.0)
        tip = f"{plain(name)}, {plain(cluster)}: {share * 100:.1f} %"
        wide = scale.place(share) - scale.left
        yield (
            f'<rect x="{scale.at(0)}" y="{y + 4 + i * (BAR + 2):g}" width="{wide:.2f}%" height="{BAR}"'
            f' style="fill:{colour(i)}"><title>{escape(tip)}</title></rect>'
        )


def forest_chart(table: pl.DataFrame) -> str:
    """A row for each frame, the overall figure first; a mark with its interval for each model."""
    import polars as pl

    models = table["model"].unique(maintain_order=True).to_list()
    measure = _measure(table)
    table = table.filter(pl.col("measure") == measure)
    style = measure_of(measure)
    frames = _order(table, models[0])
    if len(frames) > ROWS:
        frames = [*frames[: ROWS // 2], *frames[-(ROWS // 2) :]]
    cells = {(row["model"], row["frame"]): row for row in table.iter_rows(named=True)}
    scale = _forest_scale([row for row in cells.values() if row["frame"] in (None, *frames)])
    band = LANE * len(models) + 6
    top = 22 * len(models) + 30
    bottom = top + band * (len(frames) + 1)
    about = f"{style.title} of each frame, for {', '.join(map(plain, models))}. Each line is an interval."
    parts = [opening("Frame by frame", about, bottom + 52)]
    parts += _legend(models, first=1)  # in the colours that they have beside people
    parts += x_axis(scale, top, bottom, style.title, unit=style.scale)
    if style.landmark is not None:
        x = scale.at(style.landmark)
        parts.append(line(x, x, top, bottom, 'stroke="currentColor" stroke-dasharray="4 4" opacity=".65"'))
        how = 'text-anchor="middle" font-size="12" opacity=".75"'
        parts.append(text(x, top - 7, style.landmark_name, how))
    for i, frame in enumerate([None, *frames]):
        y = top + i * band
        name = "Overall" if frame is None else plain(frame)
        if frame is None:
            parts.append(
                f'<rect x="0" y="{y}" width="100%" height="{band}" fill="currentColor" opacity=".045"/>'
            )
        weight = "700" if frame is None else "400"
        parts.append(text("8", y + band / 2 + 4.5, shorten(name, 24), f'font-weight="{weight}"'))
        for k, model in enumerate(models, start=1):
            row = cells.get((model, frame))
            if row is not None and row["value"] == row["value"]:
                parts += _whisker(k, name, row, scale, y + 3 + (k - 0.5) * LANE)
    return "\n".join([*parts, "</svg>"])


def _whisker(k: int, name: str, row: Mapping[str, Any], scale: Scale, y: float) -> Iterator[str]:
    known = row["low"] == row["low"]
    ends = f" ({row['low']:.3f} to {row['high']:.3f})" if known else ""
    tip = f"{plain(row['model'])}, {name}: {row['value']:.3f}{ends}"
    yield f'<g class="figure"><title>{escape(tip)}</title>'
    if known:
        how = f'style="stroke:{colour(k)}" stroke-width="2.5" stroke-linecap="round"'
        yield line(scale.at(row["low"]), scale.at(row["high"]), y, y, how)
    yield mark(k, scale.at(row["value"]), y, hollow=not known)
    yield "</g>"


def _forest_scale(rows: Sequence[Mapping[str, Any]]) -> Scale:
    ends = [row[name] for row in rows for name in ("value", "low", "high") if math.isfinite(row[name])]
    low, high = min([0.0, *ends]), max([0.1, *ends])
    step = 0.1 if high - low < 1.2 else 0.5
    low, high = (math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)
    return Scale(max(low, -FARTHEST), min(high, FARTHEST), LEFT, RIGHT)


def bound_chart(table: pl.DataFrame) -> str:
    """A curve for each number of clusters, on a logarithmic scale; a line at the number of answers that there are."""
    import polars as pl

    categories = table["categories"].unique(maintain_order=True).to_list()
    given, most = table["given"][0], int(max(table["answers"]))
    scale = Scale(0.0, float(most), 9, RIGHT)
    top = 22 * len(categories) + 22
    bottom = top + HEIGHT
    decades = -math.log10(SMALLEST)

    def height(probability: float) -> float:
        shown = min(max(probability, SMALLEST), 1.0)
        return bottom - HEIGHT * (1 + math.log10(shown) / decades)

    about = "Bound on the probability that a sample strays, for " + ", ".join(
        f"{k} clusters" for k in categories
    )
    parts = [opening("How much so many answers can tell", about, bottom + 52)]
    parts += x_axis(scale, top, bottom, "Answers", unit=1)
    for power in range(int(decades) + 1):
        y = height(10.0**-power)
        parts.append(line(scale.at(0), scale.at(most), y, y, 'stroke="var(--grid, #8884)"'))
        how = 'text-anchor="end" opacity=".75"'
        parts.append(text(f"{scale.left - 0.8:.2f}%", y + 4.5, f"{10.0**-power:g}", how))
    dashed = 'stroke="currentColor" stroke-dasharray="4 4" opacity=".65"'
    parts.append(line(scale.at(0), scale.at(most), height(LEVEL), height(LEVEL), dashed))
    parts.append(line(scale.at(given), scale.at(given), top - 4, bottom, dashed))
    how = 'text-anchor="middle" font-size="12" opacity=".75"'
    parts.append(text(scale.at(given), top - 9, f"{given:,} answers", how))
    for i, k in enumerate(categories):
        parts.append(mark(i, "14", 11 + 22 * i) + text("28", 15.5 + 22 * i, f"{k} clusters"))
        own = table.filter(pl.col("categories") == k)
        points = [*zip(own["answers"].to_list(), own["probability"].to_list(), strict=True)]
        stroke = f'style="stroke:{colour(i)}" stroke-width="2" stroke-linecap="round"'
        for (a, p), (b, q) in pairwise(points):
            if p >= SMALLEST and q <= 1:
                parts.append(line(scale.at(a), scale.at(b), height(p), height(q), stroke))
    return "\n".join([*parts, "</svg>"])


def _legend(names: Sequence[str], first: int = 0) -> Iterator[str]:
    """Names with their colours; from the first colour on as boxes, else as marks."""
    for i, name in enumerate(names):
        y = 11 + i * 22
        box = f'<rect x="8" y="{y - 5}" width="12" height="10" style="fill:{colour(i)}"/>'
        yield (mark(i + first, "14", y) if first else box) + text("28", y + 4.5, shorten(plain(name), 44))


def _order(forest: pl.DataFrame, model: str) -> list[str]:
    """The frames of a model, those with the lowest figure first."""
    import polars as pl

    own = forest.filter(
        (pl.col("model") == model) & (pl.col("measure") == _measure(forest)) & pl.col("frame").is_not_null()
    )
    return own.sort("value", nulls_last=True, maintain_order=True)["frame"].to_list()


def _measure(forest: pl.DataFrame) -> str:
    """The first measure that all models have, or else the last."""
    import polars as pl

    measures = forest["measure"].unique(maintain_order=True).to_list()
    models = forest["model"].n_unique()
    shared = (m for m in measures if forest.filter(pl.col("measure") == m)["model"].n_unique() == models)
    return str(next(shared, measures[-1]))


def _spread(names: Sequence[str], most: int) -> list[str]:
    """At most so many names, at even distances, the first and the last among them."""
    if len(names) <= most:
        return [*names]
    return [names[round(i * (len(names) - 1) / (most - 1))] for i in range(most)]
