"""Models' probabilities of yes beside the shares of people who say yes: distances, calibration, departures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.agreement.people import MINIMUM_RATERS
from probsense.analysis.arrays import Bools, Floats, Ints
from probsense.analysis.human_choices import estimates as linear
from probsense.analysis.human_choices.estimates import Values
from probsense.analysis.human_choices.floors import FLOORS, from_others
from probsense.analysis.human_choices.halves import halves
from probsense.analysis.human_choices.measures import MEASURES, Distributions, distributions
from probsense.analysis.inference.bounded import ShareCurve, share_curve, wilson
from probsense.analysis.inference.estimate import Estimate, Z
from probsense.analysis.inference.means import mean_of_known
from probsense.analysis.inference.significance import adjust, departure_p_values
from probsense.tasks.judgments.measures.estimates import BASELINE, PEOPLE
from probsense.tasks.judgments.measures.groups import groups_of
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.results import Results

UNRELATED = f"{BASELINE}another statement"
"""What people about another statement are called among the raters."""
DISTANCES: Final[Mapping[str, tuple[str, float]]] = {
    "share_brier": ("squared", 0.5),
    "share_brier_corrected": ("squared_corrected", 0.5),
    "share_js": ("js", 1.0),
    "share_total_variation": ("total_variation", 1.0),
}
"""The measures of :mod:`~probsense.analysis.human_choices.measures` by the names of their estimates, with a factor: a
Brier score is that of yes alone."""
CORRECTED: Final = "share_brier_corrected"
"""The distance from everybody, of whom only some were asked."""
ALIKE = 1e-6
"""The standard error below which the corrected distances of all statements are the same."""
BY_FEATURE: Final = ("share_brier", CORRECTED, "share_js")
"""Measures that are estimated by group of statements, too."""


class _Asked(NamedTuple):
    """What people answered to a question: its name, and numbers of yes and of answers by statement."""

    question: str
    yes: Floats
    asked: Floats

    def beside(self, p: Floats) -> Distributions:
        """Set probabilities of yes beside people's, shape (statements, 2)."""
        people = np.column_stack([self.yes, self.asked - self.yes])
        return distributions(people, np.column_stack([p, 1 - p]))


def share_distances(study: Study, statements: pl.DataFrame | None, rng: np.random.Generator) -> Results:
    """Set models' probabilities of yes beside the shares of people who say yes, question by question.

    Parameters
    ----------
    study : Study
    statements : DataFrame or None
        The statements with their features, as from
        :func:`~probsense.tasks.judgments.questions.statements.read_statements`.
    rng : numpy.random.Generator
        Draws the other statements to which people's answers are compared.

    Returns
    -------
    Results
        Estimates of models, of another sample of as many people, and of people about another statement, and the tables
        "share_calibration" and "departures" that charts are drawn from. Statements with fewer than
        :data:`~probsense.analysis.agreement.people.MINIMUM_RATERS` answers to a question do not count.
    """
    members = {} if statements is None else groups_of(study, statements).members
    estimates: list[Estimate] = []
    curves, departures = [], []
    people = study.people
    given = (people.yes1, people.asked1), (people.yes2, people.asked2)
    for question, answers, models in zip(("q1", "q2"), given, study.shares, strict=True):
        yes, n = (people.by_statement(one) for one in answers)
        known: Bools = ~np.isnan(models) & (n >= MINIMUM_RATERS)
        # People are measured on the statements that some model judged.
        asked = _Asked(question, *(np.where(known.any(axis=0), one, 0) for one in (yes, n)))
        shares = {study.models[i]: models[i] for i in np.flatnonzero(known.any(axis=1)).tolist()}
        if not shares:
            continue
        estimates += _distances(asked, shares, members, rng)
        for name, curve in _curves(asked, shares).items():
            estimates += _mean("share_calibration_error", name, question, curve.gap)
            curves.append(curve.table("statements", model=name, asked=question))
        departures += [_departures(asked, name, p, study.ids) for name, p in shares.items()]
    if not estimates:
        return Results()
    texts = {} if statements is None else dict(statements.select("statement_id", "statement").iter_rows())
    text = pl.col("statement_id").replace_strict(texts, default=None, return_dtype=pl.String)
    found = pl.concat(departures).with_columns(statement=text)
    return Results(estimates, tables={"share_calibration": pl.concat(curves), "departures": found})


def _distances(
    asked: _Asked, models: Mapping[str, Floats], members: Mapping[str, Bools], rng: np.random.Generator
) -> Iterator[Estimate]:
    """Estimate mean distances from people, over all statements and by group of them."""
    people = asked.beside(np.full(len(asked.yes), 0.5))
    pairs = {model: asked.beside(p) for model, p in models.items()}
    for measure, (name, factor) in DISTANCES.items():
        rows = {model: factor * MEASURES[name].function(pair) for model, pair in pairs.items()}
        if measure != CORRECTED:
            far = factor * from_others(name, people, rng)
            rows = {PEOPLE: factor * FLOORS[name](people), UNRELATED: far, **rows}
        for rater, values in rows.items():
            yield from _mean(measure, rater, asked.question, values)
            if measure in BY_FEATURE and rater != UNRELATED:
                for feature, group in members.items():
                    yield from _mean(measure, rater, asked.question, values[group], feature=feature)
        for model in models if name == "squared" else ():
            found = linear.normalised(Values(rows[model]), Values(rows[PEOPLE]), Values(rows[UNRELATED]))
            if not math.isnan(found.value):
                by, n = {"model": model, "asked": asked.question}, len(found.items)
                yield linear.estimate("share_normalised", by, found, n)


def _mean(measure: str, rater: str, question: str, values: Floats, **by: str) -> Iterator[Estimate]:
    """Estimate a mean over statements, if any is known."""
    described = {"model": rater, "asked": question, **by}
    for found in mean_of_known(measure, described, values):
        # Where next to nothing varies, a normal interval would claim certainty.
        alike = measure == CORRECTED and found.stderr < ALIKE
        yield replace(found, low=math.nan, high=math.nan, no_interval="all alike") if alike else found


def _curves(asked: _Asked, models: Mapping[str, Floats]) -> dict[str, ShareCurve]:
    """Compute the calibration of one half of the people for the other, and of models for all people."""
    ways, used = halves(asked.yes, asked.asked), asked.asked > 0
    found = {PEOPLE: share_curve(ways.first[used], ways.second[used], ways.weight[used])}
    share = asked.yes / np.where(used, asked.asked, np.nan)
    for model, p in models.items():
        known = used & ~np.isnan(p)
        found[model] = share_curve(p[known, None], share[known, None])
    return found


def _departures(asked: _Asked, model: str, p: Floats, ids: Ints) -> pl.DataFrame:
    """Tabulate by how much a model departs from people: model, asked, statement_id, raters, people, probability, value.

    Further columns are low and high (of the difference, from Wilson's interval of people's share), p and p_adjusted
    (Benjamini & Hochberg 1995, over the statements). The largest differences come first.
    """
    known = np.flatnonzero((asked.asked > 0) & ~np.isnan(p))
    yes, n, own = asked.yes[known], asked.asked[known], p[known]
    share = yes / n
    low, high = np.array([wilson(x, k, z=Z) for x, k in np.column_stack([share, n]).tolist()]).T
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
