"""Defines ``run`` and ``batch``: ask models the questions of a task, at once and resumably, or by files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import probsense as ps
from probsense.cli.models import ModelOptions, load, load_one, options_of
from probsense.cli.options import (
    USUAL,
    CommandGroup,
    File,
    MaybeFile,
    MaybeFolder,
    Seed,
    Store,
    choose_format,
    only_stdout,
)
from probsense.cli.printing import print_after_run, print_brief, print_json, print_runs, print_shards, say
from probsense.cli.task_commands import TaskCommand, Values, group_of
from probsense.core.errors import InputError
from probsense.core.options import first_line

T = TypeVar("T")


def run(
    task: str,
    given: Values,
    *,
    model: list[str],
    model_options: ModelOptions = None,
    limit: int | None = None,
    items: Path | None = None,
    method: str | None = None,
    conditions: str | None = None,
    most_conditions: int | None = None,
    seed: Seed = 0,
    store: Store = USUAL,
    report: MaybeFile = None,
    write_results: MaybeFolder = None,
    dry_run: bool = False,
    max_cost: float | None = None,
    name: str | None = None,
    shard: str | None = None,
    thinking: str = "auto",
    chains: int = 8,
    thinking_budget: str = "1024",
    json: bool = False,
    format: str | None = None,
    full: bool = False,
    quiet: bool = False,
) -> None:
    """Ask models the questions of a task, and print the results with their uncertainty.

    Only one model is in memory at a time. Interrupted runs resume; repeated runs cost nothing.

    Parameters
    ----------
    model : -m SPEC
        SCHEME:ARGUMENT, such as hf:NAME_OR_FOLDER, openai:MODEL, builtin:tiny, random or recorded:FILE. May be
        repeated.
    write_results : DIR
        Write the answers to files in a folder, for 'analyse' and other programs.
    name
        Name of the run, to find it by and to tell it from other runs of the model; a run that exists is
        renamed.
    shard : I/N
        Ask one part of the questions, such as 3/8, into a store of its own. 'probsense merge' puts the stores
        together, and the same command without --shard then prints the results.
    """
    from probsense.core.names import checked_name
    from probsense.models.registry import check_spec
    from probsense.results.part import parts_of_runs
    from probsense.runs.ask.plan import Shard, chosen_items, plans
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.ask.thinking import wished
    from probsense.runs.evaluate import Terms, ask_plan, foresee, make_task
    from probsense.runs.find import told_apart
    from probsense.tasks.conditions.crossed import under
    from probsense.tasks.registry import tasks_with

    form = choose_format(format, json)
    page_alone = only_stdout(report, form)
    part = None if shard is None else Shard.parse(shard)
    if part is not None and (report, write_results, dry_run) != (None, None, False):
        raise InputError(
            "--shard with --report, --write-results or --dry-run",
            expected="these with the command that asks for all parts",
        )
    if name is not None:
        checked_name(name)
    made = under(make_task(task, limit, seed, given), conditions, most_conditions)
    if write_results is not None and not made.brings("write_results"):
        able = " or ".join(tasks_with("write_results"))
        raise InputError(f"--write-results, though {made.name} has no files of results", expected=able)
    chosen_items(made, items)  # shows what is wrong with the questions before a model is loaded
    taken, of_thought = options_of(model, model_options, thoughts=True)
    for spec, own in taken.items():
        check_spec(spec, own)
    wishes = wished(thinking, chains, thinking_budget, **of_thought)
    terms = Terms(seed, store, quiet, max_cost)

    def each(act: Callable[..., T]) -> list[T]:
        return [done for spec in taken for done in of_model(spec, act)]

    def of_model(spec: str, act: Callable[..., T]) -> list[T]:
        """Act on a model for each method; no name holds it afterwards, so its memory is free again."""
        loaded = load(spec, taken[spec], quiet=quiet)
        # Show what cannot be asked before asking anything; a server may have to be examined for it.
        with show_waiting(f"getting {spec} ready", quiet=quiet):
            planned = plans(made, loaded, method, wishes, items)
        return [act(one) for one in planned]

    if dry_run:
        forecasts = each(partial(foresee, terms=terms))
        if form == "json":
            print_json({"schema": 1, "dry_run": [asdict(one) for one in forecasts]})
        else:
            print(*forecasts, sep="\n\n")
        return
    runs = each(partial(ask_plan, terms=terms, name=name, shard=part))
    if part is not None:
        print_shards(runs, part, store, form)
        return
    for done in runs:
        for path in done.task.write_results(write_results, done.answered):
            say(f"answers written to {path}")
    # Results are measured under the names that they are shown with: comparing texts with people's takes long.
    shown = runs if form in {"json", "csv"} else told_apart(runs)
    with show_waiting("measuring", quiet=quiet):
        for done in shown:
            done.results  # noqa: B018
    if report is not None:
        ps.report(report, *shown)
    if page_alone:
        return
    if form is None and not full:
        (shown_part,) = parts_of_runs(shown)
        print_brief(shown_part)
        print_after_run(shown)
    else:
        print_runs(shown, form)


def write(
    task: str,
    given: Values,
    *,
    model: str,
    out: File,
    model_options: ModelOptions = None,
    limit: int | None = None,
    items: Path | None = None,
    method: str | None = None,
    conditions: str | None = None,
    most_conditions: int | None = None,
    seed: Seed = 0,
    store: Store = USUAL,
    json: bool = False,
) -> None:
    """Write the requests of a run to a file, for a batch endpoint to answer.

    Parameters
    ----------
    out : FILE.jsonl
        The file to write; "-" is standard output.
    """
    from probsense.runs.ask.batch import write_batch
    from probsense.runs.ask.plan import plans
    from probsense.runs.evaluate import make_task
    from probsense.tasks.conditions.crossed import under

    told = sys.stderr if only_stdout(out, "json" if json else None) else sys.stdout
    made = under(make_task(task, limit, seed, given), conditions, most_conditions)
    loaded = load_one(model, model_options)
    done = write_batch(plans(made, loaded, method, listed=items), out, seed=seed, store=store)
    if json:
        print_json({"schema": 1, **asdict(done)})
        return
    if not done.files:
        print(f"nothing to ask: all {done.stored:,} answers are in {store}", file=told)
        return
    said = f"{done.requests:,} requests in {done.lines:,} lines ({done.stored:,} are answered in the store)"
    print(said, *done.files, sep="\n", file=told)


COMMON: Final = ("limit", "seed")
"""Options of tasks that these commands have themselves."""
RUN: Final = TaskCommand("run", run, lambda task: task, COMMON, arguments=False)
WRITE: Final = TaskCommand("write", write, lambda task: task, COMMON, arguments=False)
batch = CommandGroup(help="Ask a batch endpoint by files, for less money.", no_args_is_help=True)
batch.add_typer(group_of(WRITE, first_line(write)))


@batch.command("read")
def read(
    files: list[Path],
    *,
    model: str,
    model_options: ModelOptions = None,
    store: Store = USUAL,
    json: bool = False,
) -> None:
    """Read the answers of a batch endpoint into the store, where probsense run with the options of write finds them.

    Parameters
    ----------
    files : FILE…
        Files from the batch endpoint, with answers and errors.
    """
    from probsense.runs.ask.batch import read_batch

    done = read_batch(files, load_one(model, model_options), store=store)
    if json:
        print_json({"schema": 1, **asdict(done)})
        return
    print(f"{done.answers:,} answers are new in {store}, {done.known:,} were known")
    for reason, count in done.failures.items():
        print(f"failed: {reason} ({count:,} requests)")
    if done.failures:
        say("repeat the probsense batch write command to ask the failed requests again")
    if done.strangers:
        say(f"note: {done.strangers:,} lines belong to no run of this model in the store")
