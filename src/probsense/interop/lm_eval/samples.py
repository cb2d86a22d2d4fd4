"""Reads samples of our own tasks inside lm-evaluation-harness, whose documents tell what a comparison needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import polars as pl

from probsense.analysis.comparison.scores import ITEMS, Scores
from probsense.core.files import Place, read_jsonl

KEY: Final = "probsense"
"""Where a document keeps what is ours."""

STDERR: Final = "_stderr"
"""The harness shows the metric ``NAME_stderr`` as the standard error of the metric ``NAME``; samples have none."""


def own_samples(path: Path) -> Scores | None:
    """Read samples of one of our tasks as a run of it.

    Parameters
    ----------
    path : Path
        A file ``samples_TASK_DATE.jsonl`` in a folder with the name of the model.

    Returns
    -------
    Scores or None
        None for samples of other tasks.

    Raises
    ------
    InputError
        For a file that cannot be read, or a sample that lacks its item or its task.
    """
    items: list[dict[str, Any]] = []
    scores: list[dict[str, float | None]] = []
    task = ""
    for line, sample in read_jsonl(path):
        place = Place(path, line)
        doc = sample.get("doc")
        if not (isinstance(doc, dict) and KEY in doc):
            if items:
                raise place.fault("a document without its item", "one task in a file")
            return None
        inside = place.inside("doc", KEY)
        known = inside.mapping(doc[KEY])
        found = inside.word(known.get("task"), "task")
        if items and found != task:
            raise inside.wrong(found, "task", f"{task}, as on the lines before")
        task = found
        items.append({column: _known(inside, known.get(column), column) for column in ITEMS})
        own = inside.mapping(known.get("scores", {}), "scores")
        scores.append({name: _score(inside.inside("scores"), value, name) for name, value in own.items()})
    if not items:
        return None
    measures = dict.fromkeys(name for own in scores for name in own)
    return Scores(
        path.resolve().parent.name,
        "lm-eval",
        str(path),
        task,
        pl.DataFrame(items, schema=ITEMS),
        pl.DataFrame(
            {name: [own.get(name) for own in scores] for name in measures},
            schema=dict.fromkeys(measures, pl.Float64),
        ),
    )


def _known(place: Place, value: Any, column: str) -> str | float | None:
    """Require what a column of items holds; only the item and its cluster must be known."""
    if value is None and column not in ("item", "cluster"):
        return None
    return place.number(value, column) if ITEMS[column] == pl.Float64 else place.text(value, column)


def _score(place: Place, value: Any, name: str) -> float | None:
    """Require a number or a truth value; null and NaN are unknown scores."""
    if value is None or value != value:
        return None
    return float(value) if isinstance(value, bool) else place.number(value, name)
