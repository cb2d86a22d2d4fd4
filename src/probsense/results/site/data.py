"""The tables of a site as files to download, and its index for programs: one document of JSON."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.core.records import Json
from probsense.results.comparisons import group_letters
from probsense.results.formats import as_csv, estimate_rows
from probsense.results.site.boards import Board, Column, Differing
from probsense.results.site.models import SiteModel, model_of_run
from probsense.results.site.pages import Frame, board_title

if TYPE_CHECKING:
    import polars as pl


Rows = list[dict[str, Json]]
NUMBERS: Final = ("value", "stderr", "low", "high", "chance", "shortcut_ceiling")


@dataclass(frozen=True, eq=False)
class SiteTable:
    """A table to download.

    Attributes
    ----------
    stem : str
        Name of its files, without an ending.
    title, meaning : str
    columns : tuple of str
        Those that it always has.
    rows : callable
        Makes the rows.
    """

    stem: str
    title: str
    meaning: str
    columns: tuple[str, ...]
    rows: Callable[[], Rows]


def site_tables(
    models: Sequence[SiteModel], boards: Sequence[Board], differing: Callable[[Board], Sequence[Differing]]
) -> list[SiteTable]:
    """List every table of a site."""
    return [
        SiteTable(
            "runs",
            "Runs",
            "A row for each run: the task, the model and how it was asked, and how many questions were answered.",
            (
                *_RUN,
                "task",
                "version",
                "method",
                "items",
                "answered",
                "started",
                "finished",
                "family",
                "parameters",
            ),
            lambda: _runs(models),
        ),
        SiteTable(
            "leaderboards",
            "Leaderboards",
            "A row for each model and measure of each leaderboard. The main measure has rank and groups: models that"
            " share a letter cannot be told apart.",
            ("board", *_RUN, "measure", "main", *NUMBERS, "rank", "rank_low", "rank_high", "groups"),
            lambda: _leaderboards(models, boards),
        ),
        SiteTable(
            "comparisons",
            "Comparisons",
            "A row for each two models of a leaderboard: their paired difference with its interval, and the p-value"
            " before and after Holm’s correction for all pairs.",
            ("board", "measure", "run", "versus", "difference", "low", "high", "p", "p_holm"),
            lambda: _comparisons(boards),
        ),
        SiteTable(
            "estimates",
            "All estimates",
            "A row for each estimate of each run, with everything that it describes: problems, views, parts.",
            ("run", "run_name", "task", "measure", "method", "model", *NUMBERS, "level", "n", "clusters"),
            lambda: _estimates(models),
        ),
        SiteTable(
            "differing",
            "Questions on which models differ",
            "A row for each answer of each model to the questions with the largest spread, with its probability.",
            ("board", "item", "spread", "question", "gold", *_RUN, "given", "answer", "probability"),
            lambda: _differing(models, boards, differing),
        ),
    ]


_RUN: Final = ("run", "model", "page")


def csv_bytes(table: SiteTable) -> bytes:
    """Write a table as CSV."""
    rows = _filled(table)
    return (as_csv(rows) if rows else ",".join(table.columns) + "\n").encode(errors="replace")


def parquet_bytes(table: SiteTable) -> bytes:
    """Write a table as Parquet."""
    stream = io.BytesIO()
    _frame(table.columns, _filled(table)).write_parquet(stream)
    return stream.getvalue()


def _filled(table: SiteTable) -> Rows:
    """Make the rows of a table, each with all the columns that it always has."""
    first: dict[str, Json] = dict.fromkeys(table.columns)
    return [{**first, **row} for row in table.rows()]


def _frame(known: Sequence[str], rows: Rows) -> pl.DataFrame:
    """Make a data frame; a column of several kinds of values becomes one of texts."""
    import polars as pl

    columns = dict.fromkeys((*known, *(key for row in rows for key in row)))
    return pl.DataFrame([_series(name, [row.get(name) for row in rows]) for name in columns])


def _series(name: str, values: Sequence[Json]) -> pl.Series:
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        return pl.Series(name, values, dtype=pl.Float64 if float in kinds else pl.Int64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _run_columns(model: SiteModel, run: str, name: str) -> dict[str, Json]:
    return {"run": run, "model": name, "page": f"models/{model.slug}.html"}


def _runs(models: Sequence[SiteModel]) -> Rows:
    return [
        {
            **_run_columns(model, run.record.id, run.model),
            "task": run.record.task,
            "version": run.record.version,
            "method": run.record.method,
            "items": run.items,
            "answered": run.answered,
            "started": run.record.started,
            "finished": run.record.finished,
            "family": model.description.family or None,
            "parameters": model.description.parameters,
        }
        for model in models
        for run in model.runs
    ]


def _leaderboards(models: Sequence[SiteModel], boards: Sequence[Board]) -> Rows:
    by_run = model_of_run(models)
    return [
        {
            "board": board.slug,
            **_run_columns(by_run[row.run.record.id], row.run.record.id, row.name),
            "measure": column.name,
            "main": is_main,
            **numbers(estimate),
            **{key: getattr(place, name) if place else None for key, name in _PLACES.items()},
            "groups": group_letters(place.groups) if place else None,
        }
        for board in boards
        for row in board.rows
        for column, estimate, is_main in _shown(board, row.values)
        for place in (row.place if is_main else None,)
    ]


_PLACES: Final = {"rank": "rank", "rank_low": "low", "rank_high": "high"}


def _shown(board: Board, values: Mapping[str, Estimate]) -> list[tuple[Column, Estimate, bool]]:
    main = [(board.main, values[""], True)] if board.main and "" in values else []
    return [*main, *((one, values[one.name], False) for one in board.columns if one.name in values)]


def numbers(estimate: Estimate) -> dict[str, Json]:
    """Return the numbers of an estimate; None for what is unknown."""
    found: dict[str, Any] = {name: getattr(estimate, name) for name in NUMBERS}
    return {name: value if math.isfinite(value) else None for name, value in found.items()}


def _comparisons(boards: Sequence[Board]) -> Rows:
    return [
        {
            "board": board.slug,
            "measure": one["measure"],
            "run": by["model"],
            "versus": by["versus"],
            "difference": one["value"],
            **{name: one[name] for name in ("low", "high", "p", "p_holm")},
        }
        for board in boards
        for one in (difference.to_json() for difference in board.differences)
        for by in (one["by"],)
        if isinstance(by, dict)
    ]


def _estimates(models: Sequence[SiteModel]) -> Rows:
    return [
        {"run": run.record.id, "run_name": run.record.name, **row}
        for model in models
        for run in model.runs
        if run.contribution
        for row in estimate_rows([run.contribution.part])
    ]


def _differing(
    models: Sequence[SiteModel], boards: Sequence[Board], differing: Callable[[Board], Sequence[Differing]]
) -> Rows:
    by_run = model_of_run(models)
    names = {row.run.record.id: row.name for board in boards for row in board.rows}
    return [
        {
            "board": board.slug,
            "item": one.item.id,
            "spread": one.spread,
            "question": one.item.prompt,
            "gold": one.item.gold or None,
            **_run_columns(by_run[key], key, names[key]),
            "given": reply.given or None,
            "answer": answer,
            "probability": share,
        }
        for board in boards
        for one in differing(board)
        for key, reply in one.replies.items()
        for answer, share in reply.shares
    ]


SCHEMA: Final = 1


def index_json(
    frame: Frame,
    description: str,
    models: Sequence[SiteModel],
    boards: Sequence[Board],
    tables: Sequence[SiteTable],
    differing: Sequence[str],
) -> bytes:
    """Write the index.

    Parameters
    ----------
    frame : Frame
    description : str
    models, boards, tables
        All of the site.
    differing : sequence of str
        Slugs of the leaderboards that have a page of questions on which models differ.
    """
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "probsense": version("probsense"),
        "title": frame.title,
        "author": frame.author,
        "description": description,
        "models": [_model_entry(model) for model in models],
        "leaderboards": [_board_entry(board, boards, board.slug in differing) for board in boards],
        "runs": [run for model in models for run in _run_entries(model, boards)],
        "tables": {table.stem: [f"data/{table.stem}.csv", f"data/{table.stem}.parquet"] for table in tables},
    }
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode(
        errors="replace"
    )


def _model_entry(model: SiteModel) -> dict[str, Json]:
    known = model.description
    return {
        "name": model.name,
        "label": model.shown,
        "page": f"models/{model.slug}.html",
        "family": known.family or None,
        "parameters": known.parameters,
        "link": known.link or None,
        "runs": [run.record.id for run in model.runs],
    }


def _board_entry(board: Board, boards: Sequence[Board], differing: bool) -> dict[str, Json]:
    main = board.main
    return {
        "slug": board.slug,
        "title": board_title(board, boards),
        "task": board.task,
        "questions": board.items,
        "page": f"tasks/{board.slug}.html",
        "differing": f"tasks/{board.slug}-items.html" if differing else None,
        "measure": main.name if main else None,
        "lower_is_better": board.lower_is_better,
        "compared_by": board.compared or None,
        "rows": [
            {
                "run": row.run.record.id,
                "estimate": numbers(row.main) if row.main else None,
                "rank": row.place.rank if row.place else None,
                "rank_interval": [row.place.low, row.place.high] if row.place else None,
                "groups": [*row.place.groups] if row.place else None,
                "further": {name: numbers(value) for name, value in row.values.items() if name},
            }
            for row in board.rows
        ],
    }


def _run_entries(model: SiteModel, boards: Sequence[Board]) -> list[dict[str, Json]]:
    where = {row.run.record.id: board.slug for board in boards for row in board.rows}
    return [
        {
            "id": run.record.id,
            "name": run.record.name,
            "model": model.name,
            "fingerprint": run.record.fingerprint,
            "task": run.record.task,
            "version": run.record.version,
            "options": dict(run.record.options),
            "method": run.record.method,
            "seed": run.record.seed,
            "items": run.items,
            "answered": run.answered,
            "started": run.record.started,
            "finished": run.record.finished,
            "leaderboard": where[run.record.id],
            "page": f"models/{model.slug}.html#run-{run.record.id[:8]}",
        }
        for run in model.runs
    ]
