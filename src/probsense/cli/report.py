"""Defines ``probsense report``: writes finished runs as one page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import Format, OfTask, Stores, choose_format, stores_of
from probsense.cli.printing import print_notes, print_runs


def report(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Runs by their names or the beginning of their ids, or stores for all their runs; by default, all "
            "runs of --store.",
            metavar="[RUN|STORE]…",
        ),
    ] = None,
    store: Stores = None,
    task: OfTask = None,
    out: Annotated[Path, typer.Option("--out", help="File of the page.", metavar="FILE.html")] = Path(
        "report.html"
    ),
    title: Annotated[
        str | None, typer.Option("--title", help="Title of the page; by default, its tasks.", metavar="TEXT")
    ] = None,
    author: Annotated[str, typer.Option("--author", help="Who answers for the page.", metavar="TEXT")] = "",
    date: Annotated[
        str | None,
        typer.Option("--date", help="Date of the page; by default, that of the newest run.", metavar="TEXT"),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Show the page in the browser.")] = False,
    format: Format = None,
) -> None:
    """Write one self-contained page about runs of any models and tasks: profile, charts, tables, every question.

    With --format, print the estimates instead.
    """
    from probsense.results.page.report import report as write_page
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.store.find import find_runs, told_apart
    from probsense.show.text import counted

    form = choose_format(format, json=False)
    with show_waiting("reading and measuring", quiet=False):
        found, left_out = find_runs(runs or [], stores_of(store), task)
        shown = found if form == "csv" else told_apart(found)
        for one in shown:
            one.measured  # noqa: B018
    print_notes(left_out)
    if form is not None:
        print_runs(shown, form)
        return
    with show_waiting(f"writing {out}", quiet=False):
        write_page(out, *shown, title=title, author=author, date=date, open=open)
    print(f"the report of {counted(len(shown), 'run')} is in {out}", file=sys.stderr)
