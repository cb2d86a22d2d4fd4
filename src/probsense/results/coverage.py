"""How much of what was asked was answered, in words that stand beside estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from probsense.core.records import Json
from probsense.show.tables import Table
from probsense.show.text import plain


def coverage_words(rows: Sequence[Mapping[str, Json]]) -> str:
    """Say how many items each model answered, in one phrase if it is the same for all or none lacks an item.

    Parameters
    ----------
    rows : sequence of mapping
        With "model", "prompting", "asked", "answered" and "failed"; rows without the last one tell of no run, and are
        left out.
    """
    known = [row for row in rows if "failed" in row]
    shares = [_share(row) for row in known]
    if len(set(shares)) < 2:
        return shares[0] if shares else ""
    if all(row["answered"] == row["asked"] for row in known):
        numbers = sorted({int(str(row["asked"])) for row in known})
        return f"all {', '.join(f'{n:,}' for n in numbers[:-1])} or {numbers[-1]:,} items answered"
    return "; ".join(f"{_who(row)}: {share}" for row, share in zip(known, shares, strict=True))


def incomplete(rows: Sequence[Mapping[str, Json]]) -> list[str]:
    """Say first of all which runs have items that failed."""
    return [
        f"Incomplete: {_who(row)}: {_share(row)}. The results are of these alone. Failed requests:"
        f" {plain(row['failed_requests'])}. The same command asks for them again."
        for row in rows
        if row.get("failed")
    ]


def covered(tables: Iterable[Table], words: str) -> list[Table]:
    """Add the coverage to the title of each table."""
    return [replace(table, title=f"{table.title}; {words}") if words else table for table in tables]


def _who(row: Mapping[str, Json]) -> str:
    return plain(f"{row['model']}, asked by {row['prompting']}")


def _share(row: Mapping[str, Any]) -> str:
    asked, answered = row["asked"], row["answered"]
    if answered == asked:
        return f"all {asked:,} items answered"
    # Rounded down: what is not whole must not look so.
    return f"{answered:,} of {asked:,} items answered ({1000 * answered // asked / 10} %)"
