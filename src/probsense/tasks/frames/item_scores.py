"""What each frame of a run is worth in a comparison."""

from __future__ import annotations

import numpy as np
import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.errors import InputError
from probsense.tasks.base import Answered
from probsense.tasks.frames.exact import LISTED_MASS
from probsense.tasks.shared.item_scores import known_items


def frame_scores(answered: Answered) -> ItemScores:
    """Score frames by every measure that was estimated for single frames; NaN where one has no estimate.

    Raises
    ------
    InputError
        If the answers of people have too little probability for a comparison.
    """
    measures = {estimate.measure for estimate in answered.measured.estimates}
    if measures == {LISTED_MASS}:
        raise InputError(f"{answered.model}: {answered.measured.warnings[0]}")
    values: dict[str, dict[str, float]] = {}
    for estimate in answered.measured.estimates:
        if "frame" in estimate.by:
            values.setdefault(estimate.measure, {})[str(estimate.by["frame"])] = estimate.value
    items = answered.items
    scores = {name: [own.get(item.id, np.nan) for item in items] for name, own in values.items()}
    return ItemScores(known_items(items, [None] * len(items)), pl.DataFrame(scores))
