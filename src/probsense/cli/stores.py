"""Defines ``runs``, ``merge`` and ``reproduce``: list, show, export, remove and repeat runs, and join stores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

import probsense as ps
from probsense.cli.models import ModelOptions, options_of
from probsense.cli.options import STORES, USUAL, CommandGroup, Stores, as_command, confirm_removal
from probsense.cli.printing import print_json, print_notes, print_runs, print_tables, say
from probsense.core.errors import InputError
from probsense.show.text import counted

if TYPE_CHECKING:
    from probsense.analysis.inference.estimate import Estimate
    from probsense.runs.reproduce import Reproduced

EVERY_EVAL_EVER: Final = "every-eval-ever"
"""The format of records that others collect."""

app = CommandGroup(
    help="List the runs of a store; show, export and remove them.", invoke_without_command=True
)


@app.callback()
@as_command
def runs(context: typer.Context, *, store: Stores = STORES, json: bool = False, quiet: bool = False) -> None:
    """List the runs of a store: id, task, model, how much was answered, and the main estimate."""
    if context.invoked_subcommand:
        return
    from probsense.results.listing import list_runs, runs_table
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.find import damaged_runs

    with show_waiting("measuring", quiet=quiet):
        found = list_runs(*store)
    for path in store:
        print_notes(damaged_runs(path))
    if json:
        print_json({"schema": 1, "runs": found.to_dicts()})
    elif found.listed:
        print_tables([runs_table(found.listed)])
    else:
        say("no runs")


@app.command()
def show(run: str, *, store: Stores = STORES, json: bool = False) -> None:
    """Show one run: everything that defines it, and its results."""
    from probsense.results.tables import facts_tables
    from probsense.runs.find import find_runs

    found, _ = find_runs([run], store)
    if not json:
        for one in found:
            print_tables(facts_tables([one.facts()]))
    print_runs(found, "json" if json else None)


@app.command()
def export(
    names: list[str],
    *,
    out: Path,
    store: Stores = STORES,
    task: str | None = None,
    format: str | None = None,
) -> None:
    """Write every item of some runs with its question, options, texts, probabilities, right answer and answer.

    Parameters
    ----------
    names : RUN…
        Runs by their names or the beginning of their ids, or stores for all their runs.
    out : FILE.csv|parquet|jsonl|DIR
        File to write; "-" is standard output, for CSV. With --format, a folder.
    format : every-eval-ever
        Write records of Every Eval Ever, with the estimates, into the folder --out.
    """
    from probsense.core.files import check_folder, check_writable
    from probsense.interop.every_eval_ever import export_every_eval_ever
    from probsense.results.formats import check_ending, export_runs
    from probsense.runs.find import find_runs

    if format not in (None, EVERY_EVAL_EVER):
        raise InputError(f"--format {format!r}", expected=EVERY_EVAL_EVER)
    (check_folder if format else check_writable)(out)
    if format is None:
        check_ending(out)
    found, left_out = find_runs(names, store, task)
    print_notes(left_out)
    (export_every_eval_ever if format else export_runs)(out, found)
    say(f"{counted(len(found), 'run')} in {out}")


@app.command()
def check(*, store: Stores = STORES, json: bool = False, quiet: bool = False) -> None:
    """Read every row of a store, and say which are damaged; the exit code is 1 if any is."""
    from probsense.runs.ask.progress import show_waiting
    from probsense.runs.store.store import Store

    faults: list[str] = []
    runs = 0
    for path in store:
        with Store.open(path, create=False) as opened, show_waiting(f"reading {path}", quiet=quiet):
            runs += len(opened.runs())
            faults += opened.check()
    if json:
        print_json({"schema": 1, "runs": runs, "damaged": faults})
    else:
        print(*faults, sep="\n", end="\n" * bool(faults))
        print(f"{counted(runs, 'run')} can be read; {counted(len(faults), 'row')} cannot")
    if faults:
        raise typer.Exit(1)


@app.command("rm")
def remove(run: str, *, store: Stores = STORES, yes: bool = False) -> None:
    """Remove a run, and the answers that no other run needs; ask first."""
    from probsense.runs.find import find_record, remove_run

    where, record = find_record(run, store)
    what = f"{record.task} by {record.method}, {record.model}, started {record.started} ({record.label})"
    confirm_removal(what, where, yes=yes)
    removed = remove_run(where, record.id)
    say(f"removed: {what}, and {removed:,} answers")


def merge(target: Path, sources: list[Path], *, json: bool = False) -> None:
    """Put the answers and runs of several stores into one, such as those of the shards of a run.

    The order does not matter, and what is there already stays. Stores of interrupted runs will do.

    Parameters
    ----------
    target : ALL.db
        The store to add to; made if it is missing.
    sources : STORE…
        The stores to take from.
    """
    from probsense.runs.store.database import merge as merge_stores

    merged = merge_stores(target, *sources)
    if json:
        rows = [{**asdict(one), "source": str(one.source)} for one in merged]
        print_json({"schema": 1, "store": str(target), "merged": rows})
        return
    for one in merged:
        other = f" ({one.differing:,} of them with other numbers, left out)" if one.differing else ""
        print(f"{one.source}: answers {one.answers:,} new, {one.known:,} known{other}; runs {one.runs:,} new")


SHOWN: Final = 30
"""The most figures that are listed."""


def reproduce(
    what: list[str],
    *,
    model: str | None = None,
    model_options: ModelOptions = None,
    store: Path = USUAL,
    into: Path | None = None,
    max_cost: float | None = None,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Ask once more what runs asked, and say figure by figure what came out the same.

    The task, its options, the seed, the model and how it was asked come from the results. The exit code is 1 if a
    figure moved by more than rounding.

    Parameters
    ----------
    what : PAGE|FILE|RUN…
        Pages, files with a recipe or what 'probsense run --json' printed, names of runs, or beginnings of their
        ids.
    model : -m
        Where the model is now, or another model; the other options stay those of the run.
    store : -s FILE
        Store of the runs that are named.
    into : FILE
        Another store for the new answers, so that an interrupted command resumes.
    """
    from probsense.runs.reproduce import recipe, recipes_in

    recipes = []
    for name in what:
        known = Path(name).is_file()
        recipes += recipes_in(Path(name)) if known else [recipe(ps.load_run(name, store=store))]
    given = {} if model is None else options_of([model], model_options)[0][model]
    options = {"store": into, "quiet": quiet, "max_cost": max_cost, **given}
    found = [again for one in recipes for again in ps.reproduce(one, model, **options)]
    if json:
        print_json({"schema": 1, "reproduced": [one.to_json() for one in found]})
    else:
        for one in found:
            _print(one)
    if not all(one.same for one in found):
        raise typer.Exit(1)


def _print(one: Reproduced) -> None:
    """Print the summary of a run, the first figures that moved, and what was not as before."""
    from probsense.show.measure import ABSENT, both_ends

    def value(estimate: Estimate | None) -> str:
        return ABSENT if estimate is None else both_ends(estimate, words.measure(estimate.measure))

    print(one)
    words, moved = one.run.words, one.moved
    for figure in moved[:SHOWN]:
        known = figure.before or figure.after
        assert known is not None
        of = [str(part) for name, part in known.by.items() if name not in ("model", "prompting")]
        title = ", ".join([words.measure(known.measure).heading, *of])
        print(f"  {title}: {value(figure.before)} before, {value(figure.after)} now")
    print_notes(one.differences)
    if len(moved) > SHOWN:
        say(f"{len(moved) - SHOWN:,} more figures: --json lists all")
