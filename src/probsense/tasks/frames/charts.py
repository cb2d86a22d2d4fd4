"""What the charts of frames show: some frames of many, and some clusters of each."""

from __future__ import annotations

from typing import Final

import polars as pl

from probsense.show.words import GIVEN
from probsense.tasks.frames.measures.shares import NO_CLUSTER

ROWS: Final = 60
"""Frames that the forest shows at most: the nearest to people and the farthest."""
CLUSTERS: Final = 8
"""Clusters of a frame whose shares are shown at most."""


def nearest_and_farthest(table: pl.DataFrame) -> pl.DataFrame:
    """Choose the first measure that all models have, or else the last one, and order frames by the first model."""
    models = pl.col("model").n_unique().over("measure") == pl.col("model").n_unique()
    shared = table.filter(models)["measure"]
    measure = shared[0] if len(shared) else table["measure"][-1]
    table = table.filter(pl.col("measure") == measure)
    whole, single = table.filter(pl.col("frame").is_null()), table.drop_nulls("frame")
    first = single.filter(pl.col("model") == table["model"][0])
    frames = first.sort("value", nulls_last=True, maintain_order=True)["frame"]
    if len(frames) > ROWS:
        frames = pl.concat([frames.head(ROWS // 2), frames.tail(ROWS // 2)])
    single = frames.to_frame().join(single, on="frame", maintain_order="left_right")
    return pl.concat([whole, single.select(table.columns)])


def nearest_first(table: pl.DataFrame) -> pl.DataFrame:
    """Order frames by the total variation between the first model and people, and clusters by people's shares.

    The first clusters are kept, and the answers in no cluster; those between them are put together.
    """
    share, given = pl.col("share"), pl.col("model").is_in(GIVEN)
    models = table.filter(~given)["model"]
    people = share.filter(given).sum()
    model = share.filter(pl.col("model") == (models[0] if len(models) else None)).sum()
    clusters = (
        table.group_by("frame", "cluster", maintain_order=True)
        .agg(people=people, far=(people - model).abs(), total=share.sum())
        .with_columns(far=pl.col("far").sum().over("frame"), last=pl.col("cluster") == NO_CLUSTER)
        .sort("last", -pl.col("people"), -pl.col("total"), maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("frame"), rest=pl.len().over("frame") - CLUSTERS + 1)
    )
    between = pl.col("place").is_between(CLUSTERS - 2, pl.col("rest") + CLUSTERS - 3) & (pl.col("rest") > 1)
    others = pl.format("{} others", "rest")
    shown = clusters.with_columns(shown=pl.when(between).then(others).otherwise("cluster"))
    return (
        shown.sort("far", maintain_order=True)
        .join(table, on=["frame", "cluster"], maintain_order="left_right")
        .group_by("frame", "shown", "model", maintain_order=True)
        .agg(pl.col("text").first(), share.sum())
        .rename({"shown": "cluster"})
    )
