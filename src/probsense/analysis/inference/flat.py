"""Estimates as flat rows: one for each, with a column for each key of what they describe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from probsense.core.records import Json

if TYPE_CHECKING:
    import polars as pl

FIRST: Final = ("task", "model", "prompting", "measure", "method")
"""The columns of a frame that come first; after them come the other keys of what estimates describe."""
NUMBERS: Final = (
    "value",
    "low",
    "high",
    "stderr",
    "level",
    "chance",
    "shortcut_ceiling",
    "shortcut_stderr",
    "p",
)
COUNTS: Final = ("n", "clusters", "settings")


def flat_rows(found: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Flatten estimates: the measure, the method, the keys that any of them describes itself by, and the rest.

    Parameters
    ----------
    found : sequence of mapping
        As :meth:`~probsense.analysis.inference.estimate.Estimate.to_json` writes them, with further keys if need be.
    """
    described = [by if isinstance(by := one["by"], dict) else {} for one in found]
    keys = dict.fromkeys(key for by in described for key in by)
    return [
        {
            "measure": one["measure"],
            "method": one["method"],
            **{key: by.get(key) for key in keys},
            **{key: value for key, value in one.items() if key not in ("measure", "method", "by")},
        }
        for one, by in zip(found, described, strict=True)
    ]


def flat_frame(
    rows: Sequence[Mapping[str, Json]], numbers: Sequence[str] = (), counts: Sequence[str] = ()
) -> pl.DataFrame:
    """Make a frame of flat rows, in which a column has the same place and type whatever the estimates know.

    Parameters
    ----------
    rows : sequence of mapping
        Those of :func:`flat_rows`, with "task".
    numbers, counts : sequence of str
        Further columns of numbers and of counts.

    Returns
    -------
    DataFrame
        The columns :data:`FIRST`, the other keys of what estimates describe, :data:`NUMBERS`, ``numbers``,
        :data:`COUNTS` and ``counts``; null where a row lacks one or it is NaN. Other keys
        are numbers where all are numbers, else texts.
    """
    import polars as pl

    real, whole = (*NUMBERS, *numbers), (*COUNTS, *counts)
    known = dict.fromkeys(key for row in rows for key in row if key not in (*FIRST, *real, *whole))
    types: dict[str, type[pl.DataType]] = {
        **dict.fromkeys(FIRST, pl.String),
        **{key: _type([row.get(key) for row in rows]) for key in known},
        **dict.fromkeys(real, pl.Float64),
        **dict.fromkeys(whole, pl.Int64),
    }
    return pl.DataFrame(
        {
            key: pl.Series([_cell(row.get(key), kind) for row in rows], dtype=kind)
            for key, kind in types.items()
        }
    )


def _type(values: Sequence[Json]) -> type[pl.DataType]:
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    by_kinds = {frozenset({bool}): pl.Boolean, frozenset({int}): pl.Int64}
    return by_kinds.get(frozenset(kinds)) or (pl.Float64 if kinds and kinds <= {int, float} else pl.String)


def _cell(value: Json, kind: type[pl.DataType]) -> Json:
    import polars as pl

    if value is None or value != value:
        return None
    return str(value) if kind is pl.String else value
