"""The analysis without a model: how far people agree, what needs no model, and what recorded models answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from probsense.core.records import Json
from probsense.tasks.base import Analysis, recorded
from probsense.tasks.choices.measures.baselines import baseline_estimates, people_estimates
from probsense.tasks.choices.measures.estimates import Study, padded
from probsense.tasks.choices.measures.results import people_notes, people_warnings
from probsense.tasks.choices.questions import read
from probsense.tasks.choices.questions.published import read_recorded
from probsense.tasks.choices.questions.question import ReaderName, item_of, several
from probsense.tasks.choices.words import WORDS
from probsense.tasks.results import Results

TITLE: Final = "Choices: people and models"


def analyse(
    data: Path,
    *,
    reader: ReaderName = "table",
    group: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
    seed: int = 0,
) -> Analysis:
    """Analyse people's choices without a model, or recorded answers beside them.

    Parameters
    ----------
    data : Path
        A file of questions with people's answers, or a folder of such files.
    reader : {"table", "chaosnli", "alignment", "simbench"}
        The format of the files: table is CSV, XLSX, SPSS, Parquet or JSON lines with known columns.
    group : str or sequence of str
        Only these groups of people; without it, every group.
    drop : str or sequence of str
        Leave out these options, such as Refused, and the people who chose them.
    columns : str or sequence of str
        What a column is, such as questions=Q*, answer=vote or none=age, where its name does not say so.
    seed : int
        Seeds the random halves of the people.

    Returns
    -------
    Analysis
    """
    facts = recorded(locals())
    path = Path(data)
    if reader == "alignment" and not drop and (found := _recorded_answers(path, several(group))):
        return Analysis("choices", TITLE, facts, found, WORDS)
    questions = read.read_questions(path, reader, groups=group, drop=drop, columns=columns)
    items = [item_of(one) for one in questions.questions]
    study = Study.of(items)
    rng = np.random.default_rng([seed, 6])
    given = [*people_estimates(study, {}), *baseline_estimates(study, {}, rng, halved=True)]
    coverage: dict[str, Json] = {"model": "people", "questions": len(items)}
    notes = people_notes(items, drop=several(drop), read=questions.notes())
    results = Results(given, [coverage], notes, warnings=people_warnings(items))
    return Analysis("choices", TITLE, facts, results.finished(WORDS), WORDS)


def _recorded_answers(path: Path, groups: Sequence[str]) -> Results | None:
    """Measure each recorded model, survey, way of asking and group; None where no model was recorded."""
    found, coverage, every = [], [], []
    for file in read.files_of(path):
        for block in read_recorded(file):
            if groups and block.group not in groups:
                continue
            by: dict[str, Json] = {"model": read.stem(file), "data": block.data}
            by |= {"output": block.output, "group": block.group}
            items = [item_of(one) for one in block.questions]
            every += items
            study = Study.of(items)
            pair = study.beside(padded(items, block.shares))
            found += study.estimates(pair, study.distances, by, parts=False)
            coverage.append({**by, "questions": len(items)})
    if not every:
        return None
    return Results(found, coverage, people_notes(every), warnings=people_warnings(every)).finished(WORDS)
