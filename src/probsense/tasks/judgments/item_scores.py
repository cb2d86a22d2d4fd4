"""What single items of a run are worth in a comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import match
from probsense.analysis.comparison.scores import ItemScores
from probsense.analysis.distributions.labels import binary
from probsense.core.records import Item
from probsense.tasks.judgments.judged import BesidePeople, Judged
from probsense.tasks.judgments.silence import silent_models
from probsense.tasks.shared.item_scores import known_items

MASSES = ("p_yes", "p_no", "p_other")


def run_item_scores(items: Sequence[Item], table: pl.DataFrame, judged: Judged) -> ItemScores:
    """Score the items of a run.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        One row for each item: the table that :meth:`~probsense.tasks.judgments.task.Judgments.measure` makes.
    judged : Judged
        The same answers, of one model, or of the population of its personas.

    Returns
    -------
    ItemScores
        A part is a question. The measures are "yes_mass" and "other_mass", and before them "majority_agreement" if it
        is known what most people say. Of a model that says too little, "other_mass" alone can be compared.
    """
    most = table.select(pl.concat_list(MASSES).list.arg_max()).to_series().to_list()
    labels = [None if place is None else MASSES[place].removeprefix("p_") for place in most]
    scores = table.select(yes_mass="p_yes", other_mass="p_other")
    if isinstance(judged, BesidePeople):
        agreement = pl.Series("majority_agreement", majority_agreement(table, judged), nan_to_null=True)
        scores = scores.insert_column(0, agreement)
    known = known_items(items, labels).with_columns(table["question"].alias("part"))
    silent = silent_models(judged)
    return ItemScores(known, scores.select("other_mass") if silent else scores, tuple(silent.values()))


def majority_agreement(table: pl.DataFrame, judged: BesidePeople) -> NDArray[np.float64]:
    """Tell whether each answer is that of most people.

    Parameters
    ----------
    table : DataFrame
        Columns statement_id, question, p_yes, p_no and p_other.
    judged : BesidePeople
        What people say of the same statements.

    Returns
    -------
    ndarray, shape (rows,)
        1 or 0; 0.5 for a tie; NaN if that is unknown, as it always is for the third question.
    """
    key = judged.key[np.searchsorted(judged.ids, table["statement_id"].to_numpy())]
    given = binary(table.select(MASSES).to_numpy(), judged.policy, key, tie=0.5)
    asked = table["question"].is_in(["q1", "q2"]).to_numpy()
    return np.where(asked, match(given, key), np.nan)
