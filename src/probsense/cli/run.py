"""``probsense run``: ask a model, resumably."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probsense.cli import judgment_options, model_options, task_options
from probsense.cli.common import (
    JsonFlag,
    Problems,
    Quiet,
    Seed,
    Sizes,
    Skins,
    Tuples,
    print_figures,
    print_json,
)

if TYPE_CHECKING:
    from probsense.run.evaluate import Run


def run(
    context: typer.Context,
    tasks: Annotated[
        list[str],
        typer.Argument(help="What to measure: worldsense, judgments, winogrande, suite.", metavar="TASK…"),
    ],
    model: model_options.ModelSpec,
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="At most so many items of a task; dependent ones stay together."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="options, labels or sample; by default the best the model has."),
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
            help="Write the figures as a page, too; of several tasks FILE-TASK.html each.",
            metavar="FILE.html",
        ),
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
    humans: judgment_options.Humans = None,
    majority: judgment_options.Majority = None,
    other: judgment_options.Other = "split",
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Ask a model the questions of one task or several, resumably, and print the figures with their uncertainty."""
    from probsense.run.evaluate import evaluate
    from probsense.run.plan import choose_method

    # The context knows which of the tasks' options were given; all others are left to the tasks.
    made = task_options.make_tasks(context, tasks, limit=limit, seed=seed)
    for task in made:
        task.items()  # what is wrong with the questions shows before a model is loaded
    loaded = model_options.load(context)
    for task in made:
        choose_method(task, loaded, method)  # and what cannot be asked, before anything is
    runs = [evaluate(task, loaded, method=method, seed=seed, store=store, quiet=quiet) for task in made]
    for done in runs:
        for path in _write_results(done, write_results, output_dir):
            print(f"answers written to {path}", file=sys.stderr)
    if report is not None:
        _write_reports(report, runs)
    if json:
        documents = [done.to_json() for done in runs]
        print_json(documents[0] if len(documents) == 1 else {"schema": 1, "runs": documents})
    else:
        for done in runs:
            if len(runs) > 1:
                print(f"# {done.task.name}\n")
            print_figures(done.summary(), [done.coverage()], done.notes())


def _write_results(done: Run, folder: Path | None, suite_dir: Path) -> list[Path]:
    """The answers in files: those of suites always, those of other tasks that can where it is wished."""
    from probsense.tasks.suite.task import Suite

    if isinstance(done.task, Suite):
        from probsense.tasks.suite.results import write_results

        distributions = done.task.distributions(done.items, done.outcome.answers)
        return write_results(suite_dir, done.model, distributions)
    if done.task.name == "judgments" and folder is not None:
        from probsense.tasks.judgments.results import write_ratings

        return [write_ratings(folder, done.model, done.table())]
    if done.task.name == "worldsense" and folder is not None:
        import polars as pl

        from probsense.tasks.worldsense.results import write_results as write

        answers = done.table().select(pl.col("id").cast(pl.Int64), "resp").iter_rows()
        return [write(folder / "results", done.method, done.model, answers)]
    return []


def _write_reports(path: Path, runs: Sequence[Run]) -> None:
    """A page about the one task; where there are several, one for each, named after it."""
    from probsense.report.runs import report_runs

    if len(runs) == 1:
        report_runs(path, runs)
        return
    for done in runs:
        page = path.with_stem(f"{path.stem}-{done.task.name}")
        report_runs(page, [done])
        print(f"the report of {done.task.name} is in {page}", file=sys.stderr)
