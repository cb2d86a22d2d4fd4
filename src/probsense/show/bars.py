"""A panel of bars: a row for each outcome of a distribution, a bar for each model in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from probsense.show.theme import by_model, rows

if TYPE_CHECKING:
    import altair as alt

BAR, GAP = 9, 9
"""Height of a bar, and what is left between rows."""
APART: Final = 18
"""How many pixels separate panels that stand one below the other."""


def bars(
    records: Sequence[Mapping[str, Any]],
    outcomes: Sequence[str],
    models: Sequence[str],
    place: alt.X,
    width: float,
) -> alt.Chart:
    """Draw one distribution.

    Parameters
    ----------
    records : sequence of mapping
        "outcome" and "model" (labels), "share" (in per cent) and "tip" (what to say of it).
    outcomes, models : sequence of str
        Labels, in order.
    place : X
        The axis of shares.
    width : float
        Width of the area of bars, in pixels.
    """
    import altair as alt

    hue, _ = by_model(models, width)
    lanes = alt.Scale(domain=[*models], paddingInner=0, paddingOuter=GAP / BAR / 2)
    drawn: alt.Chart = (
        alt.Chart(rows(records))
        .mark_bar()
        .encode(
            x=place,
            y=alt.Y(
                "outcome:N",
                sort=[*outcomes],
                title=None,
                scale=alt.Scale(padding=0),
                axis=alt.Axis(labelLimit=0),
            ),
            yOffset=alt.YOffset("model:N", sort=None, scale=lanes),
            color=hue,
            description="tip:N",
        )
        .properties(width=width, height=len(outcomes) * (BAR * len(models) + GAP))
    )
    return drawn
