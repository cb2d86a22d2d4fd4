"""``probsense doctor``: what can a model or an endpoint really do?"""

from __future__ import annotations

from typing import Annotated

import typer

from probsense.cli import model_options
from probsense.cli.common import JsonFlag, print_json


def doctor(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help=model_options.SPECS, metavar="MODEL")],
    method: Annotated[
        str | None,
        typer.Option("--method", help="What it must be able to answer: options, labels or sample."),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Print the exact tokens of sample questions, and where they join.")
    ] = False,
    dtype: model_options.Dtype = None,
    device: model_options.Device = None,
    revision: model_options.Revision = None,
    batch_tokens: model_options.BatchTokens = None,
    truncate: model_options.Truncate = None,
    chat: model_options.Chat = None,
    system_prompt: model_options.SystemPrompt = None,
    prompt_format: model_options.PromptFormat = None,
    trust_remote_code: model_options.TrustRemoteCode = None,
    base_url: model_options.BaseUrl = None,
    api_key_env: model_options.ApiKeyEnv = None,
    route: model_options.Route = None,
    extra_body: model_options.ExtraBody = None,
    reasoning_effort: model_options.ReasoningEffort = None,
    max_tries: model_options.MaxTries = None,
    timeout: model_options.Timeout = None,
    concurrency: model_options.Concurrency = None,
    prices: model_options.Prices = None,
    json: JsonFlag = False,
) -> None:
    """Examine a model on known strings before its figures are trusted; the exit code is 1 if something is wrong."""
    from probsense.models.doctor import check_method, examine
    from probsense.models.joins import sample_tokens

    check_method(method)
    loaded = model_options.load(context)
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

        from probsense.report.doctor import findings_text, tokens_table
        from probsense.report.tables import print_tables

        console = Console()
        print(findings_text(findings, console.width))
        if tokens:
            print()
            print_tables(console, [tokens_table(one) for one in tokens])
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)
