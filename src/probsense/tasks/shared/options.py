"""What tasks that compare scored options share: requests, a table of the answers, estimates under every view, words.

Such a task's items hold the options in ``data["options"]`` and the index of the right one as text in ``gold``, or "" if
none is right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.distributions import option_views as views
from probsense.analysis.distributions.divergence import BINS, bin_of, brier_score, log_score
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.resampling import cluster_bootstrap
from probsense.core.errors import InputError
from probsense.core.records import Item, Json, Request, ScoreRequest, ScoreResponse
from probsense.show.words import read_words
from probsense.tasks.base import Answers, Task
from probsense.tasks.people_forms import gold_index

Scored: TypeAlias = tuple[ScoreResponse, ScoreResponse | None]
"""The answer to an item, and that about the same options after a neutral prefix; without it there is no view "pmi"."""
OPTION_WORDS: Final = read_words("probsense.tasks.shared")
"""The words of tasks with options, to which each adds its own."""
COLUMNS = {
    **dict.fromkeys(("id", "cluster"), pl.String),
    **dict.fromkeys(("options", "gold", "resp"), pl.Int64),
    **dict.fromkeys(("p_gold", "margin"), pl.Float64),
    "straddles": pl.Int64,
    **dict.fromkeys(("confidence", "brier", "log_score"), pl.Float64),
}
"""Columns of the table under the chosen rule: the number of options, the index of the right one (null where there is
none) and of the best one, the probability of the right one, the score by which the best one leads, the number of
options with a token across a join, the probability of the best one, Brier score and log score. After them come
``resp.VIEW`` and ``p_gold.VIEW`` for every view that all items have."""


def option_requests(request: ScoreRequest, neutral: str | None) -> Sequence[Request]:
    """Return the request and, if there is a neutral prefix, one for the same options after it."""
    if neutral is None:
        return [request]
    return [request, ScoreRequest(neutral, request.options, item=request.item)]


def option_answers(requests: Sequence[Request], answers: Answers) -> Scored:
    """Look up the answers to :func:`option_requests`."""
    found: list[Any] = [answers[request] for request in requests]
    return found[0], found[1] if len(found) > 1 else None


def scored_by(task: Task, answers: Answers) -> Callable[[Item], Scored]:
    """Make the function that looks up the answers to an item, whose requests are those of :func:`option_requests`."""
    return lambda item: option_answers(task.requests(item, "options", answers), answers)


def option_table(
    items: Sequence[Item], answers_of: Callable[[Item], Scored], rule: str, temperature: float = 1.0
) -> pl.DataFrame:
    """Make one row for each item, with :data:`COLUMNS` and two more for each view.

    Parameters
    ----------
    items : sequence of Item
    answers_of : callable
        From an item to its answers. It is called twice for each item, in order.
    rule : str
        The view that picks the answer.
    temperature : float
        Temperature of the distributions under every view.

    Raises
    ------
    InputError
        If an item does not have that view, and for a temperature that is not a finite number above 0.
    """
    shared: Sequence[str] = views.RULES
    for item in items:
        names = views.views(*answers_of(item))
        if rule not in names:
            raise InputError(f"item {item.id!r} has no view {rule!r}", expected=f"one of {', '.join(names)}")
        shared = [view for view in shared if view in names]
    schema = dict(COLUMNS)
    for view in shared:
        schema |= {f"resp.{view}": pl.Int64, f"p_gold.{view}": pl.Float64}
    rows = (_row(item, answers_of(item), shared, rule, temperature) for item in items)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _row(
    item: Item, scored: Scored, shared: Sequence[str], rule: str, temperature: float
) -> tuple[object, ...]:
    response, neutral = scored
    scores = np.array([views.scores(response, view, neutral) for view in shared])
    logs = views.log_softmax(scores, temperature)
    probabilities, best = np.exp(logs), scores.argmax(axis=1)
    chosen = shared.index(rule)
    gold = gold_index(item)
    resp = int(best[chosen])
    judged: tuple[float | None, ...] = (None, None)
    p_gold: Sequence[float | None] = [None] * len(shared)
    if gold is not None:
        judged = brier_score(probabilities[chosen], gold), log_score(logs[chosen], gold)
        p_gold = probabilities[:, gold].tolist()
    return (
        item.id,
        item.cluster,
        len(response.options),
        gold,
        resp,
        p_gold[chosen],
        views.lead(scores[chosen]),
        sum(score.straddles for score in response.options),
        float(probabilities[chosen, resp]),
        *judged,
        *(value for pair in zip(best.tolist(), p_gold, strict=True) for value in pair),
    )


def option_estimates(
    table: pl.DataFrame, by: Mapping[str, Json], rule: str, *, seed: int = 0
) -> list[Estimate]:
    """Estimate the accuracy under every view, the chosen one first; then how good its probabilities are.

    Every estimate has its view in ``by``. Items without a right option do not count; without any item that
    has one there are no estimates.

    Parameters
    ----------
    table : DataFrame
        As from :func:`option_table`.
    by : Mapping
        What the estimates describe: the model, the prompting.
    rule : str
        The rule with which the table was made.
    seed : int
        Seed of the bootstrap that gives the interval of the calibration error.

    Returns
    -------
    list of Estimate
        "accuracy" under each view; under the rule "p_gold" (mean probability of the right option), "brier",
        "log_score", "calibration_error", and "calibration_gap" (accuracy − confidence) by ``confidence``, the
        bin of the calibration error.
    """
    judged = table.drop_nulls("gold")
    if judged.is_empty():
        return []
    clusters = judged["cluster"].rank("dense").to_numpy().astype(np.int64) - 1
    gold = judged["gold"]
    chance = float(np.mean(1 / judged["options"].to_numpy()))
    names = [name.removeprefix("resp.") for name in table.columns if name.startswith("resp.")]
    found = []
    for view in sorted(names, key=lambda name: name != rule):
        who = {**by, "view": view}
        right = judged[f"resp.{view}"] == gold
        found.append(proportion_estimate("accuracy", who, right, clusters, chance=chance))
    who = {**by, "view": rule}
    for measure in ("p_gold", "brier", "log_score"):
        found.append(mean_estimate(measure, who, judged[measure], clusters))
    return found + _calibration(judged, clusters, who, np.random.default_rng(seed))


def _calibration(
    judged: pl.DataFrame, clusters: NDArray[np.int64], by: Mapping[str, Json], rng: np.random.Generator
) -> list[Estimate]:
    """Estimate the expected calibration error, and the gap in each bin that has answers.

    The error is Σ_b n_b/n · |accuracy_b − confidence_b| (Naeini et al. 2015; Guo et al. 2017, arXiv 1706.04599).
    """
    confidence = judged["confidence"].to_numpy()
    right = (judged["resp"] == judged["gold"]).to_numpy()
    gap, place = right - confidence, bin_of(confidence)
    # The error is a function of sums over clusters: of the gaps in each bin, and of the items.
    totals = np.zeros((clusters.max() + 1, BINS + 1))
    np.add.at(totals, (clusters, place), gap)
    totals[:, BINS] = np.bincount(clusters)

    def error(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.abs(sums[:, :BINS]).sum(axis=1) / sums[:, BINS])

    spread = cluster_bootstrap(totals, error, rng)
    value = float(error(totals.sum(axis=0, keepdims=True))[0])
    units = len(gap), len(totals)
    found = [Estimate("calibration_error", by, value, *spread, LEVEL, *units, "cluster bootstrap")]
    for b in np.unique(place).tolist():
        own = {**by, "confidence": f"{100 * b / BINS:g}–{100 * (b + 1) / BINS:g} %"}
        found.append(mean_estimate("calibration_gap", own, gap[place == b], clusters[place == b]))
    return found


def option_coverage(table: pl.DataFrame) -> dict[str, Json]:
    """Count the items that were asked and have a right option, and what else bears on the estimates."""
    return {
        "asked": table.height,
        "with_gold": table["gold"].count(),
        "near_ties": int((table["margin"] < views.NEAR_TIE).sum()),
        "straddling_tokens": int(table["straddles"].sum()),
    }


def option_notes(table: pl.DataFrame) -> list[str]:
    """Note items without a right option, near-ties, and tokens across a join."""
    total, without, found = table.height, table["gold"].null_count(), []
    tied = int((table["margin"] < views.NEAR_TIE).sum())
    straddling = int((table["straddles"] > 0).sum())
    if without:
        found.append(f"{without:,} of {total:,} items have no right option and count in no estimate")
    if tied:
        found.append(f"{tied:,} of {total:,} items are near-ties (the first option counts as the answer)")
    if straddling:
        where = "a token spans the join of prefix, option or suffix (it counts for the later part)"
        found.append(f"on {straddling:,} of {total:,} items {where}")
    return found
