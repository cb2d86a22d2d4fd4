"""The index of a site for programs: one document of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from probsense.core.records import Json
from probsense.results.site.boards import Board
from probsense.results.site.pages import Frame, SiteModel, board_title
from probsense.results.site.tables import SiteTable, numbers

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
        "models": [_model(model) for model in models],
        "leaderboards": [_board(board, boards, board.slug in differing) for board in boards],
        "runs": [run for model in models for run in _runs(model, boards)],
        "tables": {table.stem: [f"data/{table.stem}.csv", f"data/{table.stem}.parquet"] for table in tables},
    }
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode(
        errors="replace"
    )


def _model(model: SiteModel) -> dict[str, Json]:
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


def _board(board: Board, boards: Sequence[Board], differing: bool) -> dict[str, Json]:
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


def _runs(model: SiteModel, boards: Sequence[Board]) -> list[dict[str, Json]]:
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
