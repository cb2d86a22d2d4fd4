"""Everything that a run with personas adds to what its simulated population amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from probsense.analysis.agreement.populations import Simulated, between_personas
from probsense.core.errors import InputError
from probsense.show.text import counted, joined
from probsense.tasks.judgments.people.demographics import check_demographics, read_demographics
from probsense.tasks.judgments.people.study import Study
from probsense.tasks.judgments.personas.descriptions import Persona
from probsense.tasks.judgments.personas.groups import Level, group_differences, persona_groups, simulated
from probsense.tasks.results import Results

FEW = 5
"""With fewer personas of a group than this, a warning says so."""
STILL = 0.0025
"""The variance between personas below which they barely move a model: a standard deviation of 5 points."""


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
    table: pl.DataFrame, personas: Sequence[Persona], study: Study, demographics: Path | None
) -> Results:
    """Measure how far groups of the simulated population are from one another, beside the same groups of people.

    Parameters
    ----------
    table : DataFrame
        The rows of a run, with a column ``persona``.
    personas : sequence of Persona
    study : Study
        What the simulated population says, of one model.
    demographics : Path or None
        Who people are.
    """
    (model,) = study.models
    answers = simulated(table, personas, study)
    if np.isnan(answers.yes).all():
        return Results(notes=["how far personas differ is measured by answers to q1, and there are none"])
    divisions = None
    if demographics is not None and study.persons:
        divisions = read_demographics(demographics, study.persons)
    groups = persona_groups(personas, divisions)
    warnings = [*_still(answers), *_thrown(table), *_few(personas, groups.levels), *groups.warnings]
    notes = [
        f"{counted(len(personas), 'persona')} answer as one population, by their weights: its shares are the means of"
        " their probabilities"
    ]
    if study.persons and divisions is None and groups.levels:
        notes.append(
            "differences of groups are the model's alone: --demographics tells to which people belong"
        )
    if divisions is not None:
        notes += divisions.notes
    return Results(group_differences(study, answers, model, groups.levels), notes=notes, warnings=warnings)


def _still(answers: Simulated) -> list[str]:
    """Warn if what a persona is told hardly changes what the model answers."""
    between = between_personas(answers)
    variance = float(np.nanmean(between)) if not np.isnan(between).all() else float("nan")
    if not variance < STILL:
        return []
    points = 100 * max(variance, 0) ** 0.5
    return [
        f"personas barely move the model: its probability of yes varies by {points:.1f} points between them"
    ]


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
