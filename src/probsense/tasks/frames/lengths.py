"""How long the texts of a run are: how many were cut, and how many answers are longer than people's."""

from __future__ import annotations

from typing import Final

import polars as pl

from probsense.core.records import Json

MOST_WORDS: Final = 5
"""Answers of more words are counted; of the answers that people gave to CFC and ProtoQA, few are as long."""

MANY: Final = 0.1
"""Share of the texts above which a warning says so."""


def lengths(table: pl.DataFrame) -> dict[str, Json]:
    """Count the texts of a run's table, those that are empty, cut or too long; null where that is not known."""
    given = table["answers"].explode().drop_nulls().struct.unnest() if table["answers"].count() else None
    if given is None:
        return {"texts": 0, "empty_texts": 0}
    words = pl.col("answer").str.split(" ").list.len()
    return {
        "texts": int(given["count"].sum()),
        "empty_texts": _sum(given, pl.col("answer") == ""),
        "cut_texts": None if table["cut"].null_count() else int(table["cut"].sum()),
        f"texts_over_{MOST_WORDS}_words": _sum(given, words > MOST_WORDS),
    }


def length_warnings(table: pl.DataFrame, tokens: int) -> list[str]:
    """Warn that many texts were cut at a number of tokens, or many answers are long."""
    found = lengths(table)
    counted = (
        ("cut_texts", f"were cut at {tokens} tokens, before their answer ended"),
        (f"texts_over_{MOST_WORDS}_words", f"have an answer of more than {MOST_WORDS} words"),
    )
    return [
        f"{n:,} of {total:,} texts {what}; people answer in few words, so such answers rarely match theirs"
        for name, what in counted
        if isinstance(n := found.get(name), int)
        and isinstance(total := found["texts"], int)
        and n > MANY * total
    ]


def _sum(given: pl.DataFrame, which: pl.Expr) -> int:
    return int(given.filter(which)["count"].sum())
