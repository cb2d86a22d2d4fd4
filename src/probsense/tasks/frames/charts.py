"""The charts of frames: tidy tables, one row for each mark, and which of many frames and clusters are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers.evaluator import Evaluation
from probsense.analysis.open_answers.questions import Floats, Question
from probsense.show.words import GIVEN, ILLUSTRATIVE, PEOPLE

EXACT: Final = "exact"
"""The method by which answers are scored instead of sampled."""
NO_CLUSTER: Final = "none of these"
"""What charts call the share of answers that are in no cluster."""
MEASURES: Final = ("normalised", "kl")
"""Measures of the forest; its chart shows the first of them that all models have."""
ROWS: Final = 60
"""Frames that the forest shows at most: the nearest to people and the farthest."""
CLUSTERS: Final = 8
"""Clusters of a frame whose shares are shown at most."""
SHARES: Final = {**dict.fromkeys(("model", "frame", "text", "cluster"), pl.String), "share": pl.Float64}
"""Columns of tables of shares: how many of somebody's answers to a frame are in a cluster."""
UNMATCHED: Final = {
    **dict.fromkeys(("model", "frame", "answer"), pl.String),
    **{"count": pl.Int64, "nearest": pl.String, "similarity": pl.Float64},
}
"""Columns of tables of answers that resemble none of people's, with the most similar answer of people."""


def compared_shares(model: str, questions: Sequence[Question], results: Evaluation) -> pl.DataFrame:
    """Return the shares of people and of a model in the clusters of the comparison."""
    known = {question.id: question for question in questions}
    return share_table(
        model,
        (
            (known[one.id], (*one.clusters[:-1], None), one.people_shares, one.model_shares)
            for one in results.questions
        ),
    )


def share_table(
    model: str, shares: Iterable[tuple[Question, Sequence[str | None], Floats, Floats]]
) -> pl.DataFrame:
    """Arrange shares for their chart, with :data:`SHARES`.

    Parameters
    ----------
    model : str
    shares : iterable of tuple
        A question, the names of clusters (None for the answers in none), and the shares of people and of the model.
    """
    rows = []
    for question, clusters, people, own in shares:
        labels = _labels(question)
        who = ILLUSTRATIVE if question.illustrative else PEOPLE
        rows += [
            (name, question.id, question.text, labels.get(cluster, cluster), share)
            for name, given in ((who, people), (model, own))
            for cluster, share in zip(clusters, given.tolist(), strict=True)
        ]
    return pl.DataFrame(rows, schema=SHARES, orient="row")


def _labels(question: Question) -> dict[str | None, str]:
    """Name each cluster by the answer in it that people gave most often, and that names no earlier cluster."""
    found: dict[str | None, str] = {None: NO_CLUSTER}
    for cluster in question.clusters:
        free = [answer for answer in cluster.answers if answer not in found.values()]
        first = max(free or cluster.answers, key=lambda answer: question.raw.get(answer, 0))
        found[cluster.id] = first if free else f"{first} ({cluster.id})"
    return found


def forest(estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Arrange estimates by frame: model, measure, frame (null for an overall estimate), value, low, high."""
    rows = [
        (name_of(str(e.by["model"]), e.method), measure, e.by.get("frame"), e.value, e.low, e.high)
        for measure in MEASURES
        for e in estimates
        if e.measure == measure
    ]
    texts, numbers = ("model", "measure", "frame"), ("value", "low", "high")
    schema = dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def unmatched(model: str, results: Evaluation) -> pl.DataFrame:
    """List the answers of a model that resemble none of people's."""
    rows = [
        (model, question.id, own.answer, own.count, own.nearest, own.similarity)
        for question in results.questions
        for own in question.unmatched
    ]
    return pl.DataFrame(rows, schema=UNMATCHED, orient="row")


def name_of(model: str, method: str) -> str:
    """Name a model: charts show the same one twice if it was asked for texts and scored."""
    return f"{model} (exact)" if method == EXACT else model


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
