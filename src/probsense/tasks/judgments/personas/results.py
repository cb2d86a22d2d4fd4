"""Everything that a run with personas adds to what its simulated population amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from probsense.analysis.inference.estimate import Estimate
from probsense.core.errors import InputError
from probsense.show.text import counted, joined
from probsense.tasks.judgments.people.demographics import check_demographics, read_demographics
from probsense.tasks.judgments.people.study import AmongPeople, Study
from probsense.tasks.judgments.personas.answers import (
    answering,
    individual_estimates,
    persona_answers,
    spread_estimates,
    spread_table,
)
from probsense.tasks.judgments.personas.descriptions import Persona
from probsense.tasks.judgments.personas.groups import Level, group_differences, persona_groups
from probsense.tasks.results import Results

FEW = 5
"""With fewer personas of a group than this, a warning says so."""
STILL = 0.05
"""The share of people's variance below which personas barely move a model."""
STILL_ALONE = 0.0025
"""The same where people are not known: the variance of probabilities with a standard deviation of 5 points."""


def check_personas(
    persona: Path | str | None, humans: Sequence[object], demographics: Path | str | None
) -> None:
    """Refuse characteristics of people with whom nothing is compared.

    Raises
    ------
    InputError
    """
    check_demographics(demographics, humans)
    if demographics is not None and persona is None:
        raise InputError("characteristics of people without personas", expected="a file of personas")


def persona_results(
    table: pl.DataFrame,
    personas: Sequence[Persona],
    study: Study,
    statements: pl.DataFrame,
    demographics: Path | None,
) -> Results:
    """Measure how far the simulated population's spread and group differences are people's.

    Parameters
    ----------
    table : DataFrame
        The rows of a run, with a column ``persona``.
    personas : sequence of Persona
    study : Study
        What the simulated population says, of one model.
    statements : DataFrame
        Columns statement_id and statement.
    demographics : Path or None
        Who people are.
    """
    (model,) = study.models
    answers = persona_answers(table, personas, study)
    if np.isnan(answers.simulated.yes).all():
        return Results(notes=["how far personas differ is measured by answers to q1, and there are none"])
    own, theirs = answering(study, answers)
    estimates = [*spread_estimates(model, own, theirs), *individual_estimates(study, answers, model)]
    divisions = None
    if demographics is not None and isinstance(study, AmongPeople):
        divisions = read_demographics(demographics, study.persons)
    groups = persona_groups(personas, divisions)
    more, differences = group_differences(study, answers, model, groups.levels, statements)
    tables = {"persona_spread": spread_table(study, model, own, theirs), "persona_groups": differences}
    between = _between(estimates, own.between.value)
    warnings = [
        *_still(between, known=theirs is not None),
        *_thrown(table),
        *_few(personas, groups.levels),
        *groups.warnings,
    ]
    notes = [
        f"{counted(len(personas), 'persona')} answer as one population, by their weights: its shares are the means of"
        " their probabilities"
    ]
    if isinstance(study, AmongPeople) and divisions is None and groups.levels:
        notes.append(
            "differences of groups are the model's alone: --demographics tells to which people belong"
        )
    if divisions is not None:
        notes += divisions.notes
    kept = {name: found for name, found in tables.items() if not found.is_empty()}
    return Results([*estimates, *more], notes=notes, tables=kept, warnings=warnings)


def _between(estimates: Sequence[Estimate], variance: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the ratio of the variance between personas to people's, or the variance itself without people."""
    ratios = [e.value for e in estimates if e.measure == "between_spread_ratio"]
    if ratios:
        return ratios[0]
    return float(np.nanmean(variance)) if not np.isnan(variance).all() else float("nan")


def _still(between: float, *, known: bool) -> list[str]:
    """Warn if what a persona is told hardly changes what the model answers."""
    if not between < (STILL if known else STILL_ALONE):
        return []
    how = (
        f"the variance of its answers between them is {100 * max(between, 0):.1f} % of people's"
        if known
        else f"its probability of yes varies by {100 * max(between, 0) ** 0.5:.1f} points between them"
    )
    return [f"personas barely move the model: {how}"]


def _thrown(table: pl.DataFrame) -> list[str]:
    """Warn if single texts leave the spread between personas and that of drawing apart from one another unknown."""
    if not (table["n"] == 1).any():
        return []
    return [
        "one text for a question: what varies between personas cannot be told from what varies by drawing"
    ]


def _few(personas: Sequence[Persona], levels: Sequence[Level]) -> list[str]:
    """Warn of few personas, in all and of single groups."""
    if len(personas) < 2:
        return ["a single persona: nothing can be said of how far personas differ"]
    small: Mapping[str, int] = {level.name: int(level.personas.sum()) for level in levels}
    few = [f"{name} ({count})" for name, count in small.items() if count < FEW]
    if not few:
        return []
    return [
        f"fewer than {FEW} personas of a group: {joined(few)}; its figures may be those of single descriptions"
    ]
