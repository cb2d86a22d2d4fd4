"""Shares of people as tables have them: of 1, of 100, or with percent signs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from probsense.core.files.table import Table

TOLERANCE: Final = 0.05
"""How far shares may sum beside 1: they are rounded where they are published."""


def read_shares(table: Table, name: str) -> pl.Series:
    """Read a column of shares; 45 % is .45, and without the sign a number is as it stands.

    Raises
    ------
    InputError
        For what is no number from 0, and a column in which only some numbers have the sign.
    """
    if table.frame[name].dtype != pl.String:
        return table.numbers(name)
    given = table.figures(name)
    signed = given.str.ends_with("%")
    if not signed.any():
        return table.numbers(name)
    table.refuse(~signed.fill_null(True), name, "a percent sign, as in other rows")
    plain = given.str.strip_chars_end("% ").alias(name)
    return table.taken([*range(table.frame.height)], (), **{name: plain}).numbers(name) / 100


def sums_to(totals: Iterable[float], whole: float) -> bool:
    """Tell whether all totals are 1, or 100, but for rounding."""
    return all(abs(total - whole) <= (TOLERANCE + 1e-9) * whole for total in totals)


def shares_of_one(table: Table, name: str, shares: pl.Series, keys: pl.Series) -> tuple[pl.Series, str]:
    """Return shares of 1, and say what they were where they were others.

    Parameters
    ----------
    table : Table
    name : str
        The column in which they stand.
    shares : Series
        As from :func:`read_shares`, null where there is none.
    keys : Series
        The question of each.

    Raises
    ------
    InputError
        For a share below 0, and one above 1 where the shares of some question do not sum to 100.
    """
    sums = pl.DataFrame({"key": keys, "share": shares}).group_by("key").agg(pl.col("share").sum())["share"]
    said = ""
    if sums_to(sums, 100):
        shares, said = shares / 100, "shares of 100"
    table.refuse(
        ~shares.is_between(0, 1).fill_null(True), name, "a share from 0 to 1, or shares that sum to 100"
    )
    if not said and not sums_to(sums, 1):
        return shares, said
    most = max((abs(total / (100 if said else 1) - 1) for total in sums), default=0.0)
    if most > 1e-9:
        said = ", ".join(filter(None, (said, f"scaled where they miss 1 (by {most:.2g} at most)")))
    return shares, said
