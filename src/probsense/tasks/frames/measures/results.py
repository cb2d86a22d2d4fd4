"""The results of one model or several, and the table of a run: a row for each frame with the answers to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Final

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
    found = lengths(table)
    counted = (
        ("cut_texts", f"were cut at {tokens} tokens, before their answer ended"),
        (_OVER, f"have an answer of more than {MOST_WORDS} words"),
    )
    return [
        f"{n:,} of {total:,} texts {what}; people answer in few words, so such answers rarely match theirs"
        for name, what in counted
        if isinstance(n := found.get(name), int)
        and isinstance(total := found["texts"], int)
        and n > MANY * total
    ]


def measured(
    found: Sequence[Results],
    coverage: Sequence[Mapping[str, Json]],
    notes: Sequence[str],
    table: pl.DataFrame | None = None,
    *,
    questions: Sequence[Question],
    warnings: Sequence[str],
) -> Results:
    """Put together what the answers of one model or several amount to, with the tables of their common charts.

    Parameters
    ----------
    found : sequence of Results
        Those of each model.
    coverage, notes, table, warnings
        As of :class:`~probsense.tasks.results.Results`.
    questions : sequence of Question
        What was asked, with the answers that people gave, or that were made up.
    """
    estimates = WORDS.bounded(estimate for own in found for estimate in own.estimates)
    parts = [*(own.tables for own in found), {"forest": forest(estimates)}]
    tables = {}
    for name in ("distributions", "forest", "unmatched"):
        if own := [part[name] for part in parts if name in part]:
            # Models share the rows of people.
            tables[name] = pl.concat(own).unique(keep="first", maintain_order=True)
    made_up = [question for question in questions if question.illustrative]
    illustrative = 0 < len(made_up) == len(questions)
    if made_up:
        which = "" if illustrative else f"{len(made_up):,} of {len(questions):,} frames: "
        warnings = [voiding(f"{which}{MADE_UP}"), *warnings]
    return Results(
        estimates,
        coverage,
        notes,
        table,
        {name: own for name, own in tables.items() if not own.is_empty()},
        warnings=warnings,
        illustrative=illustrative,
    )
