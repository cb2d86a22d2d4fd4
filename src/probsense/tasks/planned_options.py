"""Plans studies of tasks that compare scored options: how many questions an accuracy or a difference takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.proportions import proportion_estimate
from probsense.core.errors import InputError
from probsense.show.words import Words
from probsense.tasks.base import Answered
from probsense.tasks.hits import Answering, Hits, HitsStudy, complete, least_alike, pilot_answering
from probsense.tasks.item_scores import plain_scores
from probsense.tasks.planned_study import Planned, Setting

MOST: Final = 50_000


def plan_options(
    words: Words,
    unit: str,
    siblings: int,
    usual: Answering,
    given: Mapping[str, float | None],
    pilot: Sequence[Answered],
) -> Planned:
    """Plan a study of questions with options.

    Parameters
    ----------
    words : Words
        Those of the task.
    unit : str
        What the task calls a question, in the singular.
    siblings : int
        How many questions belong together.
    usual : Answering
        What is assumed where nothing is known.
    given : Mapping of str to float or None
        What the user assumes, by the name of the attribute of
        :class:`~probsense.tasks.hits.Answering`; None where the pilot or the usual assumption counts.
    pilot : sequence of Answered
        Runs of the task.

    Raises
    ------
    InputError
        For an assumption that is impossible.
    """
    told, notes = pilot_answering([plain_scores(run) for run in pilot])
    known = {name: value for name, value in given.items() if value is not None}
    assumed = {"accuracy": usual.accuracy, "alike": usual.alike, "shared": usual.shared}
    assumed |= {name: value for name, value in told.items() if name in assumed} | known
    if siblings == 1:
        assumed["alike"] = 0.0
    least = least_alike(assumed["accuracy"], siblings)
    if "alike" in known and assumed["alike"] < least:
        raise InputError(
            f"answers alike by {assumed['alike']:g} at an accuracy of {assumed['accuracy']:g}",
            expected=f"at least {least:.3f}",
        )
    assumed["alike"] = max(assumed["alike"], least)

    @cache
    def layout(size: int) -> pl.DataFrame:
        names = pl.Series("item", np.arange(size).astype(str))
        clusters = pl.Series("cluster", (np.arange(size) // siblings).astype(str))
        return complete(pl.DataFrame([names, clusters]))

    study = HitsStudy(unit, 4 * siblings, MOST, Answering(**assumed), layout, _measured)
    if siblings == 1:
        del assumed["alike"]
    return Planned(
        words.title,
        words.measure("accuracy"),
        assumed["accuracy"],
        {**assumed},
        [Setting({}, study)],
        notes,
    )


def _measured(items: pl.DataFrame, hits: Hits) -> list[Estimate]:
    """Estimate accuracies as :func:`~probsense.tasks.options.option_estimates` does."""
    clusters = items["cluster"].rank("dense").to_numpy()
    return [proportion_estimate("accuracy", {}, own, clusters) for own in hits]
