"""Defines ``probsense site``: a static site of results from many stores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import OfTask, Quiet


def site(
    stores: Annotated[
        list[Path] | None,
        typer.Argument(help="Stores, for all their runs; by default, probsense.db.", metavar="STORE…"),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="Folder of the site: a new one, or a site to bring up to date.")
    ] = Path("site"),
    title: Annotated[str | None, typer.Option("--title", help="Title of the site.")] = None,
    author: Annotated[str, typer.Option("--author", help="Who publishes the site.")] = "",
    description: Annotated[
        str, typer.Option("--description", help="A sentence or two for the first page.")
    ] = "",
    task: OfTask = None,
    models: Annotated[
        Path | None,
        typer.Option(
            "--models",
            help="Families, sizes, labels and links of models, by their names.",
            metavar="FILE.yaml",
        ),
    ] = None,
    charts: Annotated[
        bool,
        typer.Option(
            "--charts",
            help="Draw every chart of the report on the pages of models, too: some seconds a model.",
        ),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=1,
            help="How many processes measure the runs; by default, as many as there are cores.",
            metavar="N",
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
    quiet: Quiet = False,
) -> None:
    """Build a static site: leaderboards, a page for each model, questions on which models differ, and data.

    Run it again to bring the site up to date: only what changed is written.
    """
    from probsense.cli.printing import print_notes
    from probsense.results.site.build import TITLE
    from probsense.results.site.build import site as build
    from probsense.results.site.workers import cores
    from probsense.runs.ask.progress import show_waiting

    with show_waiting(f"building {out}", quiet=quiet) as tell:
        done = build(
            *(stores or []),
            out=out,
            title=TITLE if title is None else title,
            author=author,
            description=description,
            task=task,
            models=models,
            charts=charts,
            jobs=jobs or cores(),
            progress=lambda read, runs: tell(f"{read:,} of {runs:,} runs read"),
        )
    print_notes(done.notes)
    if not quiet:
        print(f"{out / 'index.html'}: {done}", file=sys.stderr)
    if open_it:
        typer.launch((out / "index.html").resolve().as_uri())
