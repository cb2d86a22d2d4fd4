"""Common sense as what groups share (pq): the curve of the models, and of people who all answered the same."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pq_curves import band, pq_curve, replicates, same_answer
from probsense.analysis.arrays import Floats
from probsense.analysis.inference.estimate import LEVEL, Estimate
from probsense.tasks.judgments.measures.estimates import PEOPLE, Settings
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.results import Results

MODELS = "models"
HALVES = "half samples"

RATERS, CLAIMS = 3, 10
"""The fewest raters and statements that make a curve worth drawing."""
CELLS = 1_000_000
"""The most people times statements of a curve, whose search takes minutes."""
EFFORT = 1e9
"""Additions after which a search stops (a few seconds)."""


def group_curves(study: Study, settings: Settings, silent: Collection[str]) -> Results:
    """Compute the pq curves that the data allow: the same answer to the first question is what people share.

    Parameters
    ----------
    study : Study
    settings : Settings
    silent : collection of str
        Models that are left out.

    Returns
    -------
    Results
        Areas under the curves ("pq_area"). If there are curves, the table "pq" has a row for each point: population,
        raters, p, q, q_bound (proven), low and high.
    """
    answers = study.published_answers.q1[[name not in silent for name in study.models]]
    answers = answers[:, ~np.isnan(answers).any(axis=0)]
    curves, notes = [], []
    if len(answers) >= RATERS and answers.shape[1] >= CLAIMS:
        curves.append(_curve(MODELS, answers, settings.generator(4)))
    if study.persons:
        theirs = _complete(study.people)
        if isinstance(theirs, str):
            notes.append(theirs)
        else:
            # What people share does not depend on the models.
            curves.append(_curve(PEOPLE, theirs, settings.generator(9)))
    tables = {"pq": pl.concat(points for _, points in curves)} if curves else {}
    return Results([area for area, _ in curves], notes=notes, tables=tables)


def _complete(people: People) -> Floats | str:
    """Arrange people's first answers if all of them answered the same statements; else say why there is no curve.

    The shape is (people, statements).
    """
    rated = people.by_statement(people.asked1) > 0
    statements, answers = int(rated.sum()), int(people.asked1.sum())
    if people.people < RATERS or statements < CLAIMS or answers < people.people * statements:
        return (
            f"no pq curve of people: it takes at least {RATERS} of them, {CLAIMS} statements, and everybody's answers"
            " to all"
        )
    if answers > CELLS:
        return f"no pq curve of people: it is not computed for more than {CELLS:,} people times statements"
    return np.asarray(people.matrix(people.yes1).toarray()[:, rated])


def _curve(population: str, answers: Floats, rng: np.random.Generator) -> tuple[Estimate, pl.DataFrame]:
    """Compute the area under a curve, and its points."""
    held = same_answer(answers)
    curve = pq_curve(held, rng, effort=EFFORT)
    draws = replicates(held, rng)
    spread, around = band(np.asarray(curve.area), draws.mean(axis=1)), band(curve.q, draws)
    raters, by = len(curve.shared), {"model": population}
    ends = float(spread.stderr), float(spread.low), float(spread.high)
    points = {"p": curve.p, "q": curve.q, "q_bound": curve.q_bound, "low": around.low, "high": around.high}
    whose = pl.lit(population).alias("population"), pl.lit(raters, pl.Int64).alias("raters")
    return (
        Estimate("pq_area", by, curve.area, *ends, LEVEL, curve.claims, raters, HALVES),
        pl.DataFrame(points).select(*whose, pl.all()),
    )
