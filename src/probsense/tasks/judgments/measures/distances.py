"""Models' probabilities of yes beside the shares of people who say yes: distances, calibration, departures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.distances import (
    DISTANCES,
    between_halves,
    corrected_squared,
    from_half,
    normalised,
    unrelated,
)
from probsense.analysis.agreement.scores import ratio
from probsense.analysis.agreement.statements import MINIMUM_RATERS
from probsense.analysis.distributions.calibration import BINS
from probsense.analysis.distributions.halves import Halves, halves
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.proportions import ShareCurve, share_curve, wilson
from probsense.analysis.inference.quantiles import t_quantile
from probsense.analysis.inference.significance import adjust, departure_p_values
from probsense.core.records import Json
from probsense.tasks.judgments.measures.estimates import BASELINE, LEVEL, PEOPLE, Z
from probsense.tasks.judgments.measures.features import groups_of
from probsense.tasks.judgments.people.study import AmongPeople
from probsense.tasks.results import Results

UNRELATED = f"{BASELINE}another statement"
"""What people about another statement are called among the raters."""
SCALE = "brier"
"""The distance that is normalised, and corrected for the noise of few raters."""
ALIKE = 1e-6
"""The standard error below which the corrected distances of all statements are the same."""
BY_FEATURE = ("share_brier", "share_brier_corrected", "share_js")
"""Measures that are estimated by group of statements, too."""

Floats = NDArray[np.float64]


class _Asked(NamedTuple):
    """What people answered to a question: its name, numbers of yes and of answers by statement, and their halves."""

    question: str
    yes: Floats
    asked: Floats
    ways: Halves


def share_distances(study: AmongPeople, statements: pl.DataFrame | None) -> Results:
    """Set models' probabilities of yes beside the shares of people who say yes, question by question.

    Parameters
    ----------
    study : AmongPeople
    statements : DataFrame or None
        The statements with their features, as from
        :func:`~probsense.tasks.judgments.questions.statements.read_statements`.

    Returns
    -------
    Results
        Estimates of models, of people's halves, and of people about another statement, and the tables
        "share_calibration" and "departures" that charts are drawn from. Statements with fewer than
        :data:`~probsense.analysis.agreement.statements.MINIMUM_RATERS` answers to a question do not count.
    """
    members = {} if statements is None else groups_of(study, statements).members
    estimates: list[Estimate] = []
    curves, departures = [], []
    people = study.people
    counts = {
        "q1": (people.by_statement(people.yes1), people.by_statement(people.asked1)),
        "q2": (people.by_statement(people.yes2), people.by_statement(people.asked2)),
    }
    for (question, (yes, n)), models in zip(counts.items(), study.shares, strict=True):
        known: NDArray[np.bool_] = ~np.isnan(models) & (n >= MINIMUM_RATERS)
        if known.any():
            # People are measured on the statements that some model judged.
            yes, n = (np.where(known.any(axis=0), numbers, 0) for numbers in (yes, n))
            asked = _Asked(question, yes, n, halves(yes, n))
            shares = {study.models[i]: models[i] for i in np.flatnonzero(known.any(axis=1)).tolist()}
            estimates += _distances(asked, shares, members)
            for name, curve in _curves(asked, shares).items():
                estimates.append(_mean("share_calibration_error", name, question, curve.gap))
                curves.append(_curve_table(name, question, curve))
            departures += [_departures(asked, name, p, study.ids) for name, p in shares.items()]
    if not estimates:
        return Results()
    found = pl.concat(departures)
    if statements is not None:
        texts = statements.select("statement_id", "statement")
        found = found.join(texts, on="statement_id", how="left", maintain_order="left")
    else:
        found = found.with_columns(statement=pl.lit(None, pl.String))
    return Results(estimates, tables={"share_calibration": pl.concat(curves), "departures": found})


def _distances(
    asked: _Asked, models: Mapping[str, Floats], members: Mapping[str, NDArray[np.bool_]]
) -> Iterator[Estimate]:
    """Estimate mean distances from a half of the people, over all statements and by group of them."""
    yes, n = asked.yes, asked.asked
    for name, distance in DISTANCES.items():
        measure = f"share_{name}"
        between, others = between_halves(distance, asked.ways), unrelated(distance, yes, n)
        rows = {model: from_half(distance, asked.ways, p) for model, p in models.items()}
        by_rater = {PEOPLE: between, UNRELATED: others.from_own, **rows}
        yield from _means(measure, asked.question, by_rater, members)
        if name == SCALE:
            everybody = {model: corrected_squared(yes, n, p) for model, p in models.items()}
            yield from _means(f"{measure}_corrected", asked.question, everybody, members)
            for model, values in rows.items():
                value, stderr, count = normalised(values, between, others)
                if not np.isnan(value):
                    half = t_quantile(count - 1, LEVEL) * stderr if count > 1 else np.nan
                    by, ends = {"model": model, "asked": asked.question}, (value - half, value + half)
                    yield Estimate(
                        "share_normalised", by, value, stderr, *ends, LEVEL, count, count, "clustered"
                    )


def _means(
    measure: str, question: str, values: Mapping[str, Floats], members: Mapping[str, NDArray[np.bool_]]
) -> Iterator[Estimate]:
    """Estimate means over statements, for each rater whose values are known."""
    for rater, own in values.items():
        if not np.isnan(own).all():
            yield _mean(measure, rater, question, own)
        if measure in BY_FEATURE and rater != UNRELATED:
            for feature, group in members.items():
                if not np.isnan(own[group]).all():
                    yield _mean(measure, rater, question, own[group], {"feature": feature})


def _mean(
    measure: str, rater: str, question: str, values: Floats, by: Mapping[str, Json] | None = None
) -> Estimate:
    known = values[~np.isnan(values)]
    found = mean_estimate(
        measure, {"model": rater, "asked": question, **(by or {})}, known, np.arange(len(known)), level=LEVEL
    )
    if measure == f"share_{SCALE}_corrected" and found.stderr < ALIKE:
        # Where next to nothing varies, a normal interval would claim certainty.
        return replace(found, low=math.nan, high=math.nan, no_interval="all alike")
    return found


def _curves(asked: _Asked, models: Mapping[str, Floats]) -> dict[str, ShareCurve]:
    """Compute the calibration of one half of the people for the other, and of models for all people."""
    ways, used = asked.ways, asked.asked > 0
    found = {PEOPLE: share_curve(ways.first[used], ways.second[used], ways.weight[used], level=LEVEL)}
    share = ratio(asked.yes, asked.asked)
    for model, p in models.items():
        known = used & ~np.isnan(p)
        found[model] = share_curve(p[known, None], share[known, None], level=LEVEL)
    return found


def _curve_table(name: str, question: str, curve: ShareCurve) -> pl.DataFrame:
    """Tabulate a curve: model, asked, bin, statements, probability, share, low, high; bins with statements alone."""
    bins = [f"{100 * b / BINS:g}–{100 * (b + 1) / BINS:g} %" for b in range(BINS)]
    return (
        pl.DataFrame(
            {
                "model": [name] * BINS,
                "asked": [question] * BINS,
                "bin": bins,
                "statements": curve.statements,
                "probability": curve.forecast,
                "share": curve.share,
                "low": curve.low,
                "high": curve.high,
            }
        )
        .filter(pl.col("statements") > 0)
        .with_columns(pl.col("low", "high").fill_nan(None))
    )


def _departures(asked: _Asked, model: str, p: Floats, ids: NDArray[np.int64]) -> pl.DataFrame:
    """Tabulate by how much a model departs from people: model, asked, statement_id, raters, people, probability, value.

    Further columns are low and high (of the difference, from Wilson's interval of people's share), p and p_adjusted
    (Benjamini & Hochberg 1995, over the statements). The largest differences come first.
    """
    known = np.flatnonzero((asked.asked > 0) & ~np.isnan(p))
    yes, n, own = asked.yes[known], asked.asked[known], p[known]
    share = yes / n
    low, high = np.array([wilson(x, k, z=Z) for x, k in zip(share.tolist(), n.tolist(), strict=True)]).T
    p_values = departure_p_values(yes, n, own)
    return pl.DataFrame(
        {
            "model": [model] * len(known),
            "asked": [asked.question] * len(known),
            "statement_id": ids[known],
            "raters": n.astype(np.int64),
            "people": share,
            "people_low": low,
            "people_high": high,
            "probability": own,
            "value": own - share,
            "low": own - high,
            "high": own - low,
            "p": p_values,
            "p_adjusted": adjust(p_values, "benjamini-hochberg"),
        }
    ).sort(pl.col("value").abs(), descending=True, maintain_order=True)
