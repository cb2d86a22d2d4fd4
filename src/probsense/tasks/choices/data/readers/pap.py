"""Reads PAP: how plausible people find events (Eichel & Schulte im Walde 2023, LAW)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError
from probsense.core.files import Place
from probsense.core.files.csv_rows import read_csv
from probsense.tasks.choices.data.question import Question

RATINGS: Final = (1, 2, 4, 5)
"""The scale; 3 stood for whoever did not pay attention."""
EXPECTED: Final = "the columns event and rating of PAP"


def read_pap(path: Path) -> list[Question]:
    """Read the table of events, each with its ratings as a list.

    Raises
    ------
    InputError
        For a missing column, a list that is none, a rating off the scale, and an event that stands twice.
    """
    columns, rows = read_csv(path)
    for name in ("event", "rating"):
        if name not in columns:
            raise InputError(f"has no column {name}", path=path, expected=EXPECTED)
    found = []
    seen: dict[str, Place] = {}
    for line, row in rows:
        place = Place(path, line)
        event = place.word(row["event"].strip(), "event")
        place.once(event, "event", seen)
        ratings = _ratings(place, row["rating"])
        counts = tuple(float(ratings.count(rating)) for rating in RATINGS)
        found.append(
            Question(
                event,
                "How plausible is this, on a scale from 1 (implausible) to 5 (plausible)?",
                tuple(map(str, RATINGS)),
                counts,
                float(len(ratings)),
                context=event,
                cluster=event,
                order=tuple(map(float, RATINGS)),
            )
        )
    if not found:
        raise InputError("holds no rows", path=path, expected=EXPECTED)
    return found


def _ratings(place: Place, cell: str) -> list[int]:
    try:
        ratings = json.loads(cell)
    except ValueError:
        raise place.wrong(cell, "rating", "a list of ratings, such as [1, 4, 5]") from None
    own = place.inside("rating")
    for number, rating in enumerate(place.entries(ratings, "rating", least=1, of="ratings")):
        own.whole(rating, number)
        if rating not in RATINGS:
            raise own.wrong(rating, number, f"one of {', '.join(map(str, RATINGS))}")
    return [int(rating) for rating in ratings]
