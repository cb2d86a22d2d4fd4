"""``probsense analyse``: figures of recorded results; no model needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, check_task, print_figures, print_json


def analyse(
    task: Annotated[str, typer.Argument(help="worldsense")],
    folder: Annotated[Path, typer.Argument(help="A test set in the published layout, with its results/.")],
    audit: Annotated[
        bool,
        typer.Option("--audit/--no-audit", help="Recompute the gold labels too (method 'corrected')."),
    ] = True,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse what an earlier analysis parsed.")
    ] = True,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the figures as a page, too.", metavar="FILE.html")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Analyse recorded results in the published format: tables with 95 % intervals, or their JSON."""
    check_task(task, having="recorded results")
    from probsense.tasks.worldsense.analyse import analyse as analyse_folder
    from probsense.tasks.worldsense.corrections import corrections

    audited = corrections(folder, cache=cache) if audit else None
    analysis = analyse_folder(folder, corrected=audited.labels if audited else None, cache=cache)
    notes = [*analysis.notes, *(audited.notes() if audited else ())]
    if report is not None:
        from probsense.report.html import write_report

        write_report(
            report,
            f"WorldSense: {analysis.run['testset']}",
            analysis.estimates,
            coverage=analysis.coverage,
            notes=notes,
            facts=[analysis.run],
        )
    if json:
        print_json(analysis.to_json() | {"notes": notes})
    else:
        print_figures(analysis.estimates, analysis.coverage, notes)
