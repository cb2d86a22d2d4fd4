"""``probsense run``: ask a model, resumably."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from probsense.cli.common import (
    JsonFlag,
    Problems,
    Quiet,
    Seed,
    Sizes,
    Skins,
    Tuples,
    parse_problems,
    parse_sizes,
    print_figures,
    print_json,
)
from probsense.errors import InputError

_MODEL = "Model"
_WORLDSENSE = "worldsense"


def run(
    context: typer.Context,
    tasks: Annotated[list[str], typer.Argument(help="What to measure: worldsense.", metavar="TASK…")],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="hf:NAME_OR_FOLDER, builtin:tiny, random:SEED, recorded:FILE, oracle:",
            rich_help_panel=_MODEL,
        ),
    ],
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="At most so many items, balanced; dependent ones stay together."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="options, labels or sample; by default the best the model has."),
    ] = None,
    rule: Annotated[
        str, typer.Option("--rule", help="Score that picks an option: sum, token, char, byte or mean_prob.")
    ] = "sum",
    seed: Seed = 0,
    store: Annotated[Path, typer.Option("--store", help="File that keeps every answer.")] = Path(
        "probsense.db"
    ),
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the figures as a page, too.", metavar="FILE.html")
    ] = None,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.", rich_help_panel=_MODEL)
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="cpu, cuda, cuda:1, mps.", rich_help_panel=_MODEL)
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option("--revision", help="Branch, tag or commit on the hub.", rich_help_panel=_MODEL),
    ] = None,
    batch_tokens: Annotated[
        int | None, typer.Option("--batch-tokens", help="Tokens in a batch.", rich_help_panel=_MODEL)
    ] = None,
    chat: Annotated[
        bool | None,
        typer.Option(
            "--chat/--no-chat", help="Use the chat template, if there is one.", rich_help_panel=_MODEL
        ),
    ] = None,
    system_prompt: Annotated[
        str | None, typer.Option("--system-prompt", help="For chat templates.", rich_help_panel=_MODEL)
    ] = None,
    trust_remote_code: Annotated[
        bool,
        typer.Option("--trust-remote-code", help="Run code that comes with a model.", rich_help_panel=_MODEL),
    ] = False,
    testset: Annotated[
        Path | None,
        typer.Option("--testset", help="Folder in the published format.", rich_help_panel=_WORLDSENSE),
    ] = None,
    generate: Annotated[
        bool,
        typer.Option(
            "--generate", help="Ask a fresh set (the default without --testset).", rich_help_panel=_WORLDSENSE
        ),
    ] = False,
    sizes: Sizes = "3,4,5",
    problems: Problems = "standard",
    tuples: Tuples = 1,
    skins: Skins = "test",
    write_results: Annotated[
        Path | None,
        typer.Option(
            "--write-results",
            help="Write the answers to DIR/results/ in the published format.",
            metavar="DIR",
            rich_help_panel=_WORLDSENSE,
        ),
    ] = None,
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Ask a model the questions of a task, resumably, and print the figures with their uncertainty."""
    import polars as pl

    from probsense.models.registry import load_model
    from probsense.run.evaluate import evaluate

    given = {
        "dtype": dtype,
        "device": device,
        "revision": revision,
        "batch_tokens": batch_tokens,
        "chat": chat,
        "system_prompt": system_prompt,
        "trust_remote_code": trust_remote_code or None,
    }
    if testset is not None:
        making = ["generate", "sizes", "problems", "tuples", "skins"]
        clash = [name for name in making if context.get_parameter_source(name).name == "COMMANDLINE"]  # type: ignore[union-attr]
        if clash:
            raise InputError(f"--{clash[0]} generates a set, and --testset names one", expected="one of them")
    options: dict[str, dict[str, Any]] = {
        "worldsense": {"testset": testset, "rule": rule}
        if testset is not None
        else {
            "sizes": parse_sizes(sizes),
            "problems": parse_problems(problems),
            "tuples": tuples,
            "skins": skins,
            "rule": rule,
        }
    }
    loaded = load_model(model, **{name: value for name, value in given.items() if value is not None})
    runs = [
        evaluate(
            task,
            loaded,
            limit=limit,
            method=method,
            seed=seed,
            store=store,
            quiet=quiet,
            **options.get(task, {}),
        )
        for task in tasks
    ]
    if write_results is not None:
        from probsense.tasks.worldsense.results import write_results as write

        for done in runs:
            answers = done.table().select(pl.col("id").cast(pl.Int64), "resp").iter_rows()
            path = write(write_results / "results", done.method, done.model, answers)
            print(f"answers written to {path}", file=sys.stderr)
    if report is not None:
        from probsense.report.runs import report_runs

        report_runs(report, runs)
    if json:
        documents = [done.to_json() for done in runs]
        print_json(documents[0] if len(documents) == 1 else {"schema": 1, "runs": documents})
    else:
        for done in runs:
            print_figures(done.summary(), [done.coverage()], done.notes())
