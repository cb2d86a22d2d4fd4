"""Defines ``probsense compare``: compares models on the same items, pair by pair."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.cli.common import Format, JsonFlag, OfTask, Seed, Stores, choose_format, stores_of

if TYPE_CHECKING:
    from probsense.analysis.comparison.compare import Comparison


def compare(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Runs by their names or the beginning of their ids, stores with runs of one task, or files and "
            "folders of results that a task or another program wrote.",
            metavar="RESULTS…",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", help="Measures to compare; by default, the first that all have.", metavar="NAME…"
        ),
    ] = None,
    intersection: Annotated[
        bool,
        typer.Option(
            "--intersection", help="Compare only the items that all have, and say how many there are."
        ),
    ] = False,
    changed: Annotated[
        int,
        typer.Option("--changed", help="List this many of the items that changed most, for each pair."),
    ] = 5,
    store: Stores = None,
    task: OfTask = None,
    seed: Seed = 0,
    format: Format = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write to a file instead of stdout.", metavar="FILE")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compare models on the same items: paired differences with 95 % intervals and tests, ranks, changed items."""
    from probsense.cli.printing import print_notes
    from probsense.interop.compare import compare as compare_sources

    chosen = choose_format(format, json)
    found = compare_sources(
        *sources,
        measure=measure or (),
        intersection=intersection,
        changed=changed,
        seed=seed,
        store=stores_of(store),
        task=task,
        **{name: value for own in context.obj.values() for name, value in own.items()},
    )
    written = _write(found, chosen)
    if out is not None:
        from probsense.core.files import writing

        with writing(out) as stream:
            stream.write(written.encode())
        print(f"written: {out}", file=sys.stderr)
    else:
        sys.stdout.write(written)
    if chosen != "json":
        print_notes(found.notes)


def _write(found: Comparison, form: str | None) -> str:
    """Write the comparison as text: as tables for a terminal, or in the format that is named."""
    if form == "json":
        from json import dumps

        return dumps(found.to_json(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    from probsense.results.comparisons import comparison_tables

    if form is None:
        from rich.console import Console

        from probsense.show.tables import print_tables

        console = Console()
        with console.capture() as text:
            print_tables(console, comparison_tables(found))
        return text.get()
    from probsense.results.formats import as_csv, as_latex, as_markdown
    from probsense.show.measure import ENDS

    if form == "csv":
        return as_csv(found.rows())
    return {"md": as_markdown, "latex": as_latex}[form](comparison_tables(found, ENDS))
