"""Common sense as what groups share (pq): the curve of the models, of people, and of people with a model among them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pq.block import answer_matrices, complete_block
from probsense.analysis.agreement.pq.curve import Curve, inside, pq_curve
from probsense.analysis.agreement.pq.definitions import Held, same_answer
from probsense.analysis.agreement.pq.uncertainty import Band, band, replicates
from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.tasks.judgments.measures.estimates import LEVEL, PEOPLE, Settings, bare_estimate
from probsense.tasks.judgments.people.study import AmongPeople, Study
from probsense.tasks.results import Results

MODELS = "models"
HALVES = "half samples"
INSIDE = "groups around a rater"

RATERS, CLAIMS, BLOCK = 3, 10, 20
"""The fewest raters and statements that make a curve worth drawing, and the fewest people where a search chose them."""
CELLS = 1_000_000
"""The most people times statements among which a complete block is searched for."""
EFFORT, EFFORT_OF_DRAW, DRAWS = 1e9, 1e8, 100
"""Additions after which a search stops (1e9 take a few seconds), and the number of half samples for the spread."""
DRAWN = 50
"""The most people whose own curve is computed, to compare models with them."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedCurve:
    """What groups of one population share.

    Attributes
    ----------
    population : str
    curve : Curve
    spread : Band
        The spread of q at every p of the curve.
    area : Band
        The spread of the area under the curve.
    """

    population: str
    curve: Curve
    spread: Band
    area: Band


def group_curves(study: Study, settings: Settings, silent: Collection[str] = ()) -> Results:
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
        Areas under the curves of populations ("pq_area"), and of groups with a model ("pq_area_inside"). If there are
        curves, the table "pq" has a row for each point: population, raters, p, q, q_bound (proven), low and high.
    """
    answers = study.published_answers.q1[[name not in silent for name in study.models]]
    known = ~np.isnan(answers).any(axis=0)
    populations, notes = [], []
    if len(answers) >= RATERS:
        if known.sum() >= CLAIMS:
            populations.append(_shared(MODELS, same_answer(answers[:, known]), settings.generator(4)))
        else:
            notes.append(
                f"a pq curve of models takes {CLAIMS} statements that all of them answered: there are {known.sum()}"
            )
    if not isinstance(study, AmongPeople):
        return _results(populations, notes=notes)
    rng = settings.generator(9)  # What people share does not depend on the models.
    block = _complete(study.people, rng)
    if isinstance(block, str):
        return _results(populations, notes=[*notes, block])
    theirs, claims = block
    notes += ["areas of groups around a model or a person have no interval: no method is known that covers"]
    if theirs.size < study.people.people * study.people.statements:
        notes.append(
            f"the pq curve of people is that of {len(theirs):,} people who all answered the same {len(claims):,}"
            " statements, which is no random sample"
        )
    populations.append(_shared(PEOPLE, same_answer(theirs), rng))
    return _results(populations, _among(study, theirs, claims, silent, rng), notes)


def _results(
    curves: Sequence[SharedCurve], among_people: Sequence[Estimate] = (), notes: Sequence[str] = ()
) -> Results:
    estimates = [
        Estimate(
            "pq_area",
            {"model": one.population},
            one.curve.area,
            float(one.area.stderr),
            float(one.area.low),
            float(one.area.high),
            LEVEL,
            one.curve.claims,
            len(one.curve.shared),
            HALVES,
        )
        for one in curves
    ]
    parts = [
        pl.DataFrame(
            {
                "population": [one.population] * len(one.curve.shared),
                "raters": [len(one.curve.shared)] * len(one.curve.shared),
                "p": one.curve.p,
                "q": one.curve.q,
                "q_bound": one.curve.q_bound,
                "low": one.spread.low,
                "high": one.spread.high,
            }
        )
        for one in curves
    ]
    return Results([*estimates, *among_people], notes=notes, tables={"pq": pl.concat(parts)} if parts else {})


def _complete(
    people: People, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | str:
    """Find the first answers of people to statements that all of them answered, and which statements these are.

    Where there are too few, or too many to search among, say so.
    """
    if people.people * people.statements > CELLS:
        return f"no pq curve of people: they are not searched for among more than {CELLS:,} people times statements"
    answers, _ = answer_matrices(people)
    answered = ~np.isnan(answers)
    rated = answered.any(axis=0)
    if answered[:, rated].all() and len(answers) >= RATERS and rated.sum() >= CLAIMS:
        return answers[:, rated], np.flatnonzero(rated)
    try:
        block = complete_block(answered, rng, min_people=BLOCK, min_claims=CLAIMS, effort=EFFORT)
    except InputError:
        return (
            f"a pq curve of people takes {BLOCK} of them who all answered the same {CLAIMS} statements, and none were"
            " found"
        )
    return answers[np.ix_(block.people, block.claims)], block.claims


def _shared(population: str, held: Held, rng: np.random.Generator) -> SharedCurve:
    curve = pq_curve(held, rng, effort=EFFORT)
    draws = replicates(held, rng, points=len(curve.shared), draws=DRAWS, effort=EFFORT_OF_DRAW)
    return SharedCurve(
        population, curve, band(curve.q, draws), band(np.asarray(curve.area), draws.mean(axis=1))
    )


def _among(
    study: AmongPeople,
    theirs: NDArray[np.float64],
    claims: NDArray[np.int64],
    silent: Collection[str],
    rng: np.random.Generator,
) -> list[Estimate]:
    """Compute the area of each model among the people of the block, and the mean of people among themselves."""
    drawn = rng.permutation(len(theirs))[:DRAWN]
    held = same_answer(theirs)
    areas = [inside(held, int(person), rng, effort=EFFORT_OF_DRAW).area for person in drawn]
    found = [_inside(PEOPLE, float(np.mean(areas)), len(claims), len(drawn))]
    for model, own in zip(study.models, study.published_answers.q1[:, claims], strict=True):
        if model not in silent and not np.isnan(own).any():
            held = same_answer(np.vstack([theirs, own]))
            area = inside(held, len(theirs), rng, effort=EFFORT_OF_DRAW).area
            found.append(_inside(model, area, len(claims), len(held[0])))
    return found


def _inside(rater: str, area: float, claims: int, people: int) -> Estimate:
    """Make an estimate without an interval.

    All areas are of the same people and statements, so that an error from the spread of people's areas is far too small
    (such 95 % intervals held the truth in 36 % of simulations).
    """
    return bare_estimate("pq_area_inside", {"model": rater}, area, claims, people, INSIDE)
