"""Defines ``probsense merge``: puts stores together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, print_json


def merge(
    target: Annotated[
        Path, typer.Argument(help="The store to add to; made if it is missing.", metavar="ALL.db")
    ],
    sources: Annotated[list[Path], typer.Argument(help="The stores to take from.", metavar="STORE…")],
    json: JsonFlag = False,
) -> None:
    """Put the answers and runs of several stores into one, such as those of the shards of a run.

    The order does not matter, and what is there already stays. Stores of interrupted runs will do.
    """
    from probsense.runs.store.maintenance import merge as merge_stores

    merged = merge_stores(target, *sources)
    if json:
        rows = [{**asdict(one), "source": str(one.source)} for one in merged]
        print_json({"schema": 1, "store": str(target), "merged": rows})
        return
    for one in merged:
        other = f" ({one.differing:,} of them with other numbers, left out)" if one.differing else ""
        print(f"{one.source}: answers {one.answers:,} new, {one.known:,} known{other}; runs {one.runs:,} new")
