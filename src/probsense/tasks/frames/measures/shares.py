"""What the charts are drawn from: tidy tables, one row for each mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers.evaluator import Results
from probsense.analysis.open_answers.questions import Floats, Question
from probsense.show.words import ILLUSTRATIVE, PEOPLE
from probsense.tasks.frames.measures import exact

NO_CLUSTER: Final = "none of these"
"""What charts call the share of answers that are in no cluster."""

MEASURES: Final = ("normalised", "kl")
"""Measures of the forest; its chart shows the first of them that all models have."""


SHARES: Final = {**dict.fromkeys(("model", "frame", "text", "cluster"), pl.String), "share": pl.Float64}
"""Columns of tables of shares: how many of somebody's answers to a frame are in a cluster."""
UNMATCHED: Final = {
    **dict.fromkeys(("model", "frame", "answer"), pl.String),
    **{"count": pl.Int64, "nearest": pl.String, "similarity": pl.Float64},
}
"""Columns of tables of answers that resemble none of people's, with the most similar answer of people."""
Row: TypeAlias = tuple[str, str, str, str, float]


def compared_shares(model: str, questions: Sequence[Question], results: Results) -> pl.DataFrame:
    """Return the shares of people and of a model in the clusters of the comparison."""
    known = {question.id: question for question in questions}
    found = list[Row]()
    for result in results.questions:
        question = known[result.id]
        labels = _labels(question)
        # The last one are the answers in no cluster, whatever people call theirs.
        names = [*(labels.get(name, name) for name in result.clusters[:-1]), NO_CLUSTER]
        found += _shares(question, names, result.people_shares, {model: result.model_shares})
    return pl.DataFrame(found, schema=SHARES, orient="row")


def exact_shares(model: str, questions: Sequence[Question], found: Sequence[Floats]) -> pl.DataFrame:
    """Return the shares of people, and how a model divides its probability among their clusters."""
    shares = list[Row]()
    for question, own in zip(questions, found, strict=True):
        labels, people = _labels(question), exact.people_counts(question)
        names = [labels.get(cluster.id, cluster.id) for cluster in exact.clusters(question)]
        given = {name_of(model, exact.METHOD): exact.model_shares(own)}
        shares += _shares(question, names, people / people.sum(), given)
    return pl.DataFrame(shares, schema=SHARES, orient="row")


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


def unmatched(model: str, results: Results) -> pl.DataFrame:
    """List the answers of a model that resemble none of people's."""
    rows = [
        (model, question.id, own.answer, own.count, own.nearest, own.similarity)
        for question in results.questions
        for own in question.unmatched
    ]
    return pl.DataFrame(rows, schema=UNMATCHED, orient="row")


def name_of(model: str, method: str) -> str:
    """Name a model: charts show the same one twice if it was asked for texts and scored."""
    return f"{model} (exact)" if method == exact.METHOD else model


def _labels(question: Question) -> dict[str, str]:
    """Name each cluster by the answer in it that people gave most often, and that names no earlier cluster."""
    found: dict[str, str] = {}
    for cluster in question.clusters:
        free = [answer for answer in cluster.answers if answer not in found.values()]
        first = max(free or cluster.answers, key=lambda answer: question.raw.get(answer, 0))
        found[cluster.id] = first if free else f"{first} ({cluster.id})"
    return found


def _shares(
    question: Question, names: Sequence[str], people: Floats, models: Mapping[str, Floats]
) -> list[Row]:
    found = {ILLUSTRATIVE if question.illustrative else PEOPLE: people, **models}
    return [
        (who, question.id, question.text, name, share)
        for who, shares in found.items()
        for name, share in zip(names, shares.tolist(), strict=True)
    ]
