"""What the charts are drawn from: tidy tables, one row for each thing that is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from probsense.answers.bound import tail_bound
from probsense.answers.questions import Floats, Question
from probsense.answers.results import Results
from probsense.stats.estimate import Estimate
from probsense.tasks.frames import exact
from probsense.tasks.frames.compare import Compared, typical

PEOPLE = "people"
NO_CLUSTER = "none of these"
"""How the share of answers that are in no cluster is called."""

FEWEST = 200
"""Answers up to which the bound is drawn at least."""

MEASURES = ("normalised", "kl")
"""What frames are set side by side by; a chart shows the first of them that all models have."""


class Share(NamedTuple):
    """How much of somebody's answers to a frame is in a cluster."""

    model: str
    frame: str
    text: str
    cluster: str
    share: float


def compared_shares(model: str, questions: Sequence[Question], results: Results) -> list[Share]:
    """People's and a model's shares, as the evaluation has them."""
    known = {question.id: question for question in questions}
    found = []
    for result in results.questions:
        question = known[result.id]
        labels = _labels(question)
        names = [NO_CLUSTER if name == "wrong" else labels.get(name, name) for name in result.clusters]
        found += _shares(PEOPLE, question, names, result.people_shares)
        found += _shares(model, question, names, result.model_shares)
    return found


def exact_shares(model: str, questions: Sequence[Question], found: Sequence[Floats]) -> list[Share]:
    """People's shares and a model's, of what it gives to their clusters."""
    shares = []
    for question, own in zip(questions, found, strict=True):
        labels, people = _labels(question), exact.people_counts(question)
        names = [labels.get(name, name) for name, _ in exact.clusters(question)]
        shares += _shares(PEOPLE, question, names, people / people.sum())
        shares += _shares(name_of(model, exact.METHOD), question, names, exact.model_shares(own))
    return shares


def tables(
    shares: Sequence[Share], compared: Mapping[str, Compared], estimates: Sequence[Estimate]
) -> dict[str, pl.DataFrame]:
    """Every table for which there is something to show.

    Parameters
    ----------
    shares : sequence of Share
    compared : Mapping of str to Compared
        By model.
    estimates : sequence of Estimate
        Of the same answers.

    Returns
    -------
    dict of str to DataFrame
        "distributions" (the shares), "forest" (a figure of each frame and model with its interval, and that of people),
        "bound" (of how wrong a distribution from so many answers can be), "unmatched" (answers like none of people's).
    """
    found = {
        "distributions": pl.DataFrame([*dict.fromkeys(shares)], schema=Share._fields, orient="row"),
        "forest": forest(estimates),
        "bound": bound(compared),
        "unmatched": unmatched(compared),
    }
    return {name: table for name, table in found.items() if not table.is_empty()}


def forest(estimates: Sequence[Estimate]) -> pl.DataFrame:
    """model, measure, frame, value, low, high: overall figures have no frame."""
    rows = [
        (name_of(str(e.by["model"]), e.method), measure, e.by.get("frame"), e.value, e.low, e.high)
        for measure in MEASURES
        for e in estimates
        if e.measure == measure
    ]
    columns = {
        **dict.fromkeys(("model", "measure", "frame"), pl.String),
        **dict.fromkeys(("value", "low", "high"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=columns, orient="row")


def bound(compared: Mapping[str, Compared]) -> pl.DataFrame:
    """categories, answers, probability, given: a bound on how probably a sample strays; answers there are.

    For the smallest, the middle and the largest number of categories of a question.
    """
    categories = sorted(k for found in compared.values() for k in found.categories.values())
    if not categories:
        return pl.DataFrame()
    given = max(typical(found.given) for found in compared.values() if found.given)
    answers = np.arange(1, max(2 * given, FEWEST) + 1)
    parts = [
        pl.DataFrame(
            {
                "categories": np.full(len(answers), k),
                "answers": answers,
                "probability": tail_bound(answers, k),
                "given": np.full(len(answers), given),
            }
        )
        for k in dict.fromkeys((categories[0], categories[(len(categories) - 1) // 2], categories[-1]))
    ]
    return pl.concat(parts)


def unmatched(compared: Mapping[str, Compared]) -> pl.DataFrame:
    """model, frame, answer, count, nearest (the most similar answer of people), similarity."""
    rows = [
        (model, question.id, own.answer, own.count, own.nearest, own.similarity)
        for model, found in compared.items()
        for question in found.results.questions
        for own in question.unmatched
    ]
    columns = ["model", "frame", "answer", "count", "nearest", "similarity"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def name_of(model: str, method: str) -> str:
    """What to call a model: the same one may be asked for texts and be scored."""
    return f"{model} (exact)" if method == exact.METHOD else model


def _labels(question: Question) -> dict[str, str]:
    """What to call each cluster: the answer in it that was given most often."""
    return {
        cluster.id: max(cluster.answers, key=lambda answer: question.raw.get(answer, 0))
        for cluster in question.clusters
    }


def _shares(who: str, question: Question, names: Sequence[str], shares: Floats) -> list[Share]:
    return [
        Share(who, question.id, question.text, name, share)
        for name, share in zip(names, shares.tolist(), strict=True)
    ]
