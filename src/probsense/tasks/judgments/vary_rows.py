"""Items and rows of a run that varies its questions: those in the first variant, and those of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.records import Item
from probsense.tasks.judgments.vary import VARIANT


def first_items(items: Sequence[Item]) -> list[Item]:
    """Return the items in the first variant: all of them where nothing varies."""
    return [item for item in items if not item.data.get(VARIANT)]


def first_rows(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the first variant: all of them where nothing varies."""
    return table.filter(pl.col(VARIANT) == "") if VARIANT in table.columns else table


def by_variant(items: Sequence[Item], table: pl.DataFrame) -> Iterator[tuple[Sequence[Item], pl.DataFrame]]:
    """Yield items and their rows for each variant; all at once where nothing varies.

    Parameters
    ----------
    items : sequence of Item
    table : DataFrame
        One row for each item, in the same order.
    """
    if VARIANT not in table.columns:
        yield items, table
        return
    for name in table[VARIANT].unique(maintain_order=True):
        yield [item for item in items if item.data[VARIANT] == name], table.filter(pl.col(VARIANT) == name)


def joined_scores(parts: Iterable[ItemScores]) -> ItemScores:
    """Put the scores of variants together; what a variant lacks is null."""
    found = [*parts]
    return ItemScores(
        pl.concat([one.items for one in found]),
        pl.concat([one.scores for one in found], how="diagonal"),
        tuple(dict.fromkeys(note for one in found for note in one.notes)),
    )
