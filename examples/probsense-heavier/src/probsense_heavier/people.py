"""People: how a study asks them the questions, and what their choices are worth beside answers of models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.records import Item
from probsense.tasks.people_forms import PeopleForm, PeopleQuestion, whole


def _question(item: Item) -> PeopleQuestion:
    options = tuple(item.data["options"])
    text = item.data["text"].removesuffix(" It is")
    return PeopleQuestion(item.id, text, options, options.index(item.gold), whole("heavier", item))


PEOPLE: Final = PeopleForm("heavier", "choose", _question)
"""A block ``kind: heavier`` of a study shows both things, in an order of its own for each person."""


def choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
    """Score people's choices for ``compare``: whether the chosen thing is the right one."""
    answers = [str(item.data["options"][option]) for item, option in zip(items, chosen, strict=True)]
    table = pl.DataFrame(
        {
            "item": [item.id for item in items],
            "cluster": [item.cluster for item in items],
            "gold": [item.gold for item in items],
            "label": answers,
            "text": [item.id for item in items],
            "part": [item.data["position"] for item in items],
        }
    )
    return ItemScores(table, table.select(accuracy=(pl.col("gold") == pl.col("label")).cast(pl.Float64)))
