"""What a run of a store achieved on each item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from probsense.comparison.scores import Scores
from probsense.errors import InputError
from probsense.interop.worldsense import worldsense_rows
from probsense.records import Item
from probsense.run.evaluate import Run
from probsense.tasks.judgments.task import Judgments

TEXTS = ("text", "sentence", "statement", "context")
"""Where an item's data have its words."""


class Rows(NamedTuple):
    """What is known of items, and their scores: two tables with the same rows."""

    items: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...] = ()


def run_scores(run: Run) -> Scores:
    """The scores of a run.

    Of a task with options: whether the answer is right ("accuracy", and "accuracy.VIEW" under every view) and all
    other numbers of its table. Of WorldSense accuracy, strict accuracy and bias, items weighted as there. Of judgments
    the mass of yes and of other answers and, where people are known, whether the answer is that of most of them
    ("majority_agreement"). Of frames the figures of single frames.

    Parameters
    ----------
    run : Run

    Raises
    ------
    InputError
        For a run without a score for single items.
    """
    items, scores, notes = _READERS.get(run.task.name, _plain)(run)
    scores = scores.select(name for name in scores.columns if scores[name].count())
    if not scores.width:
        raise InputError(f"the run {run.id} of {run.task.name} has no score of single items")
    covered = run.covered
    if covered["failed"]:
        notes = (*notes, f"{covered['failed']:,} of {covered['asked']:,} items have no answer")
    return Scores(run.model, run.method, f"run {run.id[:8]}", run.task.name, items, scores, notes)


def _plain(run: Run) -> Rows:
    """A task of options, or any other with one row for each item."""
    table, items = run.table(), run.outcome.items
    if table.height != len(items):
        raise InputError(
            f"the task {run.task.name} has a table of {table.height:,} rows for {len(items):,} items"
        )
    scores = table.select(
        *(
            (pl.col(name) == pl.col("gold")).alias(f"accuracy{name.removeprefix('resp')}")
            for name in table.columns
            if name.partition(".")[0] == "resp" and "gold" in table.columns
        ),
        pl.selectors.float(),
    )
    first = [name for name in ("accuracy",) if name in scores.columns]
    views = [name for name in scores.columns if name.startswith("accuracy.")]
    others = [name for name in scores.columns if name not in (*first, *views)]
    answers = table["resp"].to_list() if "resp" in table.columns else [None] * len(items)
    return Rows(
        _items(items, [_option(item, answer) for item, answer in zip(items, answers, strict=True)]),
        scores.select(*first, *others, *views),
    )


def _option(item: Item, index: Any) -> str | None:
    """An option in words, where the item has some and it is told by its place."""
    options = item.data.get("options")
    if isinstance(options, Sequence) and not isinstance(options, str) and str(index).isdecimal():
        return str(options[int(index)])
    return None if index is None else str(index)


def _items(items: Sequence[Item], labels: Sequence[str | None]) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {
        "item": [item.id for item in items],
        "cluster": [item.cluster for item in items],
        "gold": [_option(item, item.gold) if item.gold else None for item in items],
        "label": list(labels),
        "text": [next((item.data[key] for key in TEXTS if key in item.data), None) for item in items],
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _suite(run: Run) -> Rows:
    """Contexts, called as in the files of ProbSem; a part is a prompt with a test."""
    items, scores, notes = _plain(run)
    item = pl.col("item").str.replace("/", "_")
    return Rows(items.with_columns(item, part=item.str.replace("/[^/]*$", "")), scores, notes)


def _worldsense(run: Run) -> Rows:
    table = run.table().rename({"id": "key"}).drop("corrected")
    items, scores, notes = worldsense_rows(
        table.with_columns(model=pl.lit(run.model), prompting=pl.lit(run.method))
    )
    texts = {item.id: item.data["text"] for item in run.outcome.items}
    known = pl.DataFrame({"item": list(texts), "text": list(texts.values())})
    probabilities = items.select("item").join(
        table.select(pl.col("key").alias("item"), "p_gold"), on="item", how="left", maintain_order="left"
    )
    return Rows(
        items.join(known, on="item", how="left", maintain_order="left"),
        scores.with_columns(probabilities["p_gold"]),
        notes,
    )


def _judgments(run: Run) -> Rows:
    """Statements, with a question each; those about one statement belong together."""
    table = run.table()
    masses = ("p_yes", "p_no", "p_other")
    most = table.select(pl.concat_list(masses).list.arg_max()).to_series().to_list()
    labels = [None if place is None else masses[place].removeprefix("p_") for place in most]
    scores = table.select(yes_mass="p_yes", other_mass="p_other")
    if isinstance(run.task, Judgments):
        agreement = run.task.agreement(table)
        scores = scores.insert_column(0, pl.Series("majority_agreement", agreement, nan_to_null=True))
    return Rows(_items(run.outcome.items, labels).with_columns(table["question"].alias("part")), scores)


def _frames(run: Run) -> Rows:
    """Frames, with the figures that each of them has."""
    values: dict[str, dict[str, float]] = {}
    for one in run.summary():
        if "frame" in one.by:
            values.setdefault(one.measure, {})[str(one.by["frame"])] = one.value
    items = run.outcome.items
    scores = {name: [own.get(item.id, np.nan) for item in items] for name, own in values.items()}
    return Rows(_items(items, [None] * len(items)), pl.DataFrame(scores))


_READERS: Mapping[str, Callable[[Run], Rows]] = {
    "suite": _suite,
    "worldsense": _worldsense,
    "judgments": _judgments,
    "frames": _frames,
}
