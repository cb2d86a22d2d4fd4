"""Panels of distributions, one below the other: a row for each outcome, and in it a bar for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from probsense.show.text import plain
from probsense.show.theme import CHARACTER, NARROW, by_model, labels, letters, rows

if TYPE_CHECKING:
    import altair as alt


BAR, GAP = 9, 9
"""Height of a bar, and what is left between rows."""
APART = 18
"""How many pixels separate panels."""


class Distribution(NamedTuple):
    """What one panel shows.

    Attributes
    ----------
    title : str
    shares : sequence of (str, str, float)
        The outcome, the model, and the share of the outcome in this model's answers, from 0 to 1.
    """

    title: str
    shares: Sequence[tuple[str, str, float]]


def distributions(
    panels: Sequence[Distribution], models: Mapping[str, str], title: str, most: float, width: int
) -> alt.VConcatChart:
    """Draw a panel for each distribution; only the last one has the title of the axis.

    Parameters
    ----------
    panels : sequence of Distribution
    models : Mapping of str to str
        The label of each model.
    title : str
        Title of the axis of shares.
    most : float
        Where this axis ends, in per cent.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    size = 24 if width > NARROW else 15
    outcomes = [labels((outcome for outcome, *_ in panel.shares), size) for panel in panels]
    inner = width - max(letters(own.values()) for own in outcomes) - 40
    hue, _ = by_model([*models.values()], inner)
    scale = alt.Scale(domain=[0, most], nice=False)
    lanes = alt.Scale(domain=[*models.values()], paddingInner=0, paddingOuter=GAP / BAR / 2)
    lane = alt.YOffset("model:N", sort=None, scale=lanes)
    drawn = []
    for panel, own in zip(panels, outcomes, strict=True):
        records = [
            {
                "outcome": own[outcome],
                "model": models[model],
                "share": share * 100,
                "tip": plain(f"{model}, {outcome}: {share * 100:z.1f} %"),
            }
            for outcome, model, share in panel.shares
        ]
        x = alt.X("share:Q", title=title if panel is panels[-1] else None, scale=scale)
        y = alt.Y(
            "outcome:N",
            sort=[*own.values()],
            title=None,
            scale=alt.Scale(padding=0),
            axis=alt.Axis(labelLimit=0),
        )
        bars = alt.Chart(rows(records)).mark_bar().encode(x, y, hue, lane, description="tip:N")
        drawn.append(
            bars.properties(
                title=wrap(plain(panel.title), int(inner / CHARACTER)),
                width=inner,
                height=len(own) * (BAR * len(models) + GAP),
            )
        )
    return alt.vconcat(*drawn, spacing=APART)
