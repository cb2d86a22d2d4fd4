"""What the charts are drawn from: tidy tables, one row for each mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

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


class Share(NamedTuple):
    """The share of somebody's answers to a frame that is in a cluster."""

    model: str
    frame: str
    text: str
    cluster: str
    share: float


def compared_shares(model: str, questions: Sequence[Question], results: Results) -> list[Share]:
    """Return the shares of people and of a model in the clusters of the comparison."""
    known = {question.id: question for question in questions}
    found = []
    for result in results.questions:
        question = known[result.id]
        labels = _labels(question)
        # The last one are the answers in no cluster, whatever people call theirs.
        names = [*(labels.get(name, name) for name in result.clusters[:-1]), NO_CLUSTER]
        found += _shares(question, names, result.people_shares, {model: result.model_shares})
    return found


def exact_shares(model: str, questions: Sequence[Question], found: Sequence[Floats]) -> list[Share]:
    """Return the shares of people, and how a model divides its probability among their clusters."""
    shares = []
    for question, own in zip(questions, found, strict=True):
        labels, people = _labels(question), exact.people_counts(question)
        names = [labels.get(cluster.id, cluster.id) for cluster in exact.clusters(question)]
        given = {name_of(model, exact.METHOD): exact.model_shares(own)}
        shares += _shares(question, names, people / people.sum(), given)
    return shares


def tables(
    shares: Sequence[Share], compared: Mapping[str, Results], estimates: Sequence[Estimate]
) -> dict[str, pl.DataFrame]:
    """Make every table for which there is something to show.

    Parameters
    ----------
    shares : sequence of Share
    compared : Mapping of str to Results
        The comparison of each model, by its name.
    estimates : sequence of Estimate
        Those of the same answers.

    Returns
    -------
    dict of str to DataFrame
        "distributions" (the shares), "forest" (the estimates of each frame and model), "unmatched" (answers that
        resemble none of people's).
    """
    found = {
        "distributions": pl.DataFrame([*dict.fromkeys(shares)], schema=Share._fields, orient="row"),
        "forest": forest(estimates),
        "unmatched": unmatched(compared),
    }
    return {name: table for name, table in found.items() if not table.is_empty()}


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


def unmatched(compared: Mapping[str, Results]) -> pl.DataFrame:
    """List the answers that resemble none of people's.

    The columns are model, frame, answer, count, nearest (the most similar answer of people) and similarity.
    """
    rows = [
        (model, question.id, own.answer, own.count, own.nearest, own.similarity)
        for model, found in compared.items()
        for question in found.questions
        for own in question.unmatched
    ]
    columns = ["model", "frame", "answer", "count", "nearest", "similarity"]
    return pl.DataFrame(rows, schema=columns, orient="row")


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
) -> list[Share]:
    found = {ILLUSTRATIVE if question.illustrative else PEOPLE: people, **models}
    return [
        Share(who, question.id, question.text, name, share)
        for who, shares in found.items()
        for name, share in zip(names, shares.tolist(), strict=True)
    ]
