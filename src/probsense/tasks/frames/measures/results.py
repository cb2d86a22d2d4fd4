"""The results of one model or several, and the table of a run: a row for each frame with the answers to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from probsense.analysis.open_answers.questions import Counts, Question
from probsense.core.records import Item, Json, Response, SampleResponse, ScoreResponse
from probsense.tasks.frames.charts import forest
from probsense.tasks.frames.measures import exact
from probsense.tasks.frames.questions.frames import Frame
from probsense.tasks.frames.questions.prompts import clean, ends_open
from probsense.tasks.frames.words import WORDS
from probsense.tasks.results import MADE_UP, Results, voiding

if TYPE_CHECKING:
    from polars._typing import PolarsDataType


COLUMNS: Final[Mapping[str, PolarsDataType]] = {
    "id": pl.String,
    "slot": pl.String,
    "n": pl.Int64,
    "answers": pl.List(pl.Struct({"answer": pl.String, "count": pl.Int64})),
    "log_masses": pl.List(pl.Float64),
    "other": pl.Float64,
    "cut": pl.Int64,
}
"""Columns of a run's table: the frame and its slot; the number of texts, and the answers in them (null if answers were
scored); the log-probability of each cluster of people's answers, and the probability of all other answers (null if
texts were sampled); the number of texts that were cut before their answer ended (null if that is not known)."""


def answer_table(
    items: Sequence[Item], frames: Mapping[str, Frame], responses: Sequence[Response]
) -> pl.DataFrame:
    """Make the table of a run, with :data:`COLUMNS`.

    Parameters
    ----------
    items : sequence of Item
    frames : Mapping of str to Frame
        Frames by id.
    responses : sequence of Response
        The response about each item.
    """
    rows: list[tuple[object, ...]] = []
    for item, response in zip(items, responses, strict=True):
        match response:
            case SampleResponse(texts=texts, cut=cut):
                counts = Counter(map(clean, texts)).most_common()
                given = [{"answer": answer, "count": count} for answer, count in counts]
                open_ = None if cut is None else sum(map(ends_open, compress(texts, cut)))
                rows.append((item.id, item.data["slot"], len(texts), given, None, None, open_))
            case ScoreResponse():
                masses = exact.log_masses(frames[item.id].people, response)
                other = max(0.0, 1.0 - exact.listed_mass(masses))
                rows.append((item.id, item.data["slot"], None, None, masses.tolist(), other, None))
    return pl.DataFrame(rows, schema=dict(COLUMNS), orient="row")


def given_answers(table: pl.DataFrame) -> dict[str, Counts]:
    """Return the sampled answers of each frame and how often each was given, the most frequent first."""
    rows = table.filter(pl.col("answers").is_not_null()).select("id", "answers").iter_rows()
    return {name: {own["answer"]: own["count"] for own in answers} for name, answers in rows}


MOST_WORDS: Final = 5
"""Answers of more words are counted; of the answers that people gave to CFC and ProtoQA, few are as long."""
_OVER: Final = f"texts_over_{MOST_WORDS}_words"

MANY: Final = 0.1
"""Share of the texts above which a warning says so."""


def lengths(table: pl.DataFrame) -> dict[str, Json]:
    """Count the texts of a run's table, those that are empty, cut or too long; null where that is not known."""
    given = [pair for counts in given_answers(table).values() for pair in counts.items()]
    if not given:
        return {"texts": 0, "empty_texts": 0}
    return {
        "texts": sum(count for _, count in given),
        "empty_texts": sum(count for answer, count in given if not answer),
        "cut_texts": None if table["cut"].null_count() else int(table["cut"].sum()),
        _OVER: sum(count for answer, count in given if answer.count(" ") >= MOST_WORDS),
    }


def length_warnings(table: pl.DataFrame, tokens: int) -> list[str]:
    """Warn that many texts were cut at a number of tokens, or many answers are long."""
    found: Mapping[str, Any] = lengths(table)
    counted = (
        ("cut_texts", f"were cut at {tokens} tokens, before their answer ended"),
        (_OVER, f"have an answer of more than {MOST_WORDS} words"),
    )
    return [
        f"{n:,} of {found['texts']:,} texts {what}; people answer in few words, so such answers rarely match theirs"
        for name, what in counted
        if (n := found.get(name)) and n > MANY * found["texts"]
    ]


def measured(
    outcome: Results,
    coverage: Mapping[str, Json],
    notes: Sequence[str],
    questions: Sequence[Question],
    table: pl.DataFrame | None = None,
) -> Results:
    """Say of what a model was asked, too, what the comparison of its answers amounts to.

    Parameters
    ----------
    outcome : Results
        The comparison.
    coverage : Mapping
        How much was asked and answered.
    notes : sequence of str
        What is to be said of all models.
    questions : sequence of Question
        What was asked, with the answers that people gave, or that were made up.
    table : DataFrame, optional
        That of a run.
    """
    estimates = WORDS.bounded(outcome.estimates)
    tables = {**outcome.tables, "forest": forest(estimates)}
    made_up = sum(question.illustrative for question in questions)
    illustrative = 0 < made_up == len(questions)
    which = "" if illustrative else f"{made_up:,} of {len(questions):,} frames: "
    return Results(
        estimates,
        [{**coverage, **dict(*outcome.coverage)}],
        [*notes, *outcome.notes],
        table,
        {name: own for name, own in tables.items() if not own.is_empty()},
        warnings=[*([voiding(f"{which}{MADE_UP}")] if made_up else []), *outcome.warnings],
        illustrative=illustrative,
    )
