"""Defines ``probsense doctor``: examines what a model or an endpoint can really do."""

from __future__ import annotations

from typing import Annotated

import typer

from probsense.cli.common import JsonFlag, print_json
from probsense.cli.owners import load


def doctor(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            help="SCHEME:ARGUMENT, as for run. After it, --help shows the options of the model.",
            metavar="MODEL",
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help="Check that the model can answer this method: options, labels or sample."
        ),
    ] = None,
    show: Annotated[
        bool,
        typer.Option("--show", help="Print the tokens of sample prompts, and where prompt and answer join."),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Examine a model on known strings before you trust its results; the exit code is 1 if something is wrong."""
    from probsense.models.doctor import check_method, examine
    from probsense.models.joins import sample_tokens

    check_method(method)
    loaded = load(model, context.obj)
    findings = examine(loaded, method)
    tokens = sample_tokens(loaded) if show else []
    if json:
        from dataclasses import asdict

        print_json(
            {
                "schema": 1,
                "model": loaded.name,
                "details": dict(loaded.details),
                "capabilities": asdict(loaded.capabilities),
                "findings": [asdict(finding) for finding in findings],
                "tokens": [asdict(one) for one in tokens],
            }
        )
    else:
        from rich.console import Console

        from probsense.reporting.doctor import findings_text, tokens_table
        from probsense.show.tables import print_tables

        console = Console()
        print(findings_text(findings, console.width))
        if tokens:
            print()
            print_tables(console, [tokens_table(one) for one in tokens])
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)
