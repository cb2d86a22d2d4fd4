"""What the model says as each persona, and as a population of them, beside people: how far answers differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.populations import (
    Answering,
    Simulated,
    Valued,
    agreement_of_pairs,
    people_answering,
    personas_answering,
)
from probsense.analysis.agreement.scores import match
from probsense.analysis.agreement.statements import common_sense_by_answer
from probsense.analysis.distributions.label_mass import binary
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.influence import (
    Cells,
    Linear,
    Scale,
    Spread,
    crossed_spread,
    ends,
    mean,
    ratio_of_means,
)
from probsense.analysis.inference.raters import crossed_share
from probsense.core.records import Json
from probsense.tasks.judgments.measures.estimates import LEVEL, PEOPLE
from probsense.tasks.judgments.people.study import AmongPeople, BesidePeople, Study, population
from probsense.tasks.judgments.personas.descriptions import Persona
from probsense.tasks.judgments.questions.wordings import MASSES

CROSSED = "crossed"
"""The method of estimates whose intervals speak for other statements, other personas and other people."""

FEW_VARY = 20
"""With fewer respondents of a kind, intervals of how far they vary hold the truth too rarely, and are not given."""
_OF_VARIATION = {"between_spread_ratio", "contrast_size"}


class PersonaAnswers(NamedTuple):
    """Hold what the model says as each persona, over the statements of ``Study``.

    Attributes
    ----------
    personas : tuple of Persona
    simulated : Simulated
        Answers to the first question.
    mass : Mapping of str to ndarray, shape (personas, statements, 3)
        By question the mass of yes, no and other; NaN where there is no data.
    """

    personas: tuple[Persona, ...]
    simulated: Simulated
    mass: Mapping[str, NDArray[np.float64]]


def persona_answers(table: pl.DataFrame, personas: Sequence[Persona], study: Study) -> PersonaAnswers:
    """Arrange the rows of a run by persona and statement.

    Where answers were sampled, the variance of the probability of yes is p(1 − p)/(n − 1).

    Parameters
    ----------
    table : DataFrame
        The rows of a run, with a column ``persona``.
    personas : sequence of Persona
    study : Study
        What the population of all personas says.
    """
    place = {one.name: i for i, one in enumerate(personas)}
    mass = {}
    texts = np.full((len(personas), len(study.ids)), np.nan)
    for question in ("q1", "q2"):
        mass[question] = np.full((*texts.shape, 3), np.nan)
        part = table.filter(pl.col("question") == question)
        who = part["persona"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
        which = np.searchsorted(study.ids, part["statement_id"].to_numpy())
        mass[question][who, which] = part.select(MASSES).to_numpy()
        if question == "q1":
            texts[who, which] = part["n"].cast(pl.Float64).fill_null(np.inf).to_numpy()
    yes, _ = population(mass["q1"], mass["q2"], study.policy)
    noise = yes * (1 - yes) / np.maximum(texts - 1, 1)
    weight = np.array([one.weight for one in personas])
    return PersonaAnswers(tuple(personas), Simulated(yes, noise, weight), mass)


def estimate(measure: str, by: Mapping[str, Json], found: Linear, *, scale: Scale = "own") -> list[Estimate]:
    """Make an estimate of a value that raters of several kinds move; none of an unknown value.

    How far a few respondents vary has no interval.
    """
    if np.isnan(found.value):
        return []
    spread = crossed_spread(found)
    if measure in _OF_VARIATION and any(len(np.unique(cells.rater)) < FEW_VARY for cells in found.raters):
        spread = Spread(np.nan, np.nan)
    low, high = ends(found.value, spread, level=LEVEL, scale=scale)
    n = len(found.items)
    return [Estimate(measure, by, found.value, spread.stderr, low, high, LEVEL, n, n, CROSSED)]


def both_known(*values: Valued) -> tuple[list[NDArray[np.float64]], list[Cells], NDArray[np.int64]]:
    """Keep the statements for which all values are known: the values, their cells with new numbers, the statements."""
    known = ~np.isnan(np.sum([one.value for one in values], axis=0))
    kept = np.flatnonzero(known)
    number = np.cumsum(known) - 1
    cells = []
    for one in values:
        inside = known[one.cells.item]
        cells.append(Cells(*(column[inside] for column in one.cells)))
        cells[-1] = cells[-1]._replace(item=number[cells[-1].item])
    return [one.value[kept] for one in values], cells, kept


def answering(study: Study, answers: PersonaAnswers) -> tuple[Answering, Answering | None]:
    """Return how the personas answer the first question, and how people do, if single people are known."""
    theirs = None
    if isinstance(study, AmongPeople):
        people = study.people
        asked = people.asked1 > 0
        theirs = people_answering(
            people.q1[asked], people.statement[asked], people.person[asked], people.statements
        )
    return personas_answering(answers.simulated), theirs


def spread_estimates(model: str, own: Answering, theirs: Answering | None) -> list[Estimate]:
    """Estimate how far answers differ between personas, and between people.

    These are how often two respondents agree ("pair_agreement", of personas and of people), how often a persona agrees
    with itself ("own_agreement"), and ratios of the personas' variances and entropies to people's ("spread_ratio",
    "between_spread_ratio", "entropy_ratio"). Personas and people are compared on the statements that both answered.
    """
    by: dict[str, Json] = {"model": model}
    pairs = Valued(agreement_of_pairs(own.variance.value), own.variance.cells)
    found: list[Estimate] = []
    for measure, one, factor in (
        ("pair_agreement", pairs, -2.0),
        (
            "own_agreement",
            Valued(
                agreement_of_pairs(own.variance.value - own.between.value),
                Cells(
                    own.variance.cells.item,
                    own.variance.cells.rater,
                    own.variance.cells.value - own.between.cells.value,
                ),
            ),
            -2.0,
        ),
    ):
        (value,), (cells,), kept = both_known(one)
        if len(kept):
            found += estimate(measure, by, mean(value, [cells.times(np.full(len(kept), factor))]))
    if theirs is None:
        return found
    both = np.where(np.isnan(own.share.value), np.nan, theirs.variance.value)
    (value,), (cells,), kept = both_known(Valued(agreement_of_pairs(both), theirs.variance.cells))
    if len(kept):
        people = mean(value, [cells.times(np.full(len(kept), -2.0))])
        found += estimate("pair_agreement", {"model": PEOPLE}, people)
    for measure, ours, other in (
        ("spread_ratio", own.variance, theirs.variance),
        ("between_spread_ratio", own.between, theirs.variance),
        ("entropy_ratio", own.entropy, theirs.entropy),
    ):
        (x, y), (of_x, of_y), kept = both_known(ours, other)
        if len(kept):
            found += estimate(measure, by, ratio_of_means(x, y, of_x, of_y), scale="log")
    return found


def individual_estimates(study: Study, answers: PersonaAnswers, model: str) -> list[Estimate]:
    """Estimate the mean score of the personas as individuals, each by its more probable answers, as people's are.

    They are "persona_consensus", "persona_awareness" and "persona_commonsensicality", against what most people say.
    """
    if not isinstance(study, BesidePeople):
        return []
    right = [
        match(binary(answers.mass[q], study.policy, study.key, tie=0.5), study.key) for q in ("q1", "q2")
    ]
    who, which = np.indices(right[0].shape).reshape(2, -1)
    first, second = (one.ravel() for one in right)
    common = common_sense_by_answer(first, second, who, len(answers.personas))
    common = np.where(np.isnan(first) & np.isnan(second), np.nan, common)
    found = []
    for measure, value in (
        ("persona_commonsensicality", common),
        ("persona_consensus", first),
        ("persona_awareness", second),
    ):
        known = ~np.isnan(value)
        if known.any():
            own = np.bincount(who[known], minlength=len(answers.personas))
            weight = answers.simulated.weight[who[known]] / own[who[known]]
            found.append(
                crossed_share(measure, {"model": model}, value[known], which[known], who[known], weight)
            )
    return found


def spread_table(study: Study, model: str, own: Answering, theirs: Answering | None) -> pl.DataFrame:
    """Tabulate for each statement how often two respondents differ: model, statement_id, people, drawn, between.

    ``drawn`` is that of two personas that answer once each, and ``between`` the part of it that lies between personas.
    """
    if theirs is None:
        return pl.DataFrame()
    columns = {"people": theirs.variance, "drawn": own.variance, "between": own.between}
    known = ~np.isnan(theirs.variance.value + own.variance.value)
    return pl.DataFrame(
        {
            "model": [model] * int(known.sum()),
            "statement_id": study.ids[known],
            **{name: 2 * one.value[known] for name, one in columns.items()},
        }
    )
