"""Draws shares against the shares that were forecast, with intervals, and a line on which both are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from probsense.show.shapes.marks import DASHED, fitted, intervals
from probsense.show.theme import Spec, by_model, rows, specification


def calibration(
    records: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    titles: tuple[str, str],
    about: str,
    width: int,
    height: int,
) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both shares are the same.

    Parameters
    ----------
    records : sequence of Mapping
        model, probability, share, low, high (in per cent, None for unknown), and tip.
    models : sequence of str
        Their labels, in the order of the legend.
    titles : (str, str)
        Of what was forecast, which goes across, and of what was found.
    about : str
        What the chart shows, for people who cannot see it.
    width, height : int
        In pixels.
    """
    import altair as alt

    hue, shape = by_model(models, width)
    scale = alt.Scale(domain=[0, 100])
    across = alt.X("probability:Q", title=titles[0], scale=scale)
    same = alt.Chart(rows([{"probability": end, "share": end} for end in (0, 100)])).mark_line(**DASHED)
    chart = alt.Chart(rows(records)).encode(x=across, description="tip:N")
    up = alt.Y("share:Q", title=titles[1], scale=scale)
    layers = [same.encode(x=across, y=up), *intervals(chart, up, hue, shape)]
    return specification(fitted(layers, width, height), about)
