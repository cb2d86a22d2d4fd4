"""Ratings: the answers of models as a table, read from files or folders, and written from a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from probsense.core.files import writing
from probsense.core.files.tables import Table, read_table
from probsense.core.names import file_name
from probsense.show.text import counted
from probsense.tasks.judgments.questions.raw import SCHEMA, SLACK, read_raw
from probsense.tasks.judgments.questions.statements import check_ids, statement_ids
from probsense.tasks.judgments.questions.wordings import MASSES, QUESTIONS
from probsense.tasks.judgments.questions.yes_no import Reading, ratings_of
from probsense.tasks.shared.understood import Read

_EXPECTED = (
    "the columns model, statement_id (or statement), question, p_yes, p_no and p_other, or MODEL_q1 and so on"
)
_ANSWERS: Final = re.compile(rf"(?P<model>.+)_(?P<question>{'|'.join(QUESTIONS)})")
"""The name of a column of a model's answers in a wide table."""
_PEOPLE: Final = "human"
"""Whose column such a table has beside those of models: what most people say."""


def read_ratings(path: Path, statements: pl.DataFrame | None = None) -> Read[pl.DataFrame]:
    """Read the answers of models as probabilities of yes, no and everything else.

    Parameters
    ----------
    path : Path
        Either a table (CSV, Parquet, JSON lines) with the columns ``model``, ``statement_id`` (or ``statement``, its
        text), ``question`` (q1, q2 or q3), ``p_yes``, ``p_no`` and ``p_other`` (empty or NaN: no data). Or a wide table
        as published (all_models_binarythresh.csv), with a row for each statement and columns ``MODEL_q1``, ``MODEL_q2``
        or ``MODEL_q3`` of yes and no (1 and 0), each of which counts as certain. Or a folder of raw results
        (:func:`~probsense.tasks.judgments.questions.raw.read_raw`).
    statements : DataFrame, optional
        Columns statement_id and statement: all statements that there are. They give the texts of a column
        ``statement`` their ids.

    Returns
    -------
    Read
        Its frame has model, statement_id, question, p_yes, p_no, p_other, as in
        :data:`~probsense.tasks.judgments.questions.raw.SCHEMA`; "other" is still included. What rounding has pushed
        a little below 0 or above 1 becomes 0 or 1.

    Raises
    ------
    InputError
        For a file that cannot be read. For a table with a missing column, an unknown question, a value that is no
        probability, probabilities that do not sum to 1, a model, statement and question that come twice, or a
        statement that is not among those known. For a folder as
        :func:`~probsense.tasks.judgments.questions.raw.read_raw` says.
    """
    if not path.is_dir():
        table = read_table(path)
        columns = {} if "model" in table.frame.columns else _columns(table)
        return _wide(table, columns, statements) if columns else _long(table, statements)
    found = read_raw(path)
    if statements is not None:
        check_ids(found["statement_id"], statements, path)
    return Read(found, "raw results", usual=True)


def _columns(table: Table) -> dict[str, tuple[str, str]]:
    """Find the columns of models' answers, and the model and question of each."""
    told = {name: _ANSWERS.fullmatch(name) for name in table.frame.columns}
    return {
        name: (one["model"], one["question"]) for name, one in told.items() if one and one["model"] != _PEOPLE
    }


def _wide(
    table: Table, columns: Mapping[str, tuple[str, str]], statements: pl.DataFrame | None
) -> Read[pl.DataFrame]:
    ids = statement_ids(table, statements)
    table.refuse_repeated(ids.to_frame())
    parts = []
    for name, (model, question) in columns.items():
        yes = ratings_of(table, name, Reading()).cast(pl.Float64)
        masses = {"p_yes": yes, "p_no": 1 - yes, "p_other": 0 * yes}
        named = {"model": pl.lit(model), "question": pl.lit(question)}
        parts.append(pl.DataFrame({"statement_id": ids, **masses}).with_columns(**named))
    models = counted(len({model for model, _ in columns.values()}), "model")
    said = f"a wide table of {models}, of which each yes or no counts as certain ({', '.join(table.how)})"
    dropped = table.left_out({*columns, "", "statement_id", "statement"}, "a table without it")
    return Read(pl.concat(parts).select(*SCHEMA), said, dropped)


def _long(table: Table, statements: pl.DataFrame | None) -> Read[pl.DataFrame]:
    table.columns("model", "question", *MASSES, expected=_EXPECTED)
    model = table.texts("model").alias("model")
    question = table.words("question", QUESTIONS).alias("question")
    key = pl.DataFrame([model, statement_ids(table, statements), question])
    table.refuse_repeated(key)
    masses = pl.DataFrame([_probabilities(table, name) for name in MASSES])
    _check_sums(table, masses)
    return Read(pl.DataFrame([*key, *masses]), "a long table: a row for each answer", usual=True)


def _probabilities(table: Table, name: str) -> pl.Series:
    found = table.numbers(name).fill_nan(None)
    fine = found.is_between(-SLACK, 1 + SLACK).fill_null(True)
    table.refuse(~fine, name, "a probability, or nothing for no data")
    return found.clip(0, 1).alias(name)


def _check_sums(table: Table, masses: pl.DataFrame) -> None:
    total = masses.select(pl.sum_horizontal(pl.all(), ignore_nulls=False)).to_series()
    none = masses.select(pl.all_horizontal(pl.all().is_null())).to_series()
    good = none | total.is_between(1 - SLACK, 1 + SLACK).fill_null(False)
    for row in (~good).arg_true().head(1):
        values = ", ".join(f"{name} {value}" for name, value in masses.row(row, named=True).items())
        raise table.fault(row, values, "three probabilities that sum to 1, or none of them")


def write_ratings(folder: Path, model: str, table: pl.DataFrame) -> Path:
    """Write a run's table as CSV for ``analyse judgments --ratings``, whole or not at all.

    Parameters
    ----------
    folder : Path
        Made if missing.
    model : str
        Its name, by which the file is named, too.
    table : DataFrame
        As from :meth:`~probsense.tasks.judgments.task.Judgments.measure`.

    Returns
    -------
    Path
        The file.
    """
    path = folder / f"{file_name(model)}_ratings.csv"
    with writing(path) as stream:
        table.select(pl.lit(model).alias("model"), pl.exclude("id", "source", "note")).write_csv(stream)
    return path
