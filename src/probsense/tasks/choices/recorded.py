"""Files without a model: what was understood of one, how far people agree, and what recorded models answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from probsense.core.files.table import some
from probsense.core.records import Json
from probsense.show.text import counted
from probsense.tasks.base import Analysis, recorded
from probsense.tasks.choices.measures.baselines import baseline_estimates, people_estimates
from probsense.tasks.choices.measures.estimates import Study, padded
from probsense.tasks.choices.measures.results import people_notes, people_warnings
from probsense.tasks.choices.questions.published import read_recorded
from probsense.tasks.choices.questions.question import ReaderName, Stance, item_of, several
from probsense.tasks.choices.questions.read import files_of, read_questions, stem
from probsense.tasks.choices.task import Choices
from probsense.tasks.choices.words import WORDS
from probsense.tasks.results import Results
from probsense.tasks.shared.understood import SHOWN, Understood, prompt_of, run_command

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
    questions = read_questions(path, reader, groups=group, drop=drop, columns=columns)
    items = [item_of(one) for one in questions.found]
    study = Study.of(items)
    rng = np.random.default_rng([seed, 6])
    given = [*people_estimates(study, {}), *baseline_estimates(study, {}, rng, halved=True)]
    coverage: dict[str, Json] = {"model": "people", "questions": len(items)}
    notes = people_notes(items, drop=several(drop), read=questions.notes(path))
    results = Results(given, [coverage], notes, warnings=people_warnings(items))
    return Analysis("choices", TITLE, facts, results.finished(WORDS), WORDS)


def _recorded_answers(path: Path, groups: Sequence[str]) -> Results | None:
    """Measure each recorded model, survey, way of asking and group; None where no model was recorded."""
    found, coverage, every = [], [], []
    for file in files_of(path):
        for block in read_recorded(file):
            if groups and block.by["group"] not in groups:
                continue
            by: dict[str, Json] = {"model": stem(file), **block.by}
            items = [item_of(one) for one in block.questions]
            every += items
            study = Study.of(items)
            pair = study.beside(padded(items, block.shares))
            found += study.estimates(pair, study.distances, by, parts=False)
            coverage.append({**by, "questions": len(items)})
    if not every:
        return None
    return Results(found, coverage, people_notes(every), warnings=people_warnings(every)).finished(WORDS)


def check_data(
    file: Path,
    *,
    reader: ReaderName = "table",
    group: str | Sequence[str] = (),
    group_form: Stance = "as",
    drop: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
) -> Understood:
    """Read a file of questions, and say what was understood.

    Parameters
    ----------
    file : Path
        A file of questions with people's answers, or a folder of such files.
    reader : {"table", "chaosnli", "alignment", "simbench"}
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    group_form : {"as", "about", "none"}
        Ask the model to answer as one of the group, ask it how the group would answer, or say nothing of the group.
    drop : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    columns : str or sequence of str
        As for :func:`probsense.tasks.choices.recorded.analyse`.
    """
    task = Choices(file, reader=reader, group=group, group_form=group_form, drop=drop, columns=columns)
    items, read = task.items(), task.read
    data = [item.data for item in items]
    options = [len(item.data["options"]) for item in items]
    names: dict[str, list[Json]] = {
        part: [*dict.fromkeys(one[part] for one in data if one[part])] for part in ("group", "data")
    }
    counts: dict[str, Json] = {
        "questions": len({(item.data["data"], item.cluster) for item in items}),
        "items": len(items),
        "options_least": (least := min(options)),
        "options_most": (most := max(options)),
        "groups": names["group"],
        "data": names["data"],
        "with_gold": sum(bool(item.gold) for item in items),
        "scales": sum(bool(one["order"]) for one in data),
        "with_raters": sum(bool(one["raters"]) for one in data),
    }
    told = {"a right option": "with_gold", "a scale": "scales", "known raters": "with_raters"}
    known = [f"{counts[key]:,} with {name}" for name, key in told.items() if counts[key]]
    groups = [str(name) for name in names["group"]]
    more = [f"groups of people: {some(groups)}"] if groups else []
    places = dict.fromkeys([0, len(items) // 2, len(items) - 1][:SHOWN])
    return Understood(
        f"{counted(len(items), 'question')}, {least if least == most else f'{least} to {most}'} options each",
        counts,
        read.said,
        [(items[place].id, prompt_of(task, items[place])) for place in places],
        run_command(
            "choices",
            data=file,
            reader=None if reader == "table" else reader,
            group=group,
            drop=drop,
            columns=columns,
            group_form=None if group_form == "as" else group_form,
            method="options",  # The small model of the package answers with no letters.
        ),
        dropped=read.dropped,
        notes=people_notes(items, drop=several(drop)),
        warnings=people_warnings(items),
        more=[*more, *([", ".join(known)] if known else [])],
    )
