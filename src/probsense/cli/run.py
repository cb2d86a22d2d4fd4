"""``probsense run``: ask a model, resumably."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.cli import frame_options, judgment_options, model_options, task_options
from probsense.cli.common import (
    Format,
    JsonFlag,
    Problems,
    Quiet,
    Seed,
    Sizes,
    Skins,
    Tuples,
    choose_format,
    print_json,
    print_runs,
)

if TYPE_CHECKING:
    from probsense.run.evaluate import Run


def run(
    context: typer.Context,
    tasks: Annotated[
        list[str],
        typer.Argument(
            help="What to measure: worldsense, judgments, frames, winogrande, suite.", metavar="TASK…"
        ),
    ],
    model: model_options.ModelSpec,
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="At most so many items of a task; dependent ones stay together."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="options (or exact), labels or sample, or both (sample and exact); by default the best the model has.",
        ),
    ] = None,
    rule: task_options.Rule = None,
    neutral: task_options.Neutral = None,
    seed: Seed = 0,
    store: Annotated[Path, typer.Option("--store", help="File that keeps every answer.")] = Path(
        "probsense.db"
    ),
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Write the figures as a page, too, with every question and answer.",
            metavar="FILE.html",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say how many requests and tokens there would be, and what they cost."
        ),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Stop asking when the model has cost so much; needs its prices."),
    ] = None,
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
    abilities: model_options.Abilities = None,
    extra_body: model_options.ExtraBody = None,
    reasoning_effort: model_options.ReasoningEffort = None,
    max_tries: model_options.MaxTries = None,
    timeout: model_options.Timeout = None,
    concurrency: model_options.Concurrency = None,
    prices: model_options.Prices = None,
    testset: task_options.Testset = None,
    generate: task_options.Generate = False,
    sizes: Sizes = "3,4,5",
    problems: Problems = "standard",
    tuples: Tuples = 1,
    skins: Skins = "test",
    write_results: task_options.WriteResults = None,
    file: task_options.File = None,
    prompt: task_options.Prompt = None,
    test: task_options.Test = None,
    input_dir: task_options.InputDir = Path("inputs"),
    output_dir: task_options.OutputDir = Path("outputs"),
    norm: task_options.Norm = False,
    temp: task_options.Temp = 1.0,
    statements: judgment_options.Statements = None,
    questions: task_options.Questions = "q1,q2,q3",
    wording: task_options.WordingFile = None,
    trials: task_options.Trials = 25,
    precision: task_options.Precision = None,
    max_samples: task_options.MaxSamples = None,
    humans: judgment_options.Humans = None,
    majority: judgment_options.Majority = None,
    other: judgment_options.Other = "split",
    answers: frame_options.Texts = 100,
    shots: frame_options.Shots = 1,
    style: frame_options.Style = "published",
    temperature: frame_options.Temperature = 1.0,
    top_p: frame_options.TopP = 0.9,
    similarity: frame_options.Similarity = None,
    embeddings: frame_options.Embeddings = "chars",
    json: JsonFlag = False,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Ask a model the questions of one task or several, resumably, and print the figures with their uncertainty."""
    from probsense.run.dry_run import forecast
    from probsense.run.evaluate import check_budget, evaluate
    from probsense.run.plan import choose_methods

    form = choose_format(format, json)
    # The context knows which of the tasks' options were given; all others are left to the tasks.
    made = task_options.make_tasks(context, tasks, limit=limit, seed=seed)
    for task in made:
        task.items()  # what is wrong with the questions shows before a model is loaded
    loaded = model_options.load(context)
    # And what cannot be asked, before anything is.
    asked = [(task, way) for task in made for way in choose_methods(task, loaded, method)]
    check_budget(loaded, max_cost)
    if dry_run:
        forecasts = [forecast(task, loaded, method=way, store=store) for task, way in asked]
        if form == "json":
            print_json({"schema": 1, "dry_run": [each.to_json() for each in forecasts]})
        else:
            print(*forecasts, sep="\n\n")
        return
    runs = [
        evaluate(task, loaded, method=way, seed=seed, store=store, quiet=quiet, max_cost=max_cost)
        for task, way in asked
    ]
    for done in runs:
        for path in _write_results(done, write_results, output_dir):
            print(f"answers written to {path}", file=sys.stderr)
    if report is not None:
        from probsense.report.runs import report_runs

        report_runs(report, runs)
    print_runs(runs, form)


def _write_results(done: Run, folder: Path | None, suite_dir: Path) -> list[Path]:
    """The answers in files: those of suites always, those of other tasks that can where it is wished."""
    from probsense.tasks.suite.task import Suite

    if isinstance(done.task, Suite):
        from probsense.tasks.suite.results import write_results

        distributions = done.task.distributions(done.outcome.items, done.outcome.answers)
        return write_results(suite_dir, done.model, distributions)
    if done.task.name == "judgments" and folder is not None:
        from probsense.tasks.judgments.results import write_ratings

        return [write_ratings(folder, done.model, done.table())]
    if done.task.name == "frames" and folder is not None:
        from probsense.tasks.frames.results import write_answers
        from probsense.tasks.frames.task import given

        counts = given(done.table())  # none, if answers were scored and not sampled
        return [write_answers(folder, done.model, counts)] if counts else []
    if done.task.name == "worldsense" and folder is not None:
        import polars as pl

        from probsense.tasks.worldsense.results import write_results as write

        answers = done.table().select(pl.col("id").cast(pl.Int64), "resp").iter_rows()
        return [write(folder / "results", done.method, done.model, answers)]
    return []
