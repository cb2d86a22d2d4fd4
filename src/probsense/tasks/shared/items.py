"""Items of a task: which ones a limit draws, and their scores in a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.base import Answered, check_limit

VIEWS = r"^accuracy\..+$"
"""The columns of accuracy under single views, as polars chooses columns."""
TEXTS = ("text", "sentence", "statement", "context")
"""Keys under which an item's data have its words."""


def draw_clusters(items: Sequence[Item], limit: int | None, seed: int) -> Sequence[Item]:
    """Draw ``limit`` items at most: whole clusters in drawn order, until one does not fit any more.

    Parameters
    ----------
    items : sequence of Item
    limit : int or None
        Number of items; None for all of them.
    seed : int
        A larger limit with the same seed leaves no item out that a smaller one takes.

    Returns
    -------
    sequence of Item
        In their order.

    Raises
    ------
    InputError
        For a limit below 1, or if the first cluster drawn does not fit.
    """
    check_limit(limit)
    if limit is None or len(items) <= limit:
        return items
    sizes = Counter(item.cluster for item in items)
    clusters = list(sizes)
    chosen: set[str] = set()
    for place in np.random.default_rng([seed, 4]).permutation(len(clusters)):
        limit -= sizes[clusters[place]]
        if limit < 0:
            break
        chosen.add(clusters[place])
    if not chosen:
        raise InputError("a limit below one whole cluster", expected=f"at least {max(sizes.values())}")
    return [item for item in items if item.cluster in chosen]


def plain_scores(answered: Answered) -> ItemScores:
    """Score the items of any task whose table has a row for each: accuracy if there is one, and every other number.

    If the table has columns ``gold`` and ``resp``, "accuracy" is whether they agree; with columns ``resp.VIEW``,
    "accuracy.VIEW" is the same under each view.

    Parameters
    ----------
    answered : Answered

    Raises
    ------
    InputError
        If the table has not one row for each item.
    """
    table, items = answered.results.table, answered.items
    if table is None or table.height != len(items):
        rows = "no table" if table is None else f"a table of {table.height:,} rows"
        raise InputError(f"the task has {rows} for {len(items):,} items")
    chosen = [name for name in table.columns if name.partition(".")[0] == "resp" and "gold" in table.columns]
    right = [(pl.col(name) == pl.col("gold")).alias(name.replace("resp", "accuracy", 1)) for name in chosen]
    scores = table.select(*right, pl.selectors.float())
    given = table["resp"].to_list() if "resp" in table.columns else [None] * len(items)
    return ItemScores(known_items(items, given), scores.select(pl.exclude(VIEWS), pl.col(VIEWS)))


def choice_scores(items: Sequence[Item], chosen: Sequence[int]) -> ItemScores:
    """Score people's choices among the options of items: 1 for the right option, 0 for others, null where none is.

    Parameters
    ----------
    items : sequence of Item
        One for each choice; an item may come often.
    chosen : sequence of int
        The index of each chosen option.

    Returns
    -------
    ItemScores
        Measures are accuracy and p_gold. Both have the mean that is the share of people who chose the right option:
        how often somebody is right, and how probable the right answer is.
    """
    gold = pl.Series([item.gold or None for item in items], dtype=pl.String)
    hits = (gold == pl.Series(map(str, chosen), dtype=pl.String)).cast(pl.Float64)
    return ItemScores(known_items(items, chosen), pl.DataFrame({"accuracy": hits, "p_gold": hits}))


def known_items(items: Sequence[Item], answers: Sequence[int | str | None]) -> pl.DataFrame:
    """Make the table of what is known of items: item, cluster, gold, label (the answer given), text.

    Parameters
    ----------
    items : sequence of Item
    answers : sequence of int, str or None
        The answer given to each, in words or as the place of an option; None if there is none.
    """
    columns: dict[str, list[Any]] = {
        "item": [item.id for item in items],
        "cluster": [item.cluster for item in items],
        "gold": [_option(item, item.gold or None) for item in items],
        "label": [_option(item, answer) for item, answer in zip(items, answers, strict=True)],
        "text": [next((item.data[key] for key in TEXTS if key in item.data), None) for item in items],
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _option(item: Item, index: Any) -> str | None:
    """Put an option into words if the item has some and it is given by its place."""
    options = item.data.get("options")
    if isinstance(options, list | tuple) and str(index).isdecimal():
        return str(options[int(index)])
    return None if index is None else str(index)
